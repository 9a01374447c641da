"""The skin over the lattice: it goes along with the voxels it hangs on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.morph_targets import MorphTargets
from supple.motion.pose import Pose
from supple.skins.lattice.binding import LatticeBinding
from supple.skins.lattice.shape_matching.solver import Solver


class Surface:
    """A character's skin on a device.

    `alone`: the skin follows from the lattice alone, and takes nothing from the kinematic skin below.
    """

    def __init__(self, binding: LatticeBinding, solver: Solver, *, alone: bool) -> None:
        from supple.skins.kinematic.kernels import mat34

        wp, constants = devices.warp(), binding.constants
        character, embedding = binding.character, binding.embedding
        self._solver, self._count, self._each = solver, len(character.points), len(character.points) // solver.copies
        self.embedding_width, blocks = embedding.width, len(embedding.nodes) // len(character.points)
        self._packed = [blocks, constants.put(embedding.nodes, wp.vec4i), constants.put(embedding.weights, wp.vec4f)]
        self._looseness = constants.blank(self._count, wp.float32)
        self._rest = _Rest(character, constants.device) if alone else None
        self._transforms = constants.blank(solver.count, mat34)
        self.points = constants.blank(self._count, wp.vec3f)

    def set(self, pose: Pose) -> None:
        """Take the shapes (morph targets) of a pose; a kinematic skin below knows them already."""
        if self._rest is not None:
            self._rest.set(pose)

    def loosen(self, looseness: FloatArray) -> None:
        """Let every vertex (V,) of all copies go along with the flesh by so much, 0 to 1, and with its bones else."""
        devices.write(self._looseness, looseness)

    def interpolate(self, forces: Any, on_skin: Any) -> devices.Launch:
        """Recorded: forces (N,) of nodes as those (V,) of vertices, both on the device."""
        from supple.skins.lattice import surface_kernels as kernels

        inputs = [*self._packed, forces, on_skin]
        return devices.Launch(kernels.interpolate_forces, self._count, inputs, self._solver.device)

    def exchange(self, shapes: Mapping[str, FloatArray]) -> None:
        """Take other shapes from the next step on."""
        if self._rest is not None:
            self._rest.exchange(shapes)

    def follow(self, incoming: Any) -> list[devices.Launch]:
        """Recorded: the skin of the step, from where the bones alone carry it."""
        from supple.skins.lattice import surface_kernels as kernels

        flesh, device = self._solver, self._solver.device
        embedded = [self._each, *self._packed, flesh.origins, self._transforms]
        if self._rest is not None:
            nodes = [flesh.blend.rest, flesh.frames, flesh.rotations, flesh.positions, self._transforms]
            return [
                devices.Launch(kernels.compute_node_transforms, flesh.count, nodes, device),
                devices.Launch(
                    kernels.interpolate_skin, self._count, [*embedded, self._rest.points, self.points], device
                ),
            ]
        nodes = [flesh.side, flesh.chains, flesh.kinematic, flesh.frames, flesh.positions, self._transforms]
        return [
            devices.Launch(kernels.compute_offset_transforms, flesh.count, nodes, device),
            devices.Launch(
                kernels.offset_skin,
                self._count,
                [*embedded, self._looseness, flesh.external, incoming, self.points],
                device,
            ),
        ]


class _Rest:
    """The skin at rest in the shapes (morph targets) of a pose, on a device."""

    def __init__(self, character: Character, device: str) -> None:
        self._morph_targets = MorphTargets(character.points, character.shapes)
        self.points = devices.to_device(character.points.astype(np.float32), devices.warp().vec3f, device)

    def exchange(self, shapes: Mapping[str, FloatArray]) -> None:
        self._morph_targets.exchange(shapes)

    def set(self, pose: Pose) -> None:
        rest = self._morph_targets.update(pose.shapes)
        if rest is not None:
            devices.write(self.points, rest)
