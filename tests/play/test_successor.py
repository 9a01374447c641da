"""A skin that is prepared beside a playing one and takes over from it; and what a player tells of the skin."""

import time

import numpy as np
import pytest
from soft_skins import Gripped, Trailing, swinging

import supple
from supple import DeltaMush, LinearBlend, Pose, kept
from supple import device as devices
from supple.errors import InputError
from supple.graph import Successor
from supple.graph.binding_process import BindingProcess


@pytest.mark.parametrize("skin", [DeltaMush(base="linear", iterations=40, guard=False), Trailing(rate=100.0)])
@pytest.mark.parametrize("first", [LinearBlend(), Trailing(step=1 / 60)])
def test_it_takes_over_where_the_old_one_is_and_nothing_jumps(tube, first, skin):
    motion = swinging(tube)
    old = supple.player(tube, first)
    successor = Successor(old, skin)
    for frame in range(20):
        last = old.play(motion, frame / 60.0)
    successor.wait()
    new = successor.take_over()
    assert new.time == old.time
    pose = motion.sample(old.time)
    frames = np.array([last, *(new.advance(pose, 1.0 / 60.0) for _ in range(900))])
    alone = supple.player(tube, skin)
    for _ in range(60):
        wanted = alone.advance(pose, 1.0 / 60.0)
    assert np.linalg.norm(np.diff(frames, axis=0), axis=2).max() < 0.005 * tube.size.max() / 1.75
    assert np.abs(frames[-1] - wanted).max() < 1e-5


@pytest.mark.parametrize("skin", [LinearBlend(), Trailing(rate=100.0)])
def test_what_takes_over_from_a_skin_that_has_failed_is_where_it_is_by_itself(tube, skin):
    motion = swinging(tube)
    old = supple.player(tube, LinearBlend())
    old.play(motion, 0.3)
    devices.write(old._shown, np.full((len(tube.points), 3), np.nan, dtype=np.float32))
    new = supple.player(tube, skin)
    new.succeed(old)
    alone = supple.player(tube, skin)
    for at in (0.3 + 1 / 60, 0.3 + 2 / 60):
        shown, wanted = new.play(motion, at), alone.play(motion, at)
    assert np.isfinite(shown).all()
    if isinstance(skin, LinearBlend):
        np.testing.assert_allclose(shown, wanted, atol=1e-6)


def test_it_takes_over_between_two_steps_as_well(tube):
    motion = swinging(tube)
    old = supple.player(tube, LinearBlend())
    successor = Successor(old, Trailing(step=1 / 60))
    last = old.play(motion, 0.3217)
    successor.wait()
    new = successor.take_over()
    assert new.time == 0.3217
    assert np.abs(new.play(motion, 0.3218) - last).max() < 1e-3


def test_what_cannot_be_bound_is_told_when_it_is_asked_for(tube):
    bare = tube.replace(weights=None)
    old = supple.player(tube, LinearBlend())
    old.character = bare
    successor = Successor(old, LinearBlend())
    successor.wait()
    with pytest.raises(InputError, match="no skin weights"):
        successor.take_over()


def test_it_does_not_take_over_too_early(tube):
    old = supple.player(tube, LinearBlend())
    successor = Successor(old, DeltaMush(base="linear"))
    if not successor.ready:
        with pytest.raises(InputError, match="still being prepared"):
            successor.take_over()
    successor.wait()
    assert successor.take_over().time is None


def test_stretch_is_that_of_the_frame(tube):
    """A tube twice as long: edges along it double, those around it stay."""
    player = supple.player(tube, LinearBlend())
    with pytest.raises(InputError, match="no frame"):
        player.stretch()
    rest = Pose.rest(tube.skeleton)
    player.advance(rest)
    assert np.abs(player.stretch()).max() < 1e-6
    long = np.array(rest.world_from_joint) * 1.0
    long[:, 1, :] *= 2.0
    points = player.advance(Pose(long))
    v = 200
    around = np.unique(tube.triangles[(tube.triangles == v).any(axis=1)])
    around = around[around != v]
    edges = np.linalg.norm(points[around] - points[v], axis=1) / np.linalg.norm(
        tube.points[around] - tube.points[v], axis=1
    )
    assert player.stretch()[v] == pytest.approx((edges - 1.0).mean(), rel=1e-4)


