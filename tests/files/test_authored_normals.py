"""Normals that somebody authored: read, kept, turned with the skin, and written again."""

import warnings

import numpy as np
import pytest
from gltf_files import GltfFile, arm, moved
from numpy.testing import assert_allclose, assert_array_equal

import supple
from oracles.glb import ReadGlb
from supple.character import Display, packing
from supple.character.fingerprint import fingerprint
from supple.errors import InputError, SuppleWarning
from supple.geometry import quaternions
from supple.geometry.normals import CarriedNormals
from supple.geometry.topology import area_vectors
from supple.io import load, save
from supple.io.surfaces.bake_normals import BakeNormals
from supple.render.bakes import BakeRenderer, View

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
OUTWARD = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]], dtype=float)
TILTED = quaternions.normalize(OUTWARD[:, [1, 2, 0]] + 3.0 * OUTWARD).astype(np.float32)
"""One normal a side, the same at all its corners, that leans away from it: nobody could compute them."""


def crate(normals=TILTED, **node) -> GltfFile:
    """A box of six sides with their own vertices, half of it on each of two joints."""
    file = GltfFile()
    file.add("nodes", name="low", children=[1])
    file.add("nodes", name="high", translation=[0.0, 0.5, 0.0])
    points = CORNERS[SIDES.ravel()]
    triangles = (np.arange(6)[:, None] * 4 + [0, 1, 2, 0, 2, 3]).ravel()
    up = points[:, 1]
    joints, weights = np.tile([0, 1, 0, 0], (24, 1)), np.stack([1.0 - 0.75 * up, 0.75 * up, 0 * up, 0 * up], axis=1)
    mesh = file.mesh(points, triangles, joints=joints, weights=weights)
    file.json["meshes"][mesh]["primitives"][0]["attributes"]["NORMAL"] = file.accessor(np.repeat(normals, 4, axis=0))
    skin = file.skin([0, 1], [np.eye(4), moved(y=-0.5)])
    file.add("nodes", name="crate", mesh=mesh, skin=skin, **node)
    file.add("scenes", nodes=[0, 2])
    turn = np.array([[0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5]])
    file.clip((1, "rotation", [0.0, 1.0], turn), (0, "scale", [0.0, 1.0], [[1, 1, 1], [1, 2, 0.5]]), name="turn")
    return file


@pytest.fixture
def boxed(tmp_path):
    return load(crate().save(tmp_path))


def at_corners(character) -> list:
    """Every corner of every triangle as its place and its normal, in no order."""
    drawn = character.display.triangles
    rows = np.concatenate(
        [character.points[character.triangles], character.display.attributes["NORMAL"][drawn]], axis=2
    )
    return sorted(np.round(rows.reshape(-1, 6), 6).tolist())


def carried(character) -> CarriedNormals:
    display = character.display
    return CarriedNormals(
        character.points, character.triangles, display.triangles, display.control_points, display.attributes["NORMAL"]
    )


# Read and written


def test_a_crate_is_one_box_that_keeps_the_normals_of_its_sides(boxed):
    assert len(boxed.points) == 8
    assert_array_equal(boxed.display.attributes["NORMAL"], np.repeat(TILTED, 4, axis=0))


def test_a_glb_has_them_to_the_bit_and_gives_them_back(boxed, tmp_path):
    save(boxed, tmp_path / "out.glb")
    assert_array_equal(ReadGlb(tmp_path / "out.glb").attribute("NORMAL"), boxed.display.attributes["NORMAL"])
    assert at_corners(load(tmp_path / "out.glb")) == at_corners(boxed)


