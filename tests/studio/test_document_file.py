"""Documents in files: what is saved comes back, and what is broken is refused by name."""

import contextlib
import copy
import dataclasses
import json
import shutil
import warnings
import zlib
from base64 import b64encode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple.document import Camera, CharacterSource, Document, load_document, save_document
from supple.document import file as document_file
from supple.document.file import to_dict
from supple.edits import Edits, Key, Layer, PoseEdit, SurfaceEdit, radial
from supple.errors import FormatError, InputError, SuppleWarning
from supple.geometry.quaternions import quat_from_axis_angle
from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.settings import settings_of
from supple.skins.registry import SKINS, skin_named

TUBE = make_tube(rings=9, sectors=8, bones=3)


def drawn(character=TUBE, joint="bone1"):
    """Edits with a shape, a pose and a layer of each."""
    return (
        Edits.of(character)
        .with_shape("swell", radial(character, joint, swell=0.3))
        .with_pose("bend", PoseEdit({joint: quat_from_axis_angle([0, 0, 1], 0.5)}))
        .with_layer(Layer.breathing("breath", "swell", seconds=2.0))
        .with_layer(Layer(name="lean", keys=(Key(time=0.5), Key(time=1.0, use="bend", ease="cubic-in"))))
    )


def everything(folder):
    """A document that has all that one can have, with its character in a folder."""
    supple.save(TUBE, folder / "tube.glb")
    return Document(
        CharacterSource(str(folder / "tube.glb"), repair=True, units="cm"),
        "bend",
        (
            Graph.of(skin_named("delta-mush", {"iterations": 7})),
            Graph.blend(skin_named("linear"), skin_named("dual-quaternion"), Mask(map="jiggle", soften=2)),
        ),
        drawn(),
        {"jiggle": np.linspace(0.0, 1.0, len(TUBE.points)), "stiffness": np.ones(len(TUBE.points))},
        Camera((1.0, 2.5, 3.0), (0.0, 0.1, 0.0)),
    )


def test_what_is_saved_comes_back(tmp_path):
    document = everything(tmp_path)
    save_document(document, tmp_path / "tube.supple.json")
    back = load_document(tmp_path / "tube.supple.json")
    assert to_dict(back) == to_dict(document)
    assert back.skins == document.skins
    assert back.camera == document.camera
    assert np.array_equal(back.maps["jiggle"], document.maps["jiggle"])
    assert len(back.character.open().points) == len(TUBE.points)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    save_document(back, tmp_path / "tube.supple.json")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert sorted(before) == ["tube.edits.json", "tube.glb", "tube.supple.json"]


def test_documents_that_differ_are_not_equal_by_value(tmp_path):
    one = everything(tmp_path)
    others = [
        Document(),
        one.with_map("jiggle", np.zeros(len(TUBE.points)), ""),
        one.with_edits(one.edits.without_layer("lean"), ""),
        one.with_skin(0, Graph.of(skin_named("linear")), ""),
    ]
    assert all(to_dict(other) != to_dict(one) for other in others)
    assert to_dict(Document(step="other words")) == to_dict(Document())


finite = st.floats(-1e6, 1e6, allow_nan=False)
plain = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@st.composite
def graphs(draw):
    """A skin of any kind, its numbers and switches anywhere in their ranges, or a blend of two."""
    skin = skin_named(draw(st.sampled_from(sorted(SKINS))))
    chosen = {}
    for info in settings_of(type(skin)):
        if info.values is not None or info.name == "model" or not draw(st.booleans()):
            continue
        if info.kind is bool:
            chosen[info.name] = draw(st.booleans())
        elif info.choices:
            chosen[info.name] = draw(st.sampled_from(info.choices))
        elif info.kind is float and info.low is not None and info.high is not None:
            chosen[info.name] = draw(st.floats(info.low, info.high))
    try:
        made = Graph.of(skin_named(skin.command_name, chosen))
    except InputError:  # settings that do not go together
        made = Graph.of(skin)
    if draw(st.booleans()):
        return made
    return Graph.blend(made, skin_named("linear"), Mask(map=draw(plain), low=0.25, high=draw(st.floats(0.5, 2.0))))


