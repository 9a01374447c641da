"""The header of a cache file read with suspicion: every field is of its kind and fits the others, or it is refused.

A checksum finds damage and not intent, so nothing here is trusted because the checksum is right. Where things lie is
not taken from the file but worked out again, in whole numbers that cannot overflow, and must agree with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import FormatError
from supple.records import parse_json, short

MOST = 1 << 24  # 16 MiB: a header longer than this is no header
ROW = 32  # bytes of a frame in the table
ALIGNMENT = 64
DIGEST = 16
_KINDS = {"<f8": 8, "<f4": 4, "<i4": 4, "|u1": 1}  # bytes of one number
_WORDS = ("character_name", "motion_name")
_WORDS_IF_ANY = ("supple", "character", "motion", "device", "made_on")
_NAMES = ("joints", "parts", "maps", "shapes")
_NAMES_IF_ANY = ("bodies", "met")
_NEEDED = "a whole cache is needed"
_ADVICE = "bake it again, or delete the file"


def aligned(size: int) -> int:
    """The next place at or after `size` where something may begin."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def refused(where: str, what: str) -> FormatError:
    """The refusal of a cache file."""
    return FormatError(where, what, _NEEDED, _ADVICE)


@dataclass(frozen=True)
class Entry:
    """One of the fixed arrays: its kind, its shape, where it begins after the header, and its checksum."""

    dtype: str
    shape: tuple[int, ...]
    at: int
    check: bytes

    @property
    def bytes(self) -> int:
        """How long it is."""
        return math.prod(self.shape) * _KINDS[self.dtype]


@dataclass(frozen=True)
class Header:
    """What a header says, all of it checked: what was baked, the fixed arrays, and how much there is of everything."""

    info: dict[str, Any]
    arrays: dict[str, Entry]
    table: int
    frames: int
    count: int
    vertices: int
    joints: int
    bodies: int
    pressure: int
    events: int


def read_header(text: bytes, where: str, size: int) -> Header:
    """Understand the JSON of a header in a file of `size` bytes, or refuse it by the field that makes no sense."""
    try:
        data = parse_json(text)
    except (ValueError, RecursionError):
        raise refused(where, "its header is not JSON") from None
    return _Fields(where, size).header(data)