@pytest.mark.parametrize("suffix", [".usda", ".obj"])
def test_other_formats_give_them_back(boxed, tmp_path, suffix):
    if suffix == ".usda":
        pytest.importorskip("pxr")
    save(boxed, tmp_path / f"out{suffix}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        assert at_corners(load(tmp_path / f"out{suffix}")) == at_corners(boxed)


@pytest.mark.parametrize("suffix", [".glb", ".usda"])
def test_normals_that_supple_computed_do_not_come_back_as_authored(tmp_path, suffix):
    if suffix == ".usda":
        pytest.importorskip("pxr")
    save(supple.character("tube", vertices=500), tmp_path / f"plain{suffix}")
    again = load(tmp_path / f"plain{suffix}")
    assert again.display is None or not again.display.attributes


def test_a_mirrored_and_stretched_node_turns_them_by_the_inverse_transpose(tmp_path):
    file = crate()
    body = file.json["nodes"][2]
    del body["skin"]
    body.update(scale=[-2.0, 1.0, 0.5], rotation=[0.0, 0.6, 0.0, 0.8])
    del file.json["skins"], file.json["animations"]
    boxed = load(file.save(tmp_path))
    linear = quaternions.compose(np.zeros(3), np.array([0.0, 0.6, 0.0, 0.8]), np.array([-2.0, 1.0, 0.5]))[:3, :3]
    expected = quaternions.normalize(TILTED @ np.linalg.inv(linear))
    assert_allclose(boxed.display.attributes["NORMAL"], np.repeat(expected, 4, axis=0), atol=1e-6)


def test_normals_that_are_none_are_computed_and_what_is_no_normal_is_told(tmp_path):
    broken = TILTED.copy()
    broken[2], broken[3, 1] = 0.0, np.nan
    broken[4] *= 0.5
    with pytest.warns(SuppleWarning, match="NORMAL: some are not finite"):
        boxed = load(crate(broken).save(tmp_path))
    found = carried(boxed).rest.reshape(6, 4, 3)
    assert_allclose(found[2], np.tile(OUTWARD[2], (4, 1)), atol=1e-6)
    assert_allclose(found[4], np.tile(TILTED[4], (4, 1)), atol=1e-6)
    assert_allclose(found[0], np.tile(TILTED[0], (4, 1)), atol=1e-6)


def test_a_broken_accessor_of_normals_costs_the_normals_and_not_the_character(tmp_path):
    file = arm()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["NORMAL"] = file.accessor([[0.0, 0.0, 1.0]] * 3)
    attributes["COLOR_0"] = file.accessor([[0, 0, 255]] * 4, "B", normalized=True)
    with pytest.warns(SuppleWarning, match="NORMAL: it has 3 rows; it is left out"):
        flat = load(file.save(tmp_path))
    assert set(flat.display.attributes) == {"COLOR_0"}


@pytest.mark.parametrize(
    ("name", "width", "complaint"),
    [
        ("NORMAL", 4, "3 are needed"),
        ("normal", 3, "called 'normal'"),
        ("NORMAL/", 3, "called"),
        ("COLOR_0", 2, "3 or 4"),
    ],
)
def test_what_is_no_attribute_is_refused(name, width, complaint):
    with pytest.raises(InputError, match=complaint):
        Display(np.arange(3), [[0, 1, 2]], attributes={name: np.zeros((3, width))})
    Display(np.arange(3), [[0, 1, 2]], attributes={"NORMAL": np.zeros((3, 3)), "NORMAL/smile": np.zeros((3, 3))})


def test_ply_and_text_with_normals_and_colours_are_read(tmp_path):
    head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    head += "property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n"
    head += "property uchar blue\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    rows = "0 0 0 0 0 1 255 0 0\n1 0 0 0 0.6 0.8 0 255 0\n0 1 0 0 0 2 0 0 0\n3 0 1 2\n"
    (tmp_path / "t.ply").write_text(head + rows)
    with pytest.warns(SuppleWarning, match="no skeleton"):
        found = load(tmp_path / "t.ply").display.attributes
    assert_allclose(found["NORMAL"], [[0, 0, 1], [0, 0.6, 0.8], [0, 0, 1]], atol=1e-7)
    assert_allclose(found["COLOR_0"], [[1, 0, 0], [0, 1, 0], [0, 0, 0]], atol=1e-7)


# Turned with the skin


def test_a_rigid_motion_turns_them_rigidly_and_size_does_not_matter(boxed):
    turn = quaternions.matrix_from_quat(quaternions.normalize([0.3, -0.5, 0.1, 0.9]))
    found = carried(boxed).normals(7.0 * boxed.points @ turn.T + [1.0, 2.0, 3.0])
    assert_allclose(found, boxed.display.attributes["NORMAL"] @ turn.T, atol=1e-6)


def test_flat_faces_stay_flat_however_the_box_is_bent(tmp_path):
    boxed = load(crate(OUTWARD).save(tmp_path))
    shading = carried(boxed)
    rng = np.random.default_rng(5)
    triangles = boxed.triangles.reshape(6, 2, 3)
    for points in (boxed.points * [1.0, 3.0, 0.5], boxed.points @ rng.standard_normal((3, 3)).T):
        sides = area_vectors(points, triangles.reshape(-1, 3)).reshape(6, 2, 3).sum(axis=1)
        expected = np.repeat(quaternions.normalize(sides), 4, axis=0)
        assert_allclose(shading.normals(points), expected, atol=1e-7)


def test_one_that_leans_keeps_its_angle_to_the_face(boxed):
    points = boxed.points.copy()
    points[:, 0] *= 3.0
    found, sides = carried(boxed).normals(points), np.repeat(OUTWARD, 4, axis=0)
    assert_allclose(np.sum(found * sides, axis=1), np.sum(np.repeat(TILTED, 4, axis=0) * sides, axis=1), atol=1e-6)


def test_where_a_face_vanishes_the_normal_stays_as_it_was(boxed):
    flat = boxed.points * [0.0, 0.0, 1.0]
    assert_array_equal(carried(boxed).normals(flat), carried(boxed).rest)


@pytest.fixture
def turning(boxed, tmp_path):
    return supple.bake(boxed, boxed.motions["turn"], supple.LinearBlend(), fps=4.0, path=tmp_path / "turn.supple")


def engine(character, pose) -> np.ndarray:
    """What an engine does: the inverse transpose of the blended matrices, vertex by vertex."""
    moves = pose @ np.linalg.inv(character.skeleton.world_from_joint)
    rows = []
    for vertex, normal in zip(character.display.control_points, character.display.attributes["NORMAL"], strict=True):
        shares = zip(character.weights.joints[vertex], character.weights.values[vertex], strict=True)
        blended = sum(share * moves[joint][:3, :3] for joint, share in shares)
        turned = np.linalg.inv(blended).T @ normal
        rows.append(turned / np.linalg.norm(turned))
    return np.array(rows)


def test_in_a_bake_of_linear_blending_they_go_as_in_an_engine(boxed, turning):
    normals = BakeNormals(turning)
    for frame, pose in enumerate(turning.poses):
        assert_allclose(normals.at(frame), engine(boxed, pose), atol=1e-6)
    surface = carried(boxed).normals(turning.points[-1])
    assert np.abs(surface - normals.at(len(turning) - 1)).max() > 0.01  # the surface alone does not say it


def test_a_bake_keeps_them_and_its_fingerprint_is_that_of_a_plain_character(boxed, turning):
    assert at_corners(turning.character) == at_corners(boxed)
    bare = boxed.replace(display=Display(boxed.display.control_points, boxed.display.triangles))
    assert fingerprint(bare) == fingerprint(boxed)
    assert set(packing.pack_display(bare)) == {"display_control_points", "display_triangles"}


def test_frames_of_a_usd_and_an_obj_have_them_turned(boxed, turning, tmp_path):
    expected = engine(boxed, turning.poses[-1])
    turning.save(tmp_path / "turn.obj")
    lines = (tmp_path / f"turn_{len(turning):04d}.obj").read_text().splitlines()
    written = np.array([line.split()[1:] for line in lines if line.startswith("vn ")], dtype=float)
    assert_allclose(written, expected, atol=1e-6)
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    turning.save(tmp_path / "turn.usda")
    stage = Usd.Stage.Open(str(tmp_path / "turn.usda"))
    mesh = next(prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh))
    rows = np.array(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("normals").Get(float(len(turning) - 1)))
    assert_allclose(rows, expected, atol=1e-6)


