"""The plain skins: laws that hold for all of them, other programs' answers, and slow readable oracles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from conftest import make_tube
from oracles import blends
from supple import Pose, Weights
from supple.character.builtin import CHARACTERS
from supple.device import use_threads
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.segments import distances_to_segments
from supple.geometry.topology import neighbors
from supple.skins.kinematic.centers import centers_of_rotation
from supple.skins.kinematic.shrinkage_guard import limit_strengths

SKINS = [supple.LinearBlend(), supple.DualQuaternion(), supple.RotationCenters(), supple.DeltaMush()]
BLENDS = [skin for skin in SKINS if not isinstance(skin, supple.DeltaMush)]
_TUBE = make_tube(bones=6)
seeds = st.integers(0, 2**32 - 1)


def random_pose(skeleton, seed, *, angle=1.0, scale=0.0, move=0.0):
    """Turn every joint by a random angle about a random axis; stretch and shift it too when asked."""
    rng = np.random.default_rng(seed)
    count = len(skeleton)
    local = skeleton.parent_from_joint.copy()
    rotations = quaternions.quat_from_axis_angle(rng.normal(size=(count, 3)), rng.uniform(-angle, angle, count))
    local[:, :3, :3] = local[:, :3, :3] @ quaternions.matrix_from_quat(rotations)
    local[:, :3, :3] *= np.exp(rng.uniform(-scale, scale, (count, 1, 3)))
    local[:, :3, 3] += rng.uniform(-move, move, (count, 3))
    return Pose(skeleton.world_from_locals(local))


def random_rigid(seed):
    rng = np.random.default_rng(seed)
    return quaternions.compose(rng.uniform(-2.0, 2.0, 3), quaternions.normalize(rng.normal(size=4)))


def moved(points, transform):
    return points @ transform[:3, :3].T + transform[:3, 3]


@pytest.mark.parametrize("skin", SKINS, ids=lambda s: s.command_name)
def test_rest_in_rest_out(skin, bent_tube):
    posed = supple.player(bent_tube, skin).advance(Pose.rest(bent_tube.skeleton))
    assert np.abs(posed - bent_tube.points).max() < 1e-6


@pytest.mark.parametrize("skin", SKINS, ids=lambda s: s.command_name)
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_rigid_motion_in_rigid_motion_out(skin, seed):
    character = _TUBE
    player = supple.player(character, skin)
    pose, carry = random_pose(character.skeleton, seed), random_rigid(seed + 1)
    here = player.advance(pose)
    there = player.advance(pose.moved(carry))
    assert np.abs(there - moved(here.astype(np.float64), carry)).max() < 1e-5


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_linear_blend_equals_its_sum(seed):
    pose = random_pose(_TUBE.skeleton, seed, angle=3.0, scale=0.3, move=0.2)
    transforms = pose.skinning(_TUBE.skeleton)
    expected = blends.linear_blend(_TUBE.points, _TUBE.weights.dense(6), transforms)
    assert np.abs(supple.linear_blend(_TUBE.points, _TUBE.weights, transforms) - expected).max() < 1e-5


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_dual_quaternion_equals_the_oracle_with_stretch_and_large_turns(seed):
    pose = random_pose(_TUBE.skeleton, seed, angle=2.5, scale=0.3, move=0.2)
    transforms = pose.skinning(_TUBE.skeleton)
    some = np.arange(0, len(_TUBE.points), 7)
    weights = Weights(_TUBE.weights.joints[some], _TUBE.weights.values[some])
    expected = blends.dual_quaternion(_TUBE.points[some], weights.dense(6), transforms)
    ours = supple.dual_quaternion(_TUBE.points[some], weights, transforms)
    # Where the blended quaternion nearly vanishes, its direction is decided by rounding: leave those vertices out.
    assert np.abs(ours - expected)[_well_blended(weights.dense(6), transforms)].max(initial=0.0) < 2e-4


def _well_blended(dense, transforms):
    reals = np.stack([blends.quaternion(blends.polar(m[:3, :3])[0]) for m in transforms])
    signs = np.sign(reals[np.argmax(dense, axis=1)] @ reals.T)
    signs[signs == 0.0] = 1.0
    pivots = np.abs(reals[np.argmax(dense, axis=1)] @ reals.T)
    clear = np.where(dense > 1e-3, pivots, 1.0).min(axis=1) > 1e-2  # no influence straight across the pivot
    return clear & (np.linalg.norm((signs * dense) @ reals, axis=1) > 0.1)


def test_antipodal_quaternions_do_not_cancel():
    """Turning a joint on by a full turn changes its quaternion's sign and nothing else."""
    points = np.array([[0.1, 0.0, 0.0], [0.0, 0.3, 0.1]])
    weights = Weights(np.array([[0, 1], [0, 1]]), np.array([[0.5, 0.5], [0.6, 0.4]]))
    for rotation in np.linspace(-3.0 * np.pi, 3.0 * np.pi, 41):
        transforms = np.tile(np.eye(4), (2, 1, 1))
        transforms[1] = quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle([0.3, 1.0, 0.2], rotation))
        if abs(np.cos(rotation / 2.0)) < 1e-6:
            continue  # exactly half a turn: both ways round are equally right
        posed = supple.dual_quaternion(points, weights, transforms)
        assert np.allclose(np.linalg.norm(posed, axis=1), np.linalg.norm(points, axis=1), atol=1e-6)


