"""Contacts of soft bodies: found on demand or in full, parted by planes, faces and rigid bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from soft_bodies import BODIES, EXACT, Flesh, arm, bent, depth_in, particles_at, trunk_and_limb

import supple
from oracles.inside_tets import joined, lattice, least_barycentric
from supple import Pose, Skeleton
from supple import device as devices
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces, fill
from supple.skins.memory import capture_arrays, restore_arrays
from supple.skins.position_based.contact.collision import build_collision


@pytest.fixture(scope="module")
def hero():
    """The hero filled with about 1500 elements."""
    character = supple.character("hero")
    body = fill(character.points, character.triangles, count=1500)
    near = cKDTree(character.points).query(body.points)[1]
    weights = np.zeros((len(body.points), len(character.skeleton)))
    rows = np.arange(len(near))[:, None]
    np.add.at(weights, (rows, character.weights.joints[near]), character.weights.values[near])
    return Flesh(body.points, body.corners, character.skeleton, weights)


def let_go(contacts, state):
    """Hold nothing any more, but remember how joints were bent."""
    angles = state.angles.numpy().copy()
    contacts.start()
    state.angles.assign(angles)


# Planes


@pytest.mark.parametrize("jacobi", [False, True])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("degrees", [100.0, 130.0, 160.0])
def test_a_bent_elbow_leaves_nobody_on_the_wrong_side(full, degrees, jacobi):
    flesh = arm()
    contacts = flesh.contacts(jacobi=jacobi)
    contacts.set_options(full=full)
    state = contacts.start()
    pose = bent(flesh, np.radians(degrees))
    particles = particles_at(flesh.carried(pose))
    before = particles.numpy().copy()
    contacts.detect(particles, pose.world_from_joint, state)
    at_plane, at_face = contacts.held_particles()
    posed = contacts.planes.pose(pose.world_from_joint)
    points, normals = posed.points, posed.normals
    side = np.where(flesh.joints == 1, 1.0, -1.0)
    heights = side * ((before[:, :3] - points[0]) @ normals[0])
    assert len(at_face) == 0
    assert heights[at_plane].min() < -0.01  # there was something to do
    contacts.project(particles)
    after = particles.numpy()
    heights = side * ((after[:, :3] - points[0]) @ normals[0])
    assert heights[at_plane].min() > -EXACT
    moved = np.flatnonzero((after != before).any(axis=1))
    assert np.isin(moved, at_plane).all()
    contacts.set_options(full=True)
    contacts.detect(particles, pose.world_from_joint, contacts.start())
    assert foreign_pairs(contacts, flesh, after) == []  # nobody is inside an element of the other bone
    # The move is along the normal, and no longer than needed.
    assert np.allclose(np.cross((after - before)[moved, :3], normals[0]), 0.0, atol=EXACT)
    assert np.abs(heights[moved]).max() < EXACT


def test_planes_take_part_of_the_way_when_soft_and_leave_pinned_particles_alone():
    flesh = arm()
    contacts = flesh.contacts()
    contacts.set_options(full=True, stiffness=0.93)
    pose = bent(flesh, np.radians(140.0))
    masses = np.where(np.arange(len(flesh.rest)) % 2 == 0, np.inf, 1.0)
    particles = particles_at(flesh.carried(pose), masses=masses)
    before = particles.numpy().copy()
    contacts.detect(particles, pose.world_from_joint, contacts.start())
    posed = contacts.planes.pose(pose.world_from_joint)
    points, normals = posed.points, posed.normals
    contacts.project(particles)
    after = particles.numpy()
    assert (after[np.isinf(masses)] == before[np.isinf(masses)]).all()
    moved = (after != before).any(axis=1)
    depth = [np.abs((position[moved, :3] - points[0]) @ normals[0]) for position in (before, after)]
    assert np.allclose(depth[1], 0.07 * depth[0], atol=EXACT)
    assert moved.sum() > 10


def test_planes_are_finite():
    """Beyond the plane's end, the same two parts are held off each other by faces."""
    flesh = arm()
    contacts = flesh.contacts()
    contacts.set_options(full=True)
    pose = bent(flesh, np.radians(178.0))
    particles = particles_at(flesh.carried(pose))
    contacts.detect(particles, pose.world_from_joint, contacts.start())
    at_plane, at_face = contacts.held_particles()
    distance = np.linalg.norm(particles.numpy()[:, :3] - [0.6, 0.0, 0.0], axis=1)
    assert contacts.planes.extents[0] == pytest.approx(0.6)
    assert len(at_plane) > 100
    assert len(at_face) > 0
    element = np.sqrt(3.0) * 0.05  # corners of an element that holds a particle are held off as well
    assert distance[at_plane].max() <= 0.6 + element
    assert distance[at_face].min() >= 0.6 - EXACT


