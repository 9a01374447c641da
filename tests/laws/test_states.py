"""A binding is shared and never changes; a state owns all that moves: laws over every skin, on every device."""

import threading

import numpy as np
import pytest
from soft_skins import Trailing

import supple
from supple import device as devices
from supple.skins.base import SoftSkin
from supple.skins.memory import capture_arrays
from supple.skins.registry import SKINS

FEW = {
    "position-based": {"tetrahedra": 1000},
    "lattice": {"resolution": 24},
    "contact": {"elements": 1000},
    "delta-mush": {"base": "linear"},
}
SOFT = [name for name, kind in SKINS.items() if issubclass(kind, SoftSkin)]
STEPS = 8


def device_names():
    return ["cpu", "cuda:0"] if devices.warp().is_cuda_available() else ["cpu"]


@pytest.fixture(scope="module")
def arm():
    return supple.character("arm", vertices=900)


@pytest.fixture(scope="module")
def players(arm):
    """One player for every skin and device; what is tested starts it anew."""
    made = {}

    def player(name, device="cpu"):
        if (name, device) not in made:
            made[name, device] = supple.player(arm, SKINS[name](**FEW.get(name, {})), device=device)
        made[name, device].reset()
        return made[name, device]

    return player


def motions(arm):
    return supple.motion("bend", arm, angle=np.radians(100.0)), supple.motion("twist", arm)


@pytest.mark.parametrize("device", device_names())
@pytest.mark.parametrize("name", SKINS)
def test_two_states_on_one_binding_do_not_feel_each_other(arm, players, name, device):
    """Two players on the same bindings, by turns, show to the bit what each would show alone."""
    bend, twist = motions(arm)
    times = [0.3 + step / 60.0 for step in range(STEPS)]
    player = players(name, device)
    alone = []
    for motion in (bend, twist):
        player.reset()
        alone.append([player.play(motion, time) for time in times])
    one = players(name, device)
    other = one.copy()
    for step, time in enumerate(times):
        np.testing.assert_array_equal(one.play(bend, time), alone[0][step])
        np.testing.assert_array_equal(other.play(twist, time), alone[1][step])
    assert not np.array_equal(alone[0][-1], alone[1][-1])


@pytest.mark.parametrize("name", SKINS)
def test_states_on_one_binding_run_in_threads(arm, players, name):
    motion = motions(arm)[0]
    player = players(name)
    wanted = [player.play(motion, 0.3 + step / 60.0) for step in range(STEPS)]
    player.reset()
    twins = [player.copy() for _ in range(3)]
    found = [None] * len(twins)

    def run(number):
        found[number] = [twins[number].play(motion, 0.3 + step / 60.0) for step in range(STEPS)]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(twins))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for frames in found:
        np.testing.assert_array_equal(frames, wanted)


@pytest.mark.parametrize("name", SOFT)
def test_a_copy_is_a_branch(arm, players, name):
    """It goes on as the first one would have; afterwards each goes its own way."""
    bend, twist = motions(arm)
    player = players(name)
    for step in range(STEPS):
        player.play(bend, 0.3 + step / 60.0)
    branch = player.copy()
    onward = [0.3 + (STEPS + step) / 60.0 for step in range(STEPS)]
    other = [branch.play(twist, time) for time in onward]
    again = player.copy()
    straight = [player.play(bend, time) for time in onward]
    np.testing.assert_array_equal([again.play(bend, time) for time in onward], straight)
    assert not np.array_equal(other[-1], straight[-1])


@pytest.mark.parametrize("name", SOFT)
def test_going_on_from_a_snapshot_starts_nothing(arm, players, name, monkeypatch):
    motion = motions(arm)[0]
    player = players(name)
    for step in range(3):
        player.play(motion, 0.3 + step / 60.0)
    kept = player.snapshot()
    wanted = player.play(motion, 0.4)
    kind = SKINS[name]
    for begun in ("start", "begin"):
        monkeypatch.setattr(kind, begun, lambda *_, **__: pytest.fail("it was started"))
    player.restore(kept)
    np.testing.assert_array_equal(player.play(motion, 0.4), wanted)


