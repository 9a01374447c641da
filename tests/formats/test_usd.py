"""Characters and motions through USD: our file skinned by USD itself, USD files of others, and broken ones."""

import numpy as np
import pytest
from export_scenes import FPS, swing, textured_tube

import supple
from supple import Character, LinearBlend, Skeleton, Weights, linear_blend
from supple.errors import FormatError, InputError, SuppleWarning
from supple.io import sandbox, save
from supple.io.usd import reader, stage_character, stage_reader
from supple.io.usd.reader import read_character, read_motion

Usd = pytest.importorskip("pxr.Usd")
from pxr import Gf, Sdf, UsdGeom, UsdSkel, Vt  # noqa: E402


@pytest.fixture(scope="module")
def tube():
    plain = textured_tube()
    return plain.replace(motions={"swing it": swing(plain), "grow": swing(plain, scaled=True).replace(name="grow")})


def dense(character):
    return character.weights.dense(len(character.skeleton))


def worlds(motion):
    return np.stack([motion.sample(at).world_from_joint for at in motion.times])


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_usd_itself_skins_our_character_as_linear_blend_does(tube, tmp_path, suffix):
    save(tube, tmp_path / f"a{suffix}")
    stage = Usd.Stage.Open(str(tmp_path / f"a{suffix}"))
    assert UsdSkel.BakeSkinning(Usd.PrimRange.Stage(stage))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/tube/Mesh"))
    cache = supple.bake(tube, tube.motions["swing it"], LinearBlend())
    for frame, points in enumerate(cache.points):
        assert np.abs(np.array(mesh.GetPointsAttr().Get(frame)) - points).max() < 1e-5


@pytest.mark.parametrize("suffix", [".usd", ".usda", ".usdc"])
def test_a_character_comes_back(tube, tmp_path, suffix):
    save(tube, tmp_path / f"a{suffix}")
    again = supple.io.load(tmp_path / f"a{suffix}")
    assert again.name == "tube"
    assert again.skeleton.names == tube.skeleton.names
    assert np.array_equal(again.skeleton.parents, tube.skeleton.parents)
    assert np.allclose(again.skeleton.world_from_joint, tube.skeleton.world_from_joint)
    assert np.allclose(again.points, tube.points, atol=1e-7)
    assert np.array_equal(again.triangles, tube.triangles)
    assert np.array_equal(again.polygons, tube.polygons)
    assert np.allclose(dense(again), dense(tube), atol=1e-6)
    assert np.allclose(again.display.uvs[again.display.triangles], tube.display.uvs[tube.display.triangles], atol=1e-7)
    assert len(again.display.control_points) == len(tube.display.control_points)
    assert np.allclose(again.maps["flesh"], tube.maps["flesh"], atol=1e-7)
    assert np.array_equal(again.parts["the rim"], tube.parts["the rim"])
    assert list(again.motions) == ["swing it", "grow"]
    assert again.motions["swing it"].fps == FPS
    assert np.allclose(worlds(again.motions["swing it"]), worlds(tube.motions["swing it"]), atol=1e-6)
    # UsdSkel keeps scales in half precision
    assert np.allclose(worlds(again.motions["grow"]), worlds(tube.motions["grow"]), atol=2e-3)


def test_a_motion_comes_back(tube, tmp_path):
    motion = swing(tube)
    save(motion, tmp_path / "a.usda")
    again = supple.io.load_motion(tmp_path / "a.usda")
    assert again.name == "swing it"
    assert again.skeleton.names == tube.skeleton.names
    assert np.allclose(worlds(again), worlds(motion), atol=1e-6)


