"""How much each vertex turns with the segments next to its own.

Near a joint the scale vectors turn towards the neighbouring segment, half of the joint's turn at the joint itself, so
that both sides meet there [Toothman2022, Eq. 14 to 17]:

    p_w = clamp(1 - t / reach_p),  c_w = clamp(1 - (1 - t) / reach_c)

The published influence values are p_i = reach_p and c_i = 1 - reach_c.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from supple.arrays import Floats, Ints
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry.topology import neighbours, unique_edges
from supple.skins.expressive.attachment import Attachment, attach
from supple.skins.expressive.segments import NONE

START_MAP, END_MAP = "reach_start", "reach_end"
_MOST_ROUNDS = 60
_LEAST_SHARE = 1e-3  # shares below this are dropped: they move nothing one could see


@dataclass(frozen=True)
class Ties:
    """What a posed vertex is made of.

    `knots` (V, B + S) are shares of the skeleton's places, one per segment end and start (see `knots_of`), whose sum is
    the attachment point; `turns` (V, B) are shares of the segments whose turns are blended, the own one included.
    """

    knots: Floats
    turns: Floats
    segment: Ints


def knot_places(starts: Floats, ends: Floats) -> Floats:
    """The places (2 B, 3) that attachment points are blended from: all starts, then all ends."""
    return np.concatenate([starts, ends])


def turn_shares(attachment: Attachment, start_reach: Floats, end_reach: Floats) -> Floats:
    """Shares (V, B) of every segment's turn; rows sum to one.

    Where both ends of a segment reach a vertex, their turns are blended by their weights, as rotations:
    p_w^2 / 2 (p_w + c_w) of the segment before and c_w^2 / 2 (p_w + c_w) of the one after.
    """
    segments, own, t = attachment.segments, attachment.segment, attachment.along
    before, after = segments.before[own], segments.after[own]
    start = _closeness(t, start_reach) * (before != NONE)
    end = _closeness(1.0 - t, end_reach) * (after != NONE)
    both = np.where(start + end > 0.0, start + end, 1.0)
    shares = np.zeros((len(t), len(segments)))
    row = np.arange(len(t))
    np.add.at(shares, (row, np.maximum(before, 0)), 0.5 * start * start / both)
    np.add.at(shares, (row, np.maximum(after, 0)), 0.5 * end * end / both)
    shares[row, own] += 1.0 - shares.sum(axis=1)
    return shares


def _closeness(distance: Floats, reach: Floats) -> Floats:
    """1 at the joint, 0 from `reach` on; a reach of zero touches nothing."""
    return np.where(reach > 0.0, np.clip(1.0 - distance / np.where(reach > 0.0, reach, 1.0), 0.0, 1.0), 0.0)


def ties(character: Character, attachment: Attachment, *, reach: float, soften: float) -> Ties:
    """Shares of places and turns, blended over the skin within about `soften` times the limb's radius."""
    count, size = len(attachment.along), len(attachment.segments)
    start = character.maps.get(START_MAP, np.full(count, reach))
    end = character.maps.get(END_MAP, np.full(count, reach))
    turns = turn_shares(attachment, np.clip(start, 0.0, 1.0), np.clip(end, 0.0, 1.0))
    knots = np.zeros((count, 2 * size))
    row = np.arange(count)
    knots[row, attachment.segment] = 1.0 - attachment.along
    knots[row, size + attachment.segment] += attachment.along
    rounds = _rounds(character, attachment, soften)
    if rounds:
        both = _diffused(np.concatenate([knots, turns], axis=1), character.triangles, rounds)
        knots, turns = both[:, : 2 * size], both[:, 2 * size :]
    return Ties(knots, turns, np.argmax(turns, axis=1).astype(np.int32))


def _rounds(character: Character, attachment: Attachment, soften: float) -> int:
    """Rounds of averaging whose width is `soften` median radii: n rounds of half steps reach sqrt(n / 2) edges."""
    edges = unique_edges(character.triangles)
    length = float(np.linalg.norm(np.subtract(*character.points[edges.T]), axis=1).mean())
    radius = float(np.median(np.linalg.norm(attachment.scale_vectors, axis=1)))
    if soften <= 0.0 or length <= 0.0:
        return 0
    return min(math.ceil(2.0 * (soften * radius / length) ** 2), _MOST_ROUNDS)


def _diffused(shares: Floats, triangles: Ints, rounds: int) -> Floats:
    """Shares averaged with those of the neighbours, half and half, `rounds` times; a lone vertex keeps its own."""
    around = neighbours(triangles, len(shares))
    valence = np.diff(around.starts)
    some = np.flatnonzero(valence)
    used = np.flatnonzero(shares.any(axis=0))
    part = shares[:, used]
    for _ in range(rounds):
        sums = np.add.reduceat(part[around.indices], around.starts[some], axis=0)
        part[some] = 0.5 * part[some] + 0.5 * sums / valence[some, None]
    result = np.zeros_like(shares)
    result[:, used] = part
    return result


def strongest(shares: Floats, width: int) -> tuple[Ints, Floats]:
    """The `width` largest shares of each row (V, width), largest first, made to sum to one again."""
    some = min(width, shares.shape[1])
    order = np.argsort(-shares, axis=1, kind="stable")[:, :some]
    values = np.take_along_axis(shares, order, axis=1)
    values = np.where(values >= _LEAST_SHARE, values, 0.0)
    values = values / values.sum(axis=1, keepdims=True)
    order = np.where(values > 0.0, order, order[:, :1])
    fill = ((0, 0), (0, width - some))
    return np.pad(order, fill, mode="edge").astype(np.int32), np.pad(values, fill)


def with_reaches(character: Character, reaches: Mapping[str, float], *, default: float = 0.5) -> Character:
    """The character with a reach of its own for each named joint: how far its turn spreads along the bones it joins.

    A reach is a share, 0 to 1, of the length of each bone that meets at the joint; joints that are not named have
    `default`. It is painted as two maps, `reach_start` and `reach_end`, which may be painted further by hand.
    """
    where = "with_reaches"
    for name, value in {**reaches, "default": default}.items():
        if not 0.0 <= value <= 1.0:
            raise InputError(where, f"the reach of {name!r} is {value}", "a share of the bone, 0 to 1, is needed",
                             "use 0.5 for half of it")  # fmt: skip
    per_joint = np.full(len(character.skeleton) + 1, default)
    for name, value in reaches.items():
        per_joint[character.skeleton.index(name)] = value
    attachment = attach(character)
    own = attachment.segment
    start = per_joint[attachment.segments.joints[own]]
    end = per_joint[attachment.segments.children[own]]  # a tail is joint -1: the default at the end of the list
    return character.replace(maps={**character.maps, START_MAP: start, END_MAP: end})
