"""What a farm draws of a bake: a film, a contact sheet, and the strip that stands on the page at the end."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.graph.cache import Cache
from supple.render.bakes import BakeRenderer, View
from supple.render.film import Film
from supple.render.quality import FILM
from supple.render.sheet import contact_sheet, save_picture

_SMALL = (200, 240)  # [pixels]
_SHEET = 8  # pictures of a contact sheet


def draw_film(cache: Cache, path: Path) -> None:
    """A film at the rate of the bake, or 30 pictures a second where that is higher."""
    fps = min(cache.fps, 30.0)
    count = max(int(np.floor((len(cache) - 1) / cache.fps * fps + 1e-6)) + 1, 1)
    frames = [min(round(number / fps * cache.fps), len(cache) - 1) for number in range(count)]
    with BakeRenderer(cache, View(quality=FILM)) as renderer, Film(path, fps=fps) as film:
        for frame in frames:
            film.add(renderer.draw(frame))


def draw_sheet(cache: Cache, path: Path) -> None:
    """Eight frames beside each other, with their times."""
    frames = _spread(cache, _SHEET)
    with BakeRenderer(cache, View(size=(320, 384))) as renderer:
        pictures = [renderer.draw(frame) for frame in frames]
    contact_sheet([pictures], captions=[f"{cache.times[frame]:.2f} s" for frame in frames], path=path)


def draw_strip(cache: Cache, path: Path, count: int) -> None:
    """A few small frames in a row."""
    with BakeRenderer(cache, View(size=_SMALL, quality=FILM)) as renderer:
        pictures = [renderer.draw(frame) for frame in _spread(cache, count)]
    save_picture(np.concatenate(pictures, axis=1), path)


def _spread(cache: Cache, count: int) -> list[int]:
    """Frames from the first to the last."""
    return [round(at) for at in np.linspace(0, len(cache) - 1, min(count, len(cache)))]
