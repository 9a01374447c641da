"""Unity's humanoid bones on our characters, and back: who follows whom, and how the two rest poses differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.anatomy.humanoid import SIDES, Anatomy, body_axes, leg_length
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.live.vmc.protocol import BONES
from supple.motion.pose import Pose
from supple.motion.retarget.alignment import rest_alignments
from supple.motion.retarget.ground import Soles
from supple.motion.retarget.matching import Follow, follows

_WHERE = "VMC"
_LEGS = (0.05, 20.0)  # m; thigh and shin of anything that is tracked
_NUMBER = {name: number for number, name in enumerate(BONES)}
_THIGHS = [_NUMBER[f"{side}UpperLeg"] for side in ("Left", "Right")]
_SHINS_AND_FEET = [_NUMBER[f"{side}{part}"] for side in ("Left", "Right") for part in ("LowerLeg", "Foot")]


class HumanoidPose:
    """An avatar of Unity's bones: `turns` (55, 4) and `places` (55, 3) of bones on those above, and of the root.

    Bones that nothing is known of are not turned, and their places are NaN.
    """

    def __init__(self) -> None:
        self.rotations: FloatArray = np.tile([0.0, 0.0, 0.0, 1.0], (len(BONES), 1))
        self.positions: FloatArray = np.full((len(BONES), 3), np.nan)
        self.root_rotation: FloatArray = np.array([0.0, 0.0, 0.0, 1.0])
        self.root_position: FloatArray = np.zeros(3)

    def copy(self) -> HumanoidPose:
        """Another one that says the same."""
        other = HumanoidPose()
        other.rotations, other.positions = self.rotations.copy(), self.positions.copy()
        other.root_rotation, other.root_position = self.root_rotation, self.root_position
        return other


def avatar() -> Skeleton:
    """A person of 1.7 m in a T-pose with all of Unity's bones, in our axes: looking along z, its left at +x.

    Only directions matter where poses are received; its lengths are what a sender says of itself.
    """
    heads: dict[str, list[float]] = {
        "Hips": [0.0, 0.95, 0.0], "Spine": [0.0, 1.05, 0.0], "Chest": [0.0, 1.17, 0.0], "UpperChest": [0.0, 1.29, 0.0],
        "Neck": [0.0, 1.43, 0.0], "Head": [0.0, 1.52, 0.02], "Jaw": [0.0, 1.54, 0.05],
    }  # fmt: skip
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        heads |= {
            f"{side}Eye": [0.03 * sign, 1.58, 0.08],
            f"{side}Shoulder": [0.03 * sign, 1.38, 0.0],
            f"{side}UpperArm": [0.16 * sign, 1.38, 0.0],
            f"{side}LowerArm": [0.42 * sign, 1.38, 0.0],
            f"{side}Hand": [0.66 * sign, 1.38, 0.0],
            f"{side}UpperLeg": [0.09 * sign, 0.90, 0.0],
            f"{side}LowerLeg": [0.09 * sign, 0.49, 0.0],
            f"{side}Foot": [0.09 * sign, 0.08, 0.0],
            f"{side}Toes": [0.09 * sign, 0.02, 0.13],
        }
        for finger, along in (("Thumb", 0.04), ("Index", 0.03), ("Middle", 0.01), ("Ring", -0.01), ("Little", -0.03)):
            start = 0.69 if finger == "Thumb" else 0.75
            for piece, on in (("Proximal", 0.0), ("Intermediate", 0.03), ("Distal", 0.055)):
                heads[f"{side}{finger}{piece}"] = [sign * (start + on), 1.38, along]
    parents = [-1 if above is None else _NUMBER[above] for above in map(bone_above, BONES)]
    return Skeleton.from_heads(list(BONES), parents, [heads[name] for name in BONES])


def bone_above(name: str) -> str | None:
    """The bone that a bone of Unity's humanoid hangs on, None for the hips."""
    trunk = {"Hips": None, "Spine": "Hips", "Chest": "Spine", "UpperChest": "Chest", "Neck": "UpperChest",
             "Head": "Neck", "Jaw": "Head"}  # fmt: skip
    if name in trunk:
        return trunk[name]
    side = "Left" if name.startswith("Left") else "Right"
    part = name.removeprefix(side)
    limbs = {"Eye": "Head", "Shoulder": "UpperChest", "UpperArm": f"{side}Shoulder", "LowerArm": f"{side}UpperArm",
             "Hand": f"{side}LowerArm", "UpperLeg": "Hips", "LowerLeg": f"{side}UpperLeg", "Foot": f"{side}LowerLeg",
             "Toes": f"{side}Foot"}  # fmt: skip
    if part in limbs:
        return limbs[part]
    for piece, above in (("Proximal", "Hand"), ("Intermediate", "Proximal"), ("Distal", "Intermediate")):
        if part.endswith(piece):
            finger = part.removesuffix(piece)
            return f"{side}{above}" if above == "Hand" else f"{side}{finger}{above}"
    raise InputError(_WHERE, f"a bone is called {name!r}", "a bone of Unity's humanoid is needed", "see BONES")


