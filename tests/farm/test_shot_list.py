"""The list of shots: what it means, and that what makes no sense is refused by name."""

import math

import pytest

from supple import character, measure, motion
from supple.errors import InputError
from supple.farm import Bound, Shot, load_shots
from supple.farm.shot import MEASURES
from supple.farm.task import Answer, Order, tasks_of
from supple.graph.bake import bake
from supple.graph.graph import Graph


def listed(folder, text):
    path = folder / "shots.toml"
    path.write_text(text)
    return load_shots(path)


def test_lists_are_sweeps_and_their_names_say_which(tmp_path):
    found = listed(
        tmp_path,
        """
        [defaults]
        character = "tube"
        vertices = 500
        skin = "linear"

        [[shot]]
        name = "sc010"
        motion = ["bend", "twist"]
        skin = ["linear", { name = "position-based", iterations = [8, 12], swing = { frequency = 2.0 } }]

        [[shot]]
        name = "sc020"
        motion = "bend"
        outputs = ["npz", ".mp4"]
        """,
    )
    assert [shot.name for shot in found.shots] == [
        "sc010-bend-linear",
        "sc010-bend-position-based-iterations=8",
        "sc010-bend-position-based-iterations=12",
        "sc010-twist-linear",
        "sc010-twist-position-based-iterations=8",
        "sc010-twist-position-based-iterations=12",
        "sc020",
    ]
    skins = [Graph.from_dict(shot.graph).stages[-1].work for shot in found.shots]
    assert [skin.iterations for skin in skins if hasattr(skin, "iterations")] == [8, 12, 8, 12]
    assert found.shots[-1].outputs == (".npz", ".mp4")
    assert {shot.vertices for shot in found.shots} == {500}
    assert found.folder == str(tmp_path.resolve() / "shots")


def test_files_are_looked_for_beside_the_list_and_a_document_stands_for_what_it_says(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("sub/a.glb", "sub/walk.bvh", "b.supple.json"):
        (tmp_path / name).write_bytes(b"")
    found = listed(
        tmp_path,
        """
        defaults = { character = "sub/a.glb", skin = "linear", motion = "sub/walk.bvh" }
        [[shot]]
        name = "a"
        [[shot]]
        name = "b"
        document = "b.supple.json"
        [[shot]]
        name = "c"
        motion = "Idle"
        character = "s3://bucket/c.glb"
        """,
    )
    a, b, c = found.shots
    assert a.character == str(tmp_path.resolve() / "sub" / "a.glb")
    assert a.motion == str(tmp_path.resolve() / "sub" / "walk.bvh")
    assert b.document == str(tmp_path.resolve() / "b.supple.json")
    assert (b.graph, b.motion, b.character) == (None, None, "hero")
    assert (c.character, c.motion) == ("s3://bucket/c.glb", "Idle")


SHOT = '[[shot]]\nname = "a"\nskin = "linear"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "not TOML"),
        ("", "at least one is needed"),
        ("[[shot]]\nskin = 'linear'", "shot 1.name: it is None"),
        ("[[shot]]\nname = 'a'", "no skin, or a skin and a graph"),
        (SHOT + "graph = 'x.json'", "no skin, or a skin and a graph"),
        (SHOT + SHOT, "two shots are called 'a'"),
        (SHOT.replace('"a"', '"../a"'), "letters, digits, dots and dashes"),
        (SHOT + "speed = 3", "it has 'speed'"),
        ("[farms]\n" + SHOT, "it has 'farms'"),
        (SHOT + "character = 'none.glb'", "there is no file 'none.glb'"),
        (SHOT + "skin_ = 3", "it has 'skin_'"),
        (SHOT.replace('"linear"', '"silk"'), "'silk' was asked for"),
        (SHOT.replace('"linear"', '{ name = "delta-mush", iterations = 0 }'), "iterations"),
        (SHOT.replace('"linear"', '{ name = "delta-mush", wobble = 0 }'), "wobble"),
        (SHOT + "outputs = ['doc']", "'doc' is among them"),
        (SHOT + "outputs = 'npz'", "a list of at most"),
        (SHOT + "fps = 0", "above zero"),
        (SHOT + "end = 'late'", "a finite number"),
        (SHOT + "vertices = 1.5", "whole number"),
        (SHOT + "repair = 1", "true or false"),
        (SHOT + "units = 'furlong'", "it is 'furlong'"),
        (SHOT + "bounds = { beauty = { low = 1 } }", "no such measure"),
        (SHOT + "bounds = { jitter = { low = 2, high = 1 } }", "low may not be above high"),
        (SHOT + "bounds = { jitter = {} }", "neither low nor high"),
        (SHOT + "bounds = { jitter = { most = 1 } }", "it has 'most'"),
        (SHOT + "document = 'shots.toml'", "skin is given beside it"),
        ("farm = { pictures = 100 }\n" + SHOT, "the range is 0 to 16"),
        ("farm = { frames_per_task = 0 }\n" + SHOT, "the range is 1 to"),
    ],
)
def test_what_makes_no_sense_is_named(text, message, tmp_path):
    with pytest.raises(InputError, match=message) as caught:
        listed(tmp_path, text)
    assert "shots.toml" in str(caught.value)


def test_a_list_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="a list of shots"):
        load_shots(tmp_path / "none.toml")


def test_bounds_say_how_they_are_crossed_and_what_was_not_measured_is_outside():
    bound = Bound("least-volume", low=0.9)
    assert bound.measure == "least volume"
    assert bound.crossed_by({"least volume": 0.9}) == ""
    assert "is 0.8, and at least 0.9" in bound.crossed_by({"least volume": 0.8})
    assert "could not be measured" in bound.crossed_by({"least volume": math.nan})
    assert "could not be measured" in bound.crossed_by({})


def test_bounds_can_be_set_to_what_a_report_has(tmp_path):
    tube = character("tube", vertices=500)
    report = measure(tube, bake(tube, motion("bend", tube), supple_linear(), end=0.2))
    assert {row.name for row in report.rows()} <= set(MEASURES)


def supple_linear():
    from supple import LinearBlend

    return LinearBlend()


def test_orders_and_answers_come_back_as_they_were(tmp_path):
    found = listed(
        tmp_path, SHOT.replace('"linear"', '["linear", "delta-mush"]') + "compare = true\nbounds.jitter.high = 1\n"
    )
    tasks = tasks_of(found)
    assert [task.kind for task in tasks] == ["bake", "measure", "pictures"] * 2 + ["compare"]
    assert tasks[-1].after == ("bake a-linear", "bake a-delta-mush")
    for task in tasks:
        order = Order.of(task, found, version="1", device="cpu", overwrite=True)
        assert Order.from_json(order.to_json()) == order
    answer = Answer(state="split", frames=((0, 3), (3, 5)), notes=("a",), facts={"x": [1]})
    assert Answer.from_json(answer.to_json()) == answer
    assert Answer.from_json('{"state": "refused", "moon": "full"}').state == "refused"


def test_a_shot_is_plain_data():
    shot = Shot(name="a", scene="a", bounds=(Bound("jitter", high=1.0),), outputs=(".npz",))
    assert Shot.from_dict(shot.to_dict()) == shot
