"""What stands at the corners of a mesh, as primvars: normals, tangents, colours and further texture coordinates.

Normals are `normals`, the first colours `displayColor` with `displayOpacity`, as USD has them; TEXCOORD_1 is `st1`.
What USD has no word for goes by our name for it: `tangents`, `color1`, and `attribute_NAME` for a program's own.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from supple.arrays import Float32Array, IntArray
from supple.character.attributes import NORMAL, TANGENT
from supple.character.character import Character
from supple.io.surfaces.surface import Layer, Surface
from supple.io.usd.library import name_for, numbers, singles, usd, vectors

COLOR, OPACITY = "displayColor", "displayOpacity"
_COORDINATES = re.compile(r"st([1-9][0-9]?)")
_COLORS = re.compile(r"color([1-9][0-9]?)")


def authored(character: Character) -> bool:
    """Whether the normals of a character were made by somebody."""
    return character.display is not None and NORMAL in character.display.attributes


def write_layers(mesh: Any, surface: Surface) -> list[str]:
    """Write all layers but the normals, which move with the points; returns the names of the primvars."""
    UsdGeom, Sdf = usd("UsdGeom", "layers"), usd("Sdf", "layers")
    primvars, kinds = UsdGeom.PrimvarsAPI(mesh), Sdf.ValueTypeNames
    written = []

    def write(name: str, kind: Any, rows: Float32Array, corners: IntArray) -> None:
        primvar = primvars.CreatePrimvar(name, kind, UsdGeom.Tokens.faceVarying)
        primvar.Set(vectors(rows) if rows.shape[1] > 1 else singles(rows[:, 0]))
        primvar.SetIndices(numbers(corners))
        written.append(name)

    for name, (rows, corners) in surface.layers.items():
        if name == "COLOR_0":
            write(COLOR, kinds.Color3fArray, rows[:, :3], corners)
            if rows.shape[1] == 4:
                write(OPACITY, kinds.FloatArray, rows[:, 3:], corners)
        elif name == TANGENT:
            write("tangents", kinds.Float4Array, rows, corners)
        elif name.startswith("TEXCOORD_"):
            write(f"st{name[9:]}", kinds.TexCoord2fArray, rows, corners)
        elif name.startswith("COLOR_"):
            kind = kinds.Color4fArray if rows.shape[1] == 4 else kinds.Color3fArray
            write(f"color{name[6:]}", kind, rows, corners)
        elif name.startswith("_") and rows.shape[1] > 1:
            kind = (kinds.Float2Array, kinds.Float3Array, kinds.Float4Array)[rows.shape[1] - 2]
            write(name_for(f"attribute{name}"), kind, rows, corners)
    return written


def read_layers(mesh: Any, surface: Surface, *, computed: str) -> dict[str, Layer]:
    """The layers of a mesh; those that do not fit its faces are left out.

    Normals count unless the prim says under `computed` that nobody authored them, or asks to be subdivided.
    """
    UsdGeom = usd("UsdGeom", "layers")
    found: dict[str, Layer] = {}
    for primvar in UsdGeom.PrimvarsAPI(mesh).GetPrimvarsWithValues():
        key = _key(str(primvar.GetPrimvarName()))
        layer = None if key is None else _layer(primvar, surface)
        if key is not None and layer is not None:
            found[key] = layer
    _join_opacity(found)
    flag = mesh.GetPrim().GetAttribute(computed)
    smooth = mesh.GetSubdivisionSchemeAttr().HasAuthoredValue() and mesh.GetSubdivisionSchemeAttr().Get() != "none"
    if smooth or (flag and flag.Get()):
        found.pop(NORMAL, None)
    elif NORMAL not in found:
        plain = _plain_normals(mesh, surface)
        found |= {} if plain is None else {NORMAL: plain}
    return found


def _key(name: str) -> str | None:
    fixed = {"normals": NORMAL, "tangents": TANGENT, COLOR: "COLOR_0", OPACITY: OPACITY}
    if name in fixed:
        return fixed[name]
    if match := _COORDINATES.fullmatch(name):
        return f"TEXCOORD_{match[1]}"
    if match := _COLORS.fullmatch(name):
        return f"COLOR_{match[1]}"
    return name.removeprefix("attribute") if name.startswith("attribute_") else None


def _layer(primvar: Any, surface: Surface) -> Layer | None:
    """Rows and the row of every corner, where they fit the faces."""
    value = primvar.Get(usd("Usd", "layers").TimeCode.EarliestTime())
    rows = np.array([] if value is None else value, dtype=np.float32)
    if rows.ndim == 1 and primvar.GetTypeName() == "float[]":
        rows = rows[:, None]
    if rows.ndim != 2 or not len(rows) or not np.isfinite(rows).all():
        return None
    index = np.array(primvar.GetIndices(), dtype=np.int64) if primvar.IsIndexed() else np.arange(len(rows))
    return _at_corners(rows, index, str(primvar.GetInterpolation()), surface)


def _at_corners(rows: Float32Array, index: Any, interpolation: str, surface: Surface) -> Layer | None:
    count = len(surface.corners)
    if interpolation in ("vertex", "varying"):
        index = index[surface.corners] if count and int(surface.corners.max()) < len(index) else index[:0]
    elif interpolation == "uniform":
        index = np.repeat(index, surface.counts) if len(index) == len(surface.counts) else index[:0]
    elif interpolation == "constant":
        index = np.repeat(index[:1], count)
    fits = len(index) == count and count > 0 and 0 <= int(index.min()) <= int(index.max()) < len(rows)
    return (rows, index.astype(np.int32)) if fits else None


def _plain_normals(mesh: Any, surface: Surface) -> Layer | None:
    """The normals that stand on the mesh itself, where no primvar does."""
    value = mesh.GetNormalsAttr().Get(usd("Usd", "normals").TimeCode.EarliestTime())
    rows = np.array([] if value is None else value, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all():
        return None
    return _at_corners(rows, np.arange(len(rows)), str(mesh.GetNormalsInterpolation()), surface)


def _join_opacity(found: dict[str, Layer]) -> None:
    """Colours with their opacity as a fourth number, where both stand at the same corners."""
    opacity, color = found.pop(OPACITY, None), found.get("COLOR_0")
    if opacity is None or color is None or len(opacity[0]) != len(color[0]):
        return
    if np.array_equal(opacity[1], color[1]):
        found["COLOR_0"] = np.concatenate([color[0], opacity[0]], axis=1), color[1]
