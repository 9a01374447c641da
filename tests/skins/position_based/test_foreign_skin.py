"""Skin goes along with flesh that has the mean of its weights, and not with flesh that other bones move."""

import numpy as np
import pytest

import supple
from supple.character.weights import Weights
from supple.skins.position_based.body.foreign_skin import foreign_share
from supple.skins.position_based.body.tetrahedral_body import build_body

pytestmark = pytest.mark.filterwarnings("ignore:fill. made")  # a tube cannot be cut into every number


def share_of(character):
    body = build_body(character, count=600, weights="carried")
    return foreign_share(character, body), body.constraints.size


def with_weights(character, first):
    """The character with so much (V,) of every vertex on its first joint, and the rest on its last."""
    values = np.stack([first, 1.0 - first], axis=1)
    joints = np.tile([0, len(character.skeleton) - 1], (len(values), 1))
    order = np.argsort(-values, axis=1, kind="stable")
    return character.replace(
        weights=Weights(np.take_along_axis(joints, order, 1), np.take_along_axis(values, order, 1))
    )


@pytest.fixture(scope="module")
def tube():
    return supple.character("tube")


def test_weights_that_change_within_an_element_are_not_foreign(tube):
    x = tube.points[:, 0]
    sharp = with_weights(tube, (x > 0.5 * (x.min() + x.max())).astype(float))
    share, size = share_of(sharp)
    near = np.abs(x - 0.5 * (x.min() + x.max())) < 0.5 * size
    assert near.sum() > 10
    assert share.max() < 0.3


def test_a_tube_inside_one_that_other_bones_move_is_foreign(tube):
    inner = tube.points * np.array([1.0, 0.6, 0.6])
    count = len(inner)
    both = supple.Character(
        np.concatenate([tube.points, inner]),
        np.concatenate([tube.triangles, tube.triangles + count]),
        tube.skeleton,
        Weights(np.tile(tube.weights.joints, (2, 1)), np.tile(tube.weights.values, (2, 1))),
    )
    alike, _ = share_of(both)
    assert alike.max() < 0.3
    moved = with_weights(both, np.repeat([1.0, 0.0], count))
    share, _ = share_of(moved)
    assert np.median(share[count:]) > 0.4
