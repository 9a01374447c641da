"""What pose-space deformation has learnt, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.skins.array_file import ArrayFile
from supple.skins.pose_space.components import PackedShapes
from supple.skins.pose_space.inputs import JointFrame
from supple.skins.pose_space.model import FitErrors, PoseSpaceModel

SUFFIX = ".posespace"
_FILE = ArrayFile(
    b"SPLPSD\x00\x01",
    ("<f8", "<f4", "<f2", "<i4", "<u2", "|i1"),
    "a model of pose-space deformation",
    "train it again with supple fit-pose-space",
)
_SMALL = 1 << 16


def save_pose_space(model: PoseSpaceModel, path: str | Path) -> None:
    """Write a trained model; the file appears whole or not at all, and the same model gives the same bytes."""
    shapes = model.shapes
    words = {
        "character": model.character,
        "base": model.base,
        "inputs": model.inputs,
        "interval": model.interval,
        "errors": None if model.errors is None else model.errors.to_json(),
    }
    _FILE.write(
        path,
        words,
        {
            "references": model.frame.references.astype("<i4"),
            "homes": model.frame.homes.astype("<f8"),
            "joints": model.joints.astype("<i4"),
            "entries": model.entries.astype("<i4"),
            "scales": model.scales.astype("<f4"),
            "centers": model.centers.astype("<f2"),  # they were rounded before anything was learnt with them
            "coefficients": model.coefficients.astype("<f4"),
            "rows": shapes.rows.astype("<i4"),
            "blocks": shapes.blocks.astype("<u2" if len(shapes.part_of) <= _SMALL else "<i4"),
            "levels": shapes.levels,
            "units": shapes.units.astype("<f4"),
            "part_of": shapes.part_of.astype("<i4"),
        },
    )


def load_pose_space(path: str | Path) -> PoseSpaceModel:
    """Read what `save_pose_space` wrote; anything else ends in a `FormatError`."""
    return _FILE.read(path, _model)


def _model(header: Any, arrays: dict[str, NDArray[Any]]) -> PoseSpaceModel:
    character, base, inputs = (header[word] for word in ("character", "base", "inputs"))
    if not all(isinstance(word, str) for word in (character, base, inputs)):
        raise ValueError("words")
    shapes = PackedShapes(*(arrays[name] for name in ("rows", "blocks", "levels", "units", "part_of")))
    return PoseSpaceModel(
        character,
        base,
        inputs,
        float(header["interval"]),
        JointFrame(arrays["references"], arrays["homes"]),
        arrays["joints"],
        arrays["entries"],
        arrays["scales"],
        arrays["centers"].astype(np.float32),
        arrays["coefficients"],
        shapes,
        errors=None if header["errors"] is None else FitErrors.from_json(header["errors"]),
    )