def test_skins_that_know_no_forces_say_so(tube):
    player = supple.player(tube, Gripped())
    with pytest.raises(InputError, match="no frame"):
        player.forces()
    player.advance(Pose.rest(tube.skeleton))
    with pytest.raises(InputError, match="it knows none"):
        player.forces()
    with pytest.raises(InputError, match="it knows none"):
        player.contact_pressure()
    springs = supple.player(tube, supple.SpringRig())
    springs.advance(Pose.rest(tube.skeleton))
    assert springs.forces().shape == (len(tube.points), 3)


def test_a_process_beside_binds_what_is_kept_on_disk(tube, tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_LIMIT", "100000000")
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    beside = BindingProcess()
    old = supple.player(tube, LinearBlend())
    successor = Successor(old, supple.IncrementalRotation(), beside=beside)
    successor.wait()
    assert [one.of for one in kept.stored(kept.BINDING)] == ["incremental"]
    pose = Pose.rest(tube.skeleton)
    alone = supple.player(tube, supple.IncrementalRotation())
    np.testing.assert_array_equal(successor.take_over().advance(pose), alone.advance(pose))
    for one in [Successor(old, supple.SpringRig(), beside=beside), Successor(old, LinearBlend(), beside=beside)]:
        next(iter(beside._pool._processes.values())).kill()  # whatever becomes of it, it is bound here
        one.wait()
        assert one.take_over().time is None
    beside.close()


def played(old, successor, source, frames, *, rate=60.0):
    """Play on until it is met; how many frames that took."""
    for frame in range(frames):
        time = frame / rate
        old.play(source, time)
        successor.wait()
        if successor.is_met(source, time):
            return frame
    return None


def test_flesh_begins_beside_in_the_pose_that_comes(tube):
    """When it takes over it has begun already, and is where one is that began then."""
    motion = swinging(tube)
    old, skin = supple.player(tube, LinearBlend()), Trailing(rate=20.0, step=1 / 120)
    successor = Successor(old, skin)
    frame = played(old, successor, motion, 60)
    assert frame is not None
    assert frame >= 3  # the time that it was given
    (begun, pose), new = successor._meeting, successor._new
    assert begun == new.time <= old.time
    state = new._nodes[-1].state
    last = old.play(motion, old.time)
    assert successor.take_over() is new
    assert new._nodes[-1].state is state  # nothing was begun anew
    assert new.time == old.time
    assert np.abs(new.play(motion, old.time + 1e-4) - last).max() < 1e-3
    alone = supple.player(tube, skin)
    alone.begin(pose, begun)
    for player in (alone, new):
        for later in range(1, 120):
            points = player.play(motion, old.time + later / 60.0)
        player.last = points
    assert np.abs(alone.last - new.last).max() < 1e-4


def test_where_another_pose_comes_it_begins_there_at_last(tube):
    """A source that leads elsewhere all the time is never met, and taken over from all the same."""

    class Leaping:
        skeleton = tube.skeleton

        def __init__(self):
            self.leaps = 0

        def sample(self, time):
            self.leaps += 1
            moved = np.array(Pose.rest(tube.skeleton).world_from_joint)
            moved[:, 0, 3] += self.leaps
            return Pose(moved)

    old = supple.player(tube, LinearBlend())
    successor = Successor(old, Trailing())
    assert played(old, successor, Leaping(), 200) is not None
    assert not successor._met
    assert successor.take_over().time == old.time


def test_flesh_that_stands_is_not_waited_for(tube, monkeypatch):
    monkeypatch.setattr("supple.graph.successor._LEAST", 0.001)
    motion = swinging(tube)
    old = supple.player(tube, LinearBlend())
    successor = Successor(old, Trailing())
    old.play(motion, 0.5)
    for _ in range(400):
        successor.wait()
        if successor.is_met(motion, 0.5):
            break
        time.sleep(0.005)
    else:
        raise AssertionError("it never takes over")
    assert successor.take_over().time == 0.5