def test_joints_out_of_order_and_names_that_usd_cannot_hold(tmp_path):
    skeleton = Skeleton.from_heads(
        ["the tip", "1 root!", "mixamo:Spine"], [2, -1, 1], [[0, 2, 0], [0, 0, 0], [0, 1, 0]]
    )
    points = np.array([[0, 0, 0], [1, 1, 0], [0, 2, 1.0]])
    weights = Weights(np.array([[1], [2], [0]]), np.ones((3, 1)))
    save(Character(points, [[0, 1, 2]], skeleton, weights, name="a-b c"), tmp_path / "a.usda")
    again = read_character(tmp_path / "a.usda", repair=False)
    assert again.name == "a-b c"
    assert set(again.skeleton.names) == set(skeleton.names)
    for name in skeleton.names:
        one, other = skeleton.index(name), again.skeleton.index(name)
        assert np.allclose(skeleton.heads[one], again.skeleton.heads[other])
        assert np.allclose(dense(again)[:, other], weights.dense(3)[:, one])
    parents = {n: again.skeleton.names[p] for n, p in zip(again.skeleton.names, again.skeleton.parents, strict=True)}
    assert (parents["the tip"], parents["mixamo:Spine"]) == ("mixamo:Spine", "1 root!")


def test_a_character_without_weights_is_written(tube, tmp_path):
    save(tube.replace(weights=None, motions={}), tmp_path / "a.usda")
    with pytest.warns(SuppleWarning, match="rides on bone0"):
        again = read_character(tmp_path / "a.usda", repair=False)
    assert np.allclose(dense(again)[:, 0], 1.0)


