"""Spring dynamics at its defaults on real rigs: heads, hands and feet keep to the bones, and skin stays whole."""

import warnings

import numpy as np
import pytest

import supple
from supple import IncrementalRotation, SpringDynamics, SpringRig
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.geometry.topology import kept_edges

CLIPS = {
    "gltf/human_cmu_8clips.glb": "run",
    "gltf/human-m2m-12clips.glb": "Backflip",
    "gltf/human-sintel.glb": None,
    "gltf/human-bunny.glb": None,
    "gltf/CesiumMan.glb": "animation0",
    "gltf/Knight.glb": "Jump_Full_Short",
    "gltf/horse-animations.glb": "Run",
    "gltf/fox-animations.glb": "Run",
    "gltf/Fox.glb": "Run",
    "gltf/bird-animations.glb": "Walk",
    "gltf/snake-animations.glb": "Bite",
    "gltf/spider-animations.glb": "Jump",
    "gltf/RiggedSimple.glb": "animation0",
    "gltf/RecursiveSkeletons.glb": "Track0",
    "vrm/custom_normal.vrm": None,
}
"""Files and clips; those that have none are given a run."""
STIFFNESS = SpringDynamics().stiffness


def find_clip(character, wanted, data_file):
    """The clip of a name, or a run that another body did."""
    if wanted is not None:
        return next(motion for title, motion in character.motions.items() if wanted.lower() in title.lower())
    runner = supple.load(data_file("gltf/human_cmu_8clips.glb"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fingers and faces follow nothing
        return next(motion for title, motion in runner.motions.items() if "run" in title).retarget(character)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIPS)
def test_flesh_on_real_rigs(name, data_file):
    """Of a hundred edges 98 are between 0.85 and 1.15 of their balance, and all of heads, hands and feet is within a
    millimetre of where the bones have it, on a body of 1.8 m.
    """
    character = supple.load(data_file(name))
    clip = find_clip(character, CLIPS[name], data_file)
    millimetre = 1e-3 * max(float(character.size.max()) / 1.8, 1.0)
    moving = supple.player(character, SpringDynamics(), fps=30.0)
    stiffness = {kind: getattr(STIFFNESS, kind) for kind in ("relative_radius", "radius", "twist")}
    still = supple.player(character, SpringRig(iterations=300, stiffness=stiffness))
    bones = supple.player(character, IncrementalRotation())
    firm = rigid_fraction(character, character.weights) > 0.999
    one, other = kept_edges(character.triangles).T
    ratios, away = [], [0.0]
    for time in np.arange(0.0, min(clip.duration, 0.5), 1.0 / 30.0):
        here, there = moving.play(clip, time), still.play(clip, time)
        lengths = [np.linalg.norm(points[one] - points[other], axis=1) for points in (here, there)]
        known = lengths[1] > 1e-6 * character.size.max()
        ratios.append(lengths[0][known] / lengths[1][known])
        if firm.any():
            away.append(float(np.linalg.norm(here - bones.play(clip, time), axis=1)[firm].max()))
    low, high = np.quantile(np.concatenate(ratios), [0.01, 0.99])
    assert low > 0.85
    assert high < 1.15
    assert max(away) < millimetre
