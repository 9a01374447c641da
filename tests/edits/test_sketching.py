"""Strokes worked on: knots that come and go, parts drawn anew, pressure, and picks from elsewhere."""

import itertools

import numpy as np
import pytest

from conftest import make_tube
from supple.edits import Edits, Key, Layer, PoseEdit, SurfaceEdit, load_edits, save_edits
from supple.edits.layers import total_amounts
from supple.edits.strokes import Stroke, SurfaceStroke, View, oversketch, pick, raised, resample
from supple.errors import InputError

TUBE = make_tube(rings=21, sectors=14)
VIEW = View((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), 0.5, (200, 160))
WAVE = Stroke.from_samples(
    np.stack([np.linspace(0, 2, 200), np.sin(np.linspace(0, 6, 200)), np.zeros(200)], axis=1),
    times=np.linspace(3.0, 5.0, 200),
)
T = np.linspace(0.0, 1.0, 101)


# Knots


def test_a_knot_on_the_curve_changes_it_little_and_goes_again():
    more = WAVE.insert_knot(0.37)
    assert len(more.knots) == len(WAVE.knots) + 1
    added = [knot for knot in more.knots if np.abs(WAVE.knots - knot).max(axis=1).min() > 0.0]
    np.testing.assert_allclose(added, [WAVE.at(0.37)])
    assert more.nearest(WAVE.at(T))[1].max() < 0.01 * WAVE.length
    number = int(np.argmin(np.linalg.norm(more.knots - added[0], axis=1)))
    back = more.delete_knot(number)
    np.testing.assert_array_equal(back.knots, WAVE.knots)
    np.testing.assert_array_equal(back.times, WAVE.times)
    assert more.times[number] == pytest.approx(float(WAVE.time_at(0.37)))


def test_a_whole_stroke_is_moved():
    np.testing.assert_allclose(WAVE.move([1.0, 2.0, 3.0]).at(T), WAVE.at(T) + np.array([1.0, 2.0, 3.0]), atol=1e-12)


def test_strange_knots_are_refused():
    for t in (0.0, 1.0, float(WAVE.knot_fractions[1])):
        with pytest.raises(InputError, match="already"):
            WAVE.insert_knot(t)
    with pytest.raises(InputError, match="knot 99"):
        WAVE.delete_knot(99)
    with pytest.raises(InputError, match="2 to"):
        Stroke([[0, 0, 0], [1, 0, 0]], [0, 1]).delete_knot(0)


@pytest.mark.parametrize("units", [1.0, 100.0])
def test_how_few_knots_there_are_does_not_depend_on_units(units):
    line = np.stack([np.linspace(0, 2, 200), np.sin(np.linspace(0, 6, 200)), np.zeros(200)], axis=1)
    np.testing.assert_allclose(Stroke.from_samples(units * line).knots, units * Stroke.from_samples(line).knots)


# Over-sketching


@pytest.mark.parametrize("backwards", [False, True])
def test_a_part_is_drawn_anew_either_way_round(backwards):
    a, b = WAVE.at(0.3), WAVE.at(0.6)
    detour = np.linspace(a, b, 9) + np.sin(np.linspace(0, np.pi, 9))[:, None] * [0.0, 0.0, 0.4]
    patch = Stroke.from_samples(detour[::-1] if backwards else detour, tolerance=0.0)
    found = oversketch(WAVE, patch)
    for knot in patch.knots:
        assert np.abs(found.knots - knot).max(axis=1).min() == 0.0
    kept = WAVE.knots[(WAVE.knot_fractions < 0.299) | (WAVE.knot_fractions > 0.601)]
    for knot in kept:
        assert np.abs(found.knots - knot).max(axis=1).min() == 0.0
    assert len(found.knots) <= len(kept) + len(patch.knots) + 2
    t, _ = found.nearest(detour)
    assert all(one < other for one, other in itertools.pairwise(t))
    np.testing.assert_allclose(found.knots[[0, -1]], WAVE.knots[[0, -1]])
    np.testing.assert_allclose(found.times[[0, -1]], WAVE.times[[0, -1]])
    assert float(found.time_at(t[0])) == pytest.approx(float(WAVE.time_at(0.3)), abs=0.01)


