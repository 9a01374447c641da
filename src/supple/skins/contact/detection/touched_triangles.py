"""Obstacles that meet triangles of the skin between their corners: fingers, rods, and corners of boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import IntArray
from supple.device import HostSide
from supple.skins.contact.detection.detected_contacts import DetectedContacts

if TYPE_CHECKING:
    from supple.skins.contact.detection.detector import CollisionDetector

GAIN = 2e-4  # of the body's largest side: how much deeper than its corners a triangle has to be


class TouchedTriangles:
    """Finds where obstacles come nearer to a triangle of the skin than to its corners.

    Limits: a thin obstacle that goes through a triangle within one step is not met on its way.
    """

    def __init__(self, skin: CollisionDetector, *, room: int, chosen: Any, node_gaps: Any) -> None:
        """For up to `room` obstacles, `chosen` on the device, of which nodes are known to have `node_gaps`."""
        from supple.skins.contact.detection import triangle_kernels as kernels

        wp, on, device = devices.warp(), skin.bodies, skin.device
        self._skin, self._margin, self._count = skin, skin.margin, len(skin.triangles)
        extents = np.array([body.extent for body in on.bodies])
        self._ended = np.isfinite(extents).all(axis=(1, 2))
        widths = np.where(np.isfinite(extents), extents, 0.0)
        halves = 0.5 * (widths[:, 1] - widths[:, 0]).min(axis=1)
        surface, bodies, found = kernels.TriangleSkin(), kernels.MetBodies(), kernels.TriangleContacts()
        surface.patch_of, surface.triangles = skin.kdops.device_patch_of, skin.device_triangles
        surface.points, surface.before, surface.node_gaps = skin.points, skin.before, node_gaps
        bodies.kinds, bodies.sizes, bodies.meshes = on.kinds, on.sizes, on.meshes
        bodies.halves = devices.to_device(halves, wp.float32, device)
        bodies.now, bodies.earlier = on.now, on.earlier
        kinds = {"gaps": wp.float32, "normals": wp.vec3f, "velocities": wp.vec3f, "barycentric": wp.vec3f}
        for name, kind in kinds.items():
            setattr(found, name, wp.zeros(room * self._count, dtype=kind, device=device))
        gain = GAIN * skin.side
        inputs = [chosen, skin.near_flags, skin.margin, gain, skin.per_time, on.reach, surface, bodies, found]
        self._launch = devices.Launch(kernels.narrow_phase_triangles, room * self._count, inputs, device, smallest=1024)
        self._gaps, self._normals, self._velocities, self._barycentric = (
            HostSide(getattr(found, name)) for name in kinds
        )

    def contacts(self, near: IntArray) -> DetectedContacts:
        """Contacts with these obstacles, those that were chosen, after nodes were looked at."""
        if not self._ended[near].any():
            return DetectedContacts.none()
        self._launch()
        gaps = self._gaps.read()
        hit = np.flatnonzero(gaps[: len(near) * self._count] < self._margin)
        if not len(hit):
            return DetectedContacts.none()
        row, face = np.divmod(hit, self._count)
        barycentric, corners = self._barycentric.read()[hit], self._skin.triangles[face]
        order = np.argsort(-barycentric, axis=1, kind="stable")
        return DetectedContacts.with_obstacles(
            np.take_along_axis(corners, order[:, :1], axis=1)[:, 0],
            self._normals.read()[hit],
            gaps[hit],
            near[row].astype(np.int32),
            self._velocities.read()[hit],
            self._skin.frictions[near[row]],
            within=(
                np.take_along_axis(corners, order, axis=1),
                np.take_along_axis(barycentric, order, axis=1),
                (len(self._skin) + face).astype(np.int32),
            ),
        )
