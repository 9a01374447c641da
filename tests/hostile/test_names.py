"""Names of strangers: whatever stands in them, they can be shown, written and told apart."""

from __future__ import annotations

import itertools
import unicodedata

import numpy as np
import pytest
from gltf_files import arm
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple.cli.main import main
from supple.errors import SuppleWarning
from supple.io import save
from supple.names import DASHED, DOTTED, SPACED, UNDERLINED, is_writable, shown, unique, writable

NASTY = ["a\x1b[31mred", "line\nbreak", "half \ud800", "zero\0", "back\x08", "\u2028", "\x7f", "\x9b2J"]


def strange_file(path):
    """A glTF all of whose names hold something that no terminal should see."""
    file = arm()
    file.clip((1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 1, 0]]), name=NASTY[0])
    file.json["nodes"][0]["name"], file.json["nodes"][1]["name"] = NASTY[1], "line\tbreak"
    mesh = file.json["meshes"][0]
    mesh["name"] = NASTY[2]
    mesh["primitives"][0] |= {"targets": [{"POSITION": file.accessor(np.ones((4, 3)))}], "material": 0}
    mesh["extras"] = {"targetNames": [NASTY[4]]}
    file.json["materials"] = [{"name": NASTY[3]}]
    path.write_bytes(file.glb_bytes())
    return path


@pytest.fixture
def strange(tmp_path):
    with pytest.warns(SuppleWarning, match="7 names"):
        return supple.load(strange_file(tmp_path / "a.glb"))


def test_names_that_no_file_can_hold_are_changed_and_told(strange):
    names = [*strange.skeleton.names, *strange.parts, *strange.shapes, *strange.motions, strange.materials[0].name]
    assert all(is_writable(name) for name in names)
    assert strange.skeleton.names == ("line_break", "line_break.001")
    assert "a_[31mred" in strange.motions
    assert set(strange.extras["gltf"]["node_joints"]) - {None} == set(strange.skeleton.names)


@pytest.mark.parametrize("suffix", [".glb", ".usda", ".obj"])
def test_such_a_character_is_saved(strange, suffix, tmp_path):
    if suffix == ".usda":
        pytest.importorskip("pxr")
    save(strange, tmp_path / f"out{suffix}")
    assert (tmp_path / f"out{suffix}").stat().st_size > 50


def test_a_character_made_with_such_a_name_is_saved_and_told(tmp_path):
    tube = supple.character("tube", vertices=500)
    with pytest.warns(SuppleWarning, match="1 names hold control characters"):
        save(tube.replace(name=NASTY[2]), tmp_path / "out.obj")


def test_such_a_motion_is_saved(strange, tmp_path):
    save(strange.motions["a_[31mred"], tmp_path / "out.bvh")
    assert "line_break" in (tmp_path / "out.bvh").read_text()


@pytest.mark.filterwarnings("default")
def test_a_terminal_sees_no_control_characters(tmp_path, capsys):
    assert main(["info", str(strange_file(tmp_path / "a.glb"))]) == 0
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert not [sign for sign in text if unicodedata.category(sign) == "Cc" and sign != "\n"]
    assert main(["info", str(tmp_path / "no\x1b[2Jthing.glb")]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("name", NASTY)
def test_what_would_act_is_spelt_out_or_replaced(name):
    assert not is_writable(name)
    assert is_writable(writable(name))
    assert writable(name).encode("utf-8")
    assert shown(name).replace("\n", "").encode("utf-8").isascii()
    assert "\x1b" not in shown(name)


def test_plain_names_stay_as_they_are():
    for name in ("Hüfte", "左手", "a b", "thigh.L", "\N{SNOWMAN}"):
        assert (writable(name), shown(name)) == (name, name)


@given(
    st.lists(st.sampled_from(["a", "a.001", "a_2", "a-2", "a 2", "b", "b.001", ""]), max_size=12),
    st.sampled_from([DOTTED, UNDERLINED, DASHED, SPACED]),
)
def test_unique_names_differ_and_first_ones_keep_theirs(names, form):
    made = unique(names, taken=("b",), form=form)
    assert len(set(made)) == len(made) == len(names)
    assert "b" not in made
    for name in set(names) - {"b"}:
        assert made[names.index(name)] == name


@pytest.mark.filterwarnings("ignore:BVH")
@pytest.mark.parametrize("names", [("a_b_2", "a_b", "a b"), ("a b", "a_b", "a{b"), ("a_b_2", "a b", "a_b_3")])
def test_names_that_a_format_makes_alike_differ_again(names, tmp_path):
    """Here the next number was taken already, which once went on for ever."""
    skeleton = supple.Skeleton.from_heads(names, [-1, 0, 0], np.eye(3))
    still = supple.Motion(skeleton, 30.0, np.zeros((1, 3, 3)), np.tile([0.0, 0, 0, 1], (1, 3, 1)))
    save(still, tmp_path / "out.bvh")
    words = (tmp_path / "out.bvh").read_text().split()
    made = [after for word, after in itertools.pairwise(words) if word in ("ROOT", "JOINT")]
    assert len(set(made)) == 3
