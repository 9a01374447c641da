"""A character, or a motion alone, from glTF 2.0: .gltf, .glb and .vrm."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.geometry import quaternions
from supple.io.gltf import animation, extras
from supple.io.gltf.accessors import Accessors, as_floats
from supple.io.gltf.assembly import Instance, build_body
from supple.io.gltf.document import Document
from supple.io.gltf.faults import Faults
from supple.io.gltf.meshes import Meshes
from supple.io.gltf.rig import build_rig
from supple.io.gltf.scene import Scene, read_scene
from supple.io.gltf.skins import Skin, read_skins
from supple.io.gltf.soundness import check_all
from supple.io.kept import vrm, vrma
from supple.io.kept.reading import read_kept, with_expressions
from supple.motion.motion import Motion

_COPIES = "EXT_mesh_gpu_instancing"
_HARMLESS = (
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_lights_",
    "KHR_mesh_quantization",
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_mesh_gpu_instancing",
    "VRM",
    "MSFT_texture_",
    "KHR_xmp",
    "KHR_animation_pointer",
)


def read_character(path: Path, *, repair: bool) -> Character:
    """All that the file's scene shows, as one character.

    The rest pose is the one the skins were bound in; the pose the file opens in comes along as the motion "default
    pose" where it differs. Meshes that no skin bends ride on their node, which becomes a joint. Vertices split by seams
    are welded where place, weights and shapes agree.

    Normals, tangents, colours and further texture coordinates stand at the corners of its display. Bones of a VRM are
    joints, whether they carry a mesh or not, and its expressions are shapes. What no skin moves (who made it, sockets,
    cameras, lights, VRM) is kept in `extras`, to be written again.
    """
    faults = Faults(path.name, repair=repair)
    document = Document(path, faults)
    _check_extensions(document)
    accessors = Accessors(document)
    scene = read_scene(document)
    skins = read_skins(document, accessors, scene)
    clips = animation.read_clips(document)
    instances = _instances(document, accessors, scene, skins)
    users = {instance.skin: instance.node for instance in reversed(instances) if instance.skin is not None}
    riders = [instance.node for instance in instances if instance.skin is None]
    riders += _vrm_nodes(document, scene)
    moving = animation.moving_nodes(clips, len(scene))
    rig = extras.restore_tails(document, build_rig(document, scene, skins, users=users, riders=riders, moving=moving))
    meshes = Meshes(document, accessors)
    body = build_body(document, meshes, rig, instances)
    drawn = [(instance.node, instance.mesh, meshes.shape_names(instance.mesh)) for instance in instances]
    shapes_of = {instance.node: meshes.shape_names(instance.mesh) for instance in instances}
    blended = _blended(document, instances, shapes_of)
    motions = animation.motions(document, accessors, scene, rig, clips, shapes_of=shapes_of, blended=blended)
    motions = extras.restore_loops(document, motions, [clip.name for clip in clips])
    opening = animation.default_pose(scene, rig, blended)
    if opening is not None:
        motions.setdefault(opening.name, opening)
    character = Character(
        body.points,
        body.triangles,
        rig.skeleton,
        body.weights,
        name=body.name or path.stem,
        maps=body.maps,
        parts=body.parts,
        motions=motions,
        display=body.display,
        shapes=body.shapes,
        polygons=body.polygons,
        materials=body.materials,
        material_of_triangle=body.material_of_triangle,
        extras={"gltf": read_kept(document, scene, rig, moving, drawn, body.material_numbers)},
    )
    character = with_expressions(document, character)
    faults.tell()
    return character


def read_motion(path: Path) -> Motion:
    """The first clip of a file, on a skeleton of all joints of its skins and all nodes that a clip moves.

    The file needs no mesh. Bind poses count where there are skins; a skeleton without any rests as the file opens.
    Bones of a VRM are joints too; in a VRM animation (.vrma) they bear VRM's names, and shares of expressions come
    along.
    """
    faults = Faults(path.name, repair=False)
    document = Document(path, faults)
    accessors = Accessors(document)
    scene = read_scene(document)
    skins = read_skins(document, accessors, scene)
    clips = animation.read_clips(document)
    moving = animation.moving_nodes(clips, len(scene))
    moving[list(vrma.expression_nodes(document))] = False
    if not moving.any():
        check_all(document)
        raise document.nothing("no clip moves a node", "a motion needs one", "export the animation too")
    users = {number: int(skin.joints[0]) for number, skin in enumerate(skins)}
    riders = sorted({*np.flatnonzero(moving).tolist(), *vrm.bones(document).values()})
    rig = build_rig(document, scene, skins, users=users, riders=riders, moving=moving)
    first = animation.first_motion(document, accessors, scene, extras.restore_tails(document, rig), clips)
    if vrma.EXTENSION in document.mapping(document.root, "extensions", "the file"):
        clip = next(clip for clip in clips if clip.name == first.name)
        first = vrma.named_by_bones(document, vrma.with_shares(document, accessors, first, clip, rig), rig)
    faults.tell()
    return extras.restore_loops(document, {first.name: first}, [clip.name for clip in clips])[first.name]


def _vrm_nodes(document: Document, scene: Scene) -> list[int]:
    """The nodes that a VRM calls bones, and those that its springs move; none in any other file."""
    return sorted(node for node in {*vrm.bones(document).values(), *vrm.spring_nodes(document)} if scene.shown[node])


def _check_extensions(document: Document) -> None:
    for name in document.listing(document.root, "extensionsRequired", "the file"):
        if not isinstance(name, str):
            raise document.error("extensionsRequired", "a name is no text", "names are needed")
        if not name.startswith(_HARMLESS):
            document.faults.note("extensionsRequired", f"{name[:60]} is not known, and what it adds is left out")


def _copies(document: Document, accessors: Accessors, node: int) -> FloatArray | None:
    """Where copies (K, 4, 4) of a node's mesh stand in the space of the node; None where it is drawn once."""
    where = f"nodes[{node}].{_COPIES}"
    extensions = document.mapping(document.item("nodes", node), "extensions", f"nodes[{node}]")
    if _COPIES not in extensions:
        return None
    fields = document.mapping(document.mapping(extensions, _COPIES, where), "attributes", where)
    shapes = {"TRANSLATION": "VEC3", "ROTATION": "VEC4", "SCALE": "VEC3"}
    found = {name: document.index(fields, name, where, of="accessors") for name in shapes}
    numbers = {name: number for name, number in found.items() if number is not None}
    counts = {accessors.count(number) for number in numbers.values()}
    if len(counts) != 1:
        raise document.error(where, "its copies are not equally many", "a place for each is needed")
    (count,) = counts
    document.spend(300 * count, where)
    parts = {
        name: as_floats(accessors.rows(number, f"{where}.{name}", shape=shapes[name]))
        for name, number in numbers.items()
    }
    if not all(np.isfinite(rows).all() for rows in parts.values()):
        raise document.error(where, "its copies are not finite", "a place for each is needed")
    unturned = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    turns = quaternions.normalize(parts.get("ROTATION", unturned))
    turns[~turns.any(axis=1)] = unturned[0]
    placed = quaternions.compose(parts.get("TRANSLATION", np.zeros((count, 3))), turns, parts.get("SCALE"))
    solid = np.asarray(np.abs(np.linalg.det(placed[:, :3, :3])) > 1e-18)
    if not solid.all():
        document.faults.note(where, f"{int((~solid).sum())} copies are scaled to nothing and are left out")
    return placed[solid]


