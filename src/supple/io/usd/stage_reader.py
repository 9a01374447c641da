"""A USD stage opened safely, with what turns its units and axes into ours."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.errors import FormatError, InputError, SuppleError
from supple.io.usd.library import from_matrices, usd

_MOST_LAYERS = 1000


@dataclass(frozen=True, eq=False)
class OpenStage:
    """A stage, and the transform `ours_from_stage` (4, 4) to metres and y up."""

    stage: Any
    where: str
    ours_from_stage: FloatArray

    @property
    def rate(self) -> float:
        """Time codes a second."""
        return float(self.stage.GetTimeCodesPerSecond())

    def prims(self) -> list[Any]:
        """All prims that count: defined, active and loaded, those of instances too."""
        Usd = usd("Usd", self.where)
        return list(Usd.PrimRange.Stage(self.stage, Usd.TraverseInstanceProxies()))

    def ours_from_prim(self, prim: Any, time: float | None = None) -> FloatArray:
        """The transform from the space of a prim to ours, at a time code or at the first."""
        Usd, UsdGeom = usd("Usd", self.where), usd("UsdGeom", self.where)
        at = Usd.TimeCode.EarliestTime() if time is None else Usd.TimeCode(time)
        local: FloatArray = from_matrices([UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(at)])[0]
        return self.ours_from_stage @ local


def layers_of(path: Path, *, before_opening: Callable[[int], None] | None = None) -> list[Any]:
    """All layers of a file: its own and those that they draw in, each looked at before it is opened.

    A layer outside the folder of the file is refused unopened. `before_opening` is told the size in bytes of all files
    so far, the next one among them. The library forgets layers that nobody holds, so hold what this returns.
    """
    Sdf = usd("Sdf", str(path))
    folder = path.resolve().parent
    layers: dict[str, Any] = {}
    sizes: dict[Path, int] = {}
    waiting = [str(path.resolve())]
    while waiting:
        name = waiting.pop()
        if name in layers:
            continue
        file = Path(name.split("[", 1)[0]).resolve()
        if "`" in name or not file.is_relative_to(folder):
            given = f"it draws in {name[:160]}"
            raise FormatError(str(path), given, "a file may name only files beside it", "flatten it into one file")
        if len(layers) == _MOST_LAYERS:
            given = f"it draws in more than {_MOST_LAYERS} layers"
            raise FormatError(str(path), given, "a character needs fewer", "flatten it into one file")
        sizes[file] = file.stat().st_size if file.is_file() else 0
        if before_opening is not None:
            before_opening(sum(sizes.values()))
        layer = layers[name] = Sdf.Layer.FindOrOpen(name) if sizes[file] else None
        if layer is not None:
            waiting += [layer.ComputeAbsolutePath(asset) if "`" not in asset else asset for asset in _drawn_in(layer)]
    return list(layers.values())


def _drawn_in(layer: Any) -> list[str]:
    """What a layer names that is opened with it: sublayers, references, payloads and value clips."""
    found: list[str] = [str(asset) for asset in layer.GetCompositionAssetDependencies() if asset]

    def look(at: Any) -> None:
        spec = layer.GetPrimAtPath(at) if at.IsPrimPath() or at.IsPrimVariantSelectionPath() else None
        for clips in (spec.GetInfo("clips") if spec and spec.HasInfo("clips") else {}).values():
            named = [clips.get("manifestAssetPath"), clips.get("templateAssetPath"), *(clips.get("assetPaths") or [])]
            found.extend(str(getattr(asset, "path", asset)) for asset in named if asset)

    layer.Traverse("/", look)
    return found


def open_stage(path: Path) -> OpenStage:
    """Open a file of any USD kind; layers that lie outside its folder are refused before they are opened.

    A package (.usdz) holds all its layers itself.
    """
    where = str(path)
    Usd, UsdGeom = usd("Usd", where), usd("UsdGeom", where)
    held = layers_of(path)
    stage = Usd.Stage.Open(str(path.resolve()))
    folder = path.resolve().parent
    for layer in {*stage.GetUsedLayers(), *filter(None, held)}:  # as the library itself found them
        real = layer.realPath
        if not layer.anonymous and not Path(real.split("[", 1)[0]).resolve().is_relative_to(folder):
            given = f"it draws in {layer.identifier}"
            raise FormatError(where, given, "a file may name only files beside it", "flatten it into one file")
    unit = float(UsdGeom.GetStageMetersPerUnit(stage))
    if not (np.isfinite(unit) and 0.0 < unit < 1e6):
        raise FormatError(where, f"metersPerUnit is {unit:g}", "a length above zero is needed", "export it again")
    ours = np.diag([unit, unit, unit, 1.0])
    if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z:
        ours = ours @ np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
    return OpenStage(stage, where, ours)


@contextlib.contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn whatever USD says about a broken file, and values of a kind that has no business there, into one error."""
    Tf = usd("Tf", str(path))
    strange = (Tf.ErrorException, RuntimeError, TypeError, ValueError, IndexError, OverflowError, MemoryError)
    try:
        yield
    except FormatError:
        raise
    except InputError as error:  # the parts are whole and do not fit together
        where = f"{path} ({error.where})"
        raise FormatError(where, error.given, error.needed, error.advice) from None
    except SuppleError:
        raise
    except strange as error:
        given = f"USD cannot read it ({_short(error)})"
        raise FormatError(str(path), given, "a whole USD file is needed", "export it again") from None


def _short(error: Exception) -> str:
    try:
        text = " ".join(str(error).split())
    except UnicodeDecodeError:  # USD quotes the broken bytes
        text = type(error).__name__
    return text if len(text) < 160 else text[:157] + "..."
