"""The USD library, loaded when a file asks for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import UnfinishedError
from supple.files import atomic


def usd(module: str, where: str) -> Any:
    """A module of USD by name, such as UsdGeom, or a sentence that says how to get it."""
    try:
        return import_module(f"pxr.{module}")
    except ImportError:
        raise missing(where) from None


def missing(where: str) -> UnfinishedError:
    """What is said where USD is not installed."""
    advice = "install it with: pip install 'supple[usd]'"
    return UnfinishedError(where, "usd-core could not be loaded", "USD files need the usd extra", advice)


def load_all(where: str) -> None:
    """Load every module that reading needs, so that what comes after is the file's doing."""
    for module in ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdSkel", "Vt"):
        usd(module, where)


@contextlib.contextmanager
def new_stage(path: Path) -> Iterator[Any]:
    """An empty stage, y up and in metres, that becomes the file `path`, whole or not at all, when the block ends."""
    Usd, UsdGeom = usd("Usd", str(path)), usd("UsdGeom", str(path))
    with atomic(path) as waiting:
        stage = Usd.Stage.CreateNew(str(waiting))
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        yield stage
        stage.GetRootLayer().Save()


def name_for(name: str) -> str:
    """The name with the signs that a USD path may have."""
    made: str = usd("Tf", name).MakeValidIdentifier(name)
    return made


def vectors(values: ArrayLike) -> Any:
    """Rows of two, three or four as USD's own array of single-precision vectors."""
    given = np.ascontiguousarray(values, dtype=np.float32)
    Vt = usd("Vt", "vectors")
    return {2: Vt.Vec2fArray, 3: Vt.Vec3fArray, 4: Vt.Vec4fArray}[given.shape[1]].FromNumpy(given)


def numbers(values: ArrayLike) -> Any:
    """Whole numbers as USD's own array."""
    return usd("Vt", "numbers").IntArray.FromNumpy(np.ascontiguousarray(values, dtype=np.int32))


def singles(values: ArrayLike) -> Any:
    """Numbers as USD's own array of single precision."""
    return usd("Vt", "singles").FloatArray.FromNumpy(np.ascontiguousarray(values, dtype=np.float32))


def matrices(values: NDArray[np.float64]) -> Any:
    """Transforms (N, 4, 4) on columns as USD's own array; USD's act on rows."""
    transposed = np.ascontiguousarray(values.swapaxes(-1, -2))
    return usd("Vt", "matrices").Matrix4dArray.FromNumpy(transposed)


def from_matrices(values: Any) -> NDArray[np.float64]:
    """USD's transforms on rows as transforms (N, 4, 4) on columns."""
    return np.array(values, dtype=np.float64).reshape(-1, 4, 4).swapaxes(-1, -2).copy()
