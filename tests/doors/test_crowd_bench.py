"""The benchmark of crowds: its form, not its figures."""

import supple
from supple.bench.crowds import crowd


def test_one_and_some_copies_are_timed_with_results_on_host_and_device(monkeypatch):
    tube = supple.character("tube", vertices=500)
    monkeypatch.setattr(crowd, "actors", lambda _: (tube, supple.motion("bend", tube)))
    monkeypatch.setattr(crowd, "COPIES", {"cpu": (1, 2)})
    told = []
    found = list(crowd.rows(told.append))
    assert [row.what for row in found] == 2 * [
        "making and binding",
        "frame, results on the host",
        "frame, results on the device",
    ]
    assert all(row.room == "crowd" and row.seconds > 0.0 for row in found)
    assert [scene.split(" ")[0] for scene in told] == ["1", "2"]
