"""Who of a crowd is in which level: by distance, with room for so many, calmly."""

import numpy as np
import pytest

import supple
from supple.errors import InputError
from supple.graph.crowds import Crowd, Group, Level
from supple.graph.crowds.levels import LevelChooser

TUBE = supple.character("tube", vertices=500)
RATE = 60.0


def three(most=None, middle=None):
    """Levels of skins that carry no history."""
    skins = supple.DualQuaternion(), supple.LinearBlend(), supple.LinearBlend()
    return [Level(skins[0], within=5.0, most=most), Level(skins[1], within=10.0, most=middle), Level(skins[2])]


def chooser(count, levels, **settings):
    return LevelChooser(Crowd({"all": Group(TUBE, count, levels)}, **settings))


def test_the_first_frame_has_everybody_where_it_belongs():
    found = chooser(4, three())
    moves = found.choose(np.array([3.0, 5.0, 7.0, 30.0]), 0.0, cut=False)
    assert found.memory.rungs.tolist() == [0, 0, 1, 2]
    assert sorted(moves.entered) == [(0, 0), (1, 0), (2, 1), (3, 2)]
    assert moves.left == []
    np.testing.assert_array_equal(found.weights(0.0), 1.0)


def test_a_change_takes_its_time_and_the_old_place_is_kept_for_as_long():
    found = chooser(1, three(), fade=0.5)
    found.choose(np.array([7.0]), 0.0, cut=False)
    assert found.choose(np.array([4.9]), 1.0, cut=False).entered == [(0, 0)]
    assert found.weights(1.0)[0] == 0.0
    assert found.weights(1.25)[0] == pytest.approx(0.5)
    assert found.choose(np.array([20.0]), 1.25, cut=False).entered == []  # one change after the other
    moves = found.choose(np.array([20.0]), 1.5, cut=False)
    assert (moves.left, moves.entered) == ([(0, 1)], [(0, 2)])


def test_who_goes_to_and_fro_at_the_border_stays_where_it_is():
    found = chooser(1, three(), hysteresis=0.1, fade=0.1)
    found.choose(np.array([5.2]), 0.0, cut=False)
    changes = sum(
        len(found.choose(np.array([5.2 + 0.28 * np.sin(frame)]), frame / RATE, cut=False).entered)
        for frame in range(600)
    )
    assert changes == 1  # it comes near once, and 5.48 m is not far enough to leave
    assert len(found.choose(np.array([5.51]), 11.0, cut=False).entered) == 1


def test_a_level_has_room_for_so_many_the_nearest_and_those_who_wait_are_counted():
    found = chooser(6, three(most=2, middle=3))
    found.choose(np.array([4.0, 1.0, 3.0, 2.0, 4.5, 4.6]), 0.0, cut=False)
    assert found.memory.rungs.tolist() == [1, 0, 1, 0, 1, 2]
    assert found.waiting.tolist() == [4, 0, 0]


def test_who_is_clearly_nearer_takes_the_place_of_another_once_it_has_faded():
    found = chooser(2, three(most=1), fade=0.5, hysteresis=0.1)
    found.choose(np.array([3.0, 4.0]), 0.0, cut=False)
    found.choose(np.array([3.0, 2.9]), 0.1, cut=False)  # nearer, but hardly
    assert found.memory.rungs.tolist() == [0, 1]
    taken = []
    for frame in range(int(1.5 * RATE)):
        time = 0.2 + frame / RATE
        found.choose(np.array([3.0, 2.0]), time, cut=False)
        memory = found.memory
        taken.append(int((memory.rungs == 0).sum() + (memory.before == 0).sum()))
    assert max(taken) == 1  # never more than there is room for, those on the way out included
    assert found.memory.rungs.tolist() == [1, 0]
    assert found.waiting[0] == 1


def test_groups_that_share_a_level_share_its_room():
    shared, far = Level(supple.DualQuaternion(), within=5.0, most=2), Level(supple.LinearBlend())
    found = LevelChooser(Crowd({"one": Group(TUBE, 2, [shared, far]), "two": Group(TUBE, 2, [shared, far])}))
    found.choose(np.array([1.0, 4.0, 2.0, 3.0]), 0.0, cut=False)
    assert found.memory.rungs.tolist() == [0, 1, 0, 1]
    assert len(found.levels) == 2


def test_flesh_starts_for_one_after_another_and_after_a_cut_for_all():
    levels = [Level(supple.PositionBased(), within=5.0), Level(supple.DualQuaternion())]
    found = chooser(7, levels)
    found.choose(np.full(7, 9.0), 0.0, cut=False)
    entered = [len(found.choose(np.full(7, 2.0), (1 + frame) / RATE, cut=False).entered) for frame in range(8)]
    assert entered == [1] * 7 + [0]
    found.choose(np.full(7, 9.0), 5.0, cut=True)
    moves = found.choose(np.full(7, 2.0), 5.1, cut=True)
    assert (len(moves.entered), len(moves.left)) == (7, 7)
    np.testing.assert_array_equal(found.weights(5.1), 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_crowds_on_any_way_keep_to_the_room_and_always_belong_somewhere(seed):
    """Members wander at random: no level is ever overfull, nobody is lost, and those at rest are where they belong."""
    rng = np.random.default_rng(seed)
    levels, count = three(most=3, middle=5), 30
    found, again = (chooser(count, levels, fade=0.2) for _ in range(2))
    away, present = rng.uniform(1.0, 20.0, count), [set() for _ in levels]
    for frame in range(400):
        if frame < 300:
            away = np.clip(away + rng.normal(0.0, 0.4, count), 0.5, 25.0)
        moves, same = (one.choose(away, frame / RATE, cut=False) for one in (found, again))
        assert (moves.entered, moves.left) == (same.entered, same.left)
        for m, rung in moves.left:
            present[rung].remove(m)
        for m, rung in moves.entered:
            assert m not in present[rung]
            present[rung].add(m)
        assert len(present[0]) <= 3
        assert len(present[1]) <= 5
        where = np.sum([[m in one for m in range(count)] for one in present], axis=0)
        np.testing.assert_array_equal(where, 1 + (found.memory.before >= 0))
    assert (found.memory.before < 0).all()  # all has come to rest
    near = [away[found.memory.rungs == rung] for rung in range(3)]
    assert near[0].max() <= 5.0 * 1.1
    assert len(near[0]) == min(3, int((away <= 5.0).sum())) or away[found.memory.rungs > 0].min() > 5.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Level(supple.LinearBlend(), within=0.0), "within is 0"),
        (lambda: Level(supple.LinearBlend(), within=float("nan")), "within is nan"),
        (lambda: Level(supple.LinearBlend(), most=0), "most is 0"),
        (lambda: Group(TUBE, 0, three()), "count is 0"),
        (lambda: Group(TUBE, 2, []), "no levels"),
        (lambda: Group(TUBE, 2, three()[::-1]), "levels reach inf, 10, 5 m"),
        (lambda: Group(TUBE, 2, three()[:2]), "the last level is for all within 10 m"),
        (lambda: Group(TUBE, 2, [Level(supple.LinearBlend(), most=1)]), "the last level is for 1 within inf m"),
        (lambda: Crowd({}), "no groups"),
        (lambda: Crowd({"all": Group(TUBE, 1, three())}, fade=0.0), "fade is 0"),
        (lambda: Crowd({"all": Group(TUBE, 1, three())}, hysteresis=-1.0), "hysteresis is -1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(InputError, match=words) as problem:
        make()
    assert all(part for part in (problem.value.where, problem.value.given, problem.value.needed, problem.value.advice))
