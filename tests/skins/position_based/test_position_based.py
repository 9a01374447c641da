"""Position based skinning: what it does to characters, and what it survives."""

import dataclasses
from functools import cache

import numpy as np
import pytest
from solids import sphere, together

import supple
from conftest import make_tube
from supple import Pose, PositionBased
from supple.character import automatic_weights
from supple.character.builtin import CHARACTERS
from supple.character.builtin.skeletons import hero_skeleton
from supple.character.crowd import Crowd
from supple.device import use_threads
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.segments import distances_to_segments
from supple.geometry.topology import signed_volume
from supple.motion.crowd import CrowdMotion
from supple.obstacles import Keys, Plane, Sphere

FEW = 1200  # elements: enough to see every effect, and quick
pytestmark = pytest.mark.filterwarnings("ignore:fill. made")  # a tube cannot be cut into every number


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)  # finer than the elements that carry it


@cache
def moves(name):
    """A motion of the hero, made once."""
    return supple.motion(name, hero_skeleton())


@pytest.fixture(scope="module")
def tube():
    return supple.character("tube", vertices=3000, bones=2)


def flesh_of(player):
    return player._nodes[-1].state


def played(player, motion, seconds, *, fps=60.0):
    return [player.play(motion, frame / fps) for frame in range(round(seconds * fps) + 1)]


def slid(skeleton, offset):
    """The rest pose, moved as a whole."""
    return Pose.rest(skeleton).moved(
        quaternions.compose(np.asarray(offset, dtype=float), np.array([0.0, 0.0, 0.0, 1.0]))
    )


def _slid(time):
    return np.clip(time - 0.1, 0.0, 0.5)


class Sliding:
    """A source that stands for 0.1 s, moves along x at one metre a second, and stops at once after half a second."""

    def __init__(self, skeleton):
        self.skeleton = skeleton

    def sample(self, time):
        return slid(self.skeleton, (_slid(time), 0.0, 0.0))


def radius(character, points, pose):
    """Distance of every vertex from the posed bones."""
    bones = character.skeleton.bones
    carried = pose.skinning(character.skeleton)[bones.joints]
    ends = [np.einsum("bij,bj->bi", carried[:, :3, :3], end) + carried[:, :3, 3] for end in (bones.starts, bones.ends)]
    return distances_to_segments(points, *ends)[0].min(axis=1)


# Laws


@pytest.mark.parametrize("name", CHARACTERS)
def test_rest_in_rest_out(name):
    character = supple.character(name, vertices=3000)
    player = supple.player(character, PositionBased(tetrahedra=FEW))
    size = np.ptp(character.points, axis=0).max()
    for _ in range(3):
        posed = player.advance(Pose.rest(character.skeleton))
    assert np.abs(posed - character.points).max() < 2e-6 * size


def test_a_rigid_motion_of_the_first_pose_is_a_rigid_motion_of_the_skin(tube):
    pose = supple.motion("bend", tube, angle=1.0, hold=True).sample(9.0)
    carry = quaternions.compose(np.array([0.5, -0.3, 0.2]), quaternions.quat_from_axis_angle([0.3, 1.0, 0.2], 1.1))
    skin = PositionBased(tetrahedra=FEW, gravity=0.0)
    here, there = (supple.player(tube, skin).advance(p) for p in (pose, pose.moved(carry)))
    assert np.abs(here @ carry[:3, :3].T + carry[:3, 3] - there).max() < 2e-5


def test_the_same_motion_gives_the_same_skin_at_any_frame_rate(tube):
    motion = supple.motion("bend", tube, angle=1.5)
    skin = PositionBased(tetrahedra=FEW)
    slow = played(supple.player(tube, skin), motion, 0.5, fps=30.0)
    fast = played(supple.player(tube, skin), motion, 0.5, fps=60.0)
    np.testing.assert_array_equal(slow[-1], fast[-1])


def test_the_number_of_threads_changes_nothing(hero):
    motion = moves("kick")
    ends = []
    for threads in (1, 2, 3):
        with use_threads(threads):
            player = supple.player(hero, PositionBased(tetrahedra=5000))
            assert player._nodes[-1].binding.body.constraints.slabs > 1
            ends.append(played(player, motion, 0.2)[-1])
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


