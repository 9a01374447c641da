"""What a soft character feels, read off its skin: forces on every vertex, how hard it is pressed, and by what."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.geometry.topology import ring_areas
from supple.skins.contact.dynamics.solver import CondensedSolver
from supple.skins.contact.response.contact_set import ContactImpulses, ContactSet
from supple.skins.contact.surface import SkinAttachment
from supple.skins.contact_events import Records, pair_records


class SkinReadings:
    """Spreads what the nodes of one character felt in a step of its solver over the vertices of its skin.

    What presses nodes that no vertex hangs on is not seen.
    """

    def __init__(
        self, character: Character, attachment: SkinAttachment, cells: IntArray, solver: CondensedSolver
    ) -> None:
        from supple.skins.contact import reading_kernels as kernels

        wp, device, nodes = devices.warp(), solver.device, solver.nodes
        count, every, width = len(character.points), len(solver.mechanism.rest), attachment.nodes.shape[1]
        areas = ring_areas(character.points, character.triangles) / 6.0

        def put(values: Any, kind: Any) -> Any:
            return devices.to_device(np.asarray(values), kind, device)

        self._dt, self._every, self._cells = solver.dt, every, cells
        self._cell_areas = np.maximum(np.bincount(cells, areas, minlength=len(areas)), 1e-12)
        self._outer, self._forces = (wp.zeros(every, dtype=wp.vec3d, device=device) for _ in range(2))
        self._pressed = wp.zeros(every, dtype=wp.float64, device=device)
        self._on_skin = wp.zeros(count, dtype=wp.vec3f, device=device)
        self._pressure = wp.zeros(count, dtype=wp.float32, device=device)
        spread = [
            width,
            put(attachment.nodes.ravel(), wp.int32),
            put(_densities(attachment, areas, every).ravel(), wp.float32),
        ]
        elastic = [nodes.blended_rotations, nodes.elastic_forces, self._outer, self._forces]
        over_skin = [*spread, put(areas.astype(np.float32), wp.float32), self._forces, self._on_skin]
        self._add_elastic = devices.Launch(kernels.add_elastic_forces, nodes.free, elastic, device)
        self._spread_forces = devices.Launch(kernels.spread_forces, count, over_skin, device)
        self._spread_pressure = devices.Launch(
            kernels.spread_pressure, count, [*spread, self._pressed, self._pressure], device
        )

    def forces(self, touched: tuple[ContactSet, ContactImpulses] | None, hands: FloatArray) -> Any:
        """The force on every vertex (V,) [N]: of elastic flesh, of contacts, and of hands, (N, 3) [N s] on nodes."""
        impulses = hands
        if touched is not None:
            contacts, found = touched
            given = (contacts.weights[:, :, None] * found.impulses[:, None]).reshape(-1, 3)
            inner = contacts.nodes.ravel() < self._every
            np.add.at(impulses, contacts.nodes.ravel()[inner], given[inner])
        devices.write(self._outer, impulses / self._dt)
        devices.write(self._forces, impulses / self._dt)
        self._add_elastic()
        self._spread_forces()
        if touched is not None and not inner.all():
            outer = devices.to_host(self._on_skin).copy()
            np.add.at(outer, contacts.nodes.ravel()[~inner] - self._every, given[~inner].astype(np.float32) / self._dt)
            devices.write(self._on_skin, outer)
        return self._on_skin

    def pressure(self, pressed: FloatArray) -> Any:
        """How hard every vertex (V,) is pressed [Pa], where points (N + V,) were `pressed` [N s] in the step.

        One vertex of a cell presses for all of them.
        """
        pressed, outer = np.split(pressed, [self._every])
        devices.write(self._pressed, pressed / self._dt)
        self._spread_pressure()
        if outer.any():
            of_cells = np.bincount(self._cells, outer, minlength=len(outer)) / (self._dt * self._cell_areas)
            found = devices.to_host(self._pressure) + of_cells[self._cells]
            devices.write(self._pressure, found.astype(np.float32))
        return self._pressure


def press_points(pressed: FloatArray, contacts: ContactSet, found: ContactImpulses) -> None:
    """How hard nodes and vertices (N + V,) [N s] were pressed, whichever side of a contact they are on."""
    pressed[...] = 0.0
    given = np.abs(contacts.weights) * found.normal_impulses[:, None]
    given *= (contacts.nodes != contacts.nodes[:, :1]) | (np.arange(contacts.nodes.shape[1]) == 0)
    np.add.at(pressed, contacts.nodes.ravel(), given.ravel())


def touched_pairs(contacts: ContactSet, found: ContactImpulses, joint_of: IntArray) -> Records:
    """What was touched, one record for every pair: each point (N + V,) is flesh of the joint `joint_of` it."""
    joints, skin = joint_of[contacts.nodes[:, 0]], contacts.obstacles < 0
    others = np.where(skin, -1 - joint_of[contacts.nodes[:, 1]], contacts.obstacles)
    return pair_records(joints, others, contacts.points, found.impulses)


def _densities(attachment: SkinAttachment, areas: FloatArray, nodes: int) -> Float32Array:
    """s / a (V, K) [1/m²]: how the skin areas of nodes are shared by vertices."""
    shares = np.maximum(attachment.weights, 0.0)
    whole = np.bincount(attachment.nodes.ravel(), (shares * areas[:, None]).ravel(), nodes)
    found: Float32Array = (shares / np.where(whole > 0.0, whole, 1.0)[attachment.nodes]).astype(np.float32)
    return found
