"""What a soft character meets in a step: obstacles that are led or free, and itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.geometry.tetrahedra import boundary_faces
from supple.obstacles.contact_impulses import meet_ground, resolve_contacts
from supple.obstacles.device_bodies import DeviceBodies
from supple.obstacles.dynamic_bodies import DynamicBodies
from supple.obstacles.shapes import RigidBody
from supple.skins.contact.detection.detected_contacts import DetectedContacts
from supple.skins.contact.detection.detector import CollisionDetector, RestExclusions
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.model.flesh import FleshLayer
from supple.skins.contact.model.mechanism import Mechanism, rotate_by
from supple.skins.contact.response.contact_set import BodyInertia, ContactImpulses, ContactSet
from supple.skins.contact.response.islands import bodies_of_links, largest_side
from supple.skins.contact.response.skin_points import SkinEmbedding, SkinPoints

_MARGIN = 5e-3  # of the body's largest side: how near skin is met, since what else is met may turn it there
_WAYS = 3  # as many as a node can be pushed independently
_ALIKE = 0.9  # cosine: directions that agree this much are one way out


@dataclass
class BodyState:
    """Where free bodies (B,) are and how they move; what follows from time of them.

    `positions` (B, 4, 4), `velocities` (B, 3) [m/s], `angular` (B, 3) [kg m²/s] about their centres.
    """

    positions: FloatArray
    velocities: FloatArray
    angular: FloatArray


class CoupledBodies(DynamicBodies):
    """Free bodies that can be put back to where they were, and that take what a step of a character gives them."""

    def state(self) -> BodyState:
        """Where they are now, in arrays of their own."""
        return BodyState(self.world_from_body.copy(), self.velocities.copy(), self.angular_momenta)

    def load(self, state: BodyState) -> None:
        """Go on from there."""
        self.world_from_body, self.earlier = state.positions.copy(), state.positions.copy()
        self.velocities, self._angular = state.velocities.copy(), state.angular.copy()

    def body_inertia(self) -> BodyInertia:
        """What a solver has to know of them, at the start of the step."""
        turned = np.einsum("bij,bj->bi", self.earlier[:, :3, :3], self._local_centers)
        return BodyInertia(self.masses, turned + self.earlier[:, :3, 3], self.inertia)

    def change(self, changes: FloatArray, dt: float) -> None:
        """Velocities and spins change by (B, 6) [m/s, rad/s]; it moves in a step of `dt` [s], and turns after it."""
        changes = np.where(self.still[:, None], 0.0, changes)
        self._angular = self._angular + np.einsum("bij,bj->bi", self.inertia, changes[:, 3:])
        self.velocities = self.velocities + changes[:, :3]
        self.world_from_body[:, :3, 3] += dt * changes[:, :3]


class VisibleSkin:
    """The skin as it is seen, which meets obstacles: its detector, and its vertices as contact points.

    Of the vertices of a cell, which one node of the flesh carries most, the one that is deepest in an obstacle stands
    for all that leave it the same way: flesh moves them alike. Round something thin they leave it several ways, and
    each of at most `_WAYS` has its own. Who is deepest as the step begins need not be who would go deepest, and counts
    too. And all that pressed in the step before (`pressed`) stay: one left out would sink until it is chosen again,
    and what lies would never come to rest.
    """

    def __init__(
        self,
        detector: CollisionDetector,
        points: SkinPoints,
        cells: IntArray,
        flesh_depths: FloatArray,
        pressed: Callable[[], FloatArray],
    ) -> None:
        self.detector, self.points, self._cells, self._pressed = detector, points, cells, pressed
        self.flesh_depths = flesh_depths

    def choose(self, detected: DetectedContacts, moved: FloatArray, dt: float) -> DetectedContacts:
        """Up to three contacts for each obstacle, cell and way out, in order; vertices moved (V, 3) [m] in `dt` [s]."""
        if len(detected) < 2:
            return detected
        pressed = np.linalg.norm(self._pressed()[detected.keys], axis=1)
        pressing = np.flatnonzero(pressed > 0.0)
        nearing = detected.velocities * dt - moved[detected.nodes]
        before = detected.gaps + np.einsum("mi,mi->m", nearing, detected.normals)
        every = np.arange(len(detected))
        chosen = [*self._first(detected, detected.gaps, every), *self._first(detected, before, every)]
        chosen.append(pressing)
        return detected.only(np.unique(np.concatenate(chosen)).astype(np.int32))

    def _first(self, detected: DetectedContacts, rank: FloatArray, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Those of some rows that come first by rank for each obstacle, cell and way out."""
        cell = self._cells[detected.nodes]
        order = rows[np.lexsort((detected.keys[rows], rank[rows], cell[rows], detected.obstacles[rows]))]
        normals, chosen = detected.normals, list[NDArray[Any]]()
        for _ in range(_WAYS if len(order) else 0):
            same = (np.diff(cell[order]) == 0) & (np.diff(detected.obstacles[order]) == 0)
            begins = np.concatenate([[True], ~same])
            first = order[begins]
            chosen.append(first)
            stands_for = first[np.cumsum(begins) - 1]
            order = order[np.einsum("mi,mi->m", normals[order], normals[stands_for]) < _ALIKE]
            if not len(order):
                break
        return chosen