def test_a_player_goes_on_from_a_snapshot_as_if_nothing_had_happened(hero):
    motion = moves("run-and-stop")
    skin = PositionBased(tetrahedra=FEW)
    player, other = supple.player(hero, skin), supple.player(hero, skin)
    played(player, motion, 0.3)
    other.restore(player.snapshot())
    for time in (0.4, 0.5):
        np.testing.assert_array_equal(player.play(motion, time), other.play(motion, time))


# What it is for


def test_twist_keeps_the_radius_and_bend_does_not_swell_outwards(tube):
    rest = radius(tube, tube.points, Pose.rest(tube.skeleton))
    side = rest > 0.95 * np.median(rest)
    twist = supple.motion("twist", tube, angle=np.pi, hold=True)
    # Flesh that is turned over would sag, and flesh that is squeezed at the crease would go elsewhere.
    skin = PositionBased(gravity=0.0, contact="off")
    points = played(supple.player(tube, skin), twist, twist.duration + 1.0)[-1]
    share = radius(tube, points, twist.sample(twist.duration))[side] / rest[side]
    assert share.min() >= 0.9
    linear = supple.player(tube, supple.LinearBlend()).play(twist, twist.duration)
    assert (radius(tube, linear, twist.sample(twist.duration))[side] / rest[side]).min() < 0.1

    bend = supple.motion("bend", tube, angle=np.radians(135.0), hold=True)
    pose = bend.sample(bend.duration)
    points = played(supple.player(tube, skin), bend, bend.duration + 1.0)[-1]
    # The tube lies along x and bends up, so what was lowest is outermost.
    outer = side & (-tube.points[:, 1] > 0.9 * rest)
    assert outer.sum() > 50
    assert (radius(tube, points, pose)[outer] / rest[outer]).max() <= 1.05
    swollen = supple.player(tube, supple.DualQuaternion()).play(bend, bend.duration)
    assert (radius(tube, swollen, pose)[outer] / rest[outer]).max() > 1.08


@pytest.mark.parametrize("clip", ["walk", "kick", "jump"])
def test_flesh_keeps_its_volume_and_the_skin_closes_the_rest(hero, clip):
    motion = moves(clip)
    rest = signed_volume(hero.points, hero.triangles)
    worst = {}
    for skin in (PositionBased(), PositionBased(keep_volume=False), supple.LinearBlend()):
        frames = played(supple.player(hero, skin), motion, min(motion.duration, 1.5), fps=30.0)
        worst[skin] = max(abs(signed_volume(points.astype(float), hero.triangles) / rest - 1.0) for points in frames)
    kept, alone, linear = worst.values()
    assert kept < 3e-3
    assert alone < 1e-2  # by the elements, without the last correction on the skin
    assert alone < 0.5 * linear


@pytest.mark.slow
@pytest.mark.parametrize("clip", ["02_01_walk", "02_04_jump_balance", "135_07_mawashigeri_kick"])
def test_volume_of_a_real_person_in_real_motion(data_file, clip):
    person = supple.load(data_file("gltf/human_cmu_8clips.glb"))
    rest = signed_volume(person.points, person.triangles)
    frames = played(supple.player(person, PositionBased()), person.motions[clip], 2.0, fps=15.0)
    kept = np.array([signed_volume(points.astype(float), person.triangles) / rest for points in frames])
    assert abs(kept - 1.0).max() < 5e-3


def test_free_flesh_overshoots_a_sudden_stop_and_settles_driven_flesh_does_not(hero):
    player = supple.player(hero, PositionBased(tetrahedra=2500))
    frames = np.array(played(player, Sliding(hero.skeleton), 2.7))
    lag = frames[:, :, 0] - hero.points[:, 0] - _slid(np.arange(len(frames)) / 60.0)[:, None]
    softest = int(np.abs(lag).max(axis=0).argmax())
    swing = lag[:, softest]
    before, after = swing[:37], swing[37:]
    assert before.min() < -0.01  # it lags behind when the body starts
    assert after.max() > 0.01  # overshoots when it stops
    assert after.min() < -0.1 * after.max()  # and comes back past its place
    assert np.abs(swing[-6:]).max() < 0.01 * np.abs(swing).max()
    joint = hero.skeleton.names.index("LeftHand")
    hand = hero.weights.dense(len(hero.skeleton))[:, joint] > 0.99
    assert hand.any()
    assert np.abs(lag[:, hand]).max() < 0.02 * np.abs(lag).max()