def foreign_stage(path, *, up="Z", unit=0.01, constant=False, joints=("Hips", "Hips/Knee"), weights=None, indices=None):
    """A stage as others write them: centimetres, z up, a placed root, its own joint order on the mesh, and a clip
    that moves the knee alone, between time codes 10 and 14."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, unit)
    stage.SetTimeCodesPerSecond(24)
    root = UsdSkel.Root.Define(stage, "/hero")
    UsdGeom.XformCommonAPI(root).SetTranslate((5.0, 0.0, 20.0))
    UsdGeom.XformCommonAPI(root).SetScale((2.0, 2.0, 2.0))
    skeleton = UsdSkel.Skeleton.Define(stage, "/hero/rig")
    skeleton.CreateJointsAttr(list(joints))
    up_ten = Gf.Matrix4d().SetTranslate((0, 0, 10))
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1), up_ten])
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(1), up_ten])
    mesh = UsdGeom.Mesh.Define(stage, "/hero/leg")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 10), (0, 1, 20), (0, 0, 30), (9, 9, 9)])
    mesh.CreateFaceVertexCountsAttr([3, 4])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 0, 2, 3, 4])
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateJointsAttr(list(reversed(joints)))
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d().SetTranslate((3, 0, 0)))
    if constant:
        binding.CreateJointIndicesPrimvar(constant=True, elementSize=1).Set([0])
        binding.CreateJointWeightsPrimvar(constant=True, elementSize=1).Set([1.0])
    else:
        chosen = [1, 0] * 5 if indices is None else indices
        shares = [1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75, 1, 0] if weights is None else weights
        binding.CreateJointIndicesPrimvar(constant=False, elementSize=2).Set(chosen)
        binding.CreateJointWeightsPrimvar(constant=False, elementSize=2).Set(shares)
    clip = UsdSkel.Animation.Define(stage, "/hero/kick")
    clip.CreateJointsAttr([joints[1]])
    for code, angle in ((10, 0), (12, 45), (14, 90)):
        rotation = Gf.Rotation(Gf.Vec3d(1, 0, 0), angle).GetQuat()
        clip.CreateTranslationsAttr().Set([(0, 0, 10)], code)
        clip.CreateRotationsAttr().Set([Gf.Quatf(rotation)], code)
        clip.CreateScalesAttr().Set(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)]), code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([clip.GetPath()])
    return stage


def baked_by_usd(stage, code, unit, up):
    """World positions of the mesh, skinned by USD, in metres and y up."""
    UsdSkel.BakeSkinning(Usd.PrimRange.Stage(stage))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/hero/leg"))
    to_world = UsdGeom.Xformable(mesh).ComputeLocalToWorldTransform(code)
    points = unit * np.array([to_world.Transform(Gf.Vec3d(*map(float, p))) for p in mesh.GetPointsAttr().Get(code)])
    return points if up == "Y" else np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


@pytest.mark.parametrize("constant", [False, True], ids=["per point", "rigid"])
@pytest.mark.parametrize(("up", "unit"), [("Z", 0.01), ("Y", 1.0), ("Z", 1.0)])
def test_files_of_others_are_skinned_as_usd_skins_them(tmp_path, up, unit, constant):
    stage = foreign_stage(tmp_path / "a.usda", up=up, unit=unit, constant=constant)
    stage.GetRootLayer().Save()
    character = read_character(tmp_path / "a.usda", repair=False)
    motion = character.motions["kick"]
    assert (motion.fps, motion.frames) == (12.0, 3)
    assert np.allclose(np.linalg.norm(character.skeleton.world_from_joint[:, :3, :3], axis=1), 1.0)
    for frame, code in enumerate((10, 12, 14)):
        pose = motion.sample(frame / 12.0)
        ours = linear_blend(character.points, character.weights, pose.skinning(character.skeleton))
        truth = baked_by_usd(Usd.Stage.Open(str(tmp_path / "a.usda")), code, unit, up)
        assert np.abs(ours - truth).max() < 1e-5 * max(1.0, np.abs(truth).max())
    assert character.name == "a"
    assert np.array_equal(character.polygons, [[0, 1, 2, -1], [0, 2, 3, 4]])
    again = read_motion(tmp_path / "a.usda")
    assert np.allclose(worlds(again), worlds(motion))


def test_several_meshes_become_parts_and_left_handed_ones_are_turned(tmp_path):
    stage = foreign_stage(tmp_path / "a.usda", up="Y", unit=1.0)
    hat = UsdGeom.Mesh.Define(stage, "/hero/hat")
    hat.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    hat.CreateFaceVertexCountsAttr([3])
    hat.CreateFaceVertexIndicesAttr([0, 1, 2])
    hat.CreateOrientationAttr("leftHanded")
    st = UsdGeom.PrimvarsAPI(hat).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, "vertex")
    st.Set([(0, 0), (1, 0), (0, 1)])
    UsdSkel.BindingAPI.Apply(hat.GetPrim()).CreateBlendShapesAttr(["smile"])
    UsdSkel.BindingAPI(hat.GetPrim()).CreateSkeletonRel().SetTargets(["/hero/rig"])
    hidden = UsdGeom.Mesh.Define(stage, "/hero/proxy")
    hidden.CreatePurposeAttr("proxy")
    stage.GetRootLayer().Save()
    with pytest.warns(SuppleWarning, match=r"1 blend shapes of hat lead nowhere.*proxy is hidden.*hat has no weights"):
        character = read_character(tmp_path / "a.usda", repair=False)
    assert {name: len(part) for name, part in character.parts.items()} == {"leg": 5, "hat": 3}
    position = character.display.triangles[-1]
    assert np.array_equal(character.triangles[-1], [5, 7, 6])
    assert np.allclose(character.display.uvs[position], [(0, 0), (0, 1), (1, 0)])


def test_two_skeletons_become_one(tmp_path):
    stage = foreign_stage(tmp_path / "a.usda", up="Y", unit=1.0)
    Sdf.CopySpec(stage.GetRootLayer(), "/hero", stage.GetRootLayer(), "/twin")
    for prim, name in (("/twin/leg", "skel:skeleton"), ("/twin/rig", "skel:animationSource")):
        target = {"skel:skeleton": "/twin/rig", "skel:animationSource": "/twin/kick"}[name]
        stage.GetPrimAtPath(prim).GetRelationship(name).SetTargets([target])
    stage.GetRootLayer().Save()
    character = read_character(tmp_path / "a.usda", repair=False)
    assert character.skeleton.names == ("Hips", "Knee", "rig_Hips", "rig_Knee")
    assert character.skeleton.parents.tolist() == [-1, 0, -1, 2]
    assert np.allclose(dense(character)[5:, 2:], dense(character)[:5, :2])


@pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")
@pytest.mark.parametrize(
    "name", ["CesiumMan", "Fox", "InterpolationTest", "RecursiveSkeletons", "RiggedFigure", "snake-animations"]
)
def test_usd_itself_skins_real_characters_as_we_do(data_file, tmp_path, name):
    """Ten frames of the first clip; half-precision scales of joints are the largest part of what is left."""
    character = supple.io.load(data_file(f"gltf/{name}.glb"))
    motion = next(iter(character.motions.values()))
    save(character.replace(motions={motion.name: motion}), tmp_path / "a.usdc")
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    assert UsdSkel.BakeSkinning(Usd.PrimRange.Stage(stage))
    mesh = UsdGeom.Mesh(next(prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)))
    for frame in np.linspace(0, motion.frames - 1, 10).astype(int):
        pose = motion.sample(frame / motion.fps)
        ours = linear_blend(character.points, character.weights, pose.skinning(character.skeleton))
        theirs = np.array(mesh.GetPointsAttr().Get(float(frame)))
        assert np.abs(ours - theirs).max() < 1e-4 * character.size.max()


def with_shapes(tube):
    """Two shapes, and a clip in which both come and go while the joints turn."""
    rng = np.random.default_rng(5)
    shapes = {"smile, wide": 0.1 * rng.standard_normal(tube.points.shape), "blink": np.zeros(tube.points.shape)}
    shapes["blink"][:5, 1] = 0.2
    motion = swing(tube)
    shares = {"blink": np.linspace(0.0, 1.0, motion.frames), "smile, wide": np.sin(np.arange(motion.frames))}
    return tube.replace(shapes=shapes, motions={"swing it": motion.replace(shapes=shares)})


def test_usd_itself_blends_our_shapes_as_we_do_and_they_come_back(tmp_path):
    tube = with_shapes(textured_tube())
    motion = tube.motions["swing it"]
    save(tube, tmp_path / "a.usda")
    stage = Usd.Stage.Open(str(tmp_path / "a.usda"))
    assert UsdSkel.BakeSkinning(Usd.PrimRange.Stage(stage))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/tube/Mesh"))
    for frame, points in enumerate(supple.bake(tube, motion, LinearBlend()).points):
        assert np.abs(np.array(mesh.GetPointsAttr().Get(frame)) - points).max() < 1e-5
    again = read_character(tmp_path / "a.usda", repair=False)
    for name, offsets in tube.shapes.items():
        assert np.allclose(again.shapes[name], offsets, atol=1e-7)
        assert np.allclose(again.motions["swing it"].shapes[name], motion.shapes[name], atol=1e-6)


def test_a_blend_shape_of_a_few_points_in_centimetres(tmp_path):
    stage = foreign_stage(tmp_path / "a.usda", up="Z", unit=0.01)
    shape = UsdSkel.BlendShape.Define(stage, "/hero/leg/bump")
    shape.CreateOffsetsAttr([(0, 0, 50)])
    shape.CreatePointIndicesAttr([3])
    shape.CreateInbetween("half").SetOffsets([(0, 0, 10)])
    binding = UsdSkel.BindingAPI(stage.GetPrimAtPath("/hero/leg"))
    binding.CreateBlendShapesAttr(["bump"])
    binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath()])
    stage.GetRootLayer().Save()
    with pytest.warns(SuppleWarning, match="in between of bump"):
        found = read_character(tmp_path / "a.usda", repair=False).shapes["bump"]
    assert np.allclose(found[3], [0.0, 1.0, 0.0])  # twice, because the root is scaled
    assert np.abs(np.delete(found, 3, axis=0)).max() == 0.0
    shape.CreatePointIndicesAttr([5])
    stage.GetRootLayer().Save()
    with pytest.raises(FormatError, match="bump does not fit its mesh"):
        read_character(tmp_path / "a.usda", repair=False)


def test_a_mesh_without_a_skeleton_gets_one_joint(tmp_path):
    cube = textured_tube()
    supple.bake(cube, swing(cube), LinearBlend()).save(tmp_path / "a.usda")
    with pytest.warns(SuppleWarning, match="one root joint at the middle of its base"):
        character = read_character(tmp_path / "a.usda", repair=False)
    assert len(character.skeleton) == 1
    assert np.array_equal(character.polygons, cube.polygons)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [1.0] * 10}, "do not sum to one"),
        ({"indices": [7, 0] * 5}, "joint that its skeleton does not have"),
        ({"indices": [0, 0] * 4}, "8 joint indices"),
        ({"joints": ("Hips/Knee", "Hips")}, "parents must come before children"),
    ],
)
def test_faults_are_refused_and_weights_mended_when_asked(tmp_path, change, message):
    stage = foreign_stage(tmp_path / "a.usda", **change)
    stage.GetRootLayer().Save()
    with pytest.raises(FormatError, match=message):
        read_character(tmp_path / "a.usda", repair=False)
    if "weights" in change or message.startswith("joint"):
        with pytest.warns(SuppleWarning, match="renormalised|set to zero"):
            read_character(tmp_path / "a.usda", repair=True)


def test_a_file_draws_in_only_files_beside_it(tmp_path):
    (tmp_path / "in").mkdir()
    for position in ("secret.usda", "in/friend.usda"):
        stage = foreign_stage(tmp_path / position)
        stage.GetRootLayer().Save()
    for target, fine in (("./friend.usda", True), ("../secret.usda", False), (str(tmp_path / "secret.usda"), False)):
        path = tmp_path / "in" / "a.usda"
        path.write_text(f'#usda 1.0\n(\n    upAxis = "Z"\n    subLayers = [@{target}@]\n)\n')
        if fine:
            assert len(read_character(path, repair=False).points) == 5
        else:
            with pytest.raises(FormatError, match="only files beside it"):
                read_character(path, repair=False)


@pytest.mark.parametrize(
    "text",
    [
        "(\n    subLayers = [@TARGET@]\n)\n",
        'def "a" (\n    references = @TARGET@\n)\n{\n}\n',
        'def "a" (\n    payload = @TARGET@\n)\n{\n}\n',
        'def "a" (\n    variantSets = "v"\n)\n{\n    variantSet "v" = {\n        "x" (\n'
        "            references = @TARGET@\n        ) {\n        }\n    }\n}\n",
        'def "a" (\n    clips = {\n        dictionary default = {\n            asset[] assetPaths = [@TARGET@]\n'
        "        }\n    }\n)\n{\n}\n",
        'def "a" (\n    clips = {\n        dictionary default = {\n            asset manifestAssetPath = @TARGET@\n'
        "        }\n    }\n)\n{\n}\n",
    ],
    ids=["sublayer", "reference", "payload", "variant", "clip", "manifest"],
)
@pytest.mark.parametrize("target", ["../secret.usda", "./friend.usda", "`'../secret.usda'`"])
def test_what_lies_outside_is_refused_unopened(tmp_path, text, target):
    """However it is drawn in: the library has not seen the layer outside once the error is there."""
    (tmp_path / "in").mkdir()
    for position in ("secret.usda", "in/friend.usda"):
        (tmp_path / position).write_text("#usda 1.0\n")
    path = tmp_path / "in" / "a.usda"
    path.write_text("#usda 1.0\n" + text.replace("TARGET", target))
    if target == "./friend.usda":
        assert len(stage_reader.layers_of(path)) == 2
        return
    with pytest.raises(FormatError, match="only files beside it"):
        stage_reader.layers_of(path)
    assert Sdf.Layer.Find(str(tmp_path / "secret.usda")) is None


def test_layers_that_draw_each_other_in_are_opened_once_and_their_sizes_add_up(tmp_path):
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.usda").write_text(f"#usda 1.0\n(\n    subLayers = [@./{other}.usda@]\n)\n")
    sizes = []
    layers = stage_reader.layers_of(tmp_path / "a.usda", before_opening=sizes.append)
    each = (tmp_path / "a.usda").stat().st_size
    assert len(layers) == 2
    assert sizes == [each, 2 * each]


def test_a_file_that_unfolds_without_end_is_refused(tmp_path):
    """A kilobyte of references that would be a thousand million meshes, within the memory of the other process."""
    levels = "".join(
        f'def Xform "L{k}" {{\n' + "".join(f'def "c{i}" (references = </L{k + 1}>) {{}}\n' for i in range(10)) + "}\n"
        for k in range(9)
    )
    path = tmp_path / "a.usda"
    path.write_text(f'#usda 1.0\n{levels}def Mesh "L9" {{\n}}\n')
    with pytest.raises(FormatError, match=r"more memory over it|its time was up"):
        read_character(path, repair=False)


@pytest.mark.parametrize("text", [b"", b"nonsense", b"#usda 1.0\n(", b"PXR-USDC" + bytes(80)])
def test_what_is_no_usd_is_refused(tmp_path, text):
    for suffix in (".usda", ".usdc", ".usdz"):
        (tmp_path / f"a{suffix}").write_bytes(text)
        with pytest.raises(FormatError):
            stage_character.stage_character(tmp_path / f"a{suffix}", repair=False)
        with pytest.raises(FormatError):
            stage_character.stage_motion(tmp_path / f"a{suffix}")


@pytest.mark.parametrize("read", [lambda path: read_character(path, repair=False), read_motion])
def test_a_sound_file_without_what_is_asked_for_is_not_called_broken(tube, tmp_path, read):
    path = tmp_path / "a.usda"
    path.write_text('#usda 1.0\ndef Scope "Lights" {\n}\n')
    with pytest.raises(InputError, match=r"well formed and holds no (mesh|skeleton with a clip)") as caught:
        read(path)
    assert not isinstance(caught.value, FormatError)
    path.write_text("#usda 1.0\ndef Scope")
    with pytest.raises(FormatError):
        read(path)


def test_a_sound_file_with_half_of_it_gives_that_half(tube, tmp_path):
    save(tube.replace(motions={}), tmp_path / "still.usda")
    assert len(read_character(tmp_path / "still.usda", repair=False).points) == len(tube.points)
    with pytest.raises(InputError, match="no skeleton with a clip") as caught:
        read_motion(tmp_path / "still.usda")
    assert not isinstance(caught.value, FormatError)
    save(tube, tmp_path / "bones.usda")
    stage = Usd.Stage.Open(str(tmp_path / "bones.usda"))
    for prim in [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]:
        stage.RemovePrim(prim.GetPath())
    stage.GetRootLayer().Save()
    assert read_motion(tmp_path / "bones.usda").frames == next(iter(tube.motions.values())).frames
    with pytest.raises(InputError, match="no mesh that is drawn") as caught:
        read_character(tmp_path / "bones.usda", repair=False)
    assert not isinstance(caught.value, FormatError)


def test_broken_text_ends_in_one_error(tube, tmp_path):
    """Binary files are not thrown at the library in this process: it may die of them, which is the next test."""
    save(tube, tmp_path / "whole.usda")
    whole = (tmp_path / "whole.usda").read_bytes()
    rng = np.random.default_rng(3)
    refused = 0
    for number in range(60):
        data = bytearray(whole)
        for position in rng.integers(0, len(data), 4):
            data[position] = rng.integers(48, 58) if number % 4 else rng.integers(32, 256)  # digits do less harm
        cut = int(rng.integers(1, len(data))) if number % 3 == 0 else len(data)
        (tmp_path / f"{number}.usda").write_bytes(data[:cut])
        try:
            stage_character.stage_character(tmp_path / f"{number}.usda", repair=bool(number % 2))
        except InputError:  # damage to a name may leave a sound file without a mesh
            refused += 1
        except SuppleWarning:
            pass
    assert 10 < refused < 60


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; os.abort()", "broke down over it"),
        ("import time; time.sleep(60)", "still busy with it when its time was up"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "its time was up"),
        ("raise OSError('no room left')", "broke down over it.*no room left"),
    ],
)
def test_a_library_that_dies_or_hangs_is_an_error_of_the_file(tube, tmp_path, monkeypatch, code, message):
    save(tube, tmp_path / "a.usdc")
    begun = "import sys, pathlib; from supple.io.subprocess_reader import begin; begin(pathlib.Path(sys.argv[3]))\n"
    monkeypatch.setattr(reader, "PROGRAM", ("-c", begun + code))
    if "sleep" in code:
        monkeypatch.setattr(sandbox, "wall_seconds_for", lambda size: 0.2)
    with pytest.raises(FormatError, match=message):
        read_character(tmp_path / "a.usdc", repair=False)


def test_nothing_in_the_current_folder_is_executed(tube, tmp_path, monkeypatch):
    save(tube, tmp_path / "tube.usda")
    (tmp_path / "numpy.py").write_text("open('executed', 'w')\nraise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    assert len(supple.load("tube.usda").points) == len(tube.points)
    assert not (tmp_path / "executed").exists()
