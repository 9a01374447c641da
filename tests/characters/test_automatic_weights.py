"""Automatic weights: limbs that nearly touch keep to their own bones, on clean and on broken meshes."""

import warnings

import numpy as np
import pytest

from supple.character.character import Character
from supple.character.skeleton import Bones, Skeleton
from supple.character.weighting import automatic_weights
from supple.character.weighting.nearest_bone import nearest_bone_weights
from supple.errors import InputError, SuppleWarning
from supple.geometry import quaternions
from supple.geometry.segments import distances_to_segments

# Bodies made of capsules


def skin_of(capsules, spacing):
    """One closed shell around capsules (start, end, radius)."""
    import igl

    low = np.min([np.minimum(s, e) - r for s, e, r in capsules], axis=0) - 2 * spacing
    high = np.max([np.maximum(s, e) + r for s, e, r in capsules], axis=0) + 2 * spacing
    count = np.ceil((high - low) / spacing).astype(int) + 1
    # A hair off the round numbers, so that no sample lies exactly on the surface.
    axes = [low[k] + spacing * (np.arange(count[k]) + 1e-3 * (k + 1)) for k in range(3)]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    samples = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    starts, ends, radii = (np.array(part) for part in zip(*capsules, strict=True))
    depth = (distances_to_segments(samples, starts, ends)[0] - radii).min(axis=1)
    points, triangles = igl.marching_cubes(depth, samples, int(count[0]), int(count[1]), int(count[2]), 0.0)[:2]
    return points, triangles[:, ::-1].astype(np.int32)