def test_gravity_does_not_pull_on_a_sculpted_shape_until_it_is_turned(hero):
    upright = Pose.rest(hero.skeleton)
    over = upright.moved(quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi)))
    for gravity, sags in ((0.0, False), (9.81, True)):
        player = supple.player(hero, PositionBased(tetrahedra=FEW, gravity=gravity))
        for _ in range(150):
            points = player.advance(over)
        fallen = (hero.points @ np.diag([-1.0, -1.0, 1.0]) - points)[:, 1].max()
        assert (fallen > 0.01) == sags
    plain = supple.player(hero, PositionBased(tetrahedra=FEW, rest_includes_gravity=False))
    for _ in range(150):
        points = plain.advance(upright)
    assert (hero.points - points)[:, 1].max() > 0.01


def test_regions_make_flesh_softer_and_firmer_also_while_it_plays(hero):
    belly = hero.parts["belly"] if "belly" in hero.parts else np.flatnonzero(hero.maps["flesh"] > 0.06)
    marked = dataclasses.replace(hero, parts={**hero.parts, "middle": belly})

    def swing(player):
        player.reset()
        frames = np.array(played(player, Sliding(marked.skeleton), 0.9))
        moved = frames[:, belly, 0] - marked.points[belly, 0] - _slid(np.arange(len(frames)) / 60.0)[:, None]
        return np.median(np.abs(moved).max(axis=0))

    player = supple.player(marked, PositionBased(tetrahedra=FEW))
    binding = player._nodes[-1].binding
    plain = swing(player)
    player.change(regions="middle=1")
    assert swing(player) < 0.2 * plain  # the flesh around it still swings
    player.change(regions="middle=0.0", frequency=2.0)
    assert swing(player) > 1.3 * plain
    assert player._nodes[-1].binding is binding
    numbers = "+".join(str(vertex) for vertex in belly[:2000])
    player.change(regions=f"{numbers}=1", frequency=3.5)
    assert swing(player) < 0.7 * plain


def test_a_painted_map_says_where_flesh_is_soft(hero):
    painted = dataclasses.replace(hero, maps={"jiggle": np.zeros(len(hero.points))})
    player = supple.player(painted, PositionBased(tetrahedra=FEW))
    player.advance(Pose.rest(painted.skeleton))
    assert (flesh_of(player).angular_frequencies.numpy() < 0.0).all()
    painted = dataclasses.replace(hero, maps={"jiggle": np.ones(len(hero.points))})
    player = supple.player(painted, PositionBased(tetrahedra=FEW))
    player.advance(Pose.rest(painted.skeleton))
    assert (flesh_of(player).angular_frequencies.numpy() > 0.0).mean() > 0.5


def test_skin_that_meets_skin_at_the_elbow_is_parted():
    arm = supple.character("arm", vertices=3000)
    bend = supple.motion("bend", arm, angle=np.radians(138.0), hold=True)
    held = {}
    for contact in ("off", "on-demand", "full"):
        player = supple.player(arm, PositionBased(contact=contact, tetrahedra=3000))
        played(player, bend, bend.duration)
        held[contact] = _foreign_pairs(flesh_of(player))
    assert held["off"] > 20
    assert held["on-demand"] <= 0.2 * held["off"]
    assert held["full"] <= 0.2 * held["off"]


def test_a_held_fold_is_still():
    arm = supple.character("arm", vertices=2000)
    bend = supple.motion("bend", arm, angle=np.radians(130.0), hold=True)
    player = supple.player(arm, PositionBased(tetrahedra=2000), fps=30.0)
    played(player, bend, bend.duration, fps=30.0)
    assert len(flesh_of(player).collision.held_particles()[0])
    frames = [np.array(player.advance(bend.sample(bend.duration))) for _ in range(60)]
    assert np.linalg.norm(np.diff(frames[-15:], axis=0), axis=2).max() < 1e-4


