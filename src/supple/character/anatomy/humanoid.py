"""Which joints of a skeleton are hips, spine, neck, head, arms, legs and fingers: by names, else by shape."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.names import FINGERS, LIMBS, NamedPart, is_auxiliary, named_part
from supple.character.skeleton import Skeleton
from supple.geometry import quaternions

SIDES = ("left", "right")
_UPRIGHT = np.cos(np.radians(35.0))  # a body nearer than this to axes of the world stands along them


class Anatomy:
    """The human parts of a skeleton: `parts` maps "left upper arm", "head", ... to a joint.

    `spine` lists the joints after the hips up to where the arms branch off, `neck` those from there to below the head.
    Limbs that names do not tell apart are found by shape: feet are the lowest ends on either side, hands the outermost,
    and within a limb the two long bones in a row are its upper and lower half. Names win over shape, so that left is
    never taken for right. A skeleton without two legs has no parts; `complete` is then false.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.parts: dict[str, int] = {}
        self.spine: list[int] = []
        self.neck: list[int] = []
        self._depth = _depths(skeleton)
        self._named = [named_part(name) for name in skeleton.names]
        self.ends = _bone_ends(skeleton)
        for side in SIDES:
            for limb in LIMBS:
                self._limb_by_name(side, limb)
            self._fingers(side)
        self._limbs_by_shape()
        self._trunk()

    @property
    def complete(self) -> bool:
        """Whether hips and both legs were found: then the skeleton stands on two legs."""
        return all(part in self.parts for part in ("hips", "left upper leg", "right upper leg"))

    def part_of(self) -> dict[int, str]:
        """Joint to part; spine and neck joints count as such."""
        found = {joint: part for part, joint in self.parts.items()}
        return {**dict.fromkeys(self.spine, "spine"), **dict.fromkeys(self.neck, "neck"), **found}

    def path(self, above: int, joint: int) -> list[int]:
        """The joints below `above` down to `joint`, or nothing if `joint` does not hang below it."""
        chain: list[int] = []
        while joint >= 0 and joint != above:
            chain.append(joint)
            joint = int(self.skeleton.parents[joint])
        return chain[::-1] if joint == above else []

    def _limb_by_name(self, side: str, limb: str) -> None:
        parts = LIMBS[limb]
        on_side = [
            (joint, named)
            for joint, named in enumerate(self._named)
            if named is not None and named.side == side and named.part in parts
        ]
        on_side.sort(key=lambda item: self._depth[item[0]])
        said = {named.part for _, named in on_side}
        upper, lower = parts[1:3] if limb == "arm" else parts[:2]
        only_numbered = (lower if limb == "arm" else upper) not in said
        vague = [joint for joint, named in on_side if named.part == (upper if limb == "arm" else lower)]
        if only_numbered and len(vague) > 1:
            self._limb_by_lengths(vague, side, limb)
            on_side = [item for item in on_side if item[0] not in vague]
        shoulders = [joint for joint, named in on_side if named.part == "shoulder"]
        for joint, named in on_side:
            part = named.part
            if part == "shoulder" and upper not in said and joint in shoulders[1:]:
                part = upper  # collar, shoulder, elbow, wrist: the shoulder there turns the upper arm
            if f"{side} {part}" not in self.parts and self._may_carry(side, parts, part, joint):
                self.parts[f"{side} {part}"] = joint
        if limb == "arm" and len(shoulders) == 1 and f"{side} {upper}" not in self.parts:
            self.parts[f"{side} {upper}"] = self.parts.pop(f"{side} shoulder")  # shoulder, elbow, wrist

    def _may_carry(self, side: str, parts: Sequence[str], part: str, joint: int) -> bool:
        """A part hangs below the parts before it in its limb."""
        before = [self.parts[f"{side} {name}"] for name in parts[: parts.index(part)] if f"{side} {name}" in self.parts]
        return all(self.path(above, joint) for above in before)

    def _limb_by_lengths(self, chain: list[int], side: str, limb: str) -> None:
        """Name the joints of a chain by the two long bones in a row that a limb has."""
        if len(chain) < 2:
            return
        heads = self.skeleton.heads
        ends = [*(heads[joint] for joint in chain[1:]), self.ends[chain[-1]]]
        lengths = [float(np.linalg.norm(end - heads[joint])) for joint, end in zip(chain, ends, strict=True)]
        first = max(range(len(chain) - 1), key=lambda number: min(lengths[number], lengths[number + 1]))
        names = LIMBS[limb]
        start = first - names.index(f"upper {limb}")
        for number, name in enumerate(names, start=start):
            if 0 <= number < len(chain):
                self.parts[f"{side} {name}"] = chain[number]

    def _fingers(self, side: str) -> None:
        for joint, named in enumerate(self._named):
            if named is not None and named.side == side and named.part in FINGERS:
                self.parts.setdefault(f"{side} {named.part} {named.number if named.number >= 0 else 1}", joint)

    def _limbs_by_shape(self) -> None:
        missing = [
            (side, limb) for limb in ("leg", "arm") for side in SIDES if f"{side} upper {limb}" not in self.parts
        ]
        if not missing:
            return
        skeleton = self.skeleton
        inner = set(skeleton.parents.tolist())
        leaves = [joint for joint in range(len(skeleton)) if joint not in inner]
        left = self._left_of(leaves)
        size = float(np.ptp(skeleton.heads, axis=0).max()) or 1.0
        middle = np.median(skeleton.heads, axis=0)
        sides = (self.ends - middle) @ left
        for side, limb in missing:
            sign = 1.0 if side == "left" else -1.0
            taken = set(self.parts.values())
            free = [
                leaf
                for leaf in leaves
                if sign * sides[leaf] > 0.02 * size
                and self._side_said(leaf) in ("", side)
                and not taken & set(self.path(-1, leaf))
            ]
            if not free:
                continue
            if limb == "leg":
                tip = min(free, key=lambda leaf: float(self.ends[leaf, 1]))
            else:
                tip = max(free, key=lambda leaf: float(sign * sides[leaf]))
            self._limb_by_lengths(self._own_path(tip, middle, sign * left, 0.02 * size), side, limb)
        for limb in {limb for _, limb in missing}:
            self._keep_if_mirrored(limb, left, 0.1 * size)

    def _keep_if_mirrored(self, limb: str, left: FloatArray, tolerance: float) -> None:
        """Forget both limbs of a pair that do not mirror each other: this is no body that stands upright."""
        heads = self.skeleton.heads
        for name in LIMBS[limb]:
            both = [self.parts.get(f"{side} {name}") for side in SIDES]
            if None in both:
                alike = both[0] == both[1]
            else:
                gap = heads[both[0]] - heads[both[1]]
                alike = bool(np.linalg.norm(gap - (gap @ left) * left) < tolerance)
            if not alike:
                for part in (f"{side} {other}" for side in SIDES for other in LIMBS[limb]):
                    self.parts.pop(part, None)
                return

    def _own_path(self, tip: int, middle: FloatArray, outward: FloatArray, reach: float) -> list[int]:
        """The joints that lead to `tip`, from the first that stands off the middle of the body."""
        heads = self.skeleton.heads
        return [joint for joint in self.path(-1, tip) if float((heads[joint] - middle) @ outward) > reach]

    def _side_said(self, joint: int) -> str:
        """The side that a joint's name, or one above it, speaks of."""
        for above in reversed(self.path(-1, joint)):
            named = self._named[above]
            if named is not None and named.side:
                return named.side
        return ""

    def _left_of(self, leaves: list[int]) -> FloatArray:
        """The direction of the body's left at rest, y up: across its widest spread; toes point forward."""
        flat = self.ends[leaves][:, [0, 2]]
        _, _, axes = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
        across = np.array([axes[0, 0], 0.0, axes[0, 1]])
        low = min(leaves, key=lambda leaf: float(self.ends[leaf, 1]))
        parent = int(self.skeleton.parents[low])
        toes = self.ends[low] - self.skeleton.heads[parent if parent >= 0 else low]
        toes[1] = 0.0
        forward = np.cross(across, [0.0, 1.0, 0.0])
        return across if forward @ toes >= 0.0 else -across

    def _trunk(self) -> None:
        legs = [self.parts[f"{side} upper leg"] for side in SIDES if f"{side} upper leg" in self.parts]
        if len(legs) < 2:
            self.parts = {}
            return
        hips = self._first("hips")
        if hips is None or not all(self.path(hips, leg) for leg in legs):
            hips = self._shared(legs)
        if hips < 0:
            self.parts = {}
            return
        self.parts["hips"] = hips
        arms = [
            self.parts.get(f"{side} shoulder", self.parts.get(f"{side} upper arm", -1))
            for side in SIDES
            if f"{side} upper arm" in self.parts
        ]
        chest = self._shared(arms) if len(arms) == 2 else (int(self.skeleton.parents[arms[0]]) if arms else -1)
        head = self._first("head")
        tip = head if head is not None else self._highest(hips, {*legs, *arms})
        if chest < 0:
            spines = [joint for joint, named in enumerate(self._named) if named is not None and named.part == "spine"]
            on_way = [joint for joint in spines if tip in self.path(joint, tip)] if tip is not None else spines
            chest = max(on_way, key=lambda joint: self._depth[joint], default=hips)
        self.spine = self.path(hips, chest)
        if tip is None:
            return
        above = self.path(chest, tip)
        if above and above[-1] not in self.parts.values():
            self.parts["head"] = above[-1]
            self.neck = above[:-1]

    def _first(self, part: str) -> int | None:
        """The highest joint in the tree whose name says `part`."""
        said = [joint for joint, named in enumerate(self._named) if _says(named, part)]
        return min(said, key=lambda joint: self._depth[joint], default=None)

    def _shared(self, joints: list[int]) -> int:
        """The deepest joint that all of `joints` hang below."""
        paths = [self.path(-1, int(self.skeleton.parents[joint])) for joint in joints]
        together = -1
        for level in zip(*paths, strict=False):
            if len(set(level)) > 1:
                break
            together = level[0]
        return together

    def _highest(self, hips: int, limbs: set[int]) -> int | None:
        """The highest joint below the hips that is part of no limb; joints that only end a chain do not count."""
        free = [
            joint
            for joint in self.skeleton.descendants(hips).tolist()
            if joint != hips and not limbs & set(self.path(-1, joint)) and not is_auxiliary(self.skeleton.names[joint])
        ]
        return max(free, key=lambda joint: float(self.skeleton.heads[joint, 1]), default=None)


