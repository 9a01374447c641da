"""The layered lattice on a live line: ten minutes of abuse, a sender that stops and comes back, one on a bad line."""

import numpy as np
import pytest
from vmc_packets import HERO, WALK, bone, clock, packet

import supple
from supple import LayeredLattice
from supple.motion.live import NoisyReplay
from supple.motion.live.vmc.encoder import VmcEncoder
from supple.motion.live.vmc.stream import VmcStream
from supple.skins.lattice import step as stepping

FPS = 10.0  # the longest step there is: ten minutes are long
SKIN = LayeredLattice(resolution=16, step=1.0 / FPS)


def sent(encoder, time):
    """A frame of the walk as a sender sends it at a time."""
    return encoder.datagrams(WALK.sample(time % WALK.duration), time)


def hostile(chance, time):
    """Packets of the worst kind: noise, halves, numbers that are none, bones that jump."""
    kind = int(chance.integers(6))
    if kind == 0:
        return [chance.bytes(int(chance.integers(1, 200)))]
    if kind == 1:
        return [packet(clock(time), bone("Hips", position=(np.nan, np.inf, 0.0)))]
    if kind == 2:
        return [packet(clock(time), bone("Spine", rotation=(0.0, 0.0, 0.0, 0.0)))]
    if kind == 3:
        return [packet(clock(time), bone("Hips", position=tuple(chance.normal(size=3) * 3.0)))]
    if kind == 4:
        return [packet(clock(float(chance.normal() * 1e6)), bone("Head", rotation=tuple(chance.normal(size=4))))]
    whole = packet(clock(time), bone("LeftUpperArm", rotation=tuple(chance.normal(size=4))))
    return [whole[: int(chance.integers(1, len(whole)))]]


def extent(points):
    """The largest distance of the skin from its middle [m]."""
    return float(np.linalg.norm(points - np.median(points, axis=0), axis=1).max())


def bounded(points):
    return np.isfinite(points).all() and extent(points) < 6.0


def test_ten_minutes_of_hostile_packets_and_silence_and_then_as_if_new():
    """Six hundred seconds by the clock of the stream: walk, abuse, silence, and a sender that is back.

    The quiet minutes are stepped through, but looked at every ten seconds only.
    """
    stream, encoder = VmcStream(HERO, delay=0.1), VmcEncoder(HERO)
    player = supple.player(HERO, SKIN, fps=FPS)
    chance = np.random.default_rng(5)
    time, rest = 0.0, extent(HERO.points)

    def play(seconds, packets):
        nonlocal time
        for _ in range(round(seconds * FPS)):
            time += 1.0 / FPS
            for datagram in packets(time):
                stream.take(datagram, time)
            points = player.play(stream, time)
            assert bounded(points)
        return points

    assert extent(play(3.0, lambda at: sent(encoder, at))) < 1.5 * rest
    for _ in range(4):
        play(4.0, lambda at: [*sent(encoder, at), *hostile(chance, at)])
        play(2.0, lambda at: hostile(chance, at))
    while time < 597.0:  # nobody sends; the last pose is held
        time += 10.0
        points = player.play(stream, time)
        assert bounded(points)
    again = VmcStream(HERO, delay=0.1)
    fresh = supple.player(HERO, SKIN, fps=FPS)
    gaps = []
    for _ in range(round(6.0 * FPS)):
        time += 1.0 / FPS
        for datagram in sent(encoder, time):
            stream.take(datagram, time)
            again.take(datagram, time)
        gaps.append(float(np.abs(player.play(stream, time) - fresh.play(again, time)).max()))
    assert time > 600.0
    assert gaps[-1] < 2e-3


@pytest.mark.parametrize("steady", [0.0, 3.0])
def test_a_bad_line_does_not_make_the_skin_jump(steady):
    """Late, lost and doubled packets: the skin is no rougher than the bones that it is given."""
    stream, encoder = VmcStream(HERO, delay=0.1), VmcEncoder(HERO)
    player = supple.player(HERO, LayeredLattice(resolution=16, step=1.0 / 60.0, steady=steady), fps=60.0)
    bones = supple.player(HERO, supple.LinearBlend(), fps=60.0)
    arrivals = list(NoisyReplay(WALK, rate=30.0, jitter=0.02, loss=0.1, seed=3).arrivals(2.0))
    steps = {"flesh": [], "bones": []}
    last = {}
    for frame in range(120):
        time = frame / 60.0
        while arrivals and arrivals[0].time <= time:
            arrived = arrivals.pop(0)
            for datagram in encoder.datagrams(arrived.pose, arrived.sent):
                stream.take(datagram, arrived.time)
        for name, one in (("flesh", player), ("bones", bones)):
            points = one.play(stream, time)
            if name in last:
                steps[name].append(np.linalg.norm(points - last[name], axis=1).max())
            last[name] = points
    assert max(steps["flesh"]) < 1.5 * max(steps["bones"])


@pytest.mark.parametrize("settings", [{}, {"steady": 3.0}, {"preset": "bunny"}])
def test_no_frame_after_a_pause_runs_all_that_nobody_saw(settings, monkeypatch):
    """It runs a second at most, and flesh is where it would be."""
    preset = settings.pop("preset", None)
    skin = LayeredLattice.preset(preset, resolution=16) if preset else LayeredLattice(resolution=16, **settings)
    paused, played = (supple.player(HERO, skin) for _ in range(2))
    steps, advance = [], stepping.advance
    paused.play(WALK, 0.1)
    monkeypatch.setattr(stepping, "advance", lambda *given: steps.append(given) or advance(*given))
    points = paused.play(WALK, 30.0)
    assert len(steps) < 100
    expected = [played.play(WALK, time) for time in np.linspace(26.1, 30.0, 40)][-1]
    assert np.abs(points - expected).max() < 0.01
