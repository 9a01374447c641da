"""The benchmark: its form, not its figures."""

import json

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.bench import kinematic, rooms
from supple.bench.rows import Row, to_dict
from supple.bench.timing import once, timed
from supple.cli.bench import table
from supple.cli.main import main

KEYS = {"room", "scene", "what", "seconds", "peer", "peer_seconds", "ratio", "published_seconds"}


@pytest.fixture
def small_scenes(monkeypatch):
    """The same benchmark on a tube of a few hundred vertices."""
    tube = make_tube(bones=5)
    turn = {"bone2": (0.0, 0.0, np.sin(0.3), np.cos(0.3))}
    poses = [supple.Pose.rest(tube.skeleton), supple.Pose.from_rotations(tube.skeleton, turn)]
    monkeypatch.setattr(kinematic, "_tube", lambda: (tube, poses))
    monkeypatch.setattr(kinematic, "_hero", lambda: (tube, poses))


def test_the_json_has_the_agreed_form(small_scenes, tmp_path, capsys):
    path = tmp_path / "bench.json"
    assert main(["bench", "kinematic", "--json", str(path)]) == 0
    data = json.loads(path.read_text())
    assert {"processor", "cores", "python", "supple", "warp"} <= set(data["machine"])
    assert len(data["rows"]) == 2 * 4 * 3  # scenes, skins, and bind, first and steady frame apart
    for row in data["rows"]:
        assert set(row) >= KEYS
        assert row["seconds"] > 0.0
        assert (row["ratio"] is None) == (row["peer_seconds"] is None)
    assert "linear blend: steady frame" in capsys.readouterr().out


def test_a_ratio_says_how_many_times_as_fast():
    row = Row("room", "scene", "what", 0.002, peer="other", peer_seconds=0.006)
    assert row.ratio == pytest.approx(3.0)
    assert Row("room", "scene", "what", 0.002).ratio is None
    assert to_dict([row])["rows"][0]["ratio"] == pytest.approx(3.0)
    assert any("3.00 times as fast" in line for line in table([row]))


def test_rooms_that_are_not_there_are_refused(capsys):
    assert main(["bench", "attic"]) == 2
    assert "kinematic" in capsys.readouterr().err
    with pytest.raises(supple.InputError, match="'attic'"):
        list(rooms.rows_of("attic", print))


def test_timing_counts_calls_and_orders_quartiles():
    calls = []
    timing = timed(lambda: calls.append(1), repeats=9, warm_up=2)
    assert len(calls) == 11
    assert timing.low <= timing.seconds <= timing.high
    assert once(lambda: None).seconds >= 0.0
