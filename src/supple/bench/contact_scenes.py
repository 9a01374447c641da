"""Soft articulated characters at the published sizes [Galoppo2007], and bars of flesh of any size.

The published models cannot be had. Built-in characters stand in for them, with as many bones, filled so finely that at
least as many nodes of flesh are free to move. The published contacts come from a ball that is held in the skin.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

import supple
from supple import device as devices
from supple.arrays import BoolArray, FloatArray, IntArray
from supple.bench.timing import Timing, once
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces
from supple.motion.pose import Pose
from supple.obstacles import Sphere
from supple.skins.contact.binding import ContactBinding
from supple.skins.contact.dynamics.solver import condensed_solver
from supple.skins.contact.model.flesh import FleshLayer, flesh_from_character, layer
from supple.skins.contact.model.links import joints_from_links, links_from_flesh
from supple.skins.contact.model.mechanism import Mechanism, mechanism_from_flesh
from supple.skins.contact.response.contact_set import ContactImpulses, ContactSet
from supple.skins.contact.skin import ArticulatedContact


@dataclass(frozen=True)
class Scene:
    """A published model and what stands in for it.

    `nodes`, `bones` and `contacts` (the most that there were) are as published, as are the times of a frame `alone` and
    `met` [s], without and with contacts. `elements` fill the stand-in; `ball` is the radius of what it meets, as a
    share of its size, and `sunk` how many nodes are in that before the flesh gives way.
    """

    name: str
    stand_in: str
    vertices: int
    nodes: int
    bones: int
    contacts: int
    alone: float
    met: float
    elements: int
    ball: float
    sunk: int

    def character(self) -> Character:
        """The character that stands in."""
        options = {"bones": self.bones} if self.stand_in == "tube" else {}
        return supple.character(self.stand_in, vertices=self.vertices, **options)


SCENES = (
    Scene("deer-1748", "quadruped", 1748, 1748, 34, 13, 74.8e-3, 123.8e-3, 7_000, 0.1, 80),
    Scene("deer-2755", "quadruped", 2755, 2755, 34, 41, 114.1e-3, 160.4e-3, 13_000, 0.15, 90),
    Scene("deer-8408", "quadruped", 8408, 8408, 34, 162, 310.0e-3, 449.7e-3, 53_000, 0.2, 200),
    Scene("snake", "snake", 3102, 3102, 16, 28, 106.5e-3, 140.6e-3, 14_000, 0.1, 64),
    Scene("tube-2", "tube", 500, 292, 2, 73, 9.5e-3, 13.8e-3, 1_320, 1.0, 94),
    Scene("tube-5", "tube", 500, 292, 5, 74, 14.6e-3, 23.3e-3, 1_320, 1.0, 120),
)


class Frames:
    """A character that stands still in gravity, moved on frame by frame; with `contacts`, a ball is held in its back.

    A frame is the control of its joints, the free step, what it meets, the answer to that, and the skin that follows.
    """

    def __init__(self, scene: Scene, *, contacts: bool, device: str = "cpu") -> None:
        character = scene.character()
        bodies = (held_ball(character, scene),) if contacts else ()
        self.skin = ArticulatedContact(elements=scene.elements, obstacles=bodies, self_contact=contacts)
        self.pose = Pose.rest(character.skeleton)
        made: list[ContactBinding] = []
        self.bound: Timing = once(lambda: made.append(self.skin.bind(character, device)))
        self.binding = made[0]
        self._state = self.skin.start(self.binding, self.pose, None)

    @property
    def nodes(self) -> int:
        """How many nodes are free."""
        return self.binding.mechanism.node_count

    @property
    def bones(self) -> int:
        """How many bones move."""
        return self.binding.mechanism.link_count

    def frame(self) -> Any:
        """One frame; the skin (V, 3) [m]."""
        return devices.to_host(self.skin.advance(self.binding, self._state, self.pose, self.skin.step, incoming=None))

    def count(self) -> int:
        """How many places of the skin the next frame meets, those that only come near apart; no frame may follow."""
        state = self._state
        state.solver.predict()
        found = state.pipeline.detect(state.memory.time + self.skin.step, self.skin.step)
        return len(np.unique(found.of_points(state.solver.nodes.points).nodes[found.gaps < 0.0, 0]))


def held_ball(character: Character, scene: Scene) -> Sphere:
    """A ball over the middle of a character, let down until `sunk` nodes of its flesh are in it."""
    flesh = flesh_from_character(character, count=scene.elements)
    border = flesh.solid.points[np.unique(boundary_faces(flesh.solid))]
    low, high = character.points.min(axis=0), character.points.max(axis=0)
    radius = scene.ball * float((high - low).max())
    middle = 0.5 * (low + high)
    far = np.linalg.norm((border - middle)[:, [0, 2]], axis=1)
    under = border[:, 1] + np.sqrt(np.maximum(radius**2 - far**2, 0.0))  # heights at which the ball touches each node
    touched = np.sort(under[far < radius])[::-1]
    height = float(touched[min(scene.sunk, len(touched) - 1)])
    return Sphere(name="ball", radius=radius, at=(middle[0], height, middle[2]), friction=0.3)


def bar(length: int, links: int, *, across: int = 4) -> Mechanism:
    """A bar of flesh along x, of cubes of 0.1 m that are cut into six tetrahedra; all but its outer nodes are bone."""
    counts = np.array([length, across, across]) + 1
    grid = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(grid)).reshape(counts)
    corner = number[:-1, :-1, :-1].reshape(-1)
    stride = np.array([counts[1] * counts[2], counts[2], 1])
    elements = []
    for way in permutations(range(3)):
        path = np.cumsum([0, *stride[list(way)]])
        right = way in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        elements.append(corner[:, None] + (path if right else path[[0, 2, 1, 3]]))
    points = 0.1 * (grid - 0.5 * np.array([0.0, across, across]))
    span = 0.1 * length / links
    heads = np.zeros((links, 3))
    heads[:, 0] = span * np.arange(links)
    names = [f"link{link}" for link in range(links)]
    skeleton = Skeleton.from_heads(names, np.arange(links) - 1, heads, tails=heads + np.array([span, 0.0, 0.0]))
    share = np.clip(1.0 - np.abs(points[:, :1] - heads[:, 0] - 0.5 * span) / span, 0.0, 1.0) ** 2
    weights = Weights.from_dense(share / share.sum(axis=1, keepdims=True))
    core: BoolArray = np.all((grid[:, 1:] > 0) & (grid[:, 1:] < across), axis=1)
    flesh = layer(Tetrahedra(points, np.concatenate(elements)), weights, core)
    return linked(skeleton, flesh)


def linked(skeleton: Skeleton, flesh: FleshLayer) -> Mechanism:
    """Flesh on a skeleton, with a ball for every joint."""
    links = links_from_flesh(skeleton, flesh)
    return mechanism_from_flesh(flesh, links, joints_from_links(skeleton, links))


class Resting:
    """A bar of so many cells, links and contacts: free nodes, spread evenly, that nothing lets down.

    `step` is one step of the solver, in which all of them bear the weight of the bar.
    """

    def __init__(self, cells: int, links: int, contacts: int, *, dt: float, device: str = "cpu") -> None:
        self.mechanism = bar(cells, links)
        self.solver = condensed_solver(self.mechanism, dt, device=device)
        self._nodes: IntArray = np.linspace(0, self.mechanism.node_count - 1, contacts).astype(np.int32)
        self._up: FloatArray = np.tile([0.0, 1.0, 0.0], (contacts, 1))
        self._heights = self.mechanism.rest[self._nodes, 1]

    def contacts(self) -> ContactSet:
        """Those of a step that is foreseen."""
        gaps = self.solver.predicted_positions[self._nodes, 1] - self._heights
        return ContactSet.at_nodes(self._nodes, normals=self._up, gaps=gaps)

    def step(self) -> ContactImpulses:
        """One whole step; what the contacts did."""
        self.solver.predict()
        impulses = self.solver.solve_contacts(self.contacts())
        self.solver.integrate()
        return impulses
