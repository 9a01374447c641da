"""Graphs: what they say, what they refuse, what they keep in a file, and what a blend does."""

import json
from dataclasses import replace

import numpy as np
import pytest
from soft_skins import Trailing, swinging

import supple
from supple import DeltaMush, DualQuaternion, Graph, LayeredLattice, LinearBlend, Pose, RotationCenters
from supple.errors import InputError
from supple.graph import Mask
from supple.graph.graph import Stage


@pytest.fixture(scope="module")
def marked(tube):
    upper = np.flatnonzero(tube.points[:, 1] > 1.0)
    return tube.replace(parts={"upper": upper}, maps={"height": tube.points[:, 1]})


def twist(character, angle=1.0):
    return Pose.from_rotations(character.skeleton, {"bone1": (0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2))})


def frame(character, skin, pose):
    return supple.player(character, skin).advance(pose)


def test_one_skin_is_a_graph_of_one_stage():
    assert [stage.name for stage in Graph.of(LinearBlend()).stages] == ["linear"]


def test_a_skin_that_stands_on_another_brings_it_along(tube):
    assert [stage.name for stage in Graph.of(DeltaMush()).stages] == ["dual-quaternion", "delta-mush"]
    graph = Graph.of(DeltaMush(iterations=3, base="linear"))
    assert [stage.name for stage in graph.stages] == ["linear", "delta-mush"]
    pose = twist(tube)
    by_hand = supple.delta_mush(tube.points, tube.triangles, frame(tube, LinearBlend(), pose), iterations=3)
    assert np.abs(frame(tube, graph, pose) - by_hand).max() < 1e-6


def test_chains_use_what_they_are_given(tube):
    pose = twist(tube)
    chain = Graph.chain(DualQuaternion(), DeltaMush(iterations=3))
    by_hand = supple.delta_mush(tube.points, tube.triangles, frame(tube, DualQuaternion(), pose), iterations=3)
    assert np.abs(frame(tube, chain, pose) - by_hand).max() < 1e-6


def test_a_blend_is_one_skin_here_and_another_there(marked):
    pose = twist(marked, 2.0)
    linear, dual = frame(marked, LinearBlend(), pose), frame(marked, DualQuaternion(), pose)
    mixed = frame(marked, Graph.blend(LinearBlend(), DualQuaternion(), Mask(part="upper")), pose)
    upper = marked.parts["upper"]
    lower = np.setdiff1d(np.arange(len(marked.points)), upper)
    assert np.array_equal(mixed[upper], dual[upper])
    assert np.array_equal(mixed[lower], linear[lower])
    assert np.abs(linear - dual).max() > 0.01  # so that the test could fail


def test_masks_by_map_run_from_low_to_high(marked):
    weights = Mask(map="height", low=0.5, high=1.5).weights(marked)
    assert np.allclose(weights, np.clip(marked.points[:, 1] - 0.5, 0.0, 1.0))
    assert np.allclose(Mask(amount=0.25).weights(marked), 0.25)


def test_softening_keeps_shares_between_0_and_1_and_smooths_the_border(marked):
    hard, soft = Mask(part="upper").weights(marked), Mask(part="upper", soften=5).weights(marked)
    assert set(hard) == {0.0, 1.0}
    assert soft.min() >= 0.0
    assert soft.max() <= 1.0
    assert ((soft > 0.1) & (soft < 0.9)).sum() > 20


def test_a_blend_runs_what_both_sides_share_once():
    graph = Graph.blend(DeltaMush(base="linear"), RotationCenters(), Mask())
    again = Graph.blend(graph, LinearBlend(), Mask(amount=0.5))
    assert [s.name for s in again.stages] == ["linear", "delta-mush", "rotation-centers", "blend", "blend-2"]
    assert again.stages[-1].inputs == ("blend", "linear")


