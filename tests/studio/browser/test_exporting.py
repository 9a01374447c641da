"""Files made beside what plays, pictures, and recordings, as a person asks for them."""

import struct
from pathlib import Path

import numpy as np

from supple.cli.main import main

STUDIO = ("--skin", "linear", "--vertices", "800")


def download(window, act):
    with window.page.expect_download() as coming:
        act()
    return coming.value


def test_a_bake_goes_on_beside_what_plays_and_has_the_bytes_of_the_command_line(studio, tmp_path):
    studio.page.keyboard.press("Control+e")
    studio.page.get_by_role("button", name="Start", exact=True).click()
    studio.until_state("state.jobs.at(-1)?.state === 'running'")
    studio.frames(30)
    job = studio.until_state("state.jobs.at(-1)?.state === 'done'")["jobs"][-1]
    assert job["name"] == "hero-linear.glb"
    made = download(studio, lambda: studio.page.get_by_role("link", name=job["name"]).click())
    made.save_as(tmp_path / "page.glb")
    words = ["bake", "hero", "--vertices", "800", "--motion", "walk", "--skin", "linear", "-o"]
    assert main([*words, str(tmp_path / "hand.glb")]) == 0
    assert (tmp_path / "page.glb").read_bytes() == (tmp_path / "hand.glb").read_bytes()


def test_a_bake_is_cancelled_and_goes_on_where_it_was(studio):
    studio.choose_skin("contact")
    studio.ask("choose-motion", motion="dance")
    studio.until_state("state.transport.motion === 'dance' && preparing === null")
    studio.page.keyboard.press("Control+e")
    sheet = studio.page.get_by_role("dialog", name="Export")
    sheet.get_by_role("button", name="Start", exact=True).click()
    studio.until_state("state.jobs.at(-1).state === 'running' && state.jobs.at(-1).done > 5")
    job = sheet.get_by_role("listitem").first
    assert job.get_by_role("progressbar").get_attribute("value") is not None
    job.get_by_text("frames").wait_for()
    job.get_by_role("button", name="Cancel").click()
    stopped = studio.until_state("state.jobs.at(-1).state === 'cancelled'")["jobs"][-1]
    assert 0 < stopped["done"] < stopped["total"]
    studio.frames(10)  # it plays on
    job.get_by_role("button", name="Go on").click()
    again = studio.until_state("state.jobs.at(-1).state === 'running' && state.jobs.at(-1).done > 0")["jobs"][-1]
    assert again["done"] >= stopped["done"]
    done = studio.until_state("state.jobs.at(-1).state === 'done'")["jobs"][-1]
    assert done["size"] > 0
    job.get_by_role("button", name="Remove").click()
    studio.until_state("!state.jobs.some(({number}) => number === it)", done["number"])


def test_pictures_are_as_large_as_the_stage_or_twice(studio, tmp_path):
    width, height = studio.js("[supple.stage.canvas.clientWidth, supple.stage.canvas.clientHeight]")
    for key, scale in (("F8", 1), ("F9", 2)):
        download(studio, lambda key=key: studio.page.keyboard.press(key)).save_as(tmp_path / "seen.png")
        found = (tmp_path / "seen.png").read_bytes()
        assert found[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", found[16:24]) == (scale * width, scale * height)


def test_a_recording_is_a_film_that_plays(studio, chromium, tmp_path):
    studio.page.keyboard.press("m")
    studio.page.get_by_text("Recording 0:0").wait_for()
    studio.flesh(1.0)
    made = download(studio, lambda: studio.page.keyboard.press("m"))
    film = tmp_path / f"film{Path(made.suggested_filename).suffix}"
    made.save_as(film)
    found = film.read_bytes()
    assert found[:4] == b"\x1a\x45\xdf\xa3" or found[4:8] == b"ftyp"
    assert len(found) > 5000
    assert studio.page.get_by_text("Recording").count() == 0
    player = chromium.new_page()
    player.goto(film.as_uri())
    video = "document.querySelector('video')"
    player.evaluate(f"() => {{ {video}.muted = true; {video}.play(); }}")
    player.wait_for_function(f"() => {video}.currentTime > 0.3 || {video}.ended")
    size = studio.js("[supple.stage.canvas.clientWidth, supple.stage.canvas.clientHeight]")
    assert np.allclose(player.evaluate(f"[{video}.videoWidth, {video}.videoHeight]"), size, atol=1)
    player.close()
