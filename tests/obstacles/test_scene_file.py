"""Scene files: what is written is read back, what makes no sense is refused where it stands; obstacles from glTF."""

from __future__ import annotations

import json

import numpy as np
import pytest
from gltf_files import GltfFile
from solids import sphere

from supple.errors import FormatError, InputError
from supple.geometry import quaternions
from supple.io.gltf.obstacles import load_obstacles
from supple.obstacles import BakedSkin, Box, Capsule, Free, Keys, MovingMesh, Plane, Sphere, Straight
from supple.obstacles.scene import Scene, load_scene, save_scene

BALL = sphere(4, radius=0.3)
QUARTER = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 2.0)


def full_scene():
    turned = quaternions.compose([1.0, 2.0, 3.0], quaternions.quat_from_axis_angle([0.3, 1.0, 0.1], 0.7))
    return Scene(
        (
            Plane(friction=0.5),
            Sphere(name="ball", radius=0.1, at=(0, 2, 0), restitution=0.8, free=Free(mass=0.4, velocity=(0, 0, 3))),
            Capsule(name="rod", radius=0.05, length=0.5, at=Straight(turned, (1.0, 0.0, 0.0), (0.0, 2.0, 0.0))),
            Box(name="crate", sides=(0.3, 0.4, 0.5), at=turned, free=Free(mass=5.0, spin=(0.1, 0.2, 0.3))),
            MovingMesh(name="rock", points=BALL[0], triangles=BALL[1], at=Keys([0.0, 1.0], np.eye(3)[:2])),
            Box(sides=(1.0, 1.0, 1.0), at=Keys([0.5, 1.5], np.eye(3)[:2], [[0, 0, 0, 1.0], QUARTER])),
        ),
        gravity=(0.0, -1.6, 0.0),
    )


