"""Compressed, quantised and repeated meshes: meshopt, Draco, KHR_mesh_quantization and EXT_mesh_gpu_instancing."""

import base64
import contextlib
import hashlib
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from gltf_files import QUAD, QUAD_TRIANGLES, GltfFile, arm
from numpy.testing import assert_allclose, assert_array_equal
from packed_files import STREAMS, packed_quad, with_fallback

from supple.errors import FormatError, InputError, UnfinishedError
from supple.io import load
from supple.io.compressed.meshopt import unpack
from supple.io.confined import read_confined

HAS_DRACO = importlib.util.find_spec("DracoPy") is not None
CESIUM = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "gltf"


def unpacked(row, data=None) -> bytes:
    mode, filtered, count, stride, packed, _ = row
    given = base64.b64decode(packed) if data is None else data
    return unpack(given, count=count, stride=stride, mode=mode, filtered=filtered, look=lambda: None)


# meshopt


@pytest.mark.parametrize("row", STREAMS, ids=lambda row: f"{row[0]}-{row[1]}-{row[2]}x{row[3]}")
def test_streams_of_the_reference_encoder_come_out_as_its_decoder_has_them(row):
    plain = unpacked(row)
    assert len(plain) == row[2] * row[3]
    assert hashlib.sha256(plain).hexdigest()[:16] == row[5]


@pytest.mark.parametrize("row", STREAMS, ids=lambda row: f"{row[0]}-{row[1]}-{row[2]}x{row[3]}")
def test_a_stream_that_is_cut_or_changed_anywhere_is_refused_or_unpacked(row):
    whole = base64.b64decode(row[4])
    for cut in range(0, len(whole), 3):
        with pytest.raises((ValueError, IndexError)):
            unpacked(row, whole[:cut])
    for at in range(0, len(whole), 2):
        changed = bytearray(whole)
        changed[at] ^= 0xFF
        with contextlib.suppress(ValueError, IndexError):
            assert len(unpacked(row, bytes(changed))) == row[2] * row[3]


@pytest.mark.parametrize("extension", ["EXT_meshopt_compression", "KHR_meshopt_compression"])
def test_a_mesh_that_meshopt_packed_is_read(tmp_path, extension):
    quad = load(with_fallback(packed_quad(extension), tmp_path / "quad.gltf"))
    assert_array_equal(quad.points, QUAD)
    assert_array_equal(quad.triangles.ravel(), QUAD_TRIANGLES)


def test_a_broken_stream_names_its_buffer_view(tmp_path):
    file = packed_quad()
    file.blob[-10] = 0x55  # in the triangles
    view = file.json["bufferViews"][-1]["extensions"]["EXT_meshopt_compression"]
    view["mode"] = "SPHERES"
    with pytest.raises(FormatError, match=r"bufferViews\[\d\]\.EXT_meshopt_compression: it cannot be unpacked"):
        load(with_fallback(file, tmp_path / "quad.gltf"))


# Draco


def draco_arm() -> GltfFile:
    """The arm, of which Draco packed places, normals and influences, and kept the order."""
    import DracoPy

    file = arm()
    joints = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], dtype=np.uint16)
    weights = np.tile(np.float32([1.0, 0.0, 0.0, 0.0]), (4, 1))
    data = DracoPy.encode(
        np.array(QUAD),
        np.array(QUAD_TRIANGLES).reshape(-1, 3).astype(np.uint32),
        quantization_bits=16,
        preserve_order=True,
        generic_attributes={7: joints, 9: weights},
    )
    numbers = {a["attribute_type"]: a["unique_id"] for a in DracoPy.decode(data).attributes if a["attribute_type"] == 0}
    primitive = file.json["meshes"][0]["primitives"][0]
    ours = {"POSITION": numbers[0], "JOINTS_0": 7, "WEIGHTS_0": 9}
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": file.view(data), "attributes": ours}}
    for number in (*primitive["attributes"].values(), primitive["indices"]):
        del file.json["accessors"][number]["bufferView"]
    file.json["extensionsRequired"] = file.json["extensionsUsed"] = ["KHR_draco_mesh_compression"]
    return file


