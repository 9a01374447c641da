"""Nodes that are no joints: sockets, ends of bones, cameras and lights, kept where they hang and written again.

An attachment is plain JSON: `node` (its number in the file), `name`, `parent` (the name of a joint, the number of
another attachment, or None for the world), its transform as glTF has it, and `camera`, `light`, `extras` and
`extensions` where it has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supple.arrays import BoolArray
from supple.geometry import quaternions
from supple.io.gltf.document import Document, Fields
from supple.io.gltf.scene import Scene
from supple.io.rigs.rig import Rig

LIGHTS = "KHR_lights_punctual"
_BYTES = 2000  # that an attachment costs, beside what it says of itself


def read_attachments(document: Document, scene: Scene, rig: Rig, moving: BoolArray) -> list[Fields]:
    """All shown nodes without a mesh that hang on a joint, and cameras and lights wherever they hang."""
    nodes = document.items("nodes")
    found: list[Fields] = []
    number_of: dict[int, int] = {}
    hung = np.zeros(len(scene), dtype=bool)  # on a joint, or below one
    carries = np.zeros(len(scene), dtype=bool)  # a joint somewhere below; such a node is folded into that joint
    for node in scene.order[::-1].tolist():
        if scene.parents[node] >= 0 and (carries[node] or node in rig.joint_of):
            carries[scene.parents[node]] = True
    for node in scene.order.tolist():
        up = int(scene.parents[node])
        hung[node] = node in rig.joint_of or (up >= 0 and bool(hung[up]))
        fields, where = nodes[node], f"nodes[{node}]"
        seen = "camera" in fields or LIGHTS in document.mapping(fields, "extensions", where)
        free = hung[node] and not carries[node]
        if node in rig.joint_of or "mesh" in fields or not scene.shown[node] or not (free or seen):
            continue
        document.spend(_BYTES, where)
        if moving[node]:
            document.faults.note(where, "it is no joint, and its own motion is left out")
        number_of[node] = len(found)
        found.append(_attachment(document, scene, rig, node, number_of))
    return found


def _attachment(document: Document, scene: Scene, rig: Rig, node: int, number_of: dict[int, int]) -> Fields:
    fields, where = document.item("nodes", node), f"nodes[{node}]"
    up, placed = int(scene.parents[node]), scene.parent_from_node[node]
    while up >= 0 and up not in number_of and up not in rig.joint_of:
        placed, up = scene.parent_from_node[up] @ placed, int(scene.parents[up])
    parent: str | int | None = None
    if up >= 0:
        parent = number_of[up] if up in number_of else rig.skeleton.names[rig.joint_of[up]]
    move, rotation, scale = quaternions.decompose(placed)
    made: Fields = {
        "node": node,
        "name": document.text(fields, "name", f"node{node}"),
        "parent": parent,
        "translation": move.tolist(),
        "rotation": rotation.tolist(),
        "scale": scale.tolist(),
    }
    camera = document.index(fields, "camera", where, of="cameras")
    if camera is not None:
        made["camera"] = document.item("cameras", camera)
    extensions = dict(document.mapping(fields, "extensions", where))
    light = _light(document, extensions.pop(LIGHTS, None))
    made |= {"light": light} if light is not None else {}
    made |= {"extensions": extensions} if extensions else {}
    made |= {"extras": fields["extras"]} if "extras" in fields else {}
    return made


def _light(document: Document, given: Any) -> Fields | None:
    """What a node says of the light that it carries."""
    number = given.get("light") if isinstance(given, dict) else None
    lists = document.mapping(document.mapping(document.root, "extensions", "the file"), LIGHTS, "extensions")
    lights = document.listing(lists, "lights", LIGHTS)
    if type(number) is not int or not 0 <= number < len(lights) or not isinstance(lights[number], dict):
        return None
    light: Fields = lights[number]
    return light


def add_attachments(
    scene: dict[str, Any], attachments: Sequence[Mapping[str, Any]], joints: Sequence[str], tops: list[int]
) -> dict[int, int]:
    """Add their nodes to a scene whose node j is joint j; returns the new number of each by that in its old file.

    One whose joint is gone hangs in the world, among the `tops`.
    """
    nodes = scene["nodes"]
    joint_of = {name: number for number, name in enumerate(joints)}
    placed: list[int] = []
    for given in attachments:
        made = {key: given[key] for key in ("name", "translation", "rotation", "scale", "extras") if key in given}
        extensions = dict(given.get("extensions", {}))
        if "camera" in given:
            scene.setdefault("cameras", []).append(given["camera"])
            made["camera"] = len(scene["cameras"]) - 1
        if "light" in given:
            lights = scene.setdefault("extensions", {}).setdefault(LIGHTS, {"lights": []})["lights"]
            lights.append(given["light"])
            extensions[LIGHTS] = {"light": len(lights) - 1}
        made |= {"extensions": extensions} if extensions else {}
        number = len(nodes)
        parent = given.get("parent")
        owner = placed[parent] if type(parent) is int and 0 <= parent < len(placed) else joint_of.get(str(parent))
        if owner is None:
            tops.append(number)
        else:
            nodes[owner].setdefault("children", []).append(number)
        nodes.append(made)
        placed.append(number)
    return {int(given["node"]): number for given, number in zip(attachments, placed, strict=True)}
