"""Frames that are baked apart, on as many machines as there are, and joined to the file that one bake would write."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from supple.errors import InputError
from supple.graph import container
from supple.graph.bake import bake_plan, disk_full_named, existing, held, layout_of
from supple.graph.baking.plan import Plan
from supple.graph.cache import Cache, part_of


def ranges_of(frames: int, most: int) -> list[tuple[int, int]]:
    """Ranges of about the same length, at most `most` frames each, that cover all of them."""
    count = -(-frames // most)
    ends = [round(frames * number / count) for number in range(count + 1)]
    return list(itertools.pairwise(ends))


def range_path(target: Path, first: int) -> Path:
    """Where the frames from `first` on are kept until all are joined."""
    return target.with_name(f"{target.stem}.from-{first}{target.suffix}")


def bake_range(plan: Plan, target: Path, first: int, last: int, *, overwrite: bool = False) -> Cache:
    """Bake frames `first` up to but without `last` beside `target`, with all that a bake survives."""
    return bake_plan(plan.frames(first, last), range_path(target, first), overwrite=overwrite)


def join_ranges(plan: Plan, target: Path, ranges: Sequence[tuple[int, int]], *, overwrite: bool = False) -> Cache:
    """Put frames that were baked apart into one file, byte by byte the one that a single bake gives, and remove them.

    Killed in between, it starts again; the single frames are there until the whole file is.
    """
    finished = existing(target, plan, overwrite=overwrite)
    if finished is None:
        _write(plan, target, ranges)
        finished = Cache(target, verify=False)
    for first, _ in ranges:
        range_path(target, first).unlink(missing_ok=True)
    return finished


def _write(plan: Plan, target: Path, ranges: Sequence[tuple[int, int]]) -> None:
    whole = []
    for first, last in ranges:
        path = range_path(target, first)
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
        part_of(target).replace(target)
