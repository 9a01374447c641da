"""Hanging by skin weights: every vertex hangs on all bones that its weights name, on each at the place nearest to it.

    a = sum_j w_j a_j,   a_j the place nearest to the vertex on the segments of joint j

and it turns between those bones by the same weights. So a head that is painted as one piece stays one, skin in an
armpit goes over from the ribs to the leg as the painter meant it, and nothing hangs on a bone that merely lies near.
Places and weights change little from vertex to vertex, so that there are no gaps to be closed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.geometry.segments import distances_to_segments
from supple.skins.springs.attachment.attachment import Attachment
from supple.skins.springs.attachment.segments import Segments
from supple.skins.springs.attachment.weights import (
    BLOCK,
    END_MAP,
    START_MAP,
    SparseWeights,
    Surface,
    control_point_names,
    diffuse,
    soften_rounds,
)

_UNEVEN = 10.0  # rounds for a `soften` of one: what a painter's hand leaves uneven from vertex to vertex
_AS_PAINTED = 0.5  # the reach with which turns spread as weights do
_LEAST_REACH = 1e-3
_SAME_PLACE = 1e-9


def hang_by_skin_weights(
    character: Character, attachment: Attachment, surface: Surface, *, reach: float, soften: float
) -> tuple[SparseWeights, SparseWeights]:
    """Weights of control points and of the segments that vertices turn with.

    Skin weights are averaged over the skin within about `soften` times the limb's radius, and a few edges. A `reach` of
    one half turns vertices by these weights, less of it makes them follow their own bone, more the others; maps of
    reach say so by vertex.
    """
    segments = attachment.segments
    joints = _soften(character, attachment, surface, soften)
    places, along = _places(character, segments, joints)
    size = len(segments)
    names = control_point_names(segments)
    values = np.concatenate([joints.values * (1.0 - along), joints.values * along], axis=1)
    controls = _merge(np.concatenate([names[places], names[size + places]], axis=1), values)
    turning = _spread(character, joints, reach)
    return controls.keep_strongest(_room(controls)), _merge(places, turning).keep_strongest(2 * BLOCK)


def _soften(character: Character, attachment: Attachment, surface: Surface, soften: float) -> SparseWeights:
    """Skin weights of joints, largest first, averaged over the skin."""
    painted = character.require_weights("attach")
    weights = _merge(painted.joints, painted.values)
    rounds = soften_rounds(surface, attachment, soften, more=_UNEVEN * soften)
    return diffuse(weights, surface, rounds) if rounds else weights


def _places(character: Character, segments: Segments, joints: SparseWeights) -> tuple[IntArray, FloatArray]:
    """For every joint that a vertex follows, the segment (V, K) of that joint and the share (V, K) along it nearest."""
    segment, along = np.zeros(joints.indices.shape, dtype=np.int32), np.zeros(joints.indices.shape)
    for joint in np.unique(joints.indices):
        row, column = np.nonzero(joints.indices == joint)
        own = np.flatnonzero(_segments_of(character.skeleton, segments, int(joint)))
        distances, raw = distances_to_segments(character.points[row], segments.starts[own], segments.ends[own])
        nearest = np.argmin(distances, axis=1)
        segment[row, column] = own[nearest]
        along[row, column] = np.clip(raw[np.arange(len(row)), nearest], 0.0, 1.0)
    return segment, along


def _segments_of(skeleton: Skeleton, segments: Segments, joint: int) -> BoolArray:
    """The segments (B,) that turn with a joint; where it stands on another and has none, what meets there."""
    own = segments.joints == joint
    if own.any():
        return np.asarray(own)
    apart = np.linalg.norm(np.stack([segments.starts, segments.ends]) - skeleton.heads[joint], axis=2)
    begins = apart[0] <= apart.min() + _SAME_PLACE
    below = begins & _descendants(skeleton, joint)[segments.joints]
    touching = apart.min(axis=0) <= apart.min() + _SAME_PLACE
    return np.asarray(below if below.any() else touching)


def _descendants(skeleton: Skeleton, joint: int) -> BoolArray:
    """Whether (J,) joints hang on one."""
    found = np.zeros(len(skeleton), dtype=bool)
    for level in skeleton.levels[1:]:
        above = skeleton.parents[level]
        found[level] = found[above] | (above == joint)
    return found


def _spread(character: Character, joints: SparseWeights, reach: float) -> FloatArray:
    """Weights (V, K) by which vertices turn: those of joints, steeper or flatter as reach says.

    Against the weight of the strongest joint they are (w_j / w_0)^(0.5 / reach): all alike stay alike, and the less a
    turn reaches the sooner skin follows its own bone alone.
    """
    maps: Mapping[str, FloatArray] = character.maps
    painted = any(name in maps for name in (START_MAP, END_MAP))
    if reach == _AS_PAINTED and not painted:
        return joints.values
    count = len(joints.values)
    start, end = (np.clip(maps.get(name, np.full(count, reach)), 0.0, 1.0)[:, None] for name in (START_MAP, END_MAP))
    skeleton, strongest = character.skeleton, joints.indices[:, 0]
    below = np.stack([_descendants(skeleton, joint) for joint in range(len(skeleton))])
    wanted = np.where(below[strongest[:, None], joints.indices], end, start)
    ratios = joints.values / joints.values[:, :1]
    return np.asarray(np.where(ratios < 1.0, ratios ** (_AS_PAINTED / np.maximum(wanted, _LEAST_REACH)), 1.0))


def _merge(indices: IntArray, values: FloatArray) -> SparseWeights:
    """Weights in which nothing is named twice: what it had in several columns is in the first of them."""
    indices, values = indices.astype(np.int32), np.array(values, dtype=np.float64)
    for column in range(1, indices.shape[1]):
        for other in range(column):
            same = (indices[:, other] == indices[:, column]) & (values[:, column] > 0.0)
            values[same, other] += values[same, column]
            values[same, column] = 0.0
    return SparseWeights.from_columns(indices, values)


def _room(weights: SparseWeights) -> int:
    """How many to keep, in whole blocks."""
    most = int((weights.values > 0.0).sum(axis=1).max(initial=1))
    return min(-(-most // BLOCK), 4) * BLOCK
