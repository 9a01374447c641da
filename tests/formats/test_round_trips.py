"""What Supple writes it reads back: characters through GLB and USD, motions through BVH, GLB and USD."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from gltf_files import glb
from hypothesis import given, settings
from hypothesis import strategies as st
from small_pictures import picture

from oracles.glb import ReadGlb
from supple import Character, Motion, Skeleton, Weights
from supple.character import Display
from supple.character.materials import Material, Texture
from supple.geometry import quaternions
from supple.geometry.topology import triangulate
from supple.io import load, load_motion, save

seeds = st.integers(0, 2**31)


def any_skeleton(rng) -> Skeleton:
    """One to seven joints on one or two roots, turned any way, with tails or without."""
    count = int(rng.integers(1, 8))
    parents = np.array([-1, *(rng.integers(-1 if count > 5 else 0, joint) for joint in range(1, count))])
    rotations = quaternions.normalize(rng.standard_normal((count, 4)))
    world = quaternions.compose(rng.standard_normal((count, 3)), rotations, np.ones((count, 3)))
    tails = rng.standard_normal((count, 3)) if rng.random() < 0.5 else None
    return Skeleton(tuple(f"joint {number}.é" for number in range(count)), parents, world, tails=tails)


def any_motion(rng, skeleton: Skeleton, name: str, shapes: list[str]) -> Motion:
    """Two to five keys, at rates that files must hit, looped or not."""
    frames, count = int(rng.integers(2, 6)), len(skeleton)
    rotations = quaternions.normalize(rng.standard_normal((frames, count, 4)))
    loop = bool(rng.random() < 0.5)
    return Motion(
        skeleton,
        float(rng.choice([24.0, 25.0, 30.0, 60.0, 120.0])),
        rng.standard_normal((frames, count, 3)),
        rotations,
        name=name,
        loop=loop,
        stride=rng.standard_normal(3) if loop else None,
        shapes={shape: rng.random(frames) for shape in shapes},
    )


def any_character(rng) -> Character:
    """A sheet of quads and triangles with a seam, and of everything else something or nothing."""
    rows, columns = rng.integers(2, 5), rng.integers(3, 5)
    points = rng.standard_normal((rows * columns, 3))
    up, across = (index.ravel() for index in np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij"))
    low = up * columns + across
    polygons = np.stack([low, low + 1, low + columns + 1, low + columns], axis=1)
    first = [polygons[0, 0], polygons[0, 1], polygons[0, 2], -1]
    second = [polygons[0, 0], polygons[0, 2], polygons[0, 3], -1]
    polygons = np.concatenate([polygons[1:], [first, second]])
    triangles = triangulate(polygons)
    skeleton = any_skeleton(rng)
    shapes = {f"shape {n}": rng.standard_normal(points.shape) for n in range(rng.integers(0, 3))}
    looks = [
        Material(f"look {n}", tuple(rng.random(4)), *rng.random(2), tuple(rng.random(3)), bool(n % 2), "blend")
        for n in range(rng.integers(0, 3))
    ]
    if looks:
        looks[0] = Material("pictured", textures={"color": Texture("p", picture(7))})
    worn = rng.integers(-1, len(looks), len(polygons)) if looks else None
    drawn = np.concatenate([np.arange(len(points)), triangles[-1]])  # the last triangle is drawn by vertices of its own
    drawn_triangles = triangles.copy()
    drawn_triangles[-1] = len(points) + np.arange(3)
    return Character(
        points,
        triangles,
        skeleton,
        Weights.from_dense(rng.dirichlet(np.ones(len(skeleton)), len(points))),
        name="a name, with signs",
        maps={f"Map {n}": rng.random(len(points)) for n in range(rng.integers(0, 3))},
        parts={f"part {n}": np.flatnonzero(rng.random(len(points)) < 0.5) for n in range(rng.integers(0, 3))},
        motions={f"clip {n}": any_motion(rng, skeleton, f"clip {n}", list(shapes)) for n in range(rng.integers(0, 3))},
        polygons=polygons,
        display=Display(drawn, drawn_triangles, rng.random((len(drawn), 2))),
        shapes=shapes,
        materials=looks,
        material_of_triangle=None if worn is None else np.repeat(worn, np.where(polygons[:, 3] >= 0, 2, 1)),
    )


def check_same_motion(again: Motion, motion: Motion) -> None:
    assert (again.frames, again.loop) == (motion.frames, motion.loop)
    assert again.fps == pytest.approx(motion.fps, rel=1e-6)
    assert np.allclose(again.stride, motion.stride, atol=1e-6)
    assert np.allclose(again.skeleton.world_from_joint, motion.skeleton.world_from_joint, atol=1e-5)
    for at in motion.times:
        ours, theirs = motion.sample(at), again.sample(at)
        assert np.allclose(theirs.world_from_joint, ours.world_from_joint, atol=1e-4)
        for name, share in ours.shapes.items():
            assert theirs.shapes[name] == pytest.approx(share, abs=1e-6)


def check_same_skeleton(again: Skeleton, skeleton: Skeleton) -> None:
    assert again.names == skeleton.names
    assert np.array_equal(again.parents, skeleton.parents)
    assert (again.tails is None) == (skeleton.tails is None)
    if skeleton.tails is not None:
        assert np.allclose(again.tails, skeleton.tails, atol=1e-5)


def check_same_character(again: Character, character: Character) -> None:
    """Everything, but for the order of triangles and polygons, which go by material in a GLB."""
    check_same_skeleton(again.skeleton, character.skeleton)
    assert again.name == character.name
    assert np.allclose(again.points, character.points, atol=1e-6)
    joints = len(character.skeleton)
    assert np.allclose(again.weights.dense(joints), character.weights.dense(joints), atol=1e-6)
    assert sorted(again.polygons.tolist()) == sorted(character.polygons.tolist())
    assert corners(again) == corners(character)
    for kind in ("parts", "maps", "shapes", "motions"):
        assert list(getattr(again, kind)) == list(getattr(character, kind))
    for name, vertices in character.parts.items():
        assert np.array_equal(again.parts[name], vertices)
    for name, values in character.maps.items():
        assert np.allclose(again.maps[name], values, atol=1e-6)
    for name, offsets in character.shapes.items():
        assert np.allclose(again.shapes[name], offsets, atol=1e-6)
    for name, motion in character.motions.items():
        check_same_motion(again.motions[name], motion)


def corners(character: Character) -> list[tuple]:
    """Triangles with their texture coordinates and the name of what they wear, in order of their points."""
    uvs = np.round(character.display.uvs[character.display.triangles], 4).reshape(len(character.triangles), 6)
    worn = character.material_of_triangle
    numbers = [-1] * len(uvs) if worn is None else worn.tolist()
    looks = ["" if number < 0 else character.materials[number].name for number in numbers]
    rows = zip(character.triangles.tolist(), uvs.tolist(), looks, strict=True)
    return sorted((*triangle, *uv, look) for triangle, uv, look in rows)


@settings(max_examples=40)
@given(seeds)
def test_a_character_survives_a_glb(tmp_path_factory, seed):
    character = any_character(np.random.default_rng(seed))
    path = tmp_path_factory.mktemp("glb") / "a.glb"
    save(character, path)
    check_same_character(load(path), character)


@settings(max_examples=15)
@given(seeds)
def test_a_character_survives_usd(tmp_path_factory, seed):
    pytest.importorskip("pxr")
    from supple.io.usd.stage_character import stage_character

    character = any_character(np.random.default_rng(seed))
    path = tmp_path_factory.mktemp("usd") / "a.usdc"
    save(character, path)
    check_same_character(stage_character(path, repair=False), character)


@settings(max_examples=20)
@given(seeds)
def test_a_motion_survives_a_glb(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    motion = any_motion(rng, any_skeleton(rng), "walk", [])
    path = tmp_path_factory.mktemp("glb") / "a.glb"
    save(motion, path)
    again = load_motion(path)
    check_same_skeleton(again.skeleton, motion.skeleton)
    check_same_motion(again, motion)


@settings(max_examples=20)
@given(seeds)
def test_a_motion_survives_bvh(tmp_path_factory, seed):
    """As places of joints: a BVH has no rest turns, no loops and no shapes."""
    rng = np.random.default_rng(seed)
    skeleton = any_skeleton(rng)
    while (skeleton.parents < 0).sum() > 1:
        skeleton = any_skeleton(rng)
    plain = Skeleton(tuple(f"j{n}" for n in range(len(skeleton))), skeleton.parents, skeleton.world_from_joint)
    motion = any_motion(rng, plain, "walk", [])
    rest = quaternions.decompose(plain.parent_from_joint)[0]
    moves = np.where(plain.parents[:, None] < 0, motion.translations, rest)  # bones keep their lengths
    motion = motion.replace(translations=moves, loop=False)
    path = tmp_path_factory.mktemp("bvh") / "a.bvh"
    save(motion, path)
    again = load_motion(path, metres_per_unit=0.01)
    assert again.frames == motion.frames
    order = [again.skeleton.index(name) for name in plain.names]
    for at in motion.times:
        theirs = again.sample(at).world_from_joint[order, :3, 3]
        assert np.allclose(theirs, motion.sample(at).world_from_joint[:, :3, 3], atol=1e-4)


def rewritten(path, change) -> Path:
    """A copy of a GLB in which `change` was given the JSON and the bytes to change."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    scene = json.loads(data[20 : 20 + length])
    binary = bytearray(data[28 + length :])
    change(scene, binary)
    made = path.with_name("changed.glb")
    made.write_bytes(glb(json.dumps(scene).encode(), bytes(binary)))
    return made


