"""A closed skin brought back to the volume it had at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.shapes import Shaped
from supple.geometry import topology
from supple.geometry.rows import grouped
from supple.motion.pose import Pose


class VolumeKeeper:
    """Moves a closed skin a little along its normals, so that it encloses exactly its rest volume.

    Elements that almost keep their volume leave an error of a few parts in a hundred in hard poses, which is a
    millimetre on a human. It is spread over the skin in proportion to the depth of flesh, so that fingers and ears are
    left alone; of a crowd, copy by copy. A skin with a hole in it encloses nothing and is not moved.
    """

    def __init__(self, character: Character, depth: Floats, points: Any, *, device: str) -> None:
        one = character.member if isinstance(character, Crowd) else character
        census = topology.census(one.triangles)
        self.active = census.border_edges == 0 and census.flipped_edges == 0
        if not self.active:
            return
        wp = devices.warp()
        self._one, self._device = one, device
        self._copies = len(character.points) // len(one.points)
        self._shaped = Shaped(one.points, one.shapes)
        count = len(character.points)
        thickness = (depth / max(float(depth.mean()), 1e-12)).astype(np.float32)
        self._origins = wp.zeros(self._copies, dtype=wp.vec3f, device=device)
        self._terms = [wp.empty(count, dtype=wp.float32, device=device) for _ in range(2)]
        self._sums = devices.to_device(self._begun(one.points).astype(np.float32), wp.float32, device)
        self._record(character.triangles, thickness, points)

    def _record(self, faces: Ints, thickness: Singles, points: Any) -> None:
        from supple.geometry import kernels as geometry
        from supple.skins.kinematic import volume_kernels as kernels

        wp, device, count, each = devices.warp(), self._device, len(points), len(points) // self._copies
        starts, corners = grouped(faces.reshape(-1), count)
        layout = [devices.to_device(a, wp.int32, device) for a in (starts, (corners // 3).astype(np.int32))]
        areas = wp.empty(len(faces), dtype=wp.vec3f, device=device)
        ways = wp.empty(count, dtype=wp.vec3f, device=device)
        on_device = devices.to_device(faces, wp.vec3i, device)
        factors = devices.to_device(thickness, wp.float32, device)
        inputs = [*layout, areas, factors, each, self._origins, points, ways, *self._terms, self._sums]
        self._measure = [
            devices.Launch(geometry.area_vectors, len(faces), [points, on_device, areas], device),
            devices.Launch(kernels.volume_terms, count, inputs, device),
        ]
        if device != "cpu":  # there one launch adds up; here threads would step on each other's sums
            pieces = -(-each // kernels.PIECE)
            inputs = [each, pieces, *self._terms, self._sums]
            self._measure.append(devices.Launch(kernels.add_terms, self._copies * pieces, inputs, device))
        self._inflate = devices.Launch(kernels.inflate, count, [each, self._sums, ways, points], device)

    def set(self, pose: Pose) -> None:
        """Take from a pose what the volume of its shapes (morph targets) is, and where the copies are."""
        if not self.active:
            return
        points = self._shaped.changed(pose.shapes)
        if points is not None:
            devices.write(self._sums, self._begun(points))
        devices.write(self._origins, pose.world_from_joint[:: len(pose) // self._copies, :3, 3])

    def _begun(self, rest_points: Floats) -> Floats:
        """The sums before anything is added up (3 for every copy): what the volume shall be, then what it is."""
        return np.tile([topology.signed_volume(rest_points, self._one.triangles), 0.0, 0.0], self._copies)

    def keep(self) -> None:
        """Bring the skin to the volume of its rest shape."""
        if not self.active:
            return
        for stage in self._measure:
            stage()
        if self._device == "cpu":
            sums = self._sums.numpy().reshape(self._copies, 3)
            for place, term in enumerate(self._terms, start=1):
                sums[:, place] = term.numpy().reshape(self._copies, -1).sum(axis=1, dtype=np.float64)
        self._inflate()
