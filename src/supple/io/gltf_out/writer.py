"""GLB out: a rigged character with its clips, a clip on its skeleton, and a bake for engines and browsers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import Float32Array
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError, SuppleWarning
from supple.geometry import quaternions
from supple.io.gltf.materials import KEY
from supple.io.gltf_out.bodies import add_bodies
from supple.io.gltf_out.container import Glb, check_room
from supple.io.gltf_out.mesh import GlbMesh, influence_columns, map_columns, rest_columns, shape_columns
from supple.io.gltf_out.motions import add_channels, add_motion, add_shape_weights
from supple.io.kept.writing import add_kept, is_vrm, written_shapes
from supple.io.surfaces.bake_normals import is_plain_blend, simulated_motion
from supple.io.surfaces.display_mesh import DisplayMesh
from supple.motion.motion import Motion
from supple.motion.pose import Pose

if TYPE_CHECKING:
    from supple.graph.cache import Cache

PRESSURE = "_PRESSURE"
_SHEARED = 5e-6  # of the reach: by how much a pose may be off its moves, turns and scales, which round


def write_character(character: Character, path: Path) -> None:
    """Write mesh, seams, texture coordinates, materials, skeleton, all influences, and every motion as an animation.

    Shapes become morph targets, painted maps custom attributes (flesh is `_FLESH`), and
    every material a primitive of the one mesh. What the format has no place for (named parts, quads, tails of joints,
    motions that start over) goes into `extras`, where Supple finds it again.
    """
    if path.suffix.lower() == ".vrm" and not is_vrm(character):
        given = f"{character.name} did not come from a VRM"
        raise InputError(str(path), given, "a VRM says who may use it, and what its bones are", "save it as .glb")
    glb = Glb()
    display = DisplayMesh.from_character(character)
    tops = _add_skeleton(glb, character.skeleton)
    mesh = GlbMesh(glb, character, display)
    mesh.add(rest_columns(character, display))
    maps, names = map_columns(character, display)
    mesh.add(maps)
    mesh_node: dict[str, Any] = {"name": character.name, "mesh": 0}
    if character.weights is not None:
        mesh.add(influence_columns(character.weights, display.control_points, len(character.skeleton)))
        mesh_node["skin"] = 0
    shapes = written_shapes(character)
    if shapes:
        mesh.add_targets(shape_columns(character, display, shapes), shapes, [0.0] * len(shapes))
    mesh.add_extras(character, names)
    glb.scene["nodes"].append(mesh_node)
    drawn_by = len(glb.scene["nodes"]) - 1
    tops.append(drawn_by)
    add_kept(glb, character, tops, drawn_by, shapes, mesh.textures)
    _set_scene(glb, tops)
    for name, motion in character.motions.items():
        add_motion(glb, name, motion)
        if any(shape in motion.shapes for shape in shapes):
            still = np.zeros(motion.frames)
            weights = np.stack([motion.shapes.get(shape, still) for shape in shapes], axis=1)
            add_shape_weights(glb, drawn_by, weights)
    glb.write(path)


def write_motion(motion: Motion, path: Path) -> None:
    """Write a clip with the skeleton it moves, and no mesh."""
    glb = Glb()
    _set_scene(glb, _add_skeleton(glb, motion.skeleton))
    add_motion(glb, motion.name, motion)
    glb.write(path)


def write_cache(cache: Cache, path: Path) -> None:
    """Write a bake as small as it can be: rigged where that is the same, else one morph target a frame.

    A bake of plain linear blend is a skinned mesh and its motion, a few hundred kilobytes. Any other is played by
    blending one morph target a frame into the next: 24 bytes (place and normal) a drawn vertex and frame, and
    4 bytes times the square of the number of frames for the animation. Where the skin moved the bones, the skeleton
    with that motion stands beside the mesh; so do the bodies that it met, each a mesh on a node that moves. How hard
    the skin was pressed is the attribute `_PRESSURE` [Pa], which morph targets change as they change places.
    """
    motion = _plain_motion(cache)
    if motion is not None:
        write_character(cache.character.replace(motions={motion.name: motion}), path)
    else:
        _write_morphing(cache, path)


def _plain_motion(cache: Cache) -> Motion | None:
    """The poses as a motion, when the bake is linear blend of nothing but turns, moves and scales of joints."""
    if not is_plain_blend(cache) or simulated_motion(cache) is not None:
        return None
    motion = Motion.from_poses(
        cache.skeleton,
        lambda at: Pose(cache.poses[round(at * cache.fps)]),
        seconds=(len(cache) - 1) / cache.fps,
        fps=cache.fps,
        name=str(cache.info["motion_name"]),
    )
    reach = np.abs(cache.poses[..., :3, 3]).max(initial=1.0)
    sheared = any(
        np.abs(motion.sample(at).world_from_joint - pose).max() > _SHEARED * reach
        for at, pose in zip(motion.times, cache.poses, strict=True)
    )
    if sheared:
        told = (
            f"{cache.character.name}: its joints shear, which no skeleton of a GLB can; it is written as morph targets"
        )
        warnings.warn(told, SuppleWarning, stacklevel=4)
    return None if sheared else motion


def _write_morphing(cache: Cache, path: Path) -> None:
    character = cache.character
    display = DisplayMesh.from_character(character)
    frames = len(cache)
    check_room(frames * (len(display.control_points) * 24 + frames * 4), path)
    glb = Glb()
    mesh = GlbMesh(glb, character, display)
    rest = rest_columns(character, display)
    felt = _felt(cache)
    still = {} if felt is None else {PRESSURE: np.zeros(len(display.control_points), dtype=np.float32)}
    mesh.add(rest | map_columns(character, display)[0] | still)
    targets = (
        {
            "POSITION": display.positions(points) - rest["POSITION"],
            "NORMAL": display.normals(points) - rest["NORMAL"],
            **({} if felt is None else {PRESSURE: felt[frame][display.control_points]}),
        }
        for frame, points in enumerate(cache.points)
    )
    names = [f"frame {number:04d}" for number in range(1, frames + 1)]
    mesh.add_targets(targets, names, [1.0] + [0.0] * (frames - 1))
    moved = simulated_motion(cache)
    tops = [] if moved is None else _add_skeleton(glb, moved.skeleton)
    nodes = glb.scene.setdefault("nodes", [])
    nodes.append({"name": character.name, "mesh": 0})
    drawn_by = len(nodes) - 1
    times = glb.add((np.arange(frames) / cache.fps).astype(np.float32), bounds=True)
    clip: dict[str, Any] = {"name": str(cache.info["motion_name"]), "samplers": [], "channels": []}
    glb.scene["animations"] = [clip]
    add_channels(glb, clip, drawn_by, times, {"weights": np.eye(frames).ravel()})
    if moved is not None:
        _add_bones(glb, moved)
    _set_scene(glb, [*tops, drawn_by, *add_bodies(glb, cache.bodies, times)])
    glb.write(path)


def _felt(cache: Cache) -> Float32Array | None:
    """How hard the skin was pressed (F, V) [Pa]; None where it never was, or a painted map has that name."""
    felt = cache.pressure
    return felt if felt is not None and felt.any() and PRESSURE[1:].lower() not in cache.info["maps"] else None


def _add_bones(glb: Glb, motion: Motion) -> None:
    """Let the first animation move the bones too, as the skin did; no vertex follows them."""
    add_motion(glb, motion.name, motion)
    clip, bones = glb.scene["animations"][0], glb.scene["animations"].pop()
    first = len(clip["samplers"])
    clip["samplers"] += bones["samplers"]
    clip["channels"] += [{**channel, "sampler": channel["sampler"] + first} for channel in bones["channels"]]


def _set_scene(glb: Glb, roots: list[int]) -> None:
    glb.scene["scenes"] = [{"nodes": roots}]
    glb.scene["scene"] = 0


def _add_skeleton(glb: Glb, skeleton: Skeleton) -> list[int]:
    """One node for every joint, node j for joint j, and the skin that binds them; returns the node on top."""
    moves, rotations, scales = quaternions.decompose(skeleton.parent_from_joint)
    nodes: list[dict[str, Any]] = []
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {
            "name": name,
            "translation": moves[joint].tolist(),
            "rotation": rotations[joint].tolist(),
            "scale": scales[joint].tolist(),
        }
        children = skeleton.children(joint).tolist()
        if children:
            node["children"] = children
        if skeleton.tails is not None:
            tail = skeleton.joint_from_world[joint] @ [*skeleton.tails[joint], 1.0]
            node["extras"] = {KEY: {"tail": tail[:3].tolist()}}
        nodes.append(node)
    inverse = skeleton.joint_from_world.astype(np.float32)
    inverse[:, 3] = [0.0, 0.0, 0.0, 1.0]
    glb.scene["nodes"] = nodes
    glb.scene["skins"] = [{"joints": list(range(len(skeleton))), "inverseBindMatrices": glb.add(inverse)}]
    roots = np.flatnonzero(skeleton.parents < 0).tolist()
    if len(roots) == 1:
        return roots
    nodes.append({"name": "roots", "children": roots})  # the joints of a skin must have a node in common
    return [len(nodes) - 1]
