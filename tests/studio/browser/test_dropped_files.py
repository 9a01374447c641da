"""Files are dropped or chosen and then play, or are refused in words; another device comes in by a code."""

from __future__ import annotations

import base64
import http.client
import re
import ssl
import time

import pytest
from studio_window import PATIENCE

import supple

STUDIO = ("--skin", "linear", "--vertices", "800")
# In a page: let a file go over the canvas. `said` is the size that it claims to have, where that is another.
DROP = """([name, content, said]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const file = new File([bytes], name);
  if (said !== null) Object.defineProperty(file, "size", {value: said});
  const held = new DataTransfer();
  held.items.add(new File([bytes], name));
  const fire = (kind) => {
    const event = new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: held});
    if (said !== null) Object.defineProperty(event, "dataTransfer", {value: {types: ["Files"], files: [file]}});
    document.querySelector("canvas").dispatchEvent(event);
  };
  fire("dragenter");
  const shown = new Promise((done) => requestAnimationFrame(() => done(document.querySelector(".drop")?.innerText)));
  return shown.then((words) => (fire("drop"), words));
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Bytes of a character with a motion of its own, of half of it, and of a motion."""
    folder = tmp_path_factory.mktemp("files")
    hero = supple.character("hero", vertices=600)
    supple.save(hero.replace(motions={"Wave": supple.motion("wave", hero)}), folder / "hero.glb")
    supple.save(supple.motion("kick", hero), folder / "kick.bvh")
    whole = (folder / "hero.glb").read_bytes()
    half = whole[: len(whole) // 2]
    return {"My hero.glb": whole, "half.glb": half, "kick.bvh": (folder / "kick.bvh").read_bytes()}


def _drop(studio, name: str, content: bytes, said: int | None = None) -> str:
    return studio.page.evaluate(DROP, [name, base64.b64encode(content).decode(), said])


def test_a_dropped_character_plays_and_a_dropped_motion_moves_it(studio, files):
    begun = time.monotonic()
    assert _drop(studio, "My hero.glb", files["My hero.glb"]) == "Drop to open"
    state = studio.until_state("state.character === 'My hero.glb' && !state.opening")
    assert state["transport"]["motion"] == "Wave"
    studio.until("supple.stage.skin?.frame?.mesh === it", state["mesh"]["mesh"])
    assert time.monotonic() - begun < 5.0
    assert state["mesh"]["vertices"] == 600
    _drop(studio, "kick.bvh", files["kick.bvh"])
    state = studio.until_state("state.transport.motion === 'kick.bvh'")
    assert state["character"] == "My hero.glb"
    assert "supple-studio-" not in studio.js("JSON.stringify(supple.session.state.value)")  # no path


def test_a_broken_file_is_refused_in_a_sentence_and_all_goes_on(studio, files):
    _drop(studio, "half.glb", files["half.glb"])
    studio.page.wait_for_selector(".toast.refused")
    assert "half.glb" in studio.messages()
    assert all("422" in error for error in studio.errors)  # what Chromium says of such an answer
    studio.errors.clear()
    assert studio.state()["character"] == "hero"
    studio.frames(3)


def test_what_is_too_large_or_no_character_is_refused_before_a_byte_is_sent(studio):
    _drop(studio, "huge.glb", b"x", said=2 << 30)
    _drop(studio, "words.txt", b"x")
    studio.until("document.querySelectorAll('.toast.refused').length === 2")
    assert "2,147 MB" in studio.messages()
    assert ".txt" in studio.messages()
    assert [address for address in studio.requests if "/upload/" in address] == []


def test_all_of_opening_can_be_done_by_keys(studio, files, tmp_path):
    (tmp_path / "My hero.glb").write_bytes(files["My hero.glb"])
    studio.page.keyboard.press("Control+o")
    studio.page.wait_for_selector("dialog .chips")
    studio.page.keyboard.type("tub")
    studio.page.keyboard.press("ArrowDown")
    studio.page.keyboard.press("Enter")
    studio.until_state("state.character === 'tube' && !state.opening")
    assert studio.page.locator("dialog").count() == 0
    studio.page.keyboard.press("Control+o")
    studio.page.locator("dialog input[type=file]").set_input_files(tmp_path / "My hero.glb")
    studio.until_state("state.character === 'My hero.glb' && !state.opening")


def test_a_file_that_cannot_be_opened_at_the_start_is_said_in_the_page_and_then_it_ends(
    serve, open_window, files, tmp_path
):
    (tmp_path / "half.glb").write_bytes(files["half.glb"])
    server = serve(str(tmp_path / "half.glb"))
    studio = open_window(server, ready="session.failure.value")
    studio.page.get_by_text("Nothing was opened.").wait_for()
    assert "half.glb" in studio.notices()
    assert server.process.wait(PATIENCE / 1000) != 0
    assert "half.glb" in server.process.stdout.read()
    studio.until("document.querySelector('.notices').innerText.includes('half.glb')")  # and it stays
    studio.errors.clear()  # the browser's own words about a socket that was closed


def _until_it_serves(port: int) -> None:
    """The address is printed before the engine is made, and Chromium does not wait long for TLS."""
    unchecked = ssl._create_unverified_context()
    line = http.client.HTTPSConnection("127.0.0.1", port, context=unchecked, timeout=PATIENCE / 1000)
    line.request("GET", "/")
    assert line.getresponse().status == 401
    line.close()


def test_another_device_types_the_code_of_the_terminal(serve, chromium):
    pytest.importorskip("cryptography")
    server = serve("--skin", "linear", "--host", "127.0.0.1")
    assert server.origin.startswith("https://")
    code = next(found for line in server.process.stdout if (found := re.search(r"device is (\d{3}) (\d{3})", line)))
    _until_it_serves(server.port)
    context = chromium.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(server.origin)
    page.get_by_label("Code").press_sequentially("000 00x")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    page.get_by_label("Code").press_sequentially(f"{code[1]} {code[2]}")
    page.keyboard.press("Enter")
    page.wait_for_function("() => Boolean(globalThis.supple?.session.state.value)")
    assert page.evaluate("() => isSecureContext") is True
    (cookie,) = context.cookies()
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Strict")
    context.close()
