"""`supple fit-pose-space`, and the model that it writes, given to other commands."""

import json

import pytest

import supple
from conftest import make_tube
from supple.cli.main import main
from supple.skins.pose_space import load_pose_space


@pytest.fixture(scope="module")
def limb():
    return make_tube(rings=17, sectors=8, bones=2)


@pytest.fixture(scope="module")
def folder(limb, tmp_path_factory):
    """Bakes of three bends, and a fourth of another character."""
    place = tmp_path_factory.mktemp("pose_space")
    for name, angle in (("one", 1.2), ("two", -0.9), ("three", 0.7)):
        motion = supple.motion("bend", limb, joint="bone1", angle=angle, seconds=0.5)
        supple.bake(limb, motion, supple.DeltaMush(), path=place / f"{name}.supple", fps=30.0)
    other = make_tube(rings=13, sectors=8, bones=2)
    motion = supple.motion("bend", other, joint="bone1", angle=1.0, seconds=0.2)
    supple.bake(other, motion, supple.DeltaMush(), path=place / "other.supple", fps=30.0)
    return place


def test_bakes_become_a_model_that_is_tested_on_a_motion_kept_out(folder, limb, capsys):
    output = folder / "limb.posespace"
    bakes = [str(folder / f"{name}.supple") for name in ("one", "two", "three")]
    assert main(["fit-pose-space", *bakes[:2], "--test", bakes[2], "-o", str(output), "--json"]) == 0
    data, model = json.loads(capsys.readouterr().out), load_pose_space(output)
    assert (data["digest"], data["bytes"], data["vertices"]) == (model.digest, output.stat().st_size, len(limb.points))
    assert [len(data["errors"][key]) for key in ("learnt", "left_out", "tested")] == [2, 2, 1]
    assert data["errors"]["tested"][0]["rms"] < 0.5 * data["errors"]["tested"][0]["below"]
    assert main(["fit-pose-space", *bakes, "-o", str(output)]) == 0
    out = capsys.readouterr().out
    assert "motion 3, learnt from the others" in out
    assert " MB, " in out


def test_a_model_of_a_character_baked_now_is_played_by_name(tmp_path):
    model, tube = tmp_path / "tube.posespace", ["tube", "--vertices", "500", "--motion", "bend"]
    assert main(["fit-pose-space", *tube, "--seconds", "0.3", "--skin", "delta-mush", "-o", str(model)]) == 0
    for skin in ("pose-space", "pose-space-dynamics"):
        output = tmp_path / f"{skin}.supple"
        assert main(["bake", *tube, "--end", "0.2", "--skin", skin, "--model", str(model), "-o", str(output)]) == 0
        assert supple.Cache(output).graph.stages[-1].work.model == load_pose_space(model).digest
    page = [
        "--seconds",
        "0.2",
        "--skins",
        "linear,pose-space",
        "--model",
        str(model),
        "--fps",
        "5",
        "-o",
        str(tmp_path / "both.html"),
    ]
    assert main(["compare", *tube, *page]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["one.supple", "-o", "limb.curves"], "it is .posespace"),
        (["one.supple", "--test", "other.supple", "-o", "x.posespace"], "another character"),
        (["one.supple", "--inputs", "weather", "-o", "x.posespace"], "invalid choice"),
        (["one.supple", "--centers", "0", "-o", "x.posespace"], "centers is 0"),
        (["nowhere.supple", "-o", "x.posespace"], "nowhere.supple"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(folder, words, said, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    try:
        code = main(["fit-pose-space", *words])
    except SystemExit as problem:  # of argparse
        code = problem.code
    assert code == 2
    assert said in capsys.readouterr().err
    assert not (folder / "x.posespace").exists()
