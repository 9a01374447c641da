"""Brushes over maps: they fade, stay on their limb, do the same however fast they go, and know both sides."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.edits.painting import ACTIONS, Brush, Canvas, MapStroke, Place
from supple.errors import InputError
from supple.skins.painted_map import MapInfo

SHARE = MapInfo("a share", default=0.0)


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


@pytest.fixture(scope="module")
def canvas(hero):
    return Canvas(hero)


def at(vertex: int) -> Place:
    return Place((int(vertex),), (1.0,))


def nearest(hero, point) -> int:
    return int(np.linalg.norm(hero.points - point, axis=1).argmin())


def painted(canvas, places, *, before=None, usual=None, action="add", mirror=False, value=1.0, info=SHARE, **brush):
    count = len(canvas)
    stroke = MapStroke(
        canvas,
        info,
        np.zeros(count) if before is None else before,
        np.zeros(count) if usual is None else usual,
        brush=Brush(**{"radius": 0.12, "strength": 1.0, **brush}),
        action=action,
        mirror=mirror,
        value=value,
    )
    stroke.add(places)
    return stroke.values


@pytest.mark.parametrize("softness", [0.0, 0.3, 1.0])
def test_a_brush_fades_evenly_and_ends_at_its_radius(softness):
    brush = Brush(radius=0.1, softness=softness)
    away = np.linspace(0.0, 0.2, 400)
    left = brush.falloff(away)
    assert left[0] == 1.0
    assert (np.diff(left) <= 0.0).all()
    assert (left[away >= 0.1] == 0.0).all()
    assert (left[away <= (1.0 - softness) * 0.1] == 1.0).all()


def test_two_places_get_as_much_of_each_other(hero, canvas):
    brush = Brush(radius=0.3, softness=1.0)
    rng = np.random.default_rng(3)
    some = rng.choice(len(hero.points), 12, replace=False)
    table = np.array([canvas.coverage(brush, [at(one)])[some] for one in some])
    assert np.allclose(table, table.T, atol=1e-12)
    assert np.allclose(np.diagonal(table), 1.0)


def test_paint_does_not_leak_to_the_other_leg(hero, canvas):
    left = hero.weights.dense(len(hero.skeleton))
    side = {way: hero.skeleton.index(f"{way}UpLeg") for way in ("Left", "Right")}
    on = {way: left[:, joint] > 0.9 for way, joint in side.items()}
    inner = np.flatnonzero(on["Left"])
    inner = inner[np.abs(hero.points[inner, 0]).argmin()]
    near = float(np.linalg.norm(hero.points[on["Right"]] - hero.points[inner], axis=1).min())
    covered = canvas.coverage(Brush(radius=1.5 * near, softness=0.5), [at(inner)])
    assert covered[inner] == 1.0
    assert covered[on["Right"]].max() == 0.0


def test_a_stroke_does_the_same_however_often_it_is_told(canvas):
    places = [at(vertex) for vertex in range(40, 60)]
    whole = painted(canvas, places)
    empty = np.zeros(len(canvas))
    stroke = MapStroke(canvas, SHARE, empty, empty, brush=Brush(radius=0.12, strength=1.0))
    for place in [*places, *places[::-1]]:
        stroke.add([place])
    assert np.array_equal(stroke.values, whole)


def test_actions(hero, canvas):
    place, half = [at(100)], np.full(len(canvas), 0.5)
    far = canvas.coverage(Brush(radius=0.12), place) == 0.0
    assert painted(canvas, place, before=half, strength=0.2)[100] == pytest.approx(0.7)
    assert painted(canvas, place, before=half, action="subtract", strength=0.2)[100] == pytest.approx(0.3)
    assert painted(canvas, place, before=half)[100] == 1.0  # not above the range
    assert painted(canvas, place, before=half, action="fill", value=0.9, strength=0.5)[100] == pytest.approx(0.7)
    erased = painted(canvas, place, before=half, usual=np.full(len(canvas), 0.1), action="erase")
    assert erased[100] == pytest.approx(0.1)
    spot = np.zeros(len(canvas))
    spot[100] = 1.0
    smooth = painted(canvas, place, before=spot, action="smooth")
    assert smooth[100] < 0.5
    assert smooth.max() < 0.5
    assert (smooth[far] == 0.0).all()
    for action in ACTIONS:
        assert np.array_equal(painted(canvas, place, before=half, action=action)[far], half[far])


def test_values_that_a_file_has_beyond_the_range_are_left_alone(canvas):
    wild = np.full(len(canvas), 3.0)
    assert painted(canvas, [at(100)], before=wild, strength=0.0).max() == 3.0
    assert painted(canvas, [at(100)], before=wild).max() == 3.0


def test_both_sides_are_painted_alike(hero, canvas):
    plane = canvas.mirror_plane
    assert plane is not None
    assert plane.axis == 0
    hand = int(hero.points[:, 0].argmax())
    both = painted(canvas, [at(hand)], mirror=True, radius=0.2)
    sides = [np.sign(hero.points[:, 0] - plane.middle) == way for way in (1, -1)]
    sums = [both[side].sum() for side in sides]
    assert min(sums) > 1.0
    assert sums[0] == pytest.approx(sums[1], rel=0.15)
    assert painted(canvas, [at(hand)], radius=0.2)[sides[1]].sum() == 0.0


def test_a_body_without_two_sides_is_not_mirrored():
    bent = Canvas(supple.character("arm", vertices=600))
    assert bent.mirror_plane is None
    assert bent.mirrored(at(5)) is None
    with pytest.raises(InputError, match="mirror image"):
        painted(bent, [at(5)], mirror=True)


@pytest.mark.parametrize(
    "what",
    [
        lambda canvas: Brush(radius=0.0),
        lambda canvas: Brush(radius=float("nan")),
        lambda canvas: Brush(radius=0.1, strength=1.5),
        lambda canvas: Brush(radius=0.1, softness=-0.1),
        lambda canvas: painted(canvas, [at(5)], action="burn"),
        lambda canvas: painted(canvas, [at(5)], info=MapInfo("bones", smooth=False)),
        lambda canvas: painted(canvas, [at(10**6)]),
        lambda canvas: painted(canvas, [Place((1, 2), (1.0,))]),
        lambda canvas: painted(canvas, [Place((1, 2), (0.0, 0.0))]),
    ],
)
def test_what_cannot_be_painted_is_refused(canvas, what):
    with pytest.raises(InputError):
        what(canvas)
