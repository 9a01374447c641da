"""A bake as Alembic, through alembic3d, which is an extra."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import IntArray
from supple.errors import UnfinishedError
from supple.files import atomic
from supple.io.surfaces.bake_normals import BakeNormals
from supple.io.surfaces.display_mesh import CornerNormals
from supple.io.surfaces.surface import Surface

if TYPE_CHECKING:
    from supple.graph.cache import Cache


def write_cache(cache: Cache, path: Path) -> None:
    """Write a polygon mesh with texture coordinates, and points and normals at every frame; frame 0 is at time zero.

    Alembic runs faces clockwise, so they are turned round; programs turn them back. How hard the skin was pressed in
    every frame [Pa] is the vertex attribute `pressure`.
    """
    Abc, AbcGeom, Core = (_alembic(name, str(path)) for name in ("Abc", "AbcGeom", "AbcCoreAbstract"))
    character = cache.character
    surface = Surface.from_character(character)
    normals, moved = CornerNormals.from_character(character, surface), BakeNormals(cache)
    reversed_surface = surface.reversed()
    scope = AbcGeom.GeometryScope
    rows = None if normals.per_point else _unsigned(Surface(surface.counts, normals.rows).reversed().corners)
    with atomic(path) as waiting:
        archive = Abc.CreateArchiveWithInfo(str(waiting), cache.fps, "supple", character.name)
        rate = archive.addTimeSampling(Core.TimeSampling(1.0 / cache.fps, 0.0))
        transform = AbcGeom.OXform(archive.getTop(), _name_for(character.name))
        mesh = AbcGeom.OPolyMesh(transform, f"{_name_for(character.name)}Shape")
        schema = mesh.getSchema()
        schema.setTimeSampling(rate)
        felt = cache.pressure
        pressures: list[Any] = []
        if felt is not None:
            beside, indexed = schema.getArbGeomParams(), False
            pressures.append(AbcGeom.OFloatGeomParam(beside, "pressure", indexed, scope.kVertexScope, 1))
            pressures[0].setTimeSampling(rate)
        for frame, points in enumerate(cache.points):
            found = _vectors(normals.chosen(moved.at(frame)))
            sample = AbcGeom.OPolyMeshSchemaSample()
            sample.setPositions(_vectors(points))
            if rows is None:
                sample.setNormals(AbcGeom.ON3fGeomParamSample(found, scope.kVertexScope))
            else:
                sample.setNormals(AbcGeom.ON3fGeomParamSample(found, rows, scope.kFacevaryingScope))
            if frame == 0:
                sample.setFaceIndices(_numbers(reversed_surface.corners))
                sample.setFaceCounts(_numbers(reversed_surface.counts))
                if reversed_surface.uvs is not None and reversed_surface.uv_corners is not None:
                    indices, values = _unsigned(reversed_surface.uv_corners), _vectors(reversed_surface.uvs)
                    sample.setUVs(AbcGeom.OV2fGeomParamSample(values, indices, scope.kFacevaryingScope))
            schema.set(sample)
            if felt is not None:
                pressures[0].set(AbcGeom.OFloatGeomParamSample(_singles(felt[frame]), scope.kVertexScope))
        pressures.clear()
        del schema, mesh, transform, archive  # the file is whole when the last of them is gone


def _name_for(name: str) -> str:
    """Object names may not hold the sign that parts paths."""
    return name.replace("/", "_") or "character"


def _vectors(values: ArrayLike) -> Any:
    imath = import_module("imath")
    given = np.ascontiguousarray(values, dtype=np.float32)
    return (imath.V3fArrayFromBuffer if given.shape[1] == 3 else imath.V2fArrayFromBuffer)(given)


def _numbers(values: ArrayLike) -> Any:
    return import_module("imath").IntArrayFromBuffer(np.ascontiguousarray(values, dtype=np.int32))


def _singles(values: ArrayLike) -> Any:
    return import_module("imath").FloatArrayFromBuffer(np.ascontiguousarray(values, dtype=np.float32))


def _unsigned(values: IntArray) -> Any:
    made = import_module("imath").UnsignedIntArray(len(values))
    for index, value in enumerate(values.tolist()):
        made[index] = value
    return made


def _alembic(module: str, where: str) -> Any:
    try:
        return getattr(import_module("alembic3d"), module)
    except ImportError:
        raise UnfinishedError(
            where,
            "alembic3d could not be loaded",
            "Alembic files need the alembic extra",
            "install it with: pip install 'supple[alembic]'",
        ) from None
