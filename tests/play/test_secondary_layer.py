"""What any skin carries on top: hands that hold it by springs, and changes that do not jump."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from soft_skins import Trailing, swinging

import supple
from supple import DeltaMush, Graph, LinearBlend, Pose, Pull
from supple import device as devices
from supple.errors import InputError
from supple.graph import Mask, Transport
from supple.settings import flattened, setting
from supple.skins.registry import SKINS

SECOND = 60  # frames
PLACE = 200  # a vertex half way up the tube
SOFT = ("lattice", "position-based", "spring-dynamics")
ASIDE = np.array([0.1, 0.05, 0.2])


def _stand(player, frames, pose=None):
    pose = Pose.rest(player.character.skeleton) if pose is None else pose
    for _ in range(frames):
        points = player.advance(pose, 1.0 / SECOND)
    return points


@pytest.fixture(params=["linear", "trailing"])
def held(request, tube):
    """A player of a skin that knows no hands, at rest."""
    player = supple.player(tube, LinearBlend() if request.param == "linear" else Trailing(rate=200.0, step=1 / SECOND))
    _stand(player, 2)
    return player


@pytest.fixture(scope="module")
def stopping():
    """A hero who stops suddenly."""
    hero = supple.character("hero", vertices=2000)
    return hero, supple.motion("run-and-stop", hero)


def test_the_place_comes_to_the_hand_and_what_is_near_goes_along(held, tube):
    rest = _stand(held, 1)
    held.pull(Pull(PLACE, to=rest[PLACE] + ASIDE, radius=0.3))
    moved = _stand(held, 15) - rest
    assert np.linalg.norm(moved[PLACE] - ASIDE) < 1e-3
    away = np.linalg.norm(tube.points - tube.points[PLACE], axis=1)
    assert np.linalg.norm(moved[(away > 0.0) & (away < 0.15)], axis=1).min() > 0.2 * np.linalg.norm(ASIDE)
    assert np.abs(moved[away > 0.3]).max() == 0.0


def test_let_go_it_swings_past_its_shape_and_leaves_no_trace(held):
    rest = _stand(held, 1)
    held.pull(Pull(PLACE, to=rest[PLACE] + ASIDE))
    _stand(held, 15)
    held.let_go()
    along = [(_stand(held, 1)[PLACE] - rest[PLACE]) @ ASIDE / (ASIDE @ ASIDE) for _ in range(30)]
    assert min(along) < -0.1
    assert abs(along[-1]) < 0.1
    _stand(held, 4 * SECOND)
    assert np.array_equal(_stand(held, 1), rest)


def test_a_hand_that_goes_along_is_never_late(tube):
    """The hand is where the place would be without it, plus an offset, on a tube that swings and walks."""
    motion = swinging(tube)
    free, player = supple.player(tube, LinearBlend()), supple.player(tube, LinearBlend())
    for frame in range(60):
        time = frame / SECOND
        place = free.play(motion, time)[PLACE]
        player.pull(Pull(PLACE, to=place + ASIDE))
        off = np.linalg.norm(player.play(motion, time)[PLACE] - place - ASIDE)
        assert frame < 15 or off < 1e-5


def test_hands_apart_do_not_feel_each_other(held, tube):
    rest = _stand(held, 1)
    far = int(np.argmax(np.linalg.norm(tube.points - tube.points[PLACE], axis=1)))
    held.pull(Pull(PLACE, to=rest[PLACE] + ASIDE), hand="left")
    one = _stand(held, 15)
    held.pull(Pull(far, to=rest[far] - ASIDE), hand="right")
    both = _stand(held, 15)
    assert np.linalg.norm(both[PLACE] - one[PLACE]) < 1e-3
    assert np.linalg.norm(both[far] - rest[far] + ASIDE) < 1e-3
    held.let_go("left")
    assert np.linalg.norm(_stand(held, 1)[far] - rest[far] + ASIDE) < 1e-3


def test_hands_close_together_both_have_their_place(held, tube):
    rest = _stand(held, 1)
    near = int(np.argmin(np.abs(np.linalg.norm(tube.points - tube.points[PLACE], axis=1) - 0.15)))
    held.pull(Pull(PLACE, to=rest[PLACE] + ASIDE, radius=0.3), hand="left")
    held.pull(Pull(near, to=rest[near] + 0.5 * ASIDE, radius=0.3), hand="right")
    both = _stand(held, 20)
    assert np.linalg.norm(both[PLACE] - rest[PLACE] - ASIDE) < 1e-3
    assert np.linalg.norm(both[near] - rest[near] - 0.5 * ASIDE) < 1e-3


def test_two_hands_on_one_place_share_it(held):
    rest = _stand(held, 1)
    held.pull(Pull(PLACE, to=rest[PLACE] + ASIDE), hand="left")
    held.pull(Pull(PLACE, to=rest[PLACE] - ASIDE, radius=0.2), hand="right")
    assert np.linalg.norm(_stand(held, 20)[PLACE] - rest[PLACE]) < np.linalg.norm(ASIDE)


def test_a_force_draws_twice_as_far_when_it_is_twice_as_large(held):
    rest = _stand(held, 1)
    held.pull(Pull(PLACE, force=(0.0, 0.0, 5.0)))
    once = _stand(held, 4 * SECOND)[PLACE] - rest[PLACE]
    held.pull(Pull(PLACE, force=(0.0, 0.0, 10.0)))
    twice = _stand(held, 4 * SECOND)[PLACE] - rest[PLACE]
    assert once[2] > 1e-3
    np.testing.assert_allclose(twice, 2.0 * once, rtol=1e-3, atol=1e-7)


def test_what_is_too_far_is_reached_half_a_body_long(held, tube):
    rest = _stand(held, 1)
    held.pull(Pull(PLACE, to=rest[PLACE] + np.array([0.0, 0.0, 1e6])))
    moved = np.linalg.norm(_stand(held, SECOND)[PLACE] - rest[PLACE])
    assert moved == pytest.approx(0.5 * tube.size.max(), rel=1e-3)
    held.pull(Pull(PLACE, force=(0.0, 1e12, 0.0)))
    assert np.linalg.norm(_stand(held, SECOND) - rest, axis=1).max() < 1.1 * tube.size.max()


def test_what_cannot_be_held_is_refused_and_it_plays_on(held):
    rest = _stand(held, 1)
    for number in range(8):
        held.pull(Pull(20 * number, to=rest[20 * number]), hand=str(number))
    with pytest.raises(InputError, match="there are 8 hands"):
        held.pull(Pull(500, to=rest[500]), hand="ninth")
    with pytest.raises(InputError, match="it can hold 64"):
        held.pull(Pull(list(range(100)), to=(0.0, 0.0, 0.0)), hand="0")
    with pytest.raises(InputError, match="not finite"):
        held.pull(Pull(0, to=(np.nan, 0.0, 0.0)))
    with pytest.raises(InputError, match="there are vertices"):
        held.pull(Pull(10_000, to=(0.0, 0.0, 0.0)))
    assert np.abs(_stand(held, 30) - rest).max() < 1e-5


def test_a_copy_is_held_as_well_and_goes_its_own_way(held):
    rest = _stand(held, 1)
    held.pull(Pull(PLACE, to=rest[PLACE] + ASIDE))
    _stand(held, 3)
    twin = held.copy()
    assert np.array_equal(_stand(held, 5), _stand(twin, 5))
    twin.let_go()
    back = _stand(twin, 4 * SECOND)
    assert np.array_equal(back, rest)
    assert np.linalg.norm(_stand(held, 1)[PLACE] - rest[PLACE] - ASIDE) < 1e-3


def test_a_snapshot_keeps_what_swings(held):
    rest = _stand(held, 1)
    held.pull(Pull(PLACE, to=rest[PLACE] + ASIDE))
    _stand(held, 15)
    held.let_go()
    _stand(held, 5)
    kept = held.snapshot()
    first = _stand(held, 10)
    _stand(held, 10)
    held.restore(kept)
    assert np.array_equal(_stand(held, 10), first)
    held.reset()
    assert np.array_equal(_stand(held, 1), rest)


def test_a_blend_of_skins_can_be_held_too(tube):
    player = supple.player(tube, Graph.blend(LinearBlend(), DeltaMush(base="linear"), Mask(amount=0.5)))
    rest = _stand(player, 1)
    player.pull(Pull(PLACE, to=rest[PLACE] + ASIDE))
    assert np.linalg.norm(_stand(player, 15)[PLACE] - rest[PLACE] - ASIDE) < 1e-3


def test_a_paused_character_can_be_drawn(tube):
    """The motion stands, the flesh's clock does not."""
    motion = swinging(tube)
    transport = Transport(supple.player(tube, LinearBlend()), motion)
    transport.advance(0.2)
    transport.pause()
    rest = transport.advance(1.0)
    transport.player.pull(Pull(PLACE, to=rest[PLACE] + ASIDE))
    for _ in range(15):
        points = transport.advance(1.0 / SECOND)
    assert np.linalg.norm(points[PLACE] - rest[PLACE] - ASIDE) < 1e-3


