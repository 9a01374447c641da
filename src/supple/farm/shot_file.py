"""The list of shots, a file of TOML that people write: read, and checked as far as that goes before anything is opened.

[farm]
folder = "out"

[[shot]]
name = "sc010"
character = "hero.glb"
motion = ["walk.bvh", "run.bvh"]
skin = { name = "position-based", iterations = [8, 12] }
outputs = ["usdc", "mp4"]
bounds = { least-volume = { low = 0.9 } }
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from supple.character.builtin import CHARACTERS
from supple.character.units import UNITS
from supple.document.skin_files import graph_with_paths
from supple.document.sources import names_file
from supple.errors import FormatError, InputError
from supple.farm.places import is_address
from supple.farm.shot import Bound, Shot
from supple.farm.sweep import choices, names_of
from supple.graph.graph import Graph
from supple.io.formats import CACHE_WRITERS
from supple.records import RecordReader, short
from supple.render.film import KINDS as FILMS
from supple.skins.registry import skin_named

LARGEST = 16 << 20  # bytes
MOST = 100_000  # shots
PICTURES = (".png", ".jpg")
OUTPUTS = (*(suffix for suffix in CACHE_WRITERS if suffix != ".obj"), *FILMS, *PICTURES)
"""What a shot can put out beside its bake; an OBJ is a file for every frame, which `supple convert` makes."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=-]{0,119}")
_OF_FARM = {"folder", "frames_per_task", "pictures"}
_OF_SHOT = {"name", "character", "vertices", "repair", "units", "motion", "spring_bones", "skin", "graph",
            "document", "number", "edits", "fps", "start", "end", "outputs", "bounds", "compare"}  # fmt: skip
_OF_DOCUMENT = {"character", "motion", "spring_bones", "edits", "repair", "units", "vertices"}  # which it says itself
_NEEDED = "a list of shots (.toml) is needed"
_ADVICE = "see docs/farm.md"


@dataclass(frozen=True, kw_only=True)
class ShotList:
    """Shots, where all that is made of them goes, and how it is made.

    `folder` is whole: a path, or an address such as s3://bucket/show. Bakes of skins without a memory with more than
    `frames_per_task` frames are split. `pictures` of every shot stand on the page at the end; 0 for none.
    """

    shots: tuple[Shot, ...]
    folder: str
    frames_per_task: int = 240
    pictures: int = 4

    def __post_init__(self) -> None:
        for name, low, high in (("frames_per_task", 1, 1_000_000), ("pictures", 0, 16)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise InputError(f"farm.{name}", f"it is {short(value)}", f"the range is {low} to {high}", "choose one")
        if not self.shots:
            raise InputError("shot", "there is none", "at least one is needed", "add [[shot]]")
        seen: dict[str, str] = {}
        for shot in self.shots:
            if _NAME.fullmatch(shot.name) is None:
                needed = "up to 120 letters, digits, dots and dashes are needed"
                raise InputError("shot.name", f"it is {short(shot.name)}", needed, "rename it")
            if shot.name.lower() in seen:
                given = f"two shots are called {short(shot.name)}"
                raise InputError("shot.name", given, "each has a folder of its own", "rename one")
            seen[shot.name.lower()] = shot.name


def load_shots(path: str | Path) -> ShotList:
    """Read and check a list of shots; what makes no sense is refused by name before anything is begun."""
    file, reader = Path(path), _Reader(path, what="a list of shots (.toml)", largest=LARGEST, advice=_ADVICE)
    try:
        if file.stat().st_size > LARGEST:
            raise reader.fault("", f"it has {file.stat().st_size} bytes", f"at most {LARGEST} are read")
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), str(error.strerror), _NEEDED, "check the path") from None
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise reader.fault("", f"it is not TOML ({str(error)[:200]})", _NEEDED) from None
    return reader.shot_list(data, file.resolve().parent)


def whole(name: str, folder: Path) -> str:
    """A path as seen from a folder as a whole one; an address as it is."""
    return name if is_address(name) else str((folder / name).resolve())


