"""A document in a file that people can read, NAME.supple.json, with what was drawn beside it in NAME.edits.json.

Files that it names (a character, a motion, models of curves, scenes) are named from where it lies, so that a folder can
be moved as a whole; it knows what was in them, and says so where that is no longer so. Painted maps stand in it as
compressed numbers. Whatever makes no sense is refused by name.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import warnings
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from supple.arrays import FloatArray
from supple.character.builtin import CHARACTERS
from supple.character.skeleton import Skeleton
from supple.character.units import UNITS
from supple.document.document import Camera, Document
from supple.document.skin_files import files_named, graph_with_paths
from supple.document.sources import CharacterSource
from supple.edits import file as edits_file
from supple.edits.edits import Edits
from supple.errors import InputError, SuppleWarning
from supple.files import atomic
from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.io.formats import MOTION_READERS
from supple.motion.motion import Motion
from supple.records import RecordReader, short

FORMAT, VERSION = "supple-document", 1
SUFFIX, EDITS = ".supple.json", ".edits.json"
LARGEST = 256 * 2**20  # bytes
MOST_SKINS, MOST_MAPS, MOST_FILES = 16, 64, 64
MOST_TAKES, MOST_JOINTS = 64, 10_000
MOST_PAINTED = 2**24  # numbers of all maps together
_WHERE = "document"
_ADVICE = "save it again with Supple"


def is_document(path: str | Path) -> bool:
    """Whether a path has the name of a document."""
    return str(path).lower().endswith(SUFFIX)


def document_name(path: str | Path) -> str:
    """What a document is called: the name of its file without what all of them end in."""
    name = Path(path).name
    return name[: -len(SUFFIX)] if is_document(name) else name


def save_document(document: Document, path: str | Path) -> None:
    """Write a document, and what was drawn beside it; each file appears whole or not at all."""
    target = Path(path)
    if not is_document(target) or not document_name(target):
        raise InputError(str(path), f"it does not end in {SUFFIX}", "documents do", f"name it such as hero{SUFFIX}")
    folder = target.resolve().parent
    data = to_dict(document, folder)
    if document.edits is not None:
        beside = target.with_name(document_name(target) + EDITS)
        edits_file.save_edits(document.edits, beside)
        data["edits"] = beside.name
    files = {name: _digest(folder / name) for name in _files_of(data, document, folder)}
    if files:
        data["files"] = files
    with atomic(target) as waiting:
        waiting.write_text(json.dumps(data, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def load_document(path: str | Path, *, tell: Callable[[str], None] | None = None) -> Document:
    """Read what `save_document` wrote; anything else ends in a `FormatError` that names the place.

    A file that is not the one it was when the document was saved is told of: to `tell`, or by a warning.
    """
    reader = _Reader(path, what=f"a document ({SUFFIX})", largest=LARGEST, advice=_ADVICE)
    data, folder = reader.loaded(), Path(path).resolve().parent
    document = reader.document(data, folder)
    for name in reader.changed_files(data, folder):
        words = (
            f"{path}: {name} is not the file that it was when this was saved; what was drawn and painted may lie "
            "elsewhere on it"
        )
        if tell is None:
            warnings.warn(words, SuppleWarning, stacklevel=2)
        else:
            tell(words)
    return document


def to_dict(document: Document, folder: Path | None = None) -> dict[str, Any]:
    """Plain data that says all of it but the last step's name; files are named from `folder`, the working one if None.

    Two documents are equal by value where these are.
    """
    at = (Path() if folder is None else folder).resolve()
    source = document.character
    place = {"name": source.name} if source.is_built_in else {"file": _from_folder(source.name, at)}
    repaired = {"repair": True} if source.repair else {}
    units = {"units": source.units} if source.units != "m" else {}
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "character": {**place, "vertices": source.vertices, **repaired, **units},
        "motion": {"file": _from_folder(document.motion, at)} if _is_file(document.motion) else document.motion,
        "skins": [_graph_to_dict(graph, at) for graph in document.skins],
    }
    if document.edits is not None:
        data["edits"] = edits_file.to_dict(document.edits)
    if document.maps:
        data["maps"] = {name: _packed(values) for name, values in document.maps.items()}
    if document.takes:
        data["takes"] = {name: _take_to_dict(take) for name, take in document.takes.items()}
    if document.camera is not None:
        data["camera"] = {"position": list(document.camera.position), "target": list(document.camera.target)}
    return data


def _take_to_dict(take: Motion) -> dict[str, Any]:
    """A motion that was recorded, with the joints that it is for."""
    skeleton = take.skeleton
    tails = {} if skeleton.tails is None else {"tails": _packed(skeleton.tails)}
    return {
        "fps": take.fps,
        "joints": list(skeleton.names),
        "parents": [int(parent) for parent in skeleton.parents],
        "rest": _packed(skeleton.world_from_joint),
        **tails,
        "translations": _packed(take.translations),
        "rotations": _packed(take.rotations),
    }


def _graph_to_dict(graph: Graph, folder: Path) -> dict[str, Any]:
    """A graph as data, its files named from a folder; what no file holds cannot be saved."""
    data = graph_with_paths(graph, lambda name: _from_folder(name, folder)).to_dict()
    for stage in graph.stages:
        if isinstance(stage.work, Mask):
            continue
        held = [name for name in ("trained", "obstacles", "bodies") if getattr(stage.work, name, None)]
        if held:
            raise InputError(
                _WHERE,
                f"stage {stage.name!r} holds {held[0]} that were given in Python",
                "a document keeps settings and the names of files",
                "save them to a file and name it in the skin's settings",
            )
    return data


def _files_of(data: Mapping[str, Any], document: Document, folder: Path) -> list[str]:
    """The names of all files that a document needs, as it names them."""
    places = [data["character"], data["motion"]]
    found = [place["file"] for place in places if isinstance(place, dict) and "file" in place]
    works = [stage.work for graph in document.skins for stage in graph.stages if not isinstance(stage.work, Mask)]
    return list(dict.fromkeys([*found, *(_from_folder(name, folder) for work in works for name in files_named(work))]))


def _is_file(motion: str) -> bool:
    """Whether a motion is a file and no clip that is called like one."""
    return Path(motion).suffix.lower() in MOTION_READERS and Path(motion).is_file()


def _from_folder(name: str, folder: Path) -> str:
    """A path as seen from a folder, with slashes; whole where there is no way from there."""
    whole = Path(name).resolve()
    try:
        return Path(os.path.relpath(whole, folder)).as_posix()
    except ValueError:  # on another drive
        return whole.as_posix()


def _packed(values: FloatArray) -> str:
    """Numbers as compressed bytes, in letters."""
    return base64.b64encode(zlib.compress(np.asarray(values, dtype="<f8").tobytes(), 6)).decode("ascii")


def _digest(path: Path) -> str:
    """The SHA-256 of a file, or "" where it cannot be read."""
    try:
        about = path.stat()
        return _digest_then(path, about.st_mtime_ns, about.st_size)
    except OSError:
        return ""


@lru_cache(maxsize=MOST_FILES)
def _digest_then(path: Path, changed: int, size: int) -> str:
    """The digest of a file that was changed at that time and has that size; a saved document asks again and again."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Reader(RecordReader):
    """Reads a document."""

    def document(self, data: Any, folder: Path) -> Document:
        """All of it."""
        known = {"character", "motion", "skins", "edits", "maps", "takes", "camera", "files"}
        root = self.root(data, FORMAT, VERSION, known=known)
        return self.made(
            "",
            lambda: Document(
                character=self._character(root.get("character"), folder),
                motion=self._motion(root.get("motion"), folder),
                skins=self._skins(root, folder),
                edits=self._edits(root, folder),
                maps=self._maps(root),
                camera=self._camera(root),
                takes=self._takes(root),
            ),
        )

    def _character(self, data: Any, folder: Path) -> CharacterSource:
        found = self.fields(data, "character", {"name", "file", "vertices", "repair", "units"})
        if ("name" in found) == ("file" in found):
            raise self.fault(
                "character", f"it has {', '.join(found) or 'nothing'}", "either a name or a file is needed"
            )
        vertices, repair = found.get("vertices"), found.get("repair", False)
        if isinstance(vertices, bool) or not isinstance(vertices, int) or not 1 <= vertices < 2**31:
            raise self.fault("character.vertices", f"it is {short(vertices)}", "a whole number above 0 is needed")
        if not isinstance(repair, bool):
            raise self.fault("character.repair", f"it is {short(repair)}", "true or false is needed")
        units = self.word(found, "units", "character", default="m")
        if units not in UNITS:
            raise self.fault("character.units", f"it is {short(units)}", f"there are {', '.join(UNITS)}")
        if "file" in found:
            return CharacterSource(self._place(found, "character", folder), vertices, repair, units)
        name = self.word(found, "name", "character")
        if name not in CHARACTERS:
            raise self.fault("character.name", f"it is {short(name)}", f"there are {', '.join(CHARACTERS)}")
        return CharacterSource(name, vertices, repair, units)

    def _motion(self, data: Any, folder: Path) -> str:
        if isinstance(data, dict):
            return self._place(self.fields(data, "motion", {"file"}), "motion", folder)
        return self.word({"motion": data}, "motion", "")

    def _place(self, found: Mapping[str, Any], where: str, folder: Path) -> str:
        """The place of a file that must be there."""
        name = self.word(found, "file", where)
        try:
            path = (folder / name).resolve()
            there = path.is_file()
        except (OSError, ValueError):
            path, there = folder, False
        if not there:
            raise self.fault(f"{where}.file", f"{short(name)} is not there", f"it is looked for from {folder}")
        return str(path)

    def _skins(self, root: Mapping[str, Any], folder: Path) -> tuple[Graph, ...]:
        graphs = self.listed(root, "skins", "", most=MOST_SKINS)
        if not graphs:
            raise self.fault("skins", "there are none", "at least one is needed")
        return tuple(self._skin(graph, f"skins[{number}]", folder) for number, graph in enumerate(graphs))

    def _skin(self, data: Any, where: str, folder: Path) -> Graph:
        found = self.fields(data, where, {"format", "version", "stages"})
        graph = self.made(where, lambda: Graph.from_dict(found))
        return self.made(
            where, lambda: graph_with_paths(graph, lambda name: self._place({"file": name}, where, folder))
        )

    def _edits(self, root: Mapping[str, Any], folder: Path) -> Edits | None:
        if "edits" not in root:
            return None
        name = self.word(root, "edits", "")
        if Path(name).name != name or not name.endswith(EDITS) or "\0" in name:
            given, needed = f"it is {short(name)}", f"the name of a file beside it, ending in {EDITS}, is needed"
            raise self.fault("edits", given, needed)
        return edits_file.load_edits(folder / name)

    def _maps(self, root: Mapping[str, Any]) -> dict[str, FloatArray]:
        found = self.fields(root.get("maps", {}), "maps", None)
        if len(found) > MOST_MAPS:
            raise self.fault("maps", f"it holds {len(found)}", f"at most {MOST_MAPS} are read")
        maps: dict[str, FloatArray] = {}
        for name, packed in found.items():
            where = f"maps[{short(name)}]"
            left = MOST_PAINTED - sum(map(len, maps.values()))
            maps[name] = self._map(packed, where, left)
            if len(maps[name]) != len(next(iter(maps.values()))):
                raise self.fault(where, f"it has {len(maps[name])} numbers", "all maps have a number for each vertex")
        return maps

    def _takes(self, root: Mapping[str, Any]) -> dict[str, Motion]:
        found = self.fields(root.get("takes", {}), "takes", None)
        if len(found) > MOST_TAKES:
            raise self.fault("takes", f"it holds {len(found)}", f"at most {MOST_TAKES} are read")
        return {name: self._take(name, data, f"takes[{short(name)}]") for name, data in found.items()}

    def _take(self, name: str, data: Any, where: str) -> Motion:
        known = {"fps", "joints", "parents", "rest", "tails", "translations", "rotations"}
        take = self.fields(data, where, known)
        joints, parents, fps = (take.get(part) for part in ("joints", "parents", "fps"))
        if not isinstance(joints, list) or not 0 < len(joints) <= MOST_JOINTS:
            raise self.fault(f"{where}.joints", f"it is {short(joints)}", f"1 to {MOST_JOINTS} names are needed")
        if not isinstance(parents, list) or not all(type(one) is int and -1 <= one < len(joints) for one in parents):
            raise self.fault(f"{where}.parents", f"it is {short(parents)}", "a number for each joint is needed")
        if not isinstance(fps, int | float) or isinstance(fps, bool):
            raise self.fault(f"{where}.fps", f"it is {short(fps)}", "a number is needed")

        def numbers(part: str, *shape: int) -> FloatArray:
            values = self._map(take.get(part), f"{where}.{part}", MOST_PAINTED)
            whole = int(np.prod([side for side in shape if side > 0]))
            if len(values) % whole or (shape[0] > 0 and len(values) != whole):
                raise self.fault(f"{where}.{part}", f"it has {len(values)} numbers", f"{whole} a frame are needed")
            return values.reshape(shape)

        def made() -> Motion:
            count = len(joints)
            tails = numbers("tails", count, 3) if "tails" in take else None
            skeleton = Skeleton(
                tuple(joints), np.array(parents, dtype=np.int32), numbers("rest", count, 4, 4), tails=tails
            )
            keys = numbers("translations", -1, count, 3), numbers("rotations", -1, count, 4)
            return Motion(skeleton, float(fps), *keys, name=name)

        return self.made(where, made)

    def _map(self, packed: Any, where: str, most: int) -> FloatArray:
        needed = f"at most {most} compressed numbers are needed"
        if not isinstance(packed, str):
            raise self.fault(where, f"it is {short(packed)}", needed)
        unpacking = zlib.decompressobj()
        try:
            raw = unpacking.decompress(base64.b64decode(packed, validate=True), 8 * most + 1)
        except (binascii.Error, ValueError, zlib.error) as error:
            raise self.fault(where, f"it cannot be unpacked ({error})", needed) from None
        if not unpacking.eof or len(raw) > 8 * most or len(raw) % 8 or not raw:
            raise self.fault(where, "it has too many numbers, or a part of one", needed)
        values = np.frombuffer(raw, dtype="<f8").astype(np.float64)
        if not np.isfinite(values).all():
            raise self.fault(where, "a number is not finite", "finite numbers are needed")
        return values

    def _camera(self, root: Mapping[str, Any]) -> Camera | None:
        if "camera" not in root:
            return None
        found = self.fields(root["camera"], "camera", {"position", "target"})
        return Camera(self._point(found, "position"), self._point(found, "target"))

    def _point(self, found: Mapping[str, Any], name: Literal["position", "target"]) -> tuple[float, float, float]:
        x, y, z = self.array(found, name, "camera", shape=(3,)).astype(np.float64).tolist()
        return x, y, z

    def changed_files(self, root: Mapping[str, Any], folder: Path) -> list[str]:
        """Which of its files are not those that they were."""
        found = self.fields(root.get("files", {}), "files", None)
        if len(found) > MOST_FILES:
            raise self.fault("files", f"it holds {len(found)}", f"at most {MOST_FILES} are read")
        then = {name: self.word(found, name, "files") for name in found}
        places = {name: self._place({"file": name}, f"files[{short(name)}]", folder) for name in found}
        return [name for name, digest in then.items() if digest and _digest(Path(places[name])) != digest]
