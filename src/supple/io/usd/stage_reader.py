"""A USD stage opened safely, with what turns its units and axes into ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import Floats
from supple.errors import InputError
from supple.io.usd.library import from_matrices, usd


@dataclass(frozen=True, eq=False)
class OpenStage:
    """A stage, and the transform `ours_from_stage` (4, 4) to metres and y up."""

    stage: Any
    where: str
    ours_from_stage: Floats

    @property
    def rate(self) -> float:
        """Time codes a second."""
        return float(self.stage.GetTimeCodesPerSecond())

    def prims(self) -> list[Any]:
        """All prims that count: defined, active and loaded, those of instances too."""
        Usd = usd("Usd", self.where)
        return list(Usd.PrimRange.Stage(self.stage, Usd.TraverseInstanceProxies()))

    def ours_from_prim(self, prim: Any, time: float | None = None) -> Floats:
        """The transform from the space of a prim to ours, at a time code or at the first."""
        Usd, UsdGeom = usd("Usd", self.where), usd("UsdGeom", self.where)
        at = Usd.TimeCode.EarliestTime() if time is None else Usd.TimeCode(time)
        local: Floats = from_matrices([UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(at)])[0]
        return self.ours_from_stage @ local


def open_stage(path: Path) -> OpenStage:
    """Open a file of any USD kind; layers that lie outside its folder are refused.

    A package (.usdz) holds all its layers itself.
    """
    where = str(path)
    Usd, UsdGeom, Tf = usd("Usd", where), usd("UsdGeom", where), usd("Tf", where)
    try:
        stage = Usd.Stage.Open(str(path.resolve()))
    except (Tf.ErrorException, RuntimeError) as error:
        raise InputError(where, f"USD cannot read it ({_short(error)})", "a USD file is needed",
                         "export it again") from None  # fmt: skip
    folder = path.resolve().parent
    for layer in stage.GetUsedLayers():
        real = layer.realPath
        if not layer.anonymous and not Path(real.split("[", 1)[0]).resolve().is_relative_to(folder):
            given = f"it draws in {layer.identifier}"
            raise InputError(where, given, "a file may name only files beside it", "flatten it into one file")
    unit = float(UsdGeom.GetStageMetersPerUnit(stage))
    if not (np.isfinite(unit) and 0.0 < unit < 1e6):
        raise InputError(where, f"metersPerUnit is {unit:g}", "a length above zero is needed", "export it again")
    ours = np.diag([unit, unit, unit, 1.0])
    if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z:
        ours = ours @ np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
    return OpenStage(stage, where, ours)


def _short(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) < 160 else text[:157] + "..."
