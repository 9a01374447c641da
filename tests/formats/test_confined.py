"""Files of strangers, read by a process of its own: the same comes out, and whatever they do stays there."""

import warnings

import numpy as np
import pytest

import supple
from supple.errors import FormatError, InputError
from supple.io.confined import read_confined, reader


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A hero with a walk as .glb, and the walk alone as .bvh and .glb."""
    folder = tmp_path_factory.mktemp("files")
    hero = supple.character("hero", vertices=500)
    walk = supple.motion("walk", hero)
    supple.save(hero.replace(motions={"walk": walk}), folder / "hero.glb")
    supple.save(walk, folder / "walk.bvh")
    supple.save(walk, folder / "walk.glb")
    return folder


def test_a_character_is_the_one_that_load_gives(files):
    made, notes = read_confined(files / "hero.glb", "either")
    plain = supple.load(files / "hero.glb")
    assert notes == []
    for name in ("points", "triangles"):
        np.testing.assert_array_equal(getattr(made, name), getattr(plain, name))
    np.testing.assert_array_equal(made.weights.values, plain.weights.values)
    assert (made.name, list(made.motions), list(made.parts)) == (plain.name, list(plain.motions), list(plain.parts))
    np.testing.assert_array_equal(made.motions["walk"].rotations, plain.motions["walk"].rotations)
    assert made.extras["gltf"].keys() == plain.extras["gltf"].keys()


@pytest.mark.parametrize(("name", "what"), [("walk.bvh", "either"), ("walk.glb", "either"), ("hero.glb", "motion")])
def test_a_motion_comes_where_there_is_no_character_or_none_is_wanted(files, name, what):
    made, notes = read_confined(files / name, what)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plain = supple.load_motion(files / name)
    np.testing.assert_array_equal(made.rotations, plain.rotations)
    assert notes == [str(note.message) for note in caught]


def test_a_character_is_not_found_where_there_is_none(files):
    with pytest.raises(InputError, match="mesh"):
        read_confined(files / "walk.glb", "character")
    with pytest.raises(InputError, match=r"its suffix is '\.bvh'"):
        read_confined(files / "walk.bvh", "character")


def test_what_a_file_says_against_itself_is_said_here(files, tmp_path):
    broken = tmp_path / "half.glb"
    broken.write_bytes((files / "hero.glb").read_bytes()[:5000])
    with pytest.raises(FormatError, match=r"half\.glb"):
        read_confined(broken, "either", repair=True)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; begin(); os._exit(9)", "broke down over it"),
        ("begin(); bytes(1 << 40)", "broke down over it"),
        ("begin(); answer.write_bytes(b'PK')", "half an answer"),
    ],
)
def test_a_reader_that_breaks_down_is_a_sentence_here(files, tmp_path, monkeypatch, program, words):
    lines = ["import sys", "from pathlib import Path", "answer = Path(sys.argv[-1])"]
    lines += ["def begin(): answer.with_suffix('.begun').touch()", program]
    script = tmp_path / "reader.py"
    script.write_text("\n".join(lines))
    monkeypatch.setattr(reader, "PROGRAM", (str(script),))
    with pytest.raises(FormatError, match=words):
        read_confined(files / "hero.glb", "either")


def test_memory_is_bounded_by_the_size_of_the_file(files, monkeypatch):
    script = (
        "import sys; from pathlib import Path; from supple.io import subprocess_reader; "
        "from supple.io.confined import child; "
        "child.read = lambda *given, **more: bytearray(2_000_000_000); "
        "child.main(sys.argv[1], Path(sys.argv[4]), Path(sys.argv[5]), repair=False, size=int(sys.argv[3]))"
    )
    monkeypatch.setattr(reader, "PROGRAM", ("-c", script))
    with pytest.raises(FormatError, match="more memory than such a file needs"):
        read_confined(files / "walk.bvh", "either")
