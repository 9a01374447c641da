"""Curves of measures: a few values a second for every view, and only while they are wanted."""

import numpy as np
import pytest
from test_engine import Ear, document

import supple
from supple.measure import volume_ratio
from supple.studio import messages as say
from supple.studio.engine import Engine
from supple.studio.measures.curves import PERIOD, Curves
from supple.studio.measures.offered import Moment


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=800)


def test_values_are_those_of_the_measures(hero):
    player = supple.player(hero, supple.LinearBlend())
    points = player.advance(supple.motion("walk", hero).sample(0.3))
    moment = Moment([player], [points], [points - np.float32([0.0, 0.0, 0.03])], PERIOD)
    (values,) = Curves().take(moment, 1.5).views
    assert values.volume == pytest.approx(100.0 * volume_ratio(points[None], hero.points, hero.triangles)[0])
    assert values.stretch == pytest.approx(100.0 * player.stretch().max())
    assert values.speed == pytest.approx(0.3, rel=1e-4)


def test_values_are_taken_ten_times_a_second(hero):
    player = supple.player(hero, supple.LinearBlend())
    points = player.advance(supple.motion("walk", hero).sample(0.3))
    curves = Curves()
    taken = [curves.take(Moment([player], [points], None, 1.0 / 60.0), frame / 60.0) for frame in range(120)]
    assert 17 <= len([one for one in taken if one is not None]) <= 20
    assert taken[0].views[0].speed is None


def test_curves_come_while_they_are_wanted():
    engine, ear = Engine(document("linear")), Ear()
    engine.start()
    engine.listen(ear)
    try:
        ear.until(lambda: ear.frames and ear.state.views[0].preparing is None)
        engine.tell(say.AddView(1, "dual-quaternion"))
        engine.tell(say.Show(2, curves=True))
        ear.until(lambda: len([e for e in ear.events if isinstance(e, say.CurvesInfo) and len(e.views) == 2]) > 2)
        assert ear.state.shown.curves
        last = [event for event in ear.events if isinstance(event, say.CurvesInfo)][-1]
        assert all(80.0 < one.volume < 120.0 and one.stretch > 0.0 for one in last.views)
        engine.tell(say.Show(3, curves=False))
        ear.until(lambda: not ear.state.shown.curves)
        ear.events.clear()
        ear.frames.clear()
        ear.until(lambda: len(ear.frames) > 30)
        assert not [event for event in ear.events if isinstance(event, say.CurvesInfo)]
    finally:
        engine.stop()
