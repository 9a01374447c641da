"""Waves that forces drive along a stroke: they run, their neighbours follow, and a wake is left."""

import itertools

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.edits import Edits, drive_wave
from supple.edits.strokes import SurfaceStroke, View
from supple.errors import InputError

TUBE = make_tube(rings=41, sectors=24)
TUBE = TUBE.replace(maps={"jiggle": np.ones(len(TUBE.points))})
VIEW = View((0.0, 1.0, 6.0), (0.0, 1.0, 0.0), 0.45, (240, 320))
STROKE = SurfaceStroke.drawn(
    TUBE.points, TUBE.triangles, VIEW, pixels=[VIEW.project([0.01, y, 0.25])[0] for y in (0.2, 1.8)]
)
SIZES = {"height": 0.04, "length": 0.5, "speed": 2.0, "width": 0.15}
LOOSE = supple.SpringDynamics(frequency=3.0, damping=0.05, stiffness={"radius": 0.6, "twist": 0.3})
FPS = 60.0


def driven(skin, *, seconds, **more):
    """Every vertex's move (F, V, 3) [m] under a wave."""
    edits = drive_wave(Edits.of(TUBE), TUBE, STROKE, name="w", **{**SIZES, **more})
    player = supple.player(edits.on_character(TUBE), skin, fps=FPS)
    rest = supple.Pose.rest(TUBE.skeleton)
    times = np.arange(round(seconds * FPS)) / FPS
    return np.array([player.advance(edits.on_pose(TUBE.skeleton, rest, float(time))) for time in times]) - TUBE.points


def near(height, side=0.0):
    """The vertex under the stroke at a height, or so many radians beside it."""
    place = [0.25 * np.sin(side), height, 0.25 * np.cos(side)]
    return int(np.linalg.norm(TUBE.points - place, axis=1).argmin())


@pytest.fixture(scope="module")
def once():
    return driven(LOOSE, seconds=3.0)


def test_the_crest_runs_along_the_stroke_at_its_speed(once):
    heights = np.array([0.6, 0.8, 1.0, 1.2, 1.4])
    peaks = np.array([once[:80, near(height), 2].argmax() / FPS for height in heights])
    assert (np.diff(peaks) > 0.0).all()
    assert np.polyfit(peaks, heights, 1)[0] == pytest.approx(2.0, rel=0.15)
    assert once[:, near(1.0), 2].max() > 0.5 * SIZES["height"]


def test_neighbours_beyond_its_width_are_taken_along(once):
    beside = near(1.0, side=0.9)  # 0.22 m away over the skin
    assert np.linalg.norm(once[:, beside], axis=1).max() > 0.05 * SIZES["height"]
    plain = driven(supple.IncrementalRotation(), seconds=1.5)
    assert np.abs(plain[:, beside]).max() < 1e-6


def test_it_leaves_a_wake_that_dies_away():
    """Skin that a short crest has passed swings on, past where it was; any other is at rest at once."""
    short = {"length": 0.2}
    found, middle = driven(LOOSE, seconds=3.0, **short), near(1.0)
    passed = round((0.8 / 2.0 + 0.1) * FPS) + 1
    plain = driven(supple.IncrementalRotation(), seconds=1.0, **short)
    assert np.abs(plain[passed:, middle]).max() < 1e-6
    assert np.abs(plain[:, middle]).max() > 0.5 * SIZES["height"]
    wake = found[passed : passed + 30, middle, 2]
    assert wake.max() - wake.min() > 0.1 * SIZES["height"]
    assert wake.min() < 0.0
    assert np.linalg.norm(found[-1], axis=1).max() < 0.03 * SIZES["height"]


def test_it_runs_once_or_again_and_again():
    plain = supple.IncrementalRotation()
    single, again = driven(plain, seconds=3.0), driven(plain, seconds=3.0, every=1.5)
    middle = near(1.0)
    assert np.abs(single[round(1.5 * FPS) :]).max() < 1e-6
    assert np.allclose(again[: round(1.5 * FPS), middle], again[round(1.5 * FPS) :, middle], atol=1e-5)
    late = driven(plain, seconds=1.0, start=0.5)
    assert np.allclose(late[30:, middle], single[:30, middle], atol=1e-5)


def test_a_stiffer_wave_stands_higher():
    """The stiffer it draws, the nearer it comes to the height asked for, and never beyond."""
    heights = [driven(LOOSE, seconds=1.0, stiffness=k)[:, near(1.0), 2].max() for k in (0.01, 0.05, 1.0, 5.0)]
    assert all(low < high for low, high in itertools.pairwise(heights))
    assert heights[0] < 0.5 * SIZES["height"]
    assert 0.95 * SIZES["height"] < heights[-1] < 1.001 * SIZES["height"]


@pytest.mark.parametrize(
    "strange", [{"length": 0.0}, {"speed": -1.0}, {"width": np.nan}, {"height": np.inf}, {"every": 0.1}]
)
def test_strange_waves_are_refused(strange):
    with pytest.raises(InputError, match=next(iter(strange))):
        drive_wave(Edits.of(TUBE), TUBE, STROKE, name="w", **{**SIZES, **strange})
