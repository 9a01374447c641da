"""Bodies that nobody leads: they fall, fly, spin, and take the pushes they are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry import quaternions
from supple.obstacles.inertia import mass_properties
from supple.obstacles.shapes import RigidBody

GRAVITY = (0.0, -9.81, 0.0)  # [m/s²]


class DynamicBodies:
    """The free ones (B,) among `bodies`, with a memory: where they are and how they move.

    `indices` (B,) says which of `bodies` they are. Between pushes they keep their momenta, so a thrown body spins as it
    should; the moment of inertia turns with it.
    """

    def __init__(self, bodies: Sequence[RigidBody], *, time: float = 0.0) -> None:
        chosen = [index for index, body in enumerate(bodies) if body.free is not None]
        self.indices: IntArray = np.array(chosen, dtype=np.int32)
        self.bodies = tuple(bodies[index] for index in chosen)
        freedoms = [body.free for body in self.bodies if body.free is not None]
        properties = [mass_properties(body) for body in self.bodies]
        count = len(chosen)
        self.masses: FloatArray = np.array([freedom.mass for freedom in freedoms])
        self._local_centers = np.array([one.center for one in properties]).reshape(count, 3)
        unit = np.array([one.inertia for one in properties]).reshape(count, 3, 3)
        self._local_inertia = unit * self.masses[:, None, None]
        transforms = [body.world_from_body(time) for body in self.bodies]
        self.world_from_body: FloatArray = np.array(transforms).reshape(count, 4, 4)
        self.earlier: FloatArray = self.world_from_body.copy()
        self.velocities: FloatArray = np.array([freedom.velocity for freedom in freedoms]).reshape(count, 3)
        angular_velocities = np.array([freedom.spin for freedom in freedoms]).reshape(count, 3)
        self._angular: FloatArray = np.einsum("bij,bj->bi", self.inertia, angular_velocities)
        self.still: BoolArray = np.zeros(count, dtype=bool)
        """Which of them (B,) stay where they are, whatever pushes them."""

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def centers(self) -> FloatArray:
        """Centres of mass (B, 3) [m]."""
        rotated = np.einsum("bij,bj->bi", self.world_from_body[:, :3, :3], self._local_centers)
        return rotated + self.world_from_body[:, :3, 3]

    @property
    def inertia(self) -> FloatArray:
        """Moments of inertia (B, 3, 3) [kg m²] about the centres of mass, along the world's axes."""
        rotations = self.world_from_body[:, :3, :3]
        result: FloatArray = rotations @ self._local_inertia @ np.swapaxes(rotations, 1, 2)
        return result

    @property
    def angular_velocities(self) -> FloatArray:
        """How fast they turn (B, 3) [rad/s]."""
        if not len(self):
            return np.zeros((0, 3))
        found: FloatArray = np.linalg.inv(self.inertia) @ self._angular[..., None]
        return found[..., 0]

    @property
    def angular_momenta(self) -> FloatArray:
        """About their own centres of mass (B, 3) [kg m²/s]."""
        return self._angular.copy()

    def velocities_at(self, which: ArrayLike, positions: ArrayLike) -> FloatArray:
        """How fast (P, 3) [m/s] the matter of free bodies `which` (P,) moves at places (P, 3)."""
        chosen = np.asarray(which, dtype=np.int64)
        arms = np.asarray(positions, dtype=np.float64) - self.centers[chosen]
        result: FloatArray = self.velocities[chosen] + np.cross(self.angular_velocities[chosen], arms)
        return result

    def apply_impulses(self, which: ArrayLike, positions: ArrayLike, impulses: ArrayLike) -> None:
        """Give impulses (P, 3) [N s] to free bodies `which` (P,) at places (P, 3) [m], all at once."""
        chosen, given = np.asarray(which, dtype=np.int64), np.asarray(impulses, dtype=np.float64)
        arms = np.asarray(positions, dtype=np.float64) - self.centers[chosen]
        np.add.at(self.velocities, chosen, given / self.masses[chosen, None])
        np.add.at(self._angular, chosen, np.cross(arms, given))

    def exchange(self, which: int, body: RigidBody, *, still: bool = False) -> None:
        """Let another free body take the place of one of them, where it starts and as it moves then."""
        freedom, matter = body.free, mass_properties(body)
        assert freedom is not None
        self.bodies = (*self.bodies[:which], body, *self.bodies[which + 1 :])
        self.masses[which], self.still[which] = freedom.mass, still
        self._local_centers[which], self._local_inertia[which] = matter.center, freedom.mass * matter.inertia
        self.world_from_body[which] = self.earlier[which] = body.world_from_body(0.0)
        self.velocities[which] = 0.0 if still else freedom.velocity
        self._angular[which] = 0.0 if still else self.inertia[which] @ freedom.spin

    def shift(self, which: int, move: ArrayLike) -> None:
        """Put free body `which` beside where it is, by `move` (3,) [m]; it keeps its momenta."""
        self.world_from_body[which, :3, 3] += np.asarray(move, dtype=np.float64)

    def advance(self, dt: float, *, gravity: ArrayLike = GRAVITY) -> None:
        """Fall and fly for `dt` [s]. Where a step began stays known as `earlier`."""
        self.earlier = self.world_from_body.copy()
        if not len(self):
            return
        self.velocities = self.velocities + dt * np.asarray(gravity, dtype=np.float64)
        self.velocities[self.still], self._angular[self.still] = 0.0, 0.0
        centers = self.centers + dt * self.velocities
        angular_velocities = self.angular_velocities
        rates = np.linalg.norm(angular_velocities, axis=1)
        axes = np.where(rates[:, None] > 0.0, angular_velocities, [1.0, 0.0, 0.0])
        rotations = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(axes, rates * dt))
        linear = quaternions.nearest_rotation(rotations @ self.world_from_body[:, :3, :3])
        self.world_from_body = self.world_from_body.copy()
        self.world_from_body[:, :3, :3] = linear
        self.world_from_body[:, :3, 3] = centers - np.einsum("bij,bj->bi", linear, self._local_centers)
