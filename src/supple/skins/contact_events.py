"""What skins met and how hard: one record for every pair that touched, with place, impulse and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray

RECORD = np.dtype([("joint", "<i4"), ("other", "<i4"), ("time", "<f8"), ("place", "<f4", 3), ("impulse", "<f4", 3)])
"""One pair: `joint` of the skin that was touched, `other` the number of the obstacle, or -1 - the other skin's joint;
`time` [s] when it first touched, `place` (3,) [m] in the world, and `impulse` (3,) [N s] on the joint's flesh."""
Records = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ContactEvent:
    """A joint's skin touched something in a frame.

    `joint` is the name of what was touched and `other` that of the obstacle, or of the other joint where skin touched
    skin (`on_skin`). `place` (3,) [m] is the middle of where it pressed, `impulse` (3,) [N s] all that it gave `joint`
    in the frame, and `time` [s] when in the motion they first touched in it. `began` is true where they did not touch
    in the frame before.
    """

    frame: int
    time: float
    joint: str
    other: str
    on_skin: bool
    place: FloatArray
    impulse: FloatArray
    began: bool

    @property
    def strength(self) -> float:
        """How hard it pressed in all [N s]."""
        return float(np.linalg.norm(self.impulse))


def no_records() -> Records:
    """Nothing touched."""
    return np.zeros(0, dtype=RECORD)


def pair_records(joints: IntArray, others: IntArray, places: FloatArray, impulses: FloatArray) -> Records:
    """One record for every pair of contacts (m,), in the order of their numbers: impulses add, places are weighed."""
    pressed = np.linalg.norm(impulses, axis=1)
    some = np.flatnonzero(pressed > 0.0)
    if not len(some):
        return no_records()
    both = (joints[some].astype(np.int64) << 32) + others[some]  # one number sorts faster than two
    pairs, first, row = np.unique(both, return_index=True, return_inverse=True)
    found = np.zeros(len(pairs), dtype=RECORD)
    found["joint"], found["other"] = joints[some][first], others[some][first]
    whole = np.bincount(row, pressed[some], len(pairs))
    for axis in range(3):
        found["impulse"][:, axis] = np.bincount(row, impulses[some, axis], len(pairs))
        weighed = np.bincount(row, pressed[some] * places[some, axis], len(pairs))
        found["place"][:, axis] = weighed / whole
    return found


def merge_records(steps: Sequence[Records]) -> Records:
    """The records of the steps of a frame as one for every pair."""
    listed = [step for step in steps if len(step)]
    if len(listed) < 2:
        return listed[0] if listed else no_records()
    every = np.concatenate(listed)
    found = pair_records(every["joint"], every["other"], every["place"], every["impulse"])
    first = np.full(len(found), np.inf)
    for step in listed:
        at = _rows_of(found, step)
        first[at[at >= 0]] = np.minimum(first[at[at >= 0]], step["time"][at >= 0])
    found["time"] = first
    return found


def _rows_of(found: Records, step: Records) -> IntArray:
    """Where each pair of a step stands among those found; -1 for one whose impulses cancelled."""
    index = {(int(one["joint"]), int(one["other"])): row for row, one in enumerate(found)}
    return np.array([index.get((int(one["joint"]), int(one["other"])), -1) for one in step], dtype=np.int32)


def strongest(records: Records, most: int) -> Records:
    """At most so many records: those that pressed hardest, in the order that they had."""
    if len(records) <= most:
        return records
    order = np.argsort(-np.linalg.norm(records["impulse"], axis=1), kind="stable")[:most]
    return records[np.sort(order)]


def name_events(
    frames: Sequence[Records], joints: Sequence[str], bodies: Sequence[str], *, first_frame: int = 0
) -> tuple[ContactEvent, ...]:
    """Events of frames that follow each other, with names for numbers."""
    found: list[ContactEvent] = []
    before: set[tuple[int, int]] = set()
    for frame, records in enumerate(frames):
        now: set[tuple[int, int]] = set()
        for one in records:
            joint, other = int(one["joint"]), int(one["other"])
            now.add((joint, other))
            name = bodies[other] if other >= 0 else joints[-1 - other]
            place, impulse = (np.array(one[key], dtype=np.float64) for key in ("place", "impulse"))
            began = (joint, other) not in before
            found.append(
                ContactEvent(
                    first_frame + frame, float(one["time"]), joints[joint], name, other < 0, place, impulse, began
                )
            )
        before = now
    return tuple(found)
