"""Incremental rotation and spring rigs: the laws of all skins, slow readable oracles, and how they look."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_kinematic_skins import moved, random_pose, random_rigid

import supple
from conftest import make_tube
from oracles import expressive as oracle
from supple import IncrementalRotation, Pose, Skeleton, SpringDynamics, SpringRig
from supple.character.builtin import CHARACTERS
from supple.device import use_threads
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.segments import distances_to_segments
from supple.geometry.topology import neighbors, signed_volume
from supple.skins.springs.attachment.attachment import attach
from supple.skins.springs.attachment.weights import with_reaches
from supple.skins.springs.binding import KINDS
from supple.skins.springs.step import CHECK, pose_springs

SKINS = [
    IncrementalRotation(),
    IncrementalRotation.preset("published"),
    IncrementalRotation(squash=1.0, binding="planar"),
    SpringRig(),
    SpringRig.preset("published", until="sweeps"),
    SpringRig(base="rotation-centers"),
]
NAMES = [f"{skin.command_name}{number}" for number, skin in enumerate(SKINS)]
_TUBE = make_tube(bones=6)
seeds = st.integers(0, 2**32 - 1)


def turned(skeleton, **angles):
    """A pose with named joints turned about z by angles [rad]."""
    rotations = {name: quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], angle) for name, angle in angles.items()}
    return Pose.from_rotations(skeleton, rotations)


def posed(character, skin, pose):
    return supple.player(character, skin).advance(pose).astype(np.float64)


# The laws of all skins


@pytest.mark.parametrize("skin", SKINS, ids=NAMES)
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_rigid_motion_in_rigid_motion_out(skin, seed):
    """Springs are brought to rest: on the way there their swing magnifies rounding, a hundred times in deep folds."""
    still = replace(skin, iterations=300) if isinstance(skin, SpringRig) else skin
    player = supple.player(_TUBE, still)
    pose, carry = random_pose(_TUBE.skeleton, seed, angle=0.7), random_rigid(seed + 1)
    here, there = player.advance(pose), player.advance(pose.moved(carry))
    assert np.abs(there - moved(here.astype(np.float64), carry)).max() < 2e-5


@pytest.mark.parametrize("name", list(CHARACTERS))
def test_laws_hold_on_every_built_in_character(name):
    character = supple.character(name, vertices=1000)
    pose, carry = random_pose(character.skeleton, 3, angle=0.4), random_rigid(4)
    for skin in SKINS:
        player = supple.player(character, skin)
        still = player.advance(Pose.rest(character.skeleton))
        assert np.abs(still - character.points).max() < 1e-6, skin
        here, there = player.advance(pose), player.advance(pose.moved(carry))
        assert np.isfinite(here).all()
        assert np.abs(there - moved(here.astype(np.float64), carry)).max() < 1e-4, skin


@pytest.mark.parametrize("skin", [SKINS[0], SpringRig(iterations=10)], ids=["incremental", "springs"])
def test_the_number_of_threads_changes_no_bit(skin):
    character = make_tube(rings=110, sectors=40, bones=6)  # enough for two ranges
    pose = random_pose(character.skeleton, 11)
    results = []
    for count in (1, 2, 5):
        with use_threads(count):
            results.append(supple.player(character, skin).advance(pose))
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


def test_a_character_without_weights_is_enough():
    bare = make_tube(bones=3).replace(weights=None)
    pose = turned(bare.skeleton, bone1=1.0)
    for skin in (IncrementalRotation(), SpringRig()):
        assert np.isfinite(posed(bare, skin, pose)).all()
    with pytest.raises(InputError, match="no skin weights"):
        supple.player(bare, IncrementalRotation(binding="weights"))


SHAPED = [
    IncrementalRotation(),
    IncrementalRotation(correction=0.0),
    SpringRig(),
    SpringRig(base="linear"),
    SpringDynamics(),
]


def with_bump(character, size=0.15):
    """With a morph target over the first joint: a smooth bump out of the skin and along it."""
    near = np.clip(1.0 - np.linalg.norm(character.points - [0.25, 0.7, 0.0], axis=1) / 0.5, 0.0, 1.0)
    return character.replace(shapes={"bump": size * near[:, None] * [0.9, 0.4, 0.2]})


@pytest.mark.parametrize("skin", SHAPED, ids=lambda s: s.command_name)
def test_morph_targets_come_out_whole_at_rest(skin):
    character = with_bump(make_tube(rings=25, sectors=16, bones=3))
    rest = character.skeleton.world_from_joint
    player = supple.player(character, skin)
    for share in (1.0, -0.5, 0.0, 0.7):
        wanted = character.points + share * character.shapes["bump"]
        player.reset()
        assert np.abs(player.advance(Pose(rest, shapes={"bump": share})) - wanted).max() < 1e-6
    player.reset()
    assert np.abs(player.advance(Pose.rest(character.skeleton)) - character.points).max() < 1e-6


@pytest.mark.parametrize("skin", SHAPED, ids=lambda s: s.command_name)
def test_a_morph_target_in_full_is_the_same_as_a_character_made_like_that(skin):
    """In a bend, and with a bone that grows, as far as the attachment itself does not change with the shape."""
    plain = make_tube(rings=25, sectors=16, bones=3)
    plain = attach(plain).kept_in(plain)
    shaped = with_bump(plain, size=0.03)
    made = plain.replace(points=shaped.points + shaped.shapes["bump"])
    pose = turned(plain.skeleton, bone1=0.8)
    world = pose.world_from_joint.copy()
    world[2, :3, 3] += 0.2 * (world[2, :3, 3] - world[1, :3, 3])
    for one in (pose, Pose(world)):
        found = posed(shaped, skin, Pose(one.world_from_joint, shapes={"bump": 1.0}))
        assert np.abs(found - posed(made, skin, one)).max() < 0.1 * np.abs(found - posed(plain, skin, one)).max()


# Incremental rotation


def chain_pose(bones, seed, move=0.0):
    """A chain along y in a random pose, its heads with the last tail, and the bones' turns."""
    character = make_tube(rings=41, sectors=8, bones=bones)
    pose = random_pose(character.skeleton, seed, angle=1.2, move=move)
    skinning = pose.skinning(character.skeleton)
    tail = moved(character.skeleton.tails[-1], skinning[-1])
    heads = np.concatenate([pose.world_from_joint[:, :3, 3], [tail]])
    rest_heads = np.concatenate([character.skeleton.heads, character.skeleton.tails[-1:]])
    return character, pose, heads, rest_heads, skinning[:, :3, :3]


