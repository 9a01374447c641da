"""Bakes for other programs: every format gives our points back, with seams, quads and texture coordinates."""

import os
import struct
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from export_scenes import FPS, swing, textured_tube
from numpy.testing import assert_allclose, assert_array_equal

import supple
from oracles.glb import ReadGlb
from supple import DualQuaternion, LinearBlend
from supple.character.weights import Weights
from supple.errors import InputError, SuppleWarning, UnfinishedError
from supple.geometry.normals import creases, normals
from supple.io import formats, save
from supple.io.gltf_out import container
from supple.io.surfaces.surface import Surface


@pytest.fixture(scope="module")
def tube():
    return textured_tube()


@pytest.fixture(scope="module")
def cache(tube):
    return supple.bake(tube, swing(tube), DualQuaternion())


@pytest.fixture(scope="module")
def plain_cache(tube):
    return supple.bake(tube, swing(tube), LinearBlend())


def same(found, cache):
    return np.abs(np.asarray(found) - cache.points).max() < 1e-6


def test_the_bake_moves(cache):
    """So that a format that wrote one frame over and over would be seen."""
    assert (np.abs(np.diff(cache.points, axis=0)).max(axis=(1, 2)) > 1e-2).all()


def test_a_bake_carries_how_its_character_is_drawn(cache, tube):
    again = cache.character
    assert np.array_equal(again.polygons, tube.polygons)
    assert np.array_equal(again.display.triangles, tube.display.triangles)
    assert np.array_equal(again.display.uvs, tube.display.uvs)


def test_a_bake_of_other_seams_is_another_bake(tube, tmp_path):
    path = tmp_path / "a.supple"
    supple.bake(tube, swing(tube), LinearBlend(), path=path)
    supple.bake(tube, swing(tube), LinearBlend(), path=path)
    with pytest.raises(InputError, match="seams, texture coordinates or materials differs"):
        supple.bake(tube.replace(display=None), swing(tube), LinearBlend(), path=path)


def test_npz(cache, tube, tmp_path):
    cache.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        assert np.array_equal(file["points"], cache.points)
        assert np.array_equal(file["triangles"], tube.triangles)
        assert np.array_equal(file["display_uvs"], tube.display.uvs)
        assert file["fps"] == FPS
        assert np.array_equal(file["times"], cache.times)


def test_pc2(cache, tmp_path):
    cache.save(tmp_path / "a.pc2")
    data = (tmp_path / "a.pc2").read_bytes()
    head = struct.unpack_from("<12siiffi", data)
    assert head == (b"POINTCACHE2\0", 1, cache.points.shape[1], 0.0, 1.0, len(cache))
    assert np.array_equal(np.frombuffer(data, "<f4", offset=32).reshape(cache.points.shape), cache.points)


def test_mdd(cache, tmp_path):
    cache.save(tmp_path / "a.mdd")
    data = (tmp_path / "a.mdd").read_bytes()
    frames, points = struct.unpack_from(">ii", data)
    assert (frames, points) == cache.points.shape[:2]
    assert np.allclose(np.frombuffer(data, ">f4", frames, 8), np.arange(frames) / FPS)
    assert np.array_equal(np.frombuffer(data, ">f4", offset=8 + 4 * frames).reshape(cache.points.shape), cache.points)


def test_obj_sequence(cache, tube, tmp_path):
    cache.save(tmp_path / "a.obj")
    with pytest.warns(SuppleWarning, match="no skeleton"):
        rest = supple.io.load(tmp_path / "a.obj")
    assert np.allclose(rest.points, tube.points, atol=1e-8)
    assert np.array_equal(rest.polygons, tube.polygons)
    for number, points in enumerate(cache.points, start=1):
        lines = (tmp_path / f"a_{number:04d}.obj").read_text().splitlines()
        found = np.array([line.split()[1:] for line in lines if line.startswith("v ")], dtype=np.float32)
        assert np.array_equal(found, points)  # nine digits are all of a float32
    assert not (tmp_path / f"a_{len(cache) + 1:04d}.obj").exists()