def test_a_changed_setting_does_not_jump_and_is_all_there_in_the_end(tube):
    """Sixty rounds of smoothing in place of one draw a bent tube in by centimetres, and take a moment for it."""
    pose = swinging(tube).sample(0.5)
    player = supple.player(tube, DeltaMush(base="linear", iterations=1, guard=False))
    before = _stand(player, 5, pose)
    player.change(iterations=60)
    frames = np.array([before, *(_stand(player, 1, pose) for _ in range(8 * SECOND))])
    wanted = _stand(supple.player(tube, DeltaMush(base="linear", iterations=60, guard=False)), 1, pose)
    assert np.abs(wanted - before).max() > 0.02
    assert np.linalg.norm(np.diff(frames, axis=0), axis=2).max() < 0.005 * tube.size.max() / 1.75
    assert np.array_equal(frames[-1], wanted)


def test_a_soft_skin_that_changes_goes_on_from_where_it_is(tube):
    """A change that would show at once, seen beside a player that was never changed."""
    motion = swinging(tube)
    one, other = (supple.player(tube, Leaping(step=1 / SECOND)) for _ in range(2))
    for frame in range(10):
        one.play(motion, frame / SECOND), other.play(motion, frame / SECOND)
    other.change(lift=0.1)
    apart = [
        np.linalg.norm(other.play(motion, frame / SECOND) - one.play(motion, frame / SECOND), axis=1).max()
        for frame in range(10, 10 + 4 * SECOND)
    ]
    assert np.abs(np.diff([0.0, *apart])).max() < 0.005 * tube.size.max() / 1.75
    assert apart[-1] == pytest.approx(0.1, rel=1e-4)
    assert other.play(motion, 5.0).shape == one.play(motion, 5.0).shape


