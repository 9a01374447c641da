"""One film of several bakes: every skin in a panel of its own, at the same moment, seen by the same camera."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.files import atomic
from supple.graph.cache import Cache
from supple.io.surfaces.bake_normals import BakeNormals
from supple.motion.pose import Pose
from supple.render.bakes import View, follows_root, framing, root_path
from supple.render.camera import Camera
from supple.render.extra import load_library
from supple.render.film import Film
from supple.render.painted import CLAY, PaintedSkins
from supple.render.quality import FILM
from supple.render.renderer import Renderer
from supple.render.surroundings import Surroundings
from supple.report.crew import Alone, Crew, Job
from supple.report.palette import dashes, rgb

Picture = NDArray[np.uint8]
PANELS = ((960, 600), (640, 560), (480, 520), (360, 480))  # [pixels] of one skin alone, of each of two, three, more
FASTEST = 30.0  # pictures a second
HEAD, FOOT = 44, 34  # [pixels] for the label over a panel, for the time under all
_PAPER, _INK, _PALE_INK, _TRACK = (205, 213, 221), (33, 38, 45), (88, 97, 108), (190, 197, 205)
_FOOT_PAPER = (241, 242, 243)


@dataclass(frozen=True, eq=False)
class Shooting:
    """All that the pictures of a film are drawn from: bakes that share their mesh and their times, and what is beside.

    `frames` are those of the bakes that become pictures. `color` is what is painted on all skins, between the same
    limits.
    """

    bakes: tuple[Path, ...]
    labels: tuple[str, ...]
    view: View
    camera: Camera
    frames: tuple[int, ...]
    color: str


def draw_film(
    paths: Sequence[Path],
    caches: Sequence[Cache],
    labels: Sequence[str],
    *,
    view: View,
    color: str = CLAY,
    hands: Crew | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> float:
    """Write the film of bakes that share their mesh and their times to all `paths`; returns its pictures a second.

    More than `FASTEST` frames a second are thinned out, so that the film lasts as long as the motion. `color` is
    what is painted on the skins. `hands` draw. `watch` is told (done, of how many) after every picture. The view's
    size is that of one panel.
    """
    first = caches[0]
    fps = min(first.fps, FASTEST)
    count = max(math.floor((len(first) - 1) / first.fps * fps + 1e-6) + 1, 1)
    frames = tuple(min(round(number / fps * first.fps), len(first) - 1) for number in range(count))
    quick = replace(view, quality=FILM)
    paths_of_bakes = tuple(cache.path for cache in caches)
    shooting = Shooting(paths_of_bakes, tuple(labels), quick, framing(caches, quick), frames, color)
    crew = hands or Alone()
    waiting: dict[int, Picture] = {}
    kinds = {path.suffix.lower(): path for path in reversed(paths)}  # of one kind, one is written and the others copied
    with ExitStack() as stack:
        films = [stack.enter_context(Film(path, fps=fps)) for path in kinds.values()]
        added = 0

        def heard(job: int, drawn: tuple[int, Picture]) -> None:
            nonlocal added
            waiting[drawn[0]] = drawn[1]
            while added in waiting:
                image = waiting.pop(added)
                added += 1
                for film in films:
                    film.add(image)
                if watch is not None:
                    watch(added, count)

        crew.run([Job(draw_pictures, (shooting, start, crew.size)) for start in range(crew.size)], heard)
    for path in paths:
        written = kinds[path.suffix.lower()]
        if path != written:
            with atomic(path) as copy:
                copy.write_bytes(written.read_bytes())
    return fps


def draw_pictures(shooting: Shooting, start: int, step: int, *, tell: Callable[[tuple[int, Picture]], None]) -> None:
    """Draw every `step`-th picture of a film from number `start` on, and tell each with its number."""
    caches = [Cache(path, verify=False) for path in shooting.bakes]
    first, view = caches[0], shooting.view
    along = root_path(first) if follows_root(first, view) else np.zeros((len(first), 3))
    wall = PanelGrid(shooting.labels, view.size)
    around = [Surroundings(cache) for cache in caches]
    paint = PaintedSkins(caches, shooting.color)
    bones = [cache.bones if view.skeleton else None for cache in caches]
    shading = BakeNormals(first).shading
    normals = [BakeNormals(cache, shading=shading) for cache in caches]
    with Renderer(
        first.rest, first.triangles, size=view.size, ground=view.ground, quality=view.quality, shading=shading
    ) as renderer:
        for number in range(start, len(shooting.frames), step):
            frame = shooting.frames[number]
            eye = shooting.camera.moved(along[frame])
            panels = [
                renderer.draw(
                    cache.points[frame],
                    camera=eye,
                    values=paint.at(panel, frame),
                    limits=paint.limits,
                    skeleton=None if joints is None else (cache.skeleton, Pose(joints[frame])),
                    things=beside.at(frame, eye),
                    normals=turned.at(frame),
                    ground=beside.ground,
                    see_through=paint.limits is not None,
                )
                for panel, (cache, turned, beside, joints) in enumerate(
                    zip(caches, normals, around, bones, strict=True)
                )
            ]
            fraction = (number + 1) / len(shooting.frames)
            tell((number, wall.compose(panels, time=float(first.times[frame]), fraction=fraction)))


def panel_size(count: int) -> tuple[int, int]:
    """Width and height of a panel [pixels]: a row of them fills the width of a page without being blown up."""
    return PANELS[min(count, len(PANELS)) - 1]


class PanelGrid:
    """Where the panels hang: up to four in a row, each under its label, and the time below them all."""

    def __init__(self, labels: Sequence[str], size: tuple[int, int]) -> None:
        self._columns = len(labels) if len(labels) <= 4 else min(math.ceil(len(labels) / 2), 4)
        self._wide, self._high = size
        self._rows = math.ceil(len(labels) / self._columns)
        self._size = (self._columns * self._wide, self._rows * (HEAD + self._high) + FOOT)
        pillow = load_library("PIL.Image")
        empty = pillow.new("RGB", self._size, _PAPER)
        pen = load_library("PIL.ImageDraw").Draw(empty)
        for number, label in enumerate(labels):
            left, top = self._corner(number)
            middle = top + HEAD // 2
            inside = _PAPER if dashes(number) else rgb(number)  # a ring where the curve is dashed
            pen.ellipse((left + 16, middle - 7, left + 30, middle + 7), fill=inside, outline=rgb(number), width=4)
            text = _fit(label, self._wide - 56)
            pen.text((left + 40, middle), text, fill=_INK, font=_font(20), anchor="lm")
        pen.rectangle((0, self._size[1] - FOOT, *self._size), fill=_FOOT_PAPER)
        self._empty = np.asarray(empty, dtype=np.uint8)

    def compose(self, panels: Sequence[Picture], *, time: float, fraction: float) -> Picture:
        """The panels in their places, and a line as long as the share of the film that is over."""
        image = self._empty.copy()
        for number in range(self._columns * self._rows):
            left, top = self._corner(number)
            panel = panels[number] if number < len(panels) else panels[0][:, :1]  # nothing but background
            image[top + HEAD : top + HEAD + self._high, left : left + self._wide] = panel
        wide, high = self._size
        strip = load_library("PIL.Image").fromarray(image[high - FOOT :])
        pen = load_library("PIL.ImageDraw").Draw(strip)
        pen.text((16, FOOT // 2), f"{time:.2f} s", fill=_PALE_INK, font=_font(15), anchor="lm")
        start, end, level = 84, wide - 16, FOOT // 2
        pen.rectangle((start, level - 1, end, level + 1), fill=_TRACK)
        pen.rectangle((start, level - 1, start + round(fraction * (end - start)), level + 1), fill=_PALE_INK)
        image[high - FOOT :] = np.asarray(strip, dtype=np.uint8)
        return image

    def _corner(self, number: int) -> tuple[int, int]:
        row, column = divmod(number, self._columns)
        return column * self._wide, row * (HEAD + self._high)


def _fit(label: str, room: int) -> str:
    """The label, shortened until it is at most `room` pixels wide."""
    text = label
    while len(text) > 1 and _font(20).getlength(text) > room:
        text = text.rstrip("…")[:-1] + "…"
    return text


def _font(size: int) -> Any:
    return load_library("PIL.ImageFont").load_default(size)