class RotationTransfer:
    """Carries turns from rest from one skeleton's joints to another's, as retargeting does, one pose at a time.

    A source joint turned by D from rest turns its partner by B D A: A takes the partner's rest to the source's, and B
    the axes of the source's body to those of the target's, so that whoever stands still goes on facing where it faces.
    `pairs` are the target's joints and what they follow: as names and shape tell, where both are bodies with legs or
    nothing else is known, and as `table` {target joint: source joint} says.
    """

    def __init__(self, source: Anatomy, target: Anatomy, table: Mapping[str, str] | None) -> None:
        self.pairs: dict[int, Follow] = {}
        if table is None or (source.complete and target.complete):
            self.pairs = follows(source, target, None)
        if table is not None:
            self.pairs |= follows(source, target, table)
        alignments = rest_alignments(source, target, self.pairs)
        self.skeleton = target.skeleton
        self.body: FloatArray = body_axes(target) @ body_axes(source).T
        self._joints = np.array(list(self.pairs), dtype=int)
        self._first = np.array([self.pairs[joint].source for joint in self._joints], dtype=int)
        self._second = np.array([self.pairs[joint].beyond for joint in self._joints], dtype=int)
        self._fraction = np.array([self.pairs[joint].fraction for joint in self._joints])
        self._alignments = np.array([alignments[int(joint)] for joint in self._joints])
        alone = [level[~np.isin(level, self._joints)] for level in self.skeleton.levels[1:]]
        self._levels = [(level, self.skeleton.parents[level]) for level in alone]

    def rotations(self, source: FloatArray) -> FloatArray:
        """Turns from rest (J, 3, 3) of all target joints, in world axes, from quaternions (K, 4) of the source's."""
        rotations = np.tile(np.eye(3), (len(self.skeleton), 1, 1))
        mean = quaternions.slerp(source[self._first], source[self._second], self._fraction)
        rotations[self._joints] = self.body @ quaternions.matrix_from_quat(mean) @ self._alignments
        for level, above in self._levels:
            rotations[level] = rotations[above]
        return rotations


def hip_sockets(body: Anatomy) -> FloatArray | None:
    """From the hip joint to the middle of the hip sockets at rest (3,) [m]; None for what has no two legs.

    Rigs put the hip joint at various heights; the sockets are where the legs are in all of them.
    """
    if not body.complete:
        return None
    heads = body.skeleton.heads
    middle = heads[[body.parts[f"{side} upper leg"] for side in SIDES]].mean(axis=0)
    return np.asarray(middle - heads[body.parts["hips"]])


