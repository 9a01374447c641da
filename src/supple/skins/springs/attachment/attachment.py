"""Attachment: every vertex hangs on a place of the skeleton, its attachment point, by its scale vector.

    a = p + t (c - p),   s = v - a                                                      [Toothman2020, Sec. 3]

with p and c the ends of a segment. Good attachments are near, so that s is short, and alike for neighbours, so that
nothing tears where the skeleton bends. The two wishes conflict at the inside of bends and where bones branch; rounds of
smoothing over the surface, each put back on the skeleton, find a compromise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry.segments import distances_to_segments
from supple.geometry.topology import Neighbors, neighbors
from supple.skins.springs.attachment.dividers import Divider, divide
from supple.skins.springs.attachment.segments import NONE, Segments, find_segments

METHODS = ("automatic", "single", "blended", "weights", "direct", "planar")
_BY_ITSELF = ("automatic", "single")
ROUNDS = 20  # half steps of smoothing, as ten whole ones; more draw the attachments of long chains together
ATTACHMENT_MAPS = _BONE_MAP, _ALONG_MAP = "attachment_bone", "attachment_along"
_ALONE = 0.9  # a weight above this says that a vertex follows one joint
_WHERE = "attach"


@dataclass(frozen=True, eq=False)
class Attachment:
    """Where each vertex hangs: `segment` (V,) of `segments`, at the share `along` (V,) of its length."""

    rest_points: FloatArray
    segments: Segments
    segment: IntArray
    along: FloatArray

    def __post_init__(self) -> None:
        count = len(self.rest_points)
        segment = frozen(self.segment, np.int32, (count,), "Attachment", "segment")
        along = frozen(self.along, np.float64, (count,), "Attachment", "along")
        if count and not (segment.min() >= 0 and segment.max() < len(self.segments)):
            raise InputError(
                "Attachment",
                f"segments go from {segment.min()} to {segment.max()}",
                f"there are segments 0 to {len(self.segments) - 1}",
                "attach again: the skeleton has changed",
            )
        if count and not (along.min() >= 0.0 and along.max() <= 1.0):
            raise InputError(
                "Attachment",
                f"along goes from {along.min():g} to {along.max():g}",
                "shares of a segment are 0 to 1",
                "clip it",
            )
        object.__setattr__(self, "segment", segment)
        object.__setattr__(self, "along", along)

    @cached_property
    def points(self) -> FloatArray:
        """Attachment points (V, 3) [m] at rest."""
        starts, ends = self.segments.starts[self.segment], self.segments.ends[self.segment]
        return np.asarray(starts + self.along[:, None] * (ends - starts))

    @cached_property
    def scale_vectors(self) -> FloatArray:
        """From attachment points to vertices (V, 3) [m] at rest."""
        return self.rest_points - self.points

    def kept_in(self, character: Character) -> Character:
        """The character with this attachment painted on it; `attach` and the skins of this room then use it."""
        maps = {_BONE_MAP: self.segment.astype(np.float64), _ALONG_MAP: self.along}
        return character.replace(maps={**character.maps, **maps})


def attach(
    character: Character, *, method: str = "automatic", rounds: int = ROUNDS, dividers: Sequence[Divider] | None = None
) -> Attachment:
    """Hang every vertex on the skeleton.

    `weights` looks only at the segments that meet at the joint of largest weight, `direct` at all of them and takes the
    nearest, `planar` cuts the skin with `dividers` at the joints and places vertices between the cuts. `automatic` is
    what `Attachment.kept_in` painted on the character, or `blended` if it has weights and limbs that branch off, or
    `weights` along a single chain, or `direct`; `single` is the same without `blended`. `rounds` of smoothing follow; 0
    leaves the gaps open, as published figures show them. `blended` is like `weights` here; skins then hang a vertex on
    all bones that its weights name (`skin_weights`), for which `rounds` is of no account.
    """
    if method not in METHODS:
        raise InputError(_WHERE, f"method is {method!r}", f"one of {', '.join(METHODS)} is needed", "choose one")
    if not 0 <= rounds <= 100:
        raise InputError(_WHERE, f"rounds is {rounds}", "the range is 0 to 100", f"try {ROUNDS}")
    if dividers is not None and method != "planar":
        raise InputError(
            _WHERE, f"dividers were given with method {method!r}", "only 'planar' uses them", "use method='planar'"
        )
    found = attach_unsmoothed(character, method=method, dividers=dividers)
    if rounds == 0 or is_painted(character, method):
        return found
    return smooth(found, neighbors(character.triangles, len(found.rest_points)), rounds)


def is_painted(character: Character, method: str) -> bool:
    """Whether a character says itself where its vertices hang, so that nothing is left to be found or smoothed."""
    return method in _BY_ITSELF and all(name in character.maps for name in ATTACHMENT_MAPS)


def is_blended(character: Character, method: str) -> bool:
    """Whether vertices hang on all bones that skin weights name, rather than on one.

    By itself that is so where limbs branch off: there the nearest bone need not be the one that skin belongs to. Along
    a single chain it is, and turns that reach half a bone far bend a thick limb better than narrow weights would.
    """
    if method != "automatic" or character.weights is None or is_painted(character, method):
        return method == "blended"
    parents = character.skeleton.parents
    return bool((np.bincount(parents[parents >= 0], minlength=1) > 1).any())


def attach_unsmoothed(character: Character, *, method: str, dividers: Sequence[Divider] | None = None) -> Attachment:
    """Hang every vertex on the skeleton, with gaps between those that hang on different segments."""
    segments = find_segments(character)
    if is_painted(character, method):
        painted = np.round(character.maps[_BONE_MAP]).astype(np.int32)
        return Attachment(character.points, segments, painted, character.maps[_ALONG_MAP])
    if method in ("weights", "blended") or (method in _BY_ITSELF and character.weights is not None):
        candidates = _candidates_by_weight(character, segments)
    else:
        candidates = np.broadcast_to(_bearing(character, segments), (len(character.points), len(segments)))
    distances, raw = distances_to_segments(character.points, segments.starts, segments.ends)
    segment = np.argmin(np.where(candidates, distances, np.inf), axis=1)
    along = np.clip(np.take_along_axis(raw, segment[:, None], axis=1)[:, 0], 0.0, 1.0)
    found = Attachment(character.points, segments, segment, along)
    if method == "planar":
        found = Attachment(character.points, segments, *divide(character.points, segments, segment, dividers=dividers))
    return found


def smooth(attachment: Attachment, around: Neighbors, rounds: int) -> Attachment:
    """Average attachment points with those of the neighbours and put them back on the nearest segment, `rounds` times.

    Only the segment a vertex hangs on and those that meet it are asked, so no vertex jumps to another limb.
    """
    from supple.skins.springs.kernels import smoothing as kernels

    wp, segments, count = devices.warp(), attachment.segments, len(attachment.rest_points)

    def own(array: FloatArray | IntArray, dtype: Any) -> Any:
        return devices.to_device(array, dtype, "cpu")

    ends = np.stack([segments.starts, segments.ends - segments.starts], axis=1)
    fixed = [own(around.starts, wp.int32), own(around.indices, wp.int32)]
    fixed += [own(segments.neighbors, wp.int32), own(ends, wp.vec3d)]
    points = [own(attachment.points, wp.vec3d) for _ in range(2)]
    segment = [own(attachment.segment, wp.int32) for _ in range(2)]
    along = own(attachment.along, wp.float64)
    rows = [[*fixed, points[k], segment[k], points[1 - k], segment[1 - k], along] for k in range(2)]
    launches = [devices.Launch(kernels.smooth, count, row, "cpu") for row in rows]
    for done in range(rounds):
        launches[done % 2]()
    return Attachment(attachment.rest_points, segments, segment[rounds % 2].numpy().copy(), along.numpy().copy())


def _candidates_by_weight(character: Character, segments: Segments) -> BoolArray:
    """Segments (V, B) that start or end at the joint of each vertex's largest weight.

    A vertex that follows a last joint nearly alone hangs on that joint's own bone: a chin on the head, not on the neck.
    """
    weights = character.require_weights(_WHERE)
    joint = np.arange(len(character.skeleton))[:, None]
    heads = character.skeleton.heads
    touching = (segments.joints == joint) | (segments.children == joint)
    for own in np.flatnonzero(~touching.any(axis=1)):  # a joint that stands on another one: what meets at its place
        ends = np.stack([segments.starts, segments.ends])
        apart = np.linalg.norm(ends - heads[own], axis=2).min(axis=0)
        touching[own] = apart <= apart.min() + 1e-9
    bearing = _bearing(character, segments)
    allowed = _where_any(touching & bearing, touching)
    last = (segments.joints == joint) & (segments.children == NONE) & bearing
    alone = _where_any(last, allowed)
    strongest = weights.joints[:, 0]
    return np.where((weights.values[:, 0] > _ALONE)[:, None], alone[strongest], allowed[strongest])


def _where_any(wanted: BoolArray, otherwise: BoolArray) -> BoolArray:
    """Rows of `wanted`, or of `otherwise` where they have nothing."""
    return np.where(wanted.any(axis=1, keepdims=True), wanted, otherwise)


def _bearing(character: Character, segments: Segments) -> BoolArray:
    """Segments (B,) that may hold skin: a root on the floor between the feet only carries the character."""
    if character.weights is not None:
        used = np.unique(character.weights.joints[character.weights.values > 0.0])
        keep = np.isin(segments.joints, used)
    else:
        from supple.character.weighting.bones import owning_bones
        from supple.geometry.flesh import Flesh

        owning = owning_bones(character.skeleton, Flesh(character.points, character.triangles))
        keep = np.isin(segments.joints, owning.joints)
    return keep if keep.any() else np.ones(len(segments), dtype=bool)
