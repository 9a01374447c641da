"""How two rest poses differ: turns that bring the bones of one to the directions of the other."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.humanoid import SIDES, Anatomy, body_axes
from supple.geometry import quaternions
from supple.motion.retarget.matching import Follow

# Bones whose direction in the world is what one sees; where each ends.
_ALIGNED = {"upper arm": "lower arm", "lower arm": "hand", "upper leg": "lower leg", "lower leg": "foot"}


def rest_alignments(source: Anatomy, target: Anatomy, pairs: dict[int, Follow]) -> dict[int, FloatArray]:
    """For every matched target joint the turn (3, 3) from its rest to the rest of its source.

    With A so that A d_target = d_source for the rest directions d of a bone, a source turned by D from its rest
    shows the direction D d_source, and so does a target turned by D A. Arms and legs are aligned by direction; hands
    go along with their forearms; feet by heading alone, because both stand flat at rest; the trunk, the shoulders and
    the head by the axes of the body, so that a character keeps its own posture.
    """
    axes_source, axes_target = body_axes(source), body_axes(target)
    body = axes_source @ axes_target.T
    up = axes_source[:, 1]
    ends = _ends(source, target, pairs)
    found: dict[int, FloatArray] = {}
    for level in target.skeleton.levels:
        for joint in level.tolist():
            if joint not in pairs:
                continue
            part = pairs[joint].part
            side, _, kind = part.partition(" ")
            above = _matched_above(target, joint, pairs)
            along = body
            if joint in ends:
                to, of = ends[joint]
                if kind == "foot":
                    to, of = body @ to, of
                    to, of = to - (to @ up) * up, of - (of @ up) * up
                    along = _rotation(to, of) @ body
                elif kind in _ALIGNED or part == "":
                    along = _rotation(body @ to, of) @ body
            elif above is not None and side in SIDES and kind not in ("shoulder", "upper arm", "upper leg", "foot"):
                along = found[above]
            found[joint] = along
    return found


def _rotation(start: FloatArray, end: FloatArray) -> FloatArray:
    if np.linalg.norm(start) < 1e-9 or np.linalg.norm(end) < 1e-9:
        return np.eye(3)
    return quaternions.matrix_from_quat(quaternions.rotation_between(start, end))


def _ends(source: Anatomy, target: Anatomy, pairs: dict[int, Follow]) -> dict[int, tuple[FloatArray, FloatArray]]:
    """Rest directions of matched bones: (target's, source's), to the next matched joint down the limb."""
    at = {(follow.part, follow.source): joint for joint, follow in pairs.items()}
    by_part = {part: joint for (part, _), joint in at.items()}
    found = {}
    for joint, follow in pairs.items():
        side, _, kind = follow.part.partition(" ")
        after = None
        if kind == "foot":
            after = by_part.get(f"{side} toes")
        elif kind in _ALIGNED:
            after = by_part.get(f"{side} {_ALIGNED[kind]}")
        elif follow.part == "":
            below = [low for low in pairs if _matched_above(target, low, pairs) == joint]
            after = below[0] if len(below) == 1 else None
        elif kind not in ("foot", *_ALIGNED):
            continue
        if after is not None:
            to = target.skeleton.heads[after] - target.skeleton.heads[joint]
            of = source.skeleton.heads[pairs[after].source] - source.skeleton.heads[follow.source]
        elif kind:
            to = target.ends[joint] - target.skeleton.heads[joint]
            of = source.ends[follow.source] - source.skeleton.heads[follow.source]
        else:
            continue
        if np.linalg.norm(to) > 1e-9 and np.linalg.norm(of) > 1e-9:
            found[joint] = (to, of)
    return found


def _matched_above(target: Anatomy, joint: int, pairs: dict[int, Follow]) -> int | None:
    above = int(target.skeleton.parents[joint])
    while above >= 0 and above not in pairs:
        above = int(target.skeleton.parents[above])
    return above if above >= 0 else None