def test_what_other_programs_changed_is_read_as_any_mesh(tmp_path):
    """A vertex moved away from its twin across the seam: the old numbers no longer hold, and nothing is forced."""
    character = any_character(np.random.default_rng(3))
    save(character, tmp_path / "a.glb")

    def change(scene, binary):
        attributes = scene["meshes"][0]["primitives"][-1]["attributes"]
        numbers = ReadGlb(tmp_path / "a.glb").array(attributes["_CONTROL_POINT"])
        twin = next(n for n, number in enumerate(numbers) if (numbers == number).sum() > 1)
        view = scene["bufferViews"][scene["accessors"][attributes["POSITION"]]["bufferView"]]
        struct.pack_into("<f", binary, view["byteOffset"] + 12 * twin, 9.0)

    again = load(rewritten(tmp_path / "a.glb", change))
    assert len(again.points) == len(character.points) + 1
    assert np.isclose(again.points[:, 0], 9.0).sum() == 1


def full_character() -> Character:
    """One with parts, tails, and a motion that starts over, in one material."""
    rng = np.random.default_rng(8)
    made = any_character(rng).replace(materials=(), material_of_triangle=None, parts={"some": [1, 2, 4]})
    skeleton = Skeleton(("a", "b"), [-1, 0], np.tile(np.eye(4), (2, 1, 1)), tails=rng.standard_normal((2, 3)))
    weights = Weights(np.zeros((len(made.points), 1)), np.ones((len(made.points), 1)))
    motion = any_motion(rng, skeleton, "go", []).replace(loop=True, stride=[1.0, 2.0, 3.0])
    maps = {"Flesh, soft": rng.random(len(made.points))}
    return made.replace(skeleton=skeleton, weights=weights, motions={"go": motion}, shapes={}, maps=maps)


