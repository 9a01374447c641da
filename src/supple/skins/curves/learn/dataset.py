"""What training is told, as curves see it: offsets from a kinematic skin at rest, of vertices and of nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.skins.curves.learn.radial_space import Drivers, joint_rotations
from supple.skins.curves.network.transfer import Transfer
from supple.skins.examples import BASE_SKINS, HostSkin, SkinExamples, blend_rotations


@dataclass(frozen=True, eq=False)
class CurveDataset:
    """The frames as the curves see them: offsets from the base at rest, of vertices and of nodes, and joints' turns."""

    offsets: FloatArray  # (F, V, 3)
    nodes: FloatArray  # (F, n, 3)
    rotations: FloatArray  # (F, K, 3)

    @classmethod
    def from_examples(
        cls,
        character: Character,
        examples: SkinExamples,
        transfer: Transfer,
        drivers: Drivers,
        *,
        base: str,
        watch: Callable[[int], None] | None = None,
    ) -> Self:
        below, weights = HostSkin(BASE_SKINS[base](), character), character.require_weights("fit_curves")
        offsets, nodes, rotations = [], [], []
        for frame, (pose, points) in enumerate(zip(examples.poses, examples.points, strict=True)):
            if watch is not None:
                watch(frame)
            back = blend_rotations(pose.skinning(character.skeleton), weights)
            offset = np.einsum("vji,vj->vi", back, points.astype(np.float64) - below(pose))
            offsets.append(offset)
            nodes.append(transfer.fit(offset))
            rotations.append(drivers.rotation_vectors(joint_rotations(pose, character.skeleton)))
        return cls(np.stack(offsets), np.stack(nodes), np.stack(rotations))
