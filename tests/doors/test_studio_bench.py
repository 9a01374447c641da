"""The rows that are made of what a page of the studio has measured of itself."""

import pytest

from supple.bench import studio

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
    assert "40.0 frames a second arrive" in rows["between frames beside a bake"].note
    assert "live setting to picture" not in rows  # nothing was measured of it


def test_without_a_browser_there_are_no_rows_and_that_is_said(monkeypatch):
    monkeypatch.setattr(studio.shutil, "which", lambda name: None)
    said = []
    assert list(studio.rows(said.append)) == []
    assert "no Chromium" in said[0]
