"""Characters as plain arrays: nothing is lost on the way through a cache or from another process."""

from __future__ import annotations

import numpy as np
import pytest
from export_scenes import swing, textured_tube

import supple
from supple.character import packing
from supple.character.fingerprint import fingerprint
from supple.io import interprocess

STRANGE = "a/b\0c \ud800 é.npy"  # a name that no file in an archive can have


def same(one: supple.Character, other: supple.Character) -> bool:
    before, after = ({**packing.pack(each), **packing.pack_display(each)} for each in (one, other))
    alike = all(
        np.array_equal(before[name], after[name]) and before[name].dtype == after[name].dtype for name in before
    )
    return list(before) == list(after) and alike and packing.describe(one) == packing.describe(other)


@pytest.fixture
def tube():
    made = textured_tube()
    bump = {name: np.full(made.points.shape, size) for name, size in (("smile", 0.1), (STRANGE, 0.2))}
    return made.replace(
        shapes=bump, parts={**made.parts, STRANGE: [0, 2]}, motions={"b": swing(made), "a": swing(made)}
    )


@pytest.mark.parametrize("bare", [False, True])
def test_a_packed_character_comes_back(tube, bare):
    if bare:
        skeleton = supple.Skeleton(tube.skeleton.names, tube.skeleton.parents, tube.skeleton.world_from_joint)
        none = {"maps": {}, "parts": {}, "shapes": {}, "motions": {}, "polygons": None, "display": None}
        tube = tube.replace(skeleton=skeleton, weights=None, materials=(), material_of_triangle=None, **none)
    again = packing.unpack({**packing.pack(tube), **packing.pack_display(tube)}, packing.describe(tube))
    assert same(tube, again)
    assert again.materials == tube.materials
    assert not again.motions


def test_another_process_hands_over_all_of_it(tube, tmp_path):
    interprocess.write(tmp_path / "a.npz", tube, {"warnings": ["one"]})
    again, messages = interprocess.read(tmp_path / "a.npz")
    assert same(tube, again)
    assert messages == {"warnings": ["one"]}
    assert list(again.motions) == ["b", "a"]
    interprocess.write(tmp_path / "b.npz", tube.motions["a"], {})
    for motion in (again.motions["a"], interprocess.read(tmp_path / "b.npz")[0]):
        assert motion.skeleton.names == tube.skeleton.names
        np.testing.assert_array_equal(motion.rotations, tube.motions["a"].rotations)
    interprocess.write(tmp_path / "c.npz", None, {"error": "x"})
    assert interprocess.read(tmp_path / "c.npz") == (None, {"error": "x"})


def test_fingerprints_are_those_of_before():
    """Bakes on disk carry them: a bake that was begun would not be known again."""
    square = supple.Character(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[0, 1, 2]],
        supple.Skeleton.from_heads(["root"], [-1], np.zeros((1, 3)), tails=[[0, 1, 0]]),
        supple.Weights([[0], [0], [0]], [[1.0], [1.0], [1.0]]),
        maps={"flesh": [0.0, 0.5, 1.0]},
        parts={"tip": [2]},
        shapes={"smile": np.ones((3, 3))},
        polygons=[[0, 1, 2, -1]],
    )
    assert fingerprint(square) == "965c07d6d698a43467fc093c49ef2e99"
