"""What is kept of a glTF beside the character: read into `extras["gltf"]`, as plain JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.character.character import Character
from supple.io.gltf.document import Document, Fields
from supple.io.gltf.scene import Scene
from supple.io.kept import vrm
from supple.io.kept.attachments import read_attachments
from supple.io.rigs.rig import Rig

Drawn = Sequence[tuple[int, int, list[str]]]
_OWN = ("version", "generator", "minVersion")


def read_kept(document: Document, scene: Scene, rig: Rig, moving: BoolArray, drawn: Drawn, worn: list[int]) -> Fields:
    """Who made the file, nodes that are no joints, and VRM with the tables that its numbers need.

    `drawn` are the node, the mesh and the names of the shapes of all that is shown, `worn` the numbers of materials.
    """
    extensions = document.mapping(document.root, "extensions", "the file")
    joints: list[str | None] = [None] * len(document.items("nodes"))
    for node, joint in rig.joint_of.items():
        joints[node] = rig.skeleton.names[joint]
    kept: Fields = {
        "extensions": {name: value for name, value in extensions.items() if name.startswith("VRM")},
        "node_joints": tuple(joints),
    }
    asset = document.mapping(document.root, "asset", "the file")
    said = {name: value for name, value in asset.items() if name not in _OWN}
    kept |= {"asset": said} if said else {}
    attachments = read_attachments(document, scene, rig, moving)
    kept |= {"attachments": attachments} if attachments else {}
    if kept["extensions"]:
        kept["drawn"] = [[node, mesh, names] for node, mesh, names in drawn]
        kept["materials"] = worn
    return kept


def with_expressions(document: Document, character: Character) -> Character:
    """The character with the expressions of a VRM as shapes of their own, and the pictures that the VRM names."""
    kept: dict[str, Any] = dict(character.extras["gltf"])
    if not kept["extensions"]:
        return character
    kept |= {"pictures": vrm.read_pictures(document, character)}
    shares = vrm.expressions(kept["extensions"], shape_names(kept))
    made: dict[str, FloatArray] = {}
    for name, parts in shares.items():
        if name not in character.shapes and name.strip():
            document.spend(48 * len(character.points), f"expression {name[:40]!r}")
            made[name] = np.zeros_like(character.points)
            for shape, share in parts.items():
                made[name] += share * character.shapes.get(shape, 0.0)
    kept |= {"expressions": list(made)} if made else {}
    return character.replace(shapes={**character.shapes, **made}, extras={**character.extras, "gltf": kept})


def shape_names(kept: Mapping[str, Any]) -> Callable[[str, Any, Any], str | None]:
    """What names a morph target: of a "node" or a "mesh", by its number in the file, and that of the target."""
    names_of: dict[tuple[str, int], list[str]] = {}
    for node, mesh, names in kept.get("drawn", []):
        names_of |= {("node", node): names, ("mesh", mesh): names}

    def name(kind: str, number: Any, index: Any) -> str | None:
        names = names_of.get((kind, number), []) if type(number) is int else []
        return str(names[index]) if type(index) is int and 0 <= index < len(names) else None

    return name