class _Reader(RecordReader):
    """Reads a list of shots."""

    def shot_list(self, data: Mapping[str, Any], folder: Path) -> ShotList:
        """All of it."""
        root = self.fields(data, "", {"farm", "defaults", "shot"})
        about = self.fields(root.get("farm", {}), "farm", _OF_FARM)
        defaults = self.fields(root.get("defaults", {}), "defaults", _OF_SHOT - {"name"})
        shots: list[Shot] = []
        for number, table in enumerate(self.listed(root, "shot", "", most=MOST), start=1):
            given = self.fields(table, f"shot {number}", _OF_SHOT)
            shots += self._scene({**_under(defaults, given), **given}, f"shot {number}", folder)
            if len(shots) > MOST:
                raise self.fault(f"shot {number}", "there are too many choices", f"at most {MOST} shots are farmed")
        rest = {name: about[name] for name in ("frames_per_task", "pictures") if name in about}
        place = whole(self.word(about, "folder", "farm", default=Path(self._file).stem), folder)
        return self.made("", lambda: ShotList(shots=tuple(shots), folder=place, **rest))

    def _scene(self, table: Mapping[str, Any], where: str, folder: Path) -> list[Shot]:
        scene = self.word(table, "name", where)
        where = f"shot {short(scene)}"
        found = choices({key: value for key, value in table.items() if key != "name"})
        names = names_of(scene, [words for _, words in found])
        shots = []
        for name, (chosen, _) in zip(names, found, strict=True):
            shots.append(self.made(where, partial(self._shot, name, scene, chosen, where, folder)))
        return shots

    def _shot(self, name: str, scene: str, table: Mapping[str, Any], where: str, folder: Path) -> Shot:
        document, graph = self._maybe(table, "document", where, folder), None
        if document is not None:
            beside = [key for key in table if key in _OF_DOCUMENT | {"skin", "graph"}]
            if beside:
                raise self.fault(f"{where}.document", f"{beside[0]} is given beside it", "it says that itself")
        elif ("skin" in table) == ("graph" in table):
            raise self.fault(where, "it has no skin, or a skin and a graph", "one of the two is needed")
        else:
            graph = self._graph(table, where, folder)
        return Shot(
            name=name,
            scene=scene,
            character=self._character(table, where, folder),
            vertices=self._whole_number(table, "vertices", where, default=10_000),
            repair=self._yes(table, "repair", where),
            units=self._one_of(table, "units", where, tuple(UNITS)),
            motion=self._motion(table, where, folder),
            spring_bones=self._yes(table, "spring_bones", where),
            graph=graph,
            document=document,
            number=self._whole_number(table, "number", where, default=1),
            edits=self._maybe(table, "edits", where, folder),
            fps=self._positive(table, "fps", where),
            start=self.number(table, "start", where, default=0.0),
            end=self.number(table, "end", where) if "end" in table else None,
            outputs=self._outputs(table, where),
            compare=self._yes(table, "compare", where),
            bounds=self._bounds(table, where),
        )

    def _character(self, table: Mapping[str, Any], where: str, folder: Path) -> str:
        name = self.word(table, "character", where, default="hero")
        return name if name in CHARACTERS else self._file_at(name, f"{where}.character", folder)

    def _motion(self, table: Mapping[str, Any], where: str, folder: Path) -> str | None:
        if "motion" not in table:
            return None
        name = self.word(table, "motion", where)
        there = names_file(name) and (is_address(name) or (folder / name).is_file())
        return whole(name, folder) if there else name  # a clip of the character may be called anything

    def _maybe(self, table: Mapping[str, Any], key: str, where: str, folder: Path) -> str | None:
        return self._file_at(self.word(table, key, where), f"{where}.{key}", folder) if key in table else None

    def _file_at(self, name: str, where: str, folder: Path) -> str:
        if not is_address(name) and not (folder / name).is_file():
            raise self.fault(where, f"there is no file {short(name)}", f"it was looked for in {folder}")
        return whole(name, folder)

    def _graph(self, table: Mapping[str, Any], where: str, folder: Path) -> dict[str, Any]:
        """The recipe of the skin, its files with whole paths."""
        if "graph" in table:
            path = self._file_at(self.word(table, "graph", where), f"{where}.graph", folder)
            if is_address(path):
                raise self.fault(f"{where}.graph", f"it is {short(path)}", "a file beside the list is needed")
            graph, folder = Graph.load(path), Path(path).parent
        else:
            given = table["skin"]
            chosen = {"name": given} if isinstance(given, str) else self.fields(given, f"{where}.skin", None)
            settings = {key: value for key, value in chosen.items() if key != "name"}
            graph = Graph.of(skin_named(self.word(chosen, "name", f"{where}.skin"), settings))
        return graph_with_paths(graph, lambda name: whole(name, folder)).to_dict()

    def _outputs(self, table: Mapping[str, Any], where: str) -> tuple[str, ...]:
        found = []
        for each in self.listed(table, "outputs", where, most=len(OUTPUTS)):
            suffix = f".{each.lower().removeprefix('.')}" if isinstance(each, str) else each
            if suffix not in OUTPUTS:
                known = ", ".join(known.removeprefix(".") for known in OUTPUTS)
                raise self.fault(f"{where}.outputs", f"{short(each)} is among them", f"there are {known}")
            found.append(suffix)
        return tuple(dict.fromkeys(found))

    def _bounds(self, table: Mapping[str, Any], where: str) -> tuple[Bound, ...]:
        found = []
        for name, ends in self.fields(table.get("bounds", {}), f"{where}.bounds", None).items():
            place = f"{where}.bounds.{name}"
            given = self.fields(ends, place, {"low", "high"})
            low = self.number(given, "low", place, default=None) if "low" in given else -math.inf
            high = self.number(given, "high", place, default=None) if "high" in given else math.inf
            found.append(Bound(name, low, high))
        return tuple(found)

    def _whole_number(self, table: Mapping[str, Any], key: str, where: str, *, default: int) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.fault(f"{where}.{key}", f"it is {short(value)}", "a whole number above zero is needed")
        return value

    def _positive(self, table: Mapping[str, Any], key: str, where: str) -> float | None:
        value = self.number(table, key, where) if key in table else None
        if value is not None and value <= 0.0:
            raise self.fault(f"{where}.{key}", f"it is {value:g}", "a number above zero is needed")
        return value

    def _yes(self, table: Mapping[str, Any], key: str, where: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            raise self.fault(f"{where}.{key}", f"it is {short(value)}", "true or false is needed")
        return value

    def _one_of(self, table: Mapping[str, Any], key: str, where: str, known: tuple[str, ...]) -> str:
        value = self.word(table, key, where, default=known[0])
        if value not in known:
            raise self.fault(f"{where}.{key}", f"it is {short(value)}", f"there are {', '.join(known)}")
        return value


def _under(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults that count beside what a shot gives: a skin, a graph and a document stand for each other."""
    said = {"skin", "graph", "document"}
    if not said & set(given):
        return dict(defaults)
    gone = said if "document" not in given else said | _OF_DOCUMENT
    return {key: value for key, value in defaults.items() if key not in gone}
