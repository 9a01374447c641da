"""A character as UsdSkel: a SkelRoot that holds the mesh, the skeleton, and every motion as a SkelAnimation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry import quaternions
from supple.io.usd.library import matrices, name_for, new_stage, numbers, singles, usd, vectors
from supple.io.usd.material_writer import Wardrobe
from supple.io.usd.mesh_prim import MeshPrim
from supple.motion.motion import Motion
from supple.names import UNDERLINED, unique

TAILS, LOOP, STRIDE = "supple:tails", "supple:loop", "supple:stride"
"""Custom attributes: where bones end, of a skeleton; whether a clip starts over, and how far its roots go on."""


def write_character(character: Character, path: Path) -> None:
    """Write mesh, skeleton, all influences and all motions; the first motion is the one that plays.

    Joint names with signs that USD paths cannot have are kept as `jointNames`. Scales of joints are stored in half
    precision, as UsdSkel does. The stage plays at the rate of the first motion; others keep their timing. Pictures of
    materials lie in a folder beside the file: hero.usdc has hero_textures. Tails of joints and motions that start over
    are written under names of our own (`supple:tails`, `supple:loop`, `supple:stride`).
    """
    UsdSkel = usd("UsdSkel", str(path))
    with new_stage(path) as stage:
        name = name_for(character.name)
        root = UsdSkel.Root.Define(stage, f"/{name}")
        root.GetPrim().SetDisplayName(character.name)
        stage.SetDefaultPrim(root.GetPrim())
        mesh = MeshPrim(stage, f"/{name}/Mesh", character)
        mesh.set_points(character.points)
        Wardrobe(stage, f"/{name}", path).dress(mesh.mesh, tuple(character.materials), mesh.surface.material_indices)
        order = _parents_first(character.skeleton)
        skeleton = _define_skeleton(stage, f"/{name}/Skeleton", character.skeleton, order)
        if character.weights is not None:
            _bind(mesh.mesh.GetPrim(), skeleton, character.weights, order)
        _write_shapes(stage, mesh.mesh.GetPrim(), skeleton, character.shapes)
        _write_motions(stage, skeleton, character.motions, order)


def _bind(prim: Any, skeleton: Any, weights: Weights, order: np.ndarray) -> None:
    """Tie the mesh to the joints, as many influences a point as there are."""
    UsdSkel, Gf = usd("UsdSkel", "weights"), usd("Gf", "weights")
    binding = UsdSkel.BindingAPI.Apply(prim)
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    index_of = np.empty(len(order), dtype=np.int32)
    index_of[order] = np.arange(len(order))
    used = weights.influences
    values = weights.values[:, :used]
    joints = np.where(values > 0.0, index_of[np.where(values > 0.0, weights.joints[:, :used], 0)], 0)
    binding.CreateJointIndicesPrimvar(constant=False, elementSize=used).Set(numbers(joints.ravel()))
    binding.CreateJointWeightsPrimvar(constant=False, elementSize=used).Set(singles(values.ravel()))


def _write_shapes(stage: Any, prim: Any, skeleton: Any, shapes: Mapping[str, FloatArray]) -> None:
    """Shapes as blend shapes below the mesh; a clip names them as the mesh does."""
    if not shapes:
        return
    UsdSkel = usd("UsdSkel", "shapes")
    targets = []
    for number, (name, offsets) in enumerate(shapes.items()):
        target = UsdSkel.BlendShape.Define(stage, f"{prim.GetPath()}/{name_for(f'shape{number}_{name}')}")
        target.CreateOffsetsAttr(vectors(offsets))
        targets.append(target.GetPath())
    binding = UsdSkel.BindingAPI.Apply(prim)
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateBlendShapesAttr(list(shapes))
    binding.CreateBlendShapeTargetsRel().SetTargets(targets)


def write_motion(motion: Motion, path: Path) -> None:
    """Write a clip with the skeleton it moves, and no mesh."""
    with new_stage(path) as stage:
        stage.SetDefaultPrim(add_skeleton(stage, "/Motion", motion))


def add_skeleton(stage: Any, path: str, motion: Motion) -> Any:
    """Define a SkelRoot that holds a skeleton and the clip that moves it; returns its prim."""
    root = usd("UsdSkel", path).Root.Define(stage, path)
    order = _parents_first(motion.skeleton)
    skeleton = _define_skeleton(stage, f"{path}/Skeleton", motion.skeleton, order)
    _write_motions(stage, skeleton, {motion.name: motion}, order)
    return root.GetPrim()


def _parents_first(skeleton: Skeleton) -> np.ndarray:
    """The joints as UsdSkel wants them, no child before its parent; as they are, where they already stand so."""
    if (skeleton.parents < np.arange(len(skeleton))).all():
        return np.arange(len(skeleton))
    return np.concatenate(skeleton.levels)


def _joint_paths(skeleton: Skeleton, order: np.ndarray) -> list[str]:
    """Paths such as Hips/Spine/Head, in `order`; names that would clash below one parent get a number."""
    below: dict[int, list[int]] = {}
    for joint in order.tolist():
        below.setdefault(int(skeleton.parents[joint]), []).append(joint)
    own: dict[int, str] = {}
    for siblings in below.values():
        names = unique((name_for(skeleton.names[joint]) for joint in siblings), form=UNDERLINED)
        own |= dict(zip(siblings, names, strict=True))
    paths: dict[int, str] = {}
    for joint in order.tolist():
        parent = int(skeleton.parents[joint])
        paths[joint] = f"{paths[parent]}/{own[joint]}" if parent >= 0 else own[joint]
    return [paths[joint] for joint in order.tolist()]


def _define_skeleton(stage: Any, path: str, skeleton: Skeleton, order: np.ndarray) -> Any:
    UsdSkel = usd("UsdSkel", path)
    prim = UsdSkel.Skeleton.Define(stage, path)
    prim.CreateJointsAttr(_joint_paths(skeleton, order))
    prim.CreateJointNamesAttr([skeleton.names[joint] for joint in order.tolist()])
    prim.CreateBindTransformsAttr(matrices(skeleton.world_from_joint[order]))
    prim.CreateRestTransformsAttr(matrices(skeleton.parent_from_joint[order]))
    if skeleton.tails is not None:
        kind = usd("Sdf", path).ValueTypeNames.Point3fArray
        prim.GetPrim().CreateAttribute(TAILS, kind, True).Set(vectors(skeleton.tails[order]))  # noqa: FBT003 - custom
    return prim


def _write_motions(stage: Any, skeleton: Any, motions: Mapping[str, Motion], order: np.ndarray) -> None:
    UsdSkel, Vt = usd("UsdSkel", "motions"), usd("Vt", "motions")
    rate = next((motion.fps for motion in motions.values()), 0.0)
    last = 0.0
    names = unique(map(name_for, motions), form=UNDERLINED)
    for name, (title, motion) in zip(names, motions.items(), strict=True):
        clip = UsdSkel.Animation.Define(stage, f"{skeleton.GetPath()}/{name}")
        clip.GetPrim().SetDisplayName(title)
        clip.CreateJointsAttr(skeleton.GetJointsAttr().Get())
        if motion.loop and motion.stride is not None:
            kinds = usd("Sdf", name).ValueTypeNames
            clip.GetPrim().CreateAttribute(LOOP, kinds.Bool, True).Set(True)  # noqa: FBT003 - custom
            stride = usd("Gf", name).Vec3d(*motion.stride.tolist())
            clip.GetPrim().CreateAttribute(STRIDE, kinds.Vector3d, True).Set(stride)  # noqa: FBT003 - custom
        moves, rotations, scales = clip.CreateTranslationsAttr(), clip.CreateRotationsAttr(), clip.CreateScalesAttr()
        shape_weights = clip.CreateBlendShapeWeightsAttr() if motion.shapes else None
        if motion.shapes:
            clip.CreateBlendShapesAttr(list(motion.shapes))
        if motion.scales is None:
            scales.Set(Vt.Vec3hArray.FromNumpy(np.ones((len(order), 3), dtype=np.float16)))
        unit = quaternions.normalize(motion.rotations)
        for frame in range(motion.frames):
            at = frame * rate / motion.fps
            moves.Set(vectors(motion.translations[frame, order]), at)
            keys = np.ascontiguousarray(unit[frame, order], dtype=np.float32)
            rotations.Set(Vt.QuatfArray.FromNumpy(keys), at)
            if motion.scales is not None:
                halves = np.ascontiguousarray(motion.scales[frame, order], dtype=np.float16)
                scales.Set(Vt.Vec3hArray.FromNumpy(halves), at)
            if shape_weights is not None:
                shape_weights.Set(singles([keys[frame] for keys in motion.shapes.values()]), at)
            last = max(last, at)
        if name == names[0]:
            binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
            binding.CreateAnimationSourceRel().SetTargets([clip.GetPath()])
    if rate:
        stage.SetTimeCodesPerSecond(rate)
        stage.SetFramesPerSecond(rate)
        stage.SetStartTimeCode(0.0)
        stage.SetEndTimeCode(last)