def check_arrays(header_info: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> None:
    """Refuse a number that is not finite in the arrays that are used as they are."""
    for name in ("poses", "shape_shares"):
        if not np.isfinite(arrays[name]).all():
            raise refused(where, f"its array {name!r} has numbers that are not finite")
    if len(set(header_info["joints"])) < len(header_info["joints"]):
        raise refused(where, "two of its joints have one name")


class _Fields:
    """The fields of one header; knows the file, so that every refusal can name it."""

    def __init__(self, where: str, size: int) -> None:
        self._where, self._size = where, size

    def header(self, data: Any) -> Header:
        """All of it: each field by itself, then whether they fit together."""
        root = self._object(data, "its header")
        count, vertices = self._whole(root, "count", low=1), self._whole(root, "vertices", low=1)
        joints, bodies, pressure, events = (
            self._whole(root, key) if key in root else 0 for key in ("joints", "bodies", "pressure", "events")
        )
        if pressure > 1:
            raise self._fault(f"pressure is {pressure}")
        arrays = self._arrays(root)
        table = sum(aligned(entry.bytes) for entry in arrays.values())
        frames = aligned(table + count * ROW)
        if (self._whole(root, "table"), self._whole(root, "frames")) != (table, frames):
            raise self._fault("table and frames do not begin where its arrays end")
        if frames > self._size:
            raise self._fault(f"it is cut off after {self._size} bytes")
        info = self._info(self._object(root.get("info"), "info"), count)
        self._fit(info, arrays, vertices=vertices, joints=joints, count=count)
        self._fit_bodies(info, arrays, bodies)
        return Header(info, arrays, table, frames, count, vertices, joints, bodies, pressure, events)

    def _arrays(self, root: Mapping[str, Any]) -> dict[str, Entry]:
        """The fixed arrays, which must lie one after the other from the end of the header on."""
        given = self._object(root.get("arrays"), "arrays")
        found = {self._text(name, "the name of an array"): self._entry(name, entry) for name, entry in given.items()}
        at = 0
        for name, entry in sorted(found.items(), key=lambda item: (item[1].at, aligned(item[1].bytes))):
            if entry.at != at:
                raise self._fault(f"its array {short(name)} begins at {short(entry.at)} and not at {at}")
            at += aligned(entry.bytes)
            if at > self._size:
                raise self._fault(f"its array {short(name)} ends after the file")
        return found

    def _entry(self, name: str, data: Any) -> Entry:
        what = f"its array {short(name)}"
        fields = self._object(data, what)
        dtype, shape = fields.get("dtype"), fields.get("shape")
        if not isinstance(dtype, str) or dtype not in _KINDS:
            raise self._fault(f"{what} is of the kind {short(dtype)}")
        if not isinstance(shape, list) or len(shape) > 4 or not all(self._is_whole(side) for side in shape):
            raise self._fault(f"{what} has the shape {short(shape)}")
        check = fields.get("sum")
        if not isinstance(check, str) or len(check) != 2 * DIGEST or set(check) - set("0123456789abcdef"):
            raise self._fault(f"{what} has the checksum {short(check)}")
        return Entry(dtype, tuple(shape), self._whole(fields, "at"), bytes.fromhex(check))

    def _info(self, info: dict[str, Any], count: int) -> dict[str, Any]:
        """What was baked: words are words, names are lists of words, and times are finite."""
        for key in _WORDS + tuple(key for key in _WORDS_IF_ANY if key in info):
            self._text(info.get(key), key)
        for key in _NAMES + tuple(key for key in _NAMES_IF_ANY if key in info):
            names = info.get(key)
            if not isinstance(names, list):
                raise self._fault(f"{key} is {short(names)} and no list")
            for name in names:
                self._text(name, key)
        fps, start = self._number(info.get("fps"), "fps"), self._number(info.get("start"), "start")
        if fps <= 0.0 or abs(start) + count / fps > 1e12:
            raise self._fault(f"fps is {fps:g} and start {start:g}")
        if info.get("frames", count) != count:
            raise self._fault(f"frames is {short(info['frames'])} and count {count}")
        stages = self._object(info.get("graph"), "graph").get("stages")
        if not isinstance(stages, list) or not all(isinstance(stage, dict) for stage in stages):
            raise self._fault("graph has no list of stages")
        return info

    def _fit(
        self, info: Mapping[str, Any], arrays: Mapping[str, Entry], *, vertices: int, joints: int, count: int
    ) -> None:
        """Whether the arrays that every cache has are there, and as long as what they are for."""
        listed = len(info["joints"])
        if joints not in (0, listed):
            raise self._fault(f"joints is {joints}, and {listed} are named")
        expected = {
            "rest": (vertices, 3),
            "poses": (count, listed, 4, 4),
            "shape_shares": (count, len(info["shapes"])),
            "parents": (listed,),
            "joint_rest": (listed, 4, 4),
            **{f"map {name}": (vertices,) for name in info["maps"]},
            **{f"shape {name}": (vertices, 3) for name in info["shapes"]},
        }
        for name in ("triangles", *(f"part {name}" for name in info["parts"])):
            if name not in arrays:
                raise self._fault(f"its array {short(name)} is missing")
        for name, shape in expected.items():
            if name not in arrays or arrays[name].shape != shape:
                raise self._fault(f"its array {short(name)} is not {shape}")

    def _fit_bodies(self, info: Mapping[str, Any], arrays: Mapping[str, Entry], bodies: int) -> None:
        """Whether everything that was met has a mesh."""
        named = info.get("bodies", [])
        if bodies != len(named):
            raise self._fault(f"bodies is {bodies}, and {len(named)} are named")
        for number in range(bodies):
            for name, dtype in ((f"body {number} points", "<f8"), (f"body {number} triangles", "<i4")):
                entry = arrays.get(name)
                if entry is None or entry.dtype != dtype or entry.shape[1:] != (3,) or not entry.shape[0]:
                    raise self._fault(f"its array {short(name)} is missing, or no list of threes")

    def _object(self, value: Any, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._fault(f"{what} is {short(value)} and no object")
        return value

    def _text(self, value: Any, what: str) -> str:
        """A text that can be written down: half of a pair of signs (a lone surrogate) cannot."""
        if not isinstance(value, str) or any("\ud800" <= sign <= "\udfff" for sign in value):
            raise self._fault(f"{what} is {short(value)} and no text")
        return value

    def _number(self, value: Any, what: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e12:
            raise self._fault(f"{what} is {short(value)} and no number of use")
        return float(value)

    def _whole(self, fields: Mapping[str, Any], key: str, *, low: int = 0) -> int:
        value: Any = fields.get(key)
        if not self._is_whole(value) or value < low:
            raise self._fault(f"{key} is {short(value)}")
        return int(value)

    def _is_whole(self, value: Any) -> bool:
        """Whether it counts something; no more than there are bytes, so that no product of two is beyond all reason."""
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= self._size

    def _fault(self, what: str) -> FormatError:
        return refused(self._where, what)
