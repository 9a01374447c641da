"""Contacts as the solver takes them: which points of the flesh meet something, and how that moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.quaternions import normalize
from supple.skins.contact.detection.detected_contacts import DetectedContacts

_FLAT = 0.6  # of its depth: by how much flesh can be pressed; then what carries it is met
_NEAR = 0.2  # of that: from how near on
_THIN = 1e-6  # [m]: who has less flesh than this has none
CORNERS = 4
_WHERE = "ContactSet"


@dataclass(frozen=True, eq=False)
class ContactSet:
    """Points that meet something; m of them.

    `nodes` and `weights` (m, 4) say which nodes a point is a blend of: shares sum to one, unused places have share 0.
    Where skin meets skin they sum to zero: a node has 1, and the corners of the triangle that it meets share -1.
    `normals` (m, 3) point away from what is met. `velocities` (m, 3) [m/s] are how that moves there. `gaps` (m,) [m]
    are how far the point would be from it at the end of the step, negative inside. `frictions` (m,) are Coulomb's
    coefficients. `bodies` (m,) say which free body is met, -1 for none, and `points` (m, 3) [m] where. `obstacles` (m,)
    say which obstacle of all, -1 for skin. `keys` (m,) tell contacts of one step from those of the next: what pressed a
    contact then is where this one begins. They are the first nodes, unless places are told apart that have the same.
    """

    nodes: IntArray
    weights: FloatArray
    normals: FloatArray
    velocities: FloatArray
    gaps: FloatArray
    frictions: FloatArray = field(default_factory=lambda: np.zeros(0))
    bodies: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    points: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    obstacles: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    keys: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def __post_init__(self) -> None:
        nodes = frozen(self.nodes, np.int32, (-1, CORNERS), _WHERE, "nodes")
        count = len(nodes)
        weights = frozen(self.weights, np.float64, (count, CORNERS), _WHERE, "weights")
        normals = frozen(self.normals, np.float64, (count, 3), _WHERE, "normals")
        friction = np.asarray(self.frictions, dtype=np.float64)
        friction = frozen(
            np.zeros(count) if friction.shape == (0,) else friction, np.float64, (count,), _WHERE, "frictions"
        )
        sums = weights.sum(axis=1)
        wrong = np.minimum(np.abs(sums - 1.0), np.abs(sums))
        if count and wrong.max() > 1e-6:
            row = int(wrong.argmax())
            given = f"the shares of contact {row} sum to {sums[row]:g}"
            raise InputError(
                _WHERE, given, "they must sum to one, or to zero between skin and skin", "divide them by their sum"
            )
        if not (np.abs(weights).sum(axis=1) > 0.0).all():
            row = int(np.abs(weights).sum(axis=1).argmin())
            raise InputError(_WHERE, f"contact {row} has no shares", "nodes are needed", "leave it out")
        if count and not (np.linalg.norm(normals, axis=1) > 1e-9).all():
            row = int(np.linalg.norm(normals, axis=1).argmin())
            raise InputError(_WHERE, f"contact {row} has no normal", "a direction is needed", "leave it out")
        if (friction < 0.0).any():
            raise InputError(_WHERE, f"a friction is {friction.min():g}", "zero or more is needed", "use 0 for none")
        bodies = np.asarray(self.bodies)
        bodies = np.full(count, -1) if bodies.shape == (0,) else bodies
        points = np.asarray(self.points)
        points = np.zeros((count, 3)) if points.shape == (0, 3) else points
        obstacles = np.asarray(self.obstacles)
        obstacles = np.full(count, -1) if obstacles.shape == (0,) else obstacles
        keys = np.asarray(self.keys)
        keys = nodes[:, 0] if keys.shape == (0,) else keys
        unit = normalize(normals)
        unit.setflags(write=False)
        for name, value in (
            ("nodes", nodes),
            ("weights", weights),
            ("normals", unit),
            ("velocities", frozen(self.velocities, np.float64, (count, 3), _WHERE, "velocities")),
            ("gaps", frozen(self.gaps, np.float64, (count,), _WHERE, "gaps")),
            ("frictions", friction),
            ("bodies", frozen(bodies, np.int32, (count,), _WHERE, "bodies")),
            ("points", frozen(points, np.float64, (count, 3), _WHERE, "points")),
            ("obstacles", frozen(obstacles, np.int32, (count,), _WHERE, "obstacles")),
            ("keys", frozen(keys, np.int32, (count,), _WHERE, "keys")),
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.nodes)

    @classmethod
    def from_detected(
        cls, detected: DetectedContacts, *, friction: float, body_of: IntArray, positions: FloatArray
    ) -> ContactSet:
        """Contacts that were found; nothing of them is looked at again.

        `friction` is that of skin on skin. `body_of` says which free body an obstacle is, -1 for none, and as its last
        that skin is none. Nodes begin the step at `positions` (N, 3) [m].
        """
        count, skin = len(detected), detected.obstacles < 0
        within = detected.between
        nodes = np.empty((count, CORNERS), dtype=np.int32)
        nodes[:, 0] = detected.nodes
        nodes[:, 1:] = np.where(skin[:, None], detected.corners, detected.nodes[:, None])
        weights = np.ones((count, CORNERS))
        np.negative(detected.barycentric, out=weights[:, 1:])
        nodes[within, :3], weights[within, :3] = detected.corners[within], detected.barycentric[within]
        weights[within, 3] = 0.0
        weights[within, :3] /= weights[within, :3].sum(axis=1, keepdims=True)
        frictions = np.where(skin, friction, detected.frictions)
        points = positions[detected.nodes]
        points[within] = np.einsum("mc,mca->ma", weights[within], positions[nodes[within]])
        return cls._unchecked(
            {
                "nodes": nodes,
                "weights": weights,
                "normals": detected.normals,
                "velocities": detected.velocities,
                "gaps": detected.gaps,
                "frictions": frictions,
                "bodies": body_of[detected.obstacles],
                "points": points,
                "obstacles": detected.obstacles,
                "keys": detected.keys,
            }
        )

    def offset(self, first: int) -> ContactSet:
        """The same of points that are numbered on from `first`."""
        nodes, keys = ((numbers + first).astype(np.int32) for numbers in (self.nodes, self.keys))
        return self._unchecked({**vars(self), "nodes": nodes, "keys": keys})

    def pressed_flat(self, offsets: FloatArray, depths: FloatArray, places: int) -> ContactSet:
        """Those of them where flesh, `depths` (P,) [m] deep, is nearly pressed flat, as contacts of what carries it.

        `offsets` (P, 3) [m] is how far flesh stands off where bones carry its points. Their points are numbered on
        from P, and their keys from the number of all `places` that have one.
        """
        deep = np.einsum("mc,mc->m", np.abs(self.weights), _FLAT * depths[self.nodes])
        off = np.einsum("mc,mca,ma->m", self.weights, offsets[self.nodes], self.normals)
        gaps = self.gaps - off + deep
        rows = np.flatnonzero((deep > _THIN) & (gaps < _NEAR * deep) & (self.weights.sum(axis=1) > 0.5))
        flat = self.only(rows)
        nodes, keys = flat.nodes + np.int32(len(depths)), flat.keys + np.int32(places)
        return self._unchecked({**vars(flat), "nodes": nodes, "keys": keys, "gaps": gaps[rows]})

    def of_points(self, count: int) -> ContactSet:
        """The same, with contacts of what carries the flesh as contacts of its points, of which there are `count`."""
        return self._unchecked({**vars(self), "nodes": (self.nodes % count).astype(np.int32)})

    def only(self, rows: NDArray[Any] | None) -> ContactSet:
        """Some of them, or all."""
        if rows is None:
            return self
        return self._unchecked({name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    @classmethod
    def concatenate(cls, one: ContactSet, other: ContactSet) -> ContactSet:
        """Both, one after the other."""
        if not len(one) or not len(other):
            return one if len(one) else other
        both = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in cls.__dataclass_fields__}
        return cls._unchecked(both)

    @classmethod
    def _unchecked(cls, fields: Mapping[str, Any]) -> ContactSet:
        found = object.__new__(cls)
        for name in cls.__dataclass_fields__:
            object.__setattr__(found, name, fields[name])
        return found

    @classmethod
    def at_nodes(
        cls,
        nodes: ArrayLike,
        *,
        normals: ArrayLike,
        gaps: ArrayLike,
        velocities: ArrayLike | None = None,
        frictions: ArrayLike | None = None,
    ) -> ContactSet:
        """Contacts of single nodes (m,)."""
        given = np.asarray(nodes).reshape(-1)
        four = np.zeros((len(given), CORNERS), dtype=np.int32)
        four[:] = given[:, None]
        weights = np.zeros((len(given), CORNERS))
        weights[:, 0] = 1.0
        still = np.zeros((len(given), 3)) if velocities is None else np.asarray(velocities)
        friction = np.zeros(len(given)) if frictions is None else np.asarray(frictions)
        return cls(four, weights, np.asarray(normals), still, np.asarray(gaps), friction)


@dataclass(frozen=True, eq=False)
class BodyInertia:
    """Free bodies (B,) that contacts push: `masses` (B,) [kg], `centers` (B, 3) [m], `inertia` (B, 3, 3) [kg m²]."""

    masses: FloatArray = field(default_factory=lambda: np.zeros(0))
    centers: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    inertia: FloatArray = field(default_factory=lambda: np.zeros((0, 3, 3)))

    def __len__(self) -> int:
        return len(self.masses)

    @property
    def inverses(self) -> FloatArray:
        """The inverses of `inertia`."""
        found: FloatArray = np.asarray(np.linalg.inv(self.inertia)) if len(self) else self.inertia
        return found


@dataclass(frozen=True, eq=False)
class ContactImpulses:
    """What the contacts of a step did, and how they were found.

    `normal_impulses` (m,) [N s] along the normals, of which none pulls; `impulses` (m, 3) [N s] with friction. `bodies`
    (B, 6) is how velocity [m/s] and spin [rad/s] of the free bodies changed. It took `iterations` of Newton's method,
    after which the `residual` [m/s] was still asked of velocities; with all of its flesh a contact still went on, or
    parted while it pushed, at most by `flesh_residual` [m/s], and slipped beside what friction would do by
    `friction_residual` [m/s].
    """

    normal_impulses: FloatArray
    impulses: FloatArray
    bodies: FloatArray
    iterations: int
    residual: float = 0.0
    friction_residual: float = 0.0
    flesh_residual: float = 0.0

    def joined(self, part: ContactImpulses, rows: NDArray[Any] | None) -> ContactImpulses:
        """With what some contacts did, which are those `rows` of all, or all, and nothing else has to do with."""
        if rows is None:
            return part
        normal, impulses = self.normal_impulses.copy(), self.impulses.copy()
        normal[rows], impulses[rows] = part.normal_impulses, part.impulses
        return ContactImpulses(
            normal,
            impulses,
            self.bodies + part.bodies,
            self.iterations + part.iterations,
            max(self.residual, part.residual),
            max(self.friction_residual, part.friction_residual),
            max(self.flesh_residual, part.flesh_residual),
        )

    @classmethod
    def none(cls, contacts: int, bodies: int) -> ContactImpulses:
        """Nothing is pushed."""
        return cls(np.zeros(contacts), np.zeros((contacts, 3)), np.zeros((bodies, 6)), 0)
