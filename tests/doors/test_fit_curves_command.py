"""`supple fit-curves`, and the model that it writes, given to other commands; and the benchmark of the curves."""

import json

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.bench import curves as bench
from supple.cli.commands import command_named
from supple.cli.main import main
from supple.cli.options.parser import parser_for
from supple.errors import InputError
from supple.skins.curves import fit_curves, load_curves
from supple.skins.registry import SKINS


@pytest.fixture(scope="module")
def limb():
    return make_tube(rings=25, sectors=12, bones=2)


@pytest.fixture(scope="module")
def made(limb, tmp_path_factory):
    """A bake and a model of it."""
    folder = tmp_path_factory.mktemp("curves")
    motion = supple.motion("bend", limb, joint="bone1", angle=1.2, seconds=0.5)
    supple.bake(limb, motion, supple.DeltaMush(), path=folder / "limb.supple", fps=30.0)
    assert main(["fit-curves", str(folder / "limb.supple"), "-o", str(folder / "limb.curves")]) == 0
    return folder


def run(words, capsys):
    code = main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_bake_becomes_a_model_with_its_errors(made, limb, capsys):
    code, out, _ = run(
        [
            "fit-curves",
            str(made / "limb.supple"),
            "-o",
            str(made / "other.curves"),
            "--most-frames",
            "4",
            "--exact",
            "--json",
        ],
        capsys,
    )
    data = json.loads(out)
    model = load_curves(made / "other.curves")
    assert code == 0
    assert data["digest"] == model.digest
    assert data["vertices"] == len(limb.points)
    assert data["errors"]["rms"] == pytest.approx(model.errors.rms)
    assert max(len(part["frames"]) for part in data["parts"]) <= 4
    model.check_fits(limb)


def test_people_are_told_how_far_off_it_is(made, capsys):
    code, out, _ = run(["fit-curves", str(made / "limb.supple"), "-o", str(made / "again.curves")], capsys)
    assert code == 0
    assert "mm RMS" in out
    assert "frames learnt" in out
    assert (made / "again.curves").read_bytes() == (made / "limb.curves").read_bytes()


def test_a_character_is_baked_and_learnt_in_one_go(tmp_path, capsys):
    snake, model = ["snake", "--vertices", "800", "--motion", "slither"], str(tmp_path / "a.curves")
    short = ["--seconds", "0.3", "--nodes-per-vertex", "0.5", "-o", model, "--json"]
    code, out, _ = run(["fit-curves", *snake, "--skin", "delta-mush", "--iterations", "5", *short], capsys)
    assert code == 0
    assert json.loads(out)["frames"] == 10
    bake = tmp_path / "a.supple"
    words = ["bake", *snake, "--skin", "curves", "--model", model, "--end", "0.1", "-o", str(bake), "--json"]
    code, out, _ = run(words, capsys)
    assert code == 0
    assert json.loads(out)["graph"]["stages"][-1]["settings"]["model"] == load_curves(model).digest
    cache = supple.Cache(bake)
    assert len(supple.measure(cache.character, cache)) == len(cache) == json.loads(out)["frames"]


