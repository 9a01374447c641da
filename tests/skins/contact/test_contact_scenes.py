"""Built-in scenes: sized for the character, clear of it at the start, met in time; and scenes on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import supple
from supple import ArticulatedContact, Pose
from supple.cli.main import main
from supple.document.skin_files import with_scene
from supple.errors import InputError
from supple.obstacles import Box, Plane, Scene, Sphere, save_scene
from supple.skins.contact.scenes import SCENES, digest, scene_obstacles

CHARACTERS = {"hero": "hero", "quadruped": "quadruped", "snake": "snake", "tube": "tube"}
MEANT_FOR = {"quadruped-ball": "quadruped", "tubes": "tube", "snake-push": "snake"}


@pytest.fixture(scope="module")
def cast():
    return {name: supple.character(name, vertices=1000) for name in CHARACTERS}


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("name", CHARACTERS)
def test_nothing_starts_inside_the_character(scene, name, cast):
    for body in scene_obstacles(scene, cast[name]):
        distances, _ = body.surface(cast[name].points, 0.0)
        assert distances.min() > 0.0, body.name


@pytest.mark.parametrize("scene", SCENES)
def test_scenes_grow_with_the_character(scene, cast):
    one = cast[MEANT_FOR.get(scene, "hero")]
    skeleton = one.skeleton
    world = skeleton.world_from_joint.copy()
    world[:, :3, 3] *= 2.0
    large = one.replace(
        points=2.0 * one.points, skeleton=supple.Skeleton(skeleton.names, skeleton.parents, world), motions={}
    )
    for small, big in zip(scene_obstacles(scene, one), scene_obstacles(scene, large), strict=True):
        np.testing.assert_allclose(big.size, 2.0 * np.array(small.size), rtol=1e-9)


@pytest.mark.parametrize("scene", SCENES)
def test_every_scene_reaches_the_character_it_is_meant_for(scene, cast):
    character = cast[MEANT_FOR.get(scene, "hero")]
    skin = ArticulatedContact.preset(scene, elements=800, step=1.0 / 60.0)
    assert skin.scene == scene
    binding = skin.bind(character, "cpu")
    pose = Pose.rest(character.skeleton)
    state = skin.start(binding, pose, None)
    met, moved = 0, 0.0
    apply = state.pipeline.apply

    def counted(impulses, dt):
        nonlocal met
        met += int((impulses.normal_impulses > 0.0).sum())
        apply(impulses, dt)

    state.pipeline.apply = counted
    for _ in range(96):
        skin.advance(binding, state, pose, skin.step, incoming=None)
        moved = max(moved, float(np.abs(state.memory.bones - pose.world_from_joint).max()))
    assert met > 0
    assert moved > 0.01
    assert np.isfinite(state.points.numpy()).all()


def test_obstacles_are_told_apart():
    ball = Sphere(radius=0.1, at=(0.0, 1.0, 0.0))
    assert digest([ball]) == digest([Sphere(radius=0.1, at=(0.0, 1.0, 0.0))])
    others = [
        [],
        [ball, ball],
        [Sphere(radius=0.2, at=(0.0, 1.0, 0.0))],
        [Sphere(radius=0.1, at=(0.0, 1.1, 0.0))],
        [Sphere(radius=0.1, at=(0.0, 1.0, 0.0), friction=0.1)],
        [Sphere(radius=0.1, at=(0.0, 1.0, 0.0), free=supple.obstacles.Free(mass=1.0))],
        [Sphere(radius=0.1, at=lambda time: (0.1 * time, 1.0, 0.0))],
        [Plane()],
        [Box(sides=(0.1, 0.2, 0.3))],
        [Box(sides=(0.1, 0.2, 0.4))],
    ]
    assert len({digest(bodies) for bodies in [[ball], *others]}) == 1 + len(others)


# The command line


def test_a_scene_file_on_the_command_line(tmp_path, capsys):
    save_scene(Scene((Sphere(name="ball", radius=0.2, at=(0.0, 1.0, 0.3)),)), tmp_path / "ball.json")
    words = ["bake", "hero", "--vertices", "1000", "--skin", "contact", "--elements", "600", "--motion", "breathing",
             "--end", "0.1", "--fps", "30", "--json", "--no-self-contact"]  # fmt: skip
    assert main([*words, "--scene", str(tmp_path / "ball.json"), "-o", str(tmp_path / "a.supple")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["frames"] == 4
    assert main([*words, "--preset", "fall", "-o", str(tmp_path / "b.supple")]) == 0
    one, two = supple.Cache(tmp_path / "a.supple"), supple.Cache(tmp_path / "b.supple")
    assert one.graph.stages[-1].work.scene != two.graph.stages[-1].work.scene == "fall"
    assert not np.array_equal(one.points[3], two.points[3])


def test_scenes_that_are_not_there_are_refused(tmp_path):
    assert with_scene(supple.LinearBlend()) == supple.LinearBlend()
    assert with_scene(ArticulatedContact(scene="push")).obstacles == ()
    for scene, words in (
        ("nowhere", "built-in scenes are thrown-ball"),
        (str(tmp_path / "a.json"), "a scene file is needed"),
        (str(tmp_path / "a.glb"), "names no nodes"),
    ):
        with pytest.raises(InputError, match=words):
            with_scene(ArticulatedContact(scene=scene))


def test_nodes_of_a_gltf_file_become_obstacles(tmp_path):
    tube = supple.character("tube", vertices=500)
    supple.save(tube.replace(weights=None, name="log"), tmp_path / "room.glb")
    (log,) = with_scene(ArticulatedContact(scene=f"{tmp_path / 'room.glb'}:log")).obstacles
    assert log.name == "log"
    assert len(log.points) == len(tube.points)