def tube(start, end, radius, *, rings=24, sides=16):
    """A closed round tube with flat ends."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    axis = quaternions.normalize(end - start)
    aside = quaternions.normalize(np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))]))
    rotation = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    circle = radius * (np.cos(rotation)[:, None] * aside + np.sin(rotation)[:, None] * np.cross(axis, aside))
    along = np.linspace(0.0, 1.0, rings)
    points = (start + along[:, None] * (end - start))[:, None] + circle
    index = np.arange(rings * sides).reshape(rings, sides)
    a, b = index[:-1], np.roll(index, -1, axis=1)[:-1]
    c, d = np.roll(index, -1, axis=1)[1:], index[1:]
    walls = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]).reshape(-1, 3)
    n = rings * sides
    caps = [(n, index[0, (k + 1) % sides], index[0, k]) for k in range(sides)]
    caps += [(n + 1, index[-1, k], index[-1, (k + 1) % sides]) for k in range(sides)]
    return np.concatenate([points.reshape(-1, 3), [start, end]]), np.concatenate([walls, caps]).astype(np.int32)


def together(*shells):
    offsets = np.cumsum([0, *(len(points) for points, _ in shells[:-1])])
    return (
        np.concatenate([points for points, _ in shells]),
        np.concatenate([triangles + offset for (_, triangles), offset in zip(shells, offsets, strict=True)]),
    )


def broken(points, triangles):
    """The same surface as exporters ruin it: one face in a hundred lost, some doubled, nothing welded."""
    rng = np.random.default_rng(7)
    kept = triangles[rng.random(len(triangles)) > 0.01]
    kept = np.concatenate([kept, kept[rng.integers(0, len(kept), len(kept) // 50)]])
    return points[kept].reshape(-1, 3), np.arange(kept.size, dtype=np.int32).reshape(-1, 3)


BOTH = pytest.mark.parametrize("state", ["clean", "broken"])


def body(points, triangles, skeleton, state="clean"):
    if state == "broken":
        points, triangles = broken(points, triangles)
    return Character(points, triangles, skeleton)


FINGERS = ("index", "middle", "ring", "little")
FINGER_X = 0.0175 * np.arange(4)  # radius 8 mm: gaps of 1.5 mm


@pytest.fixture(scope="module")
def hand():
    across = [([0.0, 0.0, 0.0], [FINGER_X[3], 0.0, 0.0], 0.009), ([0.026, 0.0, 0.0], [0.026, -0.07, 0.0], 0.009)]
    fingers = [([x, 0.0, 0.0], [x, 0.07, 0.0], 0.008) for x in FINGER_X]
    points, triangles = skin_of(across + fingers, 0.00125)
    names, parents, heads = ["forearm", "palm"], [-1, 0], [[0.026, -0.06, 0.0], [0.026, -0.03, 0.0]]
    for finger, x in zip(FINGERS, FINGER_X, strict=True):
        for part, y in enumerate((0.005, 0.035, 0.06)):
            names.append(f"{finger}{part}")
            parents.append(1 if part == 0 else len(names) - 2)
            heads.append([x, y, 0.0])
    return points, triangles, Skeleton.from_heads(names, parents, heads)


LEG_X = 0.0835  # radius 8 cm: a gap of 7 mm


@pytest.fixture(scope="module")
def legs():
    thighs = [([side * LEG_X, 0.0, 0.0], [side * LEG_X, -0.5, 0.0], 0.08) for side in (-1, 1)]
    hip = ([-LEG_X, 0.06, 0.0], [LEG_X, 0.06, 0.0], 0.1)
    points, triangles = skin_of([hip, *thighs], 0.0065)
    heads = [[0, 0.08, 0], [-LEG_X, 0.0, 0], [-LEG_X, -0.4, 0], [LEG_X, 0.0, 0], [LEG_X, -0.4, 0]]
    skeleton = Skeleton.from_heads(["hip", "thigh_l", "shin_l", "thigh_r", "shin_r"], [-1, 0, 1, 0, 3], heads)
    return points, triangles, skeleton


@pytest.fixture(scope="module")
def arm_at_belly():
    """Belly and arm are shells of their own that overlap at the shoulder; below, the arm hangs 1 mm off the belly."""
    belly = tube([0, 0, 0], [0, 0.6, 0], 0.15, rings=60, sides=48)
    shoulder = tube([0.1, 0.55, 0], [0.2, 0.55, 0], 0.04)
    arm = tube([0.191, 0.57, 0], [0.191, 0.05, 0], 0.04, rings=50)
    points, triangles = together(belly, shoulder, arm)
    heads = [[0, 0.02, 0], [0, 0.3, 0], [0.03, 0.55, 0], [0.191, 0.55, 0], [0.191, 0.3, 0]]
    skeleton = Skeleton.from_heads(["hips", "chest", "clavicle", "arm", "forearm"], [-1, 0, 1, 2, 3], heads)
    return points, triangles, skeleton


def weight_of(character, weights, names):
    joints = [character.skeleton.index(name) for name in names]
    return weights.dense(len(character.skeleton))[:, joints].sum(axis=1)


# Limbs that nearly touch


@BOTH
@pytest.mark.parametrize("resolution", [64, 128])
def test_fingers_do_not_take_each_others_bones(hand, state, resolution):
    character = body(*hand, state=state)
    weights = automatic_weights(character, resolution=resolution)
    for finger, x in zip(FINGERS, FINGER_X, strict=True):
        outer = (character.points[:, 1] > 0.035) & (np.abs(character.points[:, 0] - x) < 0.0085)
        others = [f"{other}{part}" for other in FINGERS if other != finger for part in range(3)]
        assert outer.sum() > 100
        assert weight_of(character, weights, others)[outer].max() < 0.01
        own = [f"{finger}{part}" for part in range(3)]
        assert weight_of(character, weights, own)[outer].min() > 0.95


@BOTH
def test_thighs_do_not_take_each_others_bones(legs, state):
    character = body(*legs, state=state)
    weights = automatic_weights(character, resolution=64)
    for sign, other in ((-1, "r"), (1, "l")):
        low = (character.points[:, 0] * sign > 0) & (character.points[:, 1] < -0.2)
        assert low.sum() > 500
        assert weight_of(character, weights, [f"thigh_{other}", f"shin_{other}"])[low].max() < 0.01


@BOTH
def test_thighs_that_run_into_each_other_stay_apart(legs, state):
    points, triangles, skeleton = legs
    inwards = np.clip(-points[:, 1] - 0.15, 0.0, 0.1) * 0.15  # 15 mm each, where the gap was 7 mm
    crossing = points - np.stack([np.sign(points[:, 0]) * inwards, 0 * inwards, 0 * inwards], axis=1)
    character = body(crossing, triangles, skeleton, state)
    weights = automatic_weights(character, resolution=64)
    moved = points if state == "clean" else broken(points, triangles)[0]
    for sign, other in ((-1, "r"), (1, "l")):
        low = (moved[:, 0] * sign > 0) & (moved[:, 1] < -0.3)
        assert low.sum() > 500
        assert weight_of(character, weights, [f"thigh_{other}", f"shin_{other}"])[low].max() < 0.01


@BOTH
@pytest.mark.parametrize("resolution", [48, 80])
def test_an_arm_beside_the_belly_does_not_pull_it(arm_at_belly, state, resolution):
    character = body(*arm_at_belly, state=state)
    weights = automatic_weights(character, resolution=resolution)
    x, y, _ = character.points.T
    belly, arm = (np.hypot(x, character.points[:, 2]) < 0.1505) & (y < 0.35), (x > 0.1505) & (y < 0.35)
    assert min(belly.sum(), arm.sum()) > 300
    assert weight_of(character, weights, ["arm", "forearm"])[belly].max() < 0.01
    assert weight_of(character, weights, ["hips", "chest"])[arm].max() < 0.01


# Laws


@pytest.fixture(scope="module")
def straight():
    points, triangles = tube([0, -1, 0], [0, 1, 0], 0.15, rings=81, sides=24)
    skeleton = Skeleton.from_heads(["low", "high"], [-1, 0], [[0, -1, 0], [0, 0, 0]], tails=[[0, 0, 0], [0, 1, 0]])
    return Character(points, triangles, skeleton)


def test_a_straight_tube_is_shared_evenly_about_its_joint(straight):
    high = automatic_weights(straight).dense(2)[:, 1]
    rings = high[: 81 * 24].reshape(81, 24)
    assert np.ptp(rings, axis=1).max() < 1e-6
    profile = rings[:, 0]
    np.testing.assert_allclose(profile + profile[::-1], 1.0, atol=1e-6)
    assert (np.diff(profile) > -1e-12).all()
    assert profile[40] == pytest.approx(0.5, abs=1e-6)
    assert profile[0] == 0.0
    assert profile[-1] == 1.0
    # The joint is soft over about a radius to either side, and no more than twice that.
    y = straight.points[: 81 * 24 : 24, 1]
    assert 0.02 < profile[np.argmin(np.abs(y + 0.15))] < 0.25
    assert profile[y < -0.45].max() < 0.01


def test_rows_sum_to_one_and_influences_are_capped(hand):
    character = body(*hand)
    for influences in (1, 2, 4):
        weights = automatic_weights(character, influences=influences, resolution=48)
        assert len(weights) == len(character.points)
        assert weights.joints.shape[1] == influences
        np.testing.assert_allclose(weights.values.sum(axis=1), 1.0, atol=1e-12)
    assert weights.influences > 2


def test_weights_run_smoothly_along_the_skin(legs):
    character = body(*legs)
    full = automatic_weights(character, resolution=64).dense(5)
    a, b = character.triangles[:, 0], character.triangles[:, 1]
    length = np.linalg.norm(character.points[a] - character.points[b], axis=1)
    slope = np.abs(full[a] - full[b]).max(axis=1) / np.maximum(length, 0.5 * length.mean())
    cleft = np.abs(character.points[a, 0]) < 0.03  # the groove between the thighs, where left and right meet
    # From none to all within less than a leg's radius would show as a crease.
    assert slope[~cleft].max() < 1.0 / 0.08


def difference(a, b, joints):
    return np.abs(a.dense(joints) - b.dense(joints)).sum(axis=1) / 2


def test_resolution_hardly_matters(hand, legs):
    for points, triangles, skeleton in (hand, legs):
        character = body(points, triangles, skeleton)
        coarse, fine = (automatic_weights(character, resolution=n) for n in (64, 128))
        off = difference(coarse, fine, len(skeleton))
        assert off.mean() < 0.005
        assert np.quantile(off, 0.99) < 0.05


def moved(character, rotation, *, scale=1.0, shift=(0.0, 0.0, 0.0)):
    world = character.skeleton.world_from_joint.copy()
    world[:, :3, 3] = scale * world[:, :3, 3] @ rotation.T + shift
    world[:, :3, :3] = rotation @ world[:, :3, :3]
    skeleton = Skeleton(character.skeleton.names, character.skeleton.parents, world)
    return Character(scale * character.points @ rotation.T + shift, character.triangles, skeleton)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, 1)])
def test_a_quarter_turn_changes_nothing(legs, axis):
    character = body(*legs)
    rotation = np.round(quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(axis, np.pi / 2)))
    a, b = automatic_weights(character, resolution=48), automatic_weights(moved(character, rotation), resolution=48)
    assert difference(a, b, 5).max() < 1e-6


def test_any_turn_changes_little(legs):
    character = body(*legs)
    rotation = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle((1.0, 2.0, 0.5), 0.7))
    a = automatic_weights(character, resolution=96)
    b = automatic_weights(moved(character, rotation, shift=(3.0, -1.0, 2.0)), resolution=96)
    # Jagged voxel paths lie otherwise in the flesh; it shows only where a detour counts, in the crotch.
    off = difference(a, b, 5)
    assert off.mean() < 0.005
    assert np.quantile(off, 0.99) < 0.05


@pytest.mark.parametrize("scale", [100.0, 0.001])
def test_units_do_not_matter(hand, scale):
    character = body(*hand)
    a = automatic_weights(character, resolution=48)
    b = automatic_weights(moved(character, np.eye(3), scale=scale), resolution=48)
    assert difference(a, b, len(character.skeleton)).max() < 1e-6


def test_copies_of_a_vertex_get_the_same_weights(hand):
    points, triangles, skeleton = hand
    welded = automatic_weights(Character(points, triangles, skeleton), resolution=48)
    loose = Character(points[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3), skeleton)
    split = automatic_weights(loose, resolution=48)
    np.testing.assert_allclose(split.dense(14), welded.dense(14)[triangles.reshape(-1)], atol=1e-9)


def test_a_body_inside_out_gets_the_same_weights(legs):
    points, triangles, skeleton = legs
    a = automatic_weights(Character(points, triangles, skeleton), resolution=48)
    b = automatic_weights(Character(points, triangles[:, ::-1], skeleton), resolution=48)
    assert difference(a, b, 5).max() < 1e-9


def test_the_character_is_not_changed(straight):
    before = straight.points.copy()
    automatic_weights(straight, resolution=32)
    np.testing.assert_array_equal(straight.points, before)
    assert straight.weights is None


# Odd skeletons and loose pieces


def test_loose_shells_follow_the_nearest_skin(straight):
    button = tube([0.2, 0.8, 0], [0.21, 0.8, 0], 0.02, rings=3, sides=8)
    points, triangles = together((straight.points, straight.triangles), button)
    weights = automatic_weights(Character(points, triangles, straight.skeleton), resolution=64)
    np.testing.assert_allclose(weights.dense(2)[len(straight.points) :, 1], 1.0, atol=1e-9)


def test_an_eye_inside_the_flesh_moves_with_it(straight):
    eye = tube([0.0, 0.7, 0.0], [0.0, 0.8, 0.0], 0.05, rings=4, sides=8)
    points, triangles = together((straight.points, straight.triangles), eye)
    weights = automatic_weights(Character(points, triangles, straight.skeleton), resolution=64)
    assert weights.dense(2)[len(straight.points) :, 1].min() > 0.99


def test_roots_on_the_floor_and_joints_without_length_own_nothing(straight):
    names = ["floor", "low", "helper", "high", "tip"]
    heads = [[3, -1, 0], [0, -1, 0], [0, 0, 0], [0, 0, 0], [0, 0.9, 0]]
    skeleton = Skeleton.from_heads(names, [-1, 0, 1, 2, 3], heads)
    for method in ("geodesic", "nearest-bone"):
        weights = automatic_weights(straight.replace(skeleton=skeleton), method=method, resolution=48)
        full = weights.dense(5)
        assert full[:, [0, 2]].max() == 0.0
        assert full[:, [1, 3]].max(axis=0).min() > 0.9


@pytest.mark.parametrize("method", ["geodesic", "nearest-bone"])
def test_one_joint_moves_everything(straight, method):
    lone = straight.replace(skeleton=Skeleton.from_heads(["root"], [-1], [[0, 0, 0]]))
    np.testing.assert_array_equal(automatic_weights(lone, method=method, resolution=32).dense(1), 1.0)


def test_a_bone_far_outside_is_tied_to_the_nearest_flesh_with_a_warning(straight):
    heads, tails = [[0, -1, 0], [0.6, 0.5, 0]], [[0, 0, 0], [0.6, 0.9, 0]]
    astray = straight.replace(skeleton=Skeleton.from_heads(["low", "high"], [-1, 0], heads, tails=tails))
    with pytest.warns(SuppleWarning, match="high"):
        weights = automatic_weights(astray, resolution=48)
    high = weights.dense(2)[:, 1]
    assert high[(straight.points[:, 1] > 0.8) & (straight.points[:, 0] > 0.0)].min() > 0.5
    assert high[straight.points[:, 1] < -0.2].max() < 0.05


def test_a_bone_inside_gives_no_warning(straight):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        automatic_weights(straight, resolution=32)


def test_an_open_sheet_gets_weights(straight):
    x, z = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-0.3, 0.3, 7), indexing="ij")
    points = np.stack([x.ravel(), 0.02 * np.cos(x.ravel()), z.ravel()], axis=1)
    i = np.arange(20 * 6).reshape(20, 6) + np.arange(20)[:, None]
    corners = np.stack([i, i + 1, i + 8, i + 7], axis=-1).reshape(-1, 4)
    triangles = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    skeleton = Skeleton.from_heads(["a", "b"], [-1, 0], [[-1, 0, 0], [0, 0, 0]], tails=[[0, 0, 0], [1, 0, 0]])
    full = automatic_weights(Character(points, triangles, skeleton), resolution=32).dense(2)
    assert full[points[:, 0] < -0.6, 0].min() > 0.9
    assert full[points[:, 0] > 0.6, 1].min() > 0.9


# The nearest-bone rule, by hand


def rule(points):
    """Bones along x: 0 to 1 (joint 0), 1 to 2 (joint 1), and a branch at 1 along y (joint 2)."""
    starts = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 0]])
    ends = np.array([[1.0, 0, 0], [2, 0, 0], [1, 1, 0]])
    bones = Bones(np.array([0, 1, 2], dtype=np.int32), starts, ends)
    return nearest_bone_weights(np.array(points, dtype=float), bones).dense(3)


@pytest.mark.parametrize(
    ("point", "shares"),
    [
        ((0.5, -0.1, 0), (1, 0, 0)),  # middle
        ((1 / 6 + 1e-9, -0.1, 0), (1, 0, 0)),  # just inside the rigid part
        ((5 / 6 - 1e-9, -0.1, 0), (1, 0, 0)),
        ((5 / 6 + 1e-6, -0.1, 0), (1 / 3, 1 / 3, 1 / 3)),  # far end: three bones meet
        ((0.1, -0.1, 0), (1, 0, 0)),  # near end: nothing else meets there
        ((-0.4, 0, 0), (1, 0, 0)),  # before the start
        ((1.1, -0.2, 0), (1 / 3, 1 / 3, 1 / 3)),  # start of the second bone
        ((1.5, -0.2, 0), (0, 1, 0)),
        ((2.3, 0, 0), (0, 1, 0)),  # past a free end
        ((1.0, 0.5, 0), (0, 0, 1)),
        ((1.0, 0.1, 0.05), (1 / 3, 1 / 3, 1 / 3)),
    ],
)
def test_nearest_bone_by_hand(point, shares):
    np.testing.assert_allclose(rule([point])[0], shares, atol=1e-12)


def test_nearest_bone_shares_among_three_at_most():
    angles = np.arange(5) * 2 * np.pi / 5
    ends = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    bones = Bones(np.arange(5, dtype=np.int32), np.zeros((5, 3)), ends)
    full = nearest_bone_weights(np.array([[0.05, 0.0, 0.0], [0.5, 0.0, 0.0]]), bones).dense(5)
    np.testing.assert_allclose(full[0], [1 / 3, 1 / 3, 0, 0, 1 / 3], atol=1e-12)  # itself and the two beside it
    np.testing.assert_allclose(full[1], [1, 0, 0, 0, 0])


def test_bones_of_one_joint_share_once():
    ends = np.array([[1.0, 0, 0], [-1, 0.1, 0], [0, 1, 0]])
    bones = Bones(np.array([0, 0, 1], dtype=np.int32), np.zeros((3, 3)), ends)
    np.testing.assert_allclose(nearest_bone_weights(np.array([[0.1, -0.05, 0]]), bones).dense(2)[0], [0.5, 0.5])


def test_a_bone_without_length_is_rigid():
    bones = Bones(
        np.array([0, 1], dtype=np.int32), np.array([[0.0, 0, 0], [3, 0, 0]]), np.array([[1.0, 0, 0], [3, 0, 0]])
    )
    np.testing.assert_allclose(nearest_bone_weights(np.array([[3.1, 0, 0], [2.8, 1, 0]]), bones).dense(2)[:, 1], 1.0)


def test_segments_know_nearest_point_and_place():
    points = np.array([[0.5, 1, 0], [-1, 0, 0], [3, 0, 4]])
    distance, along = distances_to_segments(points, np.zeros((2, 3)), np.array([[2.0, 0, 0], [0, 0, 0]]))
    np.testing.assert_allclose(distance[:, 0], [1, 1, np.sqrt(17)])
    np.testing.assert_allclose(along[:, 0], [0.25, -0.5, 1.5])
    np.testing.assert_allclose(distance[:, 1], np.linalg.norm(points, axis=1))
    np.testing.assert_array_equal(along[:, 1], 0.0)


# What does not fit


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ({"method": "magic"}, "method is 'magic'"),
        ({"influences": 0}, "influences is 0"),
        ({"influences": True}, "influences is True"),
        ({"influences": 2.5}, "influences is 2.5"),
        ({"resolution": 4}, "resolution is 4"),
        ({"resolution": 100000}, "resolution is 100000"),
    ],
)
def test_options_that_do_not_fit_are_named(straight, options, given):
    with pytest.raises(InputError) as caught:
        automatic_weights(straight, **options)
    assert caught.value.given == given
    assert caught.value.where == "automatic_weights"
