"""Attachment binding: where vertices hang, against plain loops, and on skeletons of every kind."""

import dataclasses

import numpy as np
import pytest

import supple
from conftest import make_tube
from oracles import expressive as oracle
from supple import Character, Skeleton, Weights
from supple.character.builtin import CHARACTERS
from supple.errors import InputError
from supple.geometry.topology import unique_edges
from supple.skins.springs.attachment.attachment import Attachment, attach
from supple.skins.springs.attachment.dividers import Divider, dividers_of
from supple.skins.springs.attachment.segments import find_segments
from supple.skins.springs.attachment.weights import END_MAP, START_MAP, rotation_weights, with_reaches

METHODS = ["weights", "direct", "planar"]


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=2500)


def test_direct_equals_the_plain_loop_over_all_bones(hero):
    found = attach(hero, method="direct", rounds=0)
    bones = found.segments
    for vertex in range(0, len(hero.points), 37):
        segment, along, far = oracle.direct(hero.points[vertex], bones.starts, bones.ends)
        assert np.linalg.norm(found.scale_vectors[vertex]) == pytest.approx(far, abs=1e-12)
        if found.segment[vertex] == segment:  # at a shared joint two bones are equally near
            assert found.along[vertex] == pytest.approx(along, abs=1e-12)


@pytest.mark.parametrize("name", list(CHARACTERS))
def test_attachment_points_lie_on_the_skeleton_and_scale_vectors_lead_to_the_skin(name):
    character = supple.character(name, vertices=1000)
    for method in METHODS:
        found = attach(character, method=method)
        assert np.abs(found.points + found.scale_vectors - character.points).max() < 1e-12
        bones = found.segments
        starts, ends = bones.starts[found.segment], bones.ends[found.segment]
        on_line = np.linalg.norm(np.cross(ends - starts, found.points - starts), axis=1)
        assert on_line.max() < 1e-9
        assert found.along.min() >= 0.0
        assert found.along.max() <= 1.0


def gaps(character, found):
    edges = unique_edges(character.triangles)
    return np.linalg.norm(np.subtract(*found.points[edges.T]), axis=1)


@pytest.mark.parametrize("method", METHODS)
def test_smoothing_closes_gaps(hero, method):
    open_, closed = (gaps(hero, attach(hero, method=method, rounds=rounds)) for rounds in (0, 6))
    assert np.percentile(closed, 99.0) < 0.8 * np.percentile(open_, 99.0)
    assert np.sqrt(np.mean(closed**2)) < np.sqrt(np.mean(open_**2))


def test_smoothing_never_leaves_for_a_bone_that_does_not_meet_the_last(hero):
    before, after = (attach(hero, rounds=rounds) for rounds in (0, 1))
    assert before.segments.meets[before.segment, after.segment].all()
    assert (before.segment != after.segment).any()  # some do move


def test_weights_name_the_bones_that_are_asked(hero):
    found = attach(hero, method="weights", rounds=0)
    strongest = hero.weights.joints[:, 0]
    joints, children = found.segments.joints[found.segment], found.segments.children[found.segment]
    assert ((joints == strongest) | (children == strongest)).all()


def bent(angle):
    """Two bones that meet at an angle, in a cloud of points joined by no matter which triangles."""
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.0, 1.0, (400, 3))
    heads = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    tails = np.array([[0.0, 0.0, 0.0], [np.cos(angle), np.sin(angle), 0.0]])
    skeleton = Skeleton.from_heads(["a", "b"], [-1, 0], heads, tails=tails)
    weights = Weights(np.zeros((400, 1), dtype=int) + (points[:, :1] > 0.0), np.ones((400, 1)))
    return Character(points, np.arange(399).reshape(-1, 3), skeleton, weights)


