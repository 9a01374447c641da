"""Pictures and the film of the studio in use: python docs/figures/make_studio.py

It does what a person would, with the mouse, in a window without a screen; it needs supple[studio,browser] and Chromium.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

PICTURES = Path(__file__).parents[1] / "pictures"
sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "studio" / "browser"))
from chromium import arguments, chromium_here  # noqa: E402
from studio_window import Window  # noqa: E402

SIZE, FILM_WIDTH = (1280, 800), 800
FILM_STEP = 90  # ms between pictures of the film
METERS_FORGET = 2000  # ms


class Person:
    """Somebody at the window."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.window, self.film = page, Window(page, address), []
        self.window.until_bound()

    def watch(self, pictures: int) -> None:
        """Do nothing for so many pictures of the film."""
        for _ in range(pictures):
            self.shoot()

    def chooser(self, name: str) -> Any:
        """A list in the panel by what stands beside it."""
        return self.page.locator("label.chooser", has=self.page.get_by_text(name, exact=True)).locator("select")

    def drag(self, place: str, right: float, up: float, steps: int = 12) -> None:
        """Take hold of a place and draw it aside, by so many pixels; it stays held."""
        x, y = self.window.take(place)
        for step in range(1, steps + 1):
            self.page.mouse.move(x + right * step / steps, y - up * step / steps)
            self.shoot()

    def shoot(self) -> None:
        """One picture of the film."""
        shot = Image.open(io.BytesIO(self.page.screenshot(type="jpeg", quality=90))).convert("RGB")
        self.film.append(shot.resize((FILM_WIDTH, FILM_WIDTH * SIZE[1] // SIZE[0]), Image.Resampling.LANCZOS))

    def save(self, name: str) -> None:
        """The window as it is, once its meters have forgotten the pictures that were taken before."""
        self.page.wait_for_timeout(METERS_FORGET)
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        shot.save(PICTURES / f"{name}.jpg", quality=82, optimize=True)


@contextmanager
def studio(*arguments: str) -> Iterator[str]:
    """The address of a studio that runs meanwhile."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", "from supple.cli.main import main; raise SystemExit(main())", "studio"]
        command += ["--no-browser", "--port", "0", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_surroundings(cache))
        try:
            assert process.stdout is not None
            yield next(found.group(0) for line in process.stdout if (found := re.search(r"http://\S+token=\S+", line)))
        finally:
            process.terminate()
            process.wait()


def _surroundings(cache: str) -> dict[str, str]:
    return {**os.environ, "SUPPLE_CACHE_DIR": cache, "PYTHONUNBUFFERED": "1"}


def in_use(person: Person) -> None:
    """The film, and the first picture: the belly is drawn out while the hero walks, let go, and the chest drawn on."""
    for _ in range(3):
        person.page.keyboard.press("]")
    person.watch(6)
    person.drag("belly", -62.0, 8.0)
    person.watch(4)
    person.save("studio")
    person.page.mouse.up()
    person.watch(16)


def main() -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_here(), args=arguments())
        context = browser.new_context(
            viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="dark", bypass_csp=True
        )
        with studio("--vertices", "6000") as address:
            person = Person(context.new_page(), address)
            in_use(person)
            first, *others = person.film
            first.save(
                PICTURES / "studio.webp", save_all=True, append_images=others, duration=FILM_STEP, loop=0, quality=55
            )
            drawn(person)
            compared(person)
        browser.close()


def drawn(person: Person) -> None:
    """A stroke over the chest with its knots, and the layer that plays it; everything is taken back afterwards."""
    window, page = person.window, person.page
    window.pause()
    window.flesh(0.5)
    page.keyboard.press("r")
    x, y = window.pixel(window.pick_on("chest"))
    page.mouse.move(x - 34, y + 8)
    page.mouse.down()
    for right, up in ((-12, 0), (12, 0), (34, 8)):
        page.mouse.move(x + right, y + up, steps=6)
    page.mouse.up()
    window.until_state("state.edits.skin_strokes.length > 0")
    window.flesh(0.4)
    person.save("studio-draw")
    page.keyboard.press("g")
    window.afresh()


def compared(person: Person) -> None:
    """Three skins side by side, coloured by stretch, with the curves of their measures."""
    for skin in ("linear", "delta-mush"):
        person.chooser("Compare").select_option(skin)
        person.window.until_bound()
    person.chooser("Colours").select_option("stretch")
    person.page.keyboard.press("q")
    person.window.flesh(3.0)
    person.save("studio-compare")


if __name__ == "__main__":
    main()
