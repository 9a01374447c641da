"""Meshes from OBJ, PLY and STL files: order, quads, texture coordinates, groups, and what is refused."""

import contextlib
import struct

import numpy as np
import pytest
from export_scenes import textured_tube
from hypothesis import given, settings
from hypothesis import strategies as st

from supple import Character
from supple.errors import FormatError, SuppleWarning
from supple.geometry.topology import census, signed_volume
from supple.io import load, save

pytestmark = pytest.mark.filterwarnings("ignore:.*has no skeleton")

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
CUBE_QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def write(path, text):
    path.write_text(text)
    return path


def test_a_mesh_gets_one_joint_at_the_middle_of_its_base_and_a_warning(tmp_path):
    path = write(tmp_path / "hat.obj", "v 0 2 0\nv 4 2 0\nv 4 5 2\nf 1 2 3\n")
    with pytest.warns(SuppleWarning, match=r"hat\.obj has no skeleton.*one root joint"):
        hat = load(path)
    assert hat.name == "hat"
    assert np.allclose(hat.skeleton.heads, [[2.0, 2.0, 1.0]])
    assert np.array_equal(hat.weights.values, np.ones((3, 1)))


def test_obj_keeps_order_mixed_faces_groups_and_seams(tmp_path):
    path = write(
        tmp_path / "a.obj",
        "# a comment\nmtllib a.mtl\no body\n"
        "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\nv 2 0 0\n"
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.25\nvn 0 0 1\ns off\n"
        "f 2/1/1 3/2/1 4/3/1 5/4/1\n"
        "g the  tail\nusemtl x\nf -4//1 -1//1 \\\n -3//1\nf 3/5 6/2 4/3 # again\n",
    )
    found = load(path)
    assert np.allclose(found.points[0], 9.0)
    assert np.array_equal(found.polygons, [[1, 2, 3, 4], [2, 5, 3, -1], [2, 5, 3, -1]])
    assert np.array_equal(found.triangles, [[1, 2, 3], [1, 3, 4], [2, 5, 3], [2, 5, 3]])
    assert {name: part.tolist() for name, part in found.parts.items()} == {"body": [1, 2, 3, 4], "the tail": [2, 3, 5]}
    uvs = found.display.uvs[found.display.triangles]
    assert np.allclose(uvs[0], [(0, 0), (1, 0), (1, 1)])
    assert np.allclose(uvs[2], 0.0)  # corners that have none
    assert np.allclose(uvs[3], [(0.25, 0), (1, 0), (1, 1)])


def test_long_faces_are_cut_into_fans(tmp_path):
    corners = "".join(f"v {np.cos(a)} {np.sin(a)} 0\n" for a in np.arange(7) * 2 * np.pi / 7)
    found = load(write(tmp_path / "a.obj", corners + "f 1 2 3 4 5 6 7\n"))
    assert found.polygons is None
    assert np.array_equal(found.triangles, [[0, k, k + 1] for k in range(1, 6)])


def test_obj_comes_back(tmp_path):
    tube = textured_tube()
    save(tube, tmp_path / "a.obj")
    again = load(tmp_path / "a.obj")
    assert np.allclose(again.points, tube.points, atol=1e-8)
    assert np.array_equal(again.polygons, tube.polygons)
    assert np.allclose(again.display.uvs[again.display.triangles], tube.display.uvs[tube.display.triangles], atol=1e-8)
    assert len(again.display.control_points) == len(tube.display.control_points)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no faces"),
        ("v 0 0 0\n", "no faces"),
        ("v 0 0\n", "line 1"),
        ("v 0 0 x\n", "line 1"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "names point 3"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999\n", "names point"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/1 3/1\n", "texture coordinate 1"),
        ("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
        ("v 0 0 1e999\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
    ],
)
def test_broken_obj_is_refused(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        load(write(tmp_path / "a.obj", text))


def cube_triangles():
    return CUBE[np.array([[[q[0], q[1], q[2]], [q[0], q[2], q[3]]] for q in CUBE_QUADS]).reshape(-1, 3)]


def binary_stl(triangles, head=b"solid, says the header of this binary file"):
    record = np.zeros(len(triangles), dtype=[("n", "<f4", 3), ("c", "<f4", (3, 3)), ("s", "<u2")])
    record["c"] = triangles
    return head.ljust(80) + struct.pack("<I", len(triangles)) + record.tobytes()


def text_stl(triangles):
    lines = ["solid cube"]
    for triangle in triangles:
        lines += ["facet normal 0 0 0", " outer loop"]
        lines += [f"  vertex {x} {y} {z}" for x, y, z in triangle] + [" endloop", "endfacet"]
    return "\n".join([*lines, "endsolid"]).encode()


@pytest.mark.parametrize("make", [binary_stl, text_stl])
def test_stl_is_welded(tmp_path, make):
    flat = np.zeros((1, 3, 3))
    flat[0, 1] = [0.0, -0.0, 0.0]
    (tmp_path / "a.stl").write_bytes(make(np.concatenate([cube_triangles(), flat])))
    cube = load(tmp_path / "a.stl")
    assert len(cube.points) == 8
    assert census(cube.triangles).is_closed
    assert np.isclose(signed_volume(cube.points, cube.triangles), 1.0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not start"),
        (b"nonsense", "does not start"),
        (b"solid\nendsolid", "no triangles"),
        (b"solid\nvertex 0 0 0\nvertex 1 0 0\n", "2 corners"),
        (b"solid\nvertex 0 0 zero\n", "numbers are needed"),
        (b"solid" + b"\nvertex 0 0 nan" * 3, "not finite"),
        (b"solid" + b"\nvertex 0 0 0" * 3, "no faces"),
        (binary_stl(cube_triangles(), b"binary")[:-1], "does not start"),
        (binary_stl(np.full((1, 3, 3), np.inf)), "not finite"),
    ],
)
def test_broken_stl_is_refused(tmp_path, data, message):
    (tmp_path / "a.stl").write_bytes(data)
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "a.stl")


