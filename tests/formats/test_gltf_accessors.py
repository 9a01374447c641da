"""The typed arrays of glTF against plain struct, and every way to name bytes that are not there."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from gltf_files import CODES, TYPES, GltfFile, arm, glb
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import FormatError
from supple.io import load
from supple.io.gltf.accessors import Accessors
from supple.io.gltf.document import Document
from supple.io.gltf.faults import Faults
from supple.io.surfaces.welding import weld

MOST = {"b": 127.0, "B": 255.0, "h": 32767.0, "H": 65535.0}


def rows_of(file: GltfFile, folder: Path, number: int = 0) -> np.ndarray:
    path = file.save(folder)
    fields = file.json["accessors"][number]
    return Accessors(Document(path, Faults(path.name, repair=False))).rows(number, "test", shape=fields["type"])


@st.composite
def layouts(draw):
    """Component letter, width, rows, bytes between elements, bytes before them, and whether normalised."""
    letter = draw(st.sampled_from("bBhHIf"))
    width = draw(st.sampled_from(sorted(TYPES)))
    size = struct.calcsize(letter) * width
    low, high = {"b": (-128, 127), "B": (0, 255), "h": (-32768, 32767), "H": (0, 65535), "I": (0, 2**32 - 1)}.get(
        letter, (0, 0)
    )
    number = st.floats(width=32, allow_nan=False) if letter == "f" else st.integers(low, high)
    rows = draw(st.lists(st.lists(number, min_size=width, max_size=width), min_size=1, max_size=6))
    stride = draw(st.sampled_from([None, *range(size + -size % 4, min(size + 16, 253), 4)]))
    return letter, rows, stride, draw(st.sampled_from([0, 4, 8])), draw(st.booleans()) and letter in MOST


@settings(max_examples=150)
@given(layouts())
def test_rows_equal_struct_unpacked_one_by_one(tmp_path_factory, layout):
    letter, rows, stride, before, normalize = layout
    width = len(rows[0])
    size = struct.calcsize(letter) * width
    data = b"\xee" * before
    for row in rows:
        data += struct.pack(f"<{width}{letter}", *row).ljust(stride or size, b"\xdd")
    file = GltfFile()
    file.view(b"\x99" * 12)
    view = file.view(data, **({"byteStride": stride} if stride else {}))
    file.add(
        "accessors",
        bufferView=view,
        byteOffset=before,
        componentType=CODES[letter],
        count=len(rows),
        type=TYPES[width],
        normalized=normalize,
    )
    given_back = rows_of(file, tmp_path_factory.mktemp("rows"))
    oracle = [
        struct.unpack_from(f"<{width}{letter}", data, before + (stride or size) * position)
        for position in range(len(rows))
    ]
    if normalize:
        oracle = [[max(value / MOST[letter], -1.0) for value in row] for row in oracle]
    np.testing.assert_array_equal(given_back, np.array(oracle, dtype=np.float64))


@settings(max_examples=60)
@given(st.integers(1, 12), st.sampled_from("BHI"), st.booleans(), st.data())
def test_sparse_changes_replace_rows(tmp_path_factory, count, letter, based, data):
    positions = sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1)))
    file = GltfFile()
    base = np.arange(3.0 * count).reshape(count, 3)
    if based:
        file.accessor(base)
    else:
        file.add("accessors", componentType=5126, count=count, type="VEC3")
        base = np.zeros((count, 3))
    values = 100.0 + np.arange(3.0 * len(positions)).reshape(-1, 3)
    file.json["accessors"][0]["sparse"] = {
        "count": len(positions),
        "indices": {
            "bufferView": file.view(struct.pack(f"<{len(positions)}{letter}", *positions)),
            "componentType": CODES[letter],
        },
        "values": {"bufferView": file.view(values.astype("<f4").tobytes())},
    }
    base[positions] = values
    np.testing.assert_array_equal(rows_of(file, tmp_path_factory.mktemp("sparse")), base)


def sparse_file(**changes) -> GltfFile:
    file = GltfFile()
    file.accessor(np.zeros((4, 3)))
    sparse = {
        "count": 2,
        "indices": {"bufferView": file.view(struct.pack("<2H", 1, 3)), "componentType": 5123},
        "values": {"bufferView": file.view(bytes(24))},
    }
    for key, value in changes.items():
        part, _, field = key.partition("__")
        if field:
            sparse[part][field] = value
        else:
            sparse[part] = value
    file.json["accessors"][0]["sparse"] = sparse
    return file


@pytest.mark.parametrize(
    "changes",
    [
        {"count": 5},
        {"count": 0},
        {"count": -1},
        {"count": 2**40},
        {"indices": {}},
        {"values": {}},
        {"values": 3},
        {"indices__componentType": 5122},
        {"indices__componentType": 5126},
        {"indices__byteOffset": 2},
        {"values__byteOffset": 4},
        {"values__bufferView": 99},
        {"indices__bufferView": 0, "indices__componentType": 5121},
    ],
)
def test_sparse_accessors_that_do_not_add_up_are_refused(tmp_path, changes):
    assert len(rows_of(sparse_file(), tmp_path)) == 4
    with pytest.raises(FormatError):
        rows_of(sparse_file(**changes), tmp_path)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("accessors", "count", 5),
        ("accessors", "count", 0),
        ("accessors", "count", 2**31),
        ("accessors", "count", 1e99),
        ("accessors", "count", True),
        ("accessors", "count", "4"),
        ("accessors", "count", None),
        ("accessors", "count", 3.5),
        ("accessors", "byteOffset", 4),
        ("accessors", "byteOffset", -4),
        ("accessors", "byteOffset", 2**62),
        ("accessors", "componentType", 5124),
        ("accessors", "componentType", 5130),
        ("accessors", "bufferView", 1),
        ("accessors", "bufferView", -1),
        ("accessors", "bufferView", "0"),
        ("bufferViews", "buffer", 1),
        ("bufferViews", "buffer", None),
        ("bufferViews", "byteLength", 49),
        ("bufferViews", "byteLength", 0),
        ("bufferViews", "byteLength", 47),
        ("bufferViews", "byteOffset", 1),
        ("bufferViews", "byteOffset", 2**63),
        ("bufferViews", "byteStride", 8),
        ("bufferViews", "byteStride", 16),
        ("bufferViews", "byteStride", 256),
        ("bufferViews", "byteStride", 0),
    ],
)
def test_every_wrong_number_is_refused(tmp_path, kind, field, value):
    file = GltfFile()
    file.accessor(np.ones((4, 3)))
    assert len(rows_of(file, tmp_path)) == 4
    file.json[kind][0][field] = value
    with pytest.raises(FormatError):
        rows_of(file, tmp_path)


@pytest.mark.parametrize("sparse", [False, True])
def test_zeros_that_would_fill_the_memory_are_refused(tmp_path, sparse):
    file = sparse_file() if sparse else GltfFile()
    if sparse:
        del file.json["accessors"][0]["bufferView"]
    else:
        file.add("accessors", componentType=5126, type="VEC3")
    file.json["accessors"][0]["count"] = 2**31
    with pytest.raises(FormatError, match="unfolds"):
        rows_of(file, tmp_path)


def test_many_copies_of_one_mesh_that_would_fill_the_memory_are_refused(tmp_path):
    file = GltfFile()
    points = np.random.default_rng(0).random((3000, 3))
    mesh = file.mesh(points=points, triangles=None)
    for _ in range(2000):
        file.add("nodes", mesh=mesh)
    with pytest.raises(FormatError, match="unfolds"):
        load(file.save(tmp_path))


# Buffers


def embedded(file: GltfFile, folder: Path, **buffer) -> Path:
    path = folder / "test.gltf"
    path.write_text(json.dumps(file.document(**buffer)))
    return path


@pytest.mark.parametrize(
    "uri",
    [
        "/etc/passwd",
        "../secret.bin",
        "inner/../../secret.bin",
        "%2e%2e/secret.bin",
        "file:///etc/passwd",
        "http://example.com/a.bin",
        "C:\\a.bin",
        "..\\secret.bin",
        "c:a.bin",
        "",
        "a\0b",
        "missing.bin",
        ".",
        7,
        "data:nothing",
        "data:;base64,####",
        "data:application/octet-stream;base64,AAAA",
        "//host/share/a.bin",
        "x" * 5000,
    ],
)
def test_buffers_elsewhere_are_refused(tmp_path, uri):
    file = arm()
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(bytes(file.blob))
    with pytest.raises(FormatError, match=r"buffers\[0\]"):
        load(embedded(file, folder, uri=uri))


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    file = arm()
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(file.blob))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(FormatError, match="out of the folder"):
        load(embedded(file, folder, uri="link.bin"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.bin")
    with pytest.raises(FormatError, match="no file"):
        load(embedded(arm(), tmp_path, uri="pipe.bin"))


def test_a_buffer_that_is_too_short_is_refused(tmp_path):
    file = arm()
    (tmp_path / "short.bin").write_bytes(bytes(file.blob)[:-1])
    with pytest.raises(FormatError, match="byteLength"):
        load(embedded(file, tmp_path, uri="short.bin"))


def test_a_file_that_many_buffers_name_is_read_once(tmp_path):
    """However they spell it and whatever lengths they give, and no further than the longest of them."""
    (tmp_path / "a.bin").write_bytes(bytes(range(200)))
    lengths = [7, 100, 20, 1e999, "long"]
    buffers = [{"byteLength": length, "uri": "./" * number + "a.bin"} for number, length in enumerate(lengths)]
    path = tmp_path / "test.gltf"
    for most, read in ((3, 100), (5, 200)):
        path.write_text(
            json.dumps({"asset": {"version": "2.0"}, "buffers": buffers[:most]}).replace("Infinity", "1e999")
        )
        document = Document(path, Faults(path.name, repair=False))
        contents = [document.buffer(number) for number in range(3)]
        assert [bytes(content) for content in contents] == [bytes(range(length)) for length in lengths[:3]]
        assert {id(content.obj) for content in contents} == {id(contents[0].obj)}
        assert len(contents[0].obj) == read
    for number in (3, 4):
        with pytest.raises(FormatError, match=rf"buffers\[{number}\].byteLength"):
            document.buffer(number)


def test_spellings_of_one_file_neither_read_it_again_nor_add_to_what_may_be_unfolded(tmp_path):
    """Dots, percent signs, links to the same file inside the folder: its bytes count once."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.bin").write_bytes(bytes(1000))
    (tmp_path / "soft.bin").symlink_to("a.bin")
    os.link(tmp_path / "a.bin", tmp_path / "hard.bin")
    (tmp_path / "b.bin").write_bytes(bytes(1000))
    spellings = ["a.bin", "./a.bin", "././a.bin", ".//a.bin", "%61.bin", "soft.bin", "hard.bin"]
    buffers = [{"byteLength": 1000, "uri": uri} for uri in [*spellings, "b.bin"]]
    path = tmp_path / "test.gltf"
    path.write_text(json.dumps({"asset": {"version": "2.0"}, "buffers": buffers}))
    document = Document(path, Faults(path.name, repair=False))
    first, room = document.buffer(0), document.room(1)
    for number in range(1, len(spellings)):
        assert document.buffer(number).obj is first.obj
    assert document.room(1) == room
    assert document.buffer(len(spellings)).obj is not first.obj  # equal bytes, another file
    assert document.room(1) > room


