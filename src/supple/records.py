"""Small files of JSON that people read and write: opened within limits, refused by name wherever they make no sense."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from supple.errors import FormatError, InputError

T = TypeVar("T")
_LONGEST_WORD = 1000
_LONGEST_TOLD = 300
ALLOWANCE = 192 << 20  # bytes that the JSON of any file may unfold to
GROWTH = 12  # and bytes per byte of it; many small objects without a blank between them come to as much
DEEPEST = 100  # lists and objects in each other; what is kept of a file is copied and written, level by level
_COSTS = {b"{": 120, b"[": 64, b",": 32, b":": 60}  # bytes of an object, a list, an item and a field


def parse_json(text: bytes) -> Any:
    """What JSON in UTF-8 says, with no numbers that are none; a `ValueError` or `RecursionError` where it cannot be.

    Text of nothing but brackets would unfold to thirty times its size; it is refused before it does. So is what nests
    deeper than anybody writes.
    """
    size = sum(cost * text.count(sign) for sign, cost in _COSTS.items())
    if size > ALLOWANCE + GROWTH * len(text):
        enough = f"{ALLOWANCE >> 20} MB and {GROWTH} times its own size are enough"
        raise ValueError(f"it unfolds to some {size >> 20} MB, and {enough}")
    found = json.loads(text.decode("utf-8"), parse_constant=_no_number)
    if _may_nest_deeper(text) and _nests_deeper(found):
        raise ValueError(f"it nests more than {DEEPEST} deep")
    return found


def _may_nest_deeper(text: bytes) -> bool:
    """Whether brackets open deeper than allowed, those in texts counted too."""
    signs = np.frombuffer(text, dtype=np.uint8)
    signs = signs[np.isin(signs, np.frombuffer(b"[]{}", dtype=np.uint8))]
    opens = np.where(np.isin(signs, np.frombuffer(b"[{", dtype=np.uint8)), np.int8(1), np.int8(-1))
    return bool(np.cumsum(opens, dtype=np.int32).max(initial=0) > DEEPEST)


def _nests_deeper(found: Any) -> bool:
    level = [found]
    for _ in range(DEEPEST + 1):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [value for values in inner for value in values]
        if not level:
            return False
    return True


class RecordReader:
    """Reads one file; knows its name, so that every refusal can say where. Each kind of file derives its own.

    `what` is what such a file is called, `largest` how many bytes are read, `advice` what to do about a fault.
    """

    def __init__(self, path: str | Path, *, what: str, largest: int, advice: str) -> None:
        self._file, self._what, self._largest, self._advice = str(path), what, largest, advice

    def loaded(self) -> Any:
        """What the file holds, as JSON knows it."""
        file, needed = Path(self._file), f"{self._what} is needed"
        try:
            size = file.stat().st_size
            if size > self._largest:
                raise self.fault("", f"it has {size} bytes", f"at most {self._largest} are read")
            return parse_json(file.read_bytes())
        except OSError as error:
            raise InputError(self._file, str(error.strerror), needed, "check the path") from None
        except FormatError:
            raise
        except (ValueError, RecursionError) as error:
            said = " ".join(str(error).split())[:200]
            raise self.fault("", f"it is not JSON ({said})", needed) from None

    def root(self, data: Any, kind: str, version: int, *, known: set[str]) -> dict[str, Any]:
        """The outermost object, which says what it is and in which version."""
        root = self.fields(data, "", {"format", "version", *known})
        if root.get("format") != kind or root.get("version") != version:
            given = f"format is {short(root.get('format'))}, version {short(root.get('version'))}"
            raise self.fault("", given, f"{kind} {version} is needed")
        return root

    def fields(self, data: Any, where: str, known: set[str] | None) -> dict[str, Any]:
        """An object, all of whose names are known; None where any name will do."""
        if not isinstance(data, dict):
            raise self.fault(where, f"it is {short(data)}", "an object is needed")
        strange = [key for key in data if known is not None and key not in known]
        if strange:
            raise self.fault(where, f"it has {short(strange[0])}", f"it may have {', '.join(sorted(known or ()))}")
        return data

    def listed(self, found: Mapping[str, Any], name: str, where: str, *, most: int) -> list[Any]:
        """A list of at most `most` things, empty where there is none."""
        data = found.get(name, [])
        if not isinstance(data, list) or len(data) > most:
            raise self.fault(_inner(where, name), f"it is {short(data)}", f"a list of at most {most} is needed")
        return data

    def array(self, found: Mapping[str, Any], name: str, where: str, *, shape: tuple[int, ...] | None = None) -> Any:
        """Finite numbers in even rows, of a shape where one is given."""
        data, position = found.get(name), _inner(where, name)
        if not isinstance(data, list):
            raise self.fault(position, f"it is {short(data)}", "a list of numbers is needed")
        try:
            array = np.array(data) if data else np.zeros(0)
        except (ValueError, OverflowError):
            given = "its rows differ in length, or a number is too large"
            raise self.fault(position, given, "even rows are needed") from None
        finite = array.dtype.kind in "iuf" and np.isfinite(array).all()
        if not finite or (shape is not None and array.shape != shape):
            needed = "finite numbers are needed" if shape is None else f"{shape[0]} numbers are needed"
            raise self.fault(position, f"it is {short(data)}", needed)
        return array

    def number(self, found: Mapping[str, Any], name: str, where: str, *, default: float | None = None) -> float:
        """A finite number; one that is missing is refused unless there is a default."""
        value = found.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
            raise self.fault(_inner(where, name), f"it is {short(value)}", "a finite number is needed")
        return float(value)

    def word(self, found: Mapping[str, Any], name: str, where: str, *, default: str | None = None) -> str:
        """A word; one that is missing is refused unless there is a default."""
        value = found.get(name, default)
        if not isinstance(value, str) or len(value) > _LONGEST_WORD:
            raise self.fault(_inner(where, name), f"it is {short(value)}", "a word is needed")
        return value

    def made(self, where: str, make: Callable[[], T]) -> T:
        """What the numbers mean, or a refusal that says where in the file they stand."""
        try:
            return make()
        except FormatError:
            raise
        except InputError as error:
            position = f"{self._file}: {where}"
            given = f"{_cut(error.where)}: {_cut(error.given)}"
            raise FormatError(position, given, _cut(error.needed), error.advice) from None

    def fault(self, where: str, given: str, needed: str) -> FormatError:
        """A refusal of what stands at a place of the file."""
        return FormatError(f"{self._file}: {where}" if where else self._file, given, needed, self._advice)


def short(value: Any) -> str:
    """A value as it stands in a sentence."""
    said = repr(value)
    return said if len(said) <= 60 else said[:57] + "..."


def _cut(text: str) -> str:
    """A text that a file may have made long, as long as a sentence can bear."""
    return text if len(text) <= _LONGEST_TOLD else text[: _LONGEST_TOLD - 3] + "..."


def _inner(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")