def foreign_pairs(contacts, flesh, particles):
    """Particles well inside elements whose corners all belong to another part."""
    found = []
    for particle, element in contacts.hash.pairs.to_host().tolist():
        parts = contacts.binding.parts[flesh.corners[element]]
        deep = min(_barycentric(particles[particle, :3], particles[flesh.corners[element], :3])) > 1e-3
        if (parts != contacts.binding.parts[particle]).all() and deep:
            found.append((particle, element))
    return found


# Faces


def closing(flesh, angle):
    return bent(flesh, -angle, name="limb")


def test_a_limb_is_pushed_out_of_the_trunk_and_both_give_way():
    flesh = trunk_and_limb()
    contacts = flesh.contacts()
    contacts.set_options(full=True)
    random = np.random.default_rng(1)
    masses = random.uniform(0.5, 3.0, len(flesh.rest))
    pose = closing(flesh, 0.3)
    particles = particles_at(flesh.carried(pose), masses=masses)
    before = particles.numpy().copy()
    state = contacts.start()
    contacts.detect(particles, pose.world_from_joint, state)
    at_plane, at_face = contacts.held_particles()
    assert len(at_plane) == 0
    assert len(at_face) > 5
    inside = least_barycentric(before[:, :3], flesh.corners)[at_face].max(axis=1)
    assert inside.min() > -1e-4
    for _ in range(20):
        contacts.project(particles)
    after = particles.numpy()
    moves = (after - before)[:, :3]
    assert np.abs(masses @ moves).max() < 1e-4 * (masses @ np.abs(moves)).max()  # momentum is shared
    trunk = flesh.joints == 0
    assert np.abs(moves[trunk]).max() > 0.005
    assert np.abs(moves[~trunk]).max() > 0.005
    heights = face_heights(contacts, after, at_face)
    assert face_heights(contacts, before, at_face).min() < -0.02
    assert heights.min() > -1e-3


def face_heights(contacts, particles, touching):
    face = contacts._faces.numpy()[contacts._held.face_of.numpy()[touching]]
    a, b, c = (particles[face[:, corner], :3] for corner in range(3))
    normals = quaternions.normalize(np.cross(b - a, c - a))
    return np.einsum("ij,ij->i", particles[touching, :3] - a, normals)


@given(seed=st.integers(0, 10**6), jacobi=st.booleans())
def test_one_face_contact_is_solved_in_one_parting_and_weighed_by_mass(seed, jacobi):
    """The tip of a thorn in the trunk: one parting takes it out; the moves stand as the inverse masses."""
    block = lattice((4, 6, 4), side=0.1, origin=(-0.2, 0.0, -0.2))
    thorn = np.array([[0.5, 0.3, 0.0], [0.5, 0.3, 0.01], [0.5, 0.31, 0.0], [0.49, 0.3, 0.0]])
    flesh = trunk_and_limb()
    flesh.rest, flesh.corners = joined(block, (thorn, np.array([[0, 1, 2, 3]])))
    flesh.weights = np.eye(3)[np.where(np.arange(len(flesh.rest)) < len(block[0]), 0, 2)]
    random = np.random.default_rng(seed)
    contacts = flesh.contacts(jacobi=jacobi)
    contacts.set_options(full=True)
    points = flesh.rest.copy()
    alone = len(points) - 1
    cube = 0.1 * random.integers([1, -1], [5, 1])  # the tip is in the middle of a cube, clear of its corners
    points[alone] = [0.2 - random.uniform(0.005, 0.04), *(cube + random.uniform(0.02, 0.08, 2))]
    masses = random.uniform(0.1, 1.9, len(points))  # heavier ones count as firm and are left alone
    particles = particles_at(points, masses=masses)
    before = particles.numpy().copy()
    contacts.detect(particles, flesh.skeleton.world_from_joint, contacts.start())
    assert contacts.held_particles()[1].tolist() == [alone]
    contacts.project(particles)
    moves = (particles.numpy() - before)[:, :3]
    assert abs(face_heights(contacts, particles.numpy(), [alone])[0]) < EXACT
    assert np.allclose(masses @ moves, 0.0, atol=1e-5 * masses.max())
    assert moves[alone, 0] > 0.0
    assert (moves[flesh.joints == 0, 0] <= 0.0).all()
    assert np.allclose(moves[:, 1:], 0.0, atol=EXACT)


