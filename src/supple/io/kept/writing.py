"""What was kept of a glTF, written into a new one under the numbers that things have there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.character.character import Character
from supple.io.gltf_out.container import Glb
from supple.io.gltf_out.materials import GlbTextures
from supple.io.kept import vrm
from supple.io.kept.attachments import LIGHTS, add_attachments
from supple.io.kept.reading import shape_names


def kept_of(character: Character) -> Mapping[str, Any]:
    """What a glTF brought along; nothing where the character came from elsewhere."""
    kept = character.extras.get("gltf")
    return kept if isinstance(kept, Mapping) else {}


def is_vrm(character: Character) -> bool:
    """Whether a character came from a VRM."""
    extensions = kept_of(character).get("extensions", {})
    return vrm.OLD in extensions or vrm.NEW in extensions


def written_shapes(character: Character) -> list[str]:
    """The shapes that become morph targets: all but expressions of a VRM that no clip moves, which it says itself."""
    derived = set(kept_of(character).get("expressions", ())) if is_vrm(character) else set()
    moved = {shape for motion in character.motions.values() for shape in motion.shapes}
    return [shape for shape in character.shapes if shape not in derived or shape in moved]


def add_kept(
    glb: Glb, character: Character, tops: list[int], drawn_by: int, shapes: list[str], textures: GlbTextures
) -> None:
    """Add who made it, nodes that are no joints, and VRM; `tops` are the nodes in the scene, and may grow."""
    kept = kept_of(character)
    glb.scene["asset"] |= {
        name: value for name, value in kept.get("asset", {}).items() if name not in glb.scene["asset"]
    }
    names = character.skeleton.names
    new_node = add_attachments(glb.scene, kept.get("attachments", ()), names, tops)
    if LIGHTS in glb.scene.get("extensions", {}):
        glb.use(LIGHTS)
    for given in kept.get("attachments", ()):
        glb.use(*given.get("extensions", {}))
    if not kept.get("extensions"):
        return
    number_of = {name: number for number, name in enumerate(names)}
    for node, joint in enumerate(kept.get("node_joints", ())):
        if joint in number_of:
            new_node[node] = number_of[joint]
    nodes, meshes = {row[0] for row in kept.get("drawn", [])}, {row[1] for row in kept.get("drawn", [])}
    named, target_of = shape_names(kept), {name: number for number, name in enumerate(shapes)}

    def shape(kind: str, number: Any, index: Any) -> int | None:
        return target_of.get(named(kind, number, index) or "")

    def picture(kind: str, number: Any) -> int | None:
        entry = kept.get("pictures", {}).get(f"{kind} {number}")
        found = None if entry is None else vrm.picture_of(entry, character)
        if found is None:
            return None
        return textures.image(found) if kind == "image" else textures.number(found)

    worn = [int(number) for number in kept.get("materials", ())]
    count = len(glb.scene["materials"])
    numbers = vrm.Numbers(
        node=lambda number: new_node.get(number) if isinstance(number, int) else None,
        mesh_node=lambda number: drawn_by if type(number) is int and number in nodes else None,
        mesh=lambda number: 0 if type(number) is int and number in meshes else None,
        shape_of_node=lambda node, index: shape("node", node, index),
        shape_of_mesh=lambda mesh, index: shape("mesh", mesh, index),
        materials=tuple(worn[row] if row < len(worn) else -1 for row in range(count)),
        texture=lambda number: picture("texture", number),
        image=lambda number: picture("image", number),
    )
    made = vrm.renumbered(kept["extensions"], numbers)
    glb.scene.setdefault("extensions", {}).update(made)
    glb.use(*made)