@pytest.mark.parametrize(
    ("kind", "key", "value", "lost"),
    [
        ("meshes", "parts", {"some": [1, 3, 4]}, "parts"),
        ("meshes", "parts", {"some": "all"}, "parts"),
        ("meshes", "parts", {"some": [-1, 3]}, "parts"),
        ("meshes", "parts", 7, "parts"),
        ("meshes", "quads", [1], "quads"),
        ("meshes", "quads", [10**15], "quads"),
        ("meshes", "quads", [0, 2, 1, 0, 10**6], "quads"),
        ("meshes", "quads", ["two"], "quads"),
        ("meshes", "name", 5, "name"),
        ("meshes", "maps", [1], "maps"),
        ("nodes", "tail", [0.0, 1.0], "tails"),
        ("nodes", "tail", [0.0, 1.0, True], "tails"),
        ("nodes", "tail", [0.0, 1.0, 1e60], "tails"),
        ("animations", "loop", "yes", "loop"),
        ("animations", "stride", "far", "stride"),
        ("animations", "stride", [0.0, 1.0, "x"], "stride"),
    ],
)
def test_keepsakes_that_make_no_sense_are_left_out(tmp_path, kind, key, value, lost):
    """And only they: the rest of the character comes back as it was."""
    character = full_character()
    save(character, tmp_path / "a.glb")
    again = load(
        rewritten(tmp_path / "a.glb", lambda scene, _: scene[kind][0]["extras"]["supple"].update({key: value}))
    )
    assert np.allclose(again.points, character.points, atol=1e-6)
    whole = {
        "parts": set(again.parts) == {"some"} and np.array_equal(again.parts["some"], [1, 2, 4]),
        "quads": again.polygons is not None,
        "name": again.name == character.name,
        "maps": set(again.maps) == set(character.maps),
        "tails": again.skeleton.tails is not None,
        "loop": again.motions["go"].loop,
        "stride": np.allclose(again.motions["go"].stride, [1.0, 2.0, 3.0]),
    }
    assert [name for name, fine in whole.items() if not fine] == [lost]


@pytest.mark.parametrize("extras", [5, [], {"supple": 3}, {"supple": {}}, None])
def test_extras_of_any_kind_do_no_harm(tmp_path, extras):
    save(full_character(), tmp_path / "a.glb")

    def change(scene, _):
        for item in (*scene["meshes"], *scene["nodes"], *scene["animations"], *scene["materials"]):
            item["extras"] = extras

    again = load(rewritten(tmp_path / "a.glb", change))
    assert (again.polygons, again.skeleton.tails, again.motions["go"].loop) == (None, None, False)
    assert len(again.materials) == 1  # the grey stands for itself now


def test_points_that_no_triangle_uses_are_left_out_of_a_glb(tmp_path):
    character = full_character()
    count = len(character.points)
    points = np.insert(character.points, 2, [5.0, 5.0, 5.0], axis=0)
    renumbered = np.where(np.arange(count) < 2, np.arange(count), np.arange(count) + 1)
    loose = Character(points, renumbered[character.triangles], character.skeleton, parts={"some": [1, 2, 3, 5]})
    save(loose, tmp_path / "a.glb")
    again = load(tmp_path / "a.glb", repair=True)
    assert np.allclose(again.points, character.points, atol=1e-6)
    assert np.array_equal(again.parts["some"], [1, 2, 4])
