"""A trained network in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.skins.array_file import ArrayFile
from supple.skins.curves.learn.model import CurveModel, FitErrors, PartModel
from supple.skins.curves.learn.radial_space import Drivers

_KINDS = ("<f8", "<i4")
_FILE = ArrayFile(b"SPLCURV\x01", _KINDS, "a model of curves", "train it again with supple fit-curves")
_WORDS = ("character", "base", "blend", "beyond")
_OF_DRIVERS = ("joints", "references", "homes")
_OF_PART = ("joints", "axes", "positions", "offsets", "frames")


def save_curves(model: CurveModel, path: str | Path) -> None:
    """Write a trained model; the file appears whole or not at all, and the same model gives the same bytes."""
    words = {
        **{word: getattr(model, word) for word in _WORDS},
        "parts": [part.name for part in model.parts],
        "errors": None if model.errors is None else model.errors.to_json(),
    }
    _FILE.write(path, words, _arrays(model))


def load_curves(path: str | Path) -> CurveModel:
    """Read what `save_curves` wrote; anything else ends in a `FormatError`."""
    return _FILE.read(path, _model)


def _arrays(model: CurveModel) -> dict[str, NDArray[Any]]:
    found = {f"drivers {name}": getattr(model.drivers, name) for name in _OF_DRIVERS}
    found |= {name: getattr(model, name) for name in ("rows", "columns", "values")}
    for number, part in enumerate(model.parts):
        found |= {f"{number} {name}": getattr(part, name) for name in _OF_PART}
    return {name: np.ascontiguousarray(a, dtype=_KINDS[a.dtype.kind == "i"]) for name, a in found.items()}


def _model(header: Any, arrays: dict[str, NDArray[Any]]) -> CurveModel:
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
