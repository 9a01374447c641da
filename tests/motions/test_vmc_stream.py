"""A VMC stream in time: late, lost, gone and back, ten minutes of abuse, and a real socket."""

import math
import socket
import sys
import threading
import time as clocks

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vmc_packets import HERO, SPINE, SPINE_TABLE, WALK, bone, clock, packet, world

import supple
from supple import Pose
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.live import NoisyMotion, NoisyReplay, VmcReceiver, VmcSender
from supple.motion.live.vmc.clock import SenderClock
from supple.motion.live.vmc.encoder import VmcEncoder
from supple.motion.live.vmc.osc import Message, read_packet
from supple.motion.live.vmc.protocol import BONES
from supple.motion.live.vmc.stream import VmcStream
from supple.motion.relative import RelativePose, rotation_vectors

# Frames


def bent(angle: float) -> tuple[float, ...]:
    return (math.sin(angle / 2.0), 0.0, 0.0, math.cos(angle / 2.0))


def bends(pose: Pose) -> tuple[float, float]:
    """By how much the spine of three joints is bent at its second and at its third."""
    vectors = rotation_vectors(RelativePose.from_pose(SPINE, pose).rotations)
    return float(vectors[1, 0]), float(vectors[2, 0])


def test_bones_that_are_not_sent_stay_as_they_were():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    stream.take(packet(clock(0.0), bone("Spine", rotation=bent(0.3)), bone("Chest", rotation=bent(0.4))), 0.0)
    stream.take(packet(clock(0.1), bone("Spine", rotation=bent(0.5))), 0.1)
    assert bends(stream.sample(0.1)) == pytest.approx((0.5, 0.4), abs=1e-6)


def test_a_frame_may_come_in_pieces_and_a_late_piece_belongs_to_its_own_frame():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    stream.take(packet(clock(0.0), bone("Spine", rotation=bent(0.0)), bone("Chest", rotation=bent(0.0))), 0.0)
    stream.take(packet(clock(0.1), bone("Spine", rotation=bent(0.1))), 0.1)
    stream.take(packet(clock(0.2), bone("Spine", rotation=bent(0.2)), bone("Chest", rotation=bent(0.2))), 0.2)
    stream.take(packet(clock(0.1), bone("Chest", rotation=bent(0.7))), 0.21)
    assert stream.latest == pytest.approx(0.2)
    found = [bends(stream._buffer.sample(time)) for time in (0.1, 0.2)]
    assert found[0] == pytest.approx((0.1, 0.7), abs=1e-2)
    assert found[1] == pytest.approx((0.2, 0.2), abs=1e-2)
    assert len(stream._buffer) == 3


def test_datagrams_without_a_time_go_with_the_last_that_was_named():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    stream.take(packet(clock(50.0)), 0.0)
    stream.take(packet(bone("Spine", rotation=bent(0.1))), 0.01)
    stream.take(packet(bone("Chest", rotation=bent(0.2))), 0.02)
    assert stream.latest == 0.0
    assert bends(stream.sample(0.03)) == pytest.approx((0.1, 0.2), abs=1e-6)


def test_a_sender_without_a_clock_is_followed_by_arrival():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    for step in range(100):
        stream.take(packet(bone("Spine", rotation=bent(step / 100.0))), step / 50.0)
        stream.take(packet(bone("Chest", rotation=bent(0.2))), step / 50.0 + 0.001)  # of the same frame
        assert bends(stream.sample(step / 50.0 + 0.002))[0] == pytest.approx(step / 100.0, abs=0.02)
    assert stream.counts["poses"] == 100
    assert len(stream._buffer) == 100


# The sender's clock


def test_a_clock_is_read_through_jitter():
    """The median of exponential delays of mean 10 ms is 7 ms behind; the clock stays within that and never hurries."""
    chance = np.random.default_rng(1)
    reading = SenderClock()
    found = []
    for step in range(2000):
        sent = 1000.0 + step / 60.0
        found.append(reading.local(sent, step / 60.0 + chance.exponential(0.01)) - step / 60.0)
    assert np.abs(np.array(found[200:]) - 0.01 * math.log(2.0)).max() < 0.003
    assert np.abs(np.diff(found[200:])).max() < 0.001
    assert reading.restarts == 0


def test_a_clock_that_runs_fast_is_followed():
    reading = SenderClock()
    found = [reading.local(1.0001 * step / 60.0, step / 60.0) - step / 60.0 for step in range(60 * 600)]
    assert np.abs(found).max() < 0.001


