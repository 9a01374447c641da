"""Outlines drawn anew: creases, the other way round, and moves that are refused."""

import numpy as np
import pytest

from scenes.solids import sphere
from supple.edits import crease_edges, outline, redrawn_silhouette
from supple.edits.strokes import View
from supple.errors import InputError


@pytest.fixture(scope="module")
def ball():
    return sphere(24)


@pytest.fixture(scope="module")
def view():
    return View.orthographic((0.0, 0.0, 5.0), (0.0, 0.0, 0.0), height=3.0, size=(600, 600))


def box():
    """A cube of twelve triangles."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return corners, np.array([[q[0], q[a], q[a + 1]] for q in quads for a in (1, 2)], dtype=np.int32)


def test_creases_are_the_edges_of_a_box_and_none_of_a_ball(ball):
    points, triangles = box()
    found = crease_edges(points, triangles, 0.8)
    assert len(found) == 12
    assert np.allclose(np.linalg.norm(np.subtract(*points[found.T]), axis=1), 2.0)
    assert len(crease_edges(points, triangles, 1.6)) == 0
    assert len(crease_edges(*ball, 0.8)) == 0
    with pytest.raises(InputError, match="crease is"):
        crease_edges(points, triangles, 0.0)


def test_a_crease_inside_the_figure_can_be_drawn_anew():
    """The near upright edge of a box that is seen over its corner is no silhouette, but a crease."""
    points, triangles = box()
    view = View.orthographic((5.0, 0.0, 5.0), (0.0, 0.0, 0.0), height=4.0, size=(400, 400))
    near = np.flatnonzero((points[:, 0] > 0.0) & (points[:, 2] > 0.0))
    plain, creased = outline(points, triangles, view), outline(points, triangles, view, crease=0.8)
    assert not (np.isin(plain, near).all(axis=1)).any()
    assert (np.isin(creased, near).all(axis=1)).any()
    line = view.project(points[near])[0] + [6.0, 0.0]
    handles, targets = redrawn_silhouette(points, triangles, view, pixels=line, crease=0.8)
    assert set(handles) == set(near)
    assert np.allclose(view.project(targets)[0][:, 0], line[:, 0], atol=1e-6)


def arc(view, first, last, radius):
    angles = np.radians(np.linspace(first, last, 80))
    places = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(80)], axis=1)
    return view.project(places)[0]


def test_the_other_way_round_is_the_rest_of_the_circle(ball, view):
    """A line over more than half of the outline: the shorter way between its ends is not the one that was meant."""
    points, triangles = ball
    line = arc(view, -100.0, 100.0, 1.02)
    with pytest.raises(InputError, match="pixels long"):
        redrawn_silhouette(points, triangles, view, pixels=line)
    handles, targets = redrawn_silhouette(points, triangles, view, pixels=line, other_way=True)
    assert points[handles, 0].max() > 0.95
    assert np.abs(np.degrees(np.arctan2(points[handles, 1], points[handles, 0]))).max() < 110.0
    assert np.allclose(np.linalg.norm(targets[:, :2], axis=1), 1.02, atol=0.02)
    assert np.linalg.norm(targets - points[handles], axis=1).max() < 0.15


def test_what_would_go_farther_than_the_stroke_is_long_is_refused(ball, view):
    points, triangles = ball
    short = arc(view, -15.0, 15.0, 1.02)
    handles, _ = redrawn_silhouette(points, triangles, view, pixels=short)
    assert points[handles, 0].min() > 0.9
    with pytest.raises(InputError, match="pixels long"):
        redrawn_silhouette(points, triangles, view, pixels=short, other_way=True)
    with pytest.raises(InputError, match="pixels long"):
        redrawn_silhouette(points, triangles, view, pixels=np.add(short, [300.0, 0.0]))
