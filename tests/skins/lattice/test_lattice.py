"""The layered lattice on characters: laws, what it is for, what it refuses and what it survives."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple import LayeredLattice, Pose
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.builtin import CHARACTERS
from supple.character.crowd import Crowd
from supple.device import use_threads
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.topology import signed_volume
from supple.motion.crowd import CrowdMotion
from supple.settings import settings_of
from supple.skins.lattice.settings import Layer, inner_layers
from supple.skins.lattice.voxelize.cells import SETS

COARSE = 24  # voxels along the body: enough to see every effect, and quick


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero")


@pytest.fixture(scope="module")
def tube():
    return supple.character("tube", vertices=2000, bones=2)


def state_of(player):
    return player._nodes[-1].state


def played(player, motion, seconds, *, fps=60.0):
    return [player.play(motion, frame * (1.0 / fps)) for frame in range(round(seconds * fps) + 1)]


def linear(character, motion, seconds, *, fps=60.0):
    return played(supple.player(character, supple.LinearBlend()), motion, seconds, fps=fps)


class Sliding:
    """A source that stands for 0.1 s, moves along x at one metre a second, and stops at once after half a second."""

    def __init__(self, skeleton):
        self.skeleton = skeleton

    def sample(self, time):
        move = np.array([np.clip(time - 0.1, 0.0, 0.5), 0.0, 0.0])
        return Pose.rest(self.skeleton).moved(quaternions.compose(move, np.array([0.0, 0.0, 0.0, 1.0])))


# Laws


@pytest.mark.parametrize("name", CHARACTERS)
def test_rest_in_rest_out(name):
    character = supple.character(name)
    player = supple.player(character, LayeredLattice(resolution=COARSE))
    size = np.ptp(character.points, axis=0).max()
    for _ in range(3):
        posed = player.advance(Pose.rest(character.skeleton))
    assert np.abs(posed - character.points).max() < 2e-6 * size


@pytest.mark.parametrize("preset", LayeredLattice.presets)
def test_every_preset_rests_at_rest(tube, preset):
    player = supple.player(tube, LayeredLattice.preset(preset, resolution=16))
    for _ in range(3):
        posed = player.advance(Pose.rest(tube.skeleton))
    assert np.abs(posed - tube.points).max() < 5e-6


@pytest.mark.parametrize("surface", ["smooth", "linear", "trilinear"])
def test_a_rigid_motion_of_the_bones_with_all_stiffness_one_moves_everything_rigidly(tube, surface):
    skin = LayeredLattice(
        resolution=COARSE,
        stiffness="1",
        frequency="0",
        follow="1",
        stretch=1.0,
        volume=1.0,
        gravity=0.0,
        surface=surface,
    )
    player = supple.player(tube, skin)
    for frame in range(30):
        carry = quaternions.compose(
            np.array([0.1 * frame, -0.05 * frame, 0.3]), quaternions.quat_from_axis_angle([0.3, 1.0, 0.2], 0.1 * frame)
        )
        posed = player.advance(Pose.rest(tube.skeleton).moved(carry))
        assert np.abs(posed - (tube.points @ carry[:3, :3].T + carry[:3, 3])).max() < 1e-5


def test_a_rigid_motion_of_the_first_pose_is_a_rigid_motion_of_the_skin(tube):
    pose = supple.motion("bend", tube, angle=1.0, hold=True).sample(9.0)
    carry = quaternions.compose(np.array([0.5, -0.3, 0.2]), quaternions.quat_from_axis_angle([0.3, 1.0, 0.2], 1.1))
    skin = LayeredLattice(resolution=COARSE, gravity=0.0)
    here, there = (supple.player(tube, skin).advance(p) for p in (pose, pose.moved(carry)))
    assert np.abs(here @ carry[:3, :3].T + carry[:3, 3] - there).max() < 2e-5


def test_the_same_motion_gives_the_same_skin_at_any_frame_rate(tube):
    motion = supple.motion("bend", tube, angle=1.5)
    skin = LayeredLattice(resolution=COARSE)
    slow = played(supple.player(tube, skin), motion, 0.5, fps=30.0)
    fast = played(supple.player(tube, skin), motion, 0.5, fps=60.0)
    np.testing.assert_array_equal(slow[-1], fast[-1])


def test_the_number_of_threads_changes_nothing(tube):
    motion = supple.motion("bend", tube, angle=1.5)
    ends = []
    for threads in (1, 2, 3):
        with use_threads(threads):
            player = supple.player(tube, LayeredLattice(resolution=60))
            assert len(player._nodes[-1].binding.body.lattice) > 3 * 2048
            ends.append(played(player, motion, 0.1)[-1])
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


@pytest.mark.parametrize("preset", ["soft", "bunny"])
def test_a_player_goes_on_from_a_snapshot_as_if_nothing_had_happened(hero, preset):
    motion = supple.motion("run-and-stop", hero)
    skin = LayeredLattice.preset(preset, resolution=COARSE)
    player, other = supple.player(hero, skin), supple.player(hero, skin)
    played(player, motion, 0.3, fps=30.0)
    other.restore(player.snapshot())
    for time in (0.4, 0.5):
        np.testing.assert_array_equal(player.play(motion, time), other.play(motion, time))


def test_without_secondary_motion_it_is_the_kinematic_skin_to_the_last_digit(hero):
    """The published baseline: the rule of the bone layer for all voxels. Faces and fingers keep all their detail."""
    motion = supple.motion("kick", hero)
    for base, kind in (("linear", supple.LinearBlend), ("dual-quaternion", supple.DualQuaternion)):
        skin = LayeredLattice(resolution=COARSE, secondary=False, base=base)
        player = supple.player(hero, skin)
        played(player, motion, 0.3)  # what is shown lies between two steps, by one digit
        theirs = played(supple.player(hero, kind()), motion, 0.3)[-1]
        np.testing.assert_array_equal(state_of(player).surface.points.numpy(), theirs)


def test_copies_of_a_crowd_are_each_as_they_are_alone(tube):
    crowd = Crowd.of(tube, 3)
    motion = supple.motion("bend", tube, angle=1.2)
    skin = LayeredLattice(resolution=COARSE)
    alone = played(supple.player(tube, skin), motion, 0.3)[-1]
    many = played(supple.player(crowd, skin), CrowdMotion(crowd, [motion] * 3), 0.3)[-1]
    np.testing.assert_allclose(crowd.apart(many), np.tile(alone, (3, 1, 1)), atol=1e-6)


# What it is for


def test_soft_flesh_lags_swings_and_comes_to_rest_where_the_bones_carry_it(hero):
    player = supple.player(hero, LayeredLattice.preset("soft", resolution=32))
    source = Sliding(hero.skeleton)
    frames = played(player, source, 3.0)
    carried = [
        hero.points + source.sample(frame / 60.0).world_from_joint[0, :3, 3] - hero.skeleton.world_from_joint[0, :3, 3]
        for frame in range(len(frames))
    ]
    belly = np.argmax(hero.points[:, 2] * (np.abs(hero.points[:, 1] - 1.0) < 0.2))
    away = np.array([(points - where)[belly, 0] for points, where in zip(frames, carried, strict=True)])
    start, stop = away[6:20], away[36:]
    assert start.min() < -0.004  # left behind when the body sets off
    assert stop.max() > 0.004  # and carried on when it stops
    assert stop.min() < -0.001  # and back over the middle
    assert np.abs(away[-1]) < 5e-4
    assert np.abs(frames[-1] - carried[-1]).max() < 2e-3


def test_firm_flesh_moves_less_than_soft_flesh(hero):
    source = Sliding(hero.skeleton)
    most = []
    for preset in ("firm", "soft"):
        frames = played(supple.player(hero, LayeredLattice.preset(preset, resolution=32)), source, 0.9)
        rigid = linear(hero, source, 0.9)
        most.append(max(np.abs(a - b).max() for a, b in zip(frames, rigid, strict=True)))
    assert 0.001 < most[0] < 0.6 * most[1]


def test_heads_and_hands_stay_as_the_bones_carry_them_unless_they_are_asked_not_to(hero):
    source = Sliding(hero.skeleton)
    head = hero.points[:, 1] > 1.68
    rigid = linear(hero, source, 0.7)
    shown = {}
    for firm in (True, False):
        skin = LayeredLattice.preset("soft", resolution=32, firm_parts=firm)
        frames = played(supple.player(hero, skin), source, 0.7)
        shown[firm] = max(np.abs(a - b)[head].max() for a, b in zip(frames, rigid, strict=True))
    assert shown[False] > 0.004
    assert shown[True] < 0.3 * shown[False]


def test_the_lattice_evens_out_what_linear_blending_crushes(tube):
    """At a sharp bend linear blending folds voxels over; shape matching leaves none inverted."""
    bend = supple.motion("bend", tube, angle=np.radians(120.0), hold=True)
    player = supple.player(tube, LayeredLattice(resolution=32, gravity=0.0))
    played(player, bend, bend.duration + 0.5)
    bound = state_of(player)
    lattice, rest = bound.anatomy.lattice, bound.anatomy.rest_volumes
    from oracles.lattice import octants

    whole = np.flatnonzero(rest > 0.0)
    smallest = [
        min(octants(nodes.astype(float), lattice.chains[n], n) / rest[n] for n in whole)
        for nodes in (bound.solver.kinematic.numpy(), bound.solver.positions.numpy())
    ]
    assert smallest[0] < 0.0 < smallest[1]


def test_the_published_way_is_left_behind_and_following_mends_it(hero):
    """With bones as the only drive, flesh more than a few voxels away cannot keep up."""
    source = Sliding(hero.skeleton)
    rigid = linear(hero, source, 0.5)[-1]
    late = {}
    for follow in ("0", "0.85"):
        skin = LayeredLattice.preset("bunny", follow=follow)
        late[follow] = np.abs(played(supple.player(hero, skin), source, 0.5)[-1] - rigid).max()
    assert late["0.85"] < 0.5 * late["0"]


def test_the_skin_keeps_its_volume_unless_it_is_told_not_to(hero):
    jump = supple.motion("jump", hero)
    rest = signed_volume(hero.points, hero.triangles)
    worst = []
    for limbs, whole in ((1.0, True), (1.0, False), (0.0, True), (0.0, False)):
        skin = LayeredLattice(resolution=32, limb_volume=limbs, keep_volume=whole)
        frames = played(supple.player(hero, skin), jump, 0.6)
        worst.append(max(abs(signed_volume(points, hero.triangles) / rest - 1.0) for points in frames))
    assert worst[0] < 1e-3
    assert worst[1] < 1e-2  # flesh by itself
    assert worst[2] < 3e-3 < 2e-2 < worst[3]


def test_flesh_beside_bone_has_less_reach_and_bone_has_none(hero):
    """Single voxels of flesh among bone would stand out as lumps, were they as free as flesh that lies deep."""
    skin = LayeredLattice(resolution=32)
    anatomy = skin.allocate(skin.bind(hero, "cpu")).anatomy
    bone = anatomy.layers == 0
    around = anatomy.lattice.neighbors("all")
    owners = np.repeat(np.arange(len(bone)), np.diff(around.starts))
    share = np.bincount(owners, bone[around.indices], len(bone)) / np.maximum(np.diff(around.starts), 1)
    assert anatomy.depths[bone].max() == 0.0
    beside, deep = ~bone & (share > 0.5), ~bone & (share == 0.0)
    assert beside.any()
    assert anatomy.depths[beside].max() < 0.5 * np.median(anatomy.depths[deep])


def test_shapes_come_out_whole():
    """A morph target on the kinematic skin, or on the rest shape where there is none below."""
    plain = make_tube()
    bump = np.zeros_like(plain.points)
    bump[plain.points[:, 1] > 1.2] = [0.0, 0.0, 0.05]
    character = dataclasses.replace(plain, shapes={"bump": bump})
    pose = Pose(character.skeleton.world_from_joint, shapes={"bump": 1.0})
    for surface in ("smooth", "trilinear"):
        player = supple.player(character, LayeredLattice(resolution=16, surface=surface))
        player.advance(Pose.rest(character.skeleton))
        assert np.abs(player.advance(pose) - (plain.points + bump)).max() < 1e-5


def test_skin_turns_as_its_flesh_does(tube):
    """Flesh that is turned as a whole against its bones turns the skin with it, voxels and what lies between them."""
    player = supple.player(tube, LayeredLattice(resolution=COARSE))
    player.advance(Pose.rest(tube.skeleton))
    bound = state_of(player)
    assert (bound.anatomy.rest_volumes > 0.0).all()  # every node has a neighbour along every axis
    rotation = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([0.2, 1.0, -0.4], 0.6))
    carried = bound.solver.kinematic.numpy()
    bound.solver.positions.numpy()[...] = carried @ rotation.T
    incoming = player._nodes[0].state._blend._arrays.posed
    for launch in bound.surface.follow(incoming):
        launch()
    origin = bound.solver.origins.numpy()
    wanted = (incoming.numpy() - origin) @ rotation.T + origin
    assert np.abs(bound.surface.points.numpy() - wanted).max() < 1e-5


def test_ears_on_a_firm_head_are_loose_where_they_are_asked_to_be():
    heads = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.1, 1.2, 0.0], [0.0, 1.1, 0.1]])
    skeleton = supple.Skeleton.from_heads(["Hips", "Head", "ear_l", "jaw"], np.array([-1, 0, 1, 1]), heads)
    points = heads + 0.01
    weights = supple.Weights.from_dense(np.eye(4), influences=1)
    character = supple.Character(points, np.array([[0, 1, 2], [1, 2, 3]]), skeleton, weights)
    np.testing.assert_array_equal(rigid_fraction(character, weights), [0.0, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(rigid_fraction(character, weights, loose=("ear",)), [0.0, 1.0, 0.0, 1.0])
    crowd = Crowd.of(character, 2)
    assert crowd.weights is not None
    np.testing.assert_array_equal(rigid_fraction(crowd, crowd.weights, loose=("ear",)), [0.0, 1.0, 0.0, 1.0] * 2)


# Layers


def test_layers_may_be_one_or_many_and_the_skin_may_be_left_out(tube):
    motion = supple.motion("bend", tube, angle=1.2)
    for changes in (
        {"layers": "flesh=1", "skin_layer": False},
        {"layers": "deep=1, middle=1, outer=2", "stiffness": "0.5, deep=0.9"},
        {"skin_layer": False},
    ):
        skin = LayeredLattice(resolution=COARSE, **changes)
        player = supple.player(tube, skin)
        points = played(player, motion, 0.3)[-1]
        layers = state_of(player).anatomy.layers
        assert layers.max() == len(skin.layer_names())
        assert np.isfinite(points).all()


def stiffness_of(**given):
    return LayeredLattice(**given).parameters().stiffness[1:]


def test_numbers_by_layer_are_read_as_they_are_written():
    assert stiffness_of(stiffness="0.5") == (0.5, 0.5, 0.5)
    assert stiffness_of(stiffness="0.5, fat=0.1") == (0.5, 0.1, 0.5)
    assert stiffness_of(stiffness=" muscle = 1,fat=0.2 , skin=.3") == (1.0, 0.2, 0.3)
    alone = stiffness_of(layers="flesh=1", stiffness="0.5, fat=0.1", skin_layer=False)
    assert alone == (0.5,)  # usual names do no harm
    assert inner_layers(LayeredLattice(layers="muscle=3, fat=1").layers) == {"muscle": 0.75, "fat": 0.25}


def test_numbers_by_layer_may_be_rows():
    rows = {"fat": Layer(stiffness=0.2, frequency=2.0)}
    assert LayeredLattice(layers=rows) == LayeredLattice(layers={"fat": {"stiffness": 0.2, "frequency": 2.0}})
    assert stiffness_of(layers=rows) == (0.9, 0.2, 0.8)
    assert LayeredLattice(layers=rows).layer_names() == ("muscle", "fat", "skin")  # from inside out, as ever
    assert LayeredLattice(stiffness="0.5, fat=0.1").layer_names() == ("muscle", "fat", "skin")
    assert LayeredLattice(layers="fat=1, muscle=2").layer_names() == ("fat", "muscle", "skin")


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"stiffness": "0.5, gristle=0.1"}, "name 'gristle', but there are muscle, fat, skin"),
        ({"stiffness": "0.5, fat=-1"}, "has 'fat=-1'"),
        ({"stiffness": "soft"}, "has 'soft'"),
        ({"stiffness": "nan"}, "has 'nan'"),
        ({"stiffness": "=1"}, "has '=1'"),
        ({"frequency": "31"}, "from 0 to 30"),
        ({"damping": "1"}, "from 0 to 0.99"),
        ({"velocity_retention": "1.5"}, "from 0 to 1"),
        ({"follow": "2"}, "from 0 to 1"),
        ({"layers": "0.5"}, "a thickness of 0.5"),
        ({"layers": "bone=1"}, "a thickness of bone=1"),
        ({"layers": "skin=1, fat=1"}, "a thickness of skin=1"),
        ({"layers": "fat=0"}, "a thickness of fat=0"),
        ({"resolution": 2}, "resolution is 2"),
        ({"width": 0}, "width is 0"),
        ({"neighbors": "some"}, "neighbors is 'some'"),
        ({"surface": "rough"}, "surface is 'rough'"),
        ({"base": "lattice"}, "base is 'lattice'"),
        ({"max_offset": -1.0}, "max_offset is -1"),
        ({"steady": -1.0}, "steady is -1"),
    ],
)
def test_settings_that_mean_nothing_are_refused(changes, part):
    with pytest.raises(InputError) as caught:
        LayeredLattice(**changes)
    assert part in str(caught.value)


@given(st.text(alphabet="musclefat=0.5,- ", max_size=30))
def test_no_text_breaks_the_reading(text):
    for name in ("stiffness", "layers", "fatness"):
        try:
            made = LayeredLattice(**{name: text})
        except InputError:
            continue
        assert sum(inner_layers(made.layers).values()) == pytest.approx(1.0)


def test_regions_that_the_character_does_not_have_are_refused(tube):
    for name in ("bone_width", "fatness"):
        with pytest.raises(InputError, match="nose"):
            supple.player(tube, LayeredLattice(**{name: "auto, nose=0.5"}))


# While it plays


def test_what_is_live_can_change_while_it_plays_and_what_is_not_cannot(tube):
    motion = supple.motion("bend", tube, angle=1.2)
    player = supple.player(tube, LayeredLattice(resolution=COARSE))
    before = played(player, motion, 0.2)[-1]
    player.change(stiffness="0.1", frequency="2", iterations=3, gravity=0.0)
    assert np.abs(player.play(motion, 0.2) - before).max() < 1e-6
    player.change(secondary=False)
    after = player.play(motion, 2.3)
    assert np.abs(after - linear(tube, motion, 2.3)[-1]).max() < 1e-6
    for name, value in {"resolution": 20, "width": 5, "neighbors": "faces", "surface": "trilinear"}.items():
        with pytest.raises(InputError, match=name):
            player.change(**{name: value})
    assert {info.name for info in settings_of(LayeredLattice)} >= LayeredLattice.live


class Jumping:
    """Noise of a tenth of the body at every joint, and a jump of three bodies half way."""

    def __init__(self, character):
        self.skeleton = character.skeleton
        self.size = float(np.ptp(character.points, axis=0).max())

    def sample(self, time):
        rng = np.random.default_rng(round(time * 1e4))
        world = self.skeleton.world_from_joint.copy()
        world[:, :3, 3] += 0.1 * self.size * rng.normal(size=(len(world), 3))
        world[:, :3, 3] += 3.0 * self.size * (time > 0.2)
        return Pose(world)


@pytest.mark.parametrize("preset", [None, *LayeredLattice.presets])
def test_noise_and_teleports_do_not_tear_it(tube, preset):
    few = {"resolution": 16}
    skin = LayeredLattice(**few) if preset is None else LayeredLattice.preset(preset, **few)
    source = Jumping(tube)
    player = supple.player(tube, skin)
    for points, carried in zip(played(player, source, 0.4), linear(tube, source, 0.4), strict=True):
        assert np.isfinite(points).all()
        assert np.abs(points - carried).max() < 5.0 * source.size


@pytest.mark.parametrize("kind", SETS)
def test_every_set_of_neighbours_plays(tube, kind):
    motion = supple.motion("bend", tube, angle=1.2)
    points = played(supple.player(tube, LayeredLattice(resolution=16, neighbors=kind)), motion, 0.2)[-1]
    assert np.abs(points - linear(tube, motion, 0.2)[-1]).max() < 0.2


def test_wide_regions_are_firmer(tube):
    """The wider the regions, the farther a pull is felt: less of the swing is left."""
    source = Sliding(tube.skeleton)
    most = []
    for width in (2, 9):
        skin = LayeredLattice(resolution=32, width=width, stiffness="0.9", gravity=0.0)
        frames = played(supple.player(tube, skin), source, 0.4)
        rigid = linear(tube, source, 0.4)
        most.append(max(np.abs(a - b).max() for a, b in zip(frames, rigid, strict=True)))
    assert most[1] < 0.95 * most[0]


def test_a_real_character_plays_its_clip(data_file):
    character = supple.load(data_file("gltf/human_cmu_8clips.glb"))
    motion = character.motions["02_04_jump_balance"]
    frames = played(supple.player(character, LayeredLattice(resolution=48)), motion, 0.5)
    away = np.abs(frames[-1] - linear(character, motion, 0.5)[-1]).max()
    assert 1e-4 < away < 0.2


# Settings and the names that some had


def test_defaults_are_those_that_were_measured():
    usual = LayeredLattice().parameters()
    assert (usual.gravity, usual.rest_includes_gravity, usual.max_offset, usual.secondary) == (9.81, True, 0.5, True)
    assert (usual.stretch, usual.volume) == (0.5, 0.5)
    assert usual.stiffness == (0.0, 0.9, 0.3, 0.8)
    assert usual.frequency == (0.0, 7.0, 3.0, 4.0)
    assert usual.damping == (0.0, 0.2, 0.2, 0.2)
    assert usual.velocity_retention == (0.0, 1.0, 1.0, 1.0)
    assert usual.follow == (0.0, 0.85, 0.85, 0.85)


def test_no_level_has_more_than_nine_settings():
    levels = [info.name.rpartition(".")[0] for info in settings_of(LayeredLattice)]
    assert max(levels.count(level) for level in levels) <= 9


OLD = {
    "layers": "muscle=3, fat=1", "kept": "0.5, fat=0.2", "sculpted": False, "reach": 0.3, "neighbours": "faces",
    "resolution": 20,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_names_and_old_graphs_give_the_same_skin():
    new = LayeredLattice(
        layers={
            "muscle": {"thickness": 3.0, "velocity_retention": 0.5},
            "fat": {"thickness": 1.0, "velocity_retention": 0.2},
            "default": {"velocity_retention": 0.5},
            "skin": {"velocity_retention": 0.5},
        },
        dynamics={"rest_includes_gravity": False, "max_offset": 0.3},
        voxels={"neighbors": "faces", "resolution": 20},
    )
    assert LayeredLattice(**OLD) == new
    assert set(LayeredLattice.renamed) < set(OLD)
    graph = supple.Graph.chain(new)
    data = graph.to_dict()
    assert supple.Graph.from_dict(data) == graph
    data["version"] = 1
    data["stages"][-1]["settings"] = OLD
    assert supple.Graph.from_dict(data) == graph


def test_a_bake_knows_the_order_of_its_layers(tube, tmp_path):
    motion = supple.motion("bend", tube, angle=1.2)
    inside_out, turned = (LayeredLattice(resolution=16, layers=text) for text in ("muscle=1, fat=2", "fat=2, muscle=1"))
    cache = supple.bake(tube, motion, inside_out, fps=10.0, path=tmp_path / "tube.supple")
    assert cache.graph.stages[-1].work.layer_names() == ("muscle", "fat", "skin")
    with pytest.raises(InputError, match="something else"):
        supple.bake(tube, motion, turned, fps=10.0, path=tmp_path / "tube.supple")
