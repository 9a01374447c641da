"""Obstacles smaller than a triangle of the skin are met where they are deepest, by trying many places."""

import numpy as np
import pytest

from oracles import contact_detection as oracle
from supple.geometry import quaternions
from supple.obstacles import Box, Capsule, Plane, Sphere
from supple.skins.contact.detection.detector import CollisionDetector
from supple.skins.contact.response.contact_set import ContactSet

SPAN = 0.1  # [m]: how far vertices are apart


def bumpy_sheet(count=7):
    """A sheet of triangles about y = 0, seen from above; `points` (N, 3) [m] and `triangles` (T, 3)."""
    rng = np.random.default_rng(5)
    x, z = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    points = SPAN * np.stack([x, 0.0 * x, z], axis=-1).reshape(-1, 3) - [0.3, 0.0, 0.3]
    points[:, 1] = rng.uniform(-0.005, 0.005, len(points))
    first = (count * np.arange(count - 1)[:, None] + np.arange(count - 1)).ravel()
    one = np.stack([first, first + 1, first + count], axis=1)
    other = np.stack([first + 1, first + count + 1, first + count], axis=1)
    return points, np.concatenate([one, other])


POINTS, TRIANGLES = bumpy_sheet()


def turned(at, axis, angle):
    return quaternions.compose(np.asarray(at), quaternions.quat_from_axis_angle(quaternions.normalize(axis), angle))


def detect(body, **options):
    detector = CollisionDetector(
        POINTS,
        TRIANGLES,
        carriers=np.zeros(len(POINTS), dtype=int),
        rest_bones=np.eye(4)[None],
        bodies=[body],
        self_collision=False,
    )
    return detector.detect(POINTS, np.eye(4)[None], **options)


def everywhere(cuts=80):
    """Places (S, 3) all over the triangles."""
    shares = [(i / cuts, j / cuts) for i in range(cuts + 1) for j in range(cuts + 1 - i)]
    a, b, c = np.moveaxis(POINTS[TRIANGLES], 1, 0)
    return np.concatenate([s * a + t * b + (1.0 - s - t) * c for s, t in shares])


def places_of(found):
    return np.einsum("mk,mki->mi", found.barycentric, POINTS[found.corners])


@pytest.mark.parametrize(
    "body",
    [
        Sphere(radius=0.012, at=(0.031, 0.004, 0.044)),
        Sphere(radius=0.03, at=(0.05, 0.02, 0.05)),
        Capsule(radius=0.008, length=0.2, at=(-0.028, 0.103, 0.021)),
        Capsule(radius=0.006, length=0.3, at=turned((0.04, 0.004, 0.03), (1.0, 0.2, 1.0), 1.5)),
        Capsule(radius=0.01, length=0.1, at=turned((0.04, 0.006, 0.03), (1.0, 0.0, 0.3), 1.57)),
    ],
)
def test_what_is_round_is_met_where_it_is_deepest(body):
    found = detect(body)
    matrix = body.world_from_body(0.0)
    deepest = oracle.signed_distance(body, everywhere(), matrix).min()
    between = found.only(found.between)
    assert len(between) > 0
    assert (oracle.signed_distance(body, POINTS, matrix) > deepest + 1e-3).all()  # no vertex knows of it
    assert between.gaps.min() == pytest.approx(deepest, abs=2e-4)
    assert np.allclose(oracle.signed_distance(body, places_of(between), matrix), between.gaps, atol=1e-5)
    out = places_of(between) - between.gaps[:, None] * between.normals
    assert np.abs(oracle.signed_distance(body, out, matrix)).max() < 1e-5


def test_a_corner_of_a_box_dents_the_triangle_below_it():
    corner = turned((0.03, 0.016, 0.045), (1.0, 0.3, -0.6), 0.9)
    body = Box(sides=(0.03, 0.03, 0.03), at=corner)
    found = detect(body)
    between = found.only(found.between)
    assert len(between) > 0
    deepest = oracle.signed_distance(body, everywhere(), corner).min()
    assert deepest < -1e-4
    out = places_of(between) - between.gaps[:, None] * between.normals
    assert oracle.signed_distance(body, out, corner).min() > -1e-4
    assert (between.normals[:, 1] < 0.0).all()


@pytest.mark.parametrize("radius", [0.01, 0.03])
def test_a_middle_that_is_through_leaves_the_way_that_it_came(radius):
    """A ball whose middle came through the skin within the step still pushes the skin before it."""
    body = Sphere(radius=radius, at=(0.031, -0.4 * radius, 0.044))
    found = detect(body, before=POINTS - [0.0, 2.0 * radius, 0.0])
    between = found.only(found.between)
    assert len(between) > 0
    assert (between.normals[:, 1] < -0.9).all()
    assert (between.gaps < -1.1 * radius).all()


def test_skin_before_an_obstacle_inside_is_not_drawn_in():
    """Seen from below it is an obstacle in the flesh, as wide as a limb is thick: nothing draws skin over it."""
    body = Sphere(radius=0.3, at=(0.031, -0.29, 0.044))
    found = detect(body)
    assert (found.only(found.between).normals[:, 1] > 0.0).all()


def test_what_is_wider_than_a_triangle_does_not_draw_its_middle_through():
    """A wide ball whose middle is just below the skin: vertices around leave it upwards, and no triangle downwards."""
    body = Sphere(radius=0.3, at=(0.031, -0.005, 0.044))
    found = detect(body, before=POINTS - [0.0, 0.02, 0.0])
    assert not (found.only(found.between).normals[:, 1] < 0.0).any()


def test_planes_and_wide_faces_are_left_to_vertices():
    for body in (Plane(at=(0.0, 0.002, 0.0)), Box(sides=(4.0, 4.0, 4.0), at=(0.0, 2.0, 0.0))):
        found = detect(body)
        assert len(found) > 4
        assert not found.between.any()


def test_the_solver_takes_the_place_and_not_the_vertex():
    """Weights are those of the place, sum to one, and name its three vertices."""
    found = detect(Capsule(radius=0.008, length=0.2, at=(-0.028, 0.103, 0.021)))
    contacts = ContactSet.from_detected(found, friction=0.0, body_of=np.array([-1, -1]), positions=POINTS)
    rows = np.flatnonzero(found.between)
    assert np.allclose(contacts.weights.sum(axis=1), 1.0)
    assert np.allclose(contacts.points[rows], places_of(found)[rows], atol=1e-6)
    met = np.einsum("mk,mki->mi", contacts.weights, POINTS[contacts.nodes])
    assert np.allclose(met[rows], contacts.points[rows], atol=1e-6)
