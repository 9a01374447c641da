"""One motion for several characters that were joined: each plays its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.combine import members_of, rigid
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.motion import Motion

_WHERE = "combine_motions"
_SAME = 1e-5  # of a skeleton's size: how far rest transforms of the same joint may differ
_ROUNDING = 1e-6  # frames


def combine_motions(
    motions: Sequence[Motion | None],
    character: Character,
    *,
    moves: Sequence[ArrayLike] | None = None,
    seconds: float | None = None,
) -> Motion:
    """A motion of a character that `supple.combine` made, in which each of those it was made of plays its own.

    `motions` are in the order of the characters, each made for the character alone; None is one that stays at rest.
    They are carried to where joining has put their characters, or each by one of `moves`, a way (3,) [m] or a rigid
    transform (4, 4). Zeros play a motion where it is, as people who were captured together need.

    All start together. The result is as long as the longest of them, or `seconds`. A motion that loops starts over
    until then, by its stride; one that does not holds its last key. Keys come as often as in the motion with the most
    keys a second: motions of that rate keep their keys, others are sampled between theirs. The result loops where all
    of them loop after the same time, by the same stride, and no `seconds` were given. Shares of shapes go by the names
    that joining gave the shapes.
    """
    members = members_of(character.skeleton)
    clips = tuple(motions)
    for count, what in ((len(clips), "motions"), (len(clips if moves is None else moves), "moves")):
        if count != len(members):
            raise InputError(
                _WHERE,
                f"there are {count} {what}",
                f"{character.name} is made of {', '.join(members)}",
                "pass one for each; None stays at rest, zeros move nowhere",
            )
    if seconds is not None and not (np.isfinite(seconds) and seconds >= 0.0):
        raise InputError(_WHERE, f"seconds is {seconds}", "zero or more are needed", "pass how long it lasts")
    played = []
    for number, (clip, (name, joints)) in enumerate(zip(clips, members.items(), strict=True)):
        alone = _alone(character.skeleton, joints, name)
        if clip is None:
            played.append(_resting(alone))
            continue
        alone.check_same(clip.skeleton, _WHERE)
        carry = _way_to(alone, clip, name) if moves is None else rigid(moves[number], _WHERE, f"move {number}")
        played.append(_carry(clip, alone, carry))
    moving = [one for one, clip in zip(played, clips, strict=True) if clip is not None]
    fps = max((one.fps for one in moving), default=60.0)
    length = max((one.duration for one in moving), default=0.0) if seconds is None else seconds
    times = np.arange(int(np.ceil(length * fps - _ROUNDING)) + 1) / fps
    keys = [_keys(one, times) for one in played]
    positions, rotations = (np.concatenate([key[which] for key in keys], axis=1) for which in range(2))
    scales = None
    if any(one.scales is not None for one in played):
        scales = np.concatenate([key[2] for key in keys], axis=1)
    loops = seconds is None and _loop_together(played, clips)
    return Motion(
        character.skeleton,
        fps,
        positions,
        rotations,
        scales,
        name=" and ".join(one.name for one in moving) or "rest",
        loop=loops,
        stride=moving[0].stride if loops else None,
        shapes={
            f"{name}.{shape}": weights
            for name, key in zip(members, keys, strict=True)
            for shape, weights in key[3].items()
        },
    )


joined_motions = combine_motions
"""What `combine_motions` was called before."""


def _alone(skeleton: Skeleton, joints: slice, name: str) -> Skeleton:
    """The joints of one character, called as it calls them."""
    names = tuple(full.removeprefix(f"{name}.") for full in skeleton.names[joints])
    parents = skeleton.parents[joints]
    return Skeleton(names, np.where(parents < 0, -1, parents - joints.start), skeleton.world_from_joint[joints])


def _resting(alone: Skeleton) -> Motion:
    """One key at rest."""
    moves, rotations, scales = quaternions.decompose(alone.parent_from_joint)
    return Motion(alone, 1.0, moves[None], rotations[None], scales[None])


def _way_to(alone: Skeleton, clip: Motion, name: str) -> FloatArray:
    """The transform (4, 4) that takes a motion's rest to where that of its character stands among others."""
    root = int(clip.skeleton.levels[0][0])
    carry: FloatArray = alone.world_from_joint[root] @ clip.skeleton.joint_from_world[root]
    size = max(float(np.ptp(alone.heads, axis=0).max()), 1.0)
    if np.abs(carry @ clip.skeleton.world_from_joint - alone.world_from_joint).max() > _SAME * size:
        raise InputError(
            _WHERE,
            f"the motion {clip.name!r} is of a skeleton with another rest pose than {name}",
            "where it is to be played is seen from the rest poses",
            "say where with moves, or put it on the character first: motion.retarget(character)",
        )
    return carry


def _carry(clip: Motion, alone: Skeleton, carry: FloatArray) -> Motion:
    """A motion taken elsewhere by a rigid transform."""
    roots = alone.parents < 0
    moves, rotations = clip.translations.copy(), clip.rotations.copy()
    moves[:, roots] = moves[:, roots] @ carry[:3, :3].T + carry[:3, 3]
    rotations[:, roots] = quaternions.quat_multiply(quaternions.quat_from_matrix(carry[:3, :3]), rotations[:, roots])
    stride = None if clip.stride is None else carry[:3, :3] @ clip.stride
    return clip.replace(skeleton=alone, translations=moves, rotations=rotations, stride=stride)


def _keys(motion: Motion, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, Mapping[str, FloatArray]]:
    """Moves, turns, scales and shares of shapes of a motion at times; the end of a loop is its last key."""
    whole, last = motion.frames - 1, max(motion.frames - 2, 0)
    position = times * motion.fps
    near = np.round(position)
    position = np.where(np.abs(position - near) < _ROUNDING, near, position)
    laps = np.zeros(len(times))
    if motion.loop and whole > 0:
        laps = np.maximum(np.ceil(position / whole) - 1.0, 0.0)
    position = np.clip(position - laps * whole, 0.0, whole)
    first = np.minimum(position.astype(int), last)
    then = np.minimum(first + 1, whole)
    fraction = (position - first)[:, None]

    def blended(keys: FloatArray) -> FloatArray:
        return keys[first] + fraction[..., None] * (keys[then] - keys[first])

    moves = blended(motion.translations)
    if motion.stride is not None:
        moves[:, motion.skeleton.parents < 0] += laps[:, None, None] * motion.stride
    rotations = quaternions.slerp(motion.rotations[first], motion.rotations[then], fraction)
    scales = np.ones_like(moves) if motion.scales is None else blended(motion.scales)
    shapes = {name: np.interp(position, np.arange(motion.frames), weights) for name, weights in motion.shapes.items()}
    return moves, rotations, scales, shapes


def _loop_together(played: Sequence[Motion], clips: Sequence[Motion | None]) -> bool:
    """Whether all start over at one time, having gone one way; who rests goes nowhere."""
    moving = [one for one, clip in zip(played, clips, strict=True) if clip is not None]
    if not moving or not all(one.loop for one in moving):
        return False
    strides = np.array([np.zeros(3) if one.stride is None else one.stride for one in played])
    lengths = np.array([one.duration for one in moving])
    return bool(np.ptp(lengths) < _ROUNDING and np.ptp(strides, axis=0).max() < _ROUNDING)
