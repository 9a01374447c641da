"""An attached skin on one device: posed attachment points and scale vectors of a frame, as the joints move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.character.character import Character
from supple.character.shapes import Shaped
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import RIGID_TOLERANCE
from supple.skins.springs.attachment import Attachment
from supple.skins.springs.control_rotations import BLOCK, Ties, knot_positions
from supple.skins.springs.segments import Segments

PREFIX = "edit "  # begins the names of shapes that are edits; all others are morph targets of the character
_ONE = np.eye(3)


@dataclass(frozen=True, eq=False)
class Hanging:
    """How a character's V vertices hang on its bones, as kernels take it.

    Attachment points at rest are `rest_attached` (V, 3) [m], and `rest_vectors` (V, 3) go from there to the vertices.
    `knots` and their shares, and `pairs` of segments and theirs, are in blocks of four, (V * blocks, 4); `owners` (V,)
    are the segments that vertices turn with most, pair p turns from segment `one[p]` to `other[p]`.
    """

    character: Character
    segments: Segments
    squash: float
    rest_attached: Floats
    rest_vectors: Floats
    knots: Ints
    knot_shares: Singles
    pairs: Ints
    pair_shares: Singles
    one: Ints
    other: Ints
    owners: Ints
    constants: devices.Constants

    @classmethod
    def from_ties(
        cls, character: Character, attachment: Attachment, ties: Ties, *, squash: float, device: str
    ) -> Hanging:
        """Pack where vertices hang."""
        segments, knots, shares = attachment.segments, ties.knots.indices, ties.knots.values
        pairs, pair_shares, one, other = _pairs(ties)
        attached = np.einsum("vk,vki->vi", shares, knot_positions(segments.starts, segments.ends)[knots])
        return cls(
            character,
            segments,
            squash,
            attached,
            character.points - attached,
            knots.reshape(-1, BLOCK),
            shares.reshape(-1, BLOCK).astype(np.float32),
            pairs.reshape(-1, BLOCK),
            pair_shares.reshape(-1, BLOCK).astype(np.float32),
            one,
            other,
            ties.segment,
            devices.Constants(device),
        )

    def __len__(self) -> int:
        return len(self.owners)

    @cached_property
    def rest_lengths(self) -> Floats:
        """How far (V,) [m] vertices are from their attachment points at rest."""
        return np.linalg.norm(self.rest_vectors, axis=1)


class PosedHanging:
    """The posed skeleton as attached vertices see it.

    `attached` (V,) are posed attachment points, `turned` (V,) posed scale vectors, `places` the posed ends of all
    segments, `directions` the posed unit vectors along them.
    """

    def __init__(self, hanging: Hanging) -> None:
        wp, put = devices.warp(), hanging.constants.put
        self.hanging, self.segments, self.device = hanging, hanging.segments, hanging.constants.device
        self.count, size, pairs = len(hanging), len(hanging.segments), len(hanging.one)
        self.shaped_points = hanging.character.points
        self._shaped = Shaped(hanging.rest_vectors, hanging.character.shapes)
        self.knot_blocks = len(hanging.knots) // max(self.count, 1)
        self.pair_blocks = len(hanging.pairs) // max(self.count, 1)
        self.knots, self.knot_shares = put(hanging.knots, wp.vec4i), put(hanging.knot_shares, wp.vec4f)
        self.pairs, self.pair_shares = put(hanging.pairs, wp.vec4i), put(hanging.pair_shares, wp.vec4f)
        self.segment = put(hanging.owners, wp.int32)

        def own(array: Any, dtype: Any) -> Any:
            return devices.to_device(array.astype(np.float32), dtype, self.device)

        blank = hanging.constants.blank
        self.vectors = own(hanging.rest_vectors, wp.vec3f)
        self.positions = own(knot_positions(self.segments.starts, self.segments.ends), wp.vec3f)
        self.directions = own(self.segments.directions, wp.vec3f)
        self.rotations, self.stretches = (own(np.tile(_ONE, (size, 1, 1)), wp.mat33f) for _ in range(2))
        self.pair_rotations, self.pair_insides = blank(pairs, wp.vec3f), blank(pairs, wp.vec3f)
        self.pair_stretches = blank(pairs, wp.mat33f)
        self.flags = blank(1, wp.int32)
        self.attached, self.turned = blank(self.count, wp.vec3f), blank(self.count, wp.vec3f)
        self.length_ratios, self.stretched = np.ones(size), False
        self._launches = self._recorded()

    def _recorded(self) -> list[devices.Launch]:
        from supple.skins.springs import kernels

        knots = [self.knot_blocks, self.knots, self.knot_shares, self.positions, self.attached]
        turning = [
            self.vectors,
            self.segment,
            self.pair_blocks,
            self.pairs,
            self.pair_shares,
            self.pair_rotations,
            self.pair_stretches,
            self.rotations,
            self.stretches,
            self.flags,
            self.turned,
        ]
        return [
            devices.Launch(kernels.attach, self.count, knots, self.device),
            devices.Launch(kernels.scale_vectors, self.count, turning, self.device),
        ]

    def set(self, pose: Pose) -> bool:
        """Take a pose: move attachment points and turn scale vectors. Says whether shapes changed the rest."""
        reshaped = self._set_shapes(pose)
        skeleton = self.hanging.character.skeleton
        skinning = pose.skinning(skeleton)
        starts, ends = self.segments.posed(skeleton, pose.world_from_joint, skinning)
        linear = skinning[self.segments.joints][:, :3, :3]
        gram = np.swapaxes(linear, 1, 2) @ linear - _ONE
        rigid = bool(np.abs(gram).max() < RIGID_TOLERANCE and np.linalg.det(linear).min() > 0.0)
        rotations = linear if rigid else quaternions.nearest_rotation(linear)
        stretches = np.tile(_ONE, (len(linear), 1, 1)) if rigid else np.swapaxes(rotations, 1, 2) @ linear
        self.length_ratios = _length_ratios(self.segments, starts, ends)
        squashed = _squash(self.segments, self.length_ratios, self.hanging.squash)
        if squashed is not None:
            stretches = stretches @ squashed
        directions = quaternions.normalize(ends - starts)
        one, other = self.hanging.one, self.hanging.other
        devices.write(self.positions, knot_positions(starts, ends))
        devices.write(self.directions, directions)
        devices.write(self.rotations, rotations)
        devices.write(self.pair_rotations, _logs(np.swapaxes(rotations[one], 1, 2) @ rotations[other]))
        devices.write(self.pair_insides, _insides(self.segments, directions, one, other))
        self.stretched = not rigid or squashed is not None
        devices.write(self.flags, np.array([self.stretched], dtype=np.int32))
        if self.stretched:
            devices.write(self.stretches, stretches)
            devices.write(self.pair_stretches, stretches[other] - stretches[one])
        for launch in self._launches:
            launch()
        return reshaped

    def _set_shapes(self, pose: Pose) -> bool:
        """Shapes (morph targets) change the scale vectors and leave the attachment where it is."""
        rest = self._shaped.changed(pose.shapes)
        if rest is None:
            return False
        devices.write(self.vectors, rest)
        self.shaped_points = self.hanging.rest_attached + rest
        return True


def _pairs(ties: Ties) -> tuple[Ints, Floats, Ints, Ints]:
    """For every vertex the pairs (own segment, other) it turns between (V, K), with their shares, and all pairs."""
    own, size = ties.segment.astype(np.int64), int(ties.rotations.indices.max(initial=0)) + 1
    others, shares = ties.rotations.indices[:, 1:], ties.rotations.values[:, 1:]
    codes = np.where(shares > 0.0, own[:, None] * size + others, 0)
    known, index = np.unique(codes, return_inverse=True)
    fill = ((0, 0), (0, 1))  # back to whole blocks
    pairs, padded = np.pad(index.reshape(codes.shape), fill).astype(np.int32), np.pad(shares, fill)
    return pairs, padded, (known // size).astype(np.int32), (known % size).astype(np.int32)


def _logs(rotations: Floats) -> Floats:
    """Axis times angle (N, 3) [rad] of rotations, the shorter way round."""
    quats = quaternions.quat_from_matrix(rotations)
    sine = np.linalg.norm(quats[:, :3], axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quats[:, 3:])
    return quats[:, :3] * np.where(sine > 1e-9, angle / np.where(sine > 1e-9, sine, 1.0), 2.0)


def _insides(segments: Segments, directions: Floats, one: Ints, other: Ints) -> Floats:
    """Towards the inside of the bend between two segments (N, 3): the sum of the two ways away from where they meet."""
    ends = np.stack([segments.starts, segments.ends], axis=1)
    apart = np.linalg.norm(ends[one][:, :, None] - ends[other][:, None], axis=3).reshape(-1, 4)
    where = np.argmin(apart, axis=1)
    away_one = np.where((where // 2 == 0)[:, None], directions[one], -directions[one])
    away_other = np.where((where % 2 == 0)[:, None], directions[other], -directions[other])
    return np.where((one != other)[:, None], away_one + away_other, 0.0)


def _length_ratios(segments: Segments, starts: Floats, ends: Floats) -> Floats:
    """Length of every segment in a pose against rest (B,); one where it had none."""
    lengths = np.linalg.norm(ends - starts, axis=1)
    known = segments.lengths > 0.0
    return np.where(known, lengths / np.where(known, segments.lengths, 1.0), 1.0)


def _squash(segments: Segments, ratios: Floats, amount: float) -> Floats | None:
    """How a limb thins when its bone grows longer and swells when it shortens (B, 3, 3), across the bone only.

    Across it is scaled by (rest length / length)^(amount / 2): with amount 1 the volume stays. None if nothing changes.
    """
    if amount == 0.0 or np.abs(ratios - 1.0).max() < 1e-6:
        return None
    across = np.clip(ratios, 0.01, 100.0) ** (-0.5 * amount)
    along = np.einsum("bi,bj->bij", segments.directions, segments.directions)
    squashed: Floats = across[:, None, None] * (_ONE - along) + along
    return squashed
