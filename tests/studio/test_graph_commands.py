"""Graphs of skins in the studio: on top, blended, muted, taken out; all of it undone by name."""

import numpy as np
import pytest
from test_engine import Ear, document

import supple
from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.studio import messages as say
from supple.studio.engine import Engine
from supple.studio.frames import FramePacker, unpacked


@pytest.fixture
def played():
    engine, ear = Engine(document("linear")), Ear()
    engine.start()
    engine.listen(ear)
    ear.until(lambda: ear.frames and ear.state.views[0].preparing is None)
    yield engine, ear
    engine.stop()


def stages(ear):
    return [(stage.name, stage.skin, stage.inputs, stage.muted) for stage in ear.state.views[0].stages]


def settled(ear, undo):
    ear.until(lambda: ear.state.undo == undo and ear.state.views[0].preparing is None)


def rows(ear):
    return {row.name: row for row in ear.state.views[0].stages[-1].settings}


def test_a_skin_is_put_on_another_muted_and_taken_out(played):
    engine, ear = played
    assert "delta-mush" in ear.state.tops
    assert "linear" not in ear.state.tops
    engine.tell(say.PutOn(1, "delta-mush"))
    settled(ear, "Put delta-mush on linear")
    assert stages(ear) == [("linear", "linear", [], False), ("delta-mush", "delta-mush", ["linear"], False)]
    engine.tell(say.Mute(2, "delta-mush", muted=True))
    settled(ear, "Mute delta-mush")
    assert stages(ear)[-1] == ("delta-mush", "delta-mush", ["linear"], True)
    assert engine._session.views[0].player.graph == Graph.of(supple.LinearBlend())
    engine.tell(say.Mute(3, "delta-mush", muted=False))
    settled(ear, "Unmute delta-mush")
    assert len(engine._session.views[0].player.graph.stages) == 2
    engine.tell(say.RemoveStage(4, "delta-mush"))
    settled(ear, "Remove delta-mush")
    assert stages(ear) == [("linear", "linear", [], False)]
    for seq, undo in enumerate(["Unmute delta-mush", "Mute delta-mush", "Put delta-mush on linear", None], start=5):
        engine.tell(say.Undo(seq))
        settled(ear, undo)
    assert engine.document.skins == document("linear").skins


def test_two_skins_are_blended_where_the_mask_says(played):
    engine, ear = played
    engine.tell(say.Blend(1, "dual-quaternion", amount=1.0))
    settled(ear, "Blend linear with dual-quaternion")
    assert stages(ear)[-1] == ("blend", "blend", ["linear", "dual-quaternion"], False)
    hero = supple.character("hero", vertices=800)
    part = sorted(hero.parts)[0]
    assert rows(ear)["part"].choices == ["", *hero.parts]
    engine.tell(say.Change(2, "part", part, stage="blend"))
    settled(ear, f"blend part {part}")
    engine.tell(say.Change(3, "soften", 4.0))
    settled(ear, "blend soften 4.0")
    mask = Mask(part=part, soften=4)
    assert engine.document.skins[0].stages[-1].work == mask
    engine.tell(say.Pause(4))
    flesh = ear.frame_with(4)[0].flesh_time + 0.6
    ear.until(lambda: unpacked(ear.frames[-1])[0].flesh_time > flesh)
    head, points, _ = unpacked(ear.frames[-1])
    pose = supple.motion("walk", hero).sample(head.motion_time)
    plain, dual = (supple.player(hero, skin).advance(pose) for skin in (supple.LinearBlend(), supple.DualQuaternion()))
    share = mask.weights(hero)[:, None]
    wanted = (1.0 - share) * plain + share * dual
    np.testing.assert_allclose(points, wanted[FramePacker(hero).creases.vertex_of_normal], atol=3e-4)


def test_a_mask_changes_while_it_plays_and_nothing_is_bound(played):
    engine, ear = played
    engine.tell(say.Blend(1, "dual-quaternion"))
    settled(ear, "Blend linear with dual-quaternion")
    player = engine._session.views[0].player
    assert all(row.live for row in rows(ear).values())
    engine.tell(say.Change(2, "amount", 0.9, done=False))
    ear.frame_with(2)
    assert ear.state.undo == "Blend linear with dual-quaternion"
    assert player.graph.stages[-1].work == Mask(amount=0.9)
    engine.tell(say.Change(3, "amount", 0.25))
    settled(ear, "blend amount 0.25")
    assert engine._session.views[0].player is player
    assert player.graph.stages[-1].work == Mask(amount=0.25)


def test_a_mask_goes_by_what_was_chosen_last(played):
    engine, ear = played
    engine.tell(say.Blend(1, "dual-quaternion"))
    settled(ear, "Blend linear with dual-quaternion")
    engine.tell(say.Change(2, "part", rows(ear)["part"].choices[1]))
    engine.tell(say.Change(3, "map", "flesh"))
    settled(ear, "blend map flesh")
    work = engine.document.skins[0].stages[-1].work
    assert (work.part, work.map, work.amount) == ("", "flesh", 0.5)


def test_graphs_that_cannot_be_are_refused_and_nothing_changes(played):
    engine, ear = played
    engine.tell(say.PutOn(1, "delta-mush"))
    engine.tell(say.Blend(2, "dual-quaternion"))
    settled(ear, "Blend delta-mush with dual-quaternion")
    before = engine.document
    wrong = [
        say.PutOn(3, "linear"),  # makes the skin from the pose alone
        say.PutOn(4, "velvet"),
        say.Blend(5, "velvet"),
        say.Mute(6, "linear", muted=True),  # delta mush must stand on something
        say.Mute(7, "velvet", muted=True),
        say.RemoveStage(8, "linear"),
        say.RemoveStage(9, "velvet"),
        say.PutOn(10, "delta-mush", view=2),
        say.Change(11, "part", "wing"),
        say.Change(12, "map", "nowhere"),
        say.Change(13, "amount", 2.0),
        say.Change(14, "nose", 1.0),
        say.Change(15, "soften", 1.5),
        say.Change(16, "part", 3.0),
        say.Change(17, "low", 5.0),
    ]
    for command in wrong:
        engine.tell(command, ear)
    ear.frame_with(17)
    refused = [event for event in ear.events if isinstance(event, say.Refused)]
    assert [event.seq for event in refused] == list(range(3, 18))
    assert all(event.given and event.needed and event.advice for event in refused)
    assert engine.document is before
