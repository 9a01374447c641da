"""The benchmark: its form, not its figures."""

import importlib.util
import json

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.bench import expressive, kinematic, live, live_edits, position_based, rooms
from supple.bench.position_based_scenes import Scene, with_longest_bone_split
from supple.bench.rows import Row, to_dict
from supple.bench.tables import position_based as tables
from supple.bench.timing import once, timed
from supple.cli.bench import table
from supple.cli.main import main
from supple.errors import DeviceError, InputError

KEYS = {"room", "scene", "what", "seconds", "peer", "peer_seconds", "ratio", "published_seconds"}


@pytest.fixture
def small_scenes(monkeypatch):
    """The same benchmark on a tube of a few hundred vertices."""
    tube = make_tube(bones=5)
    rotation = {"bone2": (0.0, 0.0, np.sin(0.3), np.cos(0.3))}
    poses = [supple.Pose.rest(tube.skeleton), supple.Pose.from_rotations(tube.skeleton, rotation)]
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
    with pytest.raises(InputError, match="'attic'"):
        list(rooms.rows_of("attic", print))


def test_timing_counts_calls_and_orders_quartiles():
    calls = []
    timing = timed(lambda: calls.append(1), repeats=9, warm_up=2)
    assert len(calls) == 11
    assert timing.low <= timing.seconds <= timing.high
    assert once(lambda: None).seconds >= 0.0


@pytest.fixture
def small_flesh(monkeypatch):
    """The benchmark of position based skinning on a tube of a few hundred elements."""
    scene = Scene("SMALL", "tube", "bend", 600, 300, 5, 1e-3, 2e-3)
    monkeypatch.setattr(position_based, "SCENES", (scene,))
    monkeypatch.setattr(position_based, "SOLVES", {"small": 300})
    monkeypatch.setattr(tables, "SECONDS", 0.05)
    monkeypatch.setattr(tables, "TABLE_4_1", ())
    monkeypatch.setattr(tables, "TABLE_4_2", (tables.Model(scene, 0.6, 12, 1e-3, 0.15),))
    monkeypatch.setattr(tables, "TABLE_5_1", (tables.Meeting(scene, 8, 1e-3, 2e-3, 3e-3, box=True),))
    monkeypatch.setattr(tables, "TABLE_5_2", (tables.Meeting(scene, 22, 1e-3, 2e-3, parted=1e-3),))


def test_position_based_rows_have_the_agreed_form(small_flesh):
    said = []
    rows = list(rooms.rows_of("position-based", said.append))
    whats = [row.what for row in rows]
    for kind in ("published order", "default order", "default order with contacts"):
        assert [what for what in whats if what.startswith(f"{kind}: ")] == [
            f"{kind}: bind",
            f"{kind}: first frame",
            f"{kind}: steady frame",
        ]
    steady = [row for row in rows if row.what.endswith("steady frame")]
    assert [row.published_seconds for row in steady] == [1e-3, 1e-3, 3e-3]  # frame, and with its detection
    assert all("600 vertices" in row.note and "5 bones" in row.note for row in steady)
    (solve,) = [row for row in rows if row.scene == "solve-small"]
    (found,) = [row for row in rows if row.what == "contacts found on demand"]
    assert found.peer == "full hash"
    assert found.published_seconds == 2e-3
    whole = [row for row in rows if row.what.startswith("whole default frame")]
    assert len(whole) == (importlib.util.find_spec("pypbd") is not None)
    assert all("pypbd" in row.peer and row.ratio > 0.0 and "294 tetrahedra" in row.note for row in whole)
    assert len(rows) == 3 * 3 + 2 + 3 + len(whole)
    skinned, met, parted = (row for row in rows if row.what.startswith("table "))
    assert skinned.published_seconds == 1e-3
    assert "volumes" in skinned.note
    assert "(published 0.15 %)" in skinned.note
    assert (met.peer, met.published_seconds) == ("full hash", 2e-3)
    assert "in all 22 rounds" in parted.note
    assert "(published 1.00 ms)" in parted.note
    assert all(row.room == "position-based" and row.seconds > 0.0 for row in rows)
    if importlib.util.find_spec("pypbd"):
        assert "pypbd" in solve.peer
        assert solve.ratio == pytest.approx(solve.peer_seconds / solve.seconds)
    else:
        assert solve.peer is None
        assert any("pypbd is not installed" in line for line in said)


@pytest.mark.parametrize("room", [kinematic, expressive, position_based])
def test_rows_on_a_gpu_that_is_not_there_are_refused(room, capsys):
    with pytest.raises(DeviceError, match="cuda:99"):
        list(room.rows(print, device="cuda:99"))


def test_the_command_gives_its_device_to_the_room(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(kinematic, "rows", lambda progress, *, device: asked.append(device) or iter(()))
    assert main(["bench", "kinematic"]) == 0
    assert main(["bench", "kinematic", "--device", "cuda:99"]) == 2
    assert asked == ["cpu"]
    assert "cuda:99" in capsys.readouterr().err
    monkeypatch.setattr(rooms.devices, "check_device", lambda name: name)
    assert main(["bench", "kinematic", "--device", "cuda:99"]) == 0
    assert asked == ["cpu", "cuda:99"]


def test_splitting_a_bone_adds_a_joint_and_moves_the_skin_as_before():
    tube = supple.character("tube", vertices=600, bones=3)
    bend = supple.motion("bend", tube)
    split, played = tube, bend
    for joints in (4, 5, 6):
        split, played = with_longest_bone_split(split, played)
        assert len(split.skeleton) == joints
    lengths = [np.linalg.norm(c.skeleton.bones.ends - c.skeleton.bones.starts, axis=1) for c in (tube, split)]
    assert lengths[1].sum() == pytest.approx(lengths[0].sum())
    assert lengths[1].max() == pytest.approx(0.5 * lengths[0].max())
    for time in (0.0, 0.7, 1.3):
        before = supple.player(tube, supple.LinearBlend()).play(bend, time)
        after = supple.player(split, supple.LinearBlend()).play(played, time)
        np.testing.assert_allclose(after, before, atol=1e-6)
    new_share = split.weights.dense(6)[:, 3:].max(axis=0)
    assert (new_share > 0.5).all()


def test_every_touch_of_a_playing_skin_has_a_row(monkeypatch, tmp_path):
    monkeypatch.setattr(live, "SKINS", {name: live.SKINS[name] for name in ("linear", "lattice")})
    monkeypatch.setattr(live, "VERTICES", 600)
    monkeypatch.setattr(live, "MANY", 700)
    monkeypatch.setattr(live, "SECONDS", 0.2)
    monkeypatch.setattr(live_edits, "FEW", 600)
    monkeypatch.setattr(live_edits, "ENCODED", 650)
    monkeypatch.setattr(live_edits, "RAYS", 100)
    monkeypatch.setattr(live_edits, "_KINEMATIC", ("linear",))
    path = tmp_path / "live.json"
    assert main(["bench", "live", "--json", str(path)]) == 0
    rows = {row["what"]: row for row in json.loads(path.read_text())["rows"]}
    assert all(row["seconds"] > 0.0 for row in rows.values())
    assert "mm behind a hand that walks along" in rows["lattice: move a hand and step"]["note"]
    for what in ("paint a map", "reshape", "restore", "stretch by vertex", "forces by vertex", "take hold"):
        assert f"lattice: {what}" in rows
    assert "lattice: scrub to any time of 0.2 s" in rows
    assert "linear: scrub to any time of 0.2 s" not in rows
    for what in ("pick one pixel, points moved", "pose by strokes", "outline", "encode an edit under linear"):
        assert what in rows
