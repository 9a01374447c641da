"""Real characters written as USD with every clip, skinned by USD itself, against our own linear blend."""

import warnings

import numpy as np
import pytest
from test_gltf_blender import FILES, FRAMES, blended

from supple import Pose
from supple.errors import SuppleWarning
from supple.io import load, save

Usd = pytest.importorskip("pxr.Usd")
from pxr import UsdGeom, UsdSkel  # noqa: E402


def skinned_by_usd(root, skeleton, mesh, code) -> np.ndarray:
    """Points of the mesh at a time code: blend shapes first, then joints, as USD's own library has it."""
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query, skinning = cache.GetSkelQuery(skeleton), cache.GetSkinningQuery(mesh.GetPrim())
    points = mesh.GetPointsAttr().Get()
    if skinning.HasBlendShapes() and query.GetAnimQuery():
        shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(mesh.GetPrim()))
        animation = query.GetAnimQuery()
        shares = animation.ComputeBlendShapeWeights(code)
        order = UsdSkel.AnimMapper(animation.GetBlendShapeOrder(), skinning.GetBlendShapeOrder())
        shares = order.Remap(shares)
        weights, kinds, targets = shapes.ComputeSubShapeWeights(shares)
        offsets = [shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets()]
        assert shapes.ComputeDeformedPoints(weights, kinds, targets, *offsets, points)
    assert skinning.ComputeSkinnedPoints(query.ComputeSkinningTransforms(code), points, code)
    return np.array(points)


def errors_against_usd(path, folder) -> dict[str, float]:
    """Largest distance of any point at ten frames, relative to the character's height, by clip."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        character = load(path)
    save(character, folder / "a.usdc")
    stage = Usd.Stage.Open(str(folder / "a.usdc"))
    rate = stage.GetTimeCodesPerSecond()
    mesh = UsdGeom.Mesh(next(prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)))
    skeleton = UsdSkel.Skeleton(next(prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)))
    clips = {prim.GetDisplayName(): prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Animation)}
    assert set(clips) == set(character.motions)
    root = UsdSkel.Root(stage.GetDefaultPrim())
    found, moved = {}, 0.0
    for name, motion in character.motions.items():
        UsdSkel.BindingAPI(skeleton.GetPrim()).GetAnimationSourceRel().SetTargets([clips[name].GetPath()])
        worst, seen = 0.0, []
        for frame in np.unique(np.linspace(0, motion.frames - 1, FRAMES).astype(int)):
            ours = blended(character, motion.sample(frame / motion.fps))
            theirs = skinned_by_usd(root, skeleton, mesh, float(frame * rate / motion.fps))
            worst = max(worst, float(np.linalg.norm(ours - theirs, axis=1).max()))
            seen.append(theirs)
        moved = max(moved, float(np.ptp(seen, axis=0).max()))
        found[name] = worst / character.height
    assert moved > 1e-2 * character.height or not character.motions  # or else nothing was compared
    if not character.motions:
        ours = blended(character, Pose.rest(character.skeleton))
        found["rest"] = float(np.abs(ours - skinned_by_usd(root, skeleton, mesh, 0.0)).max() / character.height)
    return found


@pytest.mark.parametrize("name", FILES)
def test_usd_itself_skins_every_clip_of_real_characters_as_we_do(name, data_file, tmp_path):
    errors = errors_against_usd(data_file(f"gltf/{name}"), tmp_path)
    assert max(errors.values()) <= 1e-4, errors