def test_a_clock_that_starts_over_is_found_out_and_single_strangers_are_not():
    reading = SenderClock()
    for step in range(100):
        assert reading.local(500.0 + step / 50.0, step / 50.0) == pytest.approx(step / 50.0)
        assert reading.local(9.0, step / 50.0) is None  # somebody else, or something very old
        assert reading.local(1e9, step / 50.0) is None
    assert reading.restarts == 0
    found = [reading.local(step / 50.0, 3.0 + step / 50.0) for step in range(20)]
    known = [time for time in found if time is not None]
    assert 0 < found.count(None) <= 6
    assert known == pytest.approx([3.0 + step / 50.0 for step in range(20)][-len(known) :])
    assert reading.restarts == 1


def test_a_second_sender_with_a_clock_of_its_own_does_not_take_over():
    reading = SenderClock()
    for step in range(300):
        assert reading.local(500.0 + step / 50.0, step / 50.0) == pytest.approx(step / 50.0)
        assert reading.local(200.0 + step / 50.0, step / 50.0 + 0.01) is None
    assert reading.restarts == 0


def test_what_was_held_up_and_comes_all_at_once_is_late_and_no_new_clock():
    reading = SenderClock()
    for step in range(60):
        reading.local(step / 60.0, step / 60.0)
    burst = [reading.local(1.0 + step / 60.0, 3.0) for step in range(120)]
    assert burst[:80] == [None] * 80
    assert reading.restarts == 0
    assert reading.local(3.1, 3.1) == pytest.approx(3.1, abs=0.01)


# Late, lost, stopped, back again


def followed_over(line: NoisyReplay, stream: VmcStream, seconds: float, *, until: float, silent=(0.0, 0.0)):
    """Send a replay to a stream, sample it at 60 Hz, and return times, shown places and what they should be."""
    encoder = VmcEncoder(HERO)
    arrivals = iter([*line.arrivals(seconds)])
    coming = next(arrivals, None)
    times, positions, known = np.arange(0.0, until, 1.0 / 60.0), [], []
    for time in times:
        while coming is not None and coming.time <= time:
            if not silent[0] <= coming.sent < silent[1]:
                for datagram in encoder.datagrams(coming.pose, 300.0 + coming.sent):
                    stream.take(datagram, coming.time)
            coming = next(arrivals, None)
        positions.append(world(stream.sample(time))[:, :3, 3])
        known.append(world(WALK.sample(time - stream.delay))[:, :3, 3])
    return times, np.array(positions), np.array(known)


def test_a_walk_over_a_bad_line_is_the_walk():
    line = NoisyReplay(WALK, rate=60.0, jitter=0.01, loss=0.1, doubled=0.1, late=0.03, lateness=0.15, seed=4)
    times, positions, known = followed_over(line, stream := VmcStream(HERO, delay=0.25), 2.5, until=2.5)
    inside = (times > 1.0) & (times < 2.5)
    # The clock is known to the few milliseconds of its jitter, and a foot goes at 4 m/s.
    assert np.linalg.norm(positions - known, axis=-1)[inside].max() < 0.05
    assert (
        np.linalg.norm(np.diff(positions[inside], axis=0), axis=-1).max()
        < 1.3 * np.linalg.norm(np.diff(known[inside], axis=0), axis=-1).max()
    )
    assert stream.counts["restarts"] == 0
    assert stream.counts["wrong time"] == 0


def test_a_sender_that_stops_and_returns_is_bridged():
    times, positions, known = followed_over(
        NoisyReplay(WALK, rate=60.0), VmcStream(HERO, delay=0.05), 4.0, until=4.0, silent=(1.0, 3.0)
    )
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=-1).max(axis=1) * 60.0  # fastest joint [m/s]
    own = np.linalg.norm(np.diff(known, axis=0), axis=-1).max() * 60.0
    held = (times > 1.6) & (times < 2.95)
    assert np.abs(np.diff(positions[held], axis=0)).max() < 1e-4  # it stands
    stopping = steps[(times[1:] > 1.05) & (times[1:] < 1.6)]
    assert (np.diff(stopping[2:]) < 0.02).all()  # it slows down and does not freeze
    missed = np.linalg.norm(WALK.sample(3.0).world_from_joint - WALK.sample(1.0).world_from_joint, axis=(1, 2)).max()
    assert steps.max() < own + 10.0 * missed  # a spring that takes the way made meanwhile in a fifth of a second
    assert np.linalg.norm(positions - known, axis=-1)[times > 3.6].max() < 0.02


def test_smoothing_is_taken_over():
    noisy = NoisyMotion(WALK, angle=0.1, rate=60.0, seed=1)
    line = NoisyReplay(noisy, rate=60.0)
    _, rough, known = followed_over(line, VmcStream(HERO, delay=0.15), 1.5, until=1.5)
    _, calm, _ = followed_over(line, VmcStream(HERO, delay=0.15, smoothing=0.15), 1.5, until=1.5)
    shake = [np.abs(np.diff((positions - known)[40:], n=2, axis=0)).mean() for positions in (rough, calm)]
    assert shake[1] < shake[0] / 5.0