@pytest.mark.parametrize(("depth", "mass", "held"), [(0.03, 1.0, True), (0.03, 4.0, False), (0.19, 1.0, False)])
def test_what_is_firm_or_far_inside_is_not_held_off_faces(depth, mass, held):
    """A hand that the bones drive into a thigh would tear it, and flesh deep in other flesh would jump out."""
    block = lattice((8, 8, 8), side=0.1, origin=(-0.4, 0.0, -0.4))
    thorn = np.array([[0.9, 0.3, 0.0], [0.9, 0.3, 0.01], [0.9, 0.31, 0.0], [0.89, 0.3, 0.0]])
    flesh = trunk_and_limb()
    flesh.rest, flesh.corners = joined(block, (thorn, np.array([[0, 1, 2, 3]])))
    flesh.weights = np.eye(3)[np.where(np.arange(len(flesh.rest)) < len(block[0]), 0, 2)]
    contacts = flesh.contacts()
    contacts.set_options(full=True)
    points, masses = flesh.rest.copy(), np.ones(len(flesh.rest))
    points[-1] = [0.4 - depth, 0.43, 0.03]
    masses[-1] = mass
    contacts.detect(particles_at(points, masses=masses), flesh.skeleton.world_from_joint, contacts.start())
    assert contacts.held_particles()[1].tolist() == ([len(points) - 1] if held else [])


def test_faces_parted_all_at_once_end_where_those_parted_in_turn_do():
    """The mean of what several contacts ask of a particle takes more rounds, and leaves nothing inside either."""
    flesh = trunk_and_limb()
    pose = closing(flesh, 0.3)
    for jacobi, rounds in ((False, 20), (True, 60)):
        contacts = flesh.contacts(jacobi=jacobi)
        contacts.set_options(full=True)
        particles = particles_at(flesh.carried(pose))
        contacts.detect(particles, pose.world_from_joint, contacts.start())
        touching = contacts.held_particles()[1]
        assert face_heights(contacts, particles.numpy(), touching).min() < -0.02
        for _ in range(rounds):
            contacts.project(particles)
        assert face_heights(contacts, particles.numpy(), touching).min() > -1e-3


def test_flesh_of_one_part_does_not_touch_itself():
    flesh = arm()
    flesh.weights = np.tile([1.0, 0.0], (len(flesh.rest), 1))
    contacts = flesh.contacts()
    contacts.set_options(full=True)
    points = flesh.rest * [-1.0, 1.0, 1.0] * np.where(flesh.rest[:, :1] > 0.6, -1.0, 1.0) + [1.2, 0.0, 0.0]
    particles = particles_at(points)
    contacts.detect(particles, flesh.skeleton.world_from_joint, contacts.start())
    assert [len(found) for found in contacts.held_particles()] == [0, 0]


# On demand and in full


def pairs_of(contacts):
    return set(map(tuple, contacts.hash.pairs.to_host().tolist()))


def promised(contacts, flesh, points, pairs, regions):
    """The pairs whose two parts are on the two sides of a region."""
    chosen = set()
    for particle, element in pairs:
        corner = flesh.corners[element][np.argmax(_barycentric(points[particle], points[flesh.corners[element]]))]
        one, other = contacts.binding.parts[particle], contacts.binding.parts[corner]
        for region in regions:
            sides = contacts.regions[region, [one, other]]
            adjacent = contacts.planes.sides()[one, other] >= 0
            if sorted(sides) == [1, 2] and (region < len(contacts.planes) or not adjacent):
                chosen.add((particle, element))
    return chosen


def _barycentric(point, corners):
    three = np.linalg.solve((corners[1:] - corners[0]).T, point - corners[0])
    return [1.0 - three.sum(), *three]