@st.composite
def documents(draw):
    """Any document."""
    vertices = draw(st.integers(3, 40))
    maps = draw(st.dictionaries(plain, st.lists(finite, min_size=vertices, max_size=vertices), max_size=3))
    edits = None
    if draw(st.booleans()):
        moved = draw(st.lists(st.integers(0, vertices - 1), min_size=1, max_size=5, unique=True).map(sorted))
        rows = st.lists(st.floats(-10, 10), min_size=3, max_size=3)
        shape = SurfaceEdit(moved, draw(st.lists(rows, min_size=len(moved), max_size=len(moved))))
        times = sorted(draw(st.lists(st.floats(0, 100), min_size=1, max_size=4, unique=True)))
        keys = tuple(Key(time=time, use="shape", amount=draw(st.floats(0, 2))) for time in times)
        layer = Layer(name=draw(plain), keys=keys, repeat=False, mute=draw(st.booleans()))
        edits = Edits(vertices).with_shape("shape", shape).with_layer(layer)
    point = st.tuples(finite, finite, finite)
    return Document(
        CharacterSource(draw(st.sampled_from(["hero", "arm"])), draw(st.integers(100, 200_000))),
        draw(plain),
        tuple(draw(st.lists(graphs(), min_size=1, max_size=3))),
        edits,
        {name: np.array(values) for name, values in maps.items()},
        draw(st.none() | st.builds(Camera, point, point)),
    )


@settings(max_examples=60, deadline=None)
@given(document=documents())
def test_any_document_comes_back_as_it_was(tmp_path_factory, document):
    path = tmp_path_factory.mktemp("any") / "any.supple.json"
    save_document(document, path)
    assert to_dict(load_document(path)) == to_dict(document)


def test_files_are_named_from_where_the_document_lies(tmp_path):
    (tmp_path / "scenes").mkdir()
    document = everything(tmp_path)
    save_document(document, tmp_path / "scenes" / "tube.supple.json")
    data = json.loads((tmp_path / "scenes" / "tube.supple.json").read_text())
    assert data["character"]["file"] == "../tube.glb"
    assert list(data["files"]) == ["../tube.glb"]
    shutil.move(tmp_path, moved := tmp_path.with_name(tmp_path.name + "-moved"))
    back = load_document(moved / "scenes" / "tube.supple.json")
    assert back.character.name == str(moved / "tube.glb")
    assert to_dict(back, moved) == to_dict(document, tmp_path)


def test_motions_models_and_scenes_are_files_too(tmp_path):
    (tmp_path / "step.bvh").write_text("HIERARCHY")
    (tmp_path / "hero.curves").write_bytes(b"curves")
    (tmp_path / "room.json").write_text("{}")
    skins = (
        Graph.of(skin_named("curves", {"model": str(tmp_path / "hero.curves")})),
        Graph.of(skin_named("contact", {"scene": str(tmp_path / "room.json")})),
        Graph.of(skin_named("contact", {"scene": "push"})),
    )
    document = Document(motion=str(tmp_path / "step.bvh"), skins=skins)
    save_document(document, tmp_path / "all.supple.json")
    data = json.loads((tmp_path / "all.supple.json").read_text())
    assert data["motion"] == {"file": "step.bvh"}
    assert set(data["files"]) == {"step.bvh", "hero.curves", "room.json"}
    assert str(tmp_path) not in (tmp_path / "all.supple.json").read_text()
    assert to_dict(load_document(tmp_path / "all.supple.json")) == to_dict(document)
    (tmp_path / "hero.curves").unlink()
    with pytest.raises(FormatError, match=r"hero\.curves' is not there"):
        load_document(tmp_path / "all.supple.json")


def test_a_file_that_is_another_is_told_of(tmp_path):
    document = everything(tmp_path)
    path = tmp_path / "tube.supple.json"
    save_document(document, path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_document(path)
    supple.save(make_tube(rings=9, sectors=8, bones=2), tmp_path / "tube.glb")
    with pytest.warns(SuppleWarning, match=r"tube\.glb is not the file that it was"):
        assert to_dict(load_document(path)) == to_dict(document)


def test_a_saved_file_has_another_digest_when_the_character_has(tmp_path):
    document = everything(tmp_path)
    save_document(document, tmp_path / "tube.supple.json")
    supple.save(make_tube(rings=9, sectors=8, bones=2), tmp_path / "tube.glb")
    save_document(document, tmp_path / "tube.supple.json")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_document(tmp_path / "tube.supple.json")


def test_what_only_python_holds_is_not_saved_as_if_it_were(tmp_path):
    skin = supple.PositionBased(bodies=(supple.Sphere(radius=0.1),))
    with pytest.raises(InputError, match="holds bodies that were given in Python"):
        save_document(Document(skins=(Graph.of(skin),)), tmp_path / "held.supple.json")
    assert not (tmp_path / "held.supple.json").exists()


@pytest.mark.parametrize("name", ["hero.json", "hero", ".supple.json"])
def test_other_names_are_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"supple\.json"):
        save_document(Document(), tmp_path / name)
    save_document(Document(), tmp_path / "hero.supple.json")


