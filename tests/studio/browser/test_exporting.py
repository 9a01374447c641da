"""Files made beside what plays, pictures, and recordings, as a person asks for them."""

import struct

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


def test_pictures_are_as_large_as_the_stage_or_twice(studio, tmp_path):
    width, height = studio.js("[supple.stage.canvas.clientWidth, supple.stage.canvas.clientHeight]")
    for key, scale in (("F8", 1), ("F9", 2)):
        download(studio, lambda key=key: studio.page.keyboard.press(key)).save_as(tmp_path / "seen.png")
        found = (tmp_path / "seen.png").read_bytes()
        assert found[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", found[16:24]) == (scale * width, scale * height)


def test_a_recording_is_a_film(studio, tmp_path):
    studio.page.keyboard.press("m")
    studio.page.get_by_text("Recording 0:0").wait_for()
    studio.flesh(1.0)
    download(studio, lambda: studio.page.keyboard.press("m")).save_as(tmp_path / "film")
    found = (tmp_path / "film").read_bytes()
    assert found[:4] == b"\x1a\x45\xdf\xa3" or found[4:8] == b"ftyp"
    assert len(found) > 5000
    assert studio.page.get_by_text("Recording").count() == 0
