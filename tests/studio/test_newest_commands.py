"""A hand that says more than there is time for is not followed ever later: only the newest of what it says is done."""

from __future__ import annotations

import time

import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import engine as engines
from supple.studio import messages as say
from supple.studio.engine import Engine, Listener
from supple.studio.newest import newest_of_each


def hold(seq, hand="one"):
    return say.Hold(seq, hand, [1, 2, 3], [1.0, 0.0, 0.0], (0.0, 1.0, 0.1 * seq))


def knot(seq, stroke="Bulge 1", done=False):
    return say.MoveKnot(seq, stroke, 2, (0.0, 0.01 * seq, 0.0), done=done)


def numbers(commands, who="window"):
    return [command.seq for command, _ in newest_of_each([(command, who) for command in commands])]


def test_the_newest_of_each_hand_and_of_each_thing_is_done():
    assert numbers([hold(1), hold(2), hold(3)]) == [3]
    assert numbers([hold(1), hold(2, "other"), hold(3), hold(4, "other")]) == [3, 4]
    assert numbers([knot(1), knot(2, "Bulge 2"), knot(3), knot(4, "Bulge 2")]) == [3, 4]
    assert numbers([say.Seek(1, 0.1), say.Seek(2, 0.2)]) == [2]
    assert numbers([say.MoveThing(1, "Ball 1", (0.0, 1.0, 0.0)), say.MoveThing(2, "Ball 1", (0.0, 2.0, 0.0))]) == [2]


@pytest.mark.parametrize(
    "between",
    [
        say.Undo(2),
        say.LetGo(2, "one"),
        knot(2, done=True),
        say.MoveThing(2, "Ball 1", (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
    ],
)
def test_what_is_done_between_two_is_done_between_them(between):
    assert numbers([hold(1), between, hold(3)]) == [1, 2, 3]
    assert numbers([knot(1), between, knot(3)]) == [1, 2, 3]


def test_windows_speak_for_themselves():
    told = [(say.Seek(1, 0.1), "one"), (say.Seek(1, 0.9), "other"), (say.Seek(2, 0.2), "one")]
    assert newest_of_each(told) == told[1:]


class Ear(Listener):
    def __init__(self):
        self.frames = 0

    def frame(self, frame):
        self.frames += 1


def test_frames_are_made_while_a_hand_says_more_than_can_be_done(monkeypatch):
    """Each command takes three frames, and three of them come in that time."""
    done = []

    def slowly(session, command):
        done.append(command.seq)
        time.sleep(0.05)

    monkeypatch.setattr(engines, "perform", slowly)
    engine, ear = Engine(Document(CharacterSource("hero", 600), skins=(Graph.of(skin_named("linear")),))), Ear()
    engine.start()
    try:
        engine.listen(ear)
        for seq in range(1, 61):
            engine.tell(knot(seq), ear)
            time.sleep(1.0 / 60.0)
        while 60 not in done:
            time.sleep(0.01)
        assert len(done) < 40
        assert ear.frames > 0.3 * len(done)
    finally:
        engine.stop()
