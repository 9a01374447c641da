"""Fixtures of the scenarios that a person lives through in the studio, in a real Chromium.

| fixture | what it is |
| --- | --- |
| `studio` | a `Window` of 640 x 400 pixels on a server that the tests of a module share, brought to where it opened |
| `wide_studio` | the same with 1280 x 800 pixels |
| `server` | that server: `Server`, with its address, port and token |
| `open_window` | a function: `open_window(server, size=(800, 560), color_scheme="dark")` gives a further `Window` |
| `serve` | a function: `serve("--skin", "linear")` gives a `Server` of the test's own |
| `chromium` | Playwright's browser, for all else |

A module that wants other arguments for its server says so: `STUDIO = ("--skin", "linear", "--vertices", "800")`.
What `Window` can be asked and told is in `studio_window.py`; a scenario reads like this:

    def test_the_belly_goes_with_the_hand(studio):
        studio.pause()
        studio.drag("belly", right=40, up=0)
        studio.flesh(0.25)
        hand, place = studio.held()
        assert np.linalg.norm(hand - place) < 1e-3
        studio.let_go()

Any error in the console or of the page fails the test that it happened in, and so does anything that the page asks of
another machine; where a test provokes errors it clears `studio.errors` when it has looked at them. Without Playwright
or Chromium these tests are skipped; `make browser` says what is missing.

With `make installed` every server is that of a wheel in an environment of its own (`studio_wheel.py`), and a test in
which it asks for another machine fails too.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from chromium import MISSING, arguments, chromium_here
from studio_server import Server
from studio_wheel import HERE, WHEELS, installed_python
from studio_window import WELCOMED, Window

SMALL, WIDE = (640, 400), (1280, 800)
USUAL = ("--port", "0", "--vertices", "3000")


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    """A browser without a window on the screen; its pages are drawn by the processor."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make browser")
    program = chromium_here()
    if program is None:
        pytest.skip(MISSING)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=arguments())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """Where servers of this run keep what they have bound."""
    return tmp_path_factory.mktemp("bindings")


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """What servers run by: this Python, or where there are wheels one that has Supple from its own."""
    if not os.environ.get(WHEELS):
        return {}
    folder = tmp_path_factory.mktemp("installed")
    return {"python": installed_python(folder), "PYTHONPATH": "", "ASKED": str(folder / "asked")}


@pytest.fixture(scope="module")
def server(request, chromium, cache, programs):
    """The server of a module; its arguments are `STUDIO` of the module, or a hero of 3000 vertices."""
    made = Server((*USUAL, *getattr(request.module, "STUDIO", ())), cache, **programs)
    yield made
    made.close()


@pytest.fixture
def serve(chromium, cache, programs):
    """Servers of a test's own: `serve("--skin", "linear")`."""
    made = []

    def start(*more: str) -> Server:
        made.append(Server((*USUAL, *more), cache, **programs))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def open_window(chromium, programs):
    """Windows of a test's own: `open_window(server, size=(1280, 800), color_scheme="light")`.

    `script` and `ready` are those of `Window`. What is given besides goes to Playwright's `new_context`. Every window
    is a person of its own: no two share cookies.
    """
    contexts, windows = [], []

    def open_one(server: Server, size: tuple[int, int] = SMALL, script=WELCOMED, ready="stage.skin?.frame", **context):
        context = {"color_scheme": "dark", "reduced_motion": "reduce", **context}
        contexts.append(chromium.new_context(viewport={"width": size[0], "height": size[1]}, **context))
        windows.append(Window(contexts[-1].new_page(), server.address, script, ready))
        return windows[-1]

    yield open_one
    errors = [error for window in windows for error in window.errors]
    hosts = {urlsplit(address).hostname for window in windows for address in window.requests}
    for context in contexts:
        context.close()
    assert errors == []
    assert hosts <= {None, *HERE}, "the page asks other machines"
    asked = Path(programs.get("ASKED", ""))
    assert not asked.is_file(), f"the server asks for {asked.read_text()}"


@pytest.fixture
def studio(server, open_window):
    """A small window, in which the studio is as it opened."""
    window = open_window(server)
    window.afresh()
    return window


@pytest.fixture
def wide_studio(server, open_window):
    """A window as large as a laptop's, in which the studio is as it opened."""
    window = open_window(server, WIDE)
    window.afresh()
    return window
