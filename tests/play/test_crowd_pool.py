"""The places of one level: members that come and go are always as their skin alone has them, in few blocks."""

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.graph.crowds import pool
from supple.graph.graph import Graph
from supple.motion import Cast

HERO = supple.character("hero", vertices=700)
TOGETHER, MEMBERS = 4, 14


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(pool.Pool, "_size_of_blocks", lambda self, most: TOGETHER)


def a_cast():
    motions = [supple.motion(name, HERO) for name in ("walk", "jump")]
    places = np.tile(np.eye(4), (MEMBERS, 1, 1))
    places[:, 0, 3] = np.arange(MEMBERS)
    return Cast([motions[m % 2] for m in range(MEMBERS)], 0.1 * np.arange(MEMBERS), places)


def blank():
    return devices.warp().zeros(MEMBERS * len(HERO.points), dtype=devices.warp().vec3f)


def apart(shown):
    return shown.numpy().reshape(MEMBERS, -1, 3)


@pytest.mark.parametrize(
    "skin",
    [supple.DualQuaternion(), supple.PoseSpace(), supple.PoseSpace(base="dual-quaternion")],
    ids=("dual-quaternion", "pose-space", "pose-space-on-dual-quaternion"),
)
@pytest.mark.parametrize("seed", range(2))
def test_members_that_come_and_go_are_as_their_skin_alone_has_them(small_blocks, skin, seed):
    """Whoever is there, and wherever they stood before, no more blocks play than they need."""
    rng, cast = np.random.default_rng(seed), a_cast()
    places, alone = pool.Pool(HERO, Graph.of(skin).played, MEMBERS, "cpu", 60.0), supple.player(HERO, skin)
    present: set[int] = set()
    played, shown = [], blank()
    for frame in range(12):
        for m in rng.permutation(MEMBERS)[: rng.integers(1, 8)].tolist():
            (places.leave if m in present else places.enter)(m)
            present ^= {m}
        time = frame / 20.0
        places.play(cast, time)
        live = [block for block in places.blocks if block.live]
        assert len(live) == -(-len(present) // TOGETHER)
        played.append(len(live))
        shown.zero_()
        places.show(np.ones(MEMBERS), shown, coming=False)
        found = apart(shown)
        for m in range(MEMBERS):
            wanted = alone.play(cast.member(m), time) if m in present else np.zeros_like(found[m])
            np.testing.assert_allclose(found[m], wanted, atol=2e-6)
    assert max(played) > min(played)  # blocks were emptied


def test_what_is_shown_follows_the_amounts_of_every_frame(small_blocks):
    """An amount of less than one goes part of the way, and none leaves a member as it was."""
    places, shown = pool.Pool(HERO, Graph.of(supple.LinearBlend()).played, MEMBERS, "cpu", 60.0), blank()
    for m in (2, 5, 6):
        places.enter(m)
    places.play(a_cast(), 0.3)
    places.show(np.ones(MEMBERS), shown, coming=True)
    whole = apart(shown).copy()
    shown.zero_()
    for amounts in ({2: 1.0, 5: 0.25}, {2: 0.5}, {6: 1.0, 5: 1.0}, {6: 1.0, 5: 1.0}):
        before, given = apart(shown).copy(), np.zeros(MEMBERS)
        given[list(amounts)] = list(amounts.values())
        places.show(given, shown, coming=True)
        np.testing.assert_allclose(apart(shown), before + given[:, None, None] * (whole - before), atol=1e-6)