def test_print_reads_as_a_list_of_stages():
    text = str(Graph.blend(DeltaMush(iterations=7, base="linear"), DualQuaternion(), Mask(part="belly", soften=4)))
    assert text.splitlines()[0] == "Graph of 4 stages"
    assert "DeltaMush(iterations=7, strength=0.5, guard=True, base='linear') after linear" in text
    assert "delta-mush goes over to dual-quaternion on part 'belly', softened 4 times" in text


@pytest.mark.parametrize(
    "graph",
    [
        Graph.of(LinearBlend()),
        Graph.chain(DualQuaternion(), DeltaMush(iterations=3, strength=0.25)),
        Graph.blend(RotationCenters(width=0.2), DeltaMush(), Mask(map="flesh", low=0.01, high=0.05, soften=2)),
    ],
)
def test_saved_graphs_come_back_equal(graph, tmp_path):
    graph.save(tmp_path / "graph.json")
    assert Graph.load(tmp_path / "graph.json") == graph
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.json"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "graph.json"
    Graph.of(LinearBlend()).save(path)
    before = path.read_bytes()
    monkeypatch.setattr(json, "dumps", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        Graph.of(DualQuaternion()).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["graph.json"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="other"), "format is 'other'"),
        (lambda d: d.update(version=99), "version 99"),
        (lambda d: d.pop("stages"), "stages are missing"),
        (lambda d: d.update(stages=[]), "no stages"),
        (lambda d: d["stages"][0].update(skin="magic"), "'magic' was asked for"),
        (lambda d: d["stages"][0].update(settings={"speed": 3}), "no setting 'speed'"),
        (lambda d: d["stages"][1]["settings"].update(iterations=-4), "iterations is -4"),
        (lambda d: d["stages"][1]["settings"].update(iterations="many"), "iterations is 'many'"),
        (lambda d: d["stages"][1].update(inputs=["nowhere"]), "stands on 'nowhere'"),
        (lambda d: d["stages"][1].update(inputs=[]), "DeltaMush takes 1"),
        (lambda d: d["stages"][1].update(inputs=3), "inputs are strange"),
        (lambda d: d["stages"][1].update(name="dual-quaternion"), "stands twice"),
        (lambda d: d["stages"][0].pop("name"), "an object with a name"),
        (
            lambda d: d["stages"].append(
                {"name": "b", "blend": {"wild": 1}, "inputs": ["dual-quaternion", "dual-quaternion"]}
            ),
            "'wild'",
        ),
        (lambda d: d["stages"].append({"name": "b", "blend": {}, "inputs": ["dual-quaternion"]}), "a blend has two"),
    ],
)
def test_damaged_files_are_named(change, message, tmp_path):
    data = Graph.of(DeltaMush()).to_dict()
    change(data)
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message):
        Graph.load(path)


@pytest.mark.parametrize("text", ["", "not json", "[1, 2]", "\x00\x01"])
def test_files_that_are_no_graphs(text, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(text)
    with pytest.raises(InputError, match="graph file is needed"):
        Graph.load(path)
    with pytest.raises(InputError, match="graph file is needed"):
        Graph.load(tmp_path / "missing.json")


def test_graphs_refuse_what_makes_no_sense():
    with pytest.raises(InputError, match="takes no incoming shape"):
        Graph.of(LinearBlend()).then(DualQuaternion())
    with pytest.raises(InputError, match="no stages"):
        Graph.chain()
    with pytest.raises(InputError, match="must share one"):
        Graph.of(Trailing(step=0.01)).then(Trailing(step=0.02))
    assert Graph.of(Trailing(step=0.01)).then(Trailing(step=0.01)).step == 0.01
    with pytest.raises(InputError, match="LinearBlend takes 0"):
        Graph((Stage("a", LinearBlend()), Stage("b", LinearBlend(), ("a",))))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"part": "a", "map": "b"}, "goes by one of them"),
        ({"low": 1.0, "high": 1.0}, "low must be below high"),
        ({"amount": 1.5}, "range is 0 to 1"),
        ({"soften": -1}, "range is 0 to 1000"),
    ],
)
def test_masks_refuse_bad_values(options, message):
    with pytest.raises(InputError, match=message):
        Mask(**options)