def test_what_is_written_is_read_back(tmp_path):
    scene = full_scene()
    save_scene(scene, tmp_path / "a.json")
    again = load_scene(tmp_path / "a.json")
    assert np.array_equal(again.gravity, scene.gravity)
    assert [type(body) for body in again.obstacles] == [type(body) for body in scene.obstacles]
    for one, two in zip(scene.obstacles, again.obstacles, strict=True):
        assert (one.name, one.friction, one.restitution) == (two.name, two.friction, two.restitution)
        assert np.array_equal(one.size, two.size)
        for time in (0.0, 0.4, 0.9, 3.0):
            assert np.allclose(one.world_from_body(time), two.world_from_body(time), atol=1e-12)
        assert (one.free is None) == (two.free is None)
        if one.free is not None:
            assert one.free.mass == two.free.mass
            assert np.array_equal(one.free.velocity, two.free.velocity)
            assert np.array_equal(one.free.spin, two.free.spin)
    assert np.array_equal(again["rock"].points, BALL[0])
    assert np.array_equal(again["rock"].triangles, BALL[1])
    save_scene(again, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()
    assert json.loads((tmp_path / "a.json").read_text())["obstacles"][1]["name"] == "ball"


def test_an_empty_scene_has_gravity_and_no_obstacles(tmp_path):
    save_scene(Scene(), tmp_path / "a.json")
    again = load_scene(tmp_path / "a.json")
    assert again.obstacles == ()
    assert np.array_equal(again.gravity, [0.0, -9.81, 0.0])


def test_a_person_may_write_little(tmp_path):
    text = '{"format": "supple-scene", "version": 1, "obstacles": [{"shape": "sphere", "radius": 1}]}'
    (tmp_path / "a.json").write_text(text)
    (ball,) = load_scene(tmp_path / "a.json").obstacles
    assert ball.radius == 1.0
    assert np.array_equal(ball.world_from_body(3.0), np.eye(4))


def sound():
    return {
        "format": "supple-scene",
        "version": 1,
        "gravity": [0, -9.81, 0],
        "obstacles": [
            {"name": "ball", "shape": "sphere", "radius": 0.1, "place": [0, 1, 0], "friction": 0.3, "mass": 2},
            {"name": "wall", "shape": "box", "sides": [1, 2, 3], "rotation": [0, 0, 0, 1], "velocity": [1, 0, 0]},
            {"shape": "capsule", "radius": 1, "length": 1, "keys": {"times": [0, 1], "places": [[0, 0, 0], [1, 0, 0]]}},
            {"shape": "mesh", "points": BALL[0].tolist(), "triangles": BALL[1].tolist()},
            {"shape": "plane"},
        ],
    }


def change(path, value):
    data = sound()
    target = data
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return data


OBSTACLES = "obstacles"


@pytest.mark.parametrize(
    ("data", "where", "words"),
    [
        ([], "", "an object is needed"),
        (change(["format"], "edits"), "", "supple-scene 1 is needed"),
        (change(["version"], 2), "", "version 2"),
        (change(["extra"], 2), "", "it has 'extra'"),
        (change(["gravity"], [0, 1]), "gravity", "3 numbers are needed"),
        (change(["gravity"], "down"), "gravity", "a list of numbers"),
        (change([OBSTACLES], {}), OBSTACLES, "a list of at most"),
        (change([OBSTACLES, 0], 5), "obstacles\\[0\\]", "an object is needed"),
        (change([OBSTACLES, 0, "shape"], "cone"), "obstacles\\[0\\].shape", "one of sphere, capsule"),
        (change([OBSTACLES, 0, "shape"], ["sphere"]), "obstacles\\[0\\].shape", "one of sphere, capsule"),
        (change([OBSTACLES, 0, "radius"], 0), "obstacles\\[0\\]", "radius is 0"),
        (change([OBSTACLES, 0, "radius"], "big"), "obstacles\\[0\\].radius", "a finite number"),
        (change([OBSTACLES, 0, "radius"], value=True), "obstacles\\[0\\].radius", "a finite number"),
        (change([OBSTACLES, 0, "sides"], [1, 1, 1]), "obstacles\\[0\\]", "it has 'sides'"),
        (change([OBSTACLES, 0, "name"], 7), "obstacles\\[0\\].name", "a word is needed"),
        (change([OBSTACLES, 0, "name"], "wall"), OBSTACLES, "two obstacles are called 'wall'"),
        (change([OBSTACLES, 0, "mass"], -1), "obstacles\\[0\\]", "mass is -1"),
        (change([OBSTACLES, 0, "friction"], -1), "obstacles\\[0\\]", "friction is -1"),
        (change([OBSTACLES, 0, "restitution"], 2), "obstacles\\[0\\]", "restitution is 2"),
        (change([OBSTACLES, 0, "place"], [0, 0]), "obstacles\\[0\\].place", "3 numbers are needed"),
        (change([OBSTACLES, 0, "place"], [0, 0, [1]]), "obstacles\\[0\\].place", "rows differ"),
        (change([OBSTACLES, 0, "place"], [0, 0, "up"]), "obstacles\\[0\\].place", "3 numbers are needed"),
        (change([OBSTACLES, 1, "sides"], [1, 0, 1]), "obstacles\\[1\\]", "its shortest side is 0"),
        (change([OBSTACLES, 1, "rotation"], [0, 0, 0, 0]), "obstacles\\[1\\].rotation", "it is zero"),
        (change([OBSTACLES, 1, "velocity"], 3), "obstacles\\[1\\].velocity", "a list of numbers"),
        (change([OBSTACLES, 2, "mass"], 3), "obstacles\\[2\\]", "it has keys and mass"),
        (change([OBSTACLES, 2, "keys", "times"], [1, 0]), "obstacles\\[2\\].keys", "times do not rise"),
        (change([OBSTACLES, 2, "keys", "places"], [[0, 0, 0]]), "obstacles\\[2\\].keys", "places has shape"),
        (change([OBSTACLES, 2, "keys", "speed"], 1), "obstacles\\[2\\].keys", "it has 'speed'"),
        (change([OBSTACLES, 2, "keys"], []), "obstacles\\[2\\].keys", "an object is needed"),
        (change([OBSTACLES, 2, "length"], -1), "obstacles\\[2\\]", "length is -1"),
        (change([OBSTACLES, 3, "triangles"], BALL[1][1:].tolist()), "obstacles\\[3\\]", "open edges"),
        (change([OBSTACLES, 3, "triangles"], [[0, 1, 2.5]]), "obstacles\\[3\\]", "fractions"),
        (change([OBSTACLES, 4, "mass"], 1), "obstacles\\[4\\]", "it is free"),
    ],
)
def test_bad_scenes_are_refused_where_they_are_wrong(data, where, words, tmp_path):
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(sound()))
    assert len(load_scene(file).obstacles) == 5
    file.write_text(json.dumps(data))
    with pytest.raises(FormatError, match=words) as caught:
        load_scene(file)
    assert caught.match(f"scene.json: {where}" if where else "scene.json:")


@pytest.mark.parametrize("text", ["", "{", '{"format": NaN}', "[" * 100_000, "\u00e9"])
def test_what_is_no_json_is_refused(text, tmp_path):
    (tmp_path / "a.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match="it is not JSON"):
        load_scene(tmp_path / "a.json")


def test_missing_and_huge_files_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="a scene file is needed"):
        load_scene(tmp_path / "none.json")
    (tmp_path / "a.json").write_text(json.dumps(sound()))
    monkeypatch.setattr("supple.obstacles.scene.LARGEST", 10)
    with pytest.raises(FormatError, match="at most 10 are read"):
        load_scene(tmp_path / "a.json")


