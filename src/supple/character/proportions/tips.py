"""Where a finger ends: at a joint of its own, or where the skin does."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.proportions.fingers import Finger
from supple.errors import InputError
from supple.geometry.quaternions import normalize

_OWN = 0.5  # of a vertex: skin that the last joint moves more than this is that of the tip


def finger_tip(character: Character, finger: Finger) -> FloatArray:
    """The tip (3,) [m] of a finger: its last joint, or how far its own skin reaches along its last bone."""
    skeleton = character.skeleton
    if finger.tip is not None:
        return np.asarray(skeleton.heads[finger.tip])
    tip = skin_tip(character, list(finger.joints))
    if tip is None:
        last = skeleton.names[finger.joints[-1]]
        raise InputError(
            "finger_tip", f"no skin lies beyond joint {last!r}", "the tip must be known", "add a joint at the tip"
        )
    return tip


def skin_tip(character: Character, joints: list[int]) -> FloatArray | None:
    """How far (3,) [m] the skin of a chain's last joint reaches along its last bone; None where it has none there."""
    weights, heads = character.weights, character.skeleton.heads
    if weights is None:
        return None
    last = joints[-1]
    own = np.flatnonzero((weights.values * (weights.joints == last)).sum(axis=1) > _OWN)
    tails = character.skeleton.tails
    ahead = tails[last] - heads[last] if tails is not None else heads[last] - heads[joints[-2]]
    if not len(own) or not ahead.any():
        return None
    direction = normalize(ahead)
    reach = float(((character.points[own] - heads[last]) @ direction).max())
    return np.asarray(heads[last] + reach * direction) if reach > 0.0 else None
