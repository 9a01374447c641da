"""What is true of every skin there is, plain or soft, on a tube small enough to try them all at once."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.character import Crowd
from supple.geometry import quaternions

SMALL = {"position-based": {"tetrahedra": 300}, "contact": {"elements": 300}, "lattice": {"resolution": 16}}
ABOUT_Y = quaternions.compose(
    [0.7, -0.3, 1.1], quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 1.1)
)  # weight stays down


@pytest.fixture(scope="module")
def small_tube() -> supple.Character:
    return make_tube(rings=17, sectors=10, bones=3)


@pytest.fixture(scope="module", params=supple.SKINS)
def skin(request) -> supple.skins.base.AnySkin:
    return supple.SKINS[request.param](**SMALL.get(request.param, {}))


@pytest.fixture(scope="module")
def poses(small_tube) -> list[supple.Pose]:
    """From rest into a bend with some twist, and one frame in which nothing moves."""
    angles = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.6]) / 2.0
    rotations = [(0.0, np.sin(0.3 * angle), np.sin(angle), np.cos(angle)) for angle in angles]
    return [
        supple.Pose.from_rotations(small_tube.skeleton, {"bone1": rotation, "bone2": rotation})
        for rotation in rotations
    ]


def played(player: supple.Player, poses: list[supple.Pose]) -> np.ndarray:
    """The frames (F, V, 3) [m] of a player that goes through some poses in order."""
    return np.stack([player.advance(pose).copy() for pose in poses])


@pytest.fixture(scope="module")
def player(small_tube, skin) -> supple.Player:
    return supple.player(small_tube, skin)


@pytest.fixture(scope="module")
def frames(player, poses) -> np.ndarray:
    player.reset()
    return played(player, poses)


def test_rest_in_rest_out_for_as_long_as_it_rests(player, small_tube):
    player.reset()
    still = played(player, [supple.Pose.rest(small_tube.skeleton)] * 4)
    assert np.abs(still - small_tube.points).max() < 2e-5


def test_a_bend_moves_the_skin(frames, small_tube):
    assert np.isfinite(frames).all()
    assert np.abs(frames[-1] - small_tube.points).max() > 0.5  # so that the other laws say something


def test_a_rigid_motion_of_the_poses_is_a_rigid_motion_of_the_skin(small_tube, skin, poses, frames):
    elsewhere = played(supple.player(small_tube, skin), [pose.moved(ABOUT_Y) for pose in poses])
    assert np.abs(elsewhere - (frames @ ABOUT_Y[:3, :3].T + ABOUT_Y[:3, 3])).max() < 1e-5


def test_another_player_and_another_run_give_the_same_bits(small_tube, skin, player, poses, frames):
    assert (played(supple.player(small_tube, skin), poses) == frames).all()
    player.reset()
    assert (played(player, poses) == frames).all()


@pytest.mark.parametrize("count", [2, 3])
def test_copies_move_as_one_character_does_whatever_players_live(small_tube, skin, player, poses, frames, count):
    """Bindings of a character and of crowds of it share what never changes: that must not depend on who came first."""
    if isinstance(skin, supple.ArticulatedContact):
        pytest.skip("the bodies of contact are of one character each")
    crowd = Crowd.of(small_tube, count)
    together = supple.player(crowd, skin)
    for pose, frame in zip(poses, frames, strict=True):
        at = crowd.gathered(np.stack([pose.world_from_joint] * count))
        copies = crowd.apart(together.advance(supple.Pose(at)))
        np.testing.assert_allclose(copies, np.stack([frame] * count), atol=1e-6)