def test_signs_are_found_where_no_single_sign_per_joint_will_do():
    """Three quaternions a third of a turn apart oppose each other in a ring, and the blend still holds."""
    rotations = [0.0, 4.0 * np.pi / 3.0, 8.0 * np.pi / 3.0]
    transforms = quaternions.compose(
        np.zeros((3, 3)), quaternions.quat_from_axis_angle(np.tile([0.0, 0.0, 1.0], (3, 1)), rotations)
    )
    rng = np.random.default_rng(3)
    order = np.argsort(rng.random((30, 3)), axis=1)
    weights = Weights(order, np.tile([0.5, 0.3, 0.2], (30, 1)))
    points = rng.normal(size=(30, 3))
    expected = blends.dual_quaternion(points, weights.dense(3), transforms)
    assert np.abs(supple.dual_quaternion(points, weights, transforms) - expected).max() < 1e-5


def test_linear_blend_equals_the_published_cylinder(data_file):
    truth = np.load(data_file("truth/linear_blend_cylinder.npz"))
    weights = Weights.from_dense(truth["W"])
    for rows, posed in zip(truth["T"], truth["posed"], strict=True):
        transforms = np.tile(np.eye(4), (len(rows), 1, 1))
        transforms[:, :3, :] = np.swapaxes(rows, 1, 2)  # the file acts on row vectors
        assert np.abs(supple.linear_blend(truth["rest"], weights, transforms) - posed).max() < 1e-5


def test_dual_quaternion_equals_maya(data_file):
    truth = np.load(data_file("truth/maya_dual_quaternion.npz"))
    posed = supple.dual_quaternion(truth["rest"], Weights.from_dense(truth["W"]), truth["M_0"])
    assert np.abs(posed - truth["ref_0"]).max() < 1e-5


@pytest.mark.parametrize("width", [0.05, 0.1, 0.3])
def test_centers_equal_the_sum_over_all_triangles(width, bent_tube):
    expected = blends.centers_of_rotation(bent_tube.points, bent_tube.triangles, bent_tube.weights.dense(6), width)
    # Tied rows (a vertex of one influence) have no pair and stay where they are in both.
    coarse = centers_of_rotation(bent_tube.points, bent_tube.triangles, bent_tube.weights, width=width)
    exact = centers_of_rotation(bent_tube.points, bent_tube.triangles, bent_tube.weights, width=width, bins=1_000_000)
    assert np.abs(exact - expected).max() < 1e-9
    assert np.abs(coarse - expected).max() < 2e-3  # of a tube of radius 0.25: what the bins cost


def test_centers_of_a_ring_lie_on_the_axis(tube):
    centers = centers_of_rotation(tube.points, tube.triangles, tube.weights)
    near_joint = np.abs(tube.points[:, 1] - 1.0) < 0.3
    assert np.abs(centers[near_joint][:, [0, 2]]).max() < 0.01


def test_single_influence_is_its_own_center():
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    weights = Weights(np.zeros((3, 1), dtype=int), np.ones((3, 1)))
    assert np.array_equal(centers_of_rotation(points, [[0, 1, 2]], weights), points)


@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_rotation_centers_equal_their_formula(seed):
    pose = random_pose(_TUBE.skeleton, seed, angle=1.2, move=0.1)
    transforms = pose.skinning(_TUBE.skeleton)
    dense = _TUBE.weights.dense(6)
    centers = centers_of_rotation(_TUBE.points, _TUBE.triangles, _TUBE.weights)
    around = blends.dual_quaternion(_TUBE.points - centers, dense, np.stack([_turn_only(m) for m in transforms]))
    expected = around + blends.linear_blend(centers, dense, transforms)
    ours = supple.rotation_centers(_TUBE.points, _TUBE.weights, transforms, centers=centers)
    assert np.abs(ours - expected)[_well_blended(dense, transforms)].max() < 2e-5