def test_another_model_is_another_bake(made, limb, tmp_path):
    one = load_curves(made / "limb.curves")
    two = fit_curves(limb, supple.Cache(made / "limb.supple"), most_frames=2)
    motion = supple.motion("bend", limb, joint="bone1", seconds=0.1)
    supple.bake(limb, motion, supple.CurveNetwork(trained=one), path=tmp_path / "a.supple")
    with pytest.raises(InputError, match="the skin or its settings differs"):
        supple.bake(limb, motion, supple.CurveNetwork(trained=two), path=tmp_path / "a.supple")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["snake", "x.supple", "-o", "a.curves"], "one character"),
        (["limb", "-o", "a.glb"], "it is .curves"),
        (["nobody.supple", "-o", "a.curves"], "no such file"),
        (["nobody", "-o", "a.curves"], "built-in"),
        (["LIMB", "-o", "a.curves", "--most-frames", "0"], "most_frames is 0"),
        (["LIMB"], "-o"),
        (["LIMB", "OTHER", "-o", "a.curves"], "another character"),
        (["LIMB", "-o", "a.curves", "--past", "no"], "--past"),
    ],
)
def test_strange_words_are_refused(made, words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = make_tube(rings=9, sectors=8)
    if "OTHER" in words:
        motion = supple.motion("bend", other, joint="bone1", seconds=0.1)
        supple.bake(other, motion, supple.LinearBlend(), path=tmp_path / "other.supple")
    names = {"LIMB": str(made / "limb.supple"), "OTHER": "other.supple"}
    code, _, err = run(["fit-curves", *(names.get(word, word) for word in words)], capsys)
    assert code == 2
    assert said in err
    assert not (tmp_path / "a.curves").exists()


def test_a_model_of_another_character_and_a_file_that_is_none_are_refused(made, capsys, tmp_path):
    end = ["--vertices", "800", "--motion", "slither", "--end", "0.1", "-o", str(tmp_path / "a.supple")]
    code, _, err = run(["bake", "snake", "--skin", "curves", "--model", str(made / "limb.curves"), *end], capsys)
    assert code == 2
    assert "the model is for" in err
    (tmp_path / "no.curves").write_text("nothing")
    code, _, err = run(
        ["bake", "snake", "--skin", "curve-dynamics", "--model", str(tmp_path / "no.curves"), *end], capsys
    )
    assert code == 2
    assert "does not start like a model" in err
    code, _, err = run(["compare", "snake", "--skins", "linear,curves", "--model", str(tmp_path / "no.curves"),
                        "--vertices", "800", "-o", str(tmp_path / "a.html")], capsys)  # fmt: skip
    assert code == 2
    assert "does not start like a model" in err


@pytest.mark.parametrize("name", list(SKINS))
def test_no_setting_of_any_teacher_clashes_with_an_option(name):
    parser = parser_for("fit-curves", "Fit", command_named("fit-curves"), ["--skin", name])
    assert "--nodes-per-vertex" in parser.format_help()


# The benchmark


def test_the_benchmark_has_the_published_sizes_and_meets_its_examples(monkeypatch, limb):
    assert sum(curves * nodes for curves, nodes in bench.PUBLISHED[-1][1]) == 11_641
    monkeypatch.setattr(bench, "PUBLISHED", (bench.PUBLISHED[0],))
    monkeypatch.setattr(bench, "timed", lambda call, **_: (call(), bench.Timing(0.001, 0.001, 0.001))[1])
    monkeypatch.setattr(bench, "_hero", lambda progress, device: iter(()))
    found = list(bench.rows(lambda _: None))
    assert [(row.scene, row.what, row.published_seconds) for row in found] == [
        ("arm-748-nodes", "static: 30 frames", 0.0155),
        ("arm-748-nodes", "dynamic: 30 frames", 0.0169),
    ]
    assert all(float(row.note.split("met to ")[1].split()[0]) < 1e-10 for row in found)


def test_the_benchmark_times_the_teacher_beside_the_curves(monkeypatch, limb):
    motion = supple.motion("bend", limb, joint="bone1", seconds=0.4)
    monkeypatch.setattr(supple, "character", lambda *_, **__: limb)
    monkeypatch.setattr(supple, "motion", lambda *_: motion)
    monkeypatch.setattr(supple, "PositionBased", lambda: supple.SpringDynamics(iterations=2))
    monkeypatch.setattr(bench, "PUBLISHED", ())
    monkeypatch.setattr(bench, "timed", lambda call, **_: (call(), bench.Timing(0.001, 0.001, 0.001))[1])
    found = list(bench.rows(lambda _: None))
    steady = [row for row in found if row.what.endswith("steady frame")]
    assert [row.peer for row in steady] == ["position-based, which taught it"] * 4
    assert np.isfinite([row.ratio for row in steady]).all()
    assert "off by" in found[0].note