def test_what_a_file_cannot_hold_is_said_before_it_is_written(tmp_path):
    baked = BakedSkin(frames=BALL[0][None], triangles=BALL[1], fps=30.0, name="friend")
    for body, words in (
        (Sphere(radius=1.0, at=lambda time: (time, 0.0, 0.0)), "follows a function"),
        (baked, "obstacle 'friend' is no shape of the file"),
    ):
        with pytest.raises(InputError, match=words):
            save_scene(Scene((body,)), tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_obstacles_are_found_by_name():
    scene = full_scene()
    assert scene["rod"].length == 0.5
    with pytest.raises(InputError, match="it has 'ball', 'rod'"):
        scene["stick"]
    with pytest.raises(InputError, match="it holds a int"):
        Scene((5,))


# glTF


def props(*, twice=False, scale=(1.0, 1.0, 1.0), open_mesh=False):
    """A ball on a cart that drives along x and turns, with split vertices along a seam."""
    file = GltfFile()
    triangles = BALL[1][3:] if open_mesh else BALL[1]
    apart = BALL[0][triangles].reshape(-1, 3)  # no two triangles share a vertex
    mesh = file.mesh(points=apart, triangles=np.arange(len(apart)))
    file.add("nodes", name="cart", translation=[0.0, 1.0, 0.0], children=[1])
    file.add("nodes", name="ball", mesh=mesh, translation=[0.0, 0.5, 0.0], scale=list(scale))
    if twice:
        file.add("nodes", name="ball", mesh=mesh)
    file.add("scenes", nodes=[0, 2] if twice else [0])
    times = file.accessor([0.0, 1.0], min=[0.0], max=[1.0])
    moves = file.accessor([[0.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    rotations = file.accessor([[0.0, 0.0, 0.0, 1.0], QUARTER])
    file.add(
        "animations",
        name="drive",
        samplers=[{"input": times, "output": moves}, {"input": times, "output": rotations}],
        channels=[
            {"sampler": 0, "target": {"node": 0, "path": "translation"}},
            {"sampler": 1, "target": {"node": 0, "path": "rotation"}},
        ],
    )
    return file


def test_a_node_becomes_an_obstacle_that_moves_as_its_clip(tmp_path):
    path = props(scale=(2.0, 1.0, 1.0)).save(tmp_path, "props.glb")
    (ball,) = load_obstacles(path, ["ball"], friction=0.4)
    assert isinstance(ball, MovingMesh)
    assert (ball.name, ball.friction) == ("ball", 0.4)
    assert len(ball.points) == len(BALL[0])
    assert np.allclose(np.ptp(ball.points, axis=0), np.ptp(BALL[0], axis=0) * [2.0, 1.0, 1.0], atol=1e-6)
    for time in (0.0, 0.25, 0.5, 1.0):
        rotation = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], time * np.pi / 2.0))
        want = np.array([2.0 * time, 1.0, 0.0]) + rotation @ [0.0, 0.5, 0.0]
        assert np.allclose(ball.world_from_body(time)[:3, 3], want, atol=2e-4)
        assert np.allclose(ball.world_from_body(time)[:3, :3], rotation, atol=1e-6)


def test_boxes_and_balls_go_round_a_node(tmp_path):
    path = props().save(tmp_path, "props.glb")
    (mesh,), (box,), (round_it,) = (load_obstacles(path, ["ball"], shape=s) for s in ("mesh", "box", "sphere"))
    assert np.allclose(box.sides, np.ptp(BALL[0], axis=0), atol=1e-6)
    world = mesh.points @ mesh.world_from_body(0.5)[:3, :3].T + mesh.world_from_body(0.5)[:3, 3]
    for body in (box, round_it):
        assert (body.surface(world, 0.5)[0] < 1e-5).all()


def test_what_is_no_rigid_closed_node_is_refused(tmp_path):
    path = props().save(tmp_path, "props.glb")
    for names, options, words in (
        (["cup"], {}, "'cup' was asked for"),
        (["cart"], {}, "'cart' was asked for"),
        (["ball"], {"shape": "cone"}, "shape is 'cone'"),
        (["ball"], {"clip": "fly"}, "there is drive"),
    ):
        with pytest.raises(InputError, match=words):
            load_obstacles(path, names, **options)
    assert len(load_obstacles(path, ["ball"], clip="drive")) == 1
    with pytest.raises(InputError, match="2 nodes are called 'ball'"):
        load_obstacles(props(twice=True).save(tmp_path, "two.glb"), ["ball"])
    with pytest.raises(InputError, match="node 'ball': it has 5 open edges"):
        load_obstacles(props(open_mesh=True).save(tmp_path, "open.glb"), ["ball"])
    grows = props()
    scales = grows.accessor([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])
    clip = grows.json["animations"][0]
    clip["samplers"].append({"input": clip["samplers"][0]["input"], "output": scales})
    clip["channels"].append({"sampler": 2, "target": {"node": 1, "path": "scale"}})
    with pytest.raises(InputError, match="its scale changes over time"):
        load_obstacles(grows.save(tmp_path, "grows.glb"), ["ball"])