def _turn_only(transform):
    rotation = transform.copy()
    rotation[:3, 3] = 0.0
    return rotation


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_delta_mush_equals_the_oracle(closed):
    character = make_tube(rings=9, sectors=7, bones=3, closed=closed)
    pose = random_pose(character.skeleton, 5)
    posed = supple.linear_blend(character.points, character.weights, pose.skinning(character.skeleton))
    rest, faces = character.points, character.triangles
    expected = blends.delta_mush(rest, faces, posed.astype(np.float64), 6, 0.5)
    ours = supple.delta_mush(rest, faces, posed, iterations=6, strength=0.5, guard=False)
    assert np.abs(ours - expected).max() < 1e-5
    still = supple.delta_mush(rest, faces, rest, iterations=6, strength=0.5)
    assert np.abs(still - rest).max() < 1e-6


def test_thin_parts_do_not_melt():
    """Unguarded, ten rounds shrink the tips of the octopus to nothing; guarded, the rest shape keeps its triangles."""
    octopus = supple.character("octopus", vertices=2000)

    def least_area(strengths):
        smoothed = _smoothed(octopus.points, octopus.triangles, 10, strengths)
        return (_areas(smoothed, octopus.triangles) / _areas(octopus.points, octopus.triangles)).min()

    plain = np.full(len(octopus.points), 0.5)
    guarded = limit_strengths(octopus.points, octopus.triangles, 10, plain)
    assert (guarded <= plain).all()
    hero = supple.character("hero", vertices=5000)
    told = np.full(len(hero.points), 0.5)
    assert np.median(limit_strengths(hero.points, hero.triangles, 10, told)) == 0.5  # most of a body is left alone
    assert least_area(plain) < 0.02
    assert least_area(guarded) > 0.15


def _smoothed(points, triangles, iterations, strengths):
    around = neighbors(triangles, len(points))
    for _ in range(iterations):
        sums = np.add.reduceat(points[around.indices], around.starts[:-1], axis=0)
        points = points + strengths[:, None] * (sums / np.diff(around.starts)[:, None] - points)
    return points


