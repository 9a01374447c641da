"""How much each vertex turns with the segments next to its own.

Near a joint the scale vectors turn towards the neighbouring segment, half of the joint's turn at the joint itself, so
that both sides meet there [Toothman2020, Eq. 14 to 17]:

    p_w = clamp(1 - t / reach_p),  c_w = clamp(1 - (1 - t) / reach_c)

The published influence values are p_i = reach_p and c_i = 1 - reach_c.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry.topology import Neighbors, neighbors
from supple.skins.springs.attachment.attachment import Attachment, attach
from supple.skins.springs.attachment.segments import NONE, Segments

START_MAP, END_MAP = "reach_start", "reach_end"
BLOCK = 4  # weights that a kernel takes at once
COLUMNS = 16  # things that are averaged at once, as many as the kernel's columns
_MOST_ROUNDS = 60
_SHORTEST = 0.1  # of the mean edge: shorter ones count no more
_LEAST_WEIGHT = 1e-3  # weights below this are dropped: they move nothing one could see


@dataclass(frozen=True)
class SparseWeights:
    """Weights `values` (V, K) of things by their numbers `indices` (V, K), largest first; rows sum to one.

    Unused entries have value zero and name the first thing of their row.
    """

    indices: IntArray
    values: FloatArray

    @classmethod
    def from_columns(cls, indices: IntArray, values: FloatArray) -> SparseWeights:
        """From any number of columns, which must not name a thing twice unless with value zero."""
        if (values[:, :-1] < values[:, 1:]).any():
            order = np.argsort(-values, axis=1, kind="stable")
            indices, values = np.take_along_axis(indices, order, axis=1), np.take_along_axis(values, order, axis=1)
        values = values / values.sum(axis=1, keepdims=True)
        return cls(np.where(values > 0.0, indices, indices[:, :1]).astype(np.int32), values)

    def keep_strongest(self, width: int) -> SparseWeights:
        """The `width` largest, made to sum to one again."""
        kept = self.values[:, :width]
        fill = ((0, 0), (0, width - kept.shape[1]))
        indices = np.pad(self.indices[:, :width], fill, mode="edge")
        return SparseWeights.from_columns(indices, np.pad(kept, fill))


@dataclass(frozen=True, eq=False)
class Surface:
    """What weights are blended over: the vertices `around` each, and the mean length of edges [m].

    Of a mean over its neighbours a vertex takes `shares` (E,) that go with 1 / length, so that what lies near counts
    more, however uneven the mesh is.
    """

    around: Neighbors
    edge_length: float
    shares: Float32Array

    @classmethod
    def from_character(cls, character: Character) -> Surface:
        """That of a character at rest."""
        around = neighbors(character.triangles, len(character.points))
        owner = np.repeat(np.arange(len(character.points)), np.diff(around.starts))
        lengths = np.linalg.norm(character.points[around.indices] - character.points[owner], axis=1)
        length = float(lengths.mean()) if len(lengths) else 0.0
        near = 1.0 / np.maximum(lengths, max(_SHORTEST * length, 1e-300))
        total = np.bincount(owner, near, len(character.points))
        return cls(around, length, (near / total[owner]).astype(np.float32))


def control_positions(starts: FloatArray, ends: FloatArray) -> FloatArray:
    """The places (2 B, 3) that attachment points are blended from: all starts, then all ends."""
    return np.concatenate([starts, ends])


def rotation_weights(attachment: Attachment, start_reach: FloatArray, end_reach: FloatArray) -> SparseWeights:
    """Weights (V, 3) of the turns of a vertex's own segment, the one before and the one after.

    Where both ends of a segment reach a vertex, their turns are blended by their weights, as rotations:
    p_w^2 / 2 (p_w + c_w) of the segment before and c_w^2 / 2 (p_w + c_w) of the one after.
    """
    segments, own, t = attachment.segments, attachment.segment, attachment.along
    before, after = segments.before[own], segments.after[own]
    start = _falloff(t, start_reach) * (before != NONE)
    end = _falloff(1.0 - t, end_reach) * (after != NONE)
    both = np.where(start + end > 0.0, start + end, 1.0)
    first, second = 0.5 * start * start / both, 0.5 * end * end / both
    return SparseWeights.from_columns(
        np.stack([own, before, after], axis=1), np.stack([1.0 - first - second, first, second], axis=1)
    )


def _falloff(distance: FloatArray, reach: FloatArray) -> FloatArray:
    """1 at the joint, 0 from `reach` on; a reach of zero touches nothing."""
    return np.where(reach > 0.0, np.clip(1.0 - distance / np.where(reach > 0.0, reach, 1.0), 0.0, 1.0), 0.0)


def blend_control_points(attachment: Attachment, surface: Surface, *, soften: float) -> SparseWeights:
    """Weights of control points, blended over the skin within about `soften` times the limb's radius."""
    own, t, size = attachment.segment, attachment.along, len(attachment.segments)
    names = control_point_names(attachment.segments)  # an end and the start that goes on from there are one place
    weights = SparseWeights.from_columns(
        np.stack([names[own], names[size + own]], axis=1), np.stack([1.0 - t, t], axis=1)
    )
    return _blend(weights, attachment, surface, soften)


