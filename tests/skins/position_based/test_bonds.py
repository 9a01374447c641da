"""What flesh is bound to: the bones that carry it, and no other that happens to lie near."""

import dataclasses

import numpy as np
import pytest

import supple
from supple import Pose, PositionBased
from supple.character.skeleton import Bones, Skeleton
from supple.character.weights import Weights
from supple.geometry import quaternions
from supple.skins.position_based.body.tetrahedral_body import Bonds

pytestmark = pytest.mark.filterwarnings("ignore:fill. made")  # a tube cannot be cut into every number

BONES = Bones(
    np.array([0, 1]), np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0], [0.1, 1.0, 0.0]])
)
BETWEEN = np.array([[0.09, 0.5, 0.0]])  # a hundredth from bone 1, nine hundredths from bone 0


def carried(*weights):
    return Bonds.from_bones(BETWEEN, BONES, carried=np.array([weights]))


def weight_on(bonds, joint):
    return float(bonds.weights[bonds.joints == joint].sum())


def test_without_weights_the_nearest_bone_binds():
    bonds = Bonds.from_bones(BETWEEN, BONES)
    assert weight_on(bonds, 1) == 1.0
    np.testing.assert_allclose(bonds.lengths, [0.01])


def test_a_bone_that_carries_nothing_binds_nothing():
    bonds = carried(1.0, 0.0)
    assert weight_on(bonds, 0) == 1.0
    np.testing.assert_allclose(bonds.lengths, [0.09])


def test_where_no_bone_carries_the_nearest_binds():
    assert weight_on(carried(0.0, 0.0), 1) == 1.0


def test_bones_that_carry_alike_bind_as_they_lie():
    np.testing.assert_array_equal(carried(0.5, 0.5).weights, Bonds.from_bones(BETWEEN, BONES).weights)


def test_what_binds_passes_over_without_a_leap():
    shares = np.linspace(0.0, 1.0, 2001)
    on_near = np.array([weight_on(carried(1.0 - share, share), 1) for share in shares])
    assert on_near[0] == 0.0
    assert on_near[-1] == 1.0
    assert np.abs(np.diff(on_near)).max() < 0.1


def with_a_bone_beside(tube):
    """The tube, which lies along x, with another bone just below its skin; it carries only the skin at the far end."""
    skeleton, along = tube.skeleton, tube.points[:, 0]
    low, length, radius = along.min(), np.ptp(along), tube.points[:, 2].max()
    rest = np.eye(4)
    rest[:3, 3] = low + 0.1 * length, 0.0, 0.85 * radius
    tails = np.array([skeleton.bones.ends[skeleton.bones.joints == joint][0] for joint in range(len(skeleton))])
    rigged = Skeleton(
        (*skeleton.names, "beside"),
        np.append(skeleton.parents, 0),
        np.concatenate([skeleton.world_from_joint, rest[None]]),
        tails=np.concatenate([tails, [rest[:3, 3] + [0.5 * length, 0.0, 0.0]]]),
    )
    dense = np.pad(tube.weights.dense(len(skeleton)), ((0, 0), (0, 1)))
    dense[along > low + 0.97 * length] = [0.0, 0.0, 1.0]
    return dataclasses.replace(tube, skeleton=rigged, weights=Weights.from_dense(dense), maps={}, motions={})


def test_a_bone_near_the_skin_of_others_does_not_draw_it_along():
    tube = with_a_bone_beside(supple.character("tube", vertices=2000, bones=2))
    pose = Pose.from_rotations(
        tube.skeleton, {"beside": quaternions.quat_from_axis_angle(np.array([0.0, 1.0, 0.0]), -0.6)}
    )
    player = supple.player(tube, PositionBased(tetrahedra=1500, jiggle=0.0))
    for _ in range(10):
        points = player.advance(pose)
    along = tube.points[:, 0]
    away = along < along.min() + 0.7 * np.ptp(along)
    moved = np.linalg.norm(points - tube.points, axis=1)
    assert moved[~away].max() > 0.5 * tube.points[:, 2].max()
    assert moved[away].max() < 0.3 * tube.points[:, 2].max()  # what the far end does to the flesh before it; was 2.0
