"""Run with a Python that has bpy: import files into Blender and leave the points it shows, in our axes, as arrays.

    python blender_reads.py OUT.npz FPS FRAMES FILE...

A point cache (.pc2, .mdd) is put on the mesh of the OBJ file of the same name.
"""

import sys
from pathlib import Path

import bpy
import numpy as np


def shown_points(thing):
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    world = np.array(shown.matrix_world)
    points = flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)  # Blender is z up


def bring_in(path):
    if path.suffix in (".usd", ".usda", ".usdc"):
        bpy.ops.wm.usd_import(filepath=str(path))
    elif path.suffix == ".abc":
        bpy.ops.wm.alembic_import(filepath=str(path))
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.wm.obj_import(filepath=str(path.with_suffix(".obj")))
    return next(thing for thing in bpy.data.objects if thing.type == "MESH" and thing.name != "Icosphere")


def main(out, fps, frames, files):
    found = {}
    for name in files:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = round(float(fps))
        path = Path(name)
        thing = bring_in(path)
        if path.suffix in (".pc2", ".mdd"):
            cache = thing.modifiers.new("cache", "MESH_CACHE")
            cache.cache_format, cache.filepath, cache.frame_start = path.suffix[1:].upper(), name, 0
        frames_shown = []
        for frame in range(int(frames)):
            bpy.context.scene.frame_set(frame)
            frames_shown.append(shown_points(thing))
        found[path.name] = np.stack(frames_shown)
        if thing.data.uv_layers:
            found[f"{path.name} uvs"] = np.array([loop.uv[:] for loop in thing.data.uv_layers[0].data])
            found[f"{path.name} corners"] = np.array([loop.vertex_index for loop in thing.data.loops])
    np.savez(out, **found)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