def blend_rotations(
    attachment: Attachment,
    surface: Surface,
    maps: Mapping[str, FloatArray],
    *,
    reach: float,
    soften: float,
    firm_ends: bool,
) -> SparseWeights:
    """Weights of the segments that vertices turn with, blended over the skin like those of control points.

    With `firm_ends`, turns reach less far into last bones that are short for their girth.
    """
    start, end = (
        maps[name] if name in maps else usual_reach(attachment, name, reach=reach, firm_ends=firm_ends)
        for name in (START_MAP, END_MAP)
    )
    weights = rotation_weights(attachment, np.clip(start, 0.0, 1.0), np.clip(end, 0.0, 1.0))
    return _blend(weights, attachment, surface, soften)


def usual_reach(attachment: Attachment, name: str, *, reach: float, firm_ends: bool) -> FloatArray:
    """How far (V,) turns reach where the map of that name is not painted."""
    if name == START_MAP and firm_ends:
        return reach * _reach_scales(attachment)
    return np.full(len(attachment.along), reach)


def _blend(weights: SparseWeights, attachment: Attachment, surface: Surface, soften: float) -> SparseWeights:
    rounds = soften_rounds(surface, attachment, soften)
    blended = diffuse(weights, surface, rounds) if rounds else weights
    return blended.keep_strongest(_width(blended))


def _reach_scales(attachment: Attachment) -> FloatArray:
    """How much of the reach (V,) a vertex takes: all of it, but a quarter on last bones up to twice as long as thick.

    Those are heads, hands and feet, which keep their shape when the neck, the wrist or the ankle bends; last bones of
    four times their radius, such as the tip of a tail, give way like any other.
    """
    segments = attachment.segments
    scales = np.ones(len(segments))
    radii = np.linalg.norm(attachment.scale_vectors, axis=1)
    for last in np.flatnonzero(segments.after == NONE):
        own = radii[attachment.segment == last]
        if len(own) and (radius := float(np.median(own))) > 0.0:
            scales[last] = np.clip(0.5 * segments.lengths[last] / radius - 1.0, 0.25, 1.0)
    return scales[attachment.segment]


def control_point_names(segments: Segments) -> IntArray:
    """The number of the place (2 B,) that stands for each start and end: the end of the segment before for a start.

    Only where the joint at that end is the one at the start, so that both move together.
    """
    size = len(segments)
    names = np.arange(2 * size, dtype=np.int32)
    for segment in range(size):
        before = int(segments.before[segment])
        if before != NONE and segments.children[before] == segments.joints[segment]:
            names[segment] = size + before
    return names


def _width(weights: SparseWeights) -> int:
    """Room for all places, in whole blocks: four, or eight where weights were blended over the skin."""
    return BLOCK if int((weights.values > 0.0).sum(axis=1).max(initial=0)) <= BLOCK else 2 * BLOCK