# Ten minutes of abuse


ADDRESSES = st.sampled_from(
    [
        "/VMC/Ext/Bone/Pos",
        "/VMC/Ext/Root/Pos",
        "/VMC/Ext/T",
        "/VMC/Ext/OK",
        "/VMC/Ext/Blend/Val",
        "/VMC/Ext/Blend/Apply",
        "/VMC/Ext/Bone/Pos/Local",
        "/",
    ]
)
ANYTHING = st.one_of(
    st.floats(width=32), st.sampled_from(["Hips", "Spine", "Chest", "", "Tail"]), st.integers(-5, 5), st.booleans(),
    st.none(), st.binary(max_size=5), st.sampled_from([0.0, 1.0, -1.0, 999.0, 1e-30, 3e38]),
)  # fmt: skip
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 999.0, -1000.0, 1e-30, 3e38, math.nan, math.inf, 0.5])
LIKELY = st.builds(
    lambda name, numbers: Message("/VMC/Ext/Bone/Pos", (name, *numbers)),
    st.sampled_from(BONES),
    st.lists(NUMBERS, min_size=7, max_size=7),
)


@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(
            st.lists(
                st.one_of(LIKELY, st.builds(Message, ADDRESSES, st.lists(ANYTHING, max_size=9).map(tuple))), max_size=5
            ),
            st.floats(0.0, 1.0),
        ),
        max_size=8,
    )
)
def test_no_message_breaks_a_stream(sent):
    stream, time = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0), 0.0
    for messages, gap in sent:
        time += gap
        stream.take(packet(*messages), time)
        assert np.isfinite(world(stream.sample(time))).all()
    stream.take(packet(clock(5.0), bone("Hips", (0.0, 0.9, 0.0))), time)  # and it goes on


def hostile(chance: np.random.Generator, time: float) -> bytes:
    """A datagram that means no good: noise, half a packet, huge numbers, other clocks, turns from anywhere."""
    kind = chance.integers(6)
    if kind == 0:
        return chance.bytes(int(chance.integers(1, 80)))
    good = packet(
        clock(time),
        bone("Hips", chance.uniform(-999.0, 999.0, 3), chance.standard_normal(4)),
        *(bone(name, rotation=chance.standard_normal(4)) for name in ("Spine", "Chest")),
    )
    if kind == 1:
        return good[: int(chance.integers(1, len(good)))]
    if kind == 2:
        damaged = bytearray(good)
        damaged[int(chance.integers(len(good)))] = int(chance.integers(256))
        return bytes(damaged)
    if kind == 3:
        return packet(clock(chance.uniform(-1e6, 1e6)), bone("Spine", rotation=chance.standard_normal(4)))
    if kind == 4:
        return packet(bone("Hips", (math.nan, 1e30, -math.inf)), bone("x" * 60), clock(math.inf))
    return good


