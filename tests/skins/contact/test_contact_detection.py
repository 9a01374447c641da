"""Contacts: all that brute force finds and nothing else, with proxies that never hide one, and none on the way lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import sphere

from oracles import contact_detection as oracle
from supple.device import use_threads
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.collision.kdops import AXES, KDops
from supple.geometry.collision.rest_exclusions import rest_exclusions
from supple.obstacles import BakedSkin, Box, Capsule, Free, Keys, MovingMesh, Plane, Sphere, Straight
from supple.obstacles.dynamic_bodies import DynamicBodies
from supple.skins.contact.detection.detector import CollisionDetector

EXACT = 3e-6  # [m]: single precision at a metre or two
BALL = sphere(6, radius=0.2)


@dataclass
class Tube:
    """A closed tube along x on a chain of bones, blended linearly between them."""

    rest: np.ndarray
    triangles: np.ndarray
    rest_bones: np.ndarray
    weights: np.ndarray

    @property
    def carriers(self):
        return np.argmax(self.weights, axis=1)

    def bent(self, angles, *, twist=0.0):
        """Bones (B, 4, 4) whose joints turn one after another by `angles` about z, and where they carry the nodes."""
        bones = [self.rest_bones[0]]
        for angle, one, two in zip(angles, self.rest_bones[:-1], self.rest_bones[1:], strict=True):
            rotation = quaternions.quat_multiply(
                quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], angle),
                quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], twist),
            )
            bones.append(bones[-1] @ np.linalg.inv(one) @ two @ quaternions.compose(np.zeros(3), rotation))
        return np.array(bones), self.carried(np.array(bones))

    def carried(self, bones):
        moves = bones @ np.linalg.inv(self.rest_bones)
        each = np.einsum("bij,nj->bni", moves, np.c_[self.rest, np.ones(len(self.rest))])
        return np.einsum("nb,bni->ni", self.weights, each)[:, :3]

    def detection(self, **options):
        return CollisionDetector(
            self.rest, self.triangles, carriers=self.carriers, rest_bones=self.rest_bones, **options
        )


def tube(bones=4, *, length=1.6, radius=0.1, rings=24, sectors=10) -> Tube:
    along = np.linspace(0.0, length, rings + 1)
    rotation = np.arange(sectors) * 2.0 * np.pi / sectors + 0.1
    belt = np.stack([np.cos(rotation), np.sin(rotation)], axis=1) * radius
    rest = [[x, y, z] for x in along for y, z in belt] + [[-0.6 * radius, 0.0, 0.0], [length + 0.6 * radius, 0.0, 0.0]]
    faces = []
    for sector in range(sectors):
        after = (sector + 1) % sectors
        for ring in range(rings):
            a, b = ring * sectors + sector, ring * sectors + after
            faces += [[a, b, a + sectors], [b, b + sectors, a + sectors]]
        faces.append([len(rest) - 2, after, sector])
        last = rings * sectors
        faces.append([len(rest) - 1, last + sector, last + after])
    rest, faces = np.array(rest), np.array(faces, dtype=np.int32)
    if np.einsum("ti,ti->", rest[faces[:, 0]], np.cross(rest[faces[:, 1]], rest[faces[:, 2]])) < 0.0:
        faces = faces[:, ::-1].copy()
    heads = np.linspace(0.0, length, bones + 1)[:-1]
    frames = np.tile(np.eye(4), (bones, 1, 1))
    frames[:, 0, 3] = heads
    position = np.clip(rest[:, 0] / (length / bones) - 0.5, 0.0, bones - 1.0)
    weights = np.maximum(1.0 - np.abs(position[:, None] - np.arange(bones)), 0.0)
    return Tube(rest, faces, frames, weights)


def somewhere(draw_place, axis, angle):
    return quaternions.compose(np.array(draw_place), quaternions.quat_from_axis_angle(np.array(axis), angle))


positions = st.tuples(st.floats(-0.2, 1.8), st.floats(-0.5, 0.9), st.floats(-0.3, 0.3))
axes = st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.1, 1.0))
angles = st.floats(-3.0, 3.0)
sizes = st.floats(0.02, 0.4)
turned = st.builds(somewhere, positions, axes, angles)
bodies = st.one_of(
    st.builds(lambda at, r: Sphere(radius=r, at=at), positions, sizes),
    st.builds(lambda at, r, h: Capsule(radius=r, length=h, at=at), turned, sizes, sizes),
    st.builds(lambda at, *sides: Box(sides=sides, at=at), turned, sizes, sizes, sizes),
    st.builds(lambda at: Plane(at=at), turned),
    st.builds(lambda at: MovingMesh(points=BALL[0], triangles=BALL[1], at=at), turned),
)
FLESH = tube()


# Nodes and obstacles


@settings(max_examples=30, deadline=None)
@given(st.lists(bodies, min_size=1, max_size=3), st.floats(-1.2, 1.2), st.floats(0.0, 0.05), st.integers(0, 2**31))
def test_proxies_hide_nothing_that_brute_force_finds(obstacles, bend, margin, seed):
    frames, points = FLESH.bent([bend] * 3, twist=0.2)
    points = points + np.random.default_rng(seed).uniform(-0.05, 0.05, points.shape)
    detection = FLESH.detection(bodies=obstacles, self_collision=False, margin=margin)
    found = at_nodes(detection.detect(points, frames))
    for number, body in enumerate(obstacles):
        gaps = oracle.signed_distance(body, points, body.world_from_body(0.0))
        mine = found.obstacles == number
        if (gaps < margin - EXACT).any():  # else an obstacle in the flesh may count by other rules
            sure, maybe = np.flatnonzero(gaps < margin - EXACT), np.flatnonzero(gaps < margin + EXACT)
            assert set(sure) <= set(found.nodes[mine]) <= set(maybe)
            assert np.allclose(found.gaps[mine], gaps[found.nodes[mine]], atol=EXACT)
    assert np.allclose(np.linalg.norm(found.normals, axis=1), 1.0, atol=1e-5)


def test_moving_out_along_the_normal_by_the_depth_ends_the_contact():
    for body in (
        Sphere(radius=0.15, at=(0.8, 0.15, 0.0)),
        Capsule(radius=0.08, length=0.5, at=somewhere((0.6, 0.1, 0.0), (1.0, 0.2, 0.0), 1.0)),
        Box(sides=(0.3, 0.2, 0.25), at=somewhere((0.7, 0.12, 0.0), (0.3, 0.2, 1.0), 0.4)),
        Plane(at=(0.0, -0.05, 0.0)),
        MovingMesh(points=BALL[0], triangles=BALL[1], at=(0.5, 0.2, 0.0)),
    ):
        found = at_nodes(FLESH.detection(bodies=[body], self_collision=False).detect(FLESH.rest, FLESH.rest_bones))
        assert len(found) > 4, body
        out = FLESH.rest[found.nodes] - found.gaps[:, None] * found.normals
        assert np.abs(oracle.signed_distance(body, out, body.world_from_body(0.0))).max() < 1e-5, body


def test_the_slabs_hold_every_node_however_it_is_displaced():
    rng = np.random.default_rng(3)
    kdops = KDops(FLESH.rest, FLESH.triangles, carriers=FLESH.carriers, rest_bones=FLESH.rest_bones, device="cpu")
    from supple import device as devices

    points = devices.to_device(FLESH.rest, devices.warp().vec3f, "cpu")
    grow = kdops.growing(points, kdops.growths)
    for size in (0.0, 0.01, 0.3):
        frames, moved = FLESH.bent(rng.uniform(-1.5, 1.5, 3), twist=0.4)
        moved = moved + rng.uniform(-size, size, moved.shape)
        devices.write(points, moved)
        kdops.pose(frames)
        grow()
        for patch, bone in enumerate(kdops.bones):
            touching = (kdops.patch_of[FLESH.triangles] == patch).any(axis=1)
            nodes = np.union1d(np.flatnonzero(kdops.patch_of == patch), FLESH.triangles[touching])
            along = ((moved[nodes] - frames[bone, :3, 3]) @ frames[bone, :3, :3]) @ AXES.T
            growth = kdops.growths.numpy()[patch]
            assert (along >= kdops.lows[patch] - growth).all()
            assert (along <= kdops.highs[patch] + growth).all()
            assert growth < 0.7 + size  # it grows by what is displaced, not without end


def at_nodes(found):
    return found.only(~found.between)


def test_proxies_rule_out_what_is_far():
    detection = FLESH.detection(bodies=[Sphere(radius=0.05, at=(0.2, 0.12, 0.0))], self_collision=False)
    detection.detect(FLESH.rest, FLESH.rest_bones)
    assert detection.near_flags.numpy()[0].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "shape", [Sphere(radius=0.05), Capsule(radius=0.04, length=0.2), Box(sides=(0.1, 0.1, 0.1)), "mesh"]
)
@pytest.mark.parametrize("way", [(0.0, -10.0, 0.0), (0.3, 10.0, 0.5)])
def test_a_fast_obstacle_does_not_get_through_between_two_frames(shape, way):
    """At 10 m/s and 30 frames a second it is past the limb of 20 cm; contacts are on the side that it came from."""
    way, dt = np.array(way), 1.0 / 30.0
    start = somewhere(np.array([0.8, 0.0, 0.0]) - 0.5 * dt * way, (1.0, 0.0, 0.0), np.pi / 2.0)
    points, triangles = sphere(8, radius=0.06)
    path = Straight(start, way)
    body = MovingMesh(points=points, triangles=triangles, at=path) if shape == "mesh" else None
    if body is None:
        body = type(shape)(**{k: v for k, v in vars(shape).items() if k in ("radius", "length", "sides")}, at=path)
    detection = FLESH.detection(bodies=[body], self_collision=False)
    for time in (0.0, dt):  # who looks at the two ends only would not know
        assert oracle.signed_distance(body, FLESH.rest, body.world_from_body(time)).min() > 0.0
    found = at_nodes(detection.detect(FLESH.rest, FLESH.rest_bones, before=FLESH.rest, time=dt, dt=dt))
    assert len(found) > 0
    assert (found.gaps < -0.05).all()
    assert (found.normals @ way > 0.0).all()
    outward, _ = oracle.node_normals(FLESH.rest, FLESH.triangles)
    assert (np.einsum("mi,mi->m", outward[found.nodes], found.normals) < 0.6).all()
    assert (outward[found.nodes] @ way < 0.5 * np.linalg.norm(way)).all()
    assert np.allclose(found.velocities, way, atol=1e-3)


def test_what_grazes_or_rests_is_no_passage():
    """A node that slides along a ball, or leaves it, counts where it is and not where it came from."""
    ball = Sphere(radius=0.3, at=(0.8, 0.4, 0.0))
    detection = FLESH.detection(bodies=[ball], self_collision=False)
    before = FLESH.rest + np.array([0.05, 0.0, 0.0])
    plain = detection.detect(FLESH.rest, FLESH.rest_bones)
    slid = detection.detect(FLESH.rest, FLESH.rest_bones, before=before)
    assert len(plain) == len(slid) == 0  # it touches nobody
    low = FLESH.detection(bodies=[Sphere(radius=0.31, at=(0.8, 0.4, 0.0))], self_collision=False)
    plain, slid = (at_nodes(low.detect(FLESH.rest, FLESH.rest_bones, before=b)) for b in (None, before))
    assert np.array_equal(plain.nodes, slid.nodes)
    assert np.allclose(plain.gaps, slid.gaps)


def test_velocity_is_that_of_the_obstacle_at_the_place():
    dt, spin = 1e-3, np.array([0.0, 3.0, 0.0])
    body = Box(sides=(2.0, 0.2, 2.0), at=Straight((0.8, -0.15, 0.0), (0.5, 0.0, 0.0), spin))
    found = at_nodes(FLESH.detection(bodies=[body], self_collision=False).detect(FLESH.rest, FLESH.rest_bones, dt=dt))
    spots = FLESH.rest[found.nodes] - found.gaps[:, None] * found.normals
    want = np.array([0.5, 0.0, 0.0]) + np.cross(spin, spots - [0.8, -0.15, 0.0])
    assert len(found) > 10
    assert np.allclose(found.velocities, want, atol=5e-3)
    still = FLESH.detection(bodies=[body], self_collision=False).detect(FLESH.rest, FLESH.rest_bones)
    assert not still.velocities.any()


def test_free_bodies_are_met_where_they_are():
    ball = Sphere(radius=0.1, at=(0.8, 0.5, 0.0), free=Free(mass=1.0, velocity=(0.0, -6.0, 0.0)), friction=0.3)
    detection = FLESH.detection(bodies=[Plane(at=(0.0, -5.0, 0.0)), ball], self_collision=False)
    free = DynamicBodies(detection.bodies.bodies)
    assert len(detection.detect(FLESH.rest, FLESH.rest_bones, free=free)) == 0
    free.advance(0.06, gravity=(0.0, 0.0, 0.0))
    found = detection.detect(FLESH.rest, FLESH.rest_bones, before=FLESH.rest, time=0.06, dt=0.06, free=free)
    assert len(found) > 0
    assert (found.obstacles == 1).all()
    assert np.allclose(found.frictions, 0.3)
    assert np.allclose(found.velocities, [0.0, -6.0, 0.0], atol=1e-3)


@pytest.mark.parametrize(
    "body", [Sphere(radius=0.02), Capsule(radius=0.01, length=0.03), Box(sides=(0.02, 0.03, 0.02)), "mesh"]
)
def test_an_obstacle_inside_the_flesh_leaves_by_the_nearest_skin(body):
    at = np.array([0.803, 0.031, 0.004])
    points, triangles = sphere(5, radius=0.015)
    if body == "mesh":
        body = MovingMesh(points=points, triangles=triangles, at=at)
    else:
        body = type(body)(**{k: v for k, v in vars(body).items() if k in ("radius", "length", "sides")}, at=at)
    found = FLESH.detection(bodies=[body], self_collision=False).detect(FLESH.rest, FLESH.rest_bones)
    position, _ = oracle.nearest(at, FLESH.rest, FLESH.triangles)
    assert len(found) == 3
    way = (position - at) / np.linalg.norm(position - at)
    assert np.allclose(found.normals, -way, atol=1e-4)
    moved = FLESH.rest[found.nodes] - found.gaps[:, None] * found.normals
    low = oracle.signed_distance(body, moved, body.world_from_body(0.0))
    assert (found.gaps < -0.06).all()
    assert (low > -1e-5).all()  # all of the triangle is behind it then


def test_a_small_obstacle_beside_the_flesh_or_far_is_none():
    for at in ((0.8, 0.125, 0.0), (0.8, 3.0, 0.0)):
        assert len(FLESH.detection(bodies=[Sphere(radius=0.02, at=at)]).detect(FLESH.rest, FLESH.rest_bones)) == 0


def test_another_characters_bake_is_met_as_it_bends():
    points, triangles = sphere(10, radius=0.2)
    frames = np.stack([points * s + [0.8, 0.4, 0.0] for s in (1.0, 1.25, 1.75)]).astype(np.float32)
    skin = BakedSkin(frames=frames, triangles=triangles, fps=10.0, friction=0.2)
    detection = FLESH.detection(bodies=[skin], self_collision=False)
    assert len(detection.detect(FLESH.rest, FLESH.rest_bones, time=0.0, dt=0.1)) == 0
    found = at_nodes(detection.detect(FLESH.rest, FLESH.rest_bones, time=0.2, dt=0.1))
    whole = MovingMesh(points=frames[2].astype(float), triangles=triangles)
    gaps = oracle.signed_distance(whole, FLESH.rest, np.eye(4))
    assert set(found.nodes) == set(np.flatnonzero(gaps < 0.0))
    assert np.allclose(found.gaps, gaps[found.nodes], atol=EXACT)
    spots = FLESH.rest[found.nodes] - found.gaps[:, None] * found.normals
    # A place of the skin moves away from the middle, by 0.5 of its first radius in a tenth of a second.
    want = (spots - [0.8, 0.4, 0.0]) / 1.75 * 5.0
    assert np.allclose(found.velocities, want, atol=1e-3)


# Skin and skin


def closed_tube(bend):
    flesh = tube(5, length=1.6, radius=0.09, rings=32, sectors=10)
    return flesh, *flesh.bent([bend] * 4)


def expected(flesh, points, detection):
    """What brute force says: gaps, by the rules of the rest shape."""
    options = {"max_depth": detection.max_depth, "exclusion_distance": detection.exclusion_distance}
    rest = oracle.skin_gaps(flesh.rest, flesh.rest, flesh.triangles, flesh.carriers, **options)
    gaps = oracle.skin_gaps(points, flesh.rest, flesh.triangles, flesh.carriers, **options)
    limits = np.where(np.isfinite(rest), np.where(rest > 0.0, 0.5 * rest, -1e-3 * detection.max_depth), np.inf)
    gaps = gaps - np.where(np.isfinite(rest), np.minimum(rest, 0.0), 0.0)
    return gaps, np.minimum(limits, detection.margin)


@pytest.mark.parametrize("bend", [1.3, 1.45, 1.6, 1.8])
def test_skin_that_meets_skin_is_what_brute_force_finds(bend):
    flesh, frames, points = closed_tube(bend)
    detection = flesh.detection(margin=0.01)
    found = detection.detect(points, frames)
    gaps, limits = expected(flesh, points, detection)
    sure, maybe = np.flatnonzero(gaps < limits - 1e-5), np.flatnonzero(gaps < limits + 1e-5)
    assert set(sure) <= set(found.nodes) <= set(maybe)
    assert len(sure) > 3
    assert np.allclose(found.gaps, gaps[found.nodes], atol=1e-5)
    assert (found.obstacles == -1).all()
    met = np.einsum("mk,mki->mi", found.barycentric, points[found.corners])
    assert np.allclose(points[found.nodes] - met, found.gaps[:, None] * found.normals, atol=1e-5)
    assert np.allclose(found.barycentric.sum(axis=1), 1.0, atol=1e-5)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3), st.integers(0, 2**31))
def test_random_bends_agree_with_brute_force(bends, seed):
    frames, points = FLESH.bent(bends, twist=0.3)
    points = points + np.random.default_rng(seed).uniform(-0.003, 0.003, points.shape)
    detection = FLESH.detection()
    found = detection.detect(points, frames)
    gaps, limits = expected(FLESH, points, detection)
    sure, maybe = np.flatnonzero(gaps < limits - 1e-5), np.flatnonzero(gaps < limits + 1e-5)
    assert set(sure) <= set(found.nodes) <= set(maybe)
    assert np.allclose(found.gaps, gaps[found.nodes], atol=1e-5)


def test_nothing_touches_at_rest_whatever_the_rest_shape():
    """A tube that is folded at rest, like an armpit, or even goes through itself, has no contacts as it rests."""
    straight = tube(5, length=1.6, radius=0.09, rings=32, sectors=10)
    for bend in (0.0, 1.0, 1.3, 1.5):
        frames, points = straight.bent([bend] * 4)
        folded = Tube(points, straight.triangles, frames, straight.weights)
        detection = folded.detection(margin=0.05)
        assert len(detection.detect(points, frames)) == 0, bend
        rotation = somewhere((3.0, 1.0, -2.0), (0.3, 1.0, 0.2), 1.0)
        moved = points @ rotation[:3, :3].T + rotation[:3, 3]
        assert len(detection.detect(moved, rotation @ frames)) == 0, bend


def test_a_fold_that_closes_further_than_at_rest_is_a_contact():
    straight = tube(5, length=1.6, radius=0.09, rings=32, sectors=10)
    frames, points = straight.bent([1.0] * 4)
    folded = Tube(points, straight.triangles, frames, straight.weights)
    more_frames, more = straight.bent([1.4] * 4)
    assert len(folded.detection().detect(more, more_frames)) > 3


def test_opposite_sides_of_thin_flesh_are_no_contact():
    """A flat tail: its two sides are near each other, behind each other, and far apart over the surface."""
    flesh = tube(4, length=1.6, radius=0.2, rings=60, sectors=40)
    flat = flesh.rest * [1.0, 0.08, 1.0]
    flat = Tube(flat, flesh.triangles, flesh.rest_bones, flesh.weights)
    detection = flat.detection(margin=0.005, max_depth=0.08, exclusion_distance=0.1)
    for bend in (0.0, 0.3, -0.3):
        frames, points = flat.bent([bend] * 3)
        assert len(detection.detect(points, frames)) == 0


def test_two_characters_meet():
    one, two = tube(3, rings=18), tube(2, length=1.0, rings=12, sectors=8)
    at = somewhere((0.7, 0.16, -0.4), (0.0, 1.0, 0.0), -1.3)
    points = two.rest @ at[:3, :3].T + at[:3, 3]
    first, second = (
        one.detection(self_collision=False, max_depth=0.2),
        two.detection(self_collision=False, max_depth=0.2),
    )
    first.set_positions(one.rest, one.rest_bones)
    second.set_positions(points, at @ two.rest_bones)
    for skin in (first, second):
        skin.refit()
    for a, b, mine, theirs in ((first, second, one.rest, points), (second, first, points, one.rest)):
        found = a.collide_skin(b)
        want = oracle.skin_gaps(
            mine,
            mine,
            a.triangles,
            None,
            max_depth=0.2,
            exclusion_distance=0.0,
            self_collision=False,
            other=(theirs, b.triangles),
        )
        assert set(found.nodes) == set(np.flatnonzero(want < 0.0))
        assert len(found) > 1
        assert np.allclose(found.gaps, want[found.nodes], atol=1e-5)
        assert set(found.corners.ravel()) <= set(range(len(theirs)))
    second.set_positions(points + np.array([0.0, 2.0, 0.0]), at @ two.rest_bones)
    second.refit()
    assert len(first.collide_skin(second)) == 0


# All of it


def test_the_order_is_by_obstacle_and_node_and_always_the_same():
    flesh, frames, points = closed_tube(1.4)
    obstacles = [Plane(at=(0.0, -0.02, 0.0)), Sphere(radius=0.3, at=(0.3, 0.1, 0.0))]
    runs = []
    for threads in (1, 2, 3):
        with use_threads(threads):
            detection = flesh.detection(bodies=obstacles)
            runs += [detection.detect(points, frames) for _ in range(2)]
    first = runs[0]
    order = np.lexsort((first.nodes, np.where(first.obstacles < 0, 9, first.obstacles)))
    assert np.array_equal(order, np.arange(len(first)))
    assert set(first.obstacles) == {-1, 0, 1}
    for run in runs[1:]:
        for name in ("nodes", "obstacles", "gaps", "normals", "corners", "barycentric", "velocities"):
            assert np.array_equal(getattr(run, name), getattr(first, name)), name


def test_a_list_of_clusters_that_is_too_short_costs_time_and_nothing_else(monkeypatch):
    flesh, frames, points = closed_tube(1.4)
    whole = flesh.detection().detect(points, frames)
    monkeypatch.setattr("supple.skins.contact.detection.detector.ROOM", 1)
    short = flesh.detection().detect(points, frames)
    assert len(whole) > 3
    assert np.array_equal(whole.nodes, short.nodes)
    assert np.array_equal(whole.gaps, short.gaps)


@pytest.mark.parametrize("flesh", [FLESH, closed_tube(1.4)[0]])
def test_the_table_of_what_is_settled_tells_of_every_node_and_triangle(flesh):
    """A bit for each node and each triangle of another patch: near over the surface at rest, or across thin flesh."""
    detection = flesh.detection()
    skin, patch_of = detection.bvh, detection.kdops.patch_of
    outward = np.zeros_like(flesh.rest)
    outward[skin.nodes] = skin.normals.numpy()
    starts, numbers = rest_exclusions(flesh.rest, outward, flesh.triangles, detection.exclusion_distance)
    reaches = (patch_of[flesh.triangles][None] == patch_of[:, None, None]).any(axis=2)
    rows, clusters, bits = (array.numpy() for array in detection.excluded)
    whole = 0
    for one in range(skin.clusters):
        nodes = skin.nodes[skin.node_starts[one] : skin.node_starts[one + 1]]
        table = {clusters[row] // 2: (bits[row], clusters[row] % 2) for row in range(rows[one], rows[one + 1])}
        for other in range(len(skin.starts) - 1):
            faces = skin.members[skin.starts[other] : skin.starts[other + 1]]
            if patch_of[flesh.triangles[faces[0], 0]] == skin.patches[one]:
                assert other not in table
                continue
            want = [[t in numbers[starts[i] : starts[i + 1]] or reaches[i, t] for t in faces] for i in nodes]
            told = table.get(other, (np.zeros(8, dtype=np.uint8), 0))
            assert np.array_equal(want, (told[0][: len(nodes), None] >> np.arange(len(faces))) & 1)
            assert told[1] == np.all(want)
            whole += np.all(want)
    assert whole > 5


def test_nodes_below_the_skin_meet_obstacles_and_no_skin():
    """One detection for all nodes of the flesh finds what two find: one for its border, one for obstacles."""
    flesh, frames, points = closed_tube(1.4)
    rng = np.random.default_rng(1)
    order = rng.permutation(2 * len(points))  # each node has one below it
    positions = np.argsort(order)
    below = [0.5 * (some + np.roll(some, 5, axis=0)) for some in (flesh.rest, points)]
    rest, moved = (np.concatenate(both)[order] for both in ((flesh.rest, below[0]), (points, below[1])))
    carriers = np.tile(flesh.carriers, 2)[order]
    ball = Sphere(radius=0.3, at=(0.3, 0.1, 0.0))
    options = {"carriers": carriers, "rest_bones": flesh.rest_bones, "bodies": [ball]}
    found = CollisionDetector(rest, positions[flesh.triangles], **options).detect(moved, frames)
    found = at_nodes(found)
    alone = flesh.detection().detect(points, frames)
    met = CollisionDetector(rest, np.zeros((0, 3)), **options).detect(moved, frames)
    assert len(alone) > 3
    assert len(met) > 10
    skin = found.obstacles < 0
    assert np.array_equal(found.nodes[~skin], met.nodes)
    assert np.array_equal(found.gaps[~skin], met.gaps)
    again = np.argsort(order[found.nodes[skin]])
    assert np.array_equal(order[found.nodes[skin]][again], alone.nodes)
    assert np.array_equal(found.gaps[skin][again], alone.gaps)
    assert np.array_equal(order[found.corners[skin]][again], alone.corners)
    assert (np.diff(found.nodes[skin]) > 0).all()


@pytest.mark.parametrize("most", [1, 700, 1 << 20])
def test_many_obstacles_are_all_met_as_each_alone(monkeypatch, most):
    """Whether they are looked at one by one, two at a time, or all together."""
    monkeypatch.setattr("supple.skins.contact.detection.detector.MOST", most)
    rng = np.random.default_rng(8)
    balls = [Sphere(radius=0.08, at=at) for at in rng.uniform([0.0, -0.2, -0.1], [1.6, 0.2, 0.1], (7, 3))]
    balls.insert(3, Sphere(radius=0.08, at=(0.0, 9.0, 0.0)))  # far
    together = FLESH.detection(bodies=balls, self_collision=False)
    met = []
    for along in (1.3, 0.0, 1.3):  # few are near, then many, then few again
        away = np.array([along, 0.0, 0.0])
        frames, points = FLESH.rest_bones.copy(), FLESH.rest + away
        frames[:, :3, 3] += away
        found = together.detect(points, frames)
        for number, ball in enumerate(balls):
            alone = FLESH.detection(bodies=[ball], self_collision=False).detect(points, frames)
            mine = found.obstacles == number
            assert np.array_equal(found.nodes[mine], alone.nodes)
            assert np.array_equal(found.gaps[mine], alone.gaps)
        met.append(len(set(found.obstacles)))
    assert 0 < met[0] == met[2] < met[1]


@pytest.mark.parametrize("scale", [(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (1.0, 1.0, -1.0), (-1.0, -2.0, -0.5)])
def test_bones_without_extent_and_mirrored_ones_hide_nothing(scale):
    flesh, frames, points = closed_tube(1.4)
    detection = flesh.detection(bodies=[Sphere(radius=0.3, at=(0.3, 0.1, 0.0))])
    strange = frames.copy()
    strange[:, :3, :3] *= np.array(scale)
    want, found = detection.detect(points, frames), detection.detect(points, strange)
    assert set(want.obstacles) == {-1, 0}
    assert np.array_equal(found.nodes, want.nodes)
    assert np.array_equal(found.gaps, want.gaps)


def test_a_bone_that_carries_nobody_and_scaled_bones_do_no_harm():
    flesh, frames, points = closed_tube(1.4)
    spare = np.concatenate([flesh.rest_bones, [np.eye(4)]])
    detection = CollisionDetector(flesh.rest, flesh.triangles, carriers=flesh.carriers, rest_bones=spare)
    grown = frames.copy()
    grown[:, :3, :3] *= 1.3
    want = flesh.detection().detect(points, frames)
    found = detection.detect(points, np.concatenate([grown, [np.eye(4)]]))
    assert np.array_equal(found.nodes, want.nodes)
    assert np.array_equal(found.gaps, want.gaps)


def test_nodes_without_triangles_meet_obstacles_too():
    ball = Sphere(radius=0.3, at=(0.5, 0.1, 0.0))
    cloud = CollisionDetector(
        FLESH.rest, np.zeros((0, 3)), carriers=FLESH.carriers, rest_bones=FLESH.rest_bones, bodies=[ball]
    )
    found = cloud.detect(FLESH.rest, FLESH.rest_bones, before=FLESH.rest, dt=0.1)
    inside = oracle.signed_distance(ball, FLESH.rest, ball.world_from_body(0.0)) < 0.0
    assert np.array_equal(found.nodes, np.flatnonzero(inside))
    assert len(found) > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"carriers": [9] * len(FLESH.rest)}, "carriers name number 9"),
        ({"triangles": [[0, 1, 9999]]}, "triangles name number 9999"),
        ({"margin": -1.0}, "margin is -1"),
        ({"margin": np.nan}, "margin is nan"),
        ({"max_depth": 0.0}, "max_depth is 0"),
        ({"exclusion_distance": -2.0}, "exclusion_distance is -2"),
        ({"rest_bones": np.zeros((2, 3, 3))}, "rest_bones has shape"),
    ],
)
def test_strange_skins_are_refused_in_words(change, words):
    sound = {"carriers": FLESH.carriers, "rest_bones": FLESH.rest_bones, "triangles": FLESH.triangles, "margin": 0.0}
    CollisionDetector(FLESH.rest, **sound)
    with pytest.raises(InputError, match=words):
        CollisionDetector(FLESH.rest, **{**sound, **change})


@pytest.mark.parametrize(
    ("points", "bones", "words"),
    [
        (FLESH.rest[1:], FLESH.rest_bones, "points has shape"),
        (FLESH.rest * np.nan, FLESH.rest_bones, "not finite"),
        (FLESH.rest, FLESH.rest_bones[1:], "the bones have shape"),
    ],
)
def test_strange_steps_are_refused_in_words(points, bones, words):
    detection = FLESH.detection(self_collision=False)
    detection.detect(FLESH.rest, FLESH.rest_bones)
    with pytest.raises(InputError, match=words):
        detection.detect(points, bones)
    with pytest.raises(InputError, match="before has shape"):
        detection.detect(FLESH.rest, FLESH.rest_bones, before=FLESH.rest[:3])


def test_keys_lead_an_obstacle_through_the_step():
    path = Keys([0.0, 1.0], [(0.8, 0.5, 0.0), (0.8, 0.15, 0.0)])
    detection = FLESH.detection(bodies=[Sphere(radius=0.1, at=path)], self_collision=False)
    assert len(detection.detect(FLESH.rest, FLESH.rest_bones, time=0.0, dt=0.1)) == 0
    found = detection.detect(FLESH.rest, FLESH.rest_bones, time=1.0, dt=0.1)
    assert len(found) > 0
    assert np.allclose(found.velocities, [0.0, -0.35, 0.0], atol=1e-3)
