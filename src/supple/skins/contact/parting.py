"""Skin that meets skin of the same character: the flesh on both sides gives way, and pushes its bones apart.

For a node a that stands d deep behind a triangle with corners b at shares s and normal n, both sides are moved as their
masses allow, and lose the speed with which they go on into each other:

    x_a += w_a l n,   x_b -= w_b s_b l n,   l = d / (w_a + sum_b s_b^2 w_b),   w = 1 / m,  0 for the core,

and the same for velocities. The links below them lose the speed with which they near each other by one impulse for each
two links, at the middle of where they meet; the next step spreads it over the joints. Everything gets as much as it
gives, so that no body can lift itself by its own skin, and none of it adds to the energy of motion.
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
_OPPOSED = 0.3  # the mean of normals that is shorter than this has no direction
_FLAT = 0.3  # determinant of the blended turns below which flesh is crushed by its bones, and only they move it


class Parting:
    """Parts the skin of one character from itself.

    Limits: bones are stopped as if they were loose, so that a limb pressed by something strong goes in some way before
    it is stopped. Where thin limbs have no flesh to give, only the other side is moved, and only links are stopped.
    """

    def __init__(self, flesh: FleshLayer, mechanism: Mechanism, *, friction: float, device: str) -> None:
        border, triangles = np.unique(boundary_faces(flesh.solid), return_inverse=True)
        self._nodes: Ints = flesh.places[border]
        self._mechanism, self._friction = mechanism, friction
        self._detection = Detection(
            flesh.solid.points[border], triangles.reshape(-1, 3).astype(np.int32),
            carriers=mechanism.links[self._nodes, 0], rest_bones=transforms(mechanism.centres), device=device,
        )  # fmt: skip
        joined = set(zip(mechanism.joints.children.tolist(), mechanism.joints.parents.tolist(), strict=True))
        self._joined = joined | {(parent, child) for child, parent in joined}
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
        turns = dynamics.blended_turns(mechanism, state)
        firm = np.zeros(len(self._lightness), dtype=bool)
        firm[:n] = np.linalg.det(turns) < _FLAT
        light = np.where(firm, 0.0, self._lightness)[nodes]
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
        both = ((light > 0.0) | (shares == 0.0)).all(axis=1)  # else one side would get what nobody gives
        np.add.at(kicks, nodes[both], (gives * change[:, None])[both])
        places = 0.5 * (node_places[nodes[:, 0]] + np.einsum("mk,mka->ma", -shares[:, 1:], node_places[nodes[:, 1:]]))
        self._stop_links(state, nodes, np.abs(shares), places=places, normals=normals, depths=depth)
        back = np.linalg.inv(np.where(firm[:n, None, None], np.eye(3), turns))
        state.displacements += np.einsum("nab,nb->na", back, moves[:n])
        state.flows += np.einsum("nab,nb->na", back, kicks[:n])
        return True

    def _stop_links(
        self, state: State, nodes: Ints, shares: Floats, *, places: Floats, normals: Floats, depths: Floats
    ) -> None:
        """One impulse for each two links that near each other where their skins meet."""
        carriers, count = self._mechanism.links[:, 0], self._mechanism.link_count
        one = carriers[nodes[:, 0]].astype(np.int64)
        other = carriers[nodes[np.arange(len(nodes)), 1 + shares[:, 1:].argmax(axis=1)]].astype(np.int64)
        low, high = np.minimum(one, other), np.maximum(one, other)
        ways = np.where((one == low)[:, None], normals, -normals)  # from the second link to the first
        masses = self._mechanism.link_masses
        offsets, inertia = _matter(self._mechanism, state)
        for pair in np.unique(low * count + high).tolist():
            two = divmod(pair, count)
            if two[0] == two[1] or two in self._joined:
                continue
            met = np.flatnonzero((low == two[0]) & (high == two[1]))
            weight = depths[met] + 1e-12
            place, n = (weight @ rows[met] / weight.sum() for rows in (places, ways))
            size = float(np.linalg.norm(n))
            if size < _OPPOSED:
                continue
            n = n / size
            speeds = [state.velocities[i] + np.cross(state.spins[i], place - state.places[i]) for i in two]
            speed = float((speeds[0] - speeds[1]) @ n)
            if speed >= 0.0:
                continue
            arms = [place - state.places[i] - offsets[i] for i in two]
            twists = [np.linalg.solve(inertia[i], np.cross(arm, n)) for i, arm in zip(two, arms, strict=True)]
            yields = sum(
                1.0 / masses[i] + float(np.cross(twist, arm) @ n)
                for i, arm, twist in zip(two, arms, twists, strict=True)
            )
            for i, twist, sign in zip(two, twists, (1.0, -1.0), strict=True):
                impulse = -sign * speed / yields
                state.velocities[i] += impulse * (n / masses[i] - np.cross(twist, offsets[i]))
                state.spins[i] += impulse * twist


def _matter(mechanism: Mechanism, state: State) -> tuple[Floats, Floats]:
    """From the place of every link to its centre of mass (k, 3) [m] as its flesh is now, and its inertia about that."""
    links, weight = mechanism.free_links, mechanism.masses[:, None] * mechanism.free_shares
    arms = dynamics.arms(mechanism, state)
    first = np.einsum("kab,kb->ka", state.turns, mechanism.core_moments)
    second = state.turns @ mechanism.core_seconds @ np.swapaxes(state.turns, 1, 2)
    np.add.at(first, links, weight[..., None] * arms)
    np.add.at(second, links, weight[..., None, None] * arms[..., :, None] * arms[..., None, :])
    offsets = first / mechanism.link_masses[:, None]
    second = second - mechanism.link_masses[:, None, None] * offsets[:, :, None] * offsets[:, None, :]
    return offsets, np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second


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
