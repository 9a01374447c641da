"""An attachment and its weights as kernels take them, for one choice of what may change while a skin plays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.skins.springs.attachment.attachment import ROUNDS, Attachment, smooth
from supple.skins.springs.attachment.segments import NONE, Segments
from supple.skins.springs.attachment.skin_weights import hang_by_skin_weights
from supple.skins.springs.attachment.weights import (
    BLOCK,
    END_MAP,
    START_MAP,
    SparseWeights,
    Surface,
    blend_control_points,
    blend_rotations,
    control_positions,
)


@dataclass(frozen=True)
class AttachmentOptions:
    """What weights follow from beside the character: see the settings of `IncrementalRotation`.

    Where they are `blended`, vertices hang on all bones that their skin weights name.
    """

    rounds: int = ROUNDS
    soften: float = 0.6
    reach: float = 0.5
    firm_ends: bool = True
    blended: bool = False


USUAL = AttachmentOptions()
_STRANGE = 4.0  # a quarter of the turn with bones elsewhere is all that matters
_TABLE = 10_000_000  # codes up to which a table of them is quicker than sorting


@dataclass(frozen=True, eq=False)
class PackedAttachment:
    """Where V vertices hang, and what they turn with.

    Attachment points at rest are `rest_attached` (V, 3) [m], and `rest_vectors` (V, 3) go from there to the vertices.
    `control_points` (ends of segments) and their weights, and `pairs` of segments and theirs, are in blocks of four,
    (V * blocks, 4); `owners` (V,) are the segments that vertices turn with most, pair p turns from segment `one[p]` to
    `other[p]`. `chained` (V,) is how far bones that follow each other in a chain are all that a vertex turns with. What
    is brought to the device goes when it goes, so that it may be exchanged as often as one likes.
    """

    options: AttachmentOptions
    attachment: Attachment
    rest_attached: FloatArray
    rest_vectors: FloatArray
    control_points: IntArray
    control_weights: Float32Array
    pairs: IntArray
    pair_weights: Float32Array
    one: IntArray
    other: IntArray
    owners: IntArray
    chained: Float32Array
    constants: devices.Constants

    @cached_property
    def rest_lengths(self) -> FloatArray:
        """How far (V,) [m] vertices are from their attachment points at rest."""
        return np.linalg.norm(self.rest_vectors, axis=1)

    @cached_property
    def ways_apart(self) -> tuple[FloatArray, FloatArray]:
        """Of both segments of every pair (N, 1): 1 where it begins where they meet, -1 where it ends there.

        Nothing for a segment that is paired with itself.
        """
        segments = self.attachment.segments
        ends = np.stack([segments.starts, segments.ends], axis=1)
        apart = np.linalg.norm(ends[self.one][:, :, None] - ends[self.other][:, None], axis=3).reshape(-1, 4)
        where, differ = np.argmin(apart, axis=1), self.one != self.other
        signs = (np.where(differ, np.where(end == 0, 1.0, -1.0), 0.0) for end in (where // 2, where % 2))
        one, other = (sign[:, None] for sign in signs)
        return one, other


def pack_attachment(
    character: Character, unsmoothed: Attachment, surface: Surface, options: AttachmentOptions, *, device: str
) -> PackedAttachment:
    """Smooth an attachment and blend its weights over the skin."""
    attachment = smooth(unsmoothed, surface.around, options.rounds) if options.rounds else unsmoothed
    return _pack(character, attachment, surface, options, device=device)


def _pack(
    character: Character, attachment: Attachment, surface: Surface, options: AttachmentOptions, *, device: str
) -> PackedAttachment:
    segments = attachment.segments
    if options.blended:
        weights, rotations = hang_by_skin_weights(
            character, attachment, surface, reach=options.reach, soften=options.soften
        )
    else:
        weights = blend_control_points(attachment, surface, soften=options.soften)
        rotations = _rotations(character, attachment, surface, options)
    attached = np.einsum(
        "vk,vki->vi", weights.values, control_positions(segments.starts, segments.ends)[weights.indices]
    )
    pairs, pair_weights, one, other, owners = _turns(rotations)
    return PackedAttachment(
        options,
        attachment,
        attached,
        character.points - attached,
        weights.indices.reshape(-1, BLOCK),
        weights.values.reshape(-1, BLOCK).astype(np.float32),
        pairs,
        pair_weights,
        one,
        other,
        owners,
        _chained(rotations, segments),
        devices.Constants(device),
    )


def repack(
    known: PackedAttachment, character: Character, unsmoothed: Attachment, surface: Surface, options: AttachmentOptions
) -> PackedAttachment:
    """The same under other options or other maps of reach, made from what those leave as it is."""
    device = known.constants.device
    if options.rounds != known.options.rounds:
        more = options.rounds - known.options.rounds
        if more < 0:
            return pack_attachment(character, unsmoothed, surface, options, device=device)
        return _pack(character, smooth(known.attachment, surface.around, more), surface, options, device=device)
    if options.soften != known.options.soften or options.blended:
        return _pack(character, known.attachment, surface, options, device=device)
    rotations = _rotations(character, known.attachment, surface, options)
    pairs, pair_weights, one, other, owners = _turns(rotations)
    return replace(
        known,
        options=options,
        pairs=pairs,
        pair_weights=pair_weights,
        one=one,
        other=other,
        owners=owners,
        chained=_chained(rotations, known.attachment.segments),
        constants=devices.Constants(device),
    )


def same_reach(one: Character, other: Character) -> bool:
    """Whether turns reach equally far in both, as far as maps say."""
    return all(same_map(one, other, name) for name in (START_MAP, END_MAP))


def same_map(one: Character, other: Character, name: str) -> bool:
    """Whether a map is painted alike on both, or on neither."""
    first, second = one.maps.get(name), other.maps.get(name)
    if first is None or second is None:
        return first is second
    return first is second or np.array_equal(first, second)


def _rotations(
    character: Character, attachment: Attachment, surface: Surface, options: AttachmentOptions
) -> SparseWeights:
    return blend_rotations(
        attachment, surface, character.maps, reach=options.reach, soften=options.soften, firm_ends=options.firm_ends
    )


def _turns(rotations: SparseWeights) -> tuple[IntArray, Float32Array, IntArray, IntArray, IntArray]:
    pairs, weights, one, other = _find_pairs(rotations)
    owners = np.ascontiguousarray(rotations.indices[:, 0])
    return pairs.reshape(-1, BLOCK), weights.reshape(-1, BLOCK).astype(np.float32), one, other, owners


def _chained(rotations: SparseWeights, segments: Segments) -> Float32Array:
    """1 (V,) where a vertex turns with its own bone and those before and after it alone, 0 where others have a say."""
    own = segments.joints[rotations.indices[:, :1]]
    joints = segments.joints[rotations.indices]
    before = np.where(segments.before >= 0, segments.joints[segments.before], NONE)
    follows = (before[rotations.indices] == own) | (before[rotations.indices[:, :1]] == joints)
    strange = np.where((joints == own) | follows, 0.0, rotations.values).sum(axis=1)
    return np.clip(1.0 - _STRANGE * strange, 0.0, 1.0).astype(np.float32)


def _find_pairs(rotations: SparseWeights) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """For every vertex the pairs (own segment, other) it turns between (V, K), with their weights, and all pairs."""
    own, size = rotations.indices[:, 0].astype(np.int64), int(rotations.indices.max(initial=0)) + 1
    others, values = rotations.indices[:, 1:], rotations.values[:, 1:]
    codes = np.where(values > 0.0, own[:, None] * size + others, 0)
    known, index = _numbered(codes, size * size)
    fill = ((0, 0), (0, 1))  # back to whole blocks
    pairs, padded = np.pad(index, fill).astype(np.int32), np.pad(values, fill)
    return pairs, padded, (known // size).astype(np.int32), (known % size).astype(np.int32)


def _numbered(codes: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """The codes that occur, in rising order, and for each of them its place there; all are below `most`."""
    if most > _TABLE:
        known, index = np.unique(codes, return_inverse=True)
        return known, np.asarray(index.reshape(codes.shape), dtype=np.int32)
    occurs = np.zeros(most, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs).astype(np.int32), (np.cumsum(occurs) - 1).astype(np.int32)[codes]
