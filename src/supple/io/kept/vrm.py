"""VRM 0.x and 1.0: licence, humanoid, expressions, first person, look-at, springs and colliders, kept as they stand.

The JSON of a VRM names nodes, meshes, shapes, materials and pictures by number. It is kept as it stands, beside tables
of what those numbers meant; when it is written, they become the numbers that these things have in the new file.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from supple.character.character import Character
from supple.character.materials import Texture
from supple.errors import InputError
from supple.io.gltf.document import Document, Fields
from supple.io.gltf.materials import Materials

OLD, NEW, SPRINGS = "VRM", "VRMC_vrm", "VRMC_springBone"
NAMES = (OLD, NEW, SPRINGS)
Number = Callable[[Any], int | None]


@dataclass(frozen=True)
class Numbers:
    """The new numbers of things by their old ones: None is gone.

    `mesh_node` is that of a node that shows a mesh, `shape_of_node` and `shape_of_mesh` those of the shapes of either,
    and `materials` the old numbers of all materials in their new order, -1 for one that is new.
    """

    node: Number
    mesh_node: Number
    mesh: Number
    shape_of_node: Callable[[Any, Any], int | None]
    shape_of_mesh: Callable[[Any, Any], int | None]
    materials: tuple[int, ...]
    texture: Number
    image: Number

    def material(self, number: Any) -> int | None:
        """The new number of a material."""
        return self.materials.index(number) if number in self.materials else None


def bones(document: Document) -> dict[str, int]:
    """The nodes of the humanoid by the names of their bones; empty where the file is no VRM."""
    extensions = document.mapping(document.root, "extensions", "the file")
    found: dict[str, Any] = {}
    for extension in (NEW, "VRMC_vrm_animation"):
        listed = _object(_object(extensions.get(extension)).get("humanoid")).get("humanBones")
        found |= {name: _object(bone).get("node") for name, bone in _object(listed).items()}
    old = _object(_object(extensions.get(OLD)).get("humanoid")).get("humanBones")
    found |= {str(bone.get("bone")): bone.get("node") for bone in _objects(old)}
    count = len(document.items("nodes"))
    return {name: node for name, node in found.items() if type(node) is int and 0 <= node < count}


def spring_nodes(document: Document) -> set[int]:
    """The nodes that springs move, and those that colliders stand on."""
    extensions = document.mapping(document.root, "extensions", "the file")
    second = _object(_object(extensions.get(OLD)).get("secondaryAnimation"))
    springs = _object(extensions.get(SPRINGS))
    found = [node for group in _objects(second.get("boneGroups")) for node in _listed(group.get("bones"))]
    found += [
        joint.get("node") for spring in _objects(springs.get("springs")) for joint in _objects(spring.get("joints"))
    ]
    count = len(document.items("nodes"))
    return {node for node in found if type(node) is int and 0 <= node < count}


def expressions(
    extensions: Mapping[str, Any], shape: Callable[[str, Any, Any], str | None]
) -> dict[str, dict[str, float]]:
    """Shares of shapes, by their names, of every expression that blends some in.

    `shape` names the shape of a morph target: "node" or "mesh", its number, and that of the target.
    """
    found: dict[str, dict[str, float]] = {}
    for name, kind, scale, binds in _expressions(extensions):
        shares: dict[str, float] = {}
        for bind in binds:
            share, which = bind.get("weight", 1.0), shape(kind, bind.get(kind), bind.get("index"))
            if which is not None and type(share) in (int, float) and 0.0 < share < 1e6:
                shares[which] = max(shares.get(which, 0.0), scale * share)
        if shares:
            found[name] = shares
    return found


def _expressions(extensions: Mapping[str, Any]) -> Iterator[tuple[str, str, float, list[Fields]]]:
    """Name, what its binds name, what their weights are multiplied by, and the binds, of every expression."""
    groups = _object(_object(extensions.get(NEW)).get("expressions"))
    for group in ("preset", "custom"):
        for name, fields in _object(groups.get(group)).items():
            yield name, "node", 1.0, _objects(_object(fields).get("morphTargetBinds"))
    master = _object(_object(extensions.get(OLD)).get("blendShapeMaster"))
    for fields in _objects(master.get("blendShapeGroups")):
        yield str(fields.get("name")), "mesh", 0.01, _objects(fields.get("binds"))


def read_pictures(document: Document, character: Character) -> dict[str, Fields]:
    """The pictures that a VRM names by number: where a material has the same, that one; else its bytes."""
    extensions = document.mapping(document.root, "extensions", "the file")
    images = [_object(_object(extensions.get(NEW)).get("meta")).get("thumbnailImage")]
    old = _object(extensions.get(OLD))
    textures = [_object(old.get("meta")).get("texture")]
    for fields in _objects(old.get("materialProperties")):
        textures += _object(fields.get("textureProperties")).values()
    read = Materials(document)
    owners = {
        (picture.name, picture.data): [number, slot]
        for number, material in enumerate(character.materials)
        for slot, picture in material.textures.items()
    }
    found: dict[str, Fields] = {}
    for kind, numbers, count in (
        ("image", images, len(document.items("images"))),
        ("texture", textures, len(document.items("textures"))),
    ):
        for number in sorted({n for n in numbers if type(n) is int and 0 <= n < count}):
            picture = read.image(number) if kind == "image" else read.texture(number, f"{kind}s[{number}]")
            if picture is None:
                continue
            owner = owners.get((picture.name, picture.data))
            document.spend(0 if owner else 2 * len(picture.data), f"{kind}s[{number}]")
            found[f"{kind} {number}"] = (
                {"of": owner}
                if owner
                else {
                    "name": picture.name,
                    "data": base64.b64encode(picture.data).decode(),
                    "sampler": [list(pair) for pair in picture.sampler],
                }
            )
    return found


def picture_of(kept: Mapping[str, Any], character: Character) -> Texture | None:
    """A picture that `read_pictures` kept; None where it is gone."""
    if "of" in kept:
        number, slot = kept["of"]
        materials = character.materials
        return materials[number].textures.get(slot) if number < len(materials) else None
    try:
        sampler = tuple((str(key), int(value)) for key, value in kept.get("sampler", []))
        return Texture(str(kept["name"]), base64.b64decode(kept["data"]), sampler)
    except (InputError, ValueError, KeyError, TypeError):
        return None


def renumbered(extensions: Mapping[str, Any], numbers: Numbers) -> dict[str, Any]:
    """The JSON of a VRM with the numbers of a new file; what names something that is gone is left out."""
    made = {name: copy.deepcopy(value) for name, value in extensions.items() if name in NAMES}
    _renumber_old(_object(made.get(OLD)), numbers)
    _renumber_new(_object(made.get(NEW)), numbers)
    springs = _object(made.get(SPRINGS))
    _set(_objects(springs.get("colliders")), "node", numbers.node)
    for spring in _objects(springs.get("springs")):
        _set([spring], "center", numbers.node)
        _filter(spring, "joints", "node", numbers.node)
    return made


def _renumber_new(fields: Fields, numbers: Numbers) -> None:
    humanoid = _object(fields.get("humanoid"))
    listed = _object(humanoid.get("humanBones"))
    _set(list(filter(None, map(_object, listed.values()))), "node", numbers.node)
    for name in [name for name, bone in listed.items() if "node" not in _object(bone)]:
        del listed[name]
    _annotate(_object(fields.get("firstPerson")), "node", numbers.mesh_node, "type", "auto")
    meta = _object(fields.get("meta"))
    _set([meta], "thumbnailImage", numbers.image)
    groups = _object(fields.get("expressions"))
    for expression in (_object(v) for group in ("preset", "custom") for v in _object(groups.get(group)).values()):
        _rebind(expression, "morphTargetBinds", "node", numbers.mesh_node, numbers.shape_of_node)
        for key in ("materialColorBinds", "textureTransformBinds"):
            _filter(expression, key, "material", numbers.material)


def _renumber_old(fields: Fields, numbers: Numbers) -> None:
    humanoid = _object(fields.get("humanoid"))
    _filter(humanoid, "humanBones", "node", numbers.node)
    first = _object(fields.get("firstPerson"))
    _set([first], "firstPersonBone", numbers.node, gone=-1)
    _annotate(first, "mesh", numbers.mesh, "firstPersonFlag", "Auto")
    for group in _objects(_object(fields.get("blendShapeMaster")).get("blendShapeGroups")):
        _rebind(group, "binds", "mesh", numbers.mesh, numbers.shape_of_mesh)
    second = _object(fields.get("secondaryAnimation"))
    for group in _objects(second.get("boneGroups")):
        _set([group], "center", numbers.node, gone=-1)
        group["bones"] = [n for n in map(numbers.node, _listed(group.get("bones"))) if n is not None]
    _set(_objects(second.get("colliderGroups")), "node", numbers.node)
    _set([_object(fields.get("meta"))], "texture", numbers.texture)
    looks = _objects(fields.get("materialProperties"))
    if looks:
        plain = {"name": "skin", "shader": "VRM_USE_GLTFSHADER", "renderQueue": -1}
        fields["materialProperties"] = [looks[n] if 0 <= n < len(looks) else plain for n in numbers.materials]
    for material in looks:
        names = _object(material.get("textureProperties"))
        for name in list(names):
            _set([names], name, numbers.texture)


def _set(rows: list[Fields], key: str, number: Number, *, gone: int | None = None) -> None:
    """Renumber what stands under the key; what is gone is left out, or becomes `gone`."""
    for fields in rows:
        if key not in fields:
            continue
        new = number(fields.pop(key))
        if new is not None or gone is not None:
            fields[key] = gone if new is None else new


def _filter(fields: Fields, listed: str, key: str, number: Number) -> None:
    """Renumber a list of objects, without those that name what is gone."""
    if listed in fields:
        rows = _objects(fields[listed])
        _set(rows, key, number)
        fields[listed] = [row for row in rows if key in row]


def _annotate(fields: Fields, key: str, number: Number, flag: str, usual: str) -> None:
    """What is seen in first person; all meshes are one in the new file, and say the usual where they differed."""
    _filter(fields, "meshAnnotations", key, number)
    rows = _objects(fields.get("meshAnnotations"))
    if len(rows) > 1:
        same = all(row.get(flag) == rows[0].get(flag) for row in rows)
        fields["meshAnnotations"] = [rows[0] if same else {**rows[0], flag: usual}]


def _rebind(fields: Fields, listed: str, key: str, number: Number, shape: Callable[[Any, Any], int | None]) -> None:
    """Renumber what an expression blends in."""
    if listed not in fields:
        return
    kept = []
    for bind in _objects(fields[listed]):
        owner, index = number(bind.get(key)), shape(bind.get(key), bind.get("index"))
        made = {**bind, key: owner, "index": index}
        if owner is not None and index is not None and made not in kept:
            kept.append(made)
    fields[listed] = kept


def _object(value: Any) -> Fields:
    return value if isinstance(value, dict) else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> list[Fields]:
    return [item for item in _listed(value) if isinstance(item, dict)]