@pytest.mark.parametrize(("reach", "move"), [(0.5, 0.0), (1.0, 0.0), (0.2, 0.1), (0.0, 0.1)])
def test_incremental_rotation_equals_the_published_formulas(reach, move):
    character, pose, heads, rest_heads, rotations = chain_pose(4, 5, move)
    skin = IncrementalRotation(reach=reach, soften=0.0, correction=0.0, firm_ends=False)
    found = posed(character, skin, pose)
    attachment = attach(character)
    for vertex in range(0, len(character.points), 7):
        expected = oracle.incremental(
            4,
            character.points[vertex],
            attachment.segment[vertex],
            attachment.along[vertex],
            rest_heads=rest_heads,
            heads=heads,
            rotations=rotations,
            reach=reach,
        )
        assert np.abs(found[vertex] - expected).max() < 2e-6


def test_reaches_by_joint_are_used():
    tube = make_tube(bones=2)
    pose = turned(tube.skeleton, bone1=1.0)
    skin = IncrementalRotation(soften=0.0)
    near = posed(with_reaches(tube, {"bone1": 0.1}), skin, pose)
    rigid = posed(tube, IncrementalRotation.preset("rigid"), pose)
    far = np.abs(tube.points[:, 1] - 1.0) > 0.12
    assert np.abs(near - rigid)[far].max() < 1e-6
    assert np.abs(posed(tube, skin, pose) - rigid)[far].max() > 0.02