def curling(skeleton, share, seed):
    """The hero curls up: knees, elbows and hips bend, arms close on the body; each seed in another way."""
    random = np.random.default_rng(seed)
    most = {"ForeArm": ([0.0, 1.0, 0.0], 2.4), "Leg": ([1.0, 0.0, 0.0], 2.4), "UpLeg": ([1.0, 0.0, 0.0], -1.9),
            "Arm": ([0.0, 0.0, -1.0], 0.9), "Foot": ([1.0, 0.0, 0.0], -0.5)}  # fmt: skip
    rotations = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for name, (axis, angle) in most.items():
            mirrored = np.array(axis) * [1.0, sign, sign]
            swing = share * angle * random.uniform(0.6, 1.1) + 0.15 * np.sin(9.0 * share + random.uniform(0.0, 6.0))
            rotations[side + name] = quaternions.quat_from_axis_angle(mirrored, swing)
    return Pose.from_rotations(skeleton, rotations)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_on_demand_finds_what_full_finds_wherever_an_angle_fires(hero, seed):
    on_demand, in_full = hero.contacts(), hero.contacts()
    in_full.set_options(full=True)
    states = on_demand.start(), in_full.start()
    last = np.full(len(on_demand.regions), np.inf)
    below = np.minimum(2.0 * np.pi / 3.0, on_demand.binding.rest_angles)
    wanted = 0
    for share in np.sin(np.linspace(0.0, np.pi, 30)):
        pose = curling(hero.skeleton, share, seed).world_from_joint
        points = hero.carried(Pose(pose))
        particles = particles_at(points)
        for contacts, state in zip((on_demand, in_full), states, strict=True):
            contacts.detect(particles, pose, state)
        posed = on_demand.planes.pose(pose)
        angles = np.concatenate([posed.flexion, posed.adduction])
        fires = np.flatnonzero((angles < below) & (angles < last - 1e-6))
        last = angles
        everything = pairs_of(in_full)
        must = promised(on_demand, hero, points.astype(np.float32), everything, fires)
        assert must <= pairs_of(on_demand) <= everything
        wanted += len(must)
    assert wanted > 100


def test_the_gap_a_leg_that_comes_to_a_stretched_arm(hero):
    """No angle closes when a leg is lifted sideways to an arm that hangs still: only the full search sees it."""
    arm_parts = np.isin(hero.joints, hero.skeleton.descendants(hero.skeleton.index("LeftForeArm")))
    found = {}
    for full in (True, False):
        contacts = hero.contacts()
        contacts.set_options(full=full)
        state = contacts.start()
        for lift in np.linspace(0.0, 0.9, 10):
            pose = Pose.from_rotations(
                hero.skeleton,
                {
                    "LeftArm": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], -0.6),
                    "LeftUpLeg": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], lift),
                },
            )
            contacts.detect(particles_at(hero.carried(pose)), pose.world_from_joint, state)
            if lift == 0.0:
                let_go(contacts, state)  # what touches in the first pose is not the question
        touching = np.concatenate(contacts.held_particles())
        found[full] = int(arm_parts[touching].sum())
    assert found[True] > 0
    assert found[False] == 0


def test_a_joint_that_stops_in_full_bend_keeps_its_contacts_and_goes_on_looking():
    flesh = arm()
    contacts = flesh.contacts()
    state = contacts.start()
    straight, folded = bent(flesh, 0.2), bent(flesh, np.radians(120.0))
    contacts.detect(particles_at(flesh.carried(straight)), straight.world_from_joint, state)
    assert len(contacts.held_particles()[0]) == 0
    points = flesh.carried(folded)
    deep = particles_at(points)
    contacts.detect(deep, folded.world_from_joint, state)
    first = contacts.held_particles()[0]
    assert len(first) > 10
    before = deep.numpy().copy()
    contacts.project(deep)
    crossed = np.flatnonzero((deep.numpy() != before).any(axis=1))
    contacts.detect(deep, folded.world_from_joint, state)  # it holds still, and nobody is inside anything now
    assert len(crossed) > 10
    assert set(crossed) <= set(contacts.held_particles()[0])
    points[:, 1] += 0.05 * (flesh.joints == 0)  # flesh that goes on moving: other particles come in
    contacts.detect(particles_at(points), folded.world_from_joint, state)
    assert len(pairs_of(contacts)) > 0
    assert len(set(contacts.held_particles()[0]) - set(first)) > 0
    for angle in (1.5, 0.8, 0.1):
        pose = bent(flesh, angle)
        contacts.detect(particles_at(flesh.carried(pose)), pose.world_from_joint, state)
    assert len(contacts.held_particles()[0]) == 0  # opened
    assert len(pairs_of(contacts)) == 0


