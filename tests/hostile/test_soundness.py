"""A glTF without a mesh is called well formed where it is, and where it is not the error is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from supple.errors import FormatError, InputError
from supple.io import load

SOUND = {
    "asset": {"version": "2.0", "copyright": "nobody"},
    "buffers": [{"byteLength": 64, "uri": "data:application/octet-stream;base64," + "AAAA" * 22}],
    "bufferViews": [{"buffer": 0, "byteLength": 48, "byteOffset": 16, "byteStride": 12, "target": 34962}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}],
    "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}],
    "samplers": [{"wrapS": 33071, "magFilter": 9729}],
    "textures": [{"sampler": 0}],
    "materials": [{"alphaMode": "MASK", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    "nodes": [{"camera": 0, "children": [1]}, {"rotation": [0, 0, 0, 1]}],
    "scenes": [{"nodes": [0]}],
    "scene": 0,
}


def _clip(*samplers):
    channels = [{"sampler": sampler, "target": {"node": 0, "path": "scale"}} for sampler in samplers]
    return {"channels": channels, "samplers": [{"input": 0, "output": 0}]}


def written(tmp_path: Path, change) -> Path:
    data = json.loads(json.dumps(SOUND))
    change(data)
    path = tmp_path / "none.gltf"
    path.write_text(json.dumps(data))
    return path


def test_a_sound_file_is_well_formed(tmp_path):
    with pytest.raises(InputError, match="well formed and holds no mesh") as caught:
        load(written(tmp_path, lambda data: None))
    assert not isinstance(caught.value, FormatError)


@pytest.mark.parametrize(
    ("kind", "field", "value", "said"),
    [
        ("buffers", "byteLength", 0, r"buffers\[0\]\.byteLength"),
        ("buffers", "uri", 5, r"buffers\[0\]\.uri: it is no text"),
        ("bufferViews", "buffer", 3, r"bufferViews\[0\]\.buffer"),
        ("bufferViews", "byteLength", 60, r"bufferViews\[0\]: it ends at byte 76"),
        ("bufferViews", "byteStride", 13, r"byteStride: it is '13'"),
        ("bufferViews", "target", 1, "target: it is '1'"),
        ("accessors", "componentType", 5124, "componentType"),
        ("accessors", "type", "VEC5", "one of SCALAR"),
        ("accessors", "count", -1, r"accessors\[0\]\.count"),
        ("accessors", "normalized", 1, "neither true nor false"),
        ("buffers", "uri", "data:text/plain;base64,AAAA", "data of another kind"),
        ("accessors", "count", 5, r"accessors\[0\]: it ends at byte 60 of its view"),
        ("accessors", "byteOffset", 8, r"accessors\[0\]: it ends at byte 56 of its view"),
        ("accessors", "byteOffset", 2, r"accessors\[0\]: it begins between two numbers"),
        ("nodes", "rotation", [0, 0, 0.5, 0.5], r"nodes\[0\]\.rotation: its length is 0\.7"),
        ("accessors", "min", [0, 0], r"accessors\[0\]\.min: it is no list of that length"),
        ("accessors", "max", ["a", 0, 0], r"accessors\[0\]\.max: it is a"),
        ("accessors", "sparse", {"count": 1}, "indices is missing"),
        ("cameras", "type", "fisheye", "one of perspective"),
        ("cameras", "perspective", {"yfov": 0, "znear": 1}, "yfov: it is 0"),
        ("samplers", "wrapS", 1, "wrapS"),
        ("textures", "source", 0, "there are no images"),
        ("materials", "alphaMode", "GLASS", "one of OPAQUE"),
        ("materials", "emissiveFactor", [1, 2, 3], "emissiveFactor: it is 2"),
        ("materials", "pbrMetallicRoughness", {"baseColorTexture": {}}, "index is missing"),
        ("nodes", "camera", 7, r"nodes\[0\]\.camera"),
        ("nodes", "matrix", [1.0] * 15, "16 (finite )?numbers"),
        ("nodes", "name", 3, r"nodes\[0\]\.name: it is no text"),
        ("scenes", "nodes", [0, 0], "stands in it twice"),
    ],
)
def test_the_error_of_a_file_without_a_mesh_is_named(tmp_path, kind, field, value, said):
    path = written(tmp_path, lambda data: data[kind][0].__setitem__(field, value))
    with pytest.raises(FormatError, match=said):
        load(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.update(extensionsRequired=["A"]), "not in extensionsUsed"),
        (lambda data: data.update(extensionsUsed=["A", "A"]), "different words"),
        (lambda data: data["asset"].update(copyright=1), r"asset\.copyright"),
        (lambda data: data.update(animations=[{"channels": [], "samplers": []}]), "at least one"),
        (lambda data: data.update(animations=[_clip(4)]), r"channels\[0\]\.sampler: it is 4"),
        (lambda data: data.update(animations=[_clip(0)]), r"accessors\[0\] holds no times"),
        (lambda data: data.update(animations=[_clip(0, 0)]), "two channels move the same"),
        (lambda data: data.update(skins=[{}]), "joints is missing|joints"),
        (lambda data: data["nodes"][1].update(extensions=[]), "extensions: it is no object"),
    ],
)
def test_so_is_an_error_between_its_parts(tmp_path, change, said):
    with pytest.raises(FormatError, match=said):
        load(written(tmp_path, change))


def test_a_whole_number_with_a_point_is_a_whole_number(tmp_path):
    def pointed(data):
        data["bufferViews"][0] |= {"buffer": 0.0, "byteLength": 48.0, "byteStride": 12.0}
        data["accessors"][0] |= {"bufferView": 0.0, "count": 4.0}

    with pytest.raises(InputError, match="well formed and holds no mesh"):
        load(written(tmp_path, pointed))
