"""A trained network in a file: a readable header, then the numbers, all of it checked when it is read.

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
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import FormatError, InputError
from supple.files import atomic
from supple.records import parse_json
from supple.skins.curves.learn.model import CurveModel, FitErrors, PartModel
from supple.skins.curves.learn.pose_space import Drivers

MAGIC = b"SPLCURV\x01"
LARGEST = 2**31  # bytes
_SUM = 16
_LONGEST_HEADER = 16 << 20  # bytes
_KINDS = ("<f8", "<i4")
_ADVICE = "train it again with supple fit-curves"
_WORDS = ("character", "base", "blend", "beyond")
_OF_DRIVERS = ("joints", "references", "homes")
_OF_PART = ("joints", "axes", "positions", "offsets", "frames")


def save_curves(model: CurveModel, path: str | Path) -> None:
    """Write a trained model; the file appears whole or not at all, and the same model gives the same bytes."""
    arrays = _arrays(model)
    header = json.dumps(
        {
            **{word: getattr(model, word) for word in _WORDS},
            "parts": [part.name for part in model.parts],
            "errors": None if model.errors is None else model.errors.to_json(),
            "arrays": [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()],
        },
        allow_nan=False,
        separators=(",", ":"),
    ).encode()
    numbers = b"".join(array.tobytes() for array in arrays.values())
    with atomic(path) as waiting:
        waiting.write_bytes(MAGIC + len(header).to_bytes(8, "little") + header + _sum(header, numbers) + numbers)


def load_curves(path: str | Path) -> CurveModel:
    """Read what `save_curves` wrote; anything else ends in a `FormatError`."""
    where = str(path)
    try:
        size = Path(path).stat().st_size
        if size > LARGEST:
            raise FormatError(where, f"it has {size} bytes", f"at most {LARGEST} are read", "train it with less detail")
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(where, str(error.strerror), "a trained model is needed", "check the path") from None
    start = len(MAGIC) + 8
    if data[: len(MAGIC) - 1] != MAGIC[:-1]:
        raise _fault(where, "it does not start like a model of curves")
    if data[: len(MAGIC)] != MAGIC:
        raise _fault(where, "it was written by another version of Supple")
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    if length > _LONGEST_HEADER:
        raise _fault(where, f"its header should be {length} bytes long")
    header, check = data[start : start + length], data[start + length : start + length + _SUM]
    numbers = data[start + length + _SUM :]
    if len(header) != length or check != _sum(header, numbers):
        raise _fault(where, "it is damaged or cut off (its checksum does not fit)")
    try:
        return _model(parse_json(header), numbers)
    except InputError as error:
        raise FormatError(where, f"{error.where}: {error.given}", error.needed, _ADVICE) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _fault(where, f"its header makes no sense ({type(error).__name__})") from None


def _arrays(model: CurveModel) -> dict[str, NDArray[Any]]:
    found = {f"drivers {name}": getattr(model.drivers, name) for name in _OF_DRIVERS}
    found |= {name: getattr(model, name) for name in ("rows", "columns", "values")}
    for number, part in enumerate(model.parts):
        found |= {f"{number} {name}": getattr(part, name) for name in _OF_PART}
    return {name: np.ascontiguousarray(a, dtype=_KINDS[a.dtype.kind == "i"]) for name, a in found.items()}


def _model(header: Any, numbers: bytes) -> CurveModel:
    arrays, offset = {}, 0
    for name, kind, shape in header["arrays"]:
        if kind not in _KINDS or any(not isinstance(side, int) or side < 0 for side in shape):
            raise ValueError(name)
        count = math.prod(shape)
        if count > len(numbers):
            raise ValueError(name)
        array = np.frombuffer(numbers, dtype=kind, count=count, offset=offset)
        arrays[name] = array.reshape(shape).astype(kind[1:], copy=False)
        offset += array.nbytes
    if offset != len(numbers):
        raise ValueError("numbers are left over")
    words = [header[word] for word in _WORDS]
    if not all(isinstance(word, str) for word in [*words, *header["parts"]]):
        raise ValueError("words")
    parts = [
        PartModel(name, *(arrays[f"{number} {what}"] for what in _OF_PART))
        for number, name in enumerate(header["parts"])
    ]
    drivers = Drivers(*(arrays[f"drivers {what}"] for what in _OF_DRIVERS))
    errors = None if header["errors"] is None else FitErrors.from_json(header["errors"])
    character, base, blend, beyond = words
    matrix = arrays["rows"], arrays["columns"], arrays["values"]
    return CurveModel(character, base, blend, beyond, drivers, tuple(parts), *matrix, errors=errors)


def _sum(header: bytes, numbers: bytes) -> bytes:
    return hashlib.blake2b(header + numbers, digest_size=_SUM).digest()


def _fault(where: str, given: str) -> FormatError:
    return FormatError(where, given, "a trained model of curves is needed", _ADVICE)
