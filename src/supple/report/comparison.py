"""Several skins on the same character and motion: baked, measured, filmed side by side, and put on one page."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from supple.character.character import Character
from supple.errors import InputError, UnfinishedError
from supple.files import atomic
from supple.graph.bake import Progress, bake
from supple.graph.cache import Cache
from supple.graph.graph import Graph
from supple.measure.measuring import measure
from supple.measure.report import Report
from supple.motion.motion import Motion
from supple.motion.pose import PoseSource
from supple.render.film import check_film_path
from supple.report.facts import facts, lead, name_of
from supple.report.findings import Take
from supple.report.page import Document, Embedded, page
from supple.skins.catalogue import skin_named
from supple.skins.skin import AnySkin

_WHERE = "compare"
_SECONDS = 3.0  # of a motion that loops, at least, in whole laps


@dataclass(frozen=True)
class Step:
    """Told to whoever watches a comparison: what is being done, and how much of it is."""

    what: str
    done: int
    total: int


@dataclass(frozen=True)
class Comparison:
    """Where the page is, and what was measured, by the labels of the skins.

    `film` is None where none was kept; `without_film` says why the page has none, and is empty where it has one.
    """

    path: Path
    reports: Mapping[str, Report]
    film: Path | None = None
    without_film: str = ""


Watch = Callable[[Step], None]
CameraWork = Literal["auto", "whole", "follow"]
Skins = Sequence[str | AnySkin | Graph] | Mapping[str, str | AnySkin | Graph]


def compare(
    character: Character,
    motion: PoseSource,
    skins: Skins,
    *,
    path: str | Path = "report.html",
    film: str | Path | None = None,
    bakes: str | Path | None = None,
    device: str = "cpu",
    fps: float = 30.0,
    seconds: float | None = None,
    camera: CameraWork = "auto",
    made_by: str = "",
    watch: Watch | None = None,
) -> Comparison:
    """Write one page, needing no network, on which several skins move the same character side by side.

    `skins` are names, skins or graphs, labelled by their names or, in a mapping, by its keys. `film` keeps the film as
    a file of its own too (.mp4, .webp or .gif). `bakes` is a folder where the bakes stay, and are taken from next time;
    without it they are temporary. `seconds` defaults to the motion's length, or for one that loops to whole laps of at
    least three seconds. `made_by` is shown on the page as what made it. `watch` is told after every frame.

    Without the `film` extra the page has an animated picture, without the `render` extra no film at all. The page
    appears whole or not at all.
    """
    graphs = _labelled(skins)
    target, kept_film = _writable(path), None if film is None else _writable(check_film_path(film))
    if camera not in get_args(CameraWork):
        known = ", ".join(get_args(CameraWork))
        raise InputError(_WHERE, f"camera is {camera!r}", f"one of {known} is needed", "choose one")
    end = _end(motion, seconds, fps)
    told = watch or (lambda step: None)
    with _folder(bakes) as folder:
        takes, reports, caches = [], {}, []
        for label, graph in graphs.items():
            file = folder / _file_name(character, motion, label, [graph.to_dict(), len(character.points), fps, end])
            cache, taken = _baked(
                character, motion, graph, label, file=file, device=device, fps=fps, end=end, told=told
            )
            whole = {"whole frame": [made.seconds for made in taken]} if taken else {}
            told(Step(f"{label}: measures", 0, 1))
            report = measure(character, cache, seconds=whole)
            told(Step(f"{label}: measures", 1, 1))
            caches.append(cache)
            reports[label] = report
            stages = {
                stage.name: statistics.median(made.stages.get(stage.name, 0.0) for made in taken)
                for stage in graph.stages
                if taken
            }
            takes.append(Take(label, graph, tuple(report.rows()), report.curves(), report.fell_back, stages))
        embedded, why_not = _filmed(caches, list(graphs), camera, kept_film, told)
        document = Document(
            title=f"{character.name}, {name_of(motion)}",
            lead=lead(list(graphs), caches[0]),
            times=caches[0].times,
            takes=tuple(takes),
            film=embedded,
            no_film=why_not,
            facts=facts(character, motion, caches[0]),
            made_by=made_by,
        )
        with atomic(target) as waiting:
            waiting.write_text(page(document), encoding="utf-8")
    return Comparison(target, reports, None if embedded is None else kept_film, why_not)


def _labelled(skins: Skins) -> dict[str, Graph]:
    """Graphs by label; equal names are numbered."""
    pairs = list(skins.items()) if isinstance(skins, Mapping) else [("", skin) for skin in skins]
    if isinstance(skins, str) or not pairs:
        given = f"skins is {skins!r}"
        raise InputError(_WHERE, given, "a list of at least one skin is needed", "name some, such as ['linear']")
    found: dict[str, Graph] = {}
    for given_label, skin in pairs:
        graph = Graph.of(skin_named(skin) if isinstance(skin, str) else skin)
        name = given_label or graph.stages[-1].name
        label, number = name, 2
        while label in found:
            label, number = f"{name} ({number})", number + 1
        found[label] = graph
    return found


def _writable(path: str | Path) -> Path:
    """The path, if a file can be put there: better said before the work than after it."""
    target = Path(path)
    if target.is_dir():
        raise InputError(str(target), "it is a folder", "a file name is needed", "name a file such as report.html")
    folder = next(parent for parent in target.absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        given = f"{folder} is no folder that can be written to"
        raise InputError(str(target), given, "the page needs a place", "choose another path")
    return target


def _end(motion: PoseSource, seconds: float | None, fps: float) -> float | None:
    """The time [s] of the last frame; that of a film which runs in circles comes one frame before its first again."""
    if not (math.isfinite(fps) and fps > 0.0):
        raise InputError(_WHERE, f"fps is {fps}", "a rate above zero is needed", "use 24, 30 or 60")
    if seconds is not None:
        if not (math.isfinite(seconds) and seconds > 0.0):
            raise InputError(_WHERE, f"seconds is {seconds}", "a time above zero is needed", "try 3")
        return max(seconds - 1.0 / fps, 0.0)
    if isinstance(motion, Motion) and motion.loop and motion.duration > 0.0:
        return max(math.ceil(_SECONDS / motion.duration) * motion.duration - 1.0 / fps, 0.0)
    return None


@contextlib.contextmanager
def _folder(bakes: str | Path | None) -> Iterator[Path]:
    if bakes is None:
        with tempfile.TemporaryDirectory(prefix="supple-") as name:
            yield Path(name)
        return
    folder = Path(bakes)
    if folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "it is a file", "a folder for the bakes is needed", "choose another one")
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def _baked(
    character: Character, motion: PoseSource, graph: Graph, label: str, *, file: Path, device: str, fps: float,
    end: float | None, told: Watch,
) -> tuple[Cache, list[Progress]]:  # fmt: skip
    """The bake of one skin, and what was told of its frames if all of them were made now."""
    frames: list[Progress] = []

    def watch(progress: Progress) -> None:
        frames.append(progress)
        told(Step(f"{label}: frames", progress.frame + 1, progress.frames))

    cache = bake(character, motion, graph, path=file, device=device, fps=fps, end=end, watch=watch)
    return cache, frames if len(frames) == len(cache) else []


def _filmed(
    caches: Sequence[Cache],
    labels: Sequence[str],
    camera: CameraWork,
    kept: Path | None,
    told: Watch,
) -> tuple[Embedded | None, str]:
    """The film, or why there is none."""
    from supple.render.bakes import View
    from supple.render.film import playable_suffix
    from supple.report.side_by_side import draw_film, panel_size

    suffix = playable_suffix()
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        own = Path(folder) / f"film{suffix}"
        try:
            draw_film(
                [own] if kept is None else [own, kept],
                caches,
                labels,
                view=View(size=panel_size(len(labels)), camera=camera),
                watch=lambda done, total: told(Step("film", done, total)),
            )
        except UnfinishedError as missing:
            if missing.where != "render":
                raise
            return None, str(missing)
        kind = "video/mp4" if suffix == ".mp4" else "image/webp"
        return Embedded(kind, own.read_bytes()), ""


def _file_name(character: Character, motion: PoseSource, label: str, choices: list[Any]) -> str:
    """A name fit for every file system, which other choices do not share: a folder holds many comparisons."""
    plain = re.sub(r"[^a-z0-9]+", "-", f"{character.name}-{name_of(motion)}-{label}".lower()).strip("-")
    mark = hashlib.blake2b(json.dumps(choices).encode(), digest_size=4).hexdigest()
    return f"{plain[:80]}-{mark}.supple"
