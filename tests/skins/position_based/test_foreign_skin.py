"""Skin goes along with flesh that has the mean of its weights, and not with flesh that other bones move."""

import numpy as np
import pytest

import supple
from supple.character.weights import Weights
from supple.geometry.embedding import embed_smoothly
from supple.geometry.tetrahedra import Tetrahedra
from supple.skins.position_based.body.foreign_skin import foreign_share, own_flesh
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


def two_tubes(tube, gap):
    """Two tubes side by side, as two thighs, so many [m] apart, each on two bones of its own that bend it."""
    low, high = tube.points.min(axis=0), tube.points.max(axis=0)
    aside = np.array([0.0, high[1] - low[1] + gap, 0.0])
    worlds = np.tile(np.eye(4), (4, 1, 1))
    worlds[:2, :3, 3] = tube.skeleton.heads
    worlds[2:, :3, 3] = tube.skeleton.heads + aside
    far = (tube.points[:, 0] > 0.5 * (low[0] + high[0])).astype(np.int32)
    joints = np.concatenate([far, 2 + far])
    return supple.Character(
        np.concatenate([tube.points, tube.points + aside]),
        np.concatenate([tube.triangles, tube.triangles + len(tube.points)]),
        supple.Skeleton(("a", "a_far", "b", "b_far"), [-1, 0, -1, 2], worlds),
        Weights(joints[:, None], np.ones((len(joints), 1))),
    )


@pytest.mark.parametrize("gap", [0.005, 0.015])
def test_skin_beside_flesh_that_other_bones_move_goes_with_its_own(gap):
    legs = two_tubes(supple.character("tube", vertices=1500), gap)
    body = build_body(legs, count=600, weights="carried")
    own, flesh = (weights.dense(len(legs.skeleton)) for weights in (legs.weights, body.weights))
    smooth = embed_smoothly(legs.points, Tetrahedra(body.constraints.points, body.constraints.corners))

    def others(embedding):
        """How much (V,) of what carries every vertex only bones of the other tube move."""
        second = flesh[:, 2:].sum(axis=1)[embedding.corners]
        mine = np.where(own[:, 2:].sum(axis=1)[:, None] > 0.5, second, 1.0 - second)
        return np.where(mine < 0.02, np.abs(embedding.barycentric), 0.0).sum(axis=1)

    before = (others(smooth) > 0.1).sum()
    assert before > 300
    for embedding in (body.embedding, body.plain_embedding):  # what lies within an element of the other tube remains
        assert (others(embedding) > 0.1).sum() < 0.05 * before
        assert np.abs(embedding.barycentric.sum(axis=1) - 1.0).max() < 1e-9


def test_skin_that_is_carried_by_its_own_flesh_keeps_its_embedding(tube):
    body = build_body(tube, count=600, weights="carried")
    own, flesh = (weights.dense(len(tube.skeleton)) for weights in (tube.weights, body.weights))
    smooth = embed_smoothly(tube.points, Tetrahedra(body.constraints.points, body.constraints.corners))
    again = own_flesh(smooth, own, flesh)
    changed = np.abs(again.barycentric - smooth.barycentric).max(axis=1) > 0.0
    assert changed.mean() < 0.05