@pytest.mark.skipif(not HAS_DRACO, reason="DracoPy is not installed")
def test_a_mesh_that_draco_packed_is_read(tmp_path):
    plain, found = load(arm().save(tmp_path, "plain.glb")), load(draco_arm().save(tmp_path))
    assert_allclose(found.points, plain.points, atol=1e-4)
    assert_array_equal(found.triangles, plain.triangles)
    assert_allclose(found.weights.dense(2), plain.weights.dense(2), atol=1e-6)
    confined, _ = read_confined(tmp_path / "test.glb", "character")
    assert_array_equal(confined.points, found.points)


@pytest.mark.skipif(not HAS_DRACO, reason="DracoPy is not installed")
def test_a_broken_draco_stream_is_refused(tmp_path):
    file = draco_arm()
    view = file.json["bufferViews"][
        file.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["bufferView"]
    ]
    file.blob[view["byteOffset"] : view["byteOffset"] + 5] = b"xxxxx"
    with pytest.raises(FormatError, match="Draco cannot unpack it"):
        load(file.save(tmp_path))
    file = draco_arm()
    file.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]["POSITION"] = 99
    with pytest.raises(FormatError, match="packed no such attribute"):
        load(file.save(tmp_path))


def test_without_the_library_a_draco_file_says_what_to_install(tmp_path, monkeypatch):
    file = arm()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}}
    monkeypatch.setattr("supple.io.compressed.unpacking.importlib.util.find_spec", lambda name: None)
    assert len(load(file.save(tmp_path)).points) == 4  # the plain numbers are there too
    del file.json["accessors"][primitive["attributes"]["POSITION"]]["bufferView"]
    with pytest.raises(UnfinishedError, match=r"supple\[draco\]"):
        load(file.save(tmp_path))


@pytest.mark.skipif(
    not HAS_DRACO or not (CESIUM / "CesiumMan-draco").is_dir(), reason="DracoPy or the file is not here"
)
def test_a_real_character_is_the_same_as_its_plain_twin():
    packed, plain = load(CESIUM / "CesiumMan-draco" / "CesiumMan.gltf"), load(CESIUM / "CesiumMan.glb")
    assert len(packed.triangles) == len(plain.triangles)
    assert_allclose(packed.size, plain.size, rtol=2e-3)
    assert packed.skeleton.names == plain.skeleton.names


# Quantised and repeated


def test_quantised_meshes_are_read(tmp_path):
    """KHR_mesh_quantization: places in short integers under a node that scales, normals in bytes."""
    file = GltfFile()
    mesh = file.mesh(name="small")
    attributes = file.json["meshes"][mesh]["primitives"][0]["attributes"]
    attributes["POSITION"] = file.accessor((np.array(QUAD) * 1000).astype(int), "h")
    attributes["NORMAL"] = file.accessor([[0, 76, 102]] * 4, "b", normalized=True)
    file.add("nodes", mesh=mesh, scale=[0.001, 0.001, 0.001])
    file.add("scenes", nodes=[0])
    file.json["extensionsRequired"] = file.json["extensionsUsed"] = ["KHR_mesh_quantization"]
    small = load(file.save(tmp_path))
    assert_allclose(small.points, QUAD, atol=1e-9)
    assert_allclose(small.display.attributes["NORMAL"], [[0.0, 0.6, 0.8]] * 4, atol=5e-3)


def test_copies_of_a_mesh_are_all_there(tmp_path):
    file = GltfFile()
    mesh = file.mesh(name="leaf")
    places = [[0, 0, 0], [3, 0, 0], [0, 5, 0]]
    copies = {"TRANSLATION": file.accessor(places), "SCALE": file.accessor([[1, 1, 1], [2, 2, 2], [1, -1, 1]])}
    file.add("nodes", mesh=mesh, translation=[10, 0, 0], extensions={"EXT_mesh_gpu_instancing": {"attributes": copies}})
    file.add("scenes", nodes=[0])
    leaves = load(file.save(tmp_path))
    expected = [
        np.array(QUAD) * scale + place + [10, 0, 0]
        for scale, place in zip(([1] * 3, [2] * 3, [1, -1, 1]), places, strict=True)
    ]
    assert len(leaves.triangles) == 6
    assert_allclose(np.unique(leaves.points, axis=0), np.unique(np.concatenate(expected), axis=0), atol=1e-6)
    copies["SCALE"] = file.accessor([[1, 1, 1]])
    with pytest.raises(InputError, match="not equally many"):
        load(file.save(tmp_path))
