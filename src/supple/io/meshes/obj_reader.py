"""Wavefront OBJ in: a mesh with its order, quads, texture coordinates and groups.

The file is read line by line into compact numbers, so that it costs a few times its own size.
"""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from supple.arrays import IntArray
from supple.budget import Budget
from supple.character.attributes import NORMAL, unit
from supple.character.character import Character
from supple.errors import FormatError, SuppleWarning
from supple.io.surfaces.surface import Layer, Surface
from supple.io.surfaces.unrigged import MESH_BYTES, TRIANGLE_BYTES, unrigged_character

MOST_PARTS = 1 << 14
_GLANCE = 1 << 14  # lines between two looks at the clock
_HELD = 80  # bytes of a line that waits for the next, beside its signs
_NORMAL_BYTES = 60  # that a normal, and a corner that names one, cost
_CORNERS = 1 << 10  # of a face that are told apart at once
_HIGHEST = 2**31 - 1  # of a point that a face can name; so many do not exist, and it is refused as one of those
_ADVICE = "export the mesh again"


def read_character(path: Path, *, repair: bool) -> Character:
    """Read a mesh, which has no skeleton and gets one joint; groups and objects become parts.

    Vertices keep their order. Quads stay quads where all faces are triangles and quads; longer faces are cut into fans.
    Normals are kept; materials, lines and curves are left out. An OBJ says neither its unit nor its up axis: metres and
    y up are taken.
    """
    budget = Budget.of(path)
    found = _Obj(str(path), budget)
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, text in _whole_lines(file, budget):
            found.take(text, number)
    return found.character(path)


def _whole_lines(lines: Iterable[str], budget: Budget) -> Iterator[tuple[int, str]]:
    """Lines without comments, those that end in a backslash joined with the next, and the number of their last."""
    held: list[str] = []
    size = 0
    for number, line in enumerate(lines, start=1):
        if number % _GLANCE == 0:
            budget.spend(size)
            size = 0
        text = line.split("#", 1)[0].rstrip()
        if text.endswith("\\"):
            size += len(text) + _HELD
            held.append(text[:-1])
            continue
        yield number, " ".join([*held, text]) if held else text
        held.clear()


