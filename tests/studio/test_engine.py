"""The studio's engine without any network: commands in, frames and events out."""

import time

import numpy as np
import pytest

import supple
from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.graph.graph import Graph
from supple.settings import flattened
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.engine import Engine, Listener
from supple.studio.frames import FramePacker, unpacked
from supple.studio.live.following import Following


class Ear(Listener):
    """Keeps all that it hears."""

    def __init__(self):
        self.frames, self.events = [], []

    def frame(self, frame):
        self.frames.append(frame)

    def event(self, event):
        self.events.append(event)

    @property
    def state(self):
        return [event for event in self.events if isinstance(event, say.State)][-1]

    def until(self, true, seconds=60.0):
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, "it never came"
            time.sleep(0.005)

    def frame_with(self, seq):
        """The first frame that has a command in it, as head, points and normals."""
        self.until(lambda: self.frames and unpacked(self.frames[-1])[0].command >= seq)
        return next(one for one in map(unpacked, list(self.frames)) if one[0].command >= seq)


def document(skin="delta-mush"):
    return Document(CharacterSource("hero", 800), skins=(Graph.of(skin_named(skin)),))


def parts(document):
    return document.character, document.motion, document.skins


def settings(document):
    """Those of the last stage that differ from what the skin comes with."""
    work = document.skins[0].stages[-1].work
    return {name: value for name, value in flattened(work).items() if value != flattened(type(work)())[name]}


@pytest.fixture
def played():
    engine, ear = Engine(document()), Ear()
    engine.start()
    engine.listen(ear)
    ear.until(lambda: ear.frames and ear.state.views[0].preparing is None)
    yield engine, ear
    engine.stop()


def test_it_walks_at_once_and_its_skin_takes_over(played):
    engine, ear = played
    assert ear.events[0].views[0].preparing == "delta-mush"
    count = len(ear.frames)
    ear.until(lambda: len(ear.frames) > count + 5)
    times = [unpacked(frame)[0].motion_time for frame in ear.frames]
    assert np.diff(times).min() > 0.0
    assert ear.state.views[0].stages[-1].skin == "delta-mush"
    assert engine.mesh(ear.state.mesh.mesh)[:4] == b"SPLM"
    assert engine.mesh(10_000) is None


def test_a_hand_draws_the_skin_also_while_it_stands(played):
    engine, ear = played
    engine.tell(say.Pause(1))
    head, before, _ = ear.frame_with(1)
    packer = FramePacker(supple.character("hero", vertices=800))
    shown = int(np.flatnonzero(packer.creases.vertex_of_normal == 500)[0])
    engine.tell(say.Hold(2, "mouse", [500], [1.0], tuple(before[shown] + [0.0, 0.0, 0.1])))
    count = len(ear.frames)
    ear.until(lambda: len(ear.frames) > count + 30)
    later, after, _ = unpacked(ear.frames[-1])
    assert later.motion_time == head.motion_time
    assert later.flesh_time > head.flesh_time
    np.testing.assert_allclose(after[shown] - before[shown], [0.0, 0.0, 0.1], atol=1e-3)
    engine.tell(say.LetGo(3, "mouse"))
    ear.frame_with(3)


def test_a_hand_that_goes_along_stays_with_the_body(played):
    engine, ear = played
    packer = FramePacker(supple.character("hero", vertices=800))
    shown = int(np.flatnonzero(packer.creases.vertex_of_normal == 500)[0])

    def seen(frame):  # the held place and the middle of the frame's cube, in which the root is
        low, side = np.frombuffer(frame, "<f4", 3, 44), np.frombuffer(frame, "<f4", 1, 56)
        return unpacked(frame)[1][shown], low + side / 2.0

    held = ear.frames[-1]
    place, root = seen(held)
    offset, number = place - root + [0.0, 0.0, 0.08], unpacked(held)[0].frame
    engine.tell(say.Hold(1, "mouse", [500], [1.0], tuple(map(float, offset)), along=number))
    ear.frame_with(1)
    count = len(ear.frames)
    ear.until(lambda: len(ear.frames) > count + 60)
    frames = list(ear.frames)
    following, last = Following(supple.character("hero", vertices=800).size.max()), None
    behind, away = [], []
    for frame in frames:  # as a page's camera would
        head, (place, middle) = unpacked(frame)[0], seen(frame)
        following.advance(middle, 0.0 if last is None else head.flesh_time - last, head.frame)
        last = head.flesh_time
        if frame is held:
            start = middle + offset
        if head.frame > number + 45:
            behind.append(np.linalg.norm(start + following.since(number) - place))
            away.append(np.linalg.norm(following.place - middle))
    assert np.linalg.norm(seen(frames[-1])[1] - root) > 0.5  # it walked
    assert max(away) < 0.3  # and the camera went along
    assert max(behind) < 10e-3
    engine.tell(say.LetGo(2, "mouse"))
    ear.frame_with(2)