@pytest.mark.parametrize("suffix", [".usd", ".usda", ".usdc"])
def test_usd(cache, tube, tmp_path, suffix):
    Usd, UsdGeom = pytest.importorskip("pxr.Usd"), pytest.importorskip("pxr.UsdGeom")
    cache.save(tmp_path / f"a{suffix}")
    stage = Usd.Stage.Open(str(tmp_path / f"a{suffix}"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, len(cache) - 1.0)
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == FPS
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/tube/Mesh"))
    assert mesh.GetSubdivisionSchemeAttr().Get() == "none"
    assert (np.array(mesh.GetFaceVertexCountsAttr().Get()) == 4).all()
    assert np.array_equal(np.array(mesh.GetFaceVertexIndicesAttr().Get()), tube.polygons.ravel())
    st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    expected = Surface.from_character(tube)
    assert st.GetInterpolation() == "faceVarying"
    assert np.allclose(st.ComputeFlattened(), expected.uvs[expected.uv_corners])
    assert mesh.GetPointsAttr().GetTimeSamples() == list(range(len(cache)))
    assert same([mesh.GetPointsAttr().Get(frame) for frame in range(len(cache))], cache)
    shared = creases(tube.points, tube.triangles)
    for frame, points in enumerate(cache.points):
        box = np.array(mesh.GetExtentAttr().Get(frame))
        assert np.allclose(box, [points.min(axis=0), points.max(axis=0)])
        expected_normals = np.zeros((len(points), 3))
        expected_normals[shared.vertex_of_normal] = normals(points, shared)
        assert np.allclose(np.array(mesh.GetNormalsAttr().Get(frame)), expected_normals, atol=1e-6)
    assert mesh.GetNormalsInterpolation() == "vertex"


@pytest.fixture(scope="module")
def folded_cache():
    """Two squares that meet at a right angle; the first looks back, the second down."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]], dtype=float)
    folded = supple.Character(
        corners,
        [[0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4]],
        supple.Skeleton.from_heads(["bone0", "bone1", "bone2", "bone3"], [-1, 0, 1, 2], np.zeros((4, 3))),
        supple.Weights(np.zeros((6, 1)), np.ones((6, 1))),
        name="folded",
    )
    return supple.bake(folded, swing(folded), LinearBlend())


def test_usd_splits_normals_at_creases(folded_cache, tmp_path):
    Usd, UsdGeom = pytest.importorskip("pxr.Usd"), pytest.importorskip("pxr.UsdGeom")
    folded_cache.save(tmp_path / "a.usda")
    stage = Usd.Stage.Open(str(tmp_path / "a.usda"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/folded/Mesh"))
    primvar = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("normals")
    assert primvar.GetInterpolation() == "faceVarying"
    found = np.array(primvar.ComputeFlattened(0)).reshape(4, 3, 3)
    assert np.allclose(found[:2], [0.0, 0.0, -1.0], atol=1e-6)
    assert np.allclose(found[2:], [0.0, -1.0, 0.0], atol=1e-6)


def test_alembic_splits_normals_at_creases(folded_cache, tmp_path):
    pytest.importorskip("alembic3d")
    from alembic3d import Abc, AbcGeom

    folded_cache.save(tmp_path / "a.abc")
    top = Abc.IArchive(str(tmp_path / "a.abc")).getTop()
    mesh = AbcGeom.IPolyMesh(AbcGeom.IXform(top, "folded"), "foldedShape").getSchema()
    found = np.array(mesh.getNormalsParam().getExpandedValue(0).getVals()).reshape(4, 3, 3)
    assert np.allclose(found[:2], [0.0, 0.0, -1.0], atol=1e-6)
    assert np.allclose(found[2:], [0.0, -1.0, 0.0], atol=1e-6)


def test_glb_splits_vertices_at_creases(folded_cache, tmp_path):
    folded_cache.save(tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    facing = glb.attribute("NORMAL")[glb.array(glb.primitive["indices"]).reshape(-1, 3)]
    assert np.allclose(facing[:2], [0.0, 0.0, -1.0], atol=1e-6)
    assert np.allclose(facing[2:], [0.0, -1.0, 0.0], atol=1e-6)


def test_alembic(cache, tube, tmp_path):
    pytest.importorskip("alembic3d")
    from alembic3d import Abc, AbcGeom

    cache.save(tmp_path / "a.abc")
    top = Abc.IArchive(str(tmp_path / "a.abc")).getTop()
    mesh = AbcGeom.IPolyMesh(AbcGeom.IXform(top, "tube"), "tubeShape").getSchema()
    assert mesh.getNumSamples() == len(cache)
    times = [mesh.getTimeSampling().getSampleTime(frame) for frame in range(len(cache))]
    assert np.allclose(times, np.arange(len(cache)) / FPS)
    assert same([np.array(mesh.getPositionsProperty().getValue(frame)) for frame in range(len(cache))], cache)
    counts = np.array(mesh.getFaceCountsProperty().getValue(0))
    corners = np.array(mesh.getFaceIndicesProperty().getValue(0))
    back = Surface(counts, corners).reversed()
    assert np.array_equal(back.corners.reshape(-1, 4), tube.polygons)
    uvs = mesh.getUVsParam()
    rows = np.array(list(uvs.getIndexedValue().getIndices()))
    values = np.array(uvs.getIndexedValue().getVals())
    expected = Surface.from_character(tube).reversed()
    assert np.allclose(values[rows], expected.uvs[expected.uv_corners])


def test_glb_of_any_skin_is_one_morph_target_a_frame(cache, tube, tmp_path):
    cache.save(tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    assert "skins" not in glb.scene
    assert np.allclose(glb.times(), np.arange(len(cache)) / FPS)
    rest = glb.attribute("POSITION")
    assert len(rest) == len(tube.display.control_points)  # split at the seam, and nowhere else
    owner = np.array([np.argmin(np.linalg.norm(tube.points - position, axis=1)) for position in rest])
    faces = glb.array(glb.primitive["indices"]).reshape(-1, 3)
    assert np.array_equal(owner[faces], tube.triangles)
    uvs = glb.attribute("TEXCOORD_0")
    assert np.allclose(uvs[faces] * [1, -1] + [0, 1], tube.display.uvs[tube.display.triangles], atol=1e-6)
    for frame, points in enumerate(cache.points):
        assert np.abs(glb.morphed(frame) - points[owner]).max() < 1e-6
        assert np.allclose(np.linalg.norm(glb.morphed(frame, "NORMAL"), axis=1), 1.0, atol=1e-5)
    assert np.allclose(glb.attribute("_FLESH"), tube.maps["flesh"][owner], atol=1e-6)


@pytest.mark.parametrize("scaled", [False, True], ids=["turns and moves", "scales"])
def test_glb_of_linear_blend_is_a_rig(tube, tmp_path, scaled):
    cache = supple.bake(tube, swing(tube, scaled=scaled), LinearBlend())
    cache.save(tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    assert "targets" not in glb.primitive
    owner = np.array([np.argmin(np.linalg.norm(tube.points - p, axis=1)) for p in glb.attribute("POSITION")])
    for frame, points in enumerate(cache.points):
        assert np.abs(glb.skinned(frame) - points[owner]).max() < 1e-5


def test_glb_of_poses_that_no_rig_can_hold_is_morphed(tube, tmp_path):
    """Shear has no place in a node's turn, move and scale."""
    shear = np.eye(4)
    shear[0, 1] = 0.4
    motion = swing(tube)

    class Sheared:
        skeleton = tube.skeleton

        def sample(self, time):
            return motion.sample(time).moved(shear)

    cache = supple.bake(tube, Sheared(), LinearBlend(), fps=FPS, end=0.25)
    with pytest.warns(SuppleWarning, match="its joints shear"):
        cache.save(tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    owner = np.array([np.argmin(np.linalg.norm(tube.points - p, axis=1)) for p in glb.attribute("POSITION")])
    assert np.abs(glb.morphed(3) - cache.points[3][owner]).max() < 1e-6


def test_glb_of_linear_blend_with_shapes_is_morphed(tube, tmp_path):
    bumped = tube.replace(shapes={"bump": np.tile([0.0, 0.0, 0.3], (len(tube.points), 1))})
    motion = swing(bumped)
    motion = motion.replace(shapes={"bump": np.linspace(0.0, 1.0, motion.frames)})
    cache = supple.bake(bumped, motion, LinearBlend())
    cache.save(tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    owner = np.array([np.argmin(np.linalg.norm(tube.points - p, axis=1)) for p in glb.attribute("POSITION")])
    for frame, points in enumerate(cache.points):
        assert np.abs(glb.morphed(frame) - points[owner]).max() < 1e-6


def test_a_character_as_glb_keeps_all_motions_shapes_and_influences(tube, tmp_path):
    rng = np.random.default_rng(2)
    many = supple.Weights.from_dense(rng.dirichlet(np.ones(6), size=len(tube.points)))
    shapes = {"bump": 0.1 * rng.standard_normal(tube.points.shape), "dent": rng.standard_normal(tube.points.shape)}
    first, second = swing(tube), swing(tube, scaled=True).replace(name="grow")
    first = first.replace(shapes={"dent": np.linspace(0.0, 1.0, first.frames)})
    whole = tube.replace(weights=many, shapes=shapes, motions={"swing it": first, "grow": second})
    save(whole, tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    assert glb.attribute("JOINTS_1").shape == glb.attribute("WEIGHTS_0").shape
    assert [animation["name"] for animation in glb.scene["animations"]] == ["swing it", "grow"]
    owner = np.array([np.argmin(np.linalg.norm(tube.points - p, axis=1)) for p in glb.attribute("POSITION")])
    plain = supple.bake(whole.replace(shapes={}), second, LinearBlend())
    for frame, points in enumerate(plain.points):
        assert np.abs(glb.skinned(frame, 1) - points[owner]).max() < 1e-5
    assert glb.scene["meshes"][0]["extras"]["targetNames"] == ["bump", "dent"]
    for target, offsets in zip(glb.primitive["targets"], shapes.values(), strict=True):
        assert np.allclose(glb.array(target["POSITION"]), offsets[owner], atol=1e-6)
    channel = glb.scene["animations"][0]["channels"][-1]
    assert channel["target"] == {"node": len(tube.skeleton), "path": "weights"}
    shares = glb.array(glb.scene["animations"][0]["samplers"][channel["sampler"]]["output"]).reshape(-1, 2)
    assert np.allclose(shares, np.stack([np.zeros(first.frames), first.shapes["dent"]], axis=1))


def test_a_motion_as_glb_comes_with_its_skeleton(tube, tmp_path):
    motion = swing(tube, scaled=True)
    save(motion, tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    assert "meshes" not in glb.scene
    assert [node["name"] for node in glb.scene["nodes"]] == list(tube.skeleton.names)
    for frame, at in enumerate(motion.times):
        assert np.allclose(glb.joints_at(frame), motion.sample(at).world_from_joint, atol=1e-6)


def test_several_roots_hang_on_one_node(tmp_path):
    """A skin whose joints have no node in common is no valid glTF."""
    skeleton = supple.Skeleton.from_heads(["a", "b", "c"], [-1, -1, 1], np.eye(3))
    triangle = supple.Character(np.eye(3), [[0, 1, 2]], skeleton, supple.Weights([[0], [1], [2]], np.ones((3, 1))))
    turned = supple.Pose.from_rotations(skeleton, {"b": (0.0, 0.0, 0.6, 0.8)})
    motion = supple.Motion.from_poses(skeleton, lambda _: turned, seconds=0.0)
    save(triangle.replace(motions={"turn": motion}), tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    top = [glb.scene["nodes"][number] for number in glb.scene["scenes"][0]["nodes"]]
    assert [node.get("children") for node in top] == [[0, 1], None]
    ours = supple.linear_blend(triangle.points, triangle.weights, turned.skinning(skeleton))
    owner = np.argmax(glb.attribute("POSITION"), axis=1)
    assert np.allclose(glb.skinned(0), ours[owner], atol=1e-6)


def test_only_characters_and_motions_are_saved(tube, cache, tmp_path):
    with pytest.raises(InputError, match=r"a Cache was given.*cache\.save"):
        save(cache, tmp_path / "a.glb")
    with pytest.raises(InputError, match=r"files for characters are .*\.glb"):
        save(tube, tmp_path / "a.doc")


def test_a_glb_that_no_file_can_hold_is_refused(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(container, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match=r"a GLB holds at most.*\.usdc"):
        cache.save(tmp_path / "a.glb")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", list(formats.CACHE_WRITERS))
def test_one_frame_and_a_mesh_without_seams(suffix, tmp_path, tube):
    if suffix == ".abc":
        pytest.importorskip("alembic3d")
    if suffix.startswith(".usd"):
        pytest.importorskip("pxr")
    bare = tube.replace(display=None, polygons=None, maps={}, parts={}, name="a name/with signs é")
    supple.bake(bare, swing(bare), DualQuaternion(), end=0.0).save(tmp_path / f"deep/down/a{suffix}")
    assert (tmp_path / f"deep/down/a{suffix}").stat().st_size > 0


@pytest.mark.parametrize("suffix", [s for s in formats.CACHE_WRITERS if s != ".obj"])
def test_files_appear_whole_or_not_at_all(suffix, cache, tmp_path, monkeypatch):
    if suffix == ".abc":
        pytest.importorskip("alembic3d")
    if suffix.startswith(".usd"):
        pytest.importorskip("pxr")
    target = tmp_path / f"a{suffix}"
    target.write_bytes(b"what was there")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("no space")))
    with pytest.raises(OSError, match="no space"):
        cache.save(target)
    assert target.read_bytes() == b"what was there"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_an_unknown_suffix_is_refused_with_those_there_are(cache, tmp_path):
    with pytest.raises(InputError, match=r"\.usdc.*\.glb.*\.abc"):
        cache.save(tmp_path / "a.doc")


@pytest.mark.parametrize(("suffix", "module", "extra"), [(".usdc", "pxr.Usd", "usd"), (".abc", "alembic3d", "alembic")])
def test_a_missing_library_is_named(cache, tmp_path, monkeypatch, suffix, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnfinishedError, match=rf"pip install 'supple\[{extra}\]'"):
        cache.save(tmp_path / f"a{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("imported", ["import supple\nCache = supple.Cache", "from supple.graph.cache import Cache"])
def test_a_bake_is_saved_whatever_was_imported(cache, tmp_path, imported):
    """The graph knows no formats; those who do are found also where nobody has asked for them yet."""
    target = tmp_path / "a.pc2"
    code = (
        f"import sys\n{imported}\ncache = Cache({str(cache.path)!r})\n"
        f"assert 'supple.io' not in sys.modules\ncache.save({str(target)!r})"
    )
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=found)
    assert target.stat().st_size > 0


def test_a_joint_stands_once_at_a_vertex_of_a_glb_and_sets_have_no_gap(tmp_path):
    """Khronos' validator calls both errors; files that were read may have them."""
    tube = textured_tube()
    count = len(tube.points)
    twice = Weights(np.tile([1, 0, 1, 2, 1], (count, 1)), np.tile([0.4, 0.3, 0.2, 0.1, 0.0], (count, 1)))
    rows = np.full((len(tube.display.control_points), 2), 0.25, dtype=np.float32)
    display = replace(tube.display, uvs=None, attributes={"TEXCOORD_2": rows, "COLOR_1": np.tile(rows, (1, 2))})
    save(tube.replace(weights=twice, display=display), tmp_path / "tube.glb")
    glb = ReadGlb(tmp_path / "tube.glb")
    names = set(glb.primitive["attributes"])
    assert {"TEXCOORD_0", "TEXCOORD_1", "TEXCOORD_2", "COLOR_0", "COLOR_1"} <= names
    assert "JOINTS_1" not in names
    joints, weights = glb.attribute("JOINTS_0"), glb.attribute("WEIGHTS_0")
    assert_array_equal(joints[0], [1, 0, 2, 0])
    assert_allclose(weights, np.tile([0.6, 0.3, 0.1, 0.0], (len(weights), 1)), atol=1e-6)
