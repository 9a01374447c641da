"""The benchmark of crowds: its form, not its figures."""

import supple
from supple.bench.crowds import crowd


def test_one_and_some_copies_are_timed_with_results_on_host_and_device(monkeypatch):
    tube = supple.character("tube", vertices=500)
    monkeypatch.setattr(crowd, "actors", lambda _: (tube, supple.motion("bend", tube)))
    monkeypatch.setattr(crowd, "COPIES", {"cpu": (1, 2)})
    monkeypatch.setattr(crowd, "MEMBERS", {"cpu": 12})
    monkeypatch.setattr(crowd, "MORE", 2)
    told = []
    every = list(crowd.rows(told.append))
    found, levels = every[:6], every[6:]
    assert [row.what for row in found] == 2 * [
        "making and binding",
        "frame, results on the host",
        "frame, results on the device",
    ]
    assert all(row.room == "crowd" and row.seconds > 0.0 for row in found)
    assert [scene.split(" ")[0] for scene in told] == ["1", "2", "12"]
    assert [row.what for row in levels] == [
        "making and binding",
        "frame, results on the host",
        *["first frame of 2 more members"] * 3,
    ]
    assert all("MiB for each" in row.note for row in levels[2:])