FACES = [[0, 1, 2], [0, 2, 3, 4], [1, 2, 3]]
PLACES = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [-1, 0.5, 0.25]])


def ply(kind, faces, *, extra_after=False):
    """A PLY of all that readers trip over: other properties, other elements, lists beside scalars."""
    header = f"ply\nformat {kind} 1.0\ncomment made by a test\nelement vertex {len(PLACES)}\n"
    header += "property uchar red\nproperty float x\nproperty double y\nproperty float z\n"
    header += "property float s\nproperty float t\n"
    header += f"element face {len(faces)}\nproperty list uchar int vertex_indices\n"
    if extra_after:
        header += "property float quality\n"
    header += "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n"
    if kind == "ascii":
        rows = [f"255 {x} {y} {z} {x} {1 - y}" for x, y, z in PLACES]
        rows += [f"{len(f)} {' '.join(map(str, f))}{' 0.5' if extra_after else ''}" for f in faces]
        return (header + "\n".join([*rows, "0 1"]) + "\n").encode()
    order = "<" if "little" in kind else ">"
    body = b"".join(struct.pack(order + "Bfdfff", 255, x, y, z, x, 1 - y) for x, y, z in PLACES)
    for face in faces:
        body += struct.pack(order + f"B{len(face)}i", len(face), *face)
        body += struct.pack(order + "f", 0.5) if extra_after else b""
    return header.encode() + body + struct.pack(order + "ii", 0, 1)


KINDS = ["ascii", "binary_little_endian", "binary_big_endian"]


@pytest.mark.parametrize("extra_after", [False, True])
@pytest.mark.parametrize("faces", [FACES, [FACES[0], FACES[2]]], ids=["mixed", "triangles"])
@pytest.mark.parametrize("kind", KINDS)
def test_ply(tmp_path, kind, faces, extra_after):
    (tmp_path / "a.ply").write_bytes(ply(kind, faces, extra_after=extra_after))
    found = load(tmp_path / "a.ply")
    assert np.allclose(found.points, PLACES)
    flat = [[f[0], f[k], f[k + 1]] for f in faces for k in range(1, len(f) - 1)]
    assert np.array_equal(found.triangles, flat)
    expected = np.stack([PLACES[:, 0], 1 - PLACES[:, 1]], axis=1)[found.triangles]
    assert np.allclose(found.display.uvs[found.display.triangles], expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "does not start"),
        (lambda data: data.replace(b"end_header", b"end"), "does not start"),
        (lambda data: data.replace(b"float x", b"float q"), "lack x"),
        (lambda data: data.replace(b"vertex_indices", b"somewhat"), "no faces"),
        (lambda data: data.replace(b"element face 3", b"element face 3000000"), "promises more"),
        (lambda data: data.replace(b"element face 3", b"element face -3"), "promises more"),
        (lambda data: data.replace(b"list uchar", b"list complex"), "header says"),
        (lambda data: data.replace(b"format ", b"format strange_"), "header says"),
        (lambda data: data[:-12], "does not fit"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_broken_ply_is_refused(tmp_path, kind, change, message):
    (tmp_path / "a.ply").write_bytes(change(ply(kind, FACES)))
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "a.ply")


@pytest.mark.parametrize("faces", [[[0, 1, 9]], [[0, 1, -1]], [[0, 1]], []])
@pytest.mark.parametrize("kind", KINDS)
def test_ply_faces_that_cannot_be(tmp_path, kind, faces):
    (tmp_path / "a.ply").write_bytes(ply(kind, faces))
    with pytest.raises(FormatError, match=r"names point|no faces"):
        load(tmp_path / "a.ply")


SEEDS = {
    "obj": b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 1\ng a\nf 1/1 2/2 3/1 4/2\nf -1 -2 -3\n",
    "stl": binary_stl(cube_triangles()),
    "ply": ply("binary_little_endian", FACES, extra_after=True),
}


@pytest.mark.parametrize("suffix", list(SEEDS))
@given(data=st.data())
@settings(max_examples=150)
def test_any_bytes_give_a_character_or_an_error(suffix, data, tmp_path_factory):
    """Changed, cut and doubled bytes of good files: nothing but FormatError comes out."""
    content = bytearray(SEEDS[suffix])
    for _ in range(data.draw(st.integers(0, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position : position + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
        if not content:
            break
    path = tmp_path_factory.getbasetemp() / f"any.{suffix}"
    path.write_bytes(bytes(content))
    with contextlib.suppress(FormatError):
        assert isinstance(load(path), Character)