@pytest.mark.parametrize("skin", [IncrementalRotation(), SpringRig()], ids=["incremental", "springs"])
def test_a_longer_bone_scales_the_limb_along_it_and_not_across_it(skin):
    """The second joint of a chain is moved out: all of the first bone grows evenly, the second one goes along."""
    tube = make_tube(bones=2, rings=65)
    world = tube.skeleton.world_from_joint.copy()
    world[1, 1, 3] += 0.5
    found = posed(tube, skin, Pose(world))
    low = (tube.points[:, 1] > 0.3) & (tube.points[:, 1] < 0.6)  # the free end hangs a little further in
    assert np.abs(found[low][:, 1] - 1.5 * tube.points[low][:, 1]).max() < 1e-3
    side = np.linalg.norm(tube.points[:, [0, 2]], axis=1) > 0.2
    across = np.linalg.norm(found[side][:, [0, 2]], axis=1)
    assert np.abs(across / 0.25 - 1.0).max() < 0.02


def test_squash_keeps_the_volume_of_a_bone_that_grows():
    tube = make_tube(bones=1, rings=41)
    skeleton = Skeleton.from_heads(
        ["a", "b"], [-1, 0], [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]], tails=[[0, 2, 0], [0, 2, 0]]
    )
    tube = tube.replace(skeleton=skeleton, weights=None)
    volume = signed_volume(tube.points, tube.triangles)
    for length in (0.5, 1.6, 3.0):
        world = skeleton.world_from_joint.copy()
        world[1, 1, 3] = 2.0 * length
        plain = posed(tube, IncrementalRotation(rounds=0, soften=0.0, reach=0.0), Pose(world))
        kept = posed(tube, IncrementalRotation(squash=1.0, rounds=0, soften=0.0, reach=0.0), Pose(world))
        assert signed_volume(plain, tube.triangles) / volume == pytest.approx(length, rel=1e-3)
        assert signed_volume(kept, tube.triangles) / volume == pytest.approx(1.0, rel=1e-3)


def test_a_head_keeps_its_shape_and_a_tail_gives_way():
    """A last bone as short as it is thick turns with its joint nearly as a whole; a long one is bent along it."""
    for bones, firm in ((8, True), (2, False)):
        tube = make_tube(bones=bones, rings=65)
        pose = turned(tube.skeleton, **{f"bone{bones - 1}": 0.8})
        rigid = posed(tube, IncrementalRotation.preset("rigid"), pose)
        last = tube.points[:, 1] > 2.0 - 0.75 * 2.0 / bones  # its outer three quarters
        change = np.abs(posed(tube, IncrementalRotation(soften=0.0), pose) - rigid)[last].max()
        assert bool(change < 1e-6) is firm


def test_length_correction_rounds_the_outside_of_a_bend():
    """Without it scale vectors lean towards the joint and the outside comes to a point at it."""
    tube = make_tube(bones=2, rings=81)
    pose = turned(tube.skeleton, bone1=np.pi / 2.0)
    outside = (tube.points[:, 0] > 0.249) & (np.abs(tube.points[:, 1] - 1.0) < 0.5)
    for correction, least in ((0.0, 0.0), (1.0, 0.98)):
        found = posed(tube, IncrementalRotation(correction=correction, soften=0.0), pose)
        share = radius(tube, found, pose)[outside] / 0.25
        assert share.max() < 1.02
        assert (share.min() > least) if correction else (share.min() < 0.9)


# How they look: twists and bends


