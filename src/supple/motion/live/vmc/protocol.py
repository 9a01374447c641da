"""The VMC protocol: what the messages of a motion capture or avatar program say about bones, shapes and time.

Programs send the pose of an avatar as the humanoid bones of Unity: positions [m] and rotations of each bone relative to
the one above, left-handed with y up, the avatar looking along z. Here they are turned into our axes at the door. The
avatar looks along z in both, so its left and right trade signs: with M = diag(-1, 1, 1), a position p becomes M p and
a rotation R becomes M R M, which for a quaternion is (x, -y, -z, w).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from supple.arrays import FloatArray
from supple.motion.live.vmc.osc import Argument, Message

FARTHEST = 1000.0  # m; nobody acts farther away than that
BONES = (
    "Hips", "Spine", "Chest", "UpperChest", "Neck", "Head", "Jaw",
    *(f"{side}{part}" for side in ("Left", "Right") for part in (
        "Eye", "Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes",
        *(f"{finger}{piece}" for finger in ("Thumb", "Index", "Middle", "Ring", "Little")
          for piece in ("Proximal", "Intermediate", "Distal")))),
)  # fmt: skip
"""The 55 bones of Unity's humanoid, by the names under which they are sent."""

_NUMBER_OF = {name.lower(): number for number, name in enumerate(BONES)}
_OTHERS = ("/VMC/Ext/OK", "/VMC/Ext/Blend/Apply")
_MAX_WEIGHT = 100.0  # of a shape; one is all of it
_MIRROR_POSITION, _MIRROR_ROTATION = np.array([-1.0, 1.0, 1.0]), np.array([1.0, -1.0, -1.0, 1.0])
_LEAST_ROTATION = 1e-3  # length of a quaternion below which its direction is rounding


@dataclass
class Said:
    """What one datagram says, in our axes: `turns` x y z w and `places` [m] by bone number, of the root, and shapes."""

    time: float | None = None
    rotations: dict[int, FloatArray] = field(default_factory=dict)
    positions: dict[int, FloatArray] = field(default_factory=dict)
    root: tuple[FloatArray, FloatArray] | None = None
    shapes: dict[str, float] = field(default_factory=dict)
    apply: bool = False


def understood(messages: Iterable[Message], dropped: Counter[str]) -> Said:
    """What the messages say. Those that cannot be used are left out and counted in `dropped` under a reason.

    The reasons: "arguments" (too few or of other kinds), "not a number" (not finite, or a rotation of length zero),
    "too far", "unknown bone", "unknown address". Arguments beyond those that are known are ignored, as the protocol
    wants it.
    """
    said = Said()
    for message in messages:
        reason = _take(message, said)
        if reason:
            dropped[reason] += 1
    return said


def mirrored_position(position: FloatArray) -> FloatArray:
    """A position (..., 3) from Unity's axes to ours, or back."""
    return np.asarray(position * _MIRROR_POSITION)


def mirrored_rotation(rotation: FloatArray) -> FloatArray:
    """A quaternion (..., 4) from Unity's axes to ours, or back."""
    return np.asarray(rotation * _MIRROR_ROTATION)


def _take(message: Message, said: Said) -> str:
    """Add one message to `said`, or say why not."""
    address, given = message.address, message.arguments
    if address == "/VMC/Ext/Bone/Pos":
        transform = _transform(given)
        if isinstance(transform, str):
            return transform
        bone = _NUMBER_OF.get(str(given[0]).lower())
        if bone is None:
            return "unknown bone"
        said.positions[bone], said.rotations[bone] = transform
    elif address == "/VMC/Ext/Root/Pos":
        transform = _transform(given)
        if isinstance(transform, str):
            return transform
        said.root = transform
    elif address == "/VMC/Ext/T":
        return _take_time(given, said)
    elif address == "/VMC/Ext/Blend/Val":
        return _take_shape(given, said)
    elif address not in _OTHERS:
        return "unknown address"
    said.apply = said.apply or address == "/VMC/Ext/Blend/Apply"
    return ""


def _take_time(given: tuple[Argument, ...], said: Said) -> str:
    time = _number(given[0]) if given else None
    if time is None:
        return "arguments"
    if not math.isfinite(time):
        return "not a number"
    said.time = time
    return ""


def _take_shape(given: tuple[Argument, ...], said: Said) -> str:
    weight = _number(given[1]) if len(given) >= 2 else None
    if weight is None or not isinstance(given[0], str):
        return "arguments"
    if not math.isfinite(weight):
        return "not a number"
    if abs(weight) > _MAX_WEIGHT:
        return "too far"
    said.shapes[given[0]] = weight
    return ""


def _transform(given: tuple[Argument, ...]) -> tuple[FloatArray, FloatArray] | str:
    """Place and unit quaternion of "name px py pz qx qy qz qw ...", or why there is none."""
    numbers = [number for number in map(_number, given[1:8]) if number is not None]
    if len(numbers) < 7 or not isinstance(given[0], str):
        return "arguments"
    length = math.hypot(*numbers[3:])
    if not (all(map(math.isfinite, numbers)) and math.isfinite(length) and length > _LEAST_ROTATION):
        return "not a number"
    if max(map(abs, numbers[:3])) > FARTHEST:
        return "too far"
    return mirrored_position(np.array(numbers[:3])), mirrored_rotation(np.array(numbers[3:]) / length)


def _number(argument: Argument) -> float | None:
    return float(argument) if isinstance(argument, int | float) and not isinstance(argument, bool) else None
