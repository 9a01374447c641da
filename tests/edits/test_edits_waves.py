"""Waves along strokes, and the benchmark of dragged handles."""

import numpy as np
import pytest

from conftest import make_tube
from supple.bench import expressive_edits
from supple.edits import Edits, with_wave
from supple.edits.strokes import SurfaceStroke, View
from supple.errors import InputError

TUBE = make_tube(rings=41, sectors=24)
COUNT = len(TUBE.points)
VIEW = View((0.0, 1.0, 6.0), (0.0, 1.0, 0.0), 0.45, (240, 320))
PIXELS = [VIEW.project([0.01, y, 0.25])[0] for y in (0.2, 1.8)]
STROKE = SurfaceStroke.drawn(TUBE.points, TUBE.triangles, VIEW, pixels=PIXELS)
SIZES = {"height": 0.03, "wavelength": 0.5, "speed": 0.4, "width": 0.2}


def offsets(edits, time):
    return sum(amount * edits.shapes[name].dense(COUNT) for name, amount in edits.amounts(time).items())


@pytest.mark.parametrize("time", [0.0, 0.13, 0.5, 1.0, 7.77, -0.4])
def test_a_wave_is_the_wave_of_the_formula(time):
    edits = with_wave(Edits.of(TUBE), TUBE, STROKE, name="ripple", **SIZES)
    curve = STROKE.stroke(TUBE.points, TUBE.triangles)
    share, distance = curve.nearest(TUBE.points)
    beside = np.clip(1.0 - distance / 0.2, 0.0, 1.0)
    fade = np.sin(np.pi * share) ** 2 * beside * beside * (3.0 - 2.0 * beside)
    size = 0.03 * fade * np.cos(2.0 * np.pi * (curve.length * share - 0.4 * time) / 0.5)
    outward = TUBE.points * [1, 0, 1] / 0.25
    side = np.abs(TUBE.points[:, 1] - 1.0) < 0.95  # at the caps normals lean
    found = np.einsum("vi,vi->v", offsets(edits, time), outward)
    assert np.abs(found - size)[side].max() < 1e-3 * 0.03
    assert np.abs(found).max() > 0.01


def test_a_crest_comes_back_after_its_period_and_runs_on_before():
    edits = with_wave(Edits.of(TUBE), TUBE, STROKE, name="ripple", **SIZES)
    period = 0.5 / 0.4
    assert np.abs(offsets(edits, 0.3) - offsets(edits, 0.3 + period)).max() < 1e-9
    assert np.abs(offsets(edits, 0.3) + offsets(edits, 0.3 + 0.5 * period)).max() < 1e-9


@pytest.mark.parametrize("strange", [{"wavelength": 0.0}, {"speed": -1.0}, {"width": np.nan}, {"height": np.inf}])
def test_strange_waves_are_refused(strange):
    with pytest.raises(InputError, match=next(iter(strange))):
        with_wave(Edits.of(TUBE), TUBE, STROKE, name="ripple", **{**SIZES, **strange})


def test_the_benchmark_times_both_and_finds_one_shape(monkeypatch):
    monkeypatch.setattr(expressive_edits, "SIZES", (300,))
    told = []
    rows = list(expressive_edits.rows(told.append))
    assert [row.what.split(":")[1].strip() for row in rows] == ["prepare", "handles move"]
    assert all(row.room == "expressive" and row.seconds > 0.0 and row.peer_seconds > 0.0 for row in rows)
    assert rows[1].peer.startswith("libigl")
    assert float(rows[1].note.split("within ")[1].split(" m")[0]) < 1e-5
    assert told


def test_the_benchmark_does_without_its_peer(monkeypatch):
    monkeypatch.setattr(expressive_edits, "SIZES", (300,))
    monkeypatch.setattr(expressive_edits, "_libigl", lambda: None)
    assert all(row.peer is None and row.ratio is None for row in expressive_edits.rows(lambda _: None))