@pytest.mark.parametrize("name", SOFT)
def test_a_player_that_was_reset_is_a_new_one(arm, players, name):
    bend, twist = motions(arm)
    player = players(name)
    first = [player.play(bend, 0.3 + step / 60.0) for step in range(STEPS)]
    player.reset()
    player.play(twist, 1.1)
    player.reset()
    np.testing.assert_array_equal([player.play(bend, 0.3 + step / 60.0) for step in range(STEPS)], first)


@pytest.mark.parametrize("name", SOFT)
def test_a_start_that_is_not_seen_is_the_same_whatever_was_played_before(arm, players, name):
    """And some steps on it has come to where a start that is seen goes."""
    bend, twist = motions(arm)
    times = [0.3 + step / 60.0 for step in range(STEPS)]
    player = players(name)
    wanted = [player.play(bend, time) for time in times][-1]
    fresh = supple.player(arm, player.graph)
    shown = []
    for one in (player, fresh):
        one.reset()
        if one is player:
            one.play(twist, 1.1)
        one.reset(seen=False)
        shown.append([one.play(bend, time) for time in times])
    np.testing.assert_array_equal(*shown)
    np.testing.assert_allclose(shown[0][-1], wanted, atol=2e-3)


@pytest.mark.parametrize("name", SKINS)
def test_nothing_in_a_binding_changes(arm, players, name):
    """Playing leaves every host array of a binding as it was."""
    player = players(name)
    node = player._nodes[-1]
    before = {key: value.copy() for key, value in host_arrays(node.binding)}
    assert before
    for step in range(STEPS):
        player.play(motions(arm)[0], 0.3 + step / 60.0)
    after = dict(host_arrays(node.binding))
    assert before.keys() == after.keys()
    for key, value in before.items():
        np.testing.assert_array_equal(after[key], value, err_msg=key)


@pytest.mark.parametrize("name", SKINS)
def test_another_state_keeps_nothing_for_good(arm, players, name):
    """Whoever starts again and again, as in a crowd, fills no memory: bindings keep what they once brought."""
    player, motion = players(name), motions(arm)[0]
    kept = []
    for _ in range(3):
        player.reset()
        player.copy().play(motion, 0.3)
        for step in range(3):
            player.play(motion, 0.3 + step / 60.0)
        kept.append([len(one._known) for node in player._nodes for one in constants_in(node.binding)])
    assert kept[0]
    assert kept[1] == kept[2] == kept[0]


def constants_in(binding):
    """All constants that can be reached from a binding through its fields."""
    found, seen, left = [], set(), [binding]
    while left:
        value = left.pop()
        if isinstance(value, devices.Constants):
            found.append(value)
        elif hasattr(value, "__dataclass_fields__") and id(value) not in seen:
            seen.add(id(value))
            left += [getattr(value, field, None) for field in value.__dataclass_fields__]
        elif isinstance(value, tuple | list):
            left += value
    return found


def host_arrays(value, name="", seen=None):
    """All arrays that can be reached from a dataclass through its fields."""
    seen = set() if seen is None else seen
    if isinstance(value, np.ndarray):
        yield name, value
    elif hasattr(value, "__dataclass_fields__") and id(value) not in seen:
        seen.add(id(value))
        for field in value.__dataclass_fields__:
            yield from host_arrays(getattr(value, field), f"{name}.{field}", seen)
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from host_arrays(item, f"{name}.{number}", seen)


def test_a_state_that_two_players_share_would_be_caught(arm):
    """The law fails for a skin whose states share what moves."""

    class Shared(Trailing):
        kept = None

        def allocate(self, binding):
            type(self).kept = type(self).kept or super().allocate(binding)
            return type(self).kept

    bend, twist = motions(arm)
    player = supple.player(arm, Shared())
    alone = [player.play(bend, 0.3 + step / 60.0) for step in range(3)]
    player.reset()
    player.play(bend, 0.3)
    other = player.copy()
    other.play(twist, 1.0)
    assert not np.array_equal(player.play(bend, 0.3 + 2 / 60.0), alone[2])


def test_a_memory_is_plain_arrays_and_numbers(arm, players):
    for name in SOFT:
        player = players(name)
        player.play(motions(arm)[0], 0.3)
        kept = capture_arrays(player._nodes[-1].state.memory, "state")
        assert "state.points" in kept
        assert all(isinstance(value, np.ndarray) and value.dtype != object for value in kept.values())