def test_an_opening_joint_without_contacts_is_not_searched():
    flesh = arm()
    contacts = flesh.contacts()
    state = contacts.start()
    for degrees in (20.0, 160.0):  # a teleport into full bend, then opening
        pose = bent(flesh, np.radians(degrees))
        contacts.set_pose(pose.world_from_joint, state)
    let_go(contacts, state)
    opening = bent(flesh, np.radians(150.0))
    contacts.detect(particles_at(flesh.carried(opening)), opening.world_from_joint, state)
    assert pairs_of(contacts) == set()


def test_faces_are_let_go_when_a_particle_slides_off_or_away():
    flesh = trunk_and_limb()
    contacts = flesh.contacts()
    contacts.set_options(full=True)
    state = contacts.start()
    rest = flesh.skeleton.world_from_joint
    points = flesh.rest.copy()
    alone = len(points) - 1
    for position, held in (
        ([0.18, 0.3, 0.0], True),
        ([0.21, 0.3, 0.0], True),
        ([0.21, 0.32, 0.01], True),
        ([0.21, 0.55, 0.15], False),
        ([0.18, 0.3, 0.0], True),
        ([0.35, 0.3, 0.0], False),
    ):
        points[alone] = position
        contacts.detect(particles_at(points), rest, state)
        assert (contacts.held_particles()[1].tolist() == [alone]) is held


def test_a_checkpoint_brings_contacts_back():
    flesh = arm()
    contacts = flesh.contacts()
    state = contacts.start()
    poses = [bent(flesh, angle) for angle in (1.0, 2.0, 2.2, 2.2)]
    for pose in poses[:3]:
        contacts.detect(particles_at(flesh.carried(pose)), pose.world_from_joint, state)
    kept = capture_arrays(state, "contacts")
    contacts.detect(particles_at(flesh.carried(poses[3])), poses[3].world_from_joint, state)
    wanted = capture_arrays(state, "contacts")
    again = contacts.start()
    assert len(contacts.held_particles()[0]) == 0
    restore_arrays(again, "contacts", kept)
    contacts.detect(particles_at(flesh.carried(poses[3])), poses[3].world_from_joint, again)
    for name, values in capture_arrays(again, "contacts").items():
        assert np.array_equal(values, wanted[name]), name


def test_a_crowd_is_its_members():
    flesh = arm()
    angles = (0.5, 2.0, 2.6)
    poses = [bent(flesh, angle) for angle in angles]
    crowd = flesh.contacts(copies=3)
    state = crowd.start()
    together = particles_at(np.concatenate([flesh.carried(pose) for pose in poses]))
    crowd.detect(together, np.stack([pose.world_from_joint for pose in poses]), state)
    crowd.project(together)
    for copy, pose in enumerate(poses):
        single = flesh.contacts()
        alone = particles_at(flesh.carried(pose))
        single.detect(alone, pose.world_from_joint, single.start())
        single.project(alone)
        own = slice(copy * len(flesh.rest), (copy + 1) * len(flesh.rest))
        assert np.array_equal(together.numpy()[own], alone.numpy())
        assert np.array_equal(state.plane_of.numpy()[own], single._held.plane_of.numpy())
    assert (state.plane_of.numpy() >= 0).any()


# Strange bodies and wrong input


@pytest.mark.parametrize("kind", ["one place", "random", "not numbers", "far"])
def test_strange_places_make_no_strange_numbers(kind):
    flesh = arm()
    contacts = flesh.contacts(bodies=list(BODIES.values()))
    contacts.set_options(full=True)
    state = contacts.start()
    random = np.random.default_rng(23)
    points = {
        "one place": np.zeros_like(flesh.rest),
        "random": random.uniform(0.0, 1.0, flesh.rest.shape),
        "not numbers": np.where(random.uniform(size=(len(flesh.rest), 1)) < 0.2, np.nan, flesh.rest),
        "far": flesh.rest + 1e6,
    }[kind]
    particles = particles_at(points)
    for _ in range(3):
        contacts.detect(particles, bent(flesh, 2.0).world_from_joint, state)
        contacts.project(particles)
    were = np.isfinite(points).all(axis=1)
    after = particles.numpy()
    if kind != "not numbers":
        assert np.isfinite(after).all()
    else:
        assert np.isfinite(after[were]).mean() > 0.5  # faces with a lost corner may lose more
    assert np.abs(after[np.isfinite(after)]).max() < 2e6


