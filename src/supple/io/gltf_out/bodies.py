"""What a baked skin met, beside it in a GLB: a node with a mesh for each body, moved by the animation of the bake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.geometry import quaternions
from supple.graph.baked_bodies import BakedBody
from supple.io.gltf_out.container import FOR_INDICES, FOR_VERTICES, Glb
from supple.io.gltf_out.materials import add_plain_material
from supple.io.gltf_out.motions import add_channels, shortest
from supple.io.surfaces.bodies import as_character
from supple.io.surfaces.display_mesh import DisplayMesh


def add_bodies(glb: Glb, bodies: Sequence[BakedBody], times: int) -> list[int]:
    """Add a node for every body, in plain grey, and let the first animation move those that move.

    `times` is the accessor of the times of its frames. Returns the nodes.
    """
    grey = add_plain_material(glb) if bodies else 0
    return [_add_body(glb, body, times, grey) for body in bodies]


def _add_body(glb: Glb, body: BakedBody, times: int, material: int) -> int:
    moves, turns, _ = quaternions.decompose(body.world_from_body)
    turns = shortest(turns[:, None])[:, 0]
    node: dict[str, Any] = {"name": body.name, "mesh": _add_mesh(glb, body, material)}
    node |= {"translation": moves[0].tolist(), "rotation": turns[0].tolist()}
    number = len(glb.scene["nodes"])
    glb.scene["nodes"].append(node)
    if body.moves:
        add_channels(glb, glb.scene["animations"][0], number, times, {"translation": moves, "rotation": turns})
    return number


def _add_mesh(glb: Glb, body: BakedBody, material: int) -> int:
    character = as_character(body)
    display = DisplayMesh.from_character(character)
    columns = {"POSITION": display.positions(body.points), "NORMAL": display.normals(body.points)}
    kind = np.uint16 if len(display.control_points) < 65535 else np.uint32
    primitive = {
        "attributes": {
            name: glb.add(rows, target=FOR_VERTICES, bounds=name == "POSITION") for name, rows in columns.items()
        },
        "indices": glb.add(display.triangles.ravel().astype(kind), target=FOR_INDICES),
        "material": material,
    }
    glb.scene["meshes"].append({"name": body.name, "primitives": [primitive]})
    return len(glb.scene["meshes"]) - 1
