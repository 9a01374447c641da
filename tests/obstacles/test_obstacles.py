"""Things of the world: distances and ways out, where they are, what they weigh, how they fall and bounce."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import sphere

from oracles import contact_detection as oracle
from supple import device as devices
from supple.errors import InputError
from supple.geometry import quaternions
from supple.obstacles import BakedSkin, Box, Capsule, Free, Keys, MovingMesh, Pendulum, Plane, Sphere, Straight
from supple.obstacles.contact_impulses import resolve_contacts
from supple.obstacles.device_bodies import DeviceBodies
from supple.obstacles.dynamic_bodies import DynamicBodies
from supple.obstacles.inertia import mass_properties

EXACT = 3e-6  # [m]: single precision at a metre or two
BALL = sphere(6, radius=0.4)
positions = st.tuples(*[st.floats(-1.0, 1.0)] * 3)
turned = st.builds(
    lambda at, axis, angle: quaternions.compose(np.array(at), quaternions.quat_from_axis_angle(np.array(axis), angle)),
    positions,
    st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.1, 1.0)),
    st.floats(-3.0, 3.0),
)
sizes = st.floats(0.05, 0.8)
shapes = st.one_of(
    st.builds(lambda at, r: Sphere(radius=r, at=at), positions, sizes),
    st.builds(lambda at, r, h: Capsule(radius=r, length=h, at=at), turned, sizes, st.floats(0.0, 0.8)),
    st.builds(lambda at, *sides: Box(sides=sides, at=at), turned, sizes, sizes, sizes),
    st.builds(lambda at: Plane(at=at), turned),
    st.builds(lambda at: MovingMesh(points=BALL[0], triangles=BALL[1], at=at), turned),
)


@settings(max_examples=40, deadline=None)
@given(shapes, st.integers(0, 2**31))
def test_distances_are_those_of_the_definition_and_ways_out_their_slope(body, seed):
    points = np.random.default_rng(seed).uniform(-1.3, 1.3, (40, 3))
    distances, ways = body.surface(points)
    assert np.allclose(distances, oracle.signed_distance(body, points, body.world_from_body(0.0)), atol=EXACT)
    assert np.allclose(np.linalg.norm(ways, axis=1), 1.0, atol=1e-5)
    # On the skin, or beside it, going out along the way changes the distance by as much.
    step = 1e-3
    ahead = oracle.signed_distance(body, points + step * ways, body.world_from_body(0.0))
    behind = oracle.signed_distance(body, points - step * ways, body.world_from_body(0.0))
    smooth = np.abs(ahead + behind - 2.0 * distances) < 1e-5  # not at an edge, nor in the very middle
    assert np.allclose((ahead - behind)[smooth], 2.0 * step, atol=2e-5)
    assert smooth.mean() > 0.5


@settings(max_examples=25, deadline=None)
@given(shapes, st.integers(0, 2**31))
def test_entering_is_found_where_a_fine_search_finds_it(body, seed):
    rng = np.random.default_rng(seed)
    starts, ends = rng.uniform(-1.5, 1.5, (2, 12, 3))
    now = quaternions.compose(
        [0.1, 0.2, -0.1], quaternions.quat_from_axis_angle([0.2, 1.0, 0.0], 0.2)
    ) @ body.world_from_body(0.0)
    wp, world = devices.warp(), DeviceBodies([body], "cpu")
    world.move(0.0, 0.0)
    world.put(0, now)
    arrays = [devices.to_device(values, wp.vec3f, "cpu") for values in (starts, ends)]
    times, ways = wp.zeros(12, dtype=wp.float32, device="cpu"), wp.zeros(12, dtype=wp.vec3f, device="cpu")
    from supple.obstacles import kernels

    inputs = [*arrays, 0, world.kinds, world.sizes, world.meshes, world.now, world.earlier, times, ways]
    devices.Launch(kernels.entries, 12, inputs, "cpu")()
    found = times.numpy()
    # In the body's own frame the body rests, and a place goes straight from where it was to where it is.
    before = body.world_from_body(0.0)
    here = (starts - before[:3, 3]) @ before[:3, :3]
    there = (ends - now[:3, 3]) @ now[:3, :3]
    share = np.linspace(0.0, 1.0, 61)
    ways_taken = here[:, None] + share[:, None] * (there - here)[:, None]
    depth = oracle.signed_distance(body, ways_taken.reshape(-1, 3), np.eye(4)).reshape(12, -1)
    outside = depth[:, 0] > 1e-4
    deep = outside & (depth.min(axis=1) < -1e-3)
    assert (found[deep] <= 1.0).all()
    clear = outside & (depth.min(axis=1) > 0.03)
    assert (found[clear] > 1.0).all()
    assert (found[depth[:, 0] < -1e-4] > 1.0).all()  # who is inside does not come in
    hit = np.flatnonzero(outside & (found <= 1.0))
    met = here[hit] + found[hit, None] * (there - here)[hit]
    assert np.abs(oracle.signed_distance(body, met, np.eye(4))).max(initial=0.0) < 1e-5
    first = np.argmax(depth[hit] < 0.0, axis=1)
    sure = (depth[hit] < -1e-3).any(axis=1)
    assert (found[hit][sure] <= share[first[sure]] + 1e-4).all()
    out = ways.numpy()[hit] @ now[:3, :3]
    assert (np.einsum("hi,hi->h", out, (there - here)[hit]) < 1e-5).all()


@settings(max_examples=30, deadline=None)
@given(shapes, st.floats(0.0, 2.0))
def test_boxes_hold_what_is_inside(body, time):
    moving = type(body)(**{**vars(body), "at": Straight(body.at, (0.3, -0.2, 0.1), (0.5, 1.0, 0.0))})
    low, high = moving.bounds(time)
    points = np.random.default_rng(1).uniform(-2.5, 2.5, (400, 3))
    inside = oracle.signed_distance(moving, points, moving.world_from_body(time)) < 0.0
    assert ((points[inside] >= low) & (points[inside] <= high)).all()
    if not isinstance(body, Plane):
        grown = points[((points < low - 1e-9) | (points > high + 1e-9)).any(axis=1)]
        assert (oracle.signed_distance(moving, grown, moving.world_from_body(time)) > 0.0).all()


def test_matter_moves_with_its_body():
    body = Box(sides=(1, 1, 1), at=Straight((1.0, 2.0, 3.0), (0.5, 0.0, 0.0), (0.0, 0.0, 2.0)))
    points = np.array([[1.0, 2.0, 3.0], [1.4, 2.0, 3.0], [1.0, 2.3, 3.2]])
    want = np.array([0.5, 0.0, 0.0]) + np.cross([0.0, 0.0, 2.0], points - [1.0, 2.0, 3.0])
    assert np.allclose(body.velocities(points, dt=1e-6), want, atol=1e-5)
    assert not Sphere(radius=1.0).velocities(points).any()
    keys = Sphere(radius=1.0, at=Keys([0.0, 2.0], [(0, 0, 0), (1, 0, 0)]))
    assert np.allclose(keys.velocities(points, 1.0), [0.5, 0.0, 0.0])
    assert not keys.velocities(points, 3.0).any()


def test_straight_on_is_straight_and_even():
    start = quaternions.compose([1.0, 0.0, 0.0], quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.5))
    path = Straight(start, (0.0, 1.0, 0.0), (0.0, 0.0, np.pi))
    assert np.allclose(path(0.0), start)
    half = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 2.0))
    assert np.allclose(path(0.5)[:3, :3], half @ start[:3, :3])
    assert np.allclose(path(0.5)[:3, 3], [1.0, 0.5, 0.0])


# Mass


def sampled(body, count=400_000):
    """Volume, centre and inertia of the places of a box that are inside, by chance."""
    low, high = body.extent
    points = np.random.default_rng(0).uniform(low, high, (count, 3))
    if isinstance(body, MovingMesh):  # convex
        corners = body.points[body.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inside = np.ones(count, dtype=bool)
        for corner, normal in zip(corners[:, 0], normals, strict=True):
            inside &= (points - corner) @ normal < 0.0
    else:
        inside = oracle.signed_distance(body, points, np.eye(4)) < 0.0
    points = points[inside]
    center = points.mean(axis=0)
    second = (points - center).T @ (points - center) / len(points)
    return np.prod(high - low) * inside.mean(), center, np.trace(second) * np.eye(3) - second


@pytest.mark.parametrize(
    "body",
    [
        Sphere(radius=0.7),
        Capsule(radius=0.3, length=0.9),
        Capsule(radius=0.4, length=0.0),
        Box(sides=(0.3, 0.8, 1.2)),
        MovingMesh(points=BALL[0] * [1.0, 2.0, 0.7] + [0.3, -0.1, 0.2], triangles=BALL[1]),
    ],
)
def test_weights_are_those_of_many_places_inside(body):
    found = mass_properties(body)
    volume, center, inertia = sampled(body)
    assert np.isclose(found.volume, volume, rtol=0.01)
    assert np.allclose(found.center, center, atol=3e-3)
    assert np.allclose(found.inertia, inertia, atol=0.01 * np.trace(inertia))


def test_a_capsule_without_length_is_a_ball_and_a_box_of_triangles_a_box():
    one, two = mass_properties(Capsule(radius=0.4, length=0.0)), mass_properties(Sphere(radius=0.4))
    assert np.allclose(one.inertia, two.inertia)
    assert np.isclose(one.volume, two.volume)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * [1.0, 2.0, 3.0]
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])
    mesh = mass_properties(MovingMesh(points=corners, triangles=triangles))
    box = mass_properties(Box(sides=(1.0, 2.0, 3.0)))
    assert np.isclose(mesh.volume, box.volume)
    assert np.allclose(mesh.center, [0.5, 1.0, 1.5])
    assert np.allclose(mesh.inertia, box.inertia)


def test_what_has_no_end_has_no_mass():
    with pytest.raises(InputError, match="it has no mass"):
        mass_properties(Plane())


# Free


def test_a_thrown_box_keeps_its_momenta_and_its_energy():
    free = DynamicBodies(
        [Plane(), Box(sides=(0.1, 0.4, 0.9), free=Free(mass=2.0, velocity=(1, 2, 0), spin=(0.2, 5.0, 0.1)))]
    )
    assert free.indices.tolist() == [1]
    before = free.angular_momenta

    def energy():
        return 0.5 * float(free.angular_velocities[0] @ free.inertia[0] @ free.angular_velocities[0])

    start = energy()
    for _ in range(2000):
        free.advance(1e-3, gravity=(0.0, 0.0, 0.0))
    assert np.allclose(free.angular_momenta, before, atol=1e-12)
    assert np.allclose(free.velocities, [[1.0, 2.0, 0.0]])
    assert np.allclose(free.centers, [[2.0, 4.0, 0.0]])
    assert np.isclose(energy(), start, rtol=0.01)
    rotation = free.world_from_body[0, :3, :3]
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)


def test_it_falls_as_everything_falls():
    free = DynamicBodies([Sphere(radius=0.1, at=(0.0, 10.0, 0.0), free=Free(mass=3.0))])
    for _ in range(1000):
        free.advance(1e-3)
    assert np.allclose(free.centers, [[0.0, 10.0 - 0.5 * 9.81, 0.0]], atol=0.01)
    assert np.allclose(free.velocities_at([0], free.centers), [[0.0, -9.81, 0.0]])


def test_pushes_change_momenta_by_what_they_are():
    mesh = MovingMesh(points=BALL[0] + [0.5, 0.0, 0.0], triangles=BALL[1], free=Free(mass=2.0))
    free = DynamicBodies([mesh])
    assert np.allclose(free.centers, [[0.5, 0.0, 0.0]], atol=1e-5)
    free.apply_impulses([0, 0], [[0.5, 0.4, 0.0], [0.5, 0.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 3.0, 0.0]])
    assert np.allclose(free.velocities, [[0.5, 1.5, 0.0]])
    assert np.allclose(free.angular_momenta, [[0.0, 0.0, -0.4]], atol=1e-5)
    moved = free.velocities_at([0], [[0.5, 0.4, 0.0]])
    assert np.allclose(
        moved, np.cross(free.angular_velocities[0], [0.0, 0.4, 0.0]) + np.array([0.5, 1.5, 0.0]), atol=1e-5
    )
    assert len(DynamicBodies([Plane()])) == 0
    assert DynamicBodies([Plane()]).angular_velocities.shape == (0, 3)


def dropped(body, floor, seconds, dt=1.0 / 120.0):
    world = DeviceBodies([floor, body], "cpu")
    free = DynamicBodies(world.bodies)
    heights = []
    for frame in range(round(seconds / dt)):
        free.advance(dt)
        world.move((frame + 1) * dt, dt, dynamic=free)
        resolve_contacts(free, world)
        heights.append(free.centers[0].copy())
    return free, np.array(heights)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_a_ball_bounces_to_the_square_of_its_restitution(restitution):
    ball = Sphere(radius=0.1, at=(0.0, 1.1, 0.0), restitution=restitution, free=Free(mass=0.5))
    _, path = dropped(ball, Plane(), 0.55 + restitution * 0.45)
    top = path[round(0.46 * 120) :, 1].max() - 0.1
    assert np.isclose(top, restitution**2, atol=0.06)
    assert path[:, 1].min() > 0.1 - 1e-5


@pytest.mark.parametrize(
    "body",
    [
        Box(sides=(0.2, 0.1, 0.3), at=(0.0, 0.3, 0.0), friction=0.5, free=Free(mass=1.0)),
        Capsule(
            radius=0.05,
            length=0.3,
            friction=0.5,
            free=Free(mass=1.0),
            at=quaternions.compose([0.0, 0.3, 0.0], quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 1.2)),
        ),
        MovingMesh(points=BALL[0], triangles=BALL[1], at=(0.0, 0.6, 0.0), friction=0.5, free=Free(mass=1.0)),
    ],
)
def test_what_falls_comes_to_rest_on_the_floor(body):
    free, path = dropped(body, Plane(friction=0.5), 1.5)
    world = DeviceBodies([body], "cpu")
    world.move(0.0, 0.0, dynamic=DynamicBodies([body]))
    world.put(0, free.world_from_body[0])
    assert np.ptp(path[-20:], axis=0).max() < 5e-3
    assert np.linalg.norm(free.velocities[0]) < 0.15
    below = np.stack([np.linspace(-1, 1, 200), np.full(200, -0.01), np.zeros(200)], axis=1)
    assert (world.surface(0, below)[0] > 0.0).all()
    assert (np.abs(path[:, [0, 2]]) < 0.5).all()


def test_friction_stops_a_sliding_box_as_far_as_coulomb_says():
    box = Box(sides=(0.4, 0.05, 0.4), at=(0.0, 0.025, 0.0), friction=0.4, free=Free(mass=1.0, velocity=(2.0, 0.0, 0.0)))
    _, path = dropped(box, Plane(), 1.2)
    assert np.isclose(path[-1, 0], 2.0**2 / (2.0 * 0.4 * 9.81), rtol=0.05)
    slippery = Box(sides=(0.4, 0.05, 0.4), at=(0.0, 0.025, 0.0), free=Free(mass=1.0, velocity=(2.0, 0.0, 0.0)))
    assert np.isclose(dropped(slippery, Plane(), 1.0)[1][-1, 0], 2.0, rtol=0.01)


def test_two_free_balls_share_what_they_have():
    one = Sphere(radius=0.1, at=(-0.15, 0.0, 0.0), restitution=1.0, free=Free(mass=1.0, velocity=(2.0, 0.0, 0.0)))
    two = Sphere(radius=0.1, at=(0.15, 0.0, 0.0), restitution=1.0, free=Free(mass=3.0))
    world = DeviceBodies([one, two], "cpu")
    free = DynamicBodies(world.bodies)
    touched = 0
    for frame in range(30):
        free.advance(0.01, gravity=(0.0, 0.0, 0.0))
        world.move(0.01 * frame, 0.01, dynamic=free)
        touched += resolve_contacts(free, world)
    assert touched > 0
    assert np.allclose(free.velocities, [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], atol=1e-4)  # of an elastic collision


@settings(max_examples=25, deadline=None)
@given(shapes, st.integers(0, 2**31), st.floats(0.01, 0.5))
def test_what_is_told_apart_does_not_touch(body, seed, radius):
    world = DeviceBodies([Sphere(radius=0.1), body], "cpu")
    world.move(0.0, 0.0)
    points = np.random.default_rng(seed).uniform(-3.0, 3.0, (60, 3))
    gaps = oracle.signed_distance(body, points, body.world_from_body(0.0)) - radius
    told = np.array([world.is_apart(1, point, radius) for point in points])
    assert (gaps[told] > -EXACT).all()
    if not isinstance(body, Plane):
        assert told[gaps > 3.0].all()  # no shape here is larger than that
        assert told.any()


def test_boxes_that_meet_keep_their_momenta():
    """Whatever impulses and friction there are between two of them, the sum is that of before, and speed is lost."""
    rotation = quaternions.quat_from_axis_angle([1.0, 0.0, 0.3], 0.02)
    one = Box(
        sides=(0.2, 0.2, 0.3),
        at=quaternions.compose([0.1, 0.295, 0.05], rotation),
        friction=0.4,
        restitution=0.3,
        free=Free(mass=2.0, velocity=(1.0, -1.5, 0.2), spin=(0.3, -2.0, 0.5)),
    )
    two = Box(
        sides=(1.0, 0.4, 1.0),
        at=(0.0, 0.0, 0.0),
        friction=0.1,
        free=Free(mass=0.7, velocity=(-0.5, 1.0, 0.0), spin=(0.0, 1.0, 0.6)),
    )
    world = DeviceBodies([one, two], "cpu")
    free = DynamicBodies(world.bodies)
    world.move(0.0, 0.01, dynamic=free)

    def sums():
        pushes = free.masses[:, None] * free.velocities
        spins = free.angular_momenta + np.cross(free.centers, pushes)
        energy = np.einsum("b,bi,bi->", free.masses, free.velocities, free.velocities)
        return (
            pushes.sum(axis=0),
            spins.sum(axis=0),
            energy + np.einsum("bi,bi->", free.angular_momenta, free.angular_velocities),
        )

    # Bodies are put outside each other afterwards, which moves what their momenta are counted about.
    before, paces, at = sums(), free.velocities.copy(), free.centers
    assert resolve_contacts(free, world) > 1
    assert not np.allclose(paces, free.velocities)
    shift = np.cross(free.centers - at, free.masses[:, None] * free.velocities).sum(axis=0)
    after = sums()
    assert np.allclose(after[0], before[0], atol=1e-12)
    assert np.allclose(after[1] - shift, before[1], atol=1e-6)
    assert after[2] < before[2]


def test_a_moving_wall_pushes():
    wall = Box(sides=(0.1, 2.0, 2.0), at=Straight((-1.0, 0.0, 0.0), (3.0, 0.0, 0.0)))
    ball = Sphere(radius=0.1, at=(0.0, 0.0, 0.0), free=Free(mass=1.0))
    world = DeviceBodies([wall, ball], "cpu")
    free = DynamicBodies(world.bodies)
    for frame in range(60):
        free.advance(0.01, gravity=(0.0, 0.0, 0.0))
        world.move(0.01 * (frame + 1), 0.01, dynamic=free)
        resolve_contacts(free, world)
    assert np.allclose(free.velocities[0], [3.0, 0.0, 0.0], atol=1e-3)


# Another character


def test_a_bake_is_where_its_frames_are():
    frames = np.stack([BALL[0], BALL[0] * 2.0, BALL[0] * 2.0 + [0.0, 1.0, 0.0]]).astype(np.float32)
    skin = BakedSkin(frames=frames, triangles=BALL[1], fps=2.0, start=1.0, at=(5.0, 0.0, 0.0))
    for time, scale, up in ((0.0, 1.0, 0.0), (1.0, 1.0, 0.0), (1.25, 1.5, 0.0), (1.75, 2.0, 0.5), (9.0, 2.0, 1.0)):
        assert np.allclose(skin.points_at(time), BALL[0] * scale + [0.0, up, 0.0], atol=1e-6)
        low, high = skin.bounds(time)
        assert np.allclose(high - low, scale * np.ptp(BALL[0], axis=0), atol=1e-5)
        whole = MovingMesh(points=BALL[0] * scale, triangles=BALL[1], at=(5.0, up, 0.0))
        points = np.random.default_rng(2).uniform((4.0, -1.0, -1.0), (6.0, 1.0, 1.0), (50, 3))
        assert np.allclose(skin.surface(points, time)[0], whole.surface(points)[0], atol=1e-5)
    top = np.array([[5.0, 2.0, 0.0]])
    assert np.allclose(skin.velocities(top, 1.8), [[0.0, 2.0, 0.0]], atol=1e-3)


def test_a_cache_becomes_an_obstacle(tmp_path):
    import supple

    hero = supple.character("hero", vertices=600)
    motion = supple.motion("wave", hero)
    cache = supple.bake(hero, motion, supple.LinearBlend(), path=tmp_path / "a.supple")
    skin = BakedSkin.of(cache, friction=0.3)
    assert len(skin.frames) == len(cache)
    middle = 0.5 * float(cache.times[-1])
    frame = round(middle * cache.fps)
    assert np.allclose(skin.points_at(frame / cache.fps), cache.points[frame], atol=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box(sides=(1.0, 0.0, 1.0)), "its shortest side is 0"),
        (lambda: Box(sides=(1.0, 1.0)), "sides has shape"),
        (lambda: Free(mass=0.0), "mass is 0"),
        (lambda: Free(mass=1.0, velocity=(1.0, 2.0)), "velocity has shape"),
        (lambda: Sphere(radius=1.0, restitution=1.5), "restitution is 1.5"),
        (lambda: Sphere(radius=1.0, restitution=np.nan), "restitution is nan"),
        (lambda: Plane(free=Free(mass=1.0)), "it is free"),
        (lambda: Straight((0, 0, 0), (1.0, np.inf, 0.0)), "not finite"),
        (lambda: Straight(np.diag([2.0, 1.0, 1.0, 1.0]), (0, 0, 0)), "no rotation and translation"),
        (lambda: BakedSkin(frames=np.zeros((0, 9, 3)), triangles=BALL[1], fps=30.0), "no frames"),
        (lambda: BakedSkin(frames=BALL[0][None], triangles=BALL[1], fps=0.0), "fps is 0"),
        (lambda: BakedSkin(frames=BALL[0][None], triangles=BALL[1][1:], fps=1.0), "open edges"),
        (lambda: BakedSkin(frames=BALL[0][None], triangles=BALL[1], fps=1.0, start=np.nan), "start is nan"),
        (lambda: BakedSkin(frames=BALL[0][None], triangles=BALL[1], fps=1.0, free=Free(mass=1.0)), "it is free"),
    ],
)
def test_strange_obstacles_are_refused_in_words(make, words):
    with pytest.raises(InputError, match=words):
        make()
    BakedSkin(frames=BALL[0][None], triangles=BALL[1], fps=1.0)
    Sphere(radius=1.0, restitution=1.0, free=Free(mass=1.0, velocity=(1.0, 2.0, 3.0)))


def test_a_pendulum_stays_on_its_rope_and_is_where_it_should_be_when_it_should():
    swing = Pendulum(time=2.0, lowest=(0.5, 1.0, -0.2), toward=(0.0, 3.0, -2.0), length=1.7, start=0.9, back=0.3)
    times = np.linspace(-1.0, 6.0, 1401)
    positions = np.array([swing(time) for time in times])
    pivot = np.array([0.5, 2.7, -0.2])
    np.testing.assert_allclose(np.linalg.norm(positions - pivot, axis=1), 1.7)
    np.testing.assert_allclose(swing(2.0), [0.5, 1.0, -0.2])
    assert (positions[:, 2] <= -0.2).all()  # always on its side
    np.testing.assert_allclose(positions[0], pivot + 1.7 * np.array([0.0, -np.cos(0.9), -np.sin(0.9)]))
    np.testing.assert_allclose(positions[-1], pivot + 1.7 * np.array([0.0, -np.cos(0.3), -np.sin(0.3)]))
    # It passes as fast as a pendulum of small swings of that length does: start * sqrt(g * length).
    speed = np.linalg.norm(swing(2.0) - swing(1.999)) / 0.001
    assert speed == pytest.approx(0.9 * np.sqrt(9.81 * 1.7), rel=1e-3)
    fastest = np.linalg.norm(np.diff(positions, axis=0), axis=1).max() / (times[1] - times[0])
    assert fastest <= speed * 1.001  # and nowhere does it jump


@pytest.mark.parametrize(
    ("options", "says"),
    [({"toward": (0.0, 1.0, 0.0)}, "toward"), ({"length": 0.0}, "length"), ({"back": -1.0}, "back")],
)
def test_a_pendulum_that_cannot_swing_is_refused(options, says):
    with pytest.raises(InputError, match=says):
        Pendulum(time=0.0, lowest=(0.0, 0.0, 0.0), **options)
