"""The command line: exit codes, sentences, JSON, options built from settings, nothing half-written."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import types
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Character, DeltaMush, LinearBlend, Motion, Skeleton
from supple.character.builtin import CHARACTERS, character, skeletons
from supple.cli import commands, demo, info, main
from supple.cli.console import Console
from supple.cli.main import main as run
from supple.cli.options.parser import Parser, parser_for
from supple.cli.options.skins import add_skin_options, skin_from
from supple.errors import InputError, SuppleWarning, UnfinishedError
from supple.graph.cache import Cache
from supple.motion.builtin import MOTIONS, motion, recipe
from supple.settings import setting, settings_of
from supple.skins.base import Skin
from supple.skins.registry import SKINS

COMMAND = Path(sys.executable).with_name("supple")


@pytest.fixture(scope="session")
def hero():
    return character("hero", vertices=2000)


@pytest.fixture
def quick_hero(hero, monkeypatch):
    """The demo without waiting for its hero to be made again."""
    monkeypatch.setattr(demo, "character", lambda name, *, vertices: hero)


@pytest.fixture
def command(monkeypatch):
    """Put a command called `try` into the table, made of two functions."""

    def add(work, *, arguments=lambda parser, words: None, **more):
        module = types.SimpleNamespace(add_arguments=arguments, run=work, **more)
        monkeypatch.setitem(commands.COMMANDS, "try", "Try something")
        monkeypatch.setattr(main, "command_named", lambda name: module)

    return add


# The frame


def test_help_lists_every_command(capsys):
    assert run(["--help"]) == 0
    said = capsys.readouterr().out
    for name, summary in commands.COMMANDS.items():
        assert f"  {name}" in said
        assert summary in said
    assert run([]) == 0
    assert capsys.readouterr().out == said


def test_every_command_in_the_table_exists_and_has_help(capsys):
    for name in commands.COMMANDS:
        module = commands.command_named(name)
        assert callable(module.add_arguments)
        assert callable(module.run)
        assert run([name, "--help"]) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"usage: supple {name}")
        for option in ("--json", "--device", "--debug"):
            assert option in said


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"supple {supple.__version__}\n"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("inof hero", "try 'supple info'"),
        ("xyzzy", "see 'supple --help'"),
        ("--frobnicate", "no option '--frobnicate'"),
        ("info", "required: FILE"),
        ("info hero extra", "unrecognized arguments: extra"),
        ("info hero --vertices many", "invalid int value: 'many'"),
        ("info hero --vertices 3", "vertices is 3"),
        ("info hero --vert 3000", "unrecognized arguments"),
        ("info nobody", "'nobody' is no built-in character"),
        ("info some/file.glb", "there is no such file"),
        ("info some/file.doc", "there is no such file"),
        ("demo --motion moonwalk", "'moonwalk' is no built-in motion"),
        ("demo --device tpu", "'tpu' was asked for"),
    ],
)
def test_bad_words_end_with_2_and_one_sentence(words, part, capsys, tmp_path, monkeypatch, quick_hero):
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    last = err.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert last.endswith(".")
    assert part in last
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_errors_are_json_too_when_a_program_reads(capsys):
    for words in (["info", "nobody", "--json"], ["info", "--json", "hero", "extra"], ["nothing", "--json"]):
        assert run(words) == 2
        out, err = capsys.readouterr()
        error = json.loads(out)["error"]
        assert set(error) == {"where", "given", "needed", "advice"}
        assert all(error.values())
        assert error["given"] in err


def test_results_and_exit_codes_of_commands(command, capsys):
    def work(arguments, console):
        console.say("for people")
        return {"answer": 42}

    command(work)
    assert run(["try"]) == 0
    assert capsys.readouterr().out == "for people\n"
    assert run(["try", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"answer": 42}


@pytest.mark.parametrize(
    ("problem", "code", "part"),
    [
        (InputError("here", "this", "that", "do so"), 2, "here: this, but that; do so."),
        (UnfinishedError("here", "this", "that", "do so"), 3, "here: this, but that; do so."),
        (RuntimeError("the cause"), 3, "RuntimeError: the cause"),
        (OSError(28, "No space left on device", "a.npz"), 3, "a.npz: No space left on device"),
        (MemoryError(), 3, "memory ran out"),
    ],
)
def test_problems_of_commands_end_with_their_code(problem, code, part, command, capsys):
    def work(arguments, console):
        raise problem

    command(work)
    assert run(["try", "--json"]) == code
    out, err = capsys.readouterr()
    assert part in err
    assert len(err.strip().splitlines()) == 1
    assert set(json.loads(out)["error"]) == {"where", "given", "needed", "advice"}
    assert run(["try", "--debug"]) == code
    out, err = capsys.readouterr()
    assert "Traceback" in err
    assert part in err
    assert out == ""


def test_only_what_is_unexpected_advises_debug(command, capsys):
    def work(arguments, console):
        raise ZeroDivisionError

    command(work)
    assert run(["try"]) == 3
    assert "--debug" in capsys.readouterr().err


def test_interruption_is_quiet(command, capsys):
    def work(arguments, console):
        raise KeyboardInterrupt

    command(work)
    assert run(["try"]) == 130
    assert capsys.readouterr() == ("", "")


def test_numbers_that_json_cannot_hold_are_not_printed(command, capsys):
    command(lambda arguments, console: {"answer": float("nan")})
    assert run(["try", "--json"]) == 3
    assert "error" in json.loads(capsys.readouterr().out)


def test_json_to_a_file(command, capsys, tmp_path):
    def work(arguments, console):
        console.say("for people")
        return {"answer": 42}

    command(work, JSON_FILE=True)
    target = tmp_path / "new" / "answer.json"
    assert run(["try", "--json", str(target)]) == 0
    assert capsys.readouterr().out == "for people\n"
    assert json.loads(target.read_text()) == {"answer": 42}
    assert run(["try", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {"answer": 42}
    assert run(["try", "--json"]) == 2  # a file is needed


def test_json_to_a_file_is_written_whole_or_not_at_all(command, capsys, tmp_path):
    target = tmp_path / "answer.json"
    target.write_text("old")

    def work(arguments, console):
        raise UnfinishedError("here", "this", "that", "do so")

    command(work, JSON_FILE=True)
    assert run(["try", "--json", str(target)]) == 3
    assert capsys.readouterr().out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["answer.json"]
    assert target.read_text() == "old"


def test_warnings_become_notes(command, capsys):
    def work(arguments, console):
        warnings.simplefilter("always")
        warnings.warn("two weights were repaired", SuppleWarning, stacklevel=1)
        return {}

    command(work)
    assert run(["try"]) == 0
    assert capsys.readouterr().err == "note: two weights were repaired\n"


# Progress


def test_progress_gives_every_item_and_speaks_only_on_long_work(capsys, monkeypatch):
    clock = iter(range(0, 1000, 1))
    monkeypatch.setattr("supple.cli.console.time.monotonic", lambda: next(clock))
    assert list(Console(machine_reads=True).progress(list("abcdef"), "letters")) == list("abcdef")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["letters: 2 of 6", "letters: 4 of 6", "letters: 6 of 6"]
    monkeypatch.setattr("supple.cli.console.time.monotonic", lambda: 0.0)
    assert list(Console().progress(range(3), "numbers")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_taken_down_when_the_work_breaks(command, monkeypatch):
    def work(arguments, console):
        for item in console.progress(range(5), "frames"):
            if item == 2:
                raise UnfinishedError("here", "this", "that", "do so")

    command(work)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert run(["try"]) == 3
    assert sys.stderr is screen  # a bar that is up puts its own stream there
    assert screen.getvalue().endswith("error: here: this, but that; do so.\n")


def test_progress_is_a_bar_on_a_terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert list(Console().progress(range(5), "frames")) == [0, 1, 2, 3, 4]
    assert "frames" in screen.getvalue()
    assert "5/5" in screen.getvalue()


# Options built from settings


@dataclass(frozen=True, kw_only=True)
class Odd(Skin):
    """A skin with one setting of every kind."""

    command_name = "odd"
    rounds: int = setting(3, "Rounds of 100% work", low=1, high=9)
    edge_stiffness: float = setting(0.5, "Stiffness of edges", unit="N/m", low=0.0)
    sliding: bool = setting(default=True, label="Let it slide")
    solver: str = setting("direct", "How it is solved", choices=("direct", "sweeps"))

    def bind(self, character, device):
        raise NotImplementedError

    def allocate(self, binding):
        raise NotImplementedError

    def deform(self, binding, state, pose, incoming):
        raise NotImplementedError


def parsed(words: str, default: str = "linear") -> argparse.Namespace:
    parser = Parser(prog="supple try", allow_abbrev=False)
    parser.add_argument("file")
    add_skin_options(parser, shlex.split(words), default=default)
    return parser.parse_args(shlex.split(words))


@pytest.fixture
def odd(monkeypatch):
    monkeypatch.setitem(SKINS, "odd", Odd)


def test_settings_become_options(odd):
    assert skin_from(parsed("hero")) == LinearBlend()
    assert skin_from(parsed("hero --skin delta-mush --iterations 12")) == DeltaMush(iterations=12)
    assert skin_from(parsed("hero --iterations 12 --skin delta-mush --strength 1")) == DeltaMush(
        iterations=12, strength=1.0
    )
    assert skin_from(parsed("hero --iterations=12", default="delta-mush")) == DeltaMush(iterations=12)
    every = "hero --skin=odd --rounds 5 --edge-stiffness 1e3 --no-sliding --solver sweeps"
    assert skin_from(parsed(every)) == Odd(rounds=5, edge_stiffness=1000.0, sliding=False, solver="sweeps")
    assert skin_from(parsed("hero --skin odd")) == Odd()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("--skin velvet", "'velvet' was asked for"),
        ("--skin", "expected one argument"),
        ("--iterations 12", "unrecognized arguments: --iterations"),
        ("--skin delta-mush --iterations 0", "iterations is 0, but the range is 1 to 500; try the default 10"),
        ("--skin delta-mush --iterations 2.5", "iterations is 2.5, but a whole number is needed"),
        ("--skin delta-mush --iterations many", "iterations is 'many', but a whole number is needed"),
        ("--skin delta-mush --strength nan", "strength is nan, but a finite number is needed"),
        ("--skin odd --edge-stiffness -1", "edge_stiffness is -1 N/m, but the range is 0 to inf N/m"),
        ("--skin odd --solver magic", "solver is 'magic', but one of direct, sweeps is needed"),
        ("--skin odd --sliding 3", "unrecognized arguments: 3"),
    ],
)
def test_bad_settings_are_refused_with_what_would_fit(words, part, odd):
    with pytest.raises(InputError) as caught:
        skin_from(parsed(f"hero {words}"))
    assert part in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_setting_out_of_range_ends_a_command_with_2(command, capsys):
    command(
        lambda arguments, console: {"skin": repr(skin_from(arguments))},
        arguments=lambda parser, words: add_skin_options(parser, words, default="linear"),
    )
    assert run(["try", "--skin", "delta-mush", "--iterations", "7", "--json"]) == 0
    assert "iterations=7" in json.loads(capsys.readouterr().out)["skin"]
    assert run(["try", "--skin", "delta-mush", "--iterations", "9000"]) == 2
    assert "DeltaMush: iterations is 9000, but the range is 1 to 500" in capsys.readouterr().err


def test_help_shows_unit_range_and_default(command, odd, capsys):
    command(
        lambda arguments, console: {}, arguments=lambda parser, words: add_skin_options(parser, words, default="linear")
    )
    assert run(["try", "--skin", "odd", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "--rounds N Rounds of 100% work, 1 to 9 (default: 3)" in said
    assert "--edge-stiffness X Stiffness of edges [N/m], 0 or more (default: 0.5)" in said
    assert "--sliding, --no-sliding Let it slide (default: on)" in said
    assert "--solver direct|sweeps How it is solved (default: direct)" in said


@pytest.mark.parametrize("name", list(SKINS))
def test_no_setting_of_any_skin_clashes_with_an_option_of_the_frame(name):
    module = types.SimpleNamespace(
        add_arguments=lambda parser, words: add_skin_options(parser, words, default="linear"), run=None
    )
    parser = parser_for("try", "Try", module, ["--skin", name])
    options = [info.name.replace("_", "-").replace(".", "-") for info in settings_of(SKINS[name])]
    assert [option for option in options if f"--{option}" not in parser.format_help()] == []


# info


def test_info_says_what_the_character_is(hero, capsys):
    assert run(["info", "hero", "--vertices", "2000", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data == json.loads(json.dumps(info.described(hero)))
    assert (data["vertices"], data["triangles"]) == (len(hero.points), len(hero.triangles))
    assert data["closed"] is True
    assert data["volume_m3"] > 0.0
    assert [joint["name"] for joint in data["joints"]] == list(hero.skeleton.names)
    assert [joint["parent"] for joint in data["joints"]].count(None) == int((hero.skeleton.parents < 0).sum())
    assert data["parts"] == {name: len(vertices) for name, vertices in hero.parts.items()}
    assert set(data["maps"]) == set(hero.maps)
    assert {"walk", "bend", "twist"} <= {clip["name"] for clip in data["motions"]} <= set(MOTIONS)
    assert all(clip["seconds"] > 0.0 and clip["built_in"] for clip in data["motions"])
    assert run(["info", "hero", "--vertices", "2000"]) == 0
    said = capsys.readouterr().out
    for words in ("2000 vertices", "closed", "litres", "flesh", *hero.skeleton.names, *hero.parts, "walk", "bend"):
        assert words in said


def test_info_of_an_open_mesh_claims_no_volume(hero):
    data = info.described(hero.replace(triangles=hero.triangles[:-1], weights=None))
    assert data["closed"] is False
    assert data["border_edges"] == 3
    assert data["volume_m3"] is None
    assert data["influences"] is None
    assert any("3 open edges" in line for line in info._lines(data))


def test_info_lists_the_motions_that_fit(hero, monkeypatch):
    def only_bends(name, moved):
        if name != "bend":
            raise InputError("motion", "this", "that", "do so")
        return recipe(name, moved)

    own = motion("twist", hero)
    monkeypatch.setattr(info, "recipe", only_bends)
    clips = info.described(hero.replace(motions={"Own": own}))["motions"]
    assert [(clip["name"], clip["built_in"]) for clip in clips] == [("bend", True), ("Own", False)]
    assert clips[1]["frames"] == own.frames


@pytest.mark.parametrize("name", ["hero", "quadruped", "snake", "octopus", "arm"])
def test_info_says_how_long_motions_are_without_making_them(name, monkeypatch):
    """Every built-in motion of a body of every kind: what is said is what is found once the motion is made."""
    skeleton = getattr(skeletons, f"{name}_skeleton")()
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    small = Character(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], skeleton)
    with monkeypatch.context() as patched:
        patched.setattr(Motion, "from_poses", lambda *given, **options: pytest.fail("a motion was made"))
        patched.setattr(Motion, "__post_init__", lambda made: pytest.fail("a motion was made"))
        clips = {clip["name"]: clip for clip in info.described(small)["motions"]}
    found = {}
    for which in MOTIONS:
        with contextlib.suppress(InputError):
            found[which] = motion(which, small)
    assert list(clips) == list(found)
    assert {"bend", "twist"} <= set(clips)
    for which, made in found.items():
        said = clips[which]
        assert (said["seconds"], said["frames"]) == (made.duration, made.frames)
        assert (said["fps"], said["loops"], said["built_in"]) == (made.fps, made.loop, True)


def test_the_joint_tree_shows_who_hangs_on_whom():
    names, parents = ["a", "b", "c", "d", "e"], [-1, 0, 1, 0, -1]
    skeleton = Skeleton.from_heads(names, parents, np.arange(15).reshape(5, 3))
    assert info.joint_tree(skeleton) == ["a", "├ b", "│ └ c", "└ d", "e"]
    count = 3000  # deeper than Python's own stack
    chain = Skeleton.from_heads(
        [str(i) for i in range(count)], np.arange(-1, count - 1), np.random.default_rng(0).normal(size=(count, 3))
    )
    assert len(info.joint_tree(chain)) == count


def test_every_builtin_character_can_be_named():
    arguments = parser_for("info", "Say", info, [CHARACTERS[-1]]).parse_args([CHARACTERS[-1]])
    assert arguments.file == CHARACTERS[-1]


# demo


@pytest.fixture(scope="session")
def shown(tmp_path_factory):
    """The demo run once as people run it, in a process of its own, without a screen."""
    folder = tmp_path_factory.mktemp("demo")
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    done = subprocess.run(
        [COMMAND, "demo", "-o", "out", "--vertices", "800", "--seconds", "0.3", "--json"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout), done.stderr


def test_the_demo_shows_a_skin_of_every_kind(shown):
    folder, data, said = shown
    assert list(data["skins"]) == list(demo.SHOWN)
    rooms = {SKINS[name].__module__.split(".")[2] for name in demo.SHOWN}
    assert rooms == {"kinematic", "springs", "position_based", "lattice", "curves", "contact"}
    assert all(pace > 0.0 for pace in data["skins"].values())
    assert "WARN" not in said
    for name in demo.SHOWN:  # what is being made, and how long it took
        assert re.search(rf"\d s  {name}: frames, {data['frames']} in \d+\.\d s", said)
    assert re.search(rf"film, {data['frames']} in \d", said)
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["bakes", "hero.mp4", "report.html"]
    assert len(list((folder / "out" / "bakes").iterdir())) == len(demo.SHOWN)
    assert (folder / data["film"]).stat().st_size > 1000
    assert "<video" in (folder / data["page"]).read_text()


def test_the_python_of_the_demo_does_the_same(shown, tmp_path, monkeypatch):
    folder, data, _ = shown
    monkeypatch.chdir(tmp_path)
    assert 3 <= len(data["python"]) <= 8
    exec("\n".join(data["python"]), {})
    assert (tmp_path / "report.html").exists()
    theirs = {path.name: path.read_bytes() for path in (folder / "out" / "bakes").iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "bakes").iterdir()} == theirs


def test_the_ball_of_the_demo_comes_for_the_belly_and_moves_bones(hero):
    """It touches the belly of the skin that ignores it when it is lowest, and was out of reach half a second before."""
    moves = motion("run-and-stop", hero)
    ball = demo.ball_at_the_belly(hero, moves, seconds=None)
    player, hit = supple.player(hero, LinearBlend()), ball.at.time
    belly = hero.parts["belly"]

    def away(time):
        return np.linalg.norm(player.play(moves, time)[belly] - ball.world_from_body(time)[:3, 3], axis=1) - ball.radius

    assert away(hit).min() < -0.05
    assert away(hit - 0.5).min() > 0.5
    contact = supple.player(hero, demo._skin("contact", ball))
    bent = [contact.play(moves, time) for time in np.arange(0.0, hit + 0.2, 1.0 / 24.0)][-1]
    head = hero.parts["head"]
    assert np.linalg.norm(bent[head] - player.play(moves, hit + 0.2)[head], axis=1).mean() > 0.1


def test_the_demo_tells_people_what_it_wrote(quick_hero, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "SHOWN", ("linear",))
    assert run(["demo", "-o", str(tmp_path / "out"), "--motion", "bend", "--seconds", "0.1"]) == 0
    said = capsys.readouterr().out
    for path in (tmp_path / "out").iterdir():
        assert str(path) in said
    assert "ms a frame" in said
    assert "import supple" in said


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt(), RuntimeError("x")])
def test_a_demo_that_breaks_leaves_nothing_half_written(problem, quick_hero, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "SHOWN", ("linear",))

    def breaks(document):
        raise problem

    monkeypatch.setattr("supple.report.comparison.page", breaks)
    codes = {OSError: 3, KeyboardInterrupt: 130, RuntimeError: 3}
    assert run(["demo", "-o", str(tmp_path), "--seconds", "0.1"]) == codes[type(problem)]
    assert "Traceback" not in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bakes", "hero.mp4"]  # what was finished is whole
    (bake,) = (tmp_path / "bakes").iterdir()
    assert Cache(bake).finished


def test_a_demo_without_the_render_extra_still_makes_the_page(quick_hero, tmp_path, monkeypatch, capsys):
    def absent(module):
        raise UnfinishedError("render", f"{module} could not be loaded", "pictures need it", "install it")

    monkeypatch.setattr("supple.render.renderer.load_library", absent)
    monkeypatch.setattr(demo, "SHOWN", ("linear",))
    assert run(["demo", "-o", str(tmp_path), "--seconds", "0.1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["film"] is None
    assert "no film was made: render: pyvista could not be loaded" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bakes", "report.html"]


def test_a_demo_into_a_file_is_refused(tmp_path, capsys):
    (tmp_path / "taken").write_text("mine")
    assert run(["demo", "-o", str(tmp_path / "taken")]) == 2
    assert "is a file, but a folder is needed" in capsys.readouterr().err
    assert (tmp_path / "taken").read_text() == "mine"


# As a process


def test_the_installed_command_ends_with_its_code():
    done = subprocess.run([COMMAND, "info", "nobody"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: character: 'nobody' is no built-in character and has no suffix of a file, ")
    done = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_pipe_is_quiet():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([COMMAND, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 141


def test_a_terminal_without_our_letters_still_gets_an_answer():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [COMMAND, "info", "snake", "--vertices", "2000"], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"joints" in done.stdout
