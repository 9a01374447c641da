"""Our reading of a glTF file against Blender's own import of it, where some Python here has Blender's module."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from blender import ask_blender

from supple import Character, Pose
from supple.errors import SuppleWarning
from supple.io import load
from supple.io.gltf.accessors import Accessors
from supple.io.gltf.animation import read_clips, read_curve, read_shape_curve
from supple.io.gltf.document import Document
from supple.io.gltf.faults import Faults

FILES = (
    "human_cmu_8clips.glb", "CesiumMan.glb", "Fox.glb", "RiggedFigure.glb", "RiggedSimple.glb", "SimpleSkin.gltf",
    "RecursiveSkeletons.glb", "horse-animations.glb", "snake-animations.glb", "human-bunny.glb",
    "human-m2m-12clips.glb", "InterpolationTest.glb", "SimpleSparseAccessor.gltf", "SimpleMorph.gltf",
)  # fmt: skip
FRAMES = 10


def blended(character: Character, pose: Pose) -> np.ndarray:
    """Shapes, then linear blend, written out; ours in float64."""
    points = character.points + sum(share * character.shapes[name] for name, share in pose.shapes.items())
    moved = np.zeros_like(points)
    transforms = pose.skinning(character.skeleton)
    for joints, values in zip(character.weights.joints.T, character.weights.values.T, strict=True):
        one = np.einsum("vab,vb->va", transforms[joints, :3, :3], points) + transforms[joints, :3, 3]
        moved += values[:, None] * one
    return moved


def keys_of(path: Path) -> dict[str, np.ndarray]:
    """When the keys of every clip are, in the time of the file [s]."""
    document = Document(path, Faults(path.name, repair=False))
    accessors = Accessors(document)
    found = {}
    for clip in read_clips(document):
        curves = [read_curve(document, accessors, clip, channel) for channel in clip.channels]
        curves += [read_shape_curve(document, accessors, clip, c, _targets(document, c)) for c in clip.shape_channels]
        if curves:
            found[clip.name] = np.unique(np.concatenate([curve.times for curve in curves]))
    return found


def _targets(document: Document, channel) -> int:
    mesh = document.item("meshes", document.item("nodes", channel.node)["mesh"])
    return len(mesh["primitives"][0]["targets"])


def errors_against_blender(path: Path) -> dict[str, float]:
    """Largest distance of any vertex at ten keys, relative to the character's height, by clip.

    At keys, because between them Blender blends quaternions by component, where glTF asks to turn evenly.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        character = load(path)
    keys = {name: times for name, times in keys_of(path).items() if name in character.motions}
    chosen = [
        (name, times[np.unique(np.linspace(0, len(times) - 1, FRAMES).astype(int))].tolist())
        for name, times in keys.items()
    ] or [("rest", [0.0])]
    theirs = ask_blender({"do": "clips", "key": "file", "file": str(path), "clips": chosen})
    assert not keys or any(np.ptp(seen, axis=0).max() > 1e-2 * character.height for seen in theirs.values())
    control = character.display.control_points
    positions = [np.flatnonzero(np.isin(control, rows)) for rows in character.parts.values()]
    meshes = len(theirs) // len(chosen)
    pairs: list[int] | None = None
    found = {}
    for number, (clip, times) in enumerate(chosen):
        worst = 0.0
        for frame, time in enumerate(times):
            at = time - keys[clip][0] if keys else 0.0
            pose = character.motions[clip].sample(at) if keys else Pose.rest(character.skeleton)
            ours = blended(character, pose)[control]
            shown = [theirs[f"file {number} {mesh}"][frame] for mesh in range(meshes)]
            pairs = pairs or matched([ours[rows] for rows in positions], shown)
            for rows, mesh in zip(positions, pairs, strict=True):
                worst = max(worst, float(np.linalg.norm(ours[rows] - shown[mesh], axis=1).max()))
        found[clip] = worst / character.height
    return found


def matched(ours: list[np.ndarray], theirs: list[np.ndarray]) -> list[int]:
    """Which of Blender's meshes is each of our parts: the one of as many vertices that lies nearest."""
    free = list(range(len(theirs)))
    result = []
    for points in ours:
        apart = [np.abs(theirs[mesh] - points).max() if len(theirs[mesh]) == len(points) else np.inf for mesh in free]
        assert min(apart) < np.inf, f"Blender has no mesh of {len(points)} vertices"
        result.append(free.pop(int(np.argmin(apart))))
    return result


@pytest.mark.parametrize("name", FILES)
def test_linear_blend_equals_blenders_import(name, data_file):
    path = data_file(f"gltf/{name}")
    errors = errors_against_blender(path)
    assert set(errors) == set(keys_of(path)) or list(errors) == ["rest"]
    assert max(errors.values()) <= 1e-4, errors
