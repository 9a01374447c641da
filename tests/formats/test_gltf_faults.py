"""Files that are wrong: refused in a sentence, mended when asked, and never a crash, a hang or a full memory."""

from __future__ import annotations

import base64
import json
import random
import warnings

import numpy as np
import pytest
from fuzzing import NASTY, changed, parts_of, places_in, rich
from gltf_files import QUAD, GltfFile, arm, glb
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from conftest import SHARED
from supple import Character, records
from supple.errors import FormatError, InputError, SuppleWarning
from supple.io import load, load_motion

BROKEN = sorted(path for path in (SHARED / "broken" / "gltf").glob("*/*.gl*") if path.suffix != ".json")


def weights(file: GltfFile, rows, joints=None) -> GltfFile:
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_0"] = file.accessor(rows)
    if joints is not None:
        attributes["JOINTS_0"] = file.accessor(joints, "H")
    return file


def told_by(path, *, repair: bool = False) -> tuple[Character, list[str]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        character = load(path, repair=repair)
    return character, [str(warning.message) for warning in seen]


# Weights


def test_rounding_of_weights_is_normalised_in_silence(tmp_path):
    file = weights(arm(), [[0.5, 0.495, 0, 0]] * 4, [[0, 1, 0, 0]] * 4)
    character, told = told_by(file.save(tmp_path))
    assert not told
    np.testing.assert_allclose(character.weights.values.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(character.weights.values[0, 0], 0.5 / 0.995, atol=1e-7)


def test_weights_that_do_not_sum_to_one_are_refused_or_normalised(tmp_path):
    path = weights(arm(), [[1.0, 1.0, 0, 0]] * 4, [[0, 1, 0, 0]] * 4).save(tmp_path)
    with pytest.raises(FormatError, match=r"weights are not sound.*repair=True"):
        load(path)
    character, told = told_by(path, repair=True)
    np.testing.assert_allclose(character.weights.values, 0.5)
    assert len(told) == 1
    assert "4 vertices renormalised" in told[0]


def test_a_vertex_without_weights_is_refused_or_follows_the_first_joint_of_its_skin(tmp_path):
    file = weights(arm(), [[0, 0, 0, 0], *[[1.0, 0, 0, 0]] * 3])
    file.json["skins"][0] = {"joints": [1, 0]}  # its first joint is the hand
    path = file.save(tmp_path)
    with pytest.raises(FormatError, match="not sound"):
        load(path)
    character, told = told_by(path, repair=True)
    assert character.skeleton.names[character.weights.joints[0, 0]] == "hand"
    assert "the skin's first joint" in told[0]


def test_joints_out_of_range_without_weight_are_mended_and_told(tmp_path):
    path = weights(arm(), [[1.0, 0, 0, 0]] * 4, [[0, 9, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]).save(tmp_path)
    character, told = told_by(path)
    np.testing.assert_allclose(character.points, QUAD)
    assert "out of range with weight 0" in told[0]


def test_joints_out_of_range_with_weight_are_refused_or_dropped(tmp_path):
    path = weights(arm(), [[0.5, 0.5, 0, 0]] * 4, [[0, 9, 0, 0]] * 4).save(tmp_path)
    with pytest.raises(FormatError, match="repair=True"):
        load(path)
    character, told = told_by(path, repair=True)
    assert character.weights.influences == 1
    assert "joints that do not exist" in told[0]


@pytest.mark.parametrize("bad", [-0.5, np.nan, np.inf])
def test_weights_that_are_no_shares_are_refused_or_dropped(tmp_path, bad):
    path = weights(arm(), [[1.0, bad, 0, 0]] * 4, [[0, 1, 0, 0]] * 4).save(tmp_path)
    with pytest.raises(FormatError, match="repair=True"):
        load(path)
    character, told = told_by(path, repair=True)
    np.testing.assert_allclose(character.weights.values[:, 0], 1.0)
    assert told


# Skins


@pytest.mark.parametrize(
    "matrix", [np.zeros((4, 4)), np.full((4, 4), np.nan), np.diag([1.0, 0.0, 1.0, 1.0]), np.ones((4, 4)) + np.eye(4)]
)
def test_bind_matrices_that_cannot_be_inverted_are_refused_or_replaced(tmp_path, matrix):
    file = arm()
    file.json["skins"] = []
    file.skin([0, 1], [np.eye(4), matrix])
    path = file.save(tmp_path)
    with pytest.raises(FormatError, match=r"inverseBindMatrices: 1 of 2.*repair=True"):
        load(path)
    character, told = told_by(path, repair=True)
    np.testing.assert_allclose(character.skeleton.heads, [[0, 0, 0], [0, 1, 0]])
    assert "bound where the file shows them" in told[0]


def test_a_joint_bound_at_no_size_is_refused(tmp_path):
    file = arm()
    file.json["nodes"][1]["translation"] = [0.0, 0.0, 0.0]
    file.json["skins"] = []
    file.skin([0, 1], [np.diag([900.0, 900.0, 900.0, 1.0])] * 2)
    file.json["nodes"][0]["scale"] = [1e-3] * 3
    np.testing.assert_allclose(load(file.save(tmp_path)).points, 0.9 * np.array(QUAD))
    file.json["nodes"][0]["scale"] = [5e-6] * 3
    with pytest.raises(FormatError, match=r"'shoulder'.*size of nearly nothing"):
        load(file.save(tmp_path))


def test_matrices_of_skins_that_nothing_uses_do_no_harm(tmp_path):
    file = arm()
    file.skin([0], [np.zeros((4, 4))])
    assert not told_by(file.save(tmp_path))[1]


def test_a_skin_on_a_mesh_without_weights_is_refused_or_rides(tmp_path):
    file = arm()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    del attributes["JOINTS_0"], attributes["WEIGHTS_0"]
    path = file.save(tmp_path)
    with pytest.raises(FormatError, match="no weights"):
        load(path)
    character, _ = told_by(path, repair=True)
    assert set(character.weights.joints.ravel()) == {0}


def test_weights_without_a_skin_ride_on_the_node(tmp_path):
    file = arm()
    del file.json["nodes"][2]["skin"]
    character, told = told_by(file.save(tmp_path))
    assert character.skeleton.names == ("body",)
    assert not told


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda j: j["skins"][0].update(joints=[0, 99]), "joints"),
        (lambda j: j["skins"][0].update(joints=[]), "no joints"),
        (lambda j: j["skins"][0].update(joints="all"), "joints"),
        (lambda j: j["skins"][0].update(joints=[0, 1, 1]), "3 joints need one each"),
        (lambda j: j["skins"][0].update(skeleton=1), "not above all joints"),
        (lambda j: j["skins"][0].update(skeleton=50), "skeleton"),
        (lambda j: j["nodes"][2].update(skin=4), "skin"),
        (lambda j: j["nodes"][2].update(mesh=4), "mesh"),
        (lambda j: j["nodes"][0].update(children=[1, 1]), "two nodes"),
        (lambda j: j["nodes"][1].update(children=[0]), "ancestor"),
        (lambda j: j["nodes"][0].update(children=[0, 1]), "ancestor"),
        (lambda j: j["nodes"][0].update(children=[9]), "children"),
        (lambda j: j["nodes"][0].update(rotation=[0, 0, 0, 0]), "rotation"),
        (lambda j: j["nodes"][0].update(rotation=[0, 0, 0]), "4 finite numbers"),
        (lambda j: j["nodes"][0].update(translation=[0, 0, "0"]), "3 finite numbers"),
        (lambda j: j["nodes"][0].update(scale=[1, 1, 1e200]), "3 finite numbers"),
        (lambda j: j["nodes"][0].update(matrix=[1] * 16), "last row"),
        (lambda j: j["nodes"].append(3), "an object is needed"),
        (lambda j: j.update(nodes={}), "a list is needed"),
        (lambda j: j.update(scene=5), "scene"),
        (lambda j: j["scenes"][0].update(nodes=[8]), "scenes"),
        (lambda j: j["meshes"][0]["primitives"][0].update(mode=7), "mode"),
        (lambda j: j["meshes"][0]["primitives"][0].update(indices=0), "SCALAR"),
        (lambda j: j["meshes"][0]["primitives"][0].update(attributes=3), "attributes"),
        (lambda j: j["meshes"][0]["primitives"][0].update(targets=[3]), "no object"),
        (lambda j: j["meshes"][0]["primitives"][0]["attributes"].pop("JOINTS_0"), "both are needed"),
        (lambda j: j["meshes"][0]["primitives"][0]["attributes"].update(WEIGHTS_0=0), "VEC4"),
        (lambda j: j["meshes"][0].update(primitives=[None]), "no object"),
    ],
)
def test_structures_that_do_not_hold_are_refused_where_they_are(tmp_path, change, message):
    file = arm()
    assert load(file.save(tmp_path))
    change(file.json)
    with pytest.raises(FormatError, match=message):
        load(file.save(tmp_path))


