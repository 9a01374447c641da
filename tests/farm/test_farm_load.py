"""The simulation of a large farm: it does all tasks, in no less time than the work takes, and loses nothing."""

import pytest

from supple.bench.clusters.load import Load, SimulatedCluster, simulated
from supple.farm import farm, running

LIST = """
farm = {{ folder = "out", pictures = 0 }}
[[shot]]
name = "a"
character = "tube"
vertices = {vertices}
skin = "linear"
"""


def played(tmp_path, monkeypatch, workers, load, shots=12):
    monkeypatch.setattr(running, "LOOK_EVERY", 0.0)
    (tmp_path / "shots.toml").write_text(LIST.format(vertices=[500 + number for number in range(shots)]))
    cluster = SimulatedCluster(workers, load)
    outcome = farm(tmp_path / "shots.toml", hands=cluster)
    assert outcome.tasks == 2 * shots
    return cluster


def test_time_is_that_of_the_work_and_of_the_start(tmp_path, monkeypatch):
    """Twelve bakes of 8 s and twelve measures of 5 s, all alike: on one worker one after another, on twelve at once."""
    plain = Load(spread=1.0, dispatch=0.0, overhead=0.0, start=2.0, lost_every=1e12)
    assert played(tmp_path, monkeypatch, 1, plain).now == pytest.approx(2.0 + 12 * 13.0)
    assert played(tmp_path, monkeypatch, 12, plain).now == pytest.approx(2.0 + 13.0)


def test_a_slow_scheduler_is_what_it_waits_for(tmp_path, monkeypatch):
    slow = Load(spread=1.0, dispatch=10.0, overhead=0.0, start=0.0, lost_every=1e12)
    cluster = played(tmp_path, monkeypatch, 12, slow)
    assert cluster.now >= 24 * 10.0
    assert cluster.scheduler_busy == 24 * 10.0


def test_workers_that_are_lost_cost_time_and_no_task(tmp_path, monkeypatch):
    often = Load(spread=1.0, dispatch=0.0, overhead=0.0, start=2.0, lost_every=20.0)
    cluster = played(tmp_path, monkeypatch, 1, often)
    assert cluster.lost > 0
    assert cluster.now > 2.0 + 12 * 13.0


def test_a_row_says_what_it_took():
    row = simulated(20, 10, Load())
    assert "80 tasks" in row.note
    assert row.seconds > 0.0
    assert running.LOOK_EVERY > 0.0