def test_plain_data_addresses_are_read(tmp_path):
    file = arm()
    uri = "data:application/octet-stream," + "".join(f"%{byte:02x}" for byte in file.blob)
    assert len(load(embedded(file, tmp_path, uri=uri)).points) == 4


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"{",
        b"null",
        b"\xff\xfe",
        b'{"asset":{"version":"1.0"}}',
        b'{"asset":{"version":2}}',
        b'{"asset":{"version":"2.0"},"scene":NaN}',
        b'{"a":' * 100_000,
        b"\xef\xbb\xbf" + b'{"asset":{"version":"2.0"}}',
    ],
)
def test_json_that_is_none_is_refused(tmp_path, text):
    for path, data in ((tmp_path / "a.gltf", text), (tmp_path / "a.glb", glb(text))):
        path.write_bytes(data)
        with pytest.raises(FormatError):
            load(path)


# Welding


@settings(max_examples=80)
@given(st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.0, 2.5]), st.integers(0, 2)), min_size=1, max_size=30))
def test_welding_equals_a_dictionary(rows):
    columns = [np.array([[row[0]] for row in rows]), np.array([[row[1]] for row in rows], dtype=np.int32)]
    first, group = weld(columns)
    seen: dict[tuple, int] = {}
    expected = [seen.setdefault((value + 0.0, number), len(seen)) for value, number in rows]
    assert group.tolist() == expected
    assert [expected.index(point) for point in range(len(seen))] == first.tolist()


def test_welding_is_not_fooled_by_equal_mixes(monkeypatch):
    """With a mix that throws everything together, rows are still compared in full."""
    monkeypatch.setattr("supple.io.surfaces.welding._FACTORS", (0, 0))
    first, group = weld([np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])])
    assert first.tolist() == [0, 1]
    assert group.tolist() == [0, 1, 0]
