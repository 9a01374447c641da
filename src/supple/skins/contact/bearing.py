"""Muscles that carry the weight of the body: control knows what gravity will do and meets it before it shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.arrays import Bools, Floats
from supple.skins.contact.dynamics import Mechanism, State
from supple.skins.contact.tracking import Targets


class Bearing:
    """Adds to targets what holds the body up against gravity.

    With m and c the mass and the centre of all that hangs on a joint at p, the joint needs the torque

        t = -(c - p) x m g,

    which control gives when it is asked for the further speed t / d, d its damping. A limp joint (d = 0) bears nothing.
    Roots bear the whole body in the same way.
    """

    def __init__(self, mechanism: Mechanism, gravity: Floats) -> None:
        self._mechanism, self._gravity = mechanism, gravity
        parents = np.full(mechanism.link_count, -1)
        parents[mechanism.joints.children] = mechanism.joints.parents
        self._hanging: Bools = np.eye(mechanism.link_count, dtype=bool)  # row i: all that hangs on link i
        for link in range(mechanism.link_count):
            above = int(parents[link])
            while above >= 0:
                self._hanging[above, link] = True
                above = int(parents[above])

    def added(self, targets: Targets, state: State) -> Targets:
        """The targets, with the weight of a body in this state met."""
        mechanism, joints, roots = self._mechanism, self._mechanism.joints, self._mechanism.roots
        masses = self._hanging @ mechanism.link_masses
        centres = self._hanging @ (mechanism.link_masses[:, None] * state.places) / masses[:, None]
        ends = np.einsum("cab,cb->ca", state.turns[joints.children], joints.pivots - mechanism.centres[joints.children])
        lift = -masses[:, None] * self._gravity
        arms = centres[joints.children] - (state.places[joints.children] + ends)
        torques = np.einsum("cba,cb->ca", state.turns[joints.children], np.cross(arms, lift[joints.children]))
        moving, turning = targets.root_gains[:, 1], targets.root_gains[:, 3]
        round_root = np.cross(centres[roots] - state.places[roots], lift[roots])
        return replace(
            targets,
            spins=targets.spins + _shared(torques, targets.damping),
            root_velocities=targets.root_velocities + _shared(lift[roots], moving),
            root_spins=targets.root_spins + _shared(round_root, turning),
        )


def _shared(loads: Floats, dampings: Floats) -> Floats:
    """Loads over dampings; nothing where there is no damping."""
    there = dampings > 0.0
    result: Floats = np.where(there[:, None], loads / np.where(there, dampings, 1.0)[:, None], 0.0)
    return result
