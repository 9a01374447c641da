"""What a skin has learnt in a file: a readable header, then the numbers, all of it checked when it is read.

8 bytes   magic with the version
8 bytes   length of the header, little-endian
header    JSON: words, names and sizes, and the errors of training
16 bytes  checksum (BLAKE2b) of the header and all numbers
numbers   the arrays one after another, little-endian
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from supple.errors import FormatError, InputError
from supple.files import atomic
from supple.records import parse_json

LARGEST = 2**31  # bytes
_SUM = 16
_LONGEST_HEADER = 16 << 20  # bytes
Model = TypeVar("Model")


@dataclass(frozen=True)
class ArrayFile:
    """One kind of model file: its `magic` (8 bytes), the kinds of numbers in it, and words for what is refused."""

    magic: bytes
    kinds: tuple[str, ...]
    what: str
    advice: str

    def write(self, path: str | Path, words: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write a header of plain data and arrays; the file appears whole or not at all."""
        plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        layout = [[name, array.dtype.str, list(array.shape)] for name, array in plain.items()]
        header = json.dumps({**words, "arrays": layout}, allow_nan=False, separators=(",", ":")).encode()
        numbers = b"".join(array.tobytes() for array in plain.values())
        with atomic(path) as waiting:
            waiting.write_bytes(
                self.magic + len(header).to_bytes(8, "little") + header + _sum(header, numbers) + numbers
            )

    def read(self, path: str | Path, make: Callable[[Any, dict[str, NDArray[Any]]], Model]) -> Model:
        """What `make` makes of the header and the arrays; whatever is wrong ends in a `FormatError`."""
        where = str(path)
        try:
            size = Path(path).stat().st_size
            if size > LARGEST:
                raise FormatError(where, f"it has {size} bytes", f"at most {LARGEST} are read", self.advice)
            data = Path(path).read_bytes()
        except OSError as error:
            raise InputError(where, str(error.strerror), "a trained model is needed", "check the path") from None
        start = len(self.magic) + 8
        if data[: len(self.magic) - 1] != self.magic[:-1]:
            raise self._fault(where, f"it does not start like {self.what}")
        if data[: len(self.magic)] != self.magic:
            raise self._fault(where, "it was written by another version of Supple")
        length = int.from_bytes(data[len(self.magic) : start], "little")
        if length > _LONGEST_HEADER:
            raise self._fault(where, f"its header should be {length} bytes long")
        header, check = data[start : start + length], data[start + length : start + length + _SUM]
        numbers = data[start + length + _SUM :]
        if len(header) != length or check != _sum(header, numbers):
            raise self._fault(where, "it is damaged or cut off (its checksum does not fit)")
        try:
            plain = parse_json(header)
            return make(plain, self._arrays(plain["arrays"], numbers))
        except InputError as error:
            raise FormatError(where, f"{error.where}: {error.given}", error.needed, self.advice) from None
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            raise self._fault(where, f"its header makes no sense ({type(error).__name__})") from None

    def _arrays(self, layout: Any, numbers: bytes) -> dict[str, NDArray[Any]]:
        arrays, offset = {}, 0
        for name, kind, shape in layout:
            if kind not in self.kinds or any(not isinstance(side, int) or side < 0 for side in shape):
                raise ValueError(name)
            count = math.prod(shape)
            if count > len(numbers):
                raise ValueError(name)
            array = np.frombuffer(numbers, dtype=kind, count=count, offset=offset)
            arrays[name] = array.reshape(shape).astype(np.dtype(kind).newbyteorder("="), copy=False)
            offset += array.nbytes
        if offset != len(numbers):
            raise ValueError("numbers are left over")
        return arrays

    def _fault(self, where: str, given: str) -> FormatError:
        return FormatError(where, given, f"{self.what} is needed", self.advice)


def _sum(header: bytes, numbers: bytes) -> bytes:
    return hashlib.blake2b(header + numbers, digest_size=_SUM).digest()
