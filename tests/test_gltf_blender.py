"""Our reading of a glTF file against Blender's own import of it, where Blender's module is installed."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from supple import Pose, SuppleWarning
from supple.io import load
from supple.io.gltf.accessors import Accessors
from supple.io.gltf.animation import read_clips, read_curve
from supple.io.gltf.document import Document
from supple.io.gltf.faults import Faults

FILES = (
    "human_cmu_8clips.glb", "CesiumMan.glb", "Fox.glb", "RiggedFigure.glb", "RiggedSimple.glb", "SimpleSkin.gltf",
    "RecursiveSkeletons.glb", "horse-animations.glb", "snake-animations.glb", "human-bunny.glb",
    "human-m2m-12clips.glb", "InterpolationTest.glb", "SimpleSparseAccessor.gltf",
)  # fmt: skip
FRAMES = 10
OURS_FROM_BLENDER = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # z up to y up


class BlenderFile:
    """A file opened in Blender, asked for the points of its meshes at any moment of any clip."""

    def __init__(self, path: Path) -> None:
        self.bpy = pytest.importorskip("bpy")
        self.bpy.ops.wm.read_factory_settings(use_empty=True)
        self.bpy.context.scene.render.fps = 120  # so that keys of most rates lie on whole frames
        self.bpy.ops.import_scene.gltf(filepath=str(path), import_shading="FLAT")
        self.meshes = [o for o in self.bpy.data.objects if o.type == "MESH" and o.visible_get()]
        self._opening = [(o, o.matrix_basis.copy()) for o in self.bpy.data.objects]
        self._bones = [
            (bone, bone.matrix_basis.copy())
            for o in self.bpy.data.objects
            if o.type == "ARMATURE"
            for bone in o.pose.bones
        ]
        self._strips = [
            (o, track.name, track.strips[0].action, track.strips[0].action_slot)
            for o in self.bpy.data.objects
            if o.animation_data
            for track in o.animation_data.nla_tracks
        ]
        for o in self.bpy.data.objects:
            if o.animation_data:
                o.animation_data.action = None
                for track in o.animation_data.nla_tracks:
                    track.mute = True

    def play(self, clip: str) -> None:
        """Put everything back as the file opens, then let `clip` move it; Blender names nameless ones its way."""
        for o, _, _, _ in self._strips:
            o.animation_data.action = None
        for thing, basis in [*self._opening, *self._bones]:
            thing.matrix_basis = basis
        for o, name, action, slot in self._strips:
            if name in (clip, clip.replace("animation", "Anim_")):
                o.animation_data.action, o.animation_data.action_slot = action, slot

    def points(self, time: float) -> list[np.ndarray]:
        """Points of every mesh at `time` [s], in our axes."""
        scene = self.bpy.context.scene
        frame = time * scene.render.fps / scene.render.fps_base
        scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        graph = self.bpy.context.evaluated_depsgraph_get()
        found = []
        for o in self.meshes:
            shaped = o.evaluated_get(graph)
            flat = np.empty(3 * len(shaped.data.vertices), dtype=np.float32)
            shaped.data.vertices.foreach_get("co", flat)
            world = np.array(shaped.matrix_world)
            found.append((flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]) @ OURS_FROM_BLENDER.T)
        return found


def blended(character, pose):
    """Linear blend, written out; ours in float64."""
    moved = np.zeros_like(character.points)
    transforms = pose.skinning(character.skeleton)
    for joints, values in zip(character.weights.joints.T, character.weights.values.T, strict=True):
        one = np.einsum("vab,vb->va", transforms[joints, :3, :3], character.points) + transforms[joints, :3, 3]
        moved += values[:, None] * one
    return moved


def keys_of(path: Path) -> dict[str, np.ndarray]:
    """When the keys of every clip are, in the time of the file [s]."""
    document = Document(path, Faults(path.name, repair=False))
    accessors = Accessors(document)
    return {
        clip.name: np.unique(np.concatenate([read_curve(document, accessors, clip, c).times for c in clip.channels]))
        for clip in read_clips(document)
        if clip.channels
    }


def errors_against_blender(path: Path) -> dict[str, float]:
    """Largest distance of any vertex at ten keys, relative to the character's height, by clip.

    At keys, because between them Blender blends quaternions by component, where glTF asks to turn evenly.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        character = load(path)
    blender = BlenderFile(path)
    control = character.display.control_points
    places = [np.flatnonzero(np.isin(control, rows)) for rows in character.parts.values()]
    keys = {name: times for name, times in keys_of(path).items() if name in character.motions}
    pairs: list[int] | None = None
    found = {}
    for clip, times in keys.items() or [("rest", np.zeros(1))]:
        blender.play(clip)
        worst = 0.0
        for time in times[np.unique(np.linspace(0, len(times) - 1, FRAMES).astype(int))]:
            pose = character.motions[clip].sample(time - times[0]) if keys else Pose.rest(character.skeleton)
            ours, theirs = blended(character, pose)[control], blender.points(time)
            pairs = pairs or matched([ours[rows] for rows in places], theirs)
            for rows, mesh in zip(places, pairs, strict=True):
                worst = max(worst, float(np.linalg.norm(ours[rows] - theirs[mesh], axis=1).max()))
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
    errors = errors_against_blender(data_file(f"gltf/{name}"))
    assert errors
    assert max(errors.values()) <= 1e-4, errors
