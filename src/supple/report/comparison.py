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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from supple.render.painted import CLAY, check_color
from supple.report.crew import Crew, Job, crew
from supple.report.facts import facts, lead, name_of
from supple.report.findings import Take
from supple.report.page import Document, Embedded, page
from supple.skins.base import AnySkin, SoftSkin
from supple.skins.contact.skin import ArticulatedContact
from supple.skins.painted_map import ANATOMY
from supple.skins.position_based.skin import PositionBased
from supple.skins.registry import skin_named

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


CameraWork = Literal["auto", "whole", "follow"]


@dataclass(frozen=True)
class Look:
    """How the film of a comparison looks; see `compare`."""

    camera: CameraWork = "auto"
    skeleton: bool = False
    color: str = CLAY


Watch = Callable[[Step], None]
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
    skeleton: bool = False,
    color: str = CLAY,
    processes: int = 1,
    made_by: str = "",
    watch: Watch | None = None,
) -> Comparison:
    """Write one page, needing no network, on which several skins move the same character side by side.

    `skins` are names, skins or graphs, labelled by their names or, in a mapping, by its keys. `film` keeps the film
    as a file of its own too (.mp4, .webp or .gif). `bakes` is a folder where the bakes stay, and are taken from
    next time; without it they are temporary. `seconds` defaults to the motion's length, or for one that loops to
    whole laps of at least three seconds. `skeleton` shows the bones as each skin has them, `color` paints a map of
    the character or a measure of vertices ("pressure", "stretch", ...) on all skins alike. `processes` of their
    own, if more than one, bake and measure that many skins at a time and draw the film, on a share of the cores
    each; the bakes are the same, their times are not those of a skin that is alone. `made_by` is shown on the page
    as what made it. `watch` is told after every frame.

    Without the `film` extra the page has an animated picture, without the `render` extra no film at all. The page
    appears whole or not at all.
    """
    graphs = _labelled(skins)
    target, kept_film = _writable(path), None if film is None else _writable(check_film_path(film))
    if camera not in get_args(CameraWork):
        known = ", ".join(get_args(CameraWork))
        raise InputError(_WHERE, f"camera is {camera!r}", f"one of {known} is needed", "choose one")
    check_color(color, character)
    if processes < 1:
        raise InputError(_WHERE, f"processes is {processes}", "at least one is needed", "use 1 for this one alone")
    end, fps = _end(motion, seconds, fps), float(fps)
    told = watch or (lambda step: None)
    with _folder(bakes) as folder, crew(min(processes, len(graphs))) as hands:
        jobs = {}
        for label in _longest_first(graphs) if hands.size > 1 else graphs:
            choices = [graphs[label].to_dict(), len(character.points), fps, end]
            file = folder / _file_name(character, motion, label, choices)
            jobs[label] = Job(bake_and_measure, (character, motion, graphs[label], label, file, device, fps, end))
        done = dict(zip(jobs, hands.run(list(jobs.values()), lambda number, step: told(step)), strict=True))
        made = [done[label] for label in graphs]
        reports = {label: each.report for label, each in zip(graphs, made, strict=True)}
        takes = [_take(label, graph, each) for (label, graph), each in zip(graphs.items(), made, strict=True)]
        caches = [Cache(each.path, verify=False) for each in made]
        look = Look(camera, skeleton, color)
        embedded, why_not = film_of(caches, list(graphs), look, kept_film, hands, told)
        document = Document(
            title=f"{character.name}, {name_of(motion)}",
            lead=lead(list(graphs), caches[0]),
            times=caches[0].times,
            takes=tuple(takes),
            film=embedded,
            no_film=why_not,
            facts=facts(character, motion, caches[0], at_a_time=hands.size),
            made_by=made_by,
            anatomy=anatomy_of(character, graphs.values()),
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


@dataclass(frozen=True, eq=False)
class Made:
    """What came of one skin: its bake, its measures, and what was told of its frames if all of them were made now."""

    path: Path
    report: Report
    frames: tuple[Progress, ...]


def bake_and_measure(
    character: Character,
    motion: PoseSource,
    graph: Graph,
    label: str,
    file: Path,
    device: str,
    fps: float,
    end: float | None,
    *,
    tell: Watch,
) -> Made:
    """Bake one skin, or take the bake that is there, and measure it."""
    frames: list[Progress] = []

    def watch(progress: Progress) -> None:
        if not frames:
            tell(Step(f"{label}: preparing", 1, 1))
        frames.append(replace(progress, stages=dict(progress.stages)))  # what can be handed to another process
        tell(Step(f"{label}: frames", progress.frame + 1, progress.frames))

    tell(Step(f"{label}: preparing", 0, 1))
    cache = bake(character, motion, graph, path=file, device=device, fps=fps, end=end, watch=watch)
    if not frames:
        tell(Step(f"{label}: preparing", 1, 1))
    now = tuple(frames) if len(frames) == len(cache) else ()
    tell(Step(f"{label}: measures", 0, 1))
    seconds = {"whole frame": [made.seconds for made in now]} if now else {}
    report = measure(character, cache, seconds=seconds, by_itself=True)
    tell(Step(f"{label}: measures", 1, 1))
    return Made(cache.path, report, now)


def _longest_first(graphs: Mapping[str, Graph]) -> list[str]:
    """Labels in the order in which skins are begun where several are made at a time: what takes long first."""

    def cost(label: str) -> int:
        kinds = [type(stage.work) for stage in graphs[label].stages]
        return max(
            3 * issubclass(kind, ArticulatedContact) + 2 * issubclass(kind, PositionBased) + issubclass(kind, SoftSkin)
            for kind in kinds
        )

    return sorted(graphs, key=cost, reverse=True)


def _take(label: str, graph: Graph, made: Made) -> Take:
    stages = {
        stage.name: statistics.median(frame.stages.get(stage.name, 0.0) for frame in made.frames)
        for stage in graph.stages
        if made.frames
    }
    report = made.report
    return Take(label, graph, tuple(report.rows()), report.curves(), report.fell_back, stages)


def film_of(
    caches: Sequence[Cache], labels: Sequence[str], look: Look, kept: Path | None, hands: Crew, told: Watch
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
                view=View(size=panel_size(len(labels)), camera=look.camera, skeleton=look.skeleton),
                color=look.color,
                hands=hands,
                watch=lambda done, total: told(Step("film", done, total)),
            )
        except UnfinishedError as missing:
            if missing.where != "render":
                raise
            return None, str(missing)
        kind = "video/mp4" if suffix == ".mp4" else "image/webp"
        return Embedded(kind, own.read_bytes()), ""


def anatomy_of(character: Character, graphs: Iterable[Graph]) -> Embedded | None:
    """A picture of a character's anatomy, if a skin reads it and pictures can be drawn."""
    from supple.render.anatomy_sheet import anatomy_sheet

    works = [stage.work for graph in graphs for stage in graph.stages]
    if not any(isinstance(work, SoftSkin) and set(ANATOMY) <= set(work.maps) for work in works):
        return None
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        file = Path(folder) / "anatomy.jpg"
        try:
            anatomy_sheet(character, path=file)
        except UnfinishedError as missing:
            if missing.where != "render":
                raise
            return None
        return Embedded("image/jpeg", file.read_bytes())


def _file_name(character: Character, motion: PoseSource, label: str, choices: list[Any]) -> str:
    """A name fit for every file system, which other choices do not share: a folder holds many comparisons."""
    plain = re.sub(r"[^a-z0-9]+", "-", f"{character.name}-{name_of(motion)}-{label}".lower()).strip("-")
    mark = hashlib.blake2b(json.dumps(choices).encode(), digest_size=4).hexdigest()
    return f"{plain[:80]}-{mark}.supple"