def radius(character, points, pose):
    """Distance of every vertex from the posed bones."""
    bones = character.skeleton.bones
    carried = pose.skinning(character.skeleton)[bones.joints]
    starts, ends = (
        np.einsum("bij,bj->bi", carried[:, :3, :3], positions) + carried[:, :3, 3]
        for positions in (bones.starts, bones.ends)
    )
    return distances_to_segments(points, starts, ends)[0].min(axis=1)


@pytest.fixture(scope="module")
def cylinder():
    return make_tube(rings=65, sectors=24, bones=2, closed=False)


def twisted(character):
    rotation = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], np.radians(135.0))
    return Pose.from_rotations(character.skeleton, {"bone1": rotation})


@pytest.mark.parametrize("skin", [IncrementalRotation(), SpringRig(), SpringRig(base="rigid")], ids=str)
def test_a_twist_does_not_collapse_and_is_spread_over_the_length(skin, cylinder):
    """No section below 0.9 of the radius, and no ring takes more than a small part of the twist."""
    found = posed(cylinder, skin, twisted(cylinder))
    rings = found.reshape(65, 24, 3)
    share = np.linalg.norm(rings[:, :, [0, 2]], axis=2) / 0.25
    assert share.min() > 0.9
    rest = cylinder.points.reshape(65, 24, 3)
    rotation = np.angle((rings[:, 0, 0] + 1j * rings[:, 0, 2]) / (rest[:, 0, 0] + 1j * rest[:, 0, 2]))
    steps = np.abs(np.diff(np.unwrap(rotation)))
    assert abs(np.unwrap(rotation)[-1] - np.unwrap(rotation)[0]) > np.radians(125.0)
    assert steps.max() < np.radians(135.0) / 8.0


def test_equilibrium_does_not_depend_on_the_start(cylinder):
    """From rigid, linear and dual quaternion starts within 1 % of the limb's radius of each other."""
    for pose in (twisted(cylinder), turned(cylinder.skeleton, bone1=np.pi / 2.0)):
        ends = [
            posed(cylinder, SpringRig(base=base, iterations=600, until="sweeps"), pose)
            for base in ("rigid", "linear", "dual-quaternion", "incremental")
        ]
        for end in ends[1:]:
            assert np.linalg.norm(end - ends[0], axis=1).max() < 0.01 * 0.25


def test_fifty_sweeps_with_swing_do_what_five_hundred_do_without(cylinder):
    pose = twisted(cylinder)
    sweeps = SpringRig(base="rigid", solver="sweeps")
    rest = posed(cylinder, replace(sweeps, iterations=3000), pose)
    quick = posed(cylinder, sweeps, pose)
    plain = posed(cylinder, replace(sweeps, iterations=500, momentum=0.0), pose)
    slow = posed(cylinder, replace(sweeps, momentum=0.0), pose)
    far_quick, far_plain, far_slow = (np.linalg.norm(x - rest, axis=1).max() for x in (quick, plain, slow))
    assert far_quick < 0.02 * 0.25
    assert far_plain < 0.02 * 0.25
    assert far_slow > 5.0 * far_quick


def test_a_bend_keeps_its_girth_and_does_not_stretch_its_skin_out(cylinder):
    """The probe without girth and hold had least radii of 0.87 and edges of two to three times their length."""
    pose = turned(cylinder.skeleton, bone1=np.pi / 2.0)
    found = posed(cylinder, SpringRig(), pose)
    share = radius(cylinder, found, pose) / 0.25
    near = neighbors(cylinder.triangles, len(cylinder.points))
    owner = np.repeat(np.arange(len(found)), np.diff(near.starts))
    length, rest = (np.linalg.norm(x[near.indices] - x[owner], axis=1) for x in (found, cylinder.points))
    assert share.max() < 1.05
    assert share.min() > 0.75  # on the inside, where the two halves meet
    assert (length / rest).max() < 1.6


# Springs