@pytest.mark.parametrize("angle", [0.0, 0.9, 2.0])
def test_a_divider_cuts_the_angle_of_two_bones_in_half(angle):
    character = bent(angle)
    (divider,) = dividers_of(character)
    half = np.array([-1.0 + np.cos(angle), np.sin(angle), 0.0])  # between the ways back and on
    assert abs(divider.normal @ half) < 1e-12
    assert abs(divider.normal @ np.array([0.0, 0.0, 1.0])) < 1e-12  # the direction across both lies in it
    found = attach(character, method="planar", rounds=0)
    assert np.array_equal(found.segment == divider.other, divider.signed_distances(character.points) > 1e-12)


def test_planar_places_run_evenly_between_the_planes():
    tube = make_tube(bones=2)
    found = attach(tube, method="planar", rounds=0)
    height = tube.points[:, 1]
    assert np.abs(np.where(found.segment == 0, height, height - 1.0) - found.along)[height != 1.0].max() < 1e-12


def test_a_divider_that_is_moved_moves_the_border():
    tube = make_tube(bones=2)
    (divider,) = dividers_of(tube)
    found = attach(tube, method="planar", rounds=0, dividers=[divider.moved([0.0, 0.3, 0.0])])
    assert np.array_equal(found.segment == 1, tube.points[:, 1] > 1.3 + 1e-12)
    tilted = divider.rotated([0.0, 0.0, np.sin(0.2), np.cos(0.2)])
    found = attach(tube, method="planar", rounds=0, dividers=[tilted])
    assert np.array_equal(found.segment == 1, tilted.signed_distances(tube.points) > 1e-12)


def star(children):
    """A body with `children` arms that leave one joint in all directions, without tails."""
    angles = np.arange(children) * 2.0 * np.pi / children
    arms = np.stack([np.cos(angles), np.zeros(children), np.sin(angles)], axis=1)
    heads = np.concatenate([[[0.0, 0.0, 0.0]], arms])
    rng = np.random.default_rng(0)
    points = np.concatenate([arms * reach + 0.1 * rng.normal(size=(children, 3)) for reach in (0.3, 0.7, 1.2, 1.8)])
    names = ["body", *(f"arm{number}" for number in range(children))]
    skeleton = Skeleton.from_heads(names, [-1] + [0] * children, heads)
    nearest = 1 + np.argmax(points @ arms.T, axis=1)
    triangles = np.stack([np.arange(len(points) - 2) + k for k in range(3)], axis=1)
    return Character(points, triangles, skeleton, Weights(nearest[:, None], np.ones((len(points), 1))))


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_with_seven_children(method):
    character = star(7)
    found = attach(character, method=method, rounds=0)
    joint, child = found.segments.joints[found.segment], found.segments.children[found.segment]
    arm = np.where(child >= 0, child, joint)
    assert len(found.segments) == 14  # from the body to every arm, and on to its tip
    assert (arm == character.weights.joints[:, 0]).mean() > 0.95


def test_last_bones_reach_as_far_as_their_vertices():
    character = star(5)
    segments = find_segments(character)
    for arm in range(1, 6):
        (last,) = np.flatnonzero(segments.joints == arm)
        own = character.points[character.weights.joints[:, 0] == arm]
        direction = segments.directions[last]
        assert segments.ends[last] @ direction == pytest.approx((own @ direction).max())
        assert direction @ character.skeleton.heads[arm] == pytest.approx(1.0)  # on in the parent's direction


def test_known_tails_are_taken():
    tube = make_tube(bones=3)
    segments = find_segments(tube)
    assert np.array_equal(segments.ends, tube.skeleton.tails)
    assert segments.before.tolist() == [-1, 0, 1]
    assert segments.after.tolist() == [1, 2, -1]


def test_joints_on_the_same_spot_are_passed_through():
    heads = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    skeleton = Skeleton.from_heads(["a", "spot", "b"], [-1, 0, 1], heads, tails=[[0, 1, 0], [0, 1, 0], [0, 2, 0]])
    character = make_tube().replace(skeleton=skeleton, weights=None)
    segments = find_segments(character)
    assert segments.joints.tolist() == [0, 2]
    assert segments.before.tolist() == [-1, 0]
    assert segments.after.tolist() == [1, -1]


