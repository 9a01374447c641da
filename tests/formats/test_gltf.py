"""Reading glTF: every feature on a file made for it, and what becomes of its meshes, skins and nodes."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from gltf_files import QUAD, QUAD_TRIANGLES, GltfFile, arm, moved, quad

from supple import Character, LinearBlend, Pose, linear_blend, player
from supple.errors import FormatError, InputError, SuppleWarning
from supple.geometry import quaternions
from supple.io import load

TURN = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]  # a quarter about z


@pytest.fixture
def read(tmp_path):
    """Save a file and load it; warnings are errors unless `told` is given a list to fill."""

    def do(file: GltfFile, *, name: str = "test.glb", repair: bool = False, told: list | None = None) -> Character:
        with warnings.catch_warnings(record=told is not None) as seen:
            warnings.simplefilter("error" if told is None else "always", SuppleWarning)
            character = load(file.save(tmp_path, name), repair=repair)
        if told is not None:
            told += [str(warning.message) for warning in seen or ()]
        return character

    return do


def drawn(character: Character, pose: Pose) -> np.ndarray:
    """Display vertices in a pose."""
    moved_points = linear_blend(character.points, character.weights, pose.skinning(character.skeleton))
    return moved_points[character.display.control_points]


def by_hand(points, joints, weights, transforms):
    """The equation of the specification, one vertex and one influence at a time."""
    result = []
    for point, index, share in zip(points, joints, weights, strict=True):
        position = np.zeros(4)
        for joint, weight in zip(np.ravel(index), np.ravel(share), strict=True):
            position += weight * (transforms[joint] @ [*point, 1.0])
        result.append(position[:3])
    return np.array(result)


# Skins


@pytest.mark.parametrize("name", ["arm.glb", "arm.gltf", "arm.vrm"])
def test_a_skinned_quad_rests_where_it_was_bound(read, name):
    character = read(arm(), name=name)
    assert character.name == "arm"
    assert character.skeleton.names == ("shoulder", "hand")
    assert character.skeleton.parents.tolist() == [-1, 0]
    np.testing.assert_allclose(character.skeleton.heads, [[0, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(character.points, QUAD)
    assert character.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert not character.motions
    assert set(character.parts) == {"body"}


def test_the_skinned_nodes_own_transform_is_ignored(read):
    file = arm()
    file.json["nodes"][2].update(translation=[5.0, 5.0, 5.0], scale=[3.0, 3.0, 3.0])
    np.testing.assert_allclose(read(file).points, QUAD)


def test_a_default_pose_that_differs_from_the_bind_pose_comes_as_a_motion(read):
    file = arm()
    file.json["nodes"][1]["rotation"] = TURN
    character = read(file)
    np.testing.assert_allclose(character.points, QUAD, atol=1e-7)
    motion = character.motions["default pose"]
    assert motion.frames == 1
    turned = drawn(character, motion.sample(0.0))
    np.testing.assert_allclose(turned[:2], QUAD[:2], atol=1e-6)
    np.testing.assert_allclose(turned[2], [0.0, 2.0, 0.0], atol=1e-6)  # (1, 1) about (0, 1) by a quarter


def test_a_skin_without_matrices_binds_in_the_space_of_its_joints(read):
    file = arm()
    del file.json["skins"][0]["inverseBindMatrices"]
    character = read(file)
    shown = drawn(character, character.motions["default pose"].sample(0.0))
    np.testing.assert_allclose(shown, quad() + np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 0]]), atol=1e-6)


def test_joints_keep_the_order_of_their_skin(read):
    file = arm()
    file.json["skins"] = []
    file.skin([1, 0], [moved(y=-1.0), np.eye(4)])
    character = read(file)
    assert character.skeleton.names == ("hand", "shoulder")
    assert character.skeleton.parents.tolist() == [1, -1]
    assert character.weights.joints[:, 0].tolist() == [0, 0, 1, 1]


def test_any_number_of_influence_sets_and_unused_ones_are_trimmed(read):
    file = GltfFile()
    count = 9
    file.add("nodes", name="root", children=list(range(1, count + 1)))
    for joint in range(count):
        file.add("nodes", translation=[0.1 * joint, 0.2, 0.0])
    rng = np.random.default_rng(1)
    full = rng.random((4, 12)) * (np.arange(12) < count)
    full /= full.sum(axis=1, keepdims=True)
    index = np.tile(np.arange(12) % count, (4, 1))
    unused = np.zeros((4, 4))
    mesh = file.mesh(
        joints=[*np.split(index, 3, axis=1), unused.astype(int)], weights=[*np.split(full, 3, axis=1), unused]
    )
    matrices = [np.linalg.inv(moved(0.1 * j, 0.2, 0.0)) for j in range(count)]
    skin = file.skin(range(1, count + 1), matrices)
    file.add("nodes", mesh=mesh, skin=skin)
    file.clip((3, "rotation", [0.0, 1.0], [[0, 0, 0, 1], TURN]), (5, "translation", [0.0, 1.0], [[0, 0, 0], [1, 2, 3]]))
    character = read(file)
    assert character.weights.joints.shape[1] == count
    pose = character.motions["animation0"].sample(1.0)
    world = {n: moved(0.1 * (n - 1), 0.2, 0.0) for n in range(1, count + 1)}
    world[3] = moved(0.2, 0.2, 0.0) @ quaternions.compose(np.zeros(3), TURN)
    world[5] = moved(1.0, 2.0, 3.0)
    transforms = [world[n] @ matrices[n - 1] for n in range(1, count + 1)]
    np.testing.assert_allclose(drawn(character, pose), by_hand(QUAD, index, full, transforms), atol=1e-6)


def two_skins(second_bind: np.ndarray) -> GltfFile:
    """Two quads on the joints of one arm, each with a skin and bind matrices of its own."""
    file = arm()
    points = quad(3.0, 0.0, 0.0)
    joints = [[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    mesh = file.mesh(points=points, joints=joints, weights=[[1, 0, 0, 0]] * 4, name="sleeve")
    skin = file.skin([0, 1], [second_bind, moved(y=-1.0) @ second_bind])
    file.json["scenes"][0]["nodes"].append(file.add("nodes", mesh=mesh, skin=skin))
    file.clip((1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], TURN]), name="bend")
    return file


def test_skins_that_share_joints_and_agree_share_the_skeleton(read):
    character = read(two_skins(np.eye(4)))
    assert character.skeleton.names == ("shoulder", "hand")
    assert set(character.parts) == {"body", "sleeve"}
    np.testing.assert_allclose(character.points[character.parts["sleeve"]], quad(3.0, 0.0, 0.0))


def test_skins_bound_in_different_spaces_are_brought_to_one(read):
    """The same joints seen through a moved and shrunk mesh space: one placement per skin reconciles them."""
    space = quaternions.compose(np.array([7.0, 1.0, 2.0]), TURN, np.full(3, 0.5))
    character = read(two_skins(space))
    assert len(character.skeleton) == 2
    expected = (quad(3.0, 0.0, 0.0)) @ space[:3, :3].T + space[:3, 3]
    np.testing.assert_allclose(character.points[character.parts["sleeve"]], expected, atol=1e-6)


def test_skins_that_disagree_about_a_joint_both_move_right(read):
    file = two_skins(np.eye(4))
    odd = [moved(x=0.3), moved(x=-0.4, y=-1.2)]
    file.json["skins"][1]["inverseBindMatrices"] = file.accessor(np.array(odd).transpose(0, 2, 1).reshape(-1, 16))
    character = read(file)
    assert len(character.skeleton) == 3
    world = [np.eye(4), quaternions.compose([0.0, 1.0, 0.0], TURN)]
    pose = character.motions["bend"].sample(1.0)
    index, share = [[0], [0], [1], [1]], [[1.0]] * 4
    first = by_hand(QUAD, index, share, [world[0], world[1] @ moved(y=-1.0)])
    second = by_hand(quad(3, 0, 0), index, share, [w @ m for w, m in zip(world, odd, strict=True)])
    np.testing.assert_allclose(drawn(character, pose), np.concatenate([first, second]), atol=1e-6)


def test_joints_outside_the_scene_need_repair(read):
    file = arm()
    file.json["scenes"][0]["nodes"] = [2]
    with pytest.raises(InputError, match=r"outside the scene.*repair=True"):
        read(file)
    told: list[str] = []
    character = read(file, repair=True, told=told)
    np.testing.assert_allclose(character.points, QUAD)
    assert len(told) == 1
    assert "outside the scene" in told[0]


def test_an_ancestor_that_turns_the_armature_is_folded_in_when_it_stands_still(read):
    """As exporters from z-up programs write it: bound lying, shown standing."""
    file = arm()
    up = [-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
    file.add("nodes", name="z_up", rotation=up, scale=[0.01] * 3, children=[0])
    file.json["scenes"][0]["nodes"] = [3, 2]
    character = read(file)
    assert character.skeleton.names == ("shoulder", "hand")
    np.testing.assert_allclose(
        character.points, 0.01 * np.array([[0, 0, 0], [1, 0, 0], [1, 0, -1], [0, 0, -1]]), atol=1e-9
    )
    assert not character.motions


@pytest.mark.parametrize("scale", [[1.0, 2.0, 1.0], [-1.0, 1.0, 1.0]], ids=["stretched", "mirrored"])
def test_an_ancestor_that_stretches_or_mirrors_becomes_a_joint(read, scale):
    file = arm()
    file.add("nodes", name="stretch", scale=scale, children=[0])
    file.json["scenes"][0]["nodes"] = [3, 2]
    file.clip((1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], TURN]), name="bend")
    character = read(file)
    assert "stretch" in character.skeleton.names
    outer = np.diag([*scale, 1.0])
    world = [outer, outer @ quaternions.compose([0.0, 1.0, 0.0], TURN) @ moved(y=-1.0)]
    expected = by_hand(QUAD, [[0], [0], [1], [1]], [[1.0]] * 4, world)
    np.testing.assert_allclose(drawn(character, character.motions["bend"].sample(1.0)), expected, atol=1e-6)


def test_an_animated_ancestor_moves_the_joints(read):
    file = arm()
    file.add("nodes", name="ship", children=[0])
    file.json["scenes"][0]["nodes"] = [3, 2]
    file.clip((3, "translation", [0.0, 1.0], [[0, 0, 0], [2, 0, 0]]), name="sail")
    character = read(file)
    assert "ship" in character.skeleton.names
    shown = drawn(character, character.motions["sail"].sample(0.5))
    np.testing.assert_allclose(shown, quad(1.0, 0.0, 0.0), atol=1e-6)


# Meshes


def test_a_mesh_on_a_joint_rides_on_it(read):
    file = arm()
    file.json["nodes"][1]["mesh"] = file.mesh(points=quad(4.0), name="ring")
    file.clip((1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], TURN]), name="bend")
    character = read(file)
    assert len(character.skeleton) == 2
    ring = character.parts["ring"]
    np.testing.assert_allclose(character.points[ring], quad(4.0, 1.0, 0.0))
    assert set(character.weights.joints[ring, 0]) == {character.skeleton.index("hand")}
    shown = linear_blend(
        character.points, character.weights, character.motions["bend"].sample(1.0).skinning(character.skeleton)
    )
    np.testing.assert_allclose(shown[ring], quad(4.0)[:, [1, 0, 2]] * [-1, 1, 1] + np.array([0, 1, 0]), atol=1e-6)


def test_a_scene_without_skins_moves_by_its_nodes(read):
    file = GltfFile()
    mesh = file.mesh()
    file.add("nodes", name="still", children=[1], translation=[0.0, 0.0, 4.0])
    file.add("nodes", name="door", mesh=mesh, scale=[2.0, 1.0, 1.0])
    file.clip((1, "scale", [0.0, 1.0], [[2, 1, 1], [0, 1, 1]]), name="shut")
    character = read(file)
    assert character.skeleton.names == ("door",)
    np.testing.assert_allclose(character.points, quad() * [2, 1, 1] + [0, 0, 4])
    shown = drawn(character, character.motions["shut"].sample(1.0))
    np.testing.assert_allclose(shown, quad() * [0, 1, 1] + [0, 0, 4], atol=1e-6)


def test_a_node_that_opens_scaled_to_nothing_can_grow(read):
    file = GltfFile()
    file.add("nodes", mesh=file.mesh(), scale=[0.0, 0.0, 0.0])
    file.clip((0, "scale", [0.0, 1.0], [[0, 0, 0], [2, 2, 2]]), name="grow")
    character = read(file)
    shown = drawn(character, character.motions["grow"].sample(1.0))
    np.testing.assert_allclose(shown, 2 * quad(), atol=1e-6)


def test_a_mirrored_mesh_keeps_its_outside(read):
    file = GltfFile()
    file.add("nodes", mesh=file.mesh(), scale=[1.0, 1.0, -1.0], rotation=[0.0, 1.0, 0.0, 0.0])
    character = read(file)
    a, b, c = character.points[character.triangles[0]]
    outward = quaternions.compose(np.zeros(3), [0, 1, 0, 0], [1, 1, -1])[:3, :3] @ [0.0, 0.0, 1.0]
    assert np.cross(b - a, c - a) @ outward > 0.0


def test_a_matrix_places_a_node(read):
    file = GltfFile()
    matrix = quaternions.compose([1.0, 2.0, 3.0], TURN, [2.0, 3.0, 4.0])
    file.add("nodes", mesh=file.mesh(), matrix=matrix.T.ravel().tolist())
    np.testing.assert_allclose(read(file).points, quad() @ matrix[:3, :3].T + [1, 2, 3], atol=1e-9)


@pytest.mark.parametrize(
    ("mode", "corners", "faces"),
    [
        (4, [0, 1, 2, 0, 2, 3], [[0, 1, 2], [0, 2, 3]]),
        (5, [0, 1, 3, 2], [[0, 1, 3], [1, 2, 3]]),
        (6, [0, 1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
        (4, None, [[0, 1, 2]]),
        (6, None, [[0, 1, 2], [0, 2, 3]]),
    ],
)
def test_lists_strips_and_fans_wind_alike(read, mode, corners, faces):
    file = GltfFile()
    file.add("nodes", mesh=file.mesh(triangles=corners, mode=mode))
    character = read(file)
    positions = character.points[character.triangles]
    normals = np.cross(positions[:, 1] - positions[:, 0], positions[:, 2] - positions[:, 0])
    assert (normals[:, 2] > 0.0).all()
    as_sets = {frozenset(map(tuple, quad()[face])) for face in faces}
    assert {frozenset(map(tuple, triangle)) for triangle in positions} == as_sets


def test_points_and_lines_are_left_out_and_told(read):
    file = GltfFile()
    file.add("nodes", mesh=file.mesh())
    file.json["meshes"][0]["primitives"].append({**file.json["meshes"][0]["primitives"][0], "mode": 1})
    told: list[str] = []
    assert len(read(file, told=told).triangles) == 2
    assert "no triangles" in told[0]


def seamed() -> GltfFile:
    """Two triangles that meet in an edge, whose vertices are there twice, with different texture coordinates."""
    file = GltfFile()
    points = [QUAD[0], QUAD[1], QUAD[2], QUAD[0], QUAD[2], QUAD[3]]
    mesh = file.mesh(points=points, triangles=[0, 1, 2, 3, 4, 5])
    uvs = np.arange(12.0).reshape(6, 2) / 12.0
    file.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = file.accessor(uvs)
    file.add("nodes", mesh=mesh)
    return file


def test_seams_are_welded_and_still_drawn(read):
    character = read(seamed())
    assert len(character.points) == 4
    assert character.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert character.display.control_points.tolist() == [0, 1, 2, 0, 2, 3]
    in_the_file = np.arange(12).reshape(6, 2) / 12  # whose v goes down
    np.testing.assert_allclose(character.display.uvs, in_the_file * [1.0, -1.0] + [0.0, 1.0], atol=1e-7)


def test_a_body_split_into_two_meshes_is_one_again(read):
    file = arm()
    file.json["nodes"][1]["mesh"] = file.mesh(name="cuff")  # its lower edge lies on the upper edge of the arm
    character = read(file)
    assert len(character.points) == 6
    assert len(np.intersect1d(character.parts["body"], character.parts["cuff"])) == 2


def test_equal_places_with_different_weights_stay_apart(read):
    file = arm()
    points = [*QUAD, QUAD[2]]
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["POSITION"] = file.accessor(points)
    attributes["JOINTS_0"] = file.accessor([[0, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], "H")
    attributes["WEIGHTS_0"] = file.accessor([[1, 0, 0, 0]] * 2 + [[0.5, 0.5, 0, 0]] * 2 + [[0.5, 0.5, 0, 0]])
    file.json["meshes"][0]["primitives"][0]["indices"] = file.accessor([0, 1, 2, 0, 4, 3], "I")
    assert len(read(file).points) == 4  # the same two halves in another order are the same weights
    attributes["WEIGHTS_0"] = file.accessor([[1, 0, 0, 0]] * 2 + [[0.5, 0.5, 0, 0]] * 2 + [[0.25, 0.75, 0, 0]])
    assert len(read(file).points) == 5


def test_equal_places_that_shapes_pull_apart_stay_apart(read):
    file = seamed()
    pulled = np.eye(3)[[0, 0, 0, 0, 1, 1]]
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["targets"] = [{"POSITION": file.accessor(pulled)}, {}]
    file.json["meshes"][0]["extras"] = {"targetNames": ["open"]}
    character = read(file)
    assert len(character.points) == 5
    assert set(character.shapes) == {"open", "shape1"}
    np.testing.assert_allclose(
        character.shapes["open"][character.display.control_points], np.eye(3)[[0, 0, 0, 0, 1, 1]]
    )
    assert not character.shapes["shape1"].any()


def test_shapes_turn_with_their_mesh(read):
    file = GltfFile()
    mesh = file.mesh(targets=[{"POSITION": file.accessor([[1.0, 0, 0]] * 4)}])
    file.add("nodes", mesh=mesh, rotation=TURN, translation=[5.0, 5.0, 5.0])
    np.testing.assert_allclose(read(file).shapes["shape0"], [[0.0, 1.0, 0.0]] * 4, atol=1e-7)


def two_shapes(**names):
    file = GltfFile()
    targets = [{"POSITION": file.accessor([[1.0, 0, 0]] * 4)}, {"POSITION": file.accessor([[0, 2.0, 0]] * 4)}]
    file.add("nodes", mesh=file.mesh(targets=targets))
    file.json["meshes"][0].update(names)
    return file


def test_shapes_move_over_time_as_their_weights_say(read):
    file = two_shapes(extras={"targetNames": ["smile"]})
    file.clip((0, "weights", [0.0, 1.0], [0.0, 1.0, 0.5, 0.0]), name="talk")
    character = read(file)
    motion = character.motions["talk"]
    assert motion.sample(0.5).shapes == pytest.approx({"smile": 0.25, "shape1": 0.5})
    points = player(character, LinearBlend()).play(motion, 0.25)
    np.testing.assert_allclose(points, np.array(QUAD) + np.array([0.125, 2.0 * 0.75, 0.0]), atol=1e-6)


def test_shapes_follow_curves_and_jumps(read):
    file = two_shapes()
    keys = [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]  # slope in, value, slope out
    file.clip((0, "weights", [0.0, 1.0], np.ravel(keys), "CUBICSPLINE"), name="curve")
    file.clip((0, "weights", [0.0, 1.0], [0.0, 0.0, 1.0, 1.0], "STEP"), name="jump")
    motions = read(file).motions
    # p(t) = (t^3 - 2 t^2 + t) m0 + (3 t^2 - 2 t^3) p1 at t = 1/2
    assert motions["curve"].sample(0.5).shapes == pytest.approx({"shape0": 0.125 + 0.5, "shape1": 0.5}, abs=1e-6)
    assert motions["jump"].sample(0.9).shapes["shape0"] == pytest.approx(0.0)


def test_weights_that_do_not_fit_the_shapes_are_refused(read):
    file = two_shapes()
    file.clip((0, "weights", [0.0, 1.0], [0.0, 1.0, 0.5]), name="talk")
    with pytest.raises(FormatError, match="a multiple of 2 is needed"):
        read(file)
    file = two_shapes()
    file.clip((0, "weights", [0.0, 1.0], [0.0, 1.0]), name="talk")
    with pytest.raises(FormatError, match="2 keys need 1 each"):
        read(file)


def test_shapes_that_the_file_opens_with_are_told_of(read):
    told: list[str] = []
    character = read(two_shapes(weights=[0.5, 0.0]), told=told)
    np.testing.assert_allclose(character.points, QUAD)
    assert "opens with shapes" in told[0]
    opening = character.motions["default pose"].sample(0.0).shapes
    assert opening == pytest.approx({"shape0": 0.5})
    moving = two_shapes(weights=[0.5, 0.25])
    moving.clip((0, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]]), name="go")
    assert read(moving, told=told).motions["go"].sample(1.0).shapes == pytest.approx({"shape0": 0.5, "shape1": 0.25})


def test_primitives_become_parts_by_material_and_meshes_by_name(read):
    file = GltfFile()
    file.add("materials", name="skin")
    file.add("materials")
    mesh = file.mesh(triangles=[0, 1, 2], material=0, name="head")
    shared = file.json["meshes"][0]["primitives"][0]["attributes"]
    file.json["meshes"][0]["primitives"].append(
        {"attributes": shared, "indices": file.accessor([0, 2, 3], "I"), "material": 1}
    )
    file.add("nodes", mesh=mesh)
    file.add("nodes", mesh=mesh, translation=[2.0, 0.0, 0.0])
    character = read(file)
    assert set(character.parts) == {
        "head",
        "head/skin",
        "head/material1",
        "head.001",
        "head.001/skin",
        "head.001/material1",
    }
    assert len(character.points) == 8  # each copy is welded along its diagonal, and not to the other
    assert len(character.parts["head/skin"]) == 3


def test_unused_vertices_are_dropped(read):
    file = GltfFile()
    file.add("nodes", mesh=file.mesh(points=[[9, 9, 9], *QUAD], triangles=np.array(QUAD_TRIANGLES) + 1))
    np.testing.assert_allclose(read(file).points, QUAD)


def test_joint_names_are_made_to_differ(read):
    file = arm()
    for node in file.json["nodes"][:2]:
        node["name"] = "bone"
    assert read(file).skeleton.names == ("bone", "bone.001")


def test_clip_names_are_kept_and_made_to_differ(read):
    file = arm()
    for name in ("walk", "walk", None):
        file.clip((1, "translation", [0.0, 1.0], [[0, 1, 0], [0, 2, 0]]), name=name)
    assert list(read(file).motions) == ["walk", "walk.001", "animation2"]


# Nodes, scenes, extras


def test_only_the_opening_scene_is_read(read):
    file = GltfFile()
    mesh = file.mesh()
    file.add("nodes", mesh=mesh, name="seen")
    file.add("nodes", mesh=mesh, name="hidden", translation=[9.0, 0.0, 0.0])
    file.add("scenes", nodes=[1])
    file.add("scenes", nodes=[0])
    file.json["scene"] = 1
    assert read(file).skeleton.names == ("seen",)


def test_a_long_chain_of_nodes_is_no_recursion(read):
    file = GltfFile()
    count = 1500
    for node in range(count):
        file.add("nodes", children=[node + 1], translation=[0.0, 0.0, 1.0])
    file.add("nodes", mesh=file.mesh())
    np.testing.assert_allclose(read(file).points, quad(0.0, 0.0, count))


def test_vrm_data_come_along_with_the_joints_they_name(read):
    file = arm()
    springs = {"specVersion": "1.0", "springs": [{"joints": [{"node": 1, "stiffness": 0.5}]}]}
    file.json["extensions"] = {"VRMC_springBone": springs, "KHR_lights_punctual": {"lights": []}}
    character = read(file, name="hero.vrm")
    kept = character.extras["gltf"]
    assert kept["extensions"] == {"VRMC_springBone": springs}
    assert kept["node_joints"] == ("shoulder", "hand", None)
    with pytest.raises(TypeError):
        character.extras["more"] = 1  # type: ignore[index]


def test_buffers_may_lie_beside_the_file(tmp_path):
    file = arm()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "my data.bin").write_bytes(bytes(file.blob) + b"more")
    path = tmp_path / "arm.gltf"
    path.write_text(json.dumps(file.document(uri="deep/my%20data.bin")))
    np.testing.assert_allclose(load(path).points, QUAD)


# The fields of a character that files fill


def test_shapes_of_a_character_are_checked_and_frozen(tube):
    offsets = np.ones((len(tube.points), 3))
    shaped = tube.replace(shapes={"big": offsets}, extras={"from": "a test"})
    assert not shaped.shapes["big"].flags.writeable
    assert offsets.flags.writeable
    assert "1 shapes" in repr(shaped)
    assert shaped.extras["from"] == "a test"
    for bad in (offsets[:-1], offsets[:, :2], offsets * np.nan):
        with pytest.raises(InputError, match="shape 'big'"):
            tube.replace(shapes={"big": bad})


# Real files


@pytest.mark.parametrize(
    ("name", "joints", "influences", "clips"),
    [
        ("CesiumMan.glb", 19, 4, 1),
        ("Fox.glb", 24, 4, 3),
        ("InterpolationTest.glb", 10, 1, 9),
        ("RecursiveSkeletons.glb", 840, 1, 1),
        ("RiggedFigure.glb", 19, 4, 1),
        ("RiggedSimple.glb", 2, 2, 1),
        ("SimpleSkin.gltf", 2, 2, 1),
        ("horse-animations.glb", 56, 4, 14),
        ("human-bunny.glb", 66, 4, 0),
        ("human-m2m-12clips.glb", 66, 4, 12),
        ("human_cmu_8clips.glb", 31, 7, 8),
        ("snake-animations.glb", 28, 4, 8),
    ],
)
def test_real_characters_load_and_every_clip_plays(name, joints, influences, clips, data_file):
    character = load(data_file(f"gltf/{name}"))
    assert (len(character.skeleton), character.weights.influences, len(character.motions)) == (
        joints,
        influences,
        clips,
    )
    rest = drawn(character, Pose.rest(character.skeleton))
    np.testing.assert_allclose(
        rest, character.points[character.display.control_points], atol=1e-5 * character.size.max()
    )
    for motion in character.motions.values():
        for frame in (0, motion.frames // 2, motion.frames - 1):
            shown = drawn(character, motion.sample(frame / motion.fps))
            assert np.ptp(shown, axis=0).max() < 4.0 * character.size.max()


@pytest.mark.parametrize(
    ("name", "points", "shapes"), [("SimpleMorph.gltf", 3, 2), ("SimpleSparseAccessor.gltf", 14, 0)]
)
def test_small_real_files_load(name, points, shapes, data_file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        character = load(data_file(f"gltf/{name}"))
    assert (len(character.points), len(character.shapes)) == (points, shapes)
