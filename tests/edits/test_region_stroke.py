"""A brush says which skin follows a drawn shape: what was drawn stays, the region grows or is cut back."""

import numpy as np
import pytest

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.edits.painting import Brush, Canvas, Place, RegionStroke
from supple.edits.region import region_round
from supple.edits.region_editing import RegionEditing
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError

SIDE = 21  # vertices of a flat square of 1 m
HANDLE = SIDE * (SIDE // 2) + 5


@pytest.fixture(scope="module")
def sheet():
    across, down = np.meshgrid(np.linspace(0.0, 1.0, SIDE), np.linspace(0.0, 1.0, SIDE))
    points = np.column_stack([across.ravel(), down.ravel(), np.zeros(SIDE * SIDE)])
    corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
    triangles = np.concatenate(
        [np.stack([corner, corner + 1, corner + SIDE], 1), np.stack([corner + 1, corner + SIDE + 1, corner + SIDE], 1)]
    )
    skeleton = Skeleton(("root",), np.array([-1]), np.eye(4)[None])
    return Character(points, triangles, skeleton, name="sheet")


@pytest.fixture(scope="module")
def raised(sheet):
    """One vertex lifted by 5 cm, and a ring of skin that follows it smoothly."""
    region = region_round(sheet.triangles, [HANDLE], points=sheet.points, reach=0.16)
    target = sheet.points[[HANDLE]] + [0.0, 0.0, 0.05]
    return SurfaceEdit.of(RegionEditing(sheet.points, sheet.triangles, region).moved(target) - sheet.points)


def brushed(sheet, edit, action, at, *, radius=0.16, handles=(HANDLE,)):
    brush = Brush(radius=radius, strength=1.0, softness=0.0)
    stroke = RegionStroke(Canvas(sheet), edit, handles=handles, brush=brush, action=action)
    assert stroke.shape is edit  # nothing is under it yet
    stroke.add([Place((at,), (1.0,))])
    return stroke.shape.dense(len(sheet.points))[:, 2], stroke.coverage > 0.0


def test_skin_under_the_brush_follows_and_what_was_drawn_stays(sheet, raised):
    before = raised.dense(len(sheet.points))[:, 2]
    after, under = brushed(sheet, raised, "follow", HANDLE + 5)
    assert after[HANDLE] == pytest.approx(before[HANDLE], abs=1e-9)
    grown = (before == 0.0) & under
    assert grown.sum() > 10
    assert (np.abs(after[grown]) > 0.0).mean() > 0.8
    assert after[HANDLE + 3] > before[HANDLE + 3] > 0.0  # the slope on that side is gentler now
    assert np.abs(after[~under & (before == 0.0)]).max() == 0.0


def test_skin_under_the_brush_stays_and_the_rest_ends_at_it_without_a_step(sheet, raised):
    before = raised.dense(len(sheet.points))[:, 2]
    after, under = brushed(sheet, raised, "stay", HANDLE + 3, radius=0.09)
    assert (before[under] > 0.0).sum() >= 3
    assert np.abs(after[under]).max() == 0.0
    assert after[HANDLE] == pytest.approx(before[HANDLE], abs=1e-9)
    assert np.abs(after[before == 0.0]).max() == 0.0


def test_a_shape_all_of_which_is_to_stay_is_none(sheet, raised):
    after, _ = brushed(sheet, raised, "stay", HANDLE, radius=0.5)
    assert not after.any()


def test_a_part_without_a_handle_is_held_where_it_is_highest(sheet, raised):
    """As is the other half of a mirrored shape, which no stroke was drawn for."""
    one = raised.dense(len(sheet.points))
    both = SurfaceEdit.of(one + one.reshape(SIDE, SIDE, 3)[:, ::-1].reshape(-1, 3))
    after, _ = brushed(sheet, both, "follow", HANDLE - 4, radius=0.09)
    twin = HANDLE + 10
    assert both.dense(len(sheet.points))[twin, 2] == pytest.approx(0.05, rel=1e-6)
    assert after[twin] == pytest.approx(0.05, rel=1e-6)


def test_a_force_stays_one(sheet, raised):
    held = raised.hold([HANDLE], stiffness=7.0)
    brush = Brush(radius=0.1, strength=1.0, softness=0.0)
    stroke = RegionStroke(Canvas(sheet), held, handles=[HANDLE], brush=brush)
    stroke.add([Place((HANDLE + 4,), (1.0,))])
    assert (list(stroke.shape.handles), stroke.shape.stiffness) == ([HANDLE], 7.0)


def test_other_actions_are_refused(sheet, raised):
    with pytest.raises(InputError, match="follow, stay"):
        RegionStroke(Canvas(sheet), raised, brush=Brush(radius=0.1), action="erase")
