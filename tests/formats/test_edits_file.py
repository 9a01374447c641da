"""Edits in a file beside the character, broken in every way, and baked from the command line."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple.cli import bake
from supple.cli.main import main
from supple.edits import Edits, Key, Layer, PoseEdit, load_edits, radial, save_edits
from supple.edits import file as edits_file
from supple.edits.file import to_dict
from supple.edits.strokes import Stroke, SurfaceStroke
from supple.errors import FormatError, InputError
from supple.geometry.quaternions import quat_from_axis_angle
from supple.graph.cache import Cache

TUBE = make_tube(rings=9, sectors=8, bones=3)


def everything(character=TUBE, joints=("bone1", "bone2")):
    return (
        Edits.of(character)
        .with_shape("swell", radial(character, joints[0], swell=0.3))
        .with_pose("bend", PoseEdit({joints[1]: quat_from_axis_angle([0, 0, 1], 0.5)}, {joints[0]: [0, 0.1, 0]}))
        .with_layer(Layer.breathing("breath", "swell", seconds=2.0))
        .with_layer(Layer(name="lean", keys=(Key(time=0.5), Key(time=1.0, use="bend", ease="cubic-in")), firmness=3.0))
        .with_stroke("line", Stroke([[0, 0, 0], [0, 1, 0.5], [1, 2, 0]], [0, 0.5, 1]))
        .with_stroke("scar", SurfaceStroke([3, 5], [[1, 0, 0], [0.2, 0.3, 0.5]], [3, 4, 5]))
    )


def test_what_is_saved_comes_back(tmp_path):
    edits = everything()
    save_edits(edits, tmp_path / "tube.edits.json")
    back = load_edits(tmp_path / "tube.edits.json")
    assert to_dict(back) == to_dict(edits)
    assert back.layers == edits.layers
    assert np.abs(back.shapes["swell"].offsets - edits.shapes["swell"].offsets).max() < 1e-10
    assert np.array_equal(back.surface_strokes["scar"].barycentric, edits.surface_strokes["scar"].barycentric)
    assert np.array_equal(back.strokes["line"].knots, edits.strokes["line"].knots)
    assert np.array_equal(back.poses["bend"].rotations["bone2"], edits.poses["bend"].rotations["bone2"])
    save_edits(back, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "tube.edits.json").read_bytes()


def test_no_edits_come_back_as_none(tmp_path):
    save_edits(Edits.of(TUBE), tmp_path / "none.json")
    assert to_dict(load_edits(tmp_path / "none.json")) == to_dict(Edits.of(TUBE))


def test_the_file_can_be_read_by_people(tmp_path):
    save_edits(everything(), tmp_path / "tube.json")
    lines = (tmp_path / "tube.json").read_text().splitlines()
    assert any('"breath"' in line for line in lines)
    assert any(line.strip().startswith('"vertices": [') for line in lines)
    assert len(lines) < 100


WRONG = [
    (("format",), "other", "format"),
    (("version",), 2, "version"),
    (("vertices",), 0, "vertices"),
    (("vertices",), True, "vertices"),
    (("vertices",), 10, "moves vertex"),
    (("extra",), 1, "extra"),
    (("shapes",), [], "shapes"),
    (("shapes", "swell"), 3, "swell"),
    (("shapes", "swell", "vertices"), "abc", "swell.*vertices"),
    (("shapes", "swell", "vertices"), [1], "offsets"),
    (("shapes", "swell", "offsets"), [[1, 2], [3]], "rows"),
    (("shapes", "swell", "offsets"), [["a"]], "numbers"),
    (("shapes", "swell", "offsets"), [[None]], "numbers"),
    (("shapes", "swell", "offsets"), [[10**400]], "offsets"),
    (("shapes", "swell", "color"), 1, "color"),
    (("poses", "bend", "turns"), 4, "turns"),
    (("poses", "bend", "turns", "bone2"), [0, 0, 0, 0], "bend"),
    (("poses", "bend", "moves", "bone1"), [0, 0], "bend"),
    (("poses", "bend", "moves", "bone1"), "far", "bone1"),
    (("layers",), {}, "layers"),
    (("layers", 0), [], r"layers\[0\]"),
    (("layers", 0, "name"), 3, "name"),
    (("layers", 0, "amount"), "much", "amount"),
    (("layers", 0, "amount"), True, "amount"),
    (("layers", 0, "repeat"), 1, "repeat"),
    (("layers", 0, "firmness"), -1, r"layers\[0\]"),
    (("layers", 0, "keys"), None, "keys"),
    (("layers", 0, "keys"), [], r"layers\[0\]"),
    (("layers", 1, "keys", 1, "time"), None, r"layers\[1\].keys\[1\].time"),
    (("layers", 1, "keys", 1, "ease"), "zigzag", r"layers\[1\].keys\[1\]"),
    (("layers", 1, "keys", 1, "use"), "nobody", "nobody"),
    (("layers", 1, "keys", 1, "use"), 7, "use"),
    (("layers", 1, "keys", 0), "now", r"keys\[0\]"),
    (("layers", 1, "name"), "breath", "names must differ"),
    (("strokes", "line", "knots"), [[0, 0, 0]], "line"),
    (("strokes", "line", "times"), [0, 2, 1], "line"),
    (("surface_strokes", "scar", "shares"), [[5, 0, 0], [1, 0, 0]], "scar"),
    (("surface_strokes", "scar", "triangles"), [0.5, 1], "scar"),
]


def write(path, data):
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(("position", "value", "said"), WRONG, ids=lambda v: str(v)[:40])
def test_every_wrong_place_is_named(tmp_path, position, value, said):
    data = copy.deepcopy(to_dict(everything()))
    inner = data
    for step in position[:-1]:
        inner = inner[step]
    inner[position[-1]] = value
    path = write(tmp_path / "broken.json", data)
    with pytest.raises(FormatError, match=said) as caught:
        load_edits(path)
    assert "broken.json" in caught.value.where


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", '{"format": NaN}', "[" * 100_000, '{"a": 1e999}', "\x00"])
def test_what_is_not_json_is_refused(tmp_path, text):
    with pytest.raises(FormatError, match=r"broken\.json"):
        load_edits(write(tmp_path / "broken.json", text))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "broken.json").write_bytes(b"\xff\xfe\x00{")
    with pytest.raises(FormatError, match="JSON"):
        load_edits(tmp_path / "broken.json")


def test_missing_and_large_files_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="No such file"):
        load_edits(tmp_path / "nowhere.json")
    save_edits(everything(), tmp_path / "tube.json")
    monkeypatch.setattr(edits_file, "LARGEST", 100)
    with pytest.raises(FormatError, match="bytes"):
        load_edits(tmp_path / "tube.json")


def test_too_many_things_are_refused(tmp_path, monkeypatch):
    save_edits(everything(), tmp_path / "tube.json")
    monkeypatch.setattr(edits_file, "MOST", 0)
    with pytest.raises(FormatError, match="at most"):
        load_edits(tmp_path / "tube.json")


@given(st.data())
def test_damaged_files_end_in_one_kind_of_error(tmp_path_factory, data):
    """Pieces of the file are replaced by junk of any kind: it is read, or refused as a file that is broken."""
    tree = copy.deepcopy(to_dict(everything()))
    rows = st.lists(st.lists(st.integers(-3, 3), max_size=3), max_size=3)
    plain = (st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
    junk = st.one_of(*plain, st.just([]), st.just({}), rows)
    for _ in range(data.draw(st.integers(1, 3))):
        inner = tree
        while True:
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(inner[key], dict | list) and inner[key] and data.draw(st.booleans()):
                inner = inner[key]
                continue
            inner[key] = data.draw(junk)
            break
    path = write(tmp_path_factory.mktemp("junk") / "junk.json", tree)
    try:
        found = load_edits(path)
    except FormatError as error:
        found = str(error)
    assert isinstance(found, Edits) or "junk.json" in found


# The command


def run(*words):
    return main([str(word) for word in words])


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=2000)


@pytest.fixture
def quick_hero(hero, monkeypatch):
    """The command without waiting for its hero to be made again."""
    monkeypatch.setattr(bake, "character_from", lambda file, *, vertices, repair, units: hero)
    return hero


def test_bake_with_edits_is_a_bake_of_the_edited_character(tmp_path, quick_hero, capsys):
    hero = quick_hero
    edits = everything(hero, ("Spine1", "LeftArm"))
    edits = Edits(edits.vertices, edits.shapes, edits.poses, edits.layers)
    save_edits(edits, tmp_path / "hero.edits.json")
    words = ["bake", "hero", "--vertices", 2000, "--motion", "walk", "--fps", 10]
    assert run(*words, "--edits", tmp_path / "hero.edits.json", "-o", tmp_path / "edited.supple") == 0
    assert run(*words, "-o", tmp_path / "plain.supple") == 0
    edited, plain = Cache(tmp_path / "edited.supple"), Cache(tmp_path / "plain.supple")
    character, motion = edits.on(hero, supple.motion("walk", hero))
    player = supple.player(character, supple.DualQuaternion())
    for position in (0, len(edited) // 2, len(edited) - 1):
        assert np.abs(edited.points[position] - player.play(motion, edited.times[position])).max() < 1e-6
    assert np.abs(edited.points[-1] - plain.points[-1]).max() > 0.01
    capsys.readouterr()


def test_bake_lets_layers_outlast_a_looping_motion(tmp_path, quick_hero, capsys):
    hero = quick_hero
    slow = Edits.of(hero).with_shape("swell", radial(hero, "Spine1", swell=0.3))
    slow = slow.with_layer(Layer(name="once", keys=(Key(time=0.0, ease="linear"), Key(time=3.0, use="swell"))))
    save_edits(slow, tmp_path / "slow.json")
    words = ["bake", "hero", "--vertices", 2000, "--motion", "walk", "--fps", 2, "--end", 3]
    assert run(*words, "--edits", tmp_path / "slow.json", "-o", tmp_path / "slow.supple") == 0
    assert run(*words, "-o", tmp_path / "plain.supple") == 0
    apart = Cache(tmp_path / "slow.supple").points - Cache(tmp_path / "plain.supple").points
    apart = np.linalg.norm(apart, axis=2).max(axis=1)
    assert np.abs(apart / apart[-1] - np.linspace(0, 1, 7)).max() < 1e-4
    capsys.readouterr()


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}", "format"), (json.dumps(to_dict(everything())), "drawn on")],
    ids=["broken", "other character"],
)
@pytest.mark.usefixtures("quick_hero")
def test_bake_refuses_edits_that_do_not_fit(tmp_path, text, said, capsys):
    write(tmp_path / "x.json", text)
    words = ["bake", "hero", "--vertices", 2000, "--edits", tmp_path / "x.json", "-o", tmp_path / "x.supple"]
    assert run(*words) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x.supple").exists()
