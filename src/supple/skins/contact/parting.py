"""Skin that meets skin of the same character: the flesh on both sides gives way, and pushes its bones apart.

For a node a that stands d deep behind a triangle with corners b at shares s and normal n, both sides are moved as their
masses allow, and lose the speed with which they go on into each other:

    x_a += w_a l n,   x_b -= w_b s_b l n,   l = d / (w_a + sum_b s_b^2 w_b),   w = 1 / m,  0 for the core,

and the same for velocities. Each pair gets as much as it gives, so that no body can lift itself by its own skin. What
the flesh is pressed by, its elasticity hands on to the bones in the next steps.
"""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats, Ints
from supple.geometry.tetrahedra import boundary_faces
from supple.skins.contact import dynamics
from supple.skins.contact.detection import Detection
from supple.skins.contact.dynamics import Mechanism, State
from supple.skins.contact.flesh import FleshLayer

_SHARE = 0.5  # of an overlap that one step parts
_FARTHEST = 0.1  # of how deep skin is searched: the most that one step parts
_FLAT = 1e-3  # blended turns with a smaller determinant are turned back by their transpose


class Parting:
    """Parts the skin of one character from itself.

    Limits: bones feel it by the flesh between them, no faster than that can swing in a step; where thin limbs have no
    flesh to give, only the other side yields.
    """

    def __init__(self, flesh: FleshLayer, mechanism: Mechanism, *, friction: float, device: str) -> None:
        border, triangles = np.unique(boundary_faces(flesh.solid), return_inverse=True)
        self._nodes: Ints = flesh.places[border]
        self._mechanism, self._friction = mechanism, friction
        self._detection = Detection(
            flesh.solid.points[border], triangles.reshape(-1, 3).astype(np.int32),
            carriers=mechanism.links[self._nodes, 0], rest_bones=transforms(mechanism.centres), device=device,
        )  # fmt: skip
        self._lightness = np.zeros(len(mechanism.rest))
        self._lightness[: mechanism.node_count] = 1.0 / mechanism.masses

    def part(self, state: State, node_places: Floats) -> bool:
        """Change displacements and flows of a state whose nodes (N, 3) [m] are there; whether any were changed."""
        detection, mechanism, n = self._detection, self._mechanism, self._mechanism.node_count
        detection.place(node_places[self._nodes], transforms(state.places, state.turns))
        detection.refit()
        found = detection.with_skin(detection)
        if not len(found):
            return False
        nodes = np.concatenate([self._nodes[found.nodes][:, None], self._nodes[found.corners]], axis=1)
        shares = np.concatenate([np.ones((len(found), 1)), -found.shares], axis=1)
        light = self._lightness[nodes]
        yields = np.sum(shares**2 * light, axis=1)
        able = np.flatnonzero(yields > 0.0)
        nodes, shares, light, normals = nodes[able], shares[able], light[able], found.normals[able]
        crowd = np.bincount(nodes.ravel(), minlength=len(self._lightness))[nodes].max(axis=1)
        gives = (shares * light)[:, :, None] / (yields[able] * crowd)[:, None, None]
        depth = np.minimum(_SHARE * np.maximum(-found.gaps[able], 0.0), _FARTHEST * detection.deepest)
        paces = np.zeros((len(self._lightness), 3))
        paces[:n] = dynamics.node_velocities(mechanism, state)
        held = np.flatnonzero(self._lightness[self._nodes] == 0.0)
        paces[self._nodes[held]] = _core_paces(mechanism, state, node_places, self._nodes[held])
        nearing = np.einsum("mk,mka->ma", shares, paces[nodes])
        speed = np.einsum("ma,ma->m", nearing, normals)
        across = nearing - speed[:, None] * normals
        sliding = np.linalg.norm(across, axis=1)
        stopped = np.maximum(-speed, 0.0)
        rubbed = np.minimum(self._friction * stopped, sliding) / np.where(sliding > 0.0, sliding, 1.0)
        change = stopped[:, None] * normals - rubbed[:, None] * across
        moves, kicks = np.zeros_like(paces), np.zeros_like(paces)
        np.add.at(moves, nodes, gives * (depth[:, None] * normals)[:, None])
        np.add.at(kicks, nodes, gives * change[:, None])
        turns = dynamics.blended_turns(mechanism, state)
        state.displacements += _turned_back(turns, moves[:n])
        state.flows += _turned_back(turns, kicks[:n])
        return True


def transforms(places: Floats, turns: Floats | None = None) -> Floats:
    """Transforms (k, 4, 4) of links that are there, turned so."""
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, :3, 3] = places
    if turns is not None:
        matrices[:, :3, :3] = turns
    return matrices


def _core_paces(mechanism: Mechanism, state: State, places: Floats, nodes: Ints) -> Floats:
    """How fast (m, 3) [m/s] nodes of the core move: as their links do."""
    links, shares = mechanism.links[nodes], mechanism.shares[nodes]
    arms = places[nodes][:, None] - state.places[links]
    result: Floats = np.einsum("mk,mka->ma", shares, state.velocities[links] + np.cross(state.spins[links], arms))
    return result


def _turned_back(turns: Floats, ways: Floats) -> Floats:
    """What displacements (n, 3) move nodes by these ways (n, 3) in the world."""
    flat = np.linalg.det(turns) < _FLAT
    back = np.linalg.inv(np.where(flat[:, None, None], np.eye(3), turns))
    result: Floats = np.einsum("nab,nb->na", np.where(flat[:, None, None], np.swapaxes(turns, 1, 2), back), ways)
    return result