def test_triangles_of_vertices_that_are_not_there_are_refused(tmp_path):
    file = GltfFile()
    file.add("nodes", mesh=file.mesh(triangles=[0, 1, 4]))
    with pytest.raises(FormatError, match="vertex 4"):
        load(file.save(tmp_path))


def test_places_that_are_not_finite_are_refused(tmp_path):
    file = GltfFile()
    file.add("nodes", mesh=file.mesh(points=[*QUAD[:3], [0, np.nan, 0]]))
    with pytest.raises(FormatError, match="not finite"):
        load(file.save(tmp_path))


def test_too_many_and_too_deep_joints_are_refused(tmp_path):
    wide = GltfFile()
    mesh = wide.mesh()
    wide.json["nodes"] = [{"mesh": mesh}] * 17_000
    with pytest.raises(FormatError, match="at most 16384 joints"):
        load(wide.save(tmp_path))
    deep = GltfFile()
    mesh = deep.mesh()
    deep.json["nodes"] = [{"children": [n + 1], "mesh": mesh} for n in range(3000)] + [{"mesh": mesh}]
    with pytest.raises(FormatError, match="deep"):
        load(deep.save(tmp_path))


# Whole files


def test_a_buffer_that_is_only_there_compressed_is_refused_by_name(tmp_path):
    file = arm()
    whole = file.document(uri="arm.bin")
    (tmp_path / "arm.bin").write_bytes(bytes(file.blob))
    whole["buffers"].append({"byteLength": 64, "extensions": {"EXT_meshopt_compression": {"fallback": True}}})
    whole["bufferViews"][0]["buffer"] = 1
    path = tmp_path / "arm.gltf"
    path.write_text(json.dumps(whole))
    with pytest.raises(FormatError, match=r"buffers\[1\]: it is compressed with meshopt"):
        load(path)


