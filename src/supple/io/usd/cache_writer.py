"""A bake as USD: one mesh whose points, normals and box are sampled at every frame."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.graph.baked_bodies import BakedBody
from supple.io.surfaces.bake_normals import BakeNormals, simulated_motion
from supple.io.surfaces.bodies import as_character
from supple.io.usd.character_writer import add_skeleton
from supple.io.usd.library import name_for, new_stage, usd
from supple.io.usd.material_writer import Wardrobe
from supple.io.usd.mesh_prim import MeshPrim
from supple.names import UNDERLINED, unique

if TYPE_CHECKING:
    from supple.graph.cache import Cache


def write_cache(cache: Cache, path: Path) -> None:
    """Write the mesh with its quads, texture coordinates, materials, maps and parts, and all frames.

    Frame 0 is time code 0. Where the skin moved the bones, the skeleton with that motion stands beside the mesh, and
    so do the bodies that it met, each a mesh that moves as a whole. How hard the skin was pressed in every frame [Pa]
    is its primvar `pressure`.
    Pictures of materials lie in a folder beside the file: hero.usdc has hero_textures.
    """
    character = cache.character
    UsdGeom = usd("UsdGeom", str(path))
    with new_stage(path) as stage:
        stage.SetTimeCodesPerSecond(cache.fps)
        stage.SetFramesPerSecond(cache.fps)
        stage.SetStartTimeCode(0.0)
        stage.SetEndTimeCode(float(len(cache) - 1))
        name = name_for(character.name)
        root = UsdGeom.Xform.Define(stage, f"/{name}")
        stage.SetDefaultPrim(root.GetPrim())
        mesh = MeshPrim(stage, f"/{name}/Mesh", character)
        Wardrobe(stage, f"/{name}", path).dress(mesh.mesh, tuple(character.materials), mesh.surface.material_indices)
        normals = BakeNormals(cache)
        for frame, points in enumerate(cache.points):
            mesh.set_points(points, time=float(frame), normals=normals.at(frame))
        felt = cache.pressure
        if felt is not None and "pressure" not in character.maps:
            for frame, pressure in enumerate(felt):
                mesh.set_values("pressure", pressure, time=float(frame))
        moved = simulated_motion(cache)
        if moved is not None:
            add_skeleton(stage, f"/{name}/Bones", moved)
        names = unique((name_for(body.name) for body in cache.bodies), form=UNDERLINED)
        for body, called in zip(cache.bodies, names, strict=True):
            _add_body(stage, f"/{name}/Bodies/{called}", body)


def _add_body(stage: Any, path: str, body: BakedBody) -> None:
    """A body that was met: its mesh, moved as a whole."""
    UsdGeom, Gf = usd("UsdGeom", path), usd("Gf", path)
    moved = UsdGeom.Xform.Define(stage, path)
    moved.GetPrim().SetDisplayName(body.name)
    transform = moved.AddTransformOp()
    for frame, matrix in enumerate(body.world_from_body if body.moves else body.world_from_body[:1]):
        value = Gf.Matrix4d(*matrix.T.ravel().tolist())
        if body.moves:
            transform.Set(value, float(frame))
        else:
            transform.Set(value)
    MeshPrim(stage, f"{path}/Mesh", as_character(body)).set_points(body.points)