def test_masks_of_parts_and_maps_that_are_not_there(marked):
    with pytest.raises(InputError, match=r"part 'tail'.*has upper"):
        supple.player(marked, Graph.blend(LinearBlend(), DualQuaternion(), Mask(part="tail")))
    with pytest.raises(InputError, match=r"map 'fat'.*has height"):
        supple.player(marked, Graph.blend(LinearBlend(), DualQuaternion(), Mask(map="fat")))


def names(graph):
    return [(stage.name, stage.inputs) for stage in graph.stages]


def test_what_stood_on_a_stage_that_goes_stands_on_what_it_stood_on():
    chain = Graph.chain(LinearBlend(), DeltaMush(), LayeredLattice())
    linear, mush, lattice = (stage.name for stage in chain.stages)
    assert names(chain.without(mush)) == [(linear, ()), (lattice, (linear,))]
    assert names(chain.without(lattice)) == [(linear, ()), (mush, (linear,))]
    with pytest.raises(InputError, match="0 inputs"):
        chain.without(linear)
    with pytest.raises(InputError, match="there are linear"):
        chain.without("velvet")
    with pytest.raises(InputError, match="no stages"):
        Graph.of(LinearBlend()).without("linear")


def test_a_blend_that_loses_one_of_its_two_is_the_other():
    blend = Graph.blend(Graph.of(LinearBlend()), Graph.of(DualQuaternion()), Mask(part="head"))
    one, other, last = (stage.name for stage in blend.stages)
    assert names(blend.without(one)) == [(other, ())]
    assert names(blend.without(other)) == [(one, ())]
    assert names(blend.without(last)) == [(one, ())]


def test_muted_stages_stay_and_are_not_played():
    chain = Graph.chain(LinearBlend(), DeltaMush())
    mush = chain.stages[-1].name
    quiet = replace(chain, muted=frozenset({mush}))
    assert quiet != chain
    assert quiet.played == Graph.of(LinearBlend())
    assert chain.played is chain
    assert Graph.from_dict(quiet.to_dict()) == quiet
    assert "muted" in str(quiet)
    assert "muted" not in chain.to_dict()
    assert quiet.then(DeltaMush()).muted == {mush}
    hero = supple.character("hero", vertices=600)
    pose = supple.motion("walk", hero).sample(0.2)
    alone = supple.player(hero, LinearBlend()).advance(pose)
    np.testing.assert_array_equal(supple.player(hero, quiet).advance(pose), alone)
    with pytest.raises(InputError, match="nowhere"):
        replace(chain, muted=frozenset({"nowhere"}))
    with pytest.raises(InputError, match="muted is strange"):
        Graph.from_dict({**chain.to_dict(), "muted": [1]})


def test_a_mask_changes_while_it_plays_without_a_jump(marked):
    graph = Graph.blend(LinearBlend(), DualQuaternion(), Mask(part="upper"))
    motion = swinging(marked)
    player, wanted = supple.player(marked, graph), Mask(part="upper", soften=3, amount=0.5)
    before = player.play(motion, 0.5)
    player.change(stage="blend", soften=3, amount=0.5)
    assert player.graph.stages[-1].work == wanted
    at_once = player.play(motion, 0.5)
    np.testing.assert_allclose(at_once, before, atol=1e-6)
    for frame in range(90):
        points = player.play(motion, 0.5 + frame / 60.0)
    fresh = supple.player(marked, Graph.blend(LinearBlend(), DualQuaternion(), wanted)).play(motion, 0.5 + 89 / 60.0)
    np.testing.assert_allclose(points, fresh, atol=1e-5)
    with pytest.raises(InputError, match="a mask has part"):
        player.change(stage="blend", nose=1.0)
    with pytest.raises(InputError, match="0 to 1"):
        player.change(stage="blend", amount=3.0)