def test_a_sweep_equals_hookes_law_written_out():
    """One sweep from a shape that is no equilibrium, without swing, against double precision and plain angles."""
    tube = make_tube(rings=9, sectors=7, bones=2, closed=False)
    pose = turned(tube.skeleton, bone1=0.8)
    k = {"edges": 1.3, "relative_radius": 0.7, "bend": 0.9, "radius": 2.0, "bones": 0.6, "twist": 0.4}
    sweep = {"solver": "sweeps", "iterations": 1, "momentum": 0.0, "step_scale": 0.05}
    skin = SpringRig(base="linear", stiffness=k, **sweep)
    start = posed(tube, supple.LinearBlend(), pose)
    found = posed(tube, skin, pose)
    springs = skin.allocate(skin.bind(tube, "cpu")).springs
    pose_springs(springs, pose)
    hung, skeleton = springs.binding.attached_skin.usual, springs.attached
    attached = skeleton.attachment_points.numpy().astype(np.float64)
    aim = posed(tube, IncrementalRotation(), pose)
    ring = neighbors(tube.triangles, len(tube.points))
    rings = [ring.of(i) for i in range(len(tube.points))]
    bones = skeleton.segments.directions
    carried = skeleton.directions.numpy()
    for i in range(len(tube.points)):
        fine = min(springs.binding.edge_size[i] / hung.rest_lengths[i], 1.0) ** 2
        scaled = {kind: k[kind] * (fine if kind in ("radius", "bones", "twist") else 1.0) for kind in KINDS}
        own = hung.owners[i]
        force = oracle.pull(
            i,
            start,
            attached=attached,
            rest_points=tube.points,
            rest_attached=hung.rest_attached,
            rings=rings,
            bone=carried[own],
            rest_bone=bones[own],
            aim=aim,
            k=scaled,
            slack=0.2,
        )
        assert np.abs(found[i] - start[i] - 0.05 * force).max() < 2e-6


def test_energy_falls_from_sweep_to_sweep(cylinder):
    pose = turned(cylinder.skeleton, bone1=1.2)
    skin = SpringRig(step_scale=0.3, momentum=0.0)
    state = skin.allocate(skin.bind(cylinder, "cpu"))
    springs = state.springs
    start = supple.player(cylinder, supple.LinearBlend()).advance(pose)
    from supple import device as devices

    pose_springs(springs, pose)
    state.begin(devices.to_device(start, devices.warp().vec3f, "cpu"))
    energies = [springs.energy()]
    for _ in range(30):
        state.sweeps.run(2)
        energies.append(springs.energy())
    assert energies[-1] < 0.5 * energies[0]
    assert (np.diff(energies) < 1e-6 * energies[0]).all()


@pytest.mark.parametrize("until", ["movement", "force", "energy"])
def test_it_stops_when_there_is_nothing_left_to_do(until, cylinder):
    player = supple.player(cylinder, SpringRig(until=until, iterations=1000, threshold=1e-5))
    state = player._nodes[-1].state
    player.advance(Pose.rest(cylinder.skeleton))
    assert state.sweeps_done <= 2 * CHECK
    found = player.advance(turned(cylinder.skeleton, bone1=1.2))
    assert CHECK < state.sweeps_done < 1000
    far = posed(cylinder, SpringRig(until="sweeps", iterations=3000), turned(cylinder.skeleton, bone1=1.2))
    assert np.abs(found - far).max() < 0.02 * 0.25


def test_it_takes_no_more_sweeps_than_it_may(cylinder):
    for until, allowed in (("sweeps", 7), ("movement", 13), ("energy", 13)):
        player = supple.player(cylinder, SpringRig(until=until, iterations=allowed, threshold=0.0))
        player.advance(turned(cylinder.skeleton, bone1=1.2))
        assert player._nodes[-1].state.sweeps_done <= allowed
    with pytest.raises(InputError, match="iterations is 0"):
        SpringRig(iterations=0)


stiff = st.sampled_from([0.0, 1e-9, 0.3, 1.0, 7.5, 1e6, 1e12])


