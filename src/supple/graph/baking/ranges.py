"""Frames that are baked apart, on as many machines as there are, and joined to the file that one bake would write."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from supple.errors import InputError
from supple.files import put_in_place
from supple.graph import container
from supple.graph.bake import disk_full_named, existing, held, layout_of
from supple.graph.baking.plan import Plan
from supple.graph.cache import Cache, part_of


def ranges_of(frames: int, most: int) -> list[tuple[int, int]]:
    """Ranges of about the same length, at most `most` frames each, that cover all of them."""
    count = -(-frames // most)
    ends = [round(frames * number / count) for number in range(count + 1)]
    return list(itertools.pairwise(ends))


def join_ranges(plan: Plan, target: Path, ranges: Mapping[tuple[int, int], Path], *, overwrite: bool = False) -> Cache:
    """Put frames that were baked apart into one file, byte by byte the one that a single bake gives.

    `ranges` says in which file frames `first` up to but without `last` are: bakes of `plan.frames(first, last)`. Killed
    in between, it starts again.
    """
    finished = existing(target, plan, overwrite=overwrite)
    if finished is not None:
        return finished
    _write(plan, target, dict(sorted(ranges.items())))
    return Cache(target, verify=False)


def _write(plan: Plan, target: Path, ranges: Mapping[tuple[int, int], Path]) -> None:
    if [frame for first, last in ranges for frame in range(first, last)] != list(range(len(plan.times))):
        needed = f"all {len(plan.times)} frames are needed, each once"
        raise InputError(str(target), f"the ranges are {list(ranges)}", needed, "bake those that are missing")
    whole = []
    for (first, last), path in ranges.items():
        baked = existing(path, plan.frames(first, last))  # reads and checks every frame
        if baked is None:
            given = "there is no such file"
            raise InputError(str(path), given, f"frames {first} to {last} are needed", "bake them first")
        whole.append(baked)
    with disk_full_named(target), held(part_of(target)) as file:
        layout = layout_of(plan, made_on=whole[0].made_on)
        container.start(part_of(target), layout, plan.arrays)
        for (first, _), baked in zip(ranges, whole, strict=True):
            _, table = container.read_layout(baked.path)
            status, _, marks = container.read_table(baked.path, table)
            for frame, points in enumerate(baked.points):
                container.write_frame(
                    file,
                    layout,
                    first + frame,
                    points=np.asarray(points),
                    status=int(status[frame]),
                    made_on=marks[frame],
                )
        os.fsync(file.fileno())
        put_in_place(part_of(target), target)
