"""Frames that are baked apart are joined to the bytes of one bake, and two who begin at once never write one file."""

import os
import threading

import pytest
from soft_skins import Trailing, swinging

from supple import DualQuaternion, LinearBlend
from supple.errors import BusyError, InputError, StaleError
from supple.graph.bake import bake, bake_plan, held
from supple.graph.baking.plan import Plan
from supple.graph.baking.ranges import join_ranges, ranges_of
from supple.graph.cache import Cache, part_of
from supple.graph.graph import Graph


@pytest.fixture(scope="module")
def motion(tube):
    return swinging(tube)


def plan_of(tube, motion, skin, **options):
    given = {"device": "cpu", "fps": 23.976, "start": 0.1, "end": None} | options
    return Plan.of(tube, motion, Graph.of(skin), **given)


@pytest.mark.parametrize(("frames", "most"), [(1, 10), (10, 10), (11, 10), (97, 10), (5, 1)])
def test_ranges_cover_all_frames_once(frames, most):
    found = ranges_of(frames, most)
    assert [frame for first, last in found for frame in range(first, last)] == list(range(frames))
    assert max(last - first for first, last in found) <= most


def baked_apart(plan, folder, most):
    paths = {ends: folder / f"from-{ends[0]}.supple" for ends in ranges_of(len(plan.times), most)}
    for (first, last), path in reversed(paths.items()):
        bake_plan(plan.frames(first, last), path)
    return paths


def test_joined_ranges_have_the_bytes_of_one_bake_whatever_their_order(tube, motion, tmp_path):
    bake(tube, motion, DualQuaternion(), path=tmp_path / "whole.supple", fps=23.976, start=0.1)
    plan, target = plan_of(tube, motion, DualQuaternion()), tmp_path / "joined.supple"
    paths = baked_apart(plan, tmp_path, 9)
    assert len(paths) > 2
    part_of(target).write_bytes(b"a join that was killed")
    join_ranges(plan, target, dict(reversed(paths.items())))
    assert target.read_bytes() == (tmp_path / "whole.supple").read_bytes()
    assert not part_of(target).exists()
    join_ranges(plan, target, {})  # there already


def test_a_range_that_is_missing_or_of_another_skin_is_named(tube, motion, tmp_path):
    plan, target = plan_of(tube, motion, DualQuaternion()), tmp_path / "a.supple"
    paths = baked_apart(plan_of(tube, motion, LinearBlend()), tmp_path, 30)
    with pytest.raises(InputError, match="each once"):
        join_ranges(plan, target, dict(list(paths.items())[1:]))
    with pytest.raises(StaleError, match="the skin or its settings"):
        join_ranges(plan, target, paths)
    with pytest.raises(InputError, match="no such file"):
        join_ranges(plan, target, dict.fromkeys(paths, tmp_path / "none.supple"))
    assert not target.exists()


def test_a_skin_with_a_memory_and_frames_that_are_not_there_are_refused(tube, motion):
    with pytest.raises(InputError, match="has a memory"):
        plan_of(tube, motion, Trailing(step=1.0 / 90.0)).frames(0, 3)
    with pytest.raises(InputError, match="frames 3 to 3000"):
        plan_of(tube, motion, LinearBlend()).frames(3, 3000)


def test_who_comes_second_is_told_and_who_comes_after_finds_it_done(tube, motion, tmp_path):
    path = tmp_path / "a.supple"
    with held(part_of(path)), pytest.raises(BusyError, match="another bake is writing it"):
        bake(tube, motion, LinearBlend(), path=path)
    made = []
    bake(tube, motion, LinearBlend(), path=path, watch=made.append)  # the empty file of one that never began
    assert len(made) == len(Cache(path))


@pytest.mark.skipif(os.name == "nt", reason="needs locks of files")
def test_of_many_that_begin_at_once_one_writes_and_the_file_is_whole(tube, motion, tmp_path):
    bake(tube, motion, LinearBlend(), path=tmp_path / "whole.supple")
    expected = (tmp_path / "whole.supple").read_bytes()
    for turn in range(5):
        path, begin, refused = tmp_path / f"{turn}.supple", threading.Barrier(4), []

        def run(path=path, begin=begin, refused=refused):
            begin.wait()
            try:
                bake(tube, motion, LinearBlend(), path=path)
            except BusyError as error:
                refused.append(error)

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) < 4
        assert path.read_bytes() == expected
        assert not part_of(path).exists()
