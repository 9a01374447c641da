"""The meshes, weights and clips of a USD stage as one character."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.weights import Weights
from supple.errors import FormatError, InputError, SuppleWarning
from supple.io.surfaces.surface import Surface, concatenate
from supple.io.surfaces.unrigged import unrigged_character
from supple.io.usd.layers import read_layers
from supple.io.usd.library import from_matrices, usd
from supple.io.usd.material_reader import Materials
from supple.io.usd.mesh_prim import COMPUTED, PART
from supple.io.usd.rig_reader import UsdRig
from supple.io.usd.stage_reader import OpenStage, open_stage, refusing
from supple.motion.motion import Motion

_ADVICE = "export it again, or load with repair=True"


@dataclass(eq=False)
class _Piece:
    """One mesh of the stage in our space: a point p is bound at `ours_from_prim geomBind p`."""

    name: str
    points: FloatArray
    surface: Surface
    joints: IntArray | None
    values: FloatArray | None
    maps: dict[str, FloatArray] = field(default_factory=dict)
    parts: dict[str, IntArray] = field(default_factory=dict)
    shapes: dict[str, FloatArray] = field(default_factory=dict)


def stage_character(path: Path, *, repair: bool) -> Character:
    """Read all meshes of a stage as one character, in metres and y up, with all clips.

    Where there are several meshes each becomes a part. Meshes that no skeleton moves ride on the first joint. Quads
    and texture coordinates (primvar st) are kept, blend shapes become shapes and UsdPreviewSurface materials; other
    shaders, subdivision and shapes in between are left out.
    """
    with refusing(path):
        character = _character(path, repair=repair)
    if character is None:
        given = "the file is well formed and holds no mesh that is drawn"
        advice = "export the mesh together with its skeleton, or load it with supple.load_motion"
        raise InputError(str(path), given, "a character needs a mesh", advice)
    return character


def stage_motion(path: Path) -> Motion:
    """The clip that plays, or the first there is, on its own skeleton."""
    with refusing(path):
        rig = UsdRig(open_stage(path))
        motions = rig.motions() if rig.skeletons else {}
    if not motions:
        given = "the file is well formed and holds no skeleton with a clip"
        raise InputError(str(path), given, "a motion needs a SkelAnimation", "export the animation too")
    return next(iter(motions.values()))


def _character(path: Path, *, repair: bool) -> Character | None:
    opened = open_stage(path)
    rig = UsdRig(opened)
    notes: list[str] = []
    materials = Materials(path, notes)
    pieces = _pieces(opened, rig, materials, notes)
    if not pieces:
        return None
    points = np.concatenate([piece.points for piece in pieces])
    if not np.isfinite(points).all():
        raise FormatError(str(path), "a point is not finite", "finite numbers are needed", "export it again")
    surface = concatenate([(piece.surface, len(piece.points)) for piece in pieces])
    parts, maps, shapes = _named(pieces, len(points))
    material_indices = surface.materials_of_triangles()
    if not rig.skeletons:
        _say(notes, path)
        plain = unrigged_character(points, surface, path, parts=parts)
        return plain.replace(maps=maps, shapes=shapes, materials=materials.found, material_of_triangle=material_indices)
    weights = _weights(pieces, rig, notes, str(path), repair=repair)
    _say(notes, path)
    prim = opened.stage.GetDefaultPrim()
    return Character(
        points,
        surface.triangles(),
        rig.skeleton,
        weights,
        name=(prim.GetDisplayName() or prim.GetName()) if prim else path.stem,
        parts=parts,
        maps=maps,
        shapes=shapes,
        motions=rig.motions(),
        polygons=surface.polygons(),
        display=surface.display(),
        materials=materials.found,
        material_of_triangle=material_indices,
    )


def _say(notes: list[str], path: Path) -> None:
    if notes:
        warnings.warn(f"{path.name}: {'; '.join(dict.fromkeys(notes))}", SuppleWarning, stacklevel=5)


def _pieces(opened: OpenStage, rig: UsdRig, materials: Materials, notes: list[str]) -> list[_Piece]:
    UsdGeom = usd("UsdGeom", opened.where)
    found = []
    for prim in opened.prims():
        if prim.IsA(UsdGeom.Mesh):
            image = UsdGeom.Imageable(prim)
            hidden = image.ComputeVisibility() == UsdGeom.Tokens.invisible
            if hidden or image.ComputePurpose() not in (UsdGeom.Tokens.default_, UsdGeom.Tokens.render):
                notes.append(f"{prim.GetName()} is hidden and was left out")
                continue
            piece = _piece(prim, opened, rig, notes)
            material_indices = materials.materials_of(UsdGeom.Mesh(prim), len(piece.surface.counts))
            piece.surface = replace(piece.surface, material_indices=material_indices)
            found.append(piece)
    return found


def _piece(prim: Any, opened: OpenStage, rig: UsdRig, notes: list[str]) -> _Piece:
    Usd, UsdGeom, UsdSkel = (usd(name, opened.where) for name in ("Usd", "UsdGeom", "UsdSkel"))
    where = f"{opened.where} {prim.GetPath()}"
    mesh = UsdGeom.Mesh(prim)
    first = Usd.TimeCode.EarliestTime()
    points = np.array(mesh.GetPointsAttr().Get(first) or [], dtype=np.float64).reshape(-1, 3)
    surface = _surface(mesh, len(points), where, first)
    placed = opened.ours_from_prim(prim)
    joints = values = None
    skeleton = UsdSkel.BindingAPI(prim).GetInheritedSkeleton()
    owner = rig.skeletons.get(str(skeleton.GetPath())) if skeleton else None
    if owner is not None:
        joints, values, bound = _influences(prim, owner, len(points), where, notes)
        if joints is not None:
            placed = opened.ours_from_prim(owner.prim) @ bound
    if np.linalg.det(placed[:3, :3]) < 0.0:
        surface = surface.reversed()
    surface = surface.placed(placed)
    with np.errstate(all="ignore"):  # what is not finite is refused when all meshes are there
        moved = points @ placed[:3, :3].T + placed[:3, 3]
    piece = _Piece(prim.GetName(), moved, surface, joints, values)
    _read_named(mesh, piece)
    for name, offsets in _shapes(prim, len(points), where, notes).items():
        piece.shapes[name] = offsets @ placed[:3, :3].T
    return piece


def _surface(mesh: Any, points: int, where: str, first: Any) -> Surface:
    UsdGeom = usd("UsdGeom", where)
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get(first) or [], dtype=np.int32)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(first) or [], dtype=np.int32)
    Surface(counts, corners).check(points, where)
    surface = _textured(mesh, counts, corners, where)
    surface = replace(surface, layers=read_layers(mesh, surface, computed=COMPUTED))
    return surface.reversed() if mesh.GetOrientationAttr().Get(first) == UsdGeom.Tokens.leftHanded else surface


def _textured(mesh: Any, counts: IntArray, corners: IntArray, where: str) -> Surface:
    """Texture coordinates st, or the first there are, when they fit."""
    UsdGeom = usd("UsdGeom", where)
    primvars = [p for p in UsdGeom.PrimvarsAPI(mesh).GetPrimvarsWithValues() if "texCoord2" in str(p.GetTypeName())]
    primvars.sort(key=lambda p: p.GetPrimvarName() != "st")
    for primvar in primvars:
        uvs = np.array(primvar.Get(), dtype=np.float64).reshape(-1, 2)
        rows = np.array(primvar.GetIndices(), dtype=np.int32) if primvar.IsIndexed() else np.arange(len(uvs))
        if primvar.GetInterpolation() in (UsdGeom.Tokens.vertex, UsdGeom.Tokens.varying):
            if len(corners) and int(corners.max()) >= len(rows):
                continue
            rows = rows[corners]
        fits = len(rows) == len(corners) and len(uvs) > 0 and np.isfinite(uvs).all()
        if fits and int(rows.min()) >= 0 and int(rows.max()) < len(uvs):
            return Surface(counts, corners, uvs, rows.astype(np.int32))
    return Surface(counts, corners)


def _influences(
    prim: Any, owner: Any, count: int, where: str, notes: list[str]
) -> tuple[IntArray | None, FloatArray | None, FloatArray]:
    """Joint numbers on the merged skeleton and values (V, K), and the transform that the mesh was bound with."""
    UsdGeom = usd("UsdGeom", where)
    primvars = UsdGeom.PrimvarsAPI(prim)
    indices, weights = (
        primvars.FindPrimvarWithInheritance(f"skel:{name}") for name in ("jointIndices", "jointWeights")
    )
    if not (indices and indices.HasValue() and weights and weights.HasValue()):
        return None, None, np.eye(4)
    if str(_inherited(prim, "primvars:skel:skinningMethod")) == "dualQuaternion":
        notes.append(f"{prim.GetName()} asks for dual quaternions; choose the skin yourself")
    joints = np.array(_array(indices.ComputeFlattened()), dtype=np.int64)
    values = np.array(_array(weights.ComputeFlattened()), dtype=np.float64)
    rigid = indices.GetInterpolation() == UsdGeom.Tokens.constant
    size = int(indices.GetElementSize())
    shape = (1 if rigid else count, size)
    if size < 1 or joints.size != shape[0] * size or values.size != joints.size:
        given = f"it has {joints.size} joint indices and {values.size} weights"
        raise FormatError(where, given, f"{shape[0]} x {size} are needed", "export it again")
    joints = np.broadcast_to(joints.reshape(shape), (count, size)).copy()
    values = np.broadcast_to(values.reshape(shape), (count, size)).copy()
    order = _inherited(prim, "skel:joints")
    index_of = (
        np.arange(len(owner.paths))
        if order is None
        else np.array([owner.number.get(str(token), -1) for token in order], dtype=np.int64)
    )
    known = (joints >= 0) & (joints < len(index_of))
    mapped = np.where(known, index_of[np.where(known, joints, 0)], -1) if len(index_of) else np.full(joints.shape, -1)
    numbers = np.where(mapped >= 0, mapped + owner.first, np.iinfo(np.int32).max)  # beyond all joints: none
    unused = (numbers == np.iinfo(np.int32).max) & (values == 0.0)
    bound = _inherited(prim, "primvars:skel:geomBindTransform")
    placed = np.eye(4) if bound is None else from_matrices([bound])[0]
    return np.where(unused, 0, numbers).astype(np.int32), values, placed


def _shapes(prim: Any, count: int, where: str, notes: list[str]) -> dict[str, FloatArray]:
    """Offsets (V, 3) of the blend shapes that the mesh names, in its own space."""
    UsdSkel = usd("UsdSkel", where)
    binding = UsdSkel.BindingAPI(prim)
    names = [str(token) for token in _array(binding.GetBlendShapesAttr().Get())]
    targets = binding.GetBlendShapeTargetsRel().GetTargets()
    found: dict[str, FloatArray] = {}
    for name, path in zip(names, targets, strict=False):
        shape = UsdSkel.BlendShape(prim.GetStage().GetPrimAtPath(path))
        if not shape:
            continue
        offsets = np.array(_array(shape.GetOffsetsAttr().Get()), dtype=np.float64).reshape(-1, 3)
        moved = np.array(_array(shape.GetPointIndicesAttr().Get()), dtype=np.int64)
        moved = moved if len(moved) else np.arange(len(offsets))
        fits = len(moved) == len(offsets) and (not len(moved) or 0 <= int(moved.min()) <= int(moved.max()) < count)
        if not fits or not np.isfinite(offsets).all():
            given = f"blend shape {name} does not fit its mesh"
            raise FormatError(where, given, f"offsets for {count} points are needed", "export it again")
        if shape.GetInbetweens():
            notes.append(f"the shapes in between of {name} were left out")
        found[name] = np.zeros((count, 3))
        found[name][moved] = offsets
    if len(found) < len(names):
        notes.append(f"{len(names) - len(found)} blend shapes of {prim.GetName()} lead nowhere and were left out")
    return found


def _inherited(prim: Any, name: str) -> Any:
    """What the nearest prim on the way up says under this name; None if none does."""
    while prim and not prim.IsPseudoRoot():
        attribute = prim.GetAttribute(name)
        if attribute and attribute.HasAuthoredValue():
            return attribute.Get()
        prim = prim.GetParent()
    return None


def _array(value: Any) -> Any:
    return [] if value is None else value


def _read_named(mesh: Any, piece: _Piece) -> None:
    """Painted maps (floats, one a point) and parts (subsets of points)."""
    UsdGeom = usd("UsdGeom", piece.name)
    for primvar in UsdGeom.PrimvarsAPI(mesh).GetPrimvarsWithValues():
        name = str(primvar.GetPrimvarName())
        if primvar.GetTypeName() == "float[]" and primvar.GetElementSize() == 1 and not name.startswith("skel:"):
            flat = primvar.ComputeFlattened()
            values = np.array([] if flat is None else flat, dtype=np.float64)  # one that only changes is no painted map
            whole = primvar.GetInterpolation() in (UsdGeom.Tokens.vertex, UsdGeom.Tokens.varying)
            if whole and len(values) == len(piece.points) and np.isfinite(values).all():
                piece.maps[primvar.GetAttr().GetDisplayName() or name] = values
    for subset in UsdGeom.Subset.GetGeomSubsets(mesh, UsdGeom.Tokens.point, PART):
        prim = subset.GetPrim()
        vertices = np.array(subset.GetIndicesAttr().Get() or [], dtype=np.int32)
        if len(vertices) == 0 or 0 <= int(vertices.min()) <= int(vertices.max()) < len(piece.points):
            piece.parts[prim.GetDisplayName() or prim.GetName()] = vertices


def _named(
    pieces: list[_Piece], count: int
) -> tuple[dict[str, IntArray], dict[str, FloatArray], dict[str, FloatArray]]:
    """Parts, maps and shapes of all meshes on all points; meshes that use one name share it."""
    shapes: dict[str, FloatArray] = {}
    parts: dict[str, IntArray] = {}
    maps: dict[str, FloatArray] = {}
    first = 0
    for piece in pieces:
        here = np.arange(first, first + len(piece.points), dtype=np.int32)
        named = {name: vertices + first for name, vertices in piece.parts.items()}
        if len(pieces) > 1:
            named = {piece.name: here} | named
        for name, vertices in named.items():
            parts[name] = np.concatenate([parts[name], vertices]) if name in parts else vertices
        for name, values in piece.maps.items():
            maps.setdefault(name, np.zeros(count))[here] = values
        for name, offsets in piece.shapes.items():
            shapes.setdefault(name, np.zeros((count, 3)))[here] = offsets
        first += len(piece.points)
    return parts, maps, shapes


def _weights(pieces: list[_Piece], rig: UsdRig, notes: list[str], where: str, *, repair: bool) -> Weights:
    """Weights of all meshes side by side; a mesh that no skeleton moves rides on joint 0."""
    wide = max((piece.joints.shape[1] for piece in pieces if piece.joints is not None), default=1)
    joints = [np.zeros((len(piece.points), wide), dtype=np.int32) for piece in pieces]
    values = [np.zeros((len(piece.points), wide)) for piece in pieces]
    for piece, index, value in zip(pieces, joints, values, strict=True):
        if piece.joints is None or piece.values is None:
            value[:, 0] = 1.0
            notes.append(f"{piece.name} has no weights and rides on {rig.skeleton.names[0]}")
        else:
            index[:, : piece.joints.shape[1]], value[:, : piece.values.shape[1]] = piece.joints, piece.values
    all_joints, all_values = np.concatenate(joints), np.concatenate(values)
    if repair:
        weights, report = Weights.repaired(all_joints, all_values, joint_count=len(rig.skeleton))
        notes.extend(report)
        return weights
    used = all_joints[all_values > 0.0]
    if used.size and int(used.max()) >= len(rig.skeleton):
        given = "weights name a joint that its skeleton does not have"
        raise FormatError(where, given, f"there are {len(rig.skeleton)} joints", _ADVICE)
    return Weights(np.where(all_joints < len(rig.skeleton), all_joints, 0), all_values)