@pytest.mark.parametrize("end", [0, -1])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_stroke_goes_on_from_its_ends(end, backwards):
    straight = Stroke([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [0, 1, 2])
    way = np.array([[2.2, 0, 0], [3, 0, 0], [4, 0.1, 0]]) if end else np.array([[-0.2, 0, 0], [-1, 0, 0], [-2, 0.1, 0]])
    found = oversketch(straight, Stroke(way[::-1] if backwards else way, [0, 1, 2]))
    assert len(found.knots) == 6
    assert (np.diff(found.knots[:, 0]) > 0.0).all()
    assert (np.diff(found.times) >= 0.0).all()


def test_a_loop_beside_a_stroke_replaces_nothing_and_is_refused():
    straight = Stroke([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [0, 1, 2])
    with pytest.raises(InputError, match="same place"):
        oversketch(straight, Stroke([[0.7, 1, 0], [0.9, 2, 0], [0.7, 3, 0]], [0, 1, 2]))


# Pressure


def test_pressure_is_kept_where_it_changes_and_lifts_the_skin():
    line = np.stack([np.linspace(0, 1, 101), np.zeros(101), np.zeros(101)], axis=1)
    pressures = np.clip(1.0 - 3.0 * np.abs(np.linspace(0, 1, 101) - 0.4), 0.0, 1.0)
    stroke = Stroke.from_samples(line, pressures=pressures)
    assert len(stroke.knots) < 12
    np.testing.assert_allclose(stroke.pressure_at(np.linspace(0, 1, 101)), pressures, atol=0.03)
    np.testing.assert_allclose(stroke.heights([[0.4, 1.0, 0.0], [0.9, 0.0, 0.2]], 0.05), [0.05, 0.0], atol=0.002)
    assert (Stroke.from_samples(line).pressure_at([0.0, 0.3, 1.0]) == 1.0).all()
    assert stroke.insert_knot(0.2).pressure_at(0.2) == pytest.approx(float(stroke.pressure_at(0.2)), abs=1e-6)


def test_a_stroke_on_the_skin_raises_it_as_it_was_pressed():
    pixels = np.array([[97.0, 40.0], [97.0, 80.0], [97.0, 120.0]])
    stroke = SurfaceStroke.drawn(
        TUBE.points, TUBE.triangles, VIEW, pixels=pixels, pressures=[0.0, 1.0, 0.2], tolerance=0.5
    )
    handles = stroke.handles(TUBE.triangles)
    curve = stroke.stroke(TUBE.points, TUBE.triangles)
    heights = curve.heights(TUBE.points[handles], 0.1)
    targets = raised(TUBE.points, TUBE.triangles, handles, heights=heights)
    rise = np.linalg.norm(targets - TUBE.points[handles], axis=1)
    np.testing.assert_allclose(rise, heights, atol=1e-12)
    assert heights.max() <= 0.1
    t, _ = curve.nearest(TUBE.points[handles])
    assert heights[np.argmin(t)] < 0.02


@pytest.mark.parametrize("pressures", [[0.5], [0.5, 1.5], [-0.1, 0.5], [np.nan, 0.5]])
def test_strange_pressures_are_refused(pressures):
    with pytest.raises(InputError, match="pressures"):
        Stroke([[0, 0, 0], [1, 0, 0]], [0, 1], pressures)


# Picks from elsewhere


def test_picks_from_elsewhere_make_the_stroke_that_is_drawn_here():
    pixels = np.array([[20.0, 30.0], [97.0, 60.0], [110.0, 120.0], [199.0, 130.0]])
    drawn = SurfaceStroke.drawn(TUBE.points, TUBE.triangles, VIEW, pixels=pixels)
    line = resample(pixels, 1.0)
    picks = pick(TUBE.points, TUBE.triangles, VIEW, pixels=line)
    assert 0 < picks.hit.sum() < len(line)
    found = SurfaceStroke.from_picks(picks.triangles, picks.barycentric, pixels=line)
    np.testing.assert_array_equal(found.triangles, drawn.triangles)
    np.testing.assert_array_equal(found.barycentric, drawn.barycentric)
    np.testing.assert_array_equal(found.crossed, drawn.crossed)
    every = SurfaceStroke.from_picks(picks.triangles, picks.barycentric)
    assert len(every.triangles) == picks.hit.sum()
    np.testing.assert_array_equal(every.crossed, drawn.crossed)
    with pytest.raises(InputError, match="touch"):
        SurfaceStroke.from_picks([-1, -1], np.zeros((2, 3)))


# What is taken away again


def test_shapes_poses_and_strokes_go_and_those_in_use_stay():
    shape = SurfaceEdit([3], [[0.0, 0.1, 0.0]])
    stroke = SurfaceStroke([0], [[1.0, 0.0, 0.0]], [0])
    edits = (
        Edits.of(TUBE)
        .with_shape("bump", shape)
        .with_pose("bow", PoseEdit({"bone1": [0.0, 0.0, 0.1, 1.0]}))
        .with_stroke("line", WAVE)
        .with_stroke("line", stroke)
    )
    used = edits.with_layer(Layer.still("on", "bump"))
    assert not edits.without_shape("bump").shapes
    assert not edits.without_pose("bow").poses
    gone = edits.without_stroke("line")
    assert not gone.strokes
    assert not gone.surface_strokes
    with pytest.raises(InputError, match="layer 'on' uses it"):
        used.without_shape("bump")
    assert not used.without_layer("on").without_shape("bump").shapes
    for take in (edits.without_shape, edits.without_pose, edits.without_stroke, edits.without_layer):
        with pytest.raises(InputError, match="name one"):
            take("nothing")


# Keys and layers


def keyed():
    return Layer(name="swell", keys=(Key(time=0.0), Key(time=1.0, use="bump"), Key(time=2.0, use="bump", amount=0.5)))


def test_keys_are_moved_copied_deleted_and_eased():
    layer = keyed()
    assert [key.time for key in layer.move_key(1.0, 3.0).keys] == [0.0, 2.0, 3.0]
    assert layer.move_key(1.0, 3.0).key_at(3.0).use == "bump"
    assert [key.time for key in layer.move_key(1.0, 2.0).keys] == [0.0, 2.0]
    assert layer.move_key(1.0, 2.0).key_at(2.0).amount == 1.0
    copied = layer.copy_key(2.0, 4.0)
    assert [key.time for key in copied.keys] == [0.0, 1.0, 2.0, 4.0]
    assert copied.key_at(4.0).amount == 0.5
    assert [key.time for key in layer.delete_key(1.0).keys] == [0.0, 2.0]
    eased = layer.ease_key(0.0, "linear")
    assert eased.amounts(0.25)["bump"] == pytest.approx(0.25)
    assert layer.amounts(0.25)["bump"] != pytest.approx(0.25)
    assert layer.with_key(Key(time=1.0, use="bump", amount=3.0)).amounts(1.0)["bump"] == 3.0
    assert [key.time for key in layer.keys] == [0.0, 1.0, 2.0]
    with pytest.raises(InputError, match="0, 1, 2"):
        layer.delete_key(0.5)
    with pytest.raises(InputError, match="at least one"):
        Layer.still("one", "bump").delete_key(0.0)
    with pytest.raises(InputError, match="easing 'jump'"):
        layer.ease_key(0.0, "jump")


def test_mute_and_solo():
    def total(**switches):
        layers = [
            Layer(name=name, keys=(Key(time=0.0, use=name),), **dict.fromkeys(switches.get(name, ()), True))
            for name in "abc"
        ]
        return total_amounts(layers, 0.0)

    assert total() == {"a": 1.0, "b": 1.0, "c": 1.0}
    assert total(b=["mute"]) == {"a": 1.0, "b": 0.0, "c": 1.0}
    assert total(b=["solo"]) == {"a": 0.0, "b": 1.0, "c": 0.0}
    assert total(b=["solo"], c=["solo"]) == {"a": 0.0, "b": 1.0, "c": 1.0}
    assert total(b=["solo", "mute"], c=["solo"]) == {"a": 0.0, "b": 0.0, "c": 1.0}


def test_a_muted_layer_is_no_firmer_than_none():
    edits = Edits.of(TUBE).with_shape("bump", SurfaceEdit([3], [[0.0, 0.1, 0.0]]))
    loud = edits.with_layer(Layer(name="on", keys=(Key(time=0.0, use="bump"),), firmness=5.0)).on_character(TUBE)
    muted = edits.with_layer(Layer(name="on", keys=(Key(time=0.0, use="bump"),), firmness=5.0, mute=True))
    silent = muted.on_character(TUBE)
    firm = [name for name in loud.maps if name.startswith("firm ")]
    assert loud.maps[firm[0]][3] == pytest.approx(5.0)
    assert firm[0] not in silent.maps


def test_all_of_it_is_kept_in_a_file(tmp_path):
    pressed = Stroke(WAVE.knots, WAVE.times, np.linspace(0, 1, len(WAVE.knots)))
    on_skin = SurfaceStroke([0, 1], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0, 1], [0.25, 0.75])
    edits = (
        Edits.of(TUBE)
        .with_shape("bump", SurfaceEdit([3], [[0.0, 0.1, 0.0]]))
        .with_layer(Layer(name="on", keys=(Key(time=0.0, use="bump"),), mute=True, solo=True))
        .with_stroke("pressed", pressed)
        .with_stroke("plain", WAVE)
        .with_stroke("on skin", on_skin)
    )
    save_edits(edits, tmp_path / "edits.json")
    found = load_edits(tmp_path / "edits.json")
    np.testing.assert_array_equal(found.strokes["pressed"].pressures, pressed.pressures)
    assert found.strokes["plain"].pressures is None
    np.testing.assert_array_equal(found.surface_strokes["on skin"].pressures, [0.25, 0.75])
    assert (found.layers[0].mute, found.layers[0].solo) == (True, True)