def packed(values):
    return b64encode(zlib.compress(np.asarray(values, dtype="<f8").tobytes())).decode()


WRONG = [
    (("format",), "other", "format"),
    (("version",), 2, "version"),
    (("extra",), 1, "extra"),
    (("character",), "hero", "character"),
    (("character", "name"), "hero", "a name or a file"),
    (("character", "file"), "nowhere.glb", "not there"),
    (("character", "file"), "\0", "not there"),
    (("character", "file"), "a" * 900, "not there"),
    (("character", "file"), 4, "file"),
    (("character", "vertices"), 0, "vertices"),
    (("character", "vertices"), True, "vertices"),
    (("character", "vertices"), 1.5, "vertices"),
    (("character", "repair"), 1, "repair"),
    (("character", "units"), "ells", "units"),
    (("character",), {"name": "nobody", "vertices": 10}, "nobody"),
    (("character",), {"vertices": 10}, "a name or a file"),
    (("motion",), None, "motion"),
    (("motion",), {"file": "nowhere.bvh"}, "not there"),
    (("motion",), {"path": "x"}, "path"),
    (("skins",), [], "skins"),
    (("skins",), {}, "skins"),
    (("skins",), [0] * 17, "at most 16"),
    (("skins", 0), 5, r"skins\[0\]"),
    (("skins", 0, "format"), "x", r"skins\[0\]"),
    (("skins", 0, "stages"), {}, r"skins\[0\]"),
    (("skins", 0, "stages"), [], r"skins\[0\]"),
    (("skins", 0, "stages", 0), 3, r"skins\[0\]"),
    (("skins", 0, "stages", 0, "skin"), "nobody", "nobody"),
    (("skins", 0, "stages", 0, "settings"), [], r"skins\[0\]"),
    (("skins", 0, "stages", 0, "settings"), {"nothing": 1}, "nothing"),
    (("skins", 0, "stages", 0, "inputs"), "x", r"skins\[0\]"),
    (("skins", 0, "stages", 0, "inputs"), [3], r"skins\[0\]"),
    (("skins", 0, "stages", 0, "beside"), 3, r"skins\[0\]"),
    (("skins", 1, "stages", 2, "blend"), {"low": "a"}, r"skins\[1\]"),
    (("skins", 1, "stages", 2, "blend"), {"soften": [1]}, r"skins\[1\]"),
    (("skins", 1, "stages", 2, "blend"), 3, r"skins\[1\]"),
    (("edits",), 3, "edits"),
    (("edits",), "../tube.edits.json", "beside it"),
    (("edits",), "/etc/tube.edits.json", "beside it"),
    (("edits",), "tube.glb", "beside it"),
    (("maps",), [], "maps"),
    (("maps", "jiggle"), [1, 2], "jiggle"),
    (("maps", "jiggle"), "?", "jiggle"),
    (("maps", "jiggle"), "AAAA", "jiggle"),
    (("maps", "jiggle"), packed([]), "jiggle"),
    (("maps", "jiggle"), packed([np.nan]), "finite"),
    (("maps", "jiggle"), packed(np.ones(7)), "each vertex"),
    (("maps", "jiggle"), packed(np.ones(70))[:24], "jiggle"),
    (("maps",), {str(n): packed([1.0]) for n in range(65)}, "at most 64"),
    (("camera",), 3, "camera"),
    (("camera", "position"), [1, 2], "position"),
    (("camera", "target"), None, "target"),
    (("files",), [], "files"),
    (("files", "nowhere.glb"), "0", "not there"),
    (("files", "tube.glb"), 7, "files"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with a whole document, and its data."""
    folder = tmp_path_factory.mktemp("whole")
    save_document(everything(folder), folder / "tube.supple.json")
    return folder, json.loads((folder / "tube.supple.json").read_text())


@pytest.mark.parametrize(("position", "value", "said"), WRONG, ids=lambda v: str(v)[:40])
def test_every_wrong_place_is_named(whole, position, value, said):
    folder, data = whole
    data = copy.deepcopy(data)
    inner = data
    for step in position[:-1]:
        inner = inner[step]
    inner[position[-1]] = value
    (folder / "broken.supple.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match=said) as caught:
        load_document(folder / "broken.supple.json")
    assert "broken.supple.json" in caught.value.where


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_anything_anywhere_is_read_or_refused(whole, data):
    folder, found = whole
    found = copy.deepcopy(found)
    inner, key = {"root": found}, "root"
    while isinstance(inner[key], dict | list) and inner[key] and data.draw(st.integers(0, 9)):
        inner = inner[key]
        key = data.draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))
    inner[key] = data.draw(values)
    (folder / "any.supple.json").write_text(json.dumps(found if key != "root" else inner["root"]))
    with warnings.catch_warnings(), contextlib.suppress(InputError):
        warnings.simplefilter("ignore", SuppleWarning)
        load_document(folder / "any.supple.json")


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", '{"format": NaN}', "[" * 100_000, "\x00", "glTF"])
def test_what_is_not_json_is_refused(tmp_path, text):
    (tmp_path / "broken.supple.json").write_text(text)
    with pytest.raises(FormatError, match=r"broken\.supple\.json"):
        load_document(tmp_path / "broken.supple.json")


def test_a_map_that_unpacks_without_end_is_refused(whole, monkeypatch):
    folder, data = whole
    data = copy.deepcopy(data)
    data["maps"] = {"jiggle": packed(np.zeros(1000))}
    (folder / "bomb.supple.json").write_text(json.dumps(data))
    assert len(load_document(folder / "bomb.supple.json").maps["jiggle"]) == 1000
    monkeypatch.setattr(document_file, "MOST_PAINTED", 999)
    with pytest.raises(FormatError, match="at most 999"):
        load_document(folder / "bomb.supple.json")


def test_missing_and_large_files_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="No such file"):
        load_document(tmp_path / "nowhere.supple.json")
    save_document(everything(tmp_path), tmp_path / "tube.supple.json")
    (tmp_path / "tube.edits.json").rename(tmp_path / "away.json")
    with pytest.raises(InputError, match=r"tube\.edits\.json"):
        load_document(tmp_path / "tube.supple.json")
    monkeypatch.setattr(document_file, "LARGEST", 100)
    with pytest.raises(FormatError, match="at most 100"):
        load_document(tmp_path / "tube.supple.json")


# Motions that were recorded


def take_of(document):
    hero = document.character.open()
    return supple.motion("walk", hero).replace(name="Take 1", loop=False, stride=None)


def test_a_take_is_saved_with_the_document_and_played_from_it(tmp_path):
    plain = Document(CharacterSource("hero", 600))
    kept = dataclasses.replace(plain.with_take(take_of(plain), "Record Take 1"), motion="Take 1")
    save_document(kept, tmp_path / "hero.supple.json")
    read = load_document(tmp_path / "hero.supple.json")
    assert to_dict(read) == to_dict(kept)
    _, motion = read.opened()
    for time in (0.0, 0.31):
        np.testing.assert_array_equal(
            motion.sample(time).world_from_joint, kept.takes["Take 1"].sample(time).world_from_joint
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda take: take.update(fps="fast"), "fps"),
        (lambda take: take.update(fps=-1), "fps"),
        (lambda take: take.update(joints=[]), "joints"),
        (lambda take: take.update(rest=take["rotations"]), "rest"),
        (lambda take: take.update(rotations=take["translations"]), "rotations"),
        (lambda take: take.update(translations="no"), "translations"),
        (lambda take: take.update(parents=[5]), "parents"),
        (lambda take: take.update(colour=1), "colour"),
    ],
)
def test_a_take_that_makes_no_sense_is_refused_by_name(tmp_path, change, words):
    plain = Document(CharacterSource("hero", 600))
    path = tmp_path / "hero.supple.json"
    save_document(plain.with_take(take_of(plain), "Record Take 1"), path)
    data = json.loads(path.read_text())
    change(data["takes"]["Take 1"])
    path.write_text(json.dumps(data))
    with pytest.raises(FormatError, match=words):
        load_document(path)