def soften_rounds(surface: Surface, attachment: Attachment, soften: float, *, more: float = 0.0) -> int:
    """Rounds of averaging whose width is `soften` median radii, and `more`: n half steps reach sqrt(n / 2) edges."""
    if soften <= 0.0 or surface.edge_length <= 0.0:
        return 0
    radius = float(np.median(np.linalg.norm(attachment.scale_vectors, axis=1)))
    return min(math.ceil(2.0 * (soften * radius / surface.edge_length) ** 2 + more), _MOST_ROUNDS)


def diffuse(weights: SparseWeights, surface: Surface, rounds: int) -> SparseWeights:
    """Weights averaged with those of the neighbours, half and half, `rounds` times; a lone vertex keeps its own.

    Things are taken a few at a time, as columns, so that a million vertices fit; the eight strongest are kept.
    """
    from supple.skins.springs.kernels import diffusion as kernels

    wp, around = devices.warp(), surface.around
    count, width = weights.values.shape
    starts, others, indices = (
        devices.to_device(array, wp.int32, "cpu") for array in (around.starts, around.indices, weights.indices.ravel())
    )
    values = devices.to_device(weights.values.astype(np.float32).ravel(), wp.float32, "cpu")
    shares = devices.to_device(surface.shares, wp.float32, "cpu")
    columns = [wp.empty(count, dtype=kernels.COLUMN, device="cpu") for _ in range(2)]
    rounds_of = [
        devices.Launch(kernels.diffuse, count, [starts, others, shares, columns[source], columns[1 - source]], "cpu")
        for source in range(2)
    ]
    things, used = np.full(COLUMNS, NONE, dtype=np.int32), np.unique(weights.indices[weights.values > 0.0])
    chunk = devices.to_device(things, wp.int32, "cpu")
    kept = wp.full(count, kernels.NOTHING, dtype=kernels.IDS, device="cpu")
    kept_values = wp.zeros(count, dtype=kernels.VALUES, device="cpu")
    spread = devices.Launch(kernels.spread, count, [width, indices, values, chunk, columns[0]], "cpu")
    keep = devices.Launch(kernels.keep_largest, count, [chunk, columns[rounds % 2], kept, kept_values], "cpu")
    for first in range(0, len(used), COLUMNS):
        some = used[first : first + COLUMNS]
        things[: len(some)], things[len(some) :] = some, NONE
        devices.write(chunk, things)
        spread()
        for done in range(rounds):
            rounds_of[done % 2]()
        keep()
    most = min(len(used), 2 * BLOCK)
    found, found_values = kept.numpy()[:, :most], kept_values.numpy()[:, :most].astype(np.float64)
    return SparseWeights.from_columns(found, np.where(found_values >= _LEAST_WEIGHT, found_values, 0.0))


def with_reaches(character: Character, reaches: Mapping[str, float], *, default: float = 0.5) -> Character:
    """The character with a reach of its own for each named joint: how far its turn spreads along the bones it joins.

    A reach is a share, 0 to 1, of the length of each bone that meets at the joint; joints that are not named have
    `default`. It is painted as two maps, `reach_start` and `reach_end`, which may be painted further by hand.
    """
    where = "with_reaches"
    for name, value in {**reaches, "default": default}.items():
        if not 0.0 <= value <= 1.0:
            raise InputError(
                where,
                f"the reach of {name!r} is {value}",
                "a share of the bone, 0 to 1, is needed",
                "use 0.5 for half of it",
            )
    per_joint = np.full(len(character.skeleton) + 1, default)
    for name, value in reaches.items():
        per_joint[character.skeleton.index(name)] = value
    attachment = attach(character)
    own = attachment.segment
    start = per_joint[attachment.segments.joints[own]]
    end = per_joint[attachment.segments.children[own]]  # a tail is joint -1: the default at the end of the list
    return character.replace(maps={**character.maps, START_MAP: start, END_MAP: end})
