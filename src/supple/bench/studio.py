"""The studio as it is felt: from command to picture, measured by its page in a browser that no debugger slows.

The server is started as a person starts it, and a Chromium without a window on its address; the page measures itself
and sends what it found. Pictures are drawn by the processor here, so what is drawn is slower than with a graphics card;
what arrives is not. Without a Chromium there are no rows.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from supple.bench.live import MANY, VERTICES, scale
from supple.bench.rows import Row
from supple.bench.timing import Timing
from supple.errors import UnfinishedError

ROOM = "studio"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
FEW = 3000  # vertices of the hero that the processor draws
_PATIENCE = 300.0  # s for one page to measure itself
_SCENES = (("linear", VERTICES, False), ("lattice", VERTICES, False), ("linear", MANY, False), ("lattice", FEW, True))
_TO_PICTURE = {
    "change": "live setting to picture",
    "seek": "scrub to picture",
    "stroke": "pen lifted to bulge",
    "steps": "step back or again to picture",
    "pose": "second line of a drawn pose to picture",
}
_FRAMES = {
    "knot": "between frames while a knot is dragged",
    "besideBinding": "between frames beside a skin that binds",
    "besideBake": "between frames beside a bake",
    "compared": "between frames of three skins compared",
}
_ADDRESS = re.compile(r"http://\S+")
_PROGRAM = "from supple.cli.main import main; raise SystemExit(main())"
_DRAWING = ("--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist")


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """Every row of what a person at the studio feels."""
    chromium = find_chromium(progress)
    if chromium is None:
        return
    progress("linear blend, by which all is scaled")
    yield scale(ROOM, device)
    for skin, vertices, drawn in _SCENES:
        scene = f"hero-{vertices} {skin}, {'drawn by the processor' if drawn else 'without drawing'}"
        progress(f"the studio: {scene}")
        yield from rows_of_page(scene, measured(chromium, skin, vertices, drawn=drawn))


def rows_of_page(scene: str, found: dict[str, Any]) -> Iterator[Row]:
    """The rows of what one page has measured, times there being in milliseconds."""
    if not found.get("done"):
        yield Row(ROOM, scene, "all of it", _PATIENCE, note="was not found in that time; what follows is what was")
    waited = f"the page is asked for after {found['opened']:.2f} s, the engine answers after {found['answered']:.2f} s"
    yield Row(ROOM, scene, "command to the first moving picture", found["firstMoving"], note=waited)
    gaps = found.get("gaps")
    if not gaps:
        return
    yield _row(scene, "between frames that arrive", gaps, f"{_rate(gaps)}; {found.get('drawn', 0.0):.1f} are drawn")
    behind = found.get("behind")
    if behind and found.get("drag"):
        middle, most = np.percentile(behind, [50.0, 95.0])
        far = f"{middle:.1f} mm from hand to place while it walks, 95 % within {most:.1f} mm"
        yield _row(scene, "drag while it stands, pointer to picture", found["drag"], f"{_late(found['drag'])}; {far}")
    for name, what in _TO_PICTURE.items():
        if found.get(name):
            yield _row(scene, what, found[name], _late(found[name]))
    for name, what in _FRAMES.items():
        if found.get(name):
            yield _row(scene, what, found[name], _rate(found[name]))


def _row(scene: str, what: str, milliseconds: Sequence[float], note: str) -> Row:
    low, middle, high = 1e-3 * np.percentile(milliseconds, [25.0, 50.0, 75.0])
    return Row.of(ROOM, scene, what, timing=Timing(float(middle), float(low), float(high)), note=note)


def _rate(gaps: Sequence[float]) -> str:
    return f"{1e3 / np.mean(gaps):.1f} frames a second arrive, {_late(gaps)}"


def _late(milliseconds: Sequence[float]) -> str:
    return f"95 % within {np.percentile(milliseconds, 95.0):.1f} ms, least {min(milliseconds):.1f} ms"


def find_chromium(progress: Callable[[str], None]) -> str | None:
    """A browser in which the studio can be measured, or a word that there is none."""
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        progress("there is no Chromium here, in which the studio could be measured")
    return found


def program(*words: str) -> list[str]:
    """`supple WORDS` with this Python."""
    return [sys.executable, "-c", _PROGRAM, *words]


def measured(chromium: str, skin: str, vertices: int, *, drawn: bool) -> dict[str, Any]:
    """What a page finds that shows a hero of so many vertices with a skin; moments are seconds from the command."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "measured.json")
        words = ["studio", "--no-browser", "--port", "0", "--skin", skin, "--vertices", str(vertices)]
        begun = time.time()
        with running(program(*words, "--measured", str(file))) as server:
            address = address_of(server)
            with running(
                browser_command(
                    chromium, Path(folder, "profile"), f"{address}#{'measure' if drawn else 'measure-undrawn'}"
                )
            ):
                found = _awaited(file)
    for moment in ("opened", "answered", "firstMoving"):
        found[moment] = found[moment] / 1e3 - begun
    return found


def browser_command(chromium: str, profile: Path, address: str) -> list[str]:
    """A browser without a window on an address, with a profile of its own."""
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    quiet = ["--no-first-run", "--disable-extensions", "--mute-audio", f"--user-data-dir={profile}"]
    return [chromium, "--headless=new", *root, *_DRAWING, *quiet, "--window-size=640,480", address]


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A process that is ended afterwards; Python keeps its bytecode in it, as it does for people who do not ask."""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=usual)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def address_of(server: subprocess.Popen[str]) -> str:
    """The address that a studio prints when it has begun."""
    assert server.stdout is not None
    found = _ADDRESS.search(server.stdout.readline())
    if found is None:
        raise UnfinishedError("bench", "the studio did not start", "its address was awaited", "run supple studio")
    return found.group(0)


def _awaited(file: Path) -> dict[str, Any]:
    """All that the page finds, or what it has found when patience ends."""
    end, found = time.monotonic() + _PATIENCE, dict[str, Any]()
    while not found.get("done") and time.monotonic() < end:
        time.sleep(0.1)
        if file.exists():
            found = json.loads(file.read_text(encoding="utf-8"))
    if not found:
        raise UnfinishedError("bench", "no figures came from the page", "a browser", "look at supple studio in one")
    return found