class _Obj:
    """What was found in the file so far."""

    def __init__(self, where: str, budget: Budget) -> None:
        self._where, self._budget = where, budget
        self._points, self._uvs, self._normals = array("d"), array("d"), array("f")
        self._counts, self._corners = array("i"), array("i")
        self._uv_corners, self._normal_corners = array("i"), array("i")
        self._group_of_face = array("i")
        self._groups: dict[str, int] = {"": 0}
        self._group = 0

    def take(self, text: str, number: int) -> None:
        """Understand one line."""
        words = text.split(None, 1)
        if not words:
            return
        kind, rest = words[0], words[1] if len(words) > 1 else ""
        try:
            if kind == "v":
                x, y, z = rest.split(None, 3)[:3]
                self._points.extend((float(x), float(y), float(z)))
            elif kind == "vt":
                given = rest.split(None, 2)
                self._uvs.extend((float(given[0]), float(given[1]) if len(given) > 1 else 0.0))
            elif kind == "vn":
                x, y, z = rest.split(None, 3)[:3]
                self._normals.extend((float(x), float(y), float(z)))
            elif kind == "f":
                self._face(rest)
            elif kind in ("g", "o"):
                self._group = self._number_of(" ".join(rest.split()))
        except (ValueError, IndexError, OverflowError):
            shown = text if len(text) < 60 else text[:57] + "..."
            raise self._fault(f"line {number} is {shown!r}", "numbers are needed there") from None

    def _number_of(self, name: str) -> int:
        """The number of a group; all beyond the most that are kept are one without a name."""
        if name not in self._groups and len(self._groups) > MOST_PARTS:
            return 0
        return self._groups.setdefault(name, len(self._groups))

    def _face(self, text: str) -> None:
        count = 0
        points, uvs, normals = len(self._points) // 3, len(self._uvs) // 2, len(self._normals) // 3
        while text:
            words = text.split(None, _CORNERS)
            text = words.pop() if len(words) > _CORNERS else ""
            count += len(words)
            for word in words:
                fields = word.split("/", 2)
                self._corners.append(_row(int(fields[0]), points))
                self._uv_corners.append(_row(int(fields[1]), uvs) if len(fields) > 1 and fields[1] else -1)
                if normals:  # what stands before a face that has some keeps -1
                    self._normal_corners.extend([-1] * (len(self._corners) - 1 - len(self._normal_corners)))
                    self._normal_corners.append(_row(int(fields[2]), normals) if len(fields) > 2 and fields[2] else -1)
            if text:
                self._budget.look_at_the_clock()
        if count < 3:
            raise ValueError
        self._counts.append(count)
        self._group_of_face.append(self._group)

    def character(self, path: Path) -> Character:
        """The mesh of all that was taken."""
        points = np.frombuffer(self._points).reshape(-1, 3)
        uvs = np.frombuffer(self._uvs).reshape(-1, 2)
        corners, uv_corners, counts = (
            np.frombuffer(numbers, dtype=np.int32) for numbers in (self._corners, self._uv_corners, self._counts)
        )
        self._budget.spend(MESH_BYTES * len(points) + TRIANGLE_BYTES * (len(corners) - 2 * len(counts)))
        if len(uv_corners) and int(uv_corners.max()) >= len(uvs):
            given = f"a face names texture coordinate {int(uv_corners.max()) + 1}"
            raise self._fault(given, f"there are {len(uvs)}")
        has_uvs = bool((uv_corners >= 0).any())
        surface = Surface(
            counts,
            corners,
            uvs if has_uvs else None,
            uv_corners if has_uvs else None,
            layers=self._layers(len(corners)),
        )
        surface.check(len(points), self._where)
        return unrigged_character(points, surface, path, parts=self._parts(surface, len(points)))

    def _layers(self, count: int) -> dict[str, Layer]:
        """Normals, where faces name some; such as name none that is there have none."""
        rows = np.full(count, -1, dtype=np.int32)
        rows[: len(self._normal_corners)] = np.frombuffer(self._normal_corners, dtype=np.int32)
        given = np.frombuffer(self._normals, dtype=np.float32).reshape(-1, 3)
        rows[rows >= len(given)] = -1
        if not (rows >= 0).any():
            return {}
        self._budget.spend(_NORMAL_BYTES * (len(given) + count))
        sound = np.asarray(np.isfinite(given).all(axis=1))
        return {NORMAL: (unit(np.where(sound[:, None], given, np.float32(0.0))), rows)}

    def _parts(self, surface: Surface, points: int) -> dict[str, IntArray]:
        """The points of every named group, when there is a name at all."""
        if len(self._groups) == 1:
            return {}
        if len(self._groups) > MOST_PARTS:
            told = f"{Path(self._where).name}: it has more than {MOST_PARTS} groups; those after them are no parts"
            warnings.warn(told, SuppleWarning, stacklevel=2)
        group = np.repeat(np.frombuffer(self._group_of_face, dtype=np.int32), surface.counts)
        keys = np.unique(group.astype(np.int64) * points + surface.corners)
        owner, vertices = keys // points, (keys % points).astype(np.int32)
        names = list(self._groups)
        ends = np.searchsorted(owner, np.arange(1, len(names) + 1))
        pieces = np.split(vertices, ends[:-1])
        return {name: piece for name, piece in zip(names, pieces, strict=True) if name and len(piece)}

    def _fault(self, given: str, needed: str) -> FormatError:
        return FormatError(self._where, given, needed, _ADVICE)


def _row(number: int, count: int) -> int:
    """Files count from one, or backwards from what was last given."""
    row = number - 1 if number > 0 else count + number
    if number == 0 or row < 0:
        raise ValueError
    return min(row, _HIGHEST)
