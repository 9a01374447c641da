"""The skins of curves: rest, rigid motion, examples, continuity, order, threads, and coming to rest."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import CurveDynamics, CurveNetwork, Pose
from supple.device import use_threads
from supple.errors import InputError
from supple.geometry.quaternions import compose, quat_from_axis_angle
from supple.skins.curves import SkinExamples, fit_curves
from supple.skins.curves.beam.batch import StaticCurves, static_curves
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.learn.drivers import center_homes, find_drivers
from supple.skins.curves.learn.radial_space import RadialSpace, RadialSpaces, joint_rotations
from supple.skins.examples import HostSkin

NAMES = ("bone1", "bone2")


def bent(character, *rotations: tuple[float, float]) -> Pose:
    """Bones bent about z and twisted about y, one pair for each bone after the first."""
    about = {
        name: supple.geometry.quaternions.quat_multiply(
            quat_from_axis_angle([0, 0, 1], bend), quat_from_axis_angle([0, 1, 0], twist)
        )
        for name, (bend, twist) in zip(NAMES, rotations, strict=False)
    }
    return Pose.from_rotations(character.skeleton, about)


def bulged(character, pose: Pose, amount: float) -> np.ndarray:
    """A smooth bulge on one side of the tube, as seen at rest."""
    x, y = character.points[:, 0], character.points[:, 1]
    return amount * np.exp(-(((y - 1.0) / 0.4) ** 2))[:, None] * np.stack([np.clip(x, 0, None), 0 * x, 0 * x], axis=1)


@pytest.fixture(scope="module")
def limb():
    return make_tube(rings=41, sectors=16, bones=3)


@pytest.fixture(scope="module")
def poses(limb):
    return [
        bent(limb, rotations, (0.3 * rotations[1], 0.0))
        for rotations in ((0.9, 0.0), (-0.7, 0.3), (0.2, 1.0), (0.5, -0.9))
    ]


@pytest.fixture(scope="module")
def model(limb, poses):
    offsets = [bulged(limb, pose, amount) for pose, amount in zip(poses, (0.5, 0.9, -0.4, 0.7), strict=True)]
    return fit_curves(limb, SkinExamples.sculpted(limb, poses, np.array(offsets)))


def skins(model):
    return [
        CurveNetwork(trained=model),
        CurveNetwork(teacher="rotation-centers", base="linear"),
        CurveDynamics(trained=model),
    ]


@pytest.mark.parametrize("number", range(3))
def test_rest_in_rest_out(limb, model, number):
    player = supple.player(limb, skins(model)[number])
    assert np.abs(player.advance(Pose.rest(limb.skeleton)) - limb.points).max() < 1e-6


@pytest.mark.parametrize("number", range(3))
def test_a_rigid_motion_of_the_pose_is_one_of_the_skin(limb, model, poses, number):
    skin = skins(model)[number]
    carry = compose([0.4, -0.2, 0.9], quat_from_axis_angle([1.0, 2.0, 0.5], 1.1))
    here = supple.player(limb, skin).advance(poses[1])
    there = supple.player(limb, skin).advance(poses[1].moved(carry))
    assert np.abs(here - limb.points).max() > 0.1
    assert np.abs(here @ carry[:3, :3].T + carry[:3, 3] - there).max() < 3e-6


def test_a_trained_skin_differs_from_the_one_below_and_meets_its_examples(limb, model, poses):
    player, below = supple.player(limb, CurveNetwork(trained=model)), HostSkin(supple.DualQuaternion(), limb)
    for pose, amount in zip(poses, (0.5, 0.9, -0.4, 0.7), strict=True):
        wanted = SkinExamples.sculpted(limb, [pose], [bulged(limb, pose, amount)]).points[0]
        off = np.linalg.norm(player.advance(pose) - wanted, axis=1).max()
        assert off < 0.02 * np.linalg.norm(below(pose) - wanted, axis=1).max()


def test_no_beam_is_solved_because_it_would_change_nothing(limb, model, poses):
    """Beams under the blended loads of all examples, on the device, against what the skin blends."""
    binding = CurveNetwork(trained=model).bind(limb, "cpu")
    state = CurveNetwork(trained=model).allocate(binding)
    curves = StaticCurves(binding.beams, binding.constants)
    for position, pose in enumerate([Pose.rest(limb.skeleton), *poses, bent_half(poses)]):
        weights = binding.interpolator.weights(joint_rotations(pose, limb.skeleton))
        solved = curves.solve(weights[None]).numpy()
        state.curves.solve(weights[None])
        np.testing.assert_allclose(solved, binding.blended(weights), atol=1e-10 * limb.height)
        np.testing.assert_allclose(state.mesh.nodes.numpy(), solved, atol=1e-6 * limb.height)
        start = 0
        for part in model.parts if position <= len(poses) else ():
            example = int(np.flatnonzero(part.frames == position - 1)[0])
            stop = start + part.curves * part.nodes
            assert np.abs(solved[start:stop] - part.offsets[example].reshape(-1, 3)).max() < 1e-10 * limb.height
            start = stop


def bent_half(poses):
    """A pose that is no example."""
    return Pose(0.5 * (poses[0].world_from_joint + poses[1].world_from_joint))


def test_all_parts_at_once_have_the_weights_of_each_alone():
    spaces = [RadialSpace(np.random.default_rng(n).standard_normal((3 + n, 2 + n % 2))) for n in range(4)]
    spaces.append(RadialSpace(np.zeros((1, 2))))
    together = RadialSpaces(spaces)
    positions = 2.0 * np.random.default_rng(9).standard_normal((20, 5, 3))
    for position in positions:
        found = together.weights(position)
        for number, space in enumerate(spaces):
            examples, dimensions = space.positions.shape
            assert np.allclose(found[number, :examples], space.weights(position[number, :dimensions]), atol=1e-11)
            assert not found[number, examples:].any()
    with pytest.raises(InputError, match="blended alike"):
        RadialSpaces([spaces[0], RadialSpace(spaces[0].positions, "straight")])


def test_small_changes_of_the_pose_are_small_changes_of_the_skin(limb, model):
    player = supple.player(limb, CurveNetwork(trained=model))
    bends = np.linspace(-1.2, 1.4, 261)  # through examples, between them and past them
    shapes = np.stack([player.advance(bent(limb, (bend, 0.6 * bend), (0.2 * bend, 0.0))) for bend in bends])
    steps = np.abs(np.diff(shapes, axis=0)).max(axis=(1, 2))
    assert steps.max() < 4.0 * (bends[1] - bends[0])  # a bone end moves by 1.4 for a turn by one
    jolts = np.abs(np.diff(shapes, 2, axis=0)).max(axis=(1, 2))
    assert jolts.max() < 0.15 * steps.max()


def test_it_can_be_scrubbed_in_any_order(limb, model, poses):
    player = supple.player(limb, CurveNetwork(trained=model))
    forth = [player.advance(pose) for pose in poses]
    back = [player.advance(pose) for pose in reversed(poses)][::-1]
    assert all(np.array_equal(one, other) for one, other in zip(forth, back, strict=True))


@pytest.mark.parametrize("number", [0, 2])
def test_threads_do_not_change_a_bit(model, limb, poses, number, monkeypatch):
    monkeypatch.setattr(supple.device, "SMALLEST_RANGE", 64)
    found = []
    for count in (1, 3):
        with use_threads(count):
            player = supple.player(limb, skins(model)[number])
            found.append([player.advance(pose) for pose in poses])
    assert np.array_equal(found[0], found[1])


def test_turns_past_half_a_turn_go_on_where_examples_do(limb):
    rotations = np.linspace(0.0, 1.4 * np.pi, 15)
    poses = [bent(limb, (0.0, rotation)) for rotation in rotations]
    drivers = find_drivers(limb)
    at_rest = [drivers.rotation_vectors(joint_rotations(pose, limb.skeleton))[0, 1] for pose in poses]
    at_home = center_homes(drivers, poses, limb.skeleton)
    found = [at_home.rotation_vectors(joint_rotations(pose, limb.skeleton))[0, 1] for pose in poses]
    assert np.abs(np.diff(at_rest)).max() > np.pi  # away from home it jumps
    assert np.allclose(found, rotations, atol=1e-9)


def test_joints_that_carry_the_whole_body_do_not_drive(limb):
    drivers = find_drivers(limb)
    assert [limb.skeleton.names[joint] for joint in drivers.joints] == ["bone1", "bone2"]
    whole = Pose.from_rotations(limb.skeleton, {"bone0": quat_from_axis_angle([1.0, 0.0, 0.0], 1.0)})
    assert np.abs(drivers.rotation_vectors(joint_rotations(whole, limb.skeleton))).max() < 1e-12


def test_it_teaches_itself_and_does_as_its_teacher_where_it_was_taught(limb):
    taught = supple.player(limb, CurveNetwork(teacher="delta-mush", base="linear", detail=4.0))
    teacher, below = HostSkin(supple.DeltaMush(), limb), HostSkin(supple.LinearBlend(), limb)

    def share_left(pose: Pose) -> float:
        off, open_ = (np.sqrt(np.mean((x - teacher(pose)) ** 2)) for x in (taught.advance(pose), below(pose)))
        return off / open_

    quarter, twist = np.pi / 2.0, np.radians(70.0)
    assert max(share_left(bent(limb, rotation)) for rotation in ((quarter, 0.0), (-quarter, 0.0), (0.0, twist))) < 0.1
    between = [
        ((0.8, 0.2), (0.4, 0.0)),
        ((0.3, -0.6), (0.4, 0.0)),
        ((-0.7, 0.5), (0.4, 0.0)),
        ((0.5, 0.0), (-0.5, 0.3)),
    ]
    assert max(share_left(bent(limb, *rotations)) for rotations in between) < 0.75


def test_one_bone_has_nothing_to_bend(limb):
    alone = make_tube(rings=9, sectors=8, bones=1)
    assert np.abs(supple.player(alone, CurveNetwork()).advance(Pose.rest(alone.skeleton)) - alone.points).max() < 1e-6


# In time


def test_held_in_a_pose_the_swing_ends_where_the_static_curves_are(limb, model, poses):
    still = supple.player(limb, CurveNetwork(trained=model)).advance(poses[1])
    player = supple.player(limb, CurveDynamics(trained=model, damping=0.3))
    player.advance(poses[0])
    gaps = [np.abs(player.advance(poses[1], 0.05) - still).max() for _ in range(60)]
    assert gaps[0] > 1e-3
    assert gaps[-1] < 2e-6


def test_a_light_swing_runs_past_its_shape_and_a_heavy_one_does_not(limb, model, poses):
    below = HostSkin(supple.DualQuaternion(), limb)(poses[1])
    still = supple.player(limb, CurveNetwork(trained=model)).advance(poses[1]) - below
    most = {}
    for damping in (0.05, 4.0):
        player = supple.player(limb, CurveDynamics(trained=model, damping=damping, frequency=2.0, step=1 / 240))
        player.advance(Pose.rest(limb.skeleton))
        seen = [player.advance(poses[1], 0.02) - below for _ in range(60)]
        along = [np.sum(one * still) / np.sum(still * still) for one in seen[1:]]
        most[damping] = max(along)
    assert most[0.05] > 1.1
    assert most[4.0] < 1.01


def test_a_pose_from_which_it_starts_is_held_still(limb, model, poses):
    player = supple.player(limb, CurveDynamics(trained=model))
    first = player.advance(poses[2])
    assert np.abs(supple.player(limb, CurveNetwork(trained=model)).advance(poses[2]) - first).max() < 1e-6
    assert max(np.abs(player.advance(poses[2]) - first).max() for _ in range(5)) < 1e-6


def test_a_swing_is_taken_up_from_a_snapshot(limb, model, poses):
    whole = supple.player(limb, CurveDynamics(trained=model))
    for pose in poses[:2]:
        whole.advance(pose)
    kept = whole.snapshot()
    wanted = [whole.advance(pose) for pose in poses[2:]]
    other = supple.player(limb, CurveDynamics(trained=model))
    other.restore(kept)
    assert np.array_equal(wanted, [other.advance(pose) for pose in poses[2:]])


# What is refused


def test_a_model_for_another_character_is_refused(limb, model):
    finer = make_tube(rings=43, sectors=16, bones=3)
    with pytest.raises(InputError, match=f"for {len(limb.points)} vertices"):
        supple.player(finer, CurveNetwork(trained=model))
    moved = limb.replace(points=limb.points * 1.01)
    with pytest.raises(InputError, match="another character"):
        supple.player(moved, CurveDynamics(trained=model))


def test_a_recipe_without_its_model_says_so(limb, model):
    recipe = supple.Graph.of(CurveNetwork(trained=model)).to_dict()
    again = supple.Graph.from_dict(recipe)
    assert again.stages[-1].work.model == model.digest
    with pytest.raises(InputError, match="trained=load_curves"):
        supple.player(limb, again)


@pytest.mark.parametrize(
    "settings", [{"base": "rigid"}, {"teacher": "position-based"}, {"detail": 0.0}, {"blend": "no"}, {"beyond": "no"}]
)
def test_strange_settings_are_refused(settings):
    with pytest.raises(InputError, match="CurveNetwork"):
        CurveNetwork(**settings)


@pytest.mark.parametrize(
    ("groups", "counts", "said"),
    [
        ([0, -1], None, "count from zero"),
        ([0], None, "groups has shape"),
        ([0, 0], [2], "there are 1"),
        ([0, 1], [1], "counts has shape"),
        ([0, 1], [1, 0], "between one and all"),
    ],
)
def test_strange_groups_of_curves_are_refused(groups, counts, said):
    load = supple.skins.curves.beam.batch.CurveLoad(
        np.zeros((4, 3)), supple.skins.curves.beam.finite_differences.Clamps.zero((3,))
    )
    with pytest.raises(InputError, match=said):
        static_curves([StaticBeam(6)] * 2, [[load] * 2], groups=groups, counts=counts)
    static_curves([StaticBeam(6)] * 2, [[load] * 2], groups=[1, 0], counts=[1, 1])


def test_entries_in_blocks_are_the_same_matrix():
    from scipy.sparse import csr_array, random_array

    from supple.skins.curves.binding import pack_rows

    whole = csr_array(random_array((40, 30), density=0.05, rng=np.random.default_rng(3)))
    starts, columns, values = pack_rows(whole.indptr, whole.indices, whole.data)
    assert (np.diff(whole.indptr) == 0).any()  # rows without entries are there too
    found = np.zeros(whole.shape)
    for row in range(40):
        for block in range(starts[row], starts[row + 1]):
            np.add.at(found[row], columns[block], values[block])
    assert np.allclose(found, whole.toarray(), atol=1e-7)


# Changed while it plays


def test_other_masses_and_damping_are_those_of_a_new_player(limb, model, poses):
    """A curve that is held in a pose and then let go to another swings as one that was made so, and not as before."""
    skin, other = CurveDynamics(trained=model), CurveDynamics(trained=model, frequency=2.0, damping=0.5)
    player, so, usual = (supple.player(limb, one) for one in (skin, other, skin))
    for one in (player, so, usual):
        for _ in range(120):
            one.advance(poses[0], 1 / 120)
    player.change(frequency=2.0, damping=0.5)
    gaps, swings = [], []
    for _ in range(60):
        made = so.advance(poses[1], 1 / 120)
        gaps.append(np.abs(player.advance(poses[1], 1 / 120) - made).max())
        swings.append(np.abs(usual.advance(poses[1], 1 / 120) - made).max())
    assert max(gaps) < 1e-5 < 1e-3 < max(swings)


@pytest.mark.parametrize("kind", [CurveNetwork, CurveDynamics])
def test_other_shapes_come_with_the_skin_below_and_nothing_is_learnt_again(limb, poses, kind):
    """History stays to the bit, and the model is the same object: it follows from the mesh alone."""
    raised = {"raised": np.outer(limb.points[:, 1] > 1.0, [0.05, 0.0, 0.0])}
    pose = Pose(poses[0].world_from_joint, shapes={"raised": 0.7})
    player, twin = (supple.player(limb, kind()) for _ in range(2))
    for one in (player, twin):
        one.advance(poses[1])
        one.advance(poses[0])
    model = player._nodes[-1].binding.model
    player.reshape(limb.replace(shapes=raised))
    assert player._nodes[-1].binding.model is model
    shown = player.advance(pose) - twin.advance(pose)
    assert np.linalg.norm(shown, axis=1).max() == pytest.approx(0.035, rel=1e-3)
    player.reshape(limb)
    np.testing.assert_array_equal(player.advance(pose), twin.advance(pose))


def test_forces_draw_curves_to_balance(limb, model, poses):
    """None at rest; after a turn of the pose those of load - K q; and none once it has settled again."""
    player = supple.player(limb, CurveDynamics(trained=model, damping=1.0))
    player.advance(poses[0], 1 / 120)
    node = player._nodes[-1]

    def forces():
        return node.stage.work.forces(node.binding, node.state).numpy().copy()

    scale = None
    for _ in range(3):
        player.advance(poses[1], 1 / 120)
        drawn = forces()
        scale = max(scale or 0.0, np.abs(drawn).max())
    curves = node.state.curves
    weights = node.state.interpolator.weights(joint_rotations(poses[1], limb.skeleton))
    beams = node.binding.beams
    shapes, expected = curves.shapes.numpy(), np.zeros((beams.nodes, 3))
    for curve, (start, end) in enumerate(zip(beams.starts[:-1], beams.starts[1:], strict=True)):
        beam, group = StaticBeam(int(end - start)), beams.group_of[curve]
        load = sum(
            weights[group, example] * beams.loads.reshape(beams.examples, -1, 3)[example, start + 1 : end - 1]
            for example in range(beams.example_counts[group])
        )
        expected[start + 1 : end - 1] = load - beam.bands.multiply(shapes[start + 1 : end - 1])
    found = curves._constants.blank(beams.nodes, supple.device.warp().vec3d)
    curves.measure_forces(found)()
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-6 * np.abs(expected).max())
    for _ in range(600):
        player.advance(poses[1], 1 / 120)
    assert np.abs(forces()).max() < 1e-3 * scale