@settings(max_examples=40, deadline=None)
@given(
    seed=seeds,
    k=st.fixed_dictionaries(dict.fromkeys(KINDS, stiff)),
    step_scale=st.sampled_from([0.0, 1.0 / 30.0, 10.0, 1e12]),
    momentum=st.sampled_from([0.0, 0.9, 0.98]),
    base=st.sampled_from(["rigid", "linear", "incremental"]),
    solver=st.sampled_from(["factored", "sweeps"]),
)
def test_no_setting_makes_it_diverge(seed, k, step_scale, momentum, base, solver):
    """Two thousand sweeps, or what stands for them, with any stiffness and step leave every vertex near the body."""
    tube = make_tube(rings=9, sectors=6, bones=3)
    skin = SpringRig(base=base, iterations=2000, step_scale=step_scale, momentum=momentum, stiffness=k, solver=solver)
    found = posed(tube, skin, random_pose(tube.skeleton, seed, angle=1.5))
    assert np.isfinite(found).all()
    start = posed(tube, IncrementalRotation.preset("rigid"), random_pose(tube.skeleton, seed, angle=1.5))
    assert np.abs(found - start.mean(axis=0)).max() < 10.0  # a tube of length two


def hostile():
    """Vertices on the bones, vertices in no triangle, and triangles without area."""
    tube = make_tube(rings=9, sectors=6, bones=3)
    extra = np.array([[0.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.4, 1.0, 0.0], [0.0, 0.5, 0.0]])
    count = len(tube.points)
    faces = [[count, 3, 4], [count + 1, count, 5], [count + 3, count, count + 3]]
    points, triangles = np.concatenate([tube.points, extra]), np.concatenate([tube.triangles, faces])
    return supple.Character(points, triangles, tube.skeleton)


@pytest.mark.parametrize("skin", [*SKINS[:5], SpringRig(edges=1e6, step_scale=10.0), SpringRig(bend=1e6)], ids=str)
def test_hostile_meshes_give_sensible_results(skin):
    character = hostile()
    if skin.base_skin() is not None and skin.base == "rotation-centers":
        skin = SpringRig()
    player = supple.player(character, skin)
    still = player.advance(Pose.rest(character.skeleton))
    assert np.abs(still - character.points).max() < 1e-6
    found = player.advance(turned(character.skeleton, bone1=1.0, bone2=-0.7))
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 3.0
    lonely = posed(character, IncrementalRotation.preset("rigid"), turned(character.skeleton, bone1=1.0, bone2=-0.7))
    assert np.linalg.norm(found[-2] - lonely[-2]) < 0.5  # in no triangle: it goes with its bone


def test_stiffness_can_be_painted(cylinder):
    """Skin painted without hold and girth gives way where it is painted, and nowhere far from it."""
    pose = twisted(cylinder)
    upper = cylinder.points[:, 1] > 1.2
    skin = SpringRig(iterations=300, until="sweeps")
    plain = posed(cylinder, skin, pose)
    painted = cylinder.replace(maps={"stiffness_radius": np.where(upper, 0.0, 1.0)})
    loose = posed(painted, skin, pose)
    change = np.linalg.norm(loose - plain, axis=1)
    assert change[upper].max() > 10.0 * change[cylinder.points[:, 1] < 0.5].max()
    even = posed(cylinder.replace(maps={"stiffness": np.full(len(upper), 3.0)}), skin, pose)
    assert np.abs(even - plain).max() < 1e-5  # only ratios count


def test_a_graph_may_give_it_any_skin():
    graph = supple.Graph.chain(supple.LinearBlend(), supple.DeltaMush(), SpringRig())
    assert [stage.name for stage in graph.stages] == ["linear", "delta-mush", "springs"]
    found = supple.player(_TUBE, graph).advance(random_pose(_TUBE.skeleton, 2, angle=0.5))
    assert np.isfinite(found).all()
    assert supple.Graph.from_dict(graph.to_dict()) == graph