def test_unknown_extensions_are_told_and_those_of_materials_are_not(tmp_path):
    file = arm()
    file.json["extensionsRequired"] = ["KHR_materials_unlit", "KHR_mesh_quantization", "KHR_texture_transform"]
    assert not told_by(file.save(tmp_path))[1]
    file.json["extensionsRequired"] = ["ACME_wobble"]
    assert "ACME_wobble" in told_by(file.save(tmp_path))[1][0]


def test_quantised_places_and_weights_are_read(tmp_path):
    file = arm()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["POSITION"] = file.accessor(np.array(QUAD, dtype=int) * 127, "b", normalized=True)
    attributes["WEIGHTS_0"] = file.accessor([[255, 0, 0, 0]] * 4, "B", normalized=True)
    attributes["JOINTS_0"] = file.accessor([[0, 0, 0, 0]] * 2 + [[1, 0, 0, 0]] * 2, "B")
    np.testing.assert_allclose(load(file.save(tmp_path)).points, QUAD)


@pytest.mark.parametrize("content", [{}, {"nodes": [{}]}, {"nodes": [{}], "scenes": [{"nodes": [0]}]}])
def test_a_sound_file_without_a_mesh_is_told_apart_from_a_broken_one(tmp_path, content):
    path = tmp_path / "empty.gltf"
    path.write_text(json.dumps({"asset": {"version": "2.0"}, **content}))
    with pytest.raises(InputError, match="well formed and holds no mesh") as caught:
        load(path)
    assert not isinstance(caught.value, FormatError)