def _foreign_pairs(flesh):
    """How many particles lie deeper than a hair inside elements of another part."""
    from supple.geometry.collision.spatial_hash import spatial_hash

    body = flesh.binding.body
    parts = flesh.collision.binding.parts if flesh.collision is not None else _parts(flesh)
    found = spatial_hash(body.constraints.points, body.constraints.corners, labels=parts)
    pairs = np.asarray(found.find(flesh.recipe.particles).to_host())
    x = flesh.recipe.particles.numpy()[:, :3].astype(float)
    depth = []
    for particle, element in pairs:
        a, b, c, d = x[body.constraints.corners[element]]
        barycentric = np.linalg.solve(np.stack([b - a, c - a, d - a], axis=1), x[particle] - a)
        depth.append(min(*barycentric, 1.0 - barycentric.sum()))
    return int((np.array(depth) > 0.02).sum())


def _parts(flesh):
    from supple.skins.position_based.contact.joint_analysis import find_joint_planes

    return find_joint_planes(flesh.binding.character.skeleton).part_of_joint[flesh.binding.body.weights.joints[:, 0]]


def test_a_ball_dents_the_belly_and_leaves_no_mark(hero):
    front = hero.points[np.argmax(hero.points[:, 2] * (np.abs(hero.points[:, 0]) < 0.1) * (hero.points[:, 1] < 1.2))]
    near, far = (np.add(front, (0.0, 0.0, gap)) for gap in (0.1, 0.5))
    path = Keys(times=[0.0, 0.3, 0.6, 0.9], places=[far, near, near, far])
    skin = PositionBased(tetrahedra=3000, bodies=(Sphere(radius=0.15, at=path),))
    player = supple.player(hero, skin)
    frames = [player.advance(Pose.rest(hero.skeleton)) for _ in range(200)]
    flesh = flesh_of(player)
    dent = np.linalg.norm(frames[32] - hero.points, axis=1)
    assert dent.max() > 0.02
    inside = 0.15 - np.linalg.norm(frames[32] - near, axis=1)
    assert inside.max() < 0.5 * flesh.binding.body.constraints.size  # the skin is held off by the flesh below it
    assert np.abs(frames[-1] - hero.points).max() < 2e-3


def test_more_rounds_come_to_the_same_shape(tube):
    """What settles is the least of an energy: a held pose ends there, however many rounds a step has."""
    pose = supple.motion("bend", tube, angle=1.5, hold=True).sample(9.0)

    def settled(rounds):
        player = supple.player(tube, PositionBased(tetrahedra=FEW, iterations=rounds, gravity=0.0))
        return [player.advance(pose).copy() for _ in range(40)][-1]

    few, many = settled(6), settled(48)
    linear = supple.player(tube, supple.LinearBlend()).advance(pose)
    assert np.abs(few - many).max() < 1e-4
    assert np.abs(many - linear).max() > 0.01


def test_a_crowd_moves_as_each_of_its_members_would(hero):
    motion = moves("walk")
    crowd = Crowd.of(hero, 2)
    source = CrowdMotion(crowd, [motion, motion], [0.0, 0.3])
    skin = PositionBased(tetrahedra=FEW)
    together_ = crowd.apart(played(supple.player(crowd, skin), source, 0.25)[-1])
    alone = supple.player(hero, skin)
    for copy, delay in enumerate((0.0, 0.3)):
        alone.reset()
        for frame in range(16):
            points = alone.play(_Later(motion, delay), frame / 60.0)
        np.testing.assert_array_equal(together_[copy], points)


@dataclasses.dataclass
class _Later:
    motion: supple.Motion
    delay: float

    @property
    def skeleton(self):
        return self.motion.skeleton

    def sample(self, time):
        return self.motion.sample(time + self.delay)


