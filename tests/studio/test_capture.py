"""Live capture: what a performer sends is shown a tenth of a second later, is recorded, and is sent on."""

from __future__ import annotations

import socket

import numpy as np
import pytest

import supple
from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.motion.live.vmc.encoder import VmcEncoder
from supple.motion.live.vmc.stream import VmcStream
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.live.capture import Capture
from supple.studio.session import Session
from supple.studio.state import state_of

FRAME = 1.0 / 60.0


class Line(VmcStream):
    """A receiver with a clock that tests turn, and a performer at 60 poses a second, of which some are lost."""

    def __init__(self, character, *, port, host, loss=0.05, seed=7):
        super().__init__(character, delay=0.1)
        self.port, self.host, self.time, self.closed = port, host, 0.0, False
        self.performer = supple.motion("dance", character)
        self._codec = VmcEncoder(character)
        self._losses = np.random.default_rng(seed).random(100_000) < loss
        self._count_sent, self.sends = 0, True

    def now(self):
        return self.time

    def close(self):
        self.closed = True

    def pass_time(self, seconds):
        """Let the clock run on; what is sent meanwhile arrives as it is sent."""
        self.time += seconds
        while self.sends and self._count_sent * FRAME <= self.time:
            at = self._count_sent * FRAME
            if not self._losses[self._count_sent]:
                for datagram in self._codec.datagrams(self.performer.sample(at), at):
                    self.take(datagram, at)
            self._count_sent += 1


@pytest.fixture
def session():
    graph = Graph.of(skin_named("linear"))
    made = Session(Document(CharacterSource("hero", 600), skins=(graph,)), print)
    made.capture = Capture(open_receiver=Line)
    while made.views[0].preparing:
        made.take_over()
    made.advance(FRAME, 0)
    yield made
    made.close()


def run(session, seconds, dt=FRAME):
    """Let the studio and the performer go on; the poses that were shown, with the receiver's times."""
    line, shown = session.capture._receiver, []
    for _ in range(round(seconds / dt)):
        line.pass_time(dt)
        session.advance(dt, 0)
        session.take_over()
        shown.append((line.time, session.views[0].player.simulated_pose.world_from_joint.copy()))
    return shown


def begun(session, seconds=3.0):
    perform(session, say.StartCapture(1, 39539))
    run(session, seconds)
    return session.capture._receiver