class Puppet:
    """Poses a character like an avatar of Unity's humanoid bones.

    `table` {joint: bone} adds to, or overrides, what names and shape tell. The hips go where the avatar's go, scaled by
    the ratio of leg lengths where the sender says how long its legs are, or by that of hip heights where `hip_height`
    [m] is given; with neither, and where no place of the hips is sent, only turns are taken over.
    """

    def __init__(self, skeleton: Skeleton, *, table: Mapping[str, str] | None, hip_height: float | None) -> None:
        self.skeleton = skeleton
        source = avatar()
        to = Anatomy(skeleton)
        self._transfer = RotationTransfer(Anatomy(source), to, table)
        self.pairs = self._transfer.pairs
        self._bone_levels = [(level, source.parents[level]) for level in source.levels[1:]]
        self._hips = to.parts.get(
            "hips", next((joint for joint, follow in self.pairs.items() if not follow.source), -1)
        )
        self._leg = leg_length(to)
        self._sockets = hip_sockets(to)
        self._levels = [_Level.from_skeleton(skeleton, level, self._hips) for level in skeleton.levels]
        self._hip_ratio = None
        if hip_height is not None and self._hips >= 0:
            up = body_axes(to)[:, 1]
            soles = Soles(to)
            floor = 0.0 if soles.stands or not len(soles) else float((soles.points @ up).min())
            self._hip_ratio = (float(skeleton.heads[self._hips] @ up) - floor) / hip_height

    def pose(self, sent: HumanoidPose, shapes: Mapping[str, float]) -> Pose:
        """The character in the avatar's pose."""
        world = sent.rotations.copy()
        world[0] = quaternions.quat_multiply(sent.root_rotation, sent.rotations[0])
        for bones, above in self._bone_levels:
            world[bones] = quaternions.quat_multiply(world[above], sent.rotations[bones])
        rotations = self._transfer.rotations(world)
        matrices = np.zeros((len(self.skeleton), 4, 4))
        matrices[:, :3, :3] = rotations @ self.skeleton.world_from_joint[:, :3, :3]
        matrices[:, 3, 3] = 1.0
        positions = self.skeleton.heads.copy()
        for level in self._levels:
            reach = np.einsum("jab,jb->ja", rotations[level.above], level.reach)
            positions[level.joints] = positions[level.above] + reach
            if level.has_hips:
                positions[self._hips] = self._hips_at(sent, world[0], rotations[self._hips])
        matrices[:, :3, 3] = positions
        return Pose(matrices, shapes=shapes)

    def _hips_at(self, sent: HumanoidPose, world: FloatArray, rotation: FloatArray) -> FloatArray:
        """Where the hips are, by the middle of the hip sockets where both sides know it."""
        ratio = self._ratio(sent)
        body = self._transfer.body
        root = quaternions.matrix_from_quat(sent.root_rotation)
        hips = sent.positions[0]
        if ratio is None or not np.isfinite(hips).all() or not hips.any():
            rest = self.skeleton.heads[self._hips]
            return body @ (root @ (body.T @ rest) + (ratio or 1.0) * sent.root_position)
        position = sent.root_position + root @ hips
        sockets = sent.positions[_THIGHS].mean(axis=0)
        if self._sockets is None or not np.isfinite(sockets).all() or not sockets.any():
            return body @ (ratio * position)
        position = position + quaternions.matrix_from_quat(world) @ sockets
        return body @ (ratio * position) - rotation @ self._sockets

    def _ratio(self, sent: HumanoidPose) -> float | None:
        if self._hip_ratio is not None:
            return self._hip_ratio
        leg = 0.5 * float(np.linalg.norm(sent.positions[_SHINS_AND_FEET], axis=1).sum())  # NaN where one is not known
        return self._leg / leg if self._leg > 0.0 and _LEGS[0] < leg < _LEGS[1] else None


@dataclass(frozen=True, eq=False)
class _Level:
    """Joints that are posed at once: those that hang, on which, and from there to each at rest (K, 3) [m]."""

    joints: IntArray
    above: IntArray
    reach: FloatArray
    has_hips: bool

    @classmethod
    def from_skeleton(cls, skeleton: Skeleton, level: IntArray, hips: int) -> _Level:
        joints = level[skeleton.parents[level] >= 0]
        above = skeleton.parents[joints]
        return cls(joints, above, skeleton.heads[joints] - skeleton.heads[above], hips in level)