def test_a_shape_comes_out_whole(hero):
    offsets = np.zeros(hero.points.shape)
    chest = np.exp(-(((hero.points - [0.0, 1.2, 0.0]) / 0.15) ** 2).sum(axis=1))
    offsets[:, 2] = 0.05 * chest * (hero.points[:, 2] > 0.0)
    shaped = dataclasses.replace(hero, shapes={"breath": offsets})
    player = supple.player(shaped, PositionBased(tetrahedra=FEW))
    rest = hero.skeleton.world_from_joint
    for share in (0.0, 1.0, 0.5):
        points = player.advance(Pose(rest, shapes={"breath": share}))
        assert np.abs(points - hero.points - share * offsets).max() < 1e-4


# What it survives


@pytest.mark.parametrize("preset", [None, "firm", "soft"])
def test_presets_play(hero, preset):
    skin = PositionBased() if preset is None else PositionBased.preset(preset, tetrahedra=FEW)
    frames = played(supple.player(hero, skin), moves("run-and-stop"), 0.2)
    assert np.isfinite(frames).all()
    size = np.ptp(hero.points, axis=0).max()
    linear = supple.player(hero, supple.LinearBlend()).play(moves("run-and-stop"), 0.2)
    assert np.abs(frames[-1] - linear).max() < 0.1 * size


def test_a_skeleton_that_teleports_takes_its_flesh_along(hero):
    player = supple.player(hero, PositionBased(tetrahedra=FEW))
    far = slid(hero.skeleton, (50.0, 3.0, -20.0))
    turned = far.moved(quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle([1.0, 1.0, 0.0], 3.0)))
    for pose in (Pose.rest(hero.skeleton), far, turned, Pose.rest(hero.skeleton)):
        points = player.advance(pose)
        linear = supple.player(hero, supple.LinearBlend()).advance(pose)
        assert np.abs(points - linear).max() < 0.2


@pytest.mark.parametrize("start", ["random", "one point", "flat", "inside out"])
def test_flesh_finds_back_from_anywhere(tube, start):
    player = supple.player(tube, PositionBased(tetrahedra=FEW))
    rest = Pose.rest(tube.skeleton)
    player.advance(rest)
    flesh, state = flesh_of(player), player._nodes[-1].state.memory
    points = flesh.binding.body.constraints.points
    wrong = {
        "random": np.random.default_rng(4).uniform(-1.0, 1.0, points.shape),
        "one point": np.zeros(points.shape),
        "flat": points * [1.0, 0.0, 1.0],
        "inside out": points * [1.0, -1.0, 1.0],
    }[start]
    state.corrections.assign((wrong - points).astype(np.float32))
    state.positions.assign(wrong.astype(np.float32))
    state.previous_settled.assign(wrong.astype(np.float32))
    for _ in range(180):
        skin = player.advance(rest)
        assert np.isfinite(skin).all()
    assert np.abs(skin - tube.points).max() < 0.02


@pytest.mark.parametrize(
    "extreme",
    [
        {"step": 0.1},
        {"volume": 0.0},
        {"stretch": 1.0, "bone_stiffness": 1.0},
        {"stretch": 0.0, "bone_stiffness": 0.0},
        {"iterations": 0, "dynamic_iterations": 0},
        {"frequency": 30.0, "damping": 0.99},
        {"frequency": 0.5, "damping": 0.0, "max_offset": 2.0},
        {"correction_time": 0.0},
        {"correction_time": 10.0},
        {"gravity": 100.0},
        {"step": 1e-3},
    ],
    ids=str,
)
def test_no_setting_makes_it_explode(hero, extreme):
    motion = moves("kick")
    frames = played(supple.player(hero, PositionBased(tetrahedra=400, **extreme)), motion, 0.6, fps=20.0)
    linear = supple.player(hero, supple.LinearBlend()).play(motion, 0.6)
    assert np.isfinite(frames).all()
    assert np.abs(frames[-1] - linear).max() < 0.5