@pytest.mark.parametrize("unit", ["{},", "[],", '{"a":0},', "0,"])
def test_text_that_unfolds_to_many_times_its_size_is_refused(tmp_path, monkeypatch, unit):
    monkeypatch.setattr(records, "ALLOWANCE", 10_000)
    path = tmp_path / "brackets.gltf"
    for count, said in ((3, "well formed"), (3000, "unfolds to")):
        path.write_text('{"asset":{"version":"2.0"},"extras":[' + unit * count + "0]}")
        with pytest.raises(InputError, match=said):
            load(path)


def test_dense_text_of_a_sound_file_is_not_taken_for_brackets(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "ALLOWANCE", 0)
    file = arm()
    file.json["animations"] = [{"samplers": [], "channels": [{"sampler": 0, "target": {"path": "pointer"}}] * 900}]
    file.json["accessors"] += [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}] * 900
    path = tmp_path / "dense.gltf"
    path.write_text(json.dumps(file.document(uri="arm.bin"), separators=(",", ":")))
    (tmp_path / "arm.bin").write_bytes(bytes(file.blob))
    assert len(told_by(path)[0].points) == 4


@pytest.mark.parametrize("kind", ["skins", "animations", "nodes", "meshes", "scenes"])
def test_an_empty_list_is_told_and_is_what_is_wrong_with_a_file_that_shows_nothing(tmp_path, kind):
    path = tmp_path / "empty.gltf"
    path.write_text(json.dumps({"asset": {"version": "2.0"}, kind: []}))
    for door in (load, load_motion):
        with pytest.raises(FormatError, match=rf"{kind}: it is an empty list"):
            door(path)
    file = GltfFile()
    file.add("nodes", mesh=file.mesh())
    if kind in ("skins", "animations"):
        file.json[kind] = []
        _, told = told_by(file.save(tmp_path))
        assert f"{kind}: it is an empty list" in told[0]


def verdict_on(path) -> bool:
    """Whether the reference validator calls a file sound."""
    report = json.loads(path.with_name(path.name + ".report.json").read_text())
    return report["issues"]["numErrors"] == 0


def drawn(path, folder):
    """A file with a triangle of its own added to what it holds."""
    document, blob = parts_of(path.read_bytes())
    triangle = base64.b64encode(np.array(QUAD[:3], dtype="<f4").tobytes()).decode()
    added = {
        "buffers": {"byteLength": 36, "uri": f"data:application/octet-stream;base64,{triangle}"},
        "bufferViews": {"byteLength": 36}, "accessors": {"componentType": 5126, "count": 3, "type": "VEC3"},
        "meshes": {"primitives": [{"attributes": {}}]}, "nodes": {"name": "triangle"},
    }  # fmt: skip
    numbers = {kind: len(document.setdefault(kind, [])) for kind in added}
    added["bufferViews"]["buffer"], added["accessors"]["bufferView"] = numbers["buffers"], numbers["bufferViews"]
    added["meshes"]["primitives"][0]["attributes"]["POSITION"] = numbers["accessors"]
    added["nodes"]["mesh"] = numbers["meshes"]
    for kind, fields in added.items():
        document[kind].append(fields)
    for scene in document.get("scenes", []):
        scene.setdefault("nodes", []).append(numbers["nodes"])
    whole = folder / path.name
    text = json.dumps(document).encode()
    whole.write_bytes(glb(text, blob) if path.suffix == ".glb" else text)
    return whole