def _areas(points, triangles):
    corners = points[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return np.bincount(triangles.ravel(), weights=np.repeat(area, 3), minlength=len(points))


@pytest.mark.parametrize("skin", SKINS, ids=lambda s: s.command_name)
def test_the_number_of_threads_changes_no_bit(skin):
    character = make_tube(rings=200, sectors=60, bones=6)
    pose = random_pose(character.skeleton, 11)
    results = []
    for count in (1, 2, 5):
        with use_threads(count):
            results.append(supple.player(character, skin).advance(pose))
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize("influences", [1, 3, 4, 5, 9])
def test_any_number_of_influences(influences):
    rng = np.random.default_rng(influences)
    points = rng.normal(size=(50, 3))
    dense = np.zeros((50, 12))
    for row in dense:
        row[rng.choice(12, influences, replace=False)] = rng.uniform(0.1, 1.0, influences)
    dense /= dense.sum(axis=1, keepdims=True)
    transforms = np.stack([random_rigid(j) for j in range(12)])
    ours = supple.linear_blend(points, Weights.from_dense(dense), transforms)
    assert np.abs(ours - blends.linear_blend(points, dense, transforms)).max() < 1e-5


@pytest.mark.parametrize("skin", BLENDS, ids=lambda s: s.command_name)
def test_stretching_a_whole_character_stretches_it(skin, bent_tube):
    """A uniform scale of the root scales everything; a skin that forgot stretch would not grow."""
    transform = np.diag([1.5, 1.5, 1.5, 1.0])
    posed = supple.player(bent_tube, skin).advance(Pose.rest(bent_tube.skeleton).moved(transform))
    assert np.abs(posed - 1.5 * bent_tube.points).max() < 1e-5


def test_plain_functions_refuse_what_does_not_fit():
    points = np.zeros((2, 3))
    weights = Weights(np.array([[0], [1]]), np.ones((2, 1)))
    two = np.tile(np.eye(4), (2, 1, 1))
    for call in (supple.linear_blend, supple.dual_quaternion):
        assert np.array_equal(call(points, weights, two), points)
        with pytest.raises(InputError, match="rows of weights"):
            call(np.zeros((3, 3)), weights, two)
        with pytest.raises(InputError, match="name joint 1"):
            call(points, weights, two[:1])
        with pytest.raises(InputError, match="not finite"):
            call(np.full((2, 3), np.nan), weights, two)
    with pytest.raises(InputError, match="centers has shape"):
        supple.rotation_centers(points, weights, two, centers=np.zeros((3, 3)))
    with pytest.raises(InputError, match="posed_points has shape"):
        supple.delta_mush(points, np.zeros((0, 3), dtype=int), np.zeros((3, 3)))


def test_skins_say_when_there_are_no_weights(tube):
    bare = tube.replace(weights=None)
    for skin in BLENDS:
        with pytest.raises(InputError, match=r"no skin weights.*automatic_weights"):
            supple.player(bare, skin)


@pytest.fixture(scope="module")
def extremes():
    """Least and largest radius of a tube against rest, twisted by 180 degrees and bent by 135, for every skin."""
    character = supple.character("tube", vertices=4000, bones=2)
    bones = character.skeleton.bones

    def radius(points, pose):
        carried = pose.skinning(character.skeleton)[bones.joints]
        starts, ends = (moved_each(ends, carried) for ends in (bones.starts, bones.ends))
        return distances_to_segments(points, starts, ends)[0].min(axis=1)

    rest = radius(character.points, Pose.rest(character.skeleton))
    side = rest > 0.95 * np.median(rest)
    found = {}
    for kind, angle in (("twist", np.pi), ("bend", np.radians(135.0))):
        motion = supple.motion(kind, character, angle=angle, hold=True)
        for skin in SKINS:
            points = supple.player(character, skin).play(motion, motion.duration)
            share = radius(points, motion.sample(motion.duration))[side] / rest[side]
            found[kind, skin.command_name] = share.min(), share.max()
    return found


def moved_each(points, transforms):
    return np.einsum("bij,bj->bi", transforms[:, :3, :3], points) + transforms[:, :3, 3]


def test_linear_blend_collapses_in_a_twist_and_the_others_do_not(extremes):
    assert extremes["twist", "linear"][0] < 0.05
    assert extremes["twist", "dual-quaternion"][0] > 0.98
    assert extremes["twist", "rotation-centers"][0] > 0.98
    assert extremes["twist", "delta-mush"][0] > 0.7


def test_dual_quaternions_bulge_in_a_bend_and_the_others_less(extremes):
    assert extremes["bend", "dual-quaternion"][1] > 1.08
    assert extremes["bend", "rotation-centers"][1] < 1.05
    assert extremes["bend", "delta-mush"][1] < extremes["bend", "dual-quaternion"][1] - 0.02


@pytest.fixture(scope="module", params=list(CHARACTERS))
def built_in(request):
    return supple.character(request.param, vertices=2000)


@pytest.mark.parametrize("skin", SKINS, ids=lambda s: s.command_name)
def test_laws_hold_on_every_built_in_character(skin, built_in):
    """Rest in, rest out; and a rigid motion of any pose is a rigid motion of the skin."""
    player = supple.player(built_in, skin)
    assert np.abs(player.advance(Pose.rest(built_in.skeleton)) - built_in.points).max() < 1e-6 * built_in.size.max()

    @settings(max_examples=8, deadline=None)
    @given(seed=seeds)
    def rigid(seed):
        pose, carry = random_pose(built_in.skeleton, seed, angle=0.7), random_rigid(seed + 1)
        here, there = player.advance(pose), player.advance(pose.moved(carry))
        assert np.abs(there - moved(here.astype(np.float64), carry)).max() < 1e-5

    rigid()


# Changed while it plays


LONG = 60.0  # s: until what was shown before a change has faded


@pytest.mark.parametrize("changes", [{"iterations": 4}, {"iterations": 15}, {"strength": 0.2}, {"guard": False}])
def test_delta_mush_changed_is_delta_mush_made_so(changes):
    """To the bit: it ends as the one that had these settings from the start, and as the old one afterwards."""
    octopus = supple.character("octopus", vertices=2000)
    pose = random_pose(octopus.skeleton, 3, angle=0.5)
    player, so = supple.player(octopus, supple.DeltaMush()), supple.player(octopus, supple.DeltaMush(**changes))
    before = player.advance(pose)
    player.change(**changes)
    player.advance(pose, LONG)
    np.testing.assert_array_equal(player.advance(pose), so.advance(pose))
    assert np.abs(player.advance(pose) - before).max() > 1e-4
    player.change(iterations=10, strength=0.5, guard=True)
    player.advance(pose, LONG)
    np.testing.assert_array_equal(player.advance(pose), before)


@pytest.mark.parametrize("skin", SKINS)
def test_other_shapes_are_those_of_a_new_player(skin):
    """To the bit, also where the pose asked for the shape before there was one, and where another takes its name."""
    hero = supple.character("hero", vertices=2000)
    raised = {"raised": np.outer(hero.points[:, 1] > 1.0, [0.0, 0.0, 0.05])}
    lowered = {"raised": -raised["raised"]}
    pose = Pose(random_pose(hero.skeleton, 3).world_from_joint, shapes={"raised": 0.7})
    player = supple.player(hero, skin)
    plain = player.advance(pose)
    for shapes in (raised, lowered, {}):
        reshaped = hero.replace(shapes=shapes)
        player.reshape(reshaped)
        np.testing.assert_array_equal(player.advance(pose), supple.player(reshaped, skin).advance(pose))
    np.testing.assert_array_equal(player.advance(pose), plain)