def test_odd_meshes_give_a_result_or_a_clear_error():
    tube = make_tube()
    bend = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 1.0)

    def posed(character):
        player = supple.player(character, PositionBased(tetrahedra=300))
        for _ in range(5):
            points = player.advance(Pose.from_rotations(character.skeleton, {character.skeleton.names[-1]: bend}))
        return points

    assert np.isfinite(posed(make_tube(closed=False))).all()
    points, triangles = together(
        (tube.points, tube.triangles), *(sphere(6, radius=0.1, centre=(0.1 * k, 0.2 * k, 0.0)) for k in range(9))
    )
    shells = supple.Character(points, triangles, tube.skeleton)
    shells = dataclasses.replace(shells, weights=automatic_weights(shells))
    assert np.isfinite(posed(shells)).all()
    outside = dataclasses.replace(
        tube, skeleton=supple.Skeleton.from_heads(["a", "b"], [-1, 0], [[9.0, 0.0, 0.0], [9.0, 1.0, 0.0]])
    )
    assert np.isfinite(posed(outside)).all()
    point = dataclasses.replace(
        tube, skeleton=supple.Skeleton.from_heads(["a", "b"], [-1, 0], [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    )
    assert np.isfinite(posed(point)).all()
    thin = dataclasses.replace(tube, points=tube.points * [0.01, 1.0, 0.01])
    with pytest.raises(InputError, match="element"):
        posed(thin)
    flat = dataclasses.replace(tube, points=tube.points * [1.0, 1.0, 0.0])
    with pytest.raises(InputError):
        posed(flat)


# Bad input


@pytest.mark.parametrize("text", ["belly", "belly=2", "belly=-0.1", "=0.5", "belly=soft", "a=0.2,b"])
def test_regions_that_make_no_sense_are_refused(text):
    with pytest.raises(InputError, match="regions"):
        PositionBased(regions=text)


def test_regions_are_read_as_written():
    assert PositionBased(regions=" belly = 0.2, ears=1 ,").regions == {"belly": 0.2, "ears": 1.0}
    assert PositionBased(regions={"belly": 0.2, "ears": 1}) == PositionBased(regions="belly=0.2, ears=1")


@pytest.mark.parametrize("name", ["nowhere", "99999999", "12-9"])
def test_regions_that_the_character_does_not_have_are_refused(tube, name):
    with pytest.raises(InputError, match="regions"):
        supple.player(tube, PositionBased(tetrahedra=FEW, regions=f"{name}=0.5"))
    player = supple.player(tube, PositionBased(tetrahedra=FEW))
    with pytest.raises(InputError, match="regions"):
        player.change(regions=f"{name}=0.5")


def test_only_live_settings_change_while_it_plays(tube):
    player = supple.player(tube, PositionBased(tetrahedra=FEW))
    player.advance(Pose.rest(tube.skeleton))
    player.change(jiggle=0.5, iterations=4)
    player.advance(Pose.rest(tube.skeleton))
    for change in ({"tetrahedra": 300}, {"base": "dual-quaternion"}, {"nonsense": 1}, {"bodies": ()}):
        with pytest.raises(InputError, match="make another player"):
            player.change(**change)
    with pytest.raises(InputError):
        player.change(jiggle=7.0)
    with pytest.raises(InputError, match="there are linear, position-based"):
        player.change(stage="nowhere", jiggle=0.5)


def test_presets_and_bodies_are_checked():
    with pytest.raises(InputError, match="firm, soft, published"):
        PositionBased.preset("wobbly")
    with pytest.raises(InputError, match="it has none"):
        supple.LinearBlend.preset("firm")
    with pytest.raises(InputError, match="rigid bodies"):
        PositionBased(bodies=("ball",))
    assert PositionBased.preset("soft", damping=0.5).damping == 0.5


def test_graphs_tell_bodies_apart_and_do_not_pretend_to_keep_them():
    plain, floor, ball = (
        supple.Graph.of(PositionBased(bodies=bodies)).to_dict() for bodies in ((), (Plane(),), (Sphere(radius=0.1),))
    )
    assert plain != floor != ball
    assert supple.Graph.from_dict(plain) == supple.Graph.of(PositionBased())
    with pytest.raises(InputError, match="bodies"):
        supple.Graph.from_dict(floor)


def test_crowds_are_checked(hero):
    with pytest.raises(InputError, match="at least one"):
        Crowd.of(hero, 0)
    crowd = Crowd.of(hero, 2)
    with pytest.raises(InputError, match="one pose for each"):
        crowd.gathered([hero.skeleton.world_from_joint])
    with pytest.raises(InputError, match="2 copies"):
        CrowdMotion(crowd, [moves("walk")])
