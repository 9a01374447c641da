"""Lines on the skin that leave it, or go over to other skin, are several strokes."""

import numpy as np
import pytest

from conftest import make_tube
from supple.edits.strokes import SkinLine, SurfaceStroke, View, pick
from supple.errors import InputError


def over_a_gap():
    """Two tubes that stand apart, seen from the front, and a line over both and the air between them."""
    tube = make_tube(rings=21, sectors=16, bones=2)
    aside = 4.0 * np.ptp(tube.points[:, 0]) * np.array([1.0, 0.0, 0.0])
    points = np.concatenate([tube.points, tube.points + aside])
    triangles = np.concatenate([tube.triangles, tube.triangles + len(tube.points)])
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    view = View.orthographic(
        np.add(middle, [0.0, 0.0, 5.0]), middle, height=1.2 * np.ptp(points[:, 1]), size=(400, 400)
    )
    line = view.project(np.array([middle - 0.6 * aside, middle + 0.6 * aside]))[0]
    return points, triangles, view, line, len(tube.triangles)


def test_a_gap_breaks_a_stroke():
    points, triangles, view, line, first = over_a_gap()
    left, right = SurfaceStroke.drawn_pieces(points, triangles, view, pixels=line)
    assert left.crossed.max() < first <= right.crossed.min()
    with pytest.raises(InputError, match="2 pieces"):
        SurfaceStroke.drawn(points, triangles, view, pixels=line)
    met = pick(points, triangles, view, pixels=np.linspace(*line, 40))
    assert len(SurfaceStroke.pieces_from_picks(met.triangles, met.barycentric)) == 2
    with pytest.raises(InputError, match="pieces_from_picks"):
        SurfaceStroke.from_picks(met.triangles, met.barycentric)


def test_a_line_breaks_while_it_is_drawn_whatever_the_stretches():
    points, triangles, view, line, first = over_a_gap()
    for parts in (1, 2, 7):
        drawn, course = SkinLine(triangles), np.linspace(*line, 141)
        for some in np.array_split(course, parts):
            drawn.add(points, view, pixels=some)
        left, right = drawn.strokes()
        assert left.crossed.max() < first <= right.crossed.min()
        with pytest.raises(InputError, match="2 pieces"):
            drawn.stroke()


def test_a_line_over_an_arm_before_the_body_breaks_at_its_edge():
    """No pixel is beside the skin, but from one to the next it is other skin."""
    points, triangles, view, _, first = over_a_gap()
    behind = points.copy()
    behind[: len(points) // 2] = points[len(points) // 2 :] * [3.0, 1.0, 1.0] - [2.0 * points[-1, 0], 0.0, 0.5]
    middle = points[len(points) // 2 :].mean(axis=0)
    wide = 1.2 * np.ptp(points[len(points) // 2 :, 0]) * np.array([1.0, 0.0, 0.0])
    line = view.project(np.array([middle - wide, middle, middle + wide]))[0]
    pieces = SurfaceStroke.drawn_pieces(behind, triangles, view, pixels=line)
    assert len(pieces) == 3
    assert pieces[1].crossed.min() >= first > max(pieces[0].crossed.max(), pieces[2].crossed.max())
    assert len(SurfaceStroke.drawn_pieces(behind, triangles[:first], view, pixels=line)) == 1  # alone it is one skin