def _says(named: NamedPart | None, part: str) -> bool:
    return named is not None and named.part == part


def _depths(skeleton: Skeleton) -> list[int]:
    depths = [0] * len(skeleton)
    for depth, level in enumerate(skeleton.levels):
        for joint in level.tolist():
            depths[joint] = depth
    return depths


def _bone_ends(skeleton: Skeleton) -> FloatArray:
    """Where the bone of every joint ends at rest (J, 3): the middle of its ends where it has several."""
    bones = skeleton.bones
    ends = np.zeros((len(skeleton), 3))
    np.add.at(ends, bones.joints, bones.ends)
    counts = np.bincount(bones.joints, minlength=len(skeleton))
    return np.asarray(ends / counts[:, None])


def body_axes(anatomy: Anatomy) -> FloatArray:
    """The body's left, up and forward at rest as columns (3, 3); the world's x, y, z where there is no body.

    Rest poses are built along the axes of the world, and spines are curved: a frame near such axes is taken to them,
    else the bend of a back would tilt a whole motion.
    """
    if not anatomy.complete:
        return np.eye(3)
    heads, parts = anatomy.skeleton.heads, anatomy.parts
    left = heads[parts["left upper leg"]] - heads[parts["right upper leg"]]
    if all(f"{side} upper arm" in parts for side in SIDES):
        left = left + heads[parts["left upper arm"]] - heads[parts["right upper arm"]]
    top = parts.get("head", anatomy.spine[-1] if anatomy.spine else parts["hips"])
    up = heads[top] - 0.5 * (heads[parts["left upper leg"]] + heads[parts["right upper leg"]])
    left = quaternions.normalize(left)
    up = quaternions.normalize(up - (up @ left) * left)
    axes = np.stack([left, up, np.cross(left, up)], axis=1)
    if not np.isclose(np.linalg.det(axes), 1.0):
        return np.eye(3)
    snapped = np.zeros((3, 3))
    snapped[np.argmax(np.abs(axes), axis=0), np.arange(3)] = 1.0
    snapped *= np.sign(axes)
    near = (snapped * axes).sum(axis=0).min() > _UPRIGHT and np.linalg.det(snapped) > 0.5
    return snapped if near else axes


def leg_length(anatomy: Anatomy) -> float:
    """Thigh and shin together, averaged over both sides [m]; zero where they are not known."""
    heads, parts = anatomy.skeleton.heads, anatomy.parts
    lengths = []
    for side in SIDES:
        chain = [parts.get(f"{side} {name}") for name in ("upper leg", "lower leg", "foot")]
        known = [heads[joint] for joint in chain if joint is not None]
        if len(known) == 3:
            lengths.append(sum(float(np.linalg.norm(b - a)) for a, b in pairwise(known)))
    return float(np.mean(lengths)) if lengths else 0.0