def test_a_morphing_glb_of_another_skin_has_them_turned_by_the_surface(boxed, tmp_path):
    cache = supple.bake(boxed, boxed.motions["turn"], supple.DualQuaternion(), fps=4.0, path=tmp_path / "dq.supple")
    cache.save(tmp_path / "dq.glb")
    found = ReadGlb(tmp_path / "dq.glb").morphed(len(cache) - 1, "NORMAL")
    assert_allclose(found, carried(boxed).normals(cache.points[-1]), atol=1e-5)


def test_a_film_is_lit_by_them(boxed, turning, tmp_path):
    pytest.importorskip("pyvista")
    rows = np.broadcast_to(np.float32([0.0, -1.0, 0.0]), (24, 3))
    dark = boxed.replace(
        display=Display(boxed.display.control_points, boxed.display.triangles, attributes={"NORMAL": rows})
    )
    other = supple.bake(dark, boxed.motions["turn"], supple.LinearBlend(), fps=4.0, path=tmp_path / "dark.supple")
    view = View(size=(60, 60), ground=False)
    pictures = []
    for cache in (turning, other):
        with BakeRenderer(cache, view) as renderer:
            pictures.append(renderer.draw(0).astype(float))
    skin = np.abs(pictures[1] - pictures[0]).max(axis=2) > 4.0
    assert skin.mean() > 0.1
    assert pictures[1][skin].mean() < 0.8 * pictures[0][skin].mean()
