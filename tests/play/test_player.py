"""The player: scrubbing, fixed steps, frame rates, and what it refuses."""

import numpy as np
import pytest
from soft_skins import Trailing

import supple
from supple import DeltaMush, DualQuaternion, Graph, LinearBlend, Motion, Pose
from supple.errors import InputError
from supple.graph import Mask


@pytest.fixture(scope="module")
def turning(tube):
    """One second of the upper bone turning by 90 degrees while the whole tube moves along x."""

    def pose(time):
        angle = 0.5 * np.pi * time
        rotation = {"bone1": (0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2))}
        return Pose.from_rotations(tube.skeleton, rotation, move=np.array([time, 0.0, 0.0]))

    return Motion.from_poses(tube.skeleton, pose, seconds=1.0, fps=240.0)


def test_kinematic_skins_scrub_in_any_order(tube, turning):
    player = supple.player(tube, DualQuaternion())
    times = [0.0, 0.3, 0.9]
    forward = {time: player.play(turning, time) for time in times}
    for time in (0.9, 0.0, 0.3):
        assert np.array_equal(player.play(turning, time), forward[time])


def test_frames_are_the_users_own(tube, turning):
    """A frame handed out does not change when the next one is made."""
    player = supple.player(tube, LinearBlend())
    first = player.play(turning, 0.0)
    kept = first.copy()
    player.play(turning, 1.0)
    assert np.array_equal(first, kept)


@pytest.mark.parametrize("fps", [12.0, 25.0, 30.0, 60.0, 144.0, 1000.0])
def test_soft_skins_do_not_depend_on_the_frame_rate(tube, turning, fps):
    """Frames at common times agree whatever the rate in between."""
    skin = Trailing(step=1.0 / 120.0)
    reference = supple.player(tube, skin)
    steps = [reference.play(turning, tick / 120.0) for tick in range(121)]
    player = supple.player(tube, skin)
    frames = int(fps)
    for frame in range(frames + 1):
        time = frame / fps
        points = player.play(turning, time)
        low = min(int(np.floor(time * 120.0 + 1e-9)), 119)
        share = time * 120.0 - low
        expected = (1.0 - share) * steps[low] + share * steps[low + 1]
        assert np.abs(points - expected).max() < 1e-5
    assert np.array_equal(points, steps[120])


def test_a_soft_skin_follows_its_equation(tube):
    """A tube that jumps by one metre and then stands: the gap shrinks as exp(-rate t)."""
    skin = Trailing(rate=3.0, step=0.01)
    player = supple.player(tube, skin)
    rest = Pose.rest(tube.skeleton)
    away = rest.moved(np.array([[1.0, 0, 0, 1.0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]]))
    player.advance(rest)
    player.advance(away, 0.0)
    for frame in range(1, 50):
        gap = 1.0 - (player.advance(away, 0.02) - tube.points)[:, 0]
        assert np.allclose(gap, np.exp(-3.0 * 0.02 * frame), atol=2e-3)


def test_advance_and_play_agree_when_frames_meet_steps(tube, turning):
    skin = Trailing(step=1.0 / 120.0)
    one, other = supple.player(tube, skin), supple.player(tube, skin, fps=60.0)
    for frame in range(31):
        pose = turning.sample(frame / 60.0)
        assert np.abs(one.play(turning, frame / 60.0) - other.advance(pose)).max() < 1e-4


def test_reset_starts_over(tube, turning):
    player = supple.player(tube, Trailing())
    first = [player.play(turning, frame / 24.0) for frame in range(10)]
    player.reset()
    again = [player.play(turning, frame / 24.0) for frame in range(10)]
    assert np.array_equal(first, again)


def test_soft_skins_may_be_chained_and_blended(tube, turning):
    player = supple.player(tube, Graph.blend(LinearBlend(), Graph.of(Trailing()).then(DeltaMush()), Mask(amount=0.5)))
    kinematic = supple.player(tube, LinearBlend())
    for frame in range(20):
        points, plain = player.play(turning, frame / 30.0), kinematic.play(turning, frame / 30.0)
    assert np.isfinite(points).all()
    assert 0.01 < np.abs(points - plain).max() < 1.0


def test_soft_skins_refuse_to_go_back(tube, turning):
    player = supple.player(tube, Trailing())
    player.play(turning, 0.5)
    with pytest.raises(InputError, match="time goes back"):
        player.play(turning, 0.4)
    player.reset()
    player.play(turning, 0.4)


def test_bad_calls_are_refused(tube, turning):
    player = supple.player(tube, LinearBlend())
    with pytest.raises(InputError, match="finite time"):
        player.play(turning, float("nan"))
    with pytest.raises(InputError, match="dt is -1"):
        player.advance(Pose.rest(tube.skeleton), -1.0)
    with pytest.raises(InputError, match="fps is 0"):
        supple.player(tube, LinearBlend(), fps=0)
    with pytest.raises(InputError, match="it has 1 joints"):
        player.advance(Pose(np.eye(4)[None]))


def test_a_motion_for_another_skeleton_is_refused(tube, bent_tube, turning):
    with pytest.raises(InputError, match=r"skeleton of 2 joints that lacks bone2"):
        supple.player(bent_tube, LinearBlend()).play(turning, 0.0)
    with pytest.raises(InputError, match=r"lacks bone2"):
        bent_tube.replace(motions={"turning": turning})
    assert supple.player(tube.replace(motions={"turning": turning}), LinearBlend()).play(turning, 0.0).shape
