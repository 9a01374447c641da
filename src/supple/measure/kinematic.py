"""What linear blend makes of the same poses: the skin that all others are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.skins.kinematic.linear_blend import LinearBlend


def kinematic_frames(character: Character, poses: Iterable[Pose]) -> Iterator[Float32Array]:
    """The linear blend (V, 3) [m] of every pose, one after another; each is overwritten by the next."""
    skin = LinearBlend()
    binding = skin.bind(character, "cpu")
    state = skin.allocate(binding)
    for pose in poses:
        yield devices.to_host(skin.deform(binding, state, pose, None))


def deviation_from_kinematic(
    character: Character, points: Float32Array, poses: Iterable[Pose], *, into: Float32Array
) -> Float32Array:
    """Fill `into` (F, V, 3) with how far every vertex is from the linear blend of the same pose, as a vector [m]."""
    for frame, kinematic in enumerate(kinematic_frames(character, poses)):
        np.subtract(points[frame], kinematic, out=into[frame])
    return into