def test_a_root_on_the_floor_owns_nothing():
    tube = make_tube(bones=2)
    skeleton = Skeleton.from_heads(
        ["floor", "a", "b"], [-1, 0, 1], [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        tails=[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]],
    )  # fmt: skip
    weights = Weights(tube.weights.joints + 1, tube.weights.values)
    for character in (tube.replace(skeleton=skeleton, weights=weights), tube.replace(skeleton=skeleton, weights=None)):
        found = attach(character, method="direct")
        assert 0 not in found.segments.joints[found.segment]


def test_one_joint_and_no_tail():
    tube = make_tube(bones=2)
    skeleton = Skeleton.from_heads(["only"], [-1], [[0.0, 0.0, 0.0]])
    found = attach(tube.replace(skeleton=skeleton, weights=None))
    assert np.isfinite(found.points).all()
    assert len(found.segments) == 1


def test_an_attachment_is_kept_in_the_character(hero):
    planar = attach(hero, method="planar", rounds=3)
    again = attach(planar.kept_in(hero))
    assert np.array_equal(again.segment, planar.segment)
    assert np.array_equal(again.along, planar.along)
    assert not np.array_equal(attach(hero).along, planar.along)


def test_what_does_not_fit_is_refused(hero):
    with pytest.raises(InputError, match="method is 'magic'"):
        attach(hero, method="magic")
    with pytest.raises(InputError, match="rounds is -1"):
        attach(hero, rounds=-1)
    with pytest.raises(InputError, match="only 'planar'"):
        attach(hero, method="direct", dividers=dividers_of(hero))
    stray = dataclasses.replace(dividers_of(hero)[0], other=999)
    with pytest.raises(InputError, match="segments 0 and 999"):
        attach(hero, method="planar", dividers=[stray])
    with pytest.raises(InputError, match="normal is zero"):
        Divider(0, 1, np.zeros(3), np.zeros(3))
    found = attach(hero)
    with pytest.raises(InputError, match="there are segments 0 to"):
        Attachment(hero.points, found.segments, found.segment + 1000, found.along)
    with pytest.raises(InputError, match="shares of a segment"):
        Attachment(hero.points, found.segments, found.segment, found.along + 1.0)


def test_shares_of_turns_are_half_at_a_joint_and_nothing_beyond_the_reach():
    tube = make_tube(bones=4, rings=81)
    found = attach(tube, rounds=0)
    reach = np.full(len(tube.points), 0.25)
    shares = rotation_weights(found, reach, reach)
    assert np.allclose(shares.values.sum(axis=1), 1.0)
    own = np.where(shares.indices == found.segment[:, None], shares.values, 0.0).max(axis=1)
    middle = (found.along > 0.25) & (found.along < 0.75)
    assert np.allclose(own[middle], 1.0)
    inner = (found.segment < 3) & (found.along == 1.0)  # of two bones at a joint the first is taken
    assert inner.any()
    assert np.allclose(own[inner], 0.5)
    outer = ((found.segment == 0) & (found.along < 0.5)) | ((found.segment == 3) & (found.along > 0.5))
    assert np.allclose(own[outer], 1.0)  # nothing before the first bone and after the last


def test_reaches_by_joint_are_painted_on_both_bones_of_the_joint():
    tube = make_tube(bones=3)
    painted = with_reaches(tube, {"bone1": 0.1})
    found = attach(tube)
    assert np.array_equal(painted.maps[START_MAP] == 0.1, found.segment == 1)
    assert np.array_equal(painted.maps[END_MAP] == 0.1, found.segment == 0)
    with pytest.raises(InputError, match="reach of 'bone1'"):
        with_reaches(tube, {"bone1": 1.5})
    with pytest.raises(InputError, match="joint 'tail'"):
        with_reaches(tube, {"tail": 0.5})
