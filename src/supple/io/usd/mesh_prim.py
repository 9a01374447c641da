"""The mesh of a character as a USD prim: faces, texture coordinates, painted maps and parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.arrays import Float32Array, FloatArray
from supple.character.character import Character
from supple.io.surfaces.display_mesh import CornerNormals
from supple.io.surfaces.surface import Surface
from supple.io.usd.layers import authored, write_layers
from supple.io.usd.library import name_for, numbers, singles, usd, vectors
from supple.names import UNDERLINED, unique

COMPUTED = "supple:computedNormals"  # a custom attribute: nobody authored them
PART = "supplePart"  # the family of the subsets that are parts


class MeshPrim:
    """A mesh on a stage, ready to be given points."""

    def __init__(self, stage: Any, path: str, character: Character) -> None:
        UsdGeom, Sdf = usd("UsdGeom", path), usd("Sdf", path)
        self.surface = surface = Surface.from_character(character)
        self._normals = CornerNormals.from_character(character, surface)
        self.mesh = UsdGeom.Mesh.Define(stage, path)
        self.mesh.CreateFaceVertexCountsAttr(numbers(surface.counts))
        self.mesh.CreateFaceVertexIndicesAttr(numbers(surface.corners))
        self.mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        self.mesh.CreateDoubleSidedAttr(True)  # noqa: FBT003 - a USD attribute
        self.mesh.GetPrim().SetDisplayName(character.name)
        primvars = UsdGeom.PrimvarsAPI(self.mesh)
        if self._normals.per_point:
            self.mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
            self._normals_attribute = self.mesh.CreateNormalsAttr()
        else:
            kind = Sdf.ValueTypeNames.Normal3fArray
            creased = primvars.CreatePrimvar("normals", kind, UsdGeom.Tokens.faceVarying)
            creased.SetIndices(numbers(self._normals.rows))
            self._normals_attribute = creased.GetAttr()
        if surface.uvs is not None and surface.uv_corners is not None:
            kind = Sdf.ValueTypeNames.TexCoord2fArray
            st = primvars.CreatePrimvar("st", kind, UsdGeom.Tokens.faceVarying)
            st.Set(vectors(surface.uvs))
            st.SetIndices(numbers(surface.uv_corners))
        if not authored(character):
            self.mesh.GetPrim().CreateAttribute(COMPUTED, Sdf.ValueTypeNames.Bool, True).Set(True)  # noqa: FBT003 - custom
        taken = ["st", "normals", *write_layers(self.mesh, surface)]
        keys = unique(map(name_for, character.maps), taken=taken, form=UNDERLINED)
        for key, (name, values) in zip(keys, character.maps.items(), strict=True):
            painted = primvars.CreatePrimvar(key, Sdf.ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex)
            painted.Set(singles(values))
            painted.GetAttr().SetDisplayName(name)
        for name, vertices in character.parts.items():
            subset = UsdGeom.Subset.CreateUniqueGeomSubset(
                self.mesh, name_for(f"part_{name}"), UsdGeom.Tokens.point, numbers(vertices), PART
            )
            subset.GetPrim().SetDisplayName(name)

    def set_points(
        self, points: Float32Array | np.ndarray, *, time: float | None = None, normals: FloatArray | None = None
    ) -> None:
        """Give it points (V, 3), their box and their normals, for all time or at one time code.

        `normals` (N, 3) are those of the character's shading, where they are not to follow from the points.
        """
        at = usd("Usd", "points").TimeCode.Default() if time is None else time
        self.mesh.CreatePointsAttr().Set(vectors(points), at)
        self.mesh.CreateExtentAttr().Set(vectors(np.stack([points.min(axis=0), points.max(axis=0)])), at)
        shown = self._normals(points) if normals is None else self._normals.chosen(normals)
        self._normals_attribute.Set(vectors(shown), at)

    def set_values(self, name: str, values: Float32Array, *, time: float) -> None:
        """Give it values (V,) of vertices at one time code, as a primvar."""
        UsdGeom, Sdf = usd("UsdGeom", name), usd("Sdf", name)
        primvars = UsdGeom.PrimvarsAPI(self.mesh)
        primvars.CreatePrimvar(name, Sdf.ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex).Set(singles(values), time)