def _instances(document: Document, accessors: Accessors, scene: Scene, skins: list[Skin]) -> list[Instance]:
    """The meshes that the scene shows; a file without any is refused, and told apart from a broken one."""
    found = []
    for node in scene.order.tolist():
        fields = document.item("nodes", node)
        mesh = document.index(fields, "mesh", f"nodes[{node}]", of="meshes")
        skin = document.index(fields, "skin", f"nodes[{node}]", of="skins")
        if mesh is None or not scene.shown[node]:
            continue
        if skin is not None and not scene.shown[skins[skin].joints].any():
            document.faults.mend(
                f"nodes[{node}]",
                "the joints of its skin are outside the scene",
                "they must be inside",
                "they move it from there",
            )
        found.append(Instance(node, mesh, skin, _copies(document, accessors, node)))
    if not found:
        check_all(document)
        raise document.nothing(
            "holds no mesh that is shown", "a character needs a mesh", "export the mesh together with its skeleton"
        )
    return found


def _blended(document: Document, instances: list[Instance], shapes_of: dict[int, list[str]]) -> dict[str, float]:
    """The shares of shapes that the file opens with, by name, without those of zero."""
    found: dict[str, float] = {}
    for instance in instances:
        where = f"nodes[{instance.node}]"
        shares = document.listing(document.item("nodes", instance.node), "weights", where)
        shares = shares or document.listing(
            document.item("meshes", instance.mesh), "weights", f"meshes[{instance.mesh}]"
        )
        for name, share in zip(shapes_of[instance.node], shares, strict=False):
            if type(share) in (int, float) and abs(share) < 1e6 and share:
                found[name] = float(share)
    if found:
        document.faults.note("the file", "it opens with shapes blended in; its motions have their shares")
    return found
