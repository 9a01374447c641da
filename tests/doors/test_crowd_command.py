"""`supple crowd`: a field of characters, levels from near to far, a film or a picture, and who was moved by what."""

from __future__ import annotations

import json

import numpy as np
import pytest

from supple.cli.main import main

pytest.importorskip("pyvista")
Image = pytest.importorskip("PIL.Image")

SMALL = ["--vertices", "600", "--size", "160x90", "--fps", "12"]
LEVELS = "position-based:tetrahedra=300:within=6:most=2,delta-mush:within=7,dual-quaternion"


def told(capsys, *words) -> dict:
    assert main(["crowd", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_film_of_two_bodies_has_flesh_for_the_nearest_and_no_more(tmp_path, capsys):
    film = tmp_path / "crowd.webp"
    words = ["hero", "quadruped", "--count", 9, "--levels", LEVELS, "--seconds", 0.75]
    found = told(capsys, *words, "-o", film, *SMALL)
    assert found["groups"] == {"hero": 5, "quadruped": 4}
    members = np.array(found["members"])
    assert (members.sum(axis=1) == 9).all()
    assert members[:, 0].max() == 2  # many are within six metres, and there is room for two
    assert members[:, 1:].any(axis=0).all()
    with Image.open(film) as shown:
        assert shown.n_frames == len(found["times"]) == 9
        assert shown.size == (160, 90)


def test_a_picture_by_level_has_the_colours_of_levels(tmp_path, capsys):
    words = ["hero", "--count", 6, "--levels", LEVELS, "--motions", "run-and-stop,dance", "--at", 0.2]
    pictures = {}
    for color in ("clay", "level"):
        path = tmp_path / f"{color}.png"
        found = told(capsys, *words, "--color", color, "-o", path, *SMALL)
        assert len(found["times"]) == 3  # flesh has a past when it is drawn
        pictures[color] = np.asarray(Image.open(path).convert("RGB")).astype(int)
    red, green, blue = (np.stack([at[..., channel] for at in pictures.values()]) for channel in range(3))
    plum = ((red > green + 10) & (blue > green + 10)).mean(axis=(1, 2))  # as flesh is painted
    assert plum[0] == 0.0 < 0.005 < plum[1]


def test_the_same_seed_is_the_same_crowd(tmp_path, capsys):
    words = ["hero", "--count", 5, "--levels", "linear", "--at", 0, *SMALL]
    pictures = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        told(capsys, *words, "--seed", seed, "-o", tmp_path / f"{name}.png")
        pictures.append(np.asarray(Image.open(tmp_path / f"{name}.png")))
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--count", "0"], "--count is 0"),
        (["--levels", "linear:within=far,dual-quaternion"], "within=far"),
        (["--levels", "linear:within=3:most=some,dual-quaternion"], "most=some"),
        (["--levels", "linear:within=3"], "has to take everybody"),
        (["--levels", "linear:within=5,delta-mush:within=3,linear"], "reaches farther"),
        (["--levels", "jelly"], "'jelly' was asked for"),
        (["--motions", ","], "motions are needed"),
        (["--motions", "fly"], "'fly' is no built-in motion"),
        (["--spacing", "0"], "spacing is 0"),
        (["--seconds", "-1"], "-1 s were asked for"),
        (["--fps", "0"], "fps is 0"),
        (["--size", "large"], "width x height"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(words, problem, tmp_path, capsys):
    output = tmp_path / "crowd.webp"
    given = {"--count": "3", "--levels": "linear", "--fps": "12", "--seconds": "0.2", "--size": "160x90"}
    given.update(zip(words[::2], words[1::2], strict=True))
    assert (
        main(["crowd", "hero", "--vertices", "600", "-o", str(output), *(w for pair in given.items() for w in pair)])
        == 2
    )
    assert problem in capsys.readouterr().err
    assert not output.exists()