def turned(one, other):
    """How far the joints of two poses are turned against each other, at most [rad]."""
    apart = np.einsum("jki,jkl->jil", one[:, :3, :3], other[:, :3, :3])
    return float(np.arccos(np.clip((np.trace(apart, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0)).max())


def delay_of(line, poses):
    """By how much [s] poses are behind the performer: the shift that fits best, to a hundredth."""
    shifts = np.arange(0.06, 0.15, 0.01)
    errors = [
        np.mean([turned(pose, line.performer.sample(time - shift).world_from_joint) for time, pose in poses])
        for shift in shifts
    ]
    return float(shifts[int(np.argmin(errors))])


def test_it_is_shown_a_tenth_of_a_second_later_though_one_in_twenty_is_lost(session):
    line = begun(session)
    poses = run(session, 0.5)[::10]
    assert delay_of(line, poses) == pytest.approx(0.1, abs=FRAME)
    info = state_of(session, 1).capture
    assert info.light == "live"
    assert info.delay == 0.1
    assert info.loss == pytest.approx(5.0, abs=4.0)
    assert info.loss > 0.0
    assert info.packets == pytest.approx(
        0.95 * 60.0 * len(VmcEncoder(session.character).datagrams(line.performer.sample(0.0), 0.0)), rel=0.1
    )
    assert info.followed > 15


def test_a_studio_that_cannot_keep_up_is_not_left_behind(session):
    """Frames of a fifteenth of a second of flesh that take a tenth to make: the delay stays what it is."""
    line = begun(session, 1.0)
    shown = []
    for _ in range(30):
        line.pass_time(0.1)
        session.advance(1.0 / 15.0, 0)
        shown.append((line.time, session.views[0].player.simulated_pose.world_from_joint.copy()))
    assert delay_of(line, shown[10::5]) == pytest.approx(0.1, abs=FRAME)


def test_the_light_waits_lives_and_is_lost_a_second_after_the_sender_stops(session):
    assert state_of(session, 0).capture.light == "off"
    perform(session, say.StartCapture(1, 39539))
    line = session.capture._receiver
    line.sends = False
    run(session, 0.5)
    assert state_of(session, 1).capture.light == "waiting"
    line.sends = True
    run(session, 0.5)
    assert state_of(session, 2).capture.light == "live"
    line.sends = False
    run(session, 0.9)
    assert state_of(session, 3).capture.light == "live"
    run(session, 0.2)
    assert state_of(session, 4).capture.light == "lost"
    assert state_of(session, 4).capture.packets == 0.0
    still = run(session, 0.2)
    assert turned(still[0][1], still[-1][1]) < 1e-3
    assert np.isfinite(still[-1][1]).all()


def test_panels_are_told_a_few_times_a_second(session):
    assert not session.take_over()
    perform(session, say.StartCapture(1, 39539))
    line, told = session.capture._receiver, 0
    for _ in range(120):
        line.pass_time(FRAME)
        told += session.take_over()
    assert 6 <= told <= 9


def test_paused_it_stands_and_goes_on_with_what_comes_then(session):
    line = begun(session, 1.0)
    session.transport.pause()
    poses = run(session, 0.5)
    assert turned(poses[0][1], poses[-1][1]) < 1e-6
    session.transport.play()
    run(session, 0.5)
    assert delay_of(line, run(session, 0.3)[::6]) == pytest.approx(0.1, abs=FRAME)


def test_edits_lie_on_top(session):
    begun(session, 0.5)
    edits = session.document.edits_on(session.character)
    session.do(session.document.with_edits(edits, "Edit"))
    assert session.transport.source is not session.capture.source
    assert session.transport.source.source is session.capture.source


def test_what_comes_is_recorded_and_played_again(session):
    line = begun(session, 1.0)
    start = line.time
    perform(session, say.StartRecording(2))
    run(session, 1.0)
    assert state_of(session, 1).capture.recorded == pytest.approx(1.0, abs=2 * FRAME)
    perform(session, say.StopRecording(3))
    perform(session, say.StopCapture(4))
    assert line.closed
    assert session.document.step == "Record Take 1"
    take = session.document.takes["Take 1"]
    assert take.duration == pytest.approx(1.0, abs=2 * FRAME)
    for time in (0.2, 0.5, 0.8):
        sent = line.performer.sample(start + time - 0.1).world_from_joint
        assert turned(take.sample(time).world_from_joint, sent) < 0.15
    assert "Take 1" in session.motions
    perform(session, say.ChooseMotion(5, "Take 1"))
    session.transport.pause()
    session.transport.seek(0.5, cut=True)
    session.advance(0.0, 0)
    shown = session.views[0].player.simulated_pose.world_from_joint
    assert turned(shown, take.sample(0.5).world_from_joint) < 1e-6
    assert state_of(session, 2).transport.duration == pytest.approx(take.duration)
    session.undo()
    session.undo()
    assert "Take 1" not in session.motions


def test_a_second_take_has_another_name_and_stopping_keeps_what_was_recorded(session):
    begun(session, 0.5)
    for _ in range(2):
        perform(session, say.StartRecording(2))
        run(session, 0.2)
        perform(session, say.StopRecording(3))
    perform(session, say.StartRecording(4))
    run(session, 0.2)
    perform(session, say.StopCapture(5))
    assert list(session.document.takes) == ["Take 1", "Take 2", "Take 3"]
    assert session.capture.source is None
    assert state_of(session, 1).capture.light == "off"


def test_a_recording_needs_something_that_comes(session):
    for command in (say.StartRecording(1), say.StopRecording(2)):
        with pytest.raises(InputError):
            perform(session, command)
    perform(session, say.StartCapture(3, 39539))
    with pytest.raises(InputError, match="nothing comes in"):
        perform(session, say.StartRecording(4))


def test_another_character_ends_the_capture(session):
    line = begun(session, 0.2)
    perform(session, say.ChooseCharacter(2, "quadruped", 600))
    while session.opening:
        session.take_over()
    assert line.closed
    assert state_of(session, 1).capture.light == "off"
    session.advance(FRAME, 0)


def test_a_port_in_use_is_refused_in_four_parts_and_what_was_heard_goes_on(session):
    session.capture = Capture()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        perform(session, say.StartCapture(1, 0))
        before = session.capture.source
        with pytest.raises(InputError) as refused:
            perform(session, say.StartCapture(2, port))
        error = refused.value
        assert all((error.where, error.given, error.needed, error.advice))
        assert str(port) in error.given
        assert session.capture.source is before
    info = state_of(session, 1).capture
    assert (info.light, info.host) == ("waiting", "127.0.0.1")
    assert info.port > 0


def test_what_is_shown_is_sent_on(session):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("127.0.0.1", 0))
        heard.settimeout(20.0)
        port = heard.getsockname()[1]
        perform(session, say.StartSending(1, "127.0.0.1", port))
        assert state_of(session, 1).capture.sending == f"127.0.0.1:{port}"
        other = VmcStream(session.character, delay=0.0)
        for _ in range(20):
            session.advance(FRAME, 0)
            for _ in VmcEncoder(session.character).datagrams(session.views[0].player.simulated_pose, 0.0):
                other.take(heard.recv(65535), session.transport.flesh_time)
        shown = session.views[0].player.simulated_pose.world_from_joint
        assert turned(other.sample(session.transport.flesh_time).world_from_joint, shown) < 0.35
        perform(session, say.StopSending(2))
        assert state_of(session, 2).capture.sending is None
        heard.settimeout(0.05)
        session.advance(FRAME, 0)
        with pytest.raises(TimeoutError):
            heard.recv(65535)


def test_where_nothing_can_be_sent_is_refused_or_told(session):
    with pytest.raises(InputError, match="port is 0"):
        perform(session, say.StartSending(1, "127.0.0.1", 0))
    with pytest.raises(InputError, match="host"):
        perform(session, say.StartSending(1, "no such host.invalid", 5))
    told = []
    session.outlet._tell = told.append
    perform(session, say.StartSending(2, "127.0.0.1", 9))
    session.outlet._sender.send = lambda *_: (_ for _ in ()).throw(OSError(101, "Network is unreachable"))
    session.advance(FRAME, 0)
    assert told == ["Nothing is sent to 127.0.0.1:9 any more: Network is unreachable."]
    assert session.outlet.to is None
