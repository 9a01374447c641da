"""Kinematic skins posed on the host, for training: the skin below the curves, and teachers that need no memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.skins.base import AnySkin, Skin
from supple.skins.kinematic.delta_mush import DeltaMush
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters

BASE_SKINS: dict[str, type[Skin[Any, Any]]] = {kind.command_name: kind for kind in (LinearBlend, DualQuaternion)}
TEACHERS: dict[str, type[Skin[Any, Any]]] = {
    kind.command_name: kind for kind in (DeltaMush, RotationCenters, DualQuaternion, LinearBlend)
}


class Posed:
    """A kinematic skin, with whatever it stands on, ready to pose one character."""

    def __init__(self, skin: AnySkin, character: Character) -> None:
        self._stages: list[tuple[Skin[Any, Any], Any, Any]] = []
        stage: AnySkin | None = skin
        while isinstance(stage, Skin):
            binding = stage.bind(character, "cpu")
            self._stages.insert(0, (stage, binding, stage.allocate(binding)))
            stage = stage.base_skin()

    def __call__(self, pose: Pose) -> Floats:
        """The skin (V, 3) [m] in a pose."""
        points = None
        for skin, binding, state in self._stages:
            points = skin.deform(binding, state, pose, points)
        return devices.to_host(points).astype(np.float64)