class CollisionPipeline:
    """A character among obstacles: its skin, and, where it meets itself, the border of its flesh.

    Free bodies are solved for together with the flesh that they meet, so that each loses the momentum that the other
    gets, and friction spins them. Skin that meets skin is met on both sides: a node and the triangle that it is in push
    each other apart, the flesh and the bones of both.

    Limits: what free bodies do to each other and to led ones is answered after what they do to flesh, so a ball between
    the floor and a body is pressed into one of them for a moment.
    """

    def __init__(
        self,
        detector: CollisionDetector,
        nodes: NodeArrays,
        links: LinkArrays,
        bodies: Sequence[RigidBody],
        *,
        gravity: ArrayLike,
        friction: float,
        ground: RigidBody | None = None,
        visible: VisibleSkin | None = None,
    ) -> None:
        """`friction` is that of skin on skin; free bodies fall on the `ground`, which flesh does not meet.

        Obstacles are met by the `visible` skin where there is one, and else by the border of the flesh.
        """
        self._detector, self._visible = detector, visible
        self._obstacles = detector if visible is None else visible.detector
        self.tune(gravity=gravity, friction=friction, self_collision=detector.self_collision)
        self.dynamic_bodies = CoupledBodies(bodies)
        self._ground = None if ground is None else DeviceBodies([ground], detector.device)
        self._body_of: IntArray = np.full(len(bodies) + 1, -1, dtype=np.int32)  # the last one is skin
        self._body_of[self.dynamic_bodies.indices] = np.arange(len(self.dynamic_bodies))
        moving = (links.positions, links.rotations, links.velocities, links.angular_velocities)
        self._links = [devices.HostSide(array) for array in moving]
        self._positions = devices.HostSide(nodes.positions)
        self._predicted_positions, self._places = devices.HostSide(nodes.predicted_positions), nodes.places

    def tune(self, *, gravity: ArrayLike, friction: float, self_collision: bool) -> None:
        """From the next step on free bodies fall so, and skin meets skin with this friction, or (without) not at all.

        A detector that was made without knows too little of its skin to do so later.
        """
        self._gravity, self._friction = np.asarray(gravity, dtype=np.float64), friction
        self._detector.self_collision = self_collision

    def detect(self, time: float, dt: float) -> ContactSet:
        """All that would meet in the step of `dt` [s] that ends at `time` [s]; dynamic bodies move to its end.

        The solver has predicted the step.
        """
        bodies, predicted, before = self.dynamic_bodies, self._predicted_positions.read(), self._positions.read()
        bodies.advance(dt, gravity=self._gravity)
        links = self._predict_links(dt)

        def contacts(detected: DetectedContacts, positions: FloatArray) -> ContactSet:
            return ContactSet.from_detected(
                detected, friction=self._friction, body_of=self._body_of, positions=positions
            )

        found = contacts(self._detector.detect(predicted, links, before=before, time=time, dt=dt, free=bodies), before)
        visible = self._visible
        if visible is None:
            return found
        skin_before, skin_predicted = visible.points.predict()
        if len(visible.detector.bodies):
            met = visible.detector.detect(skin_predicted, links, before=skin_before, time=time, dt=dt, free=bodies)
            moved = skin_predicted - skin_before
            outer = contacts(visible.choose(met, moved, dt), skin_before).offset(len(predicted))
            found = ContactSet.concatenate(outer, found)
        return ContactSet.concatenate(
            found, found.pressed_flat(visible.points.flesh_offsets, visible.flesh_depths, self._places)
        )

    def apply(self, impulses: ContactImpulses, dt: float) -> None:
        """Give dynamic bodies what the flesh did to them in a step of `dt` [s]; then they answer each other."""
        bodies = self.dynamic_bodies
        if len(bodies):
            bodies.change(impulses.bodies, dt)
            if len(self._obstacles.bodies) > 1:
                resolve_contacts(bodies, self._obstacles.bodies)
            if self._ground is not None:
                meet_ground(bodies, self._ground)

    def exchange(self, index: int, body: RigidBody, *, still: bool) -> None:
        """Let another free body take the place of one of them; a `still` one stays where it is."""
        self._obstacles.exchange(index, body)
        self.dynamic_bodies.exchange(int(self._body_of[index]), body, still=still)

    def _predict_links(self, dt: float) -> FloatArray:
        """The transforms (k, 4, 4) of links at the end of a step, by their velocities."""
        positions, rotations, velocities, angular_velocities = (side.read() for side in self._links)
        return transforms(positions + dt * velocities, rotate_by(rotations, dt * angular_velocities))


def make_detector(
    flesh: FleshLayer,
    mechanism: Mechanism,
    bodies: Sequence[RigidBody],
    *,
    self_collision: bool,
    device: str,
    rest_exclusions: RestExclusions | None = None,
) -> CollisionDetector:
    """What finds the contacts of a body's border, as a mechanism numbers its nodes."""
    return CollisionDetector(
        flesh.solid.points[flesh.order],
        flesh.node_index[boundary_faces(flesh.solid)],
        carriers=mechanism.links[:, 0],
        rest_bones=transforms(mechanism.centers),
        bodies=bodies,
        self_collision=self_collision,
        rest_exclusions=rest_exclusions,
        device=device,
    )


def skin_detector(
    character: Character, embedding: SkinEmbedding, mechanism: Mechanism, bodies: Sequence[RigidBody], *, device: str
) -> CollisionDetector:
    """What finds the contacts of the visible skin with obstacles."""
    side = largest_side(character.points, bodies_of_links(mechanism)[embedding.links[:, 0]])
    return CollisionDetector(
        character.points,
        character.triangles,
        carriers=embedding.links[:, 0],
        rest_bones=transforms(mechanism.centers),
        bodies=bodies,
        self_collision=False,
        margin=_MARGIN * side,
        side=side,
        device=device,
    )


def transforms(positions: FloatArray, rotations: FloatArray | None = None) -> FloatArray:
    """Transforms (k, 4, 4) of links that are there, turned so."""
    matrices = np.tile(np.eye(4), (len(positions), 1, 1))
    matrices[:, :3, 3] = positions
    if rotations is not None:
        matrices[:, :3, :3] = rotations
    return matrices