@pytest.mark.skipif(not BROKEN, reason="the broken files are not here")
@pytest.mark.parametrize("path", BROKEN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_broken_files_get_the_verdict_of_the_reference_validator(tmp_path, path):
    """Files with errors are refused as broken. None of the sound ones holds a triangle: they are called well formed,
    are refused for just that, and load once they have one."""
    with pytest.raises(InputError) as caught:
        load(path)
    assert isinstance(caught.value, FormatError) != verdict_on(path)
    if not verdict_on(path):
        return
    assert type(caught.value) is InputError
    assert "well formed" in caught.value.given
    assert "a character needs a mesh" in caught.value.needed
    character, _ = told_by(drawn(path, tmp_path))
    assert character.skeleton.names[character.weights.joints[0, 0]] == "triangle"


@pytest.mark.skipif(not BROKEN, reason="the broken files are not here")
def test_there_are_sound_and_unsound_files_among_the_broken_ones():
    assert {verdict_on(path) for path in BROKEN} == {True, False}


# Whatever comes


RICH = rich()
SOUND = RICH.glb_bytes()


def survives(path) -> None:
    """Loading ends in a character or in a sentence."""
    for repair in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a number that overflows or divides by zero was not checked
            warnings.simplefilter("ignore", SuppleWarning)
            try:
                character = load(path, repair=repair)
            except InputError:
                continue
        assert np.isfinite(character.points).all()
        assert all(np.isfinite(motion.translations).all() for motion in character.motions.values())


PLACES = [position for position in places_in(RICH.document()) if position]


def test_the_file_to_be_spoilt_is_sound(tmp_path):
    path = tmp_path / "rich.glb"
    path.write_bytes(SOUND)
    character, _ = told_by(path)
    assert set(character.motions) == {"turn", "animation1"}
    assert set(character.shapes) == {"shape0"}


@pytest.mark.parametrize("number", range(len(NASTY)), ids=lambda number: repr(NASTY[number]))
def test_any_one_value_may_be_anything(tmp_path, number):
    path = tmp_path / "spoilt.glb"
    document, value = RICH.document(), NASTY[number]
    for position in PLACES[number % 3 :: 3]:  # a third of the places for each value, another third for the next
        path.write_bytes(glb(json.dumps(changed(document, position, value, drop=False)).encode(), bytes(RICH.blob)))
        survives(path)


def test_any_one_value_may_be_missing(tmp_path):
    path = tmp_path / "spoilt.glb"
    document = RICH.document()
    for position in PLACES:
        path.write_bytes(glb(json.dumps(changed(document, position, None, drop=True)).encode(), bytes(RICH.blob)))
        survives(path)


edits = st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(NASTY), st.booleans()), min_size=2, max_size=6)


@settings(max_examples=600, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(edits, st.randoms(use_true_random=False))
def test_any_few_values_may_be_anything(tmp_path, several, luck):
    document = RICH.document()
    for position, value, drop in several:
        document = changed(document, position, value, drop=drop)
    blob = bytearray(RICH.blob)
    for _ in range(luck.randrange(4)):
        blob[luck.randrange(len(blob))] = luck.randrange(256)
    path = tmp_path / "spoilt.glb"
    path.write_bytes(glb(json.dumps(document).encode(), bytes(blob)))
    survives(path)


@settings(max_examples=600, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.integers(0, len(SOUND)), st.lists(st.tuples(st.integers(0, len(SOUND) - 1), st.integers(0, 255)), max_size=8))
@example(len(SOUND), [])
def test_any_bytes_may_flip_and_the_file_may_end_anywhere(tmp_path, end, flips):
    data = bytearray(SOUND)
    for position, byte in flips:
        data[position] = byte
    path = tmp_path / "spoilt.glb"
    path.write_bytes(bytes(data[:end]))
    survives(path)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.sampled_from([".glb", ".gltf", ".vrm"]))
def test_any_bytes_at_all(tmp_path, data, suffix):
    path = tmp_path / f"noise{suffix}"
    path.write_bytes(data)
    survives(path)


def test_the_numbers_in_the_buffers_may_be_any(tmp_path):
    """Every stretch of bytes replaced by others: floats that are not finite, indices that point nowhere."""
    path = tmp_path / "spoilt.glb"
    text = json.dumps(RICH.document()).encode()
    for luck in map(random.Random, range(200)):
        blob = bytearray(RICH.blob)
        start = luck.randrange(len(blob))
        for position in range(start, min(start + luck.randrange(1, 80), len(blob))):
            blob[position] = luck.choice([0, 0xFF, 0x7F, 0x80, luck.randrange(256)])
        path.write_bytes(glb(text, bytes(blob)))
        survives(path)
