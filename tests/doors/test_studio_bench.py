"""The rows that are made of what a page of the studio has measured of itself."""

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from supple.bench import endurance, rooms, studio

FOUND = {
    "opened": 0.8,
    "answered": 2.1,
    "firstMoving": 2.5,
    "gaps": [16.0, 17.0, 16.0, 40.0],
    "drawn": 30.0,
    "behind": [1.0, 2.0, 9.0],
    "drag": [20.0, 30.0, 25.0],
    "change": [],
    "seek": [12.0],
    "stroke": [40.0, 50.0],
    "steps": [16.0],
    "pose": [60.0, 80.0],
    "besideBake": [20.0, 30.0],
    "compared": [25.0],
}


def test_what_a_page_measured_is_told_in_seconds():
    rows = {row.what: row for row in studio.rows_of_page("hero", FOUND)}
    assert rows["command to the first moving picture"].seconds == 2.5
    assert rows["drag while it stands, pointer to picture"].seconds == pytest.approx(0.025)
    assert "2.0 mm from hand to place" in rows["drag while it stands, pointer to picture"].note
    assert "44.9 frames a second arrive" in rows["between frames that arrive"].note
    assert rows["pen lifted to bulge"].seconds == pytest.approx(0.045)
    assert rows["second line of a drawn pose to picture"].seconds == pytest.approx(0.07)
    assert "40.0 frames a second arrive" in rows["between frames beside a bake"].note
    assert "live setting to picture" not in rows  # nothing was measured of it


def test_without_a_browser_there_are_no_rows_and_that_is_said(monkeypatch):
    monkeypatch.setattr(studio.shutil, "which", lambda name: None)
    said = []
    assert list(studio.rows(said.append)) == []
    assert "no Chromium" in said[0]


def test_growth_is_of_the_end_beside_the_time_when_all_is_loaded():
    loading, calm, leaking = np.linspace(10.0, 200.0, 10), np.full(40, 200.0), np.full(10, 230.0)
    assert "+0.0 %" in endurance.growth(np.concatenate([loading, calm, calm[:10]]))
    assert "200 to 230 MB, +15.0 %" in endurance.growth(np.concatenate([loading, calm, leaking]))


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is counted as Linux does")
def test_the_memory_of_children_counts():
    child = "import time; kept = bytearray(80_000_000); print('kept', flush=True); time.sleep(60)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with studio.running([sys.executable, "-c", parent]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
        assert 80.0 < endurance.megabytes_of(process) < 160.0
        for child_of_it in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            os.kill(int(child_of_it), signal.SIGTERM)


def test_what_takes_an_hour_is_run_only_when_it_is_asked_for(monkeypatch):
    for name in set(rooms.ROOMS) - rooms.LONG:
        monkeypatch.setattr(f"supple.bench.{rooms.ROOMS[name]}.rows", lambda progress, device: iter(()))
    monkeypatch.setattr(endurance, "rows", lambda progress, device: iter(("an hour",)))
    assert list(rooms.rows_of(None, print)) == []
    assert list(rooms.rows_of("endurance", print)) == ["an hour"]