def test_ten_minutes_of_hostile_packets_and_pauses():
    """A good sender, an enemy beside it, pauses of both, clocks that start over: calm, finite, and no memory."""
    chance = np.random.default_rng(9)
    stream = VmcStream(SPINE, table=SPINE_TABLE, hip_height=1.0, delay=0.1)
    step, last, sizes = 1.0 / 8.0, None, []
    fastest, sharpest = 0.0, 0.0
    for tick in range(600 * 8):
        time = tick * step
        minute = int(time // 60.0)
        if minute not in (3, 7):  # in the fourth and the eighth minute it is gone
            sent = time if minute < 5 else time - 310.0  # and in the sixth it was started again
            angle = 0.4 * math.sin(time)
            stream.take(
                packet(clock(sent), bone("Hips", (0.1 * angle, 1.0, 0.0)), bone("Spine", rotation=bent(angle))), time
            )
        if minute % 2 == 1:
            stream.take(hostile(chance, time), time + 0.01)
        pose = stream.sample(time + 0.02)
        apart = RelativePose.from_pose(SPINE, pose)
        assert np.isfinite(world(pose)).all()
        if last is not None:
            fastest = max(fastest, float(np.linalg.norm(apart.moves - last.moves, axis=1).max()) / step)
            rotation = rotation_vectors(
                quaternions.quat_multiply(quaternions.conjugate(last.rotations), apart.rotations)
            )
            sharpest = max(sharpest, float(np.linalg.norm(rotation, axis=1).max()) / step)
        last = apart
        if tick % 800 == 799:
            sizes.append(sys.getallocatedblocks())
    assert fastest <= 20.0 + 1e-6  # m/s, as SteadyMotion promises; the enemy sent jumps of a kilometre
    assert sharpest <= 50.0 + 1e-6  # rad/s
    assert fastest > 5.0  # it did see the enemy
    assert max(sizes[2:]) < sizes[1] + 5000  # blocks of memory, where every pose has dozens: full after two minutes
    counts = stream.counts
    assert counts["datagrams"] == 600 * 8 - 2 * 60 * 8 + 5 * 60 * 8
    assert counts["restarts"] >= 1
    assert all(counts[reason] > 0 for reason in ("malformed", "not a number", "unknown bone", "wrong time"))
    # In the last minutes' odd one the enemy sends too, so calm is looked for after it: the sender alone is followed.
    for tick in range(60):
        time = 600.0 + tick * step
        angle = 0.4 * math.sin(time)
        stream.take(
            packet(
                clock(time - 310.0), bone("Hips", (0.0, 1.0, 0.0)), bone("Spine", rotation=bent(angle)), bone("Chest")
            ),
            time,
        )
        pose = stream.sample(time + 0.02)
    assert bends(pose)[0] == pytest.approx(0.4 * math.sin(time - 0.08), abs=0.05)


# Over a real socket


def wait_for(condition, seconds: float = 5.0) -> bool:
    end = clocks.monotonic() + seconds
    while clocks.monotonic() < end:
        if condition():
            return True
        clocks.sleep(0.005)
    return False


def test_a_pose_goes_over_the_loopback():
    with VmcReceiver(HERO, port=0, delay=0.0) as receiver, VmcSender(HERO, port=receiver.port) as sender:
        assert receiver.skeleton is HERO.skeleton
        assert receiver.delay == 0.0
        assert receiver.latest is None
        assert receiver.followed["Head"] == "Head"
        np.testing.assert_allclose(world(receiver.sample()), HERO.skeleton.world_from_joint, atol=1e-12)
        sender.send(WALK.sample(0.4), 0.0)
        assert wait_for(lambda: receiver.counts["datagrams"] == 4)
        later = receiver.now() + 5.0
        np.testing.assert_allclose(world(receiver.sample(later)), world(WALK.sample(0.4)), atol=1e-5)
        points = supple.player(HERO, supple.LinearBlend()).play(receiver, later)
        assert np.isfinite(points).all()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            for junk in (b"", b"junk", bytes(3000)):
                other.sendto(junk, ("127.0.0.1", receiver.port))
        assert wait_for(lambda: receiver.counts["malformed"] == 3)
        sender.send(WALK.sample(0.8), 0.1)
        assert wait_for(lambda: receiver.counts["datagrams"] == 11)  # still there
        assert receiver.latest is not None


def test_closing_frees_the_port_and_ends_the_thread_also_after_an_error():
    before = threading.active_count()
    receiver = VmcReceiver(SPINE, port=0, table=SPINE_TABLE)
    port = receiver.port
    assert threading.active_count() == before + 1
    with pytest.raises(InputError, match=f"port {port} of 127.0.0.1 cannot be listened on"):
        VmcReceiver(SPINE, port=port, table=SPINE_TABLE)
    receiver.close()
    receiver.close()
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="elsewhere"), VmcReceiver(SPINE, port=port, table=SPINE_TABLE):
        raise RuntimeError("elsewhere")
    assert threading.active_count() == before
    with VmcReceiver(SPINE, port=port, table=SPINE_TABLE) as again:
        assert again.port == port
    np.testing.assert_allclose(world(receiver.sample()), SPINE.world_from_joint, atol=1e-12)  # poses outlive the socket


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"port": -1}, "port is -1"),
        ({"port": 65536}, "port is 65536"),
        ({"port": 1.5}, "port is 1.5"),
        ({"port": True}, "port is True"),
        ({"port": 0, "host": "no such host.invalid"}, "host is 'no such host.invalid'"),
    ],
)
@pytest.mark.parametrize("kind", [VmcReceiver, VmcSender])
def test_addresses_are_checked(kind, options, says):
    before = threading.active_count()
    with pytest.raises(InputError, match=f"{kind.__name__}: {says}"):
        kind(SPINE, table=SPINE_TABLE, **options)
    assert threading.active_count() == before


def test_a_sender_needs_a_port_and_a_time():
    with pytest.raises(InputError, match="VmcSender: port is 0"):
        VmcSender(HERO, port=0)
    with pytest.raises(InputError, match="VmcEncoder: time is nan"):
        VmcEncoder(HERO).datagrams(WALK.sample(0.0), math.nan)
    said = [
        message.address
        for datagram in VmcEncoder(HERO).datagrams(WALK.sample(0.0), 0.0)
        for message in read_packet(datagram)
    ]
    assert said.count("/VMC/Ext/Bone/Pos") == 55


def test_only_this_machine_is_listened_to_unless_told_otherwise():
    with VmcReceiver(SPINE, port=0, table=SPINE_TABLE) as receiver:
        assert receiver._socket.getsockname()[0] == "127.0.0.1"