@dataclass(frozen=True, kw_only=True)
class Leaping(Trailing):
    """Trails far behind, and is lifted by as much as a setting says at once."""

    live: ClassVar[frozenset[str]] = frozenset({"lift", "rate"})
    lift: float = setting(0.0, "How far it is lifted", unit="m", low=0.0, high=1.0)

    def advance(self, binding, state, pose, dt, *, incoming):
        points = super().advance(binding, state, pose, dt, incoming=incoming).numpy()
        return devices.to_device(points + np.float32([0.0, self.lift, 0.0]), devices.warp().vec3f, "cpu")


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_a_hand_that_walks_along_is_followed_whatever_the_step(fps):
    """Curves go on by 1/120 s, so that a hand stands still for some of their steps while the body walks."""
    hero = supple.character("hero", vertices=2000)
    walk, skin = supple.motion("walk", hero), supple.CurveDynamics()
    belly = int(np.argmax(hero.points[:, 2] * (np.abs(hero.points[:, 1] - 1.05) < 0.1)))
    held, free = (supple.player(hero, skin, fps=fps) for _ in range(2))
    held.play(walk, 0.0)
    late = []
    for frame in range(1, round(1.5 * fps)):
        goal = free.play(walk, frame / fps)[belly] + [0.0, 0.02, 0.1]
        held.pull(Pull(belly, to=goal))
        late.append(np.linalg.norm(held.play(walk, frame / fps)[belly] - goal))
    assert max(late[round(0.5 * fps) :]) < 5e-3


@pytest.mark.parametrize("factor", [0.25, 4.0])
@pytest.mark.parametrize(("name", "setting"), [(name, one) for name in SOFT for one in sorted(SKINS[name].pushes)])
def test_settings_that_only_push_move_nothing_at_once(stopping, name, setting, factor):
    """Though no trouble is taken to ease them in: in a sudden stop, beside a player that was never changed."""
    hero, motion = stopping
    skin = SKINS[name]()
    one, other = (supple.player(hero, skin) for _ in range(2))
    for frame in range(60, 70):
        one.play(motion, frame / SECOND), other.play(motion, frame / SECOND)
    value = flattened(skin)[setting]
    scaled = {row: factor * each for row, each in value.items()} if isinstance(value, Mapping) else factor * value
    other.change(**{setting.rpartition(".")[2]: scaled})
    moved = other.play(motion, 70 / SECOND) - one.play(motion, 70 / SECOND)
    assert np.abs(moved).max() < 0.005
