"""Run with a Python that has bpy: import files into Blender and leave what it shows, in our axes, as arrays.

    python blender_reads.py PLAN.json ANSWER.npz

The plan is a list of jobs. Each names a `file` and what to `do`; the keys of the answer start with the job's `key`:

    shown   points (F, V, 3) of the mesh at `frames` frames of `fps` a second, its texture coordinates and materials.
            A point cache (.pc2, .mdd) is put on the mesh of the OBJ file of the same name.
    clips   points of every mesh at the times [s] of each of `clips`
    joints  heads (F, J, 3) of the bones of a .bvh at `frames`, and their names, in the axes of the file
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np

OURS_FROM_BLENDER = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # z up to y up


def fresh(fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(fps)


def shown_points(thing):
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    world = np.array(shown.matrix_world)
    return (flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]) @ OURS_FROM_BLENDER.T


def bring_in(path):
    if path.suffix in (".usd", ".usda", ".usdc"):
        bpy.ops.wm.usd_import(filepath=str(path))
    elif path.suffix == ".abc":
        bpy.ops.wm.alembic_import(filepath=str(path))
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.wm.obj_import(filepath=str(path.with_suffix(".obj")))
    return [thing for thing in bpy.data.objects if thing.type == "MESH" and thing.name != "Icosphere"]


def shown(job):
    fresh(job["fps"])
    path = Path(job["file"])
    meshes = bring_in(path)
    thing = meshes[0]
    if path.suffix in (".pc2", ".mdd"):
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format, cache.filepath, cache.frame_start = path.suffix[1:].upper(), str(path), 0
    frames = []
    for frame in range(job["frames"]):
        bpy.context.scene.frame_set(frame)
        frames.append(shown_points(thing))
    found = {"points": np.stack(frames), "meshes": np.array(len(meshes))}
    found["armatures"] = np.array(sum(other.type == "ARMATURE" for other in bpy.data.objects))
    if thing.data.uv_layers:
        found["uvs"] = np.array([loop.uv[:] for loop in thing.data.uv_layers[0].data])
        found["corners"] = np.array([loop.vertex_index for loop in thing.data.loops])
    found["worn"] = np.array([face.material_index for face in thing.data.polygons])
    found["materials"] = np.array(json.dumps([look(slot.material) for slot in thing.material_slots]))
    return found


def look(material):
    """Name, colour, roughness, metal and pictures of a material, and which of its inputs pictures feed."""
    if material is None:
        return None
    shader = next((node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader is None:
        return {"name": material.name}
    return {
        "name": material.name,
        "color": [*shader.inputs["Base Color"].default_value],
        "roughness": shader.inputs["Roughness"].default_value,
        "metallic": shader.inputs["Metallic"].default_value,
        "pictured": sorted(field.name for field in shader.inputs if field.is_linked),
        "pictures": sorted([*node.image.size] for node in material.node_tree.nodes if node.type == "TEX_IMAGE"),
    }


class Clips:
    """A glTF file opened in Blender, asked for the points of its meshes at any moment of any clip."""

    def __init__(self, path):
        fresh(120)  # so that keys of most rates lie on whole frames
        bpy.ops.import_scene.gltf(filepath=str(path), import_shading="FLAT")
        objects = list(bpy.data.objects)
        self.meshes = [thing for thing in objects if thing.type == "MESH" and thing.visible_get()]
        self.opening = [(thing, thing.matrix_basis.copy()) for thing in objects]
        self.opening += [
            (bone, bone.matrix_basis.copy())
            for thing in objects
            if thing.type == "ARMATURE"
            for bone in thing.pose.bones
        ]
        keys = [thing.data.shape_keys for thing in self.meshes if thing.data.shape_keys]
        self.shares = [(block, block.value) for key in keys for block in key.key_blocks]
        movable = [thing for thing in [*objects, *keys] if thing.animation_data]
        self.strips = [
            (thing, track.name, track.strips[0].action, track.strips[0].action_slot)
            for thing in movable
            for track in thing.animation_data.nla_tracks
        ]
        for thing in movable:
            thing.animation_data.action = None
            for track in thing.animation_data.nla_tracks:
                track.mute = True

    def play(self, clip):
        """Put everything back as the file opens, then let `clip` move it; Blender names nameless ones its way."""
        for thing, _, _, _ in self.strips:
            thing.animation_data.action = None
        for thing, basis in self.opening:
            thing.matrix_basis = basis
        for block, value in self.shares:
            block.value = value
        for thing, name, action, slot in self.strips:
            if name in (clip, clip.replace("animation", "Anim_")):
                thing.animation_data.action, thing.animation_data.action_slot = action, slot

    def points(self, time):
        """Points of every mesh at `time` [s]."""
        scene = bpy.context.scene
        frame = time * scene.render.fps / scene.render.fps_base
        scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        return [shown_points(thing) for thing in self.meshes]


def clips(job):
    opened = Clips(job["file"])
    found = {}
    for number, (clip, times) in enumerate(job["clips"]):
        opened.play(clip)
        frames = [opened.points(time) for time in times]
        found |= {f"{number} {mesh}": np.stack(points) for mesh, points in enumerate(zip(*frames, strict=True))}
    return found


def joints(job):
    fresh(24)
    bpy.ops.import_anim.bvh(filepath=job["file"], axis_forward="Y", axis_up="Z", rotate_mode="QUATERNION")
    bones = bpy.context.object.pose.bones
    frames = []
    for frame in job["frames"]:
        bpy.context.scene.frame_set(frame + 1)
        frames.append([bone.head[:] for bone in bones])
    return {"heads": np.array(frames), "names": np.array([bone.name for bone in bones])}


def main(plan, answer):
    found = {}
    for job in json.loads(Path(plan).read_text()):
        made = {"shown": shown, "clips": clips, "joints": joints}[job["do"]](job)
        found |= {f"{job['key']} {name}": array for name, array in made.items()}
    np.savez(answer, **found)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