def test_a_skeleton_of_one_joint_or_of_no_length_has_no_planes():
    flesh = arm()
    for skeleton in (
        Skeleton.from_heads(["a"], [-1], np.zeros((1, 3))),
        Skeleton.from_heads(["a", "b"], [-1, 0], np.zeros((2, 3))),
    ):
        bare = Flesh(flesh.rest, flesh.corners, skeleton, np.eye(len(skeleton))[np.zeros(len(flesh.rest), dtype=int)])
        contacts = bare.contacts(bodies=[BODIES["sphere"]])
        particles = particles_at(flesh.rest)
        contacts.detect(particles, skeleton.world_from_joint, contacts.start())
        contacts.project(particles)
        assert depth_in(BODIES["sphere"], particles.numpy()[:, :3]).max() < EXACT


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"below": 0.5}, "below is 0.5"),
        ({"below": 4.0}, "pi/3 to pi"),
        ({"stiffness": 1.5}, "stiffness is 1.5"),
        ({"stiffness": -0.1}, "stiffness is -0.1"),
    ],
)
def test_knobs_have_ranges(options, words):
    contacts = arm().contacts()
    contacts.set_options(below=np.pi, stiffness=0.0)
    with pytest.raises(InputError, match=words):
        contacts.set_options(**options)


def test_wrong_input_is_refused_in_words():
    flesh = arm()
    faces = boundary_faces(Tetrahedra(flesh.rest, flesh.corners))
    good = {"joints": flesh.joints, "skeleton": flesh.skeleton}
    with pytest.raises(InputError, match="faces name number 9999"):
        build_collision(flesh.rest, flesh.corners, [[0, 1, 9999]], **good)
    with pytest.raises(InputError, match="joints name number 2"):
        build_collision(flesh.rest, flesh.corners, faces, **good | {"joints": flesh.joints + 1})
    with pytest.raises(InputError, match="joints has shape"):
        build_collision(flesh.rest, flesh.corners, faces, **good | {"joints": [0]})
    contacts = build_collision(flesh.rest, flesh.corners, faces, **good)
    with pytest.raises(InputError, match="one pose for each copy"):
        contacts.set_pose(np.zeros((3, 4, 4)), contacts.start())
    for wrong in (particles_at(flesh.rest[:-1]), devices.to_device(flesh.rest, devices.warp().vec3f, "cpu")):
        with pytest.raises(InputError, match="of vec4f are needed"):
            contacts.find(wrong)
        with pytest.raises(InputError, match="of vec4f are needed"):
            contacts.project(wrong)


# CUDA


@pytest.mark.cuda
def test_cuda_does_what_the_cpu_does():
    flesh = arm()
    results = {}
    for device in ("cpu", "cuda:0"):
        contacts = flesh.contacts(device=device, bodies=list(BODIES.values()), copies=2, jacobi=True)
        state = contacts.start()
        for angle in (1.8, 2.2):
            poses = [bent(flesh, angle), bent(flesh, angle + 0.3)]
            # Aside: who lies in a plane of symmetry of what it meets is parted to the side that rounding has.
            positions = np.concatenate([flesh.carried(pose) for pose in poses]) + np.array([0.0, 0.0, 1.3e-3])
            particles = particles_at(positions, device)
            contacts.detect(particles, np.stack([pose.world_from_joint for pose in poses]), state)
            contacts.project(particles)
        results[device] = (state.plane_of.numpy().copy(), particles.numpy().copy())
    assert (results["cpu"][0] == results["cuda:0"][0]).mean() > 0.99  # rounding decides on a side of an element
    same = results["cpu"][0] == results["cuda:0"][0]
    assert np.allclose(results["cpu"][1][same], results["cuda:0"][1][same], atol=1e-4)


@pytest.mark.cuda
def test_cuda_parts_faces_alike_every_time():
    flesh = trunk_and_limb()
    pose = closing(flesh, 0.3)
    results = []
    for _ in range(3):
        contacts = flesh.contacts(device="cuda:0")
        contacts.set_options(full=True)
        particles = particles_at(flesh.carried(pose), "cuda:0")
        contacts.detect(particles, pose.world_from_joint, contacts.start())
        before = face_heights(contacts, particles.numpy(), contacts.held_particles()[1])
        for _ in range(40):
            contacts.project(particles)
        results.append(particles.numpy().copy())
        assert face_heights(contacts, particles.numpy(), contacts.held_particles()[1]).min() > 0.1 * before.min()
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])
