"""Who may come in, tried from real pages: the studio's own, another site's, a rebound name's and an old one's."""

from __future__ import annotations

import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from chromium import arguments, chromium_here

PROTOCOL = "supple-studio.1"
# In a page: open a socket and say how it ended.
SOCKET = """([address, protocol]) => new Promise((answer) => {
  const socket = new WebSocket(address, protocol);
  socket.onmessage = () => answer("let in");
  socket.onclose = ({code, reason}) => answer(`closed ${code} ${reason}`);
})"""
FETCH = """([address, options]) => fetch(address, options).then((found) => found.status, () => "refused")"""


class _Page(BaseHTTPRequestHandler):
    """Answers everything with an empty page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Another site</title><p>Another site")

    def log_message(self, *words):
        pass


@pytest.fixture
def another_site():
    """A page of another program of this machine: same host, another port."""
    server = HTTPServer(("127.0.0.1", 0), _Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def stranger(studio, another_site):
    """A page of that program in the browser in which the studio is open, cookie and all; and what it was answered."""
    page = studio.page.context.new_page()
    page.goto(another_site)
    page.answers = []
    page.on("response", lambda answer: page.answers.append((answer.url, answer.status)))
    return page


def test_another_sites_page_gets_no_socket(studio, stranger, server):
    revision = studio.state()["revision"]
    said = stranger.evaluate(SOCKET, [f"ws://127.0.0.1:{server.port}/socket", PROTOCOL])
    assert said.startswith("closed 1006")
    assert studio.state()["revision"] == revision


@pytest.mark.parametrize("options", [{}, {"mode": "no-cors"}, {"mode": "no-cors", "credentials": "include"}])
def test_another_sites_page_is_told_nothing(stranger, server, options):
    found = stranger.evaluate(FETCH, [f"{server.origin}/mesh/1", options])
    assert found in ("refused", 0)  # 0: an answer that it may not look into
    assert [status for address, status in stranger.answers if address.startswith(server.origin)] in ([403], [])


def test_another_sites_page_shows_the_studio_neither_in_a_frame_nor_as_a_script(stranger, server):
    add = """address => new Promise((answer) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => answer("ran");
      script.onerror = () => answer("refused");
      document.body.append(script);
    })"""
    assert stranger.evaluate(add, f"{server.origin}/studio.js") == "refused"
    frame = """address => new Promise((answer) => {
      const frame = document.createElement("iframe");
      frame.src = address;
      frame.onload = () => answer("loaded");
      document.body.append(frame);
    })"""
    stranger.evaluate(frame, f"{server.origin}/")
    assert "Supple" not in "".join(inside.title() for inside in stranger.frames[1:])
    assert (f"{server.origin}/", 200) not in stranger.answers


def test_a_name_that_leads_here_is_not_ours(studio, server):
    kind = studio.page.context.browser.browser_type
    rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
    browser = kind.launch(executable_path=chromium_here(), args=[*arguments(), rules])
    page = browser.new_page()
    answer = page.goto(f"http://evil.example:{server.port}/?token={server.token}")
    assert (answer.status, answer.text()) == (421, "This is not that address.")
    answer = page.goto(f"http://localhost:{server.port}/?token={server.token}")
    assert answer.status == 200
    browser.close()


@pytest.mark.parametrize("ending", ["/", "/?token=", "/?token=wrong", "/mesh/1", "/studio.js"])
def test_without_the_token_there_is_one_sentence(chromium, server, ending):
    context = chromium.new_context()
    page = context.new_page()
    answer = page.goto(server.origin + ending)
    assert (answer.status, answer.text()) == (401, "Open the address that the terminal shows.")
    assert page.evaluate(SOCKET, [f"ws://127.0.0.1:{server.port}/socket", PROTOCOL]).startswith("closed 1006")
    context.close()


def test_the_token_stays_in_no_address_and_no_script_reads_it(studio, server):
    assert studio.page.url == f"{server.origin}/"
    assert studio.js("document.cookie") == ""
    assert server.token not in studio.page.content()


def test_an_old_page_is_asked_to_reload(studio, server):
    again = partial(studio.page.evaluate, SOCKET)
    said = again([f"ws://127.0.0.1:{server.port}/socket", "supple-studio.0"])
    assert "reload" in said
    assert again([f"ws://127.0.0.1:{server.port}/socket", PROTOCOL]) == "let in"


def test_nothing_is_asked_of_any_other_machine(studio, server):
    studio.page.keyboard.press("?")
    studio.page.keyboard.press("Escape")
    studio.choose_skin("linear")
    ours = (f"{server.origin}/", f"ws://127.0.0.1:{server.port}/socket", "data:", "blob:")
    assert len(studio.requests) > 4
    assert [address for address in studio.requests if not address.startswith(ours)] == []


def test_a_script_that_gets_into_the_page_does_not_run(studio):
    """Neither one that is written into it nor one from elsewhere; the page says so in its console."""
    inject = """address => new Promise((answer) => {
      const script = document.createElement("script");
      if (address) script.src = address;
      else script.textContent = "globalThis.ran = true";
      script.onerror = () => answer("refused");
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='globalThis.ran = true'>");
      setTimeout(() => answer("silent"), 300);
    })"""
    assert studio.page.evaluate(inject, "") == "silent"
    assert studio.page.evaluate(inject, "https://evil.example/x.js") == "refused"
    assert studio.js("globalThis.ran ?? null") is None
    assert len(studio.errors) >= 3
    assert all("Content Security Policy" in error or "404" in error for error in studio.errors)
    studio.errors.clear()
    studio.requests[:] = [address for address in studio.requests if "evil.example" not in address]


def test_a_name_with_markup_is_shown_as_it_is_written(studio):
    name = "<img src=x onerror='globalThis.ran = true'>"
    studio.frame_with(studio.ask("radial", name=name, joint="Spine", swell=0.2))
    studio.until_state("state.edits.shapes.length === 1")
    studio.page.get_by_role("button", name=name, exact=True).first.wait_for()
    assert studio.js("document.querySelectorAll('img').length") == 0
    assert studio.js("globalThis.ran ?? null") is None
    studio.ask("undo")