def test_frames_say_to_everyone_which_of_their_own_commands_is_in_them(played):
    engine, ear = played
    other = Ear()
    engine.listen(other)
    engine.tell(say.Pause(900), other)
    other.frame_with(900)
    engine.tell(say.Play(3), ear)
    ear.until(lambda: unpacked(ear.frames[-1])[0].command == 3)
    assert unpacked(other.frames[-1])[0].command == 900


def test_settings_change_are_undone_and_done_again(played):
    engine, ear = played
    for seq, (value, done) in enumerate([(0.4, False), (0.3, False), (0.2, True)], start=1):
        engine.tell(say.Change(seq, "strength", value, done))
    ear.until(lambda: ear.state.undo is not None)
    rows = {row.name: row for row in ear.state.views[0].stages[-1].settings}
    assert (rows["strength"].value, rows["strength"].default, rows["strength"].live) == (0.2, 0.5, True)
    assert settings(engine.document) == {"strength": 0.2}
    engine.tell(say.Undo(4))
    ear.until(lambda: ear.state.redo is not None)
    assert (settings(engine.document), ear.state.undo) == ({}, None)
    engine.tell(say.Redo(5))
    ear.until(lambda: ear.state.undo is not None)
    assert settings(engine.document) == {"strength": 0.2}


def test_nobody_is_told_that_a_change_is_saved_before_it_is_written(played):
    engine, ear = played
    engine.tell(say.Change(1, "strength", 0.2))
    ear.until(lambda: ear.state.undo is not None and ear.state.saving.saved)
    said = [event for event in ear.events if isinstance(event, say.State) and event.undo is not None]
    assert not said[0].saving.saved


def test_another_skin_binds_while_the_old_one_plays_on(played):
    engine, ear = played
    engine.tell(say.ChooseSkin(1, "dual-quaternion"))
    ear.until(lambda: ear.state.views[0].stages[-1].skin == "dual-quaternion" and ear.state.views[0].preparing is None)
    engine.tell(say.ChooseMotion(2, "kick"))
    ear.until(lambda: ear.state.transport.motion == "kick")
    engine.tell(say.Undo(3))
    ear.until(lambda: ear.state.transport.motion == "walk")
    engine.tell(say.Undo(4))
    ear.until(lambda: ear.state.views[0].stages[-1].skin == "delta-mush" and ear.state.views[0].preparing is None)


def test_another_character_has_another_mesh(played):
    engine, ear = played
    mesh = ear.state.mesh.mesh
    engine.tell(say.ChooseCharacter(1, "octopus", 900))
    ear.until(lambda: ear.state.opening is None and ear.state.mesh.mesh > mesh and ear.state.views[0].preparing is None)
    assert ear.state.mesh.mesh > mesh
    assert ear.state.transport.motion == "swim"
    assert "walk" not in ear.state.motions
    octopus = ear.state.mesh.mesh
    engine.tell(say.Undo(2))
    ear.until(lambda: ear.state.mesh.mesh > octopus and ear.state.views[0].preparing is None)
    assert parts(engine.document) == parts(document())
    assert (ear.state.undo, ear.state.redo) == (None, "Character octopus")
    assert "walk" in ear.state.motions


def test_what_cannot_be_is_refused_in_four_parts_and_it_plays_on(played):
    engine, ear = played
    wrong = [
        say.Change(1, "strength", 7.0),
        say.Change(2, "nose", 1.0),
        say.ChooseSkin(3, "velvet"),
        say.ChooseMotion(4, "slither"),
        say.Hold(5, "mouse", [10**6], [1.0], (0.0, 0.0, 0.0)),
        say.Hold(6, "pen", [1, 2], [1.0], (0.0, 0.0, 0.0)),
    ]
    for command in wrong:
        engine.tell(command, ear)
    ear.frame_with(6)
    refused = [event for event in ear.events if isinstance(event, say.Refused)]
    assert [event.seq for event in refused] == [1, 2, 3, 4, 5, 6]
    assert all(event.given and event.needed and event.advice for event in refused)
    assert parts(engine.document) == parts(document())
    count = len(ear.frames)
    ear.until(lambda: len(ear.frames) > count + 3)
