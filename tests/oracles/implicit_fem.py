"""A soft ball round a rigid core by plain finite elements in time, and a barrier that lets nothing through.

What `supple.skins.contact` does, done slowly and in another way: every step is one minimisation over all nodes,

    1/2 |x - x^|^2_M / dt^2 + 1/2 u^T K u + 1/2 |u - u0|^2_D / dt + B(x) - m g x,

with linear elasticity, Rayleigh damping of the flesh against its core, and a barrier B (Li and others 2020) that
grows without end where a gap closes, by Newton's method with a line search. Nothing is condensed, no set of contacts
is chosen and no impulse is found. B is of spheres and planes here; `scenes.contact_reference` puts that of the IPC
Toolkit in its place. The core of the ball may move, but not turn.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import block_diag, bsr_array, coo_array, csc_array, diags_array, hstack, kron
from scipy.sparse.linalg import splu


@dataclass(frozen=True)
class Shell:
    """A ball of `points` (P, 3) [m] and tetrahedra `elements` (T, 4) between a rigid core and the skin.

    The first `inner` points are on the core. `skin` (T, 3) are triangles.
    """

    points: np.ndarray
    elements: np.ndarray
    skin: np.ndarray
    inner: int


def make_shell(sphere: tuple[np.ndarray, np.ndarray], radii: np.ndarray) -> Shell:
    """Layers of a triangulated unit sphere at growing radii, the prisms between them cut into three tetrahedra each."""
    directions, triangles = sphere
    count = len(directions)
    points = (radii[:, None, None] * directions).reshape(-1, 3)
    order = np.sort(triangles, axis=1)  # the same diagonal on both sides of every wall
    elements = []
    for layer in range(len(radii) - 1):
        a, b, c = (order[:, k] + layer * count for k in range(3))
        d, e, f = a + count, b + count, c + count
        elements += [np.stack(four, axis=1) for four in ((a, b, c, f), (a, b, e, f), (a, d, e, f))]
    tets = np.concatenate(elements)
    edges = points[tets[:, 1:]] - points[tets[:, :1]]
    tets[np.linalg.det(edges) < 0.0] = tets[np.linalg.det(edges) < 0.0][:, [1, 0, 2, 3]]
    return Shell(points, tets, triangles + (len(radii) - 1) * count, count)


def unit_sphere(level: int, *, pole: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """An octahedron divided `level` times; with `pole` above 1 its triangles are smaller towards +y."""
    points = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, -1], [-1, 0, 0], [0, -1, 0]], dtype=np.float64)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])
    for _ in range(level):
        edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        found, index = np.unique(edges, axis=0, return_inverse=True)
        middle = points[found].mean(axis=1)
        ab, bc, ca = index.reshape(-1, 3).T + len(points)
        a, b, c = triangles.T
        points = np.concatenate([points, middle / np.linalg.norm(middle, axis=1, keepdims=True)])
        triangles = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    angle = np.arccos(np.clip(points[:, 1], -1.0, 1.0))
    moved = np.pi * (angle / np.pi) ** pole
    flat = points[:, [0, 2]] / np.maximum(np.linalg.norm(points[:, [0, 2]], axis=1, keepdims=True), 1e-300)
    around = np.sin(moved)[:, None] * flat
    return np.stack([around[:, 0], np.cos(moved), around[:, 1]], axis=1), triangles


@dataclass
class Barriers:
    """What may not be entered: the half-space under `floor` [m], and a ball of `radius` [m] at `center` (3,)."""

    floor: float | None = None
    radius: float = 0.0
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    moved: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m]: how far the ball came since the last step
    reach: float = 5e-4  # [m]: gaps from which on it is felt
    stiffness: float = 1e3  # [N/m]

    def gaps(self, points: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """How far every point (P,) is from each, and the way out (P, 3)."""
        found = []
        if self.floor is not None:
            found.append((points[:, 1] - self.floor, np.broadcast_to([0.0, 1.0, 0.0], points.shape)))
        if self.radius > 0.0:
            off = points - self.center
            far = np.linalg.norm(off, axis=1)
            found.append((far - self.radius, off / far[:, None]))
        return found

    def __call__(self, points: np.ndarray) -> tuple[float, np.ndarray, Any]:
        """-k (d - r)^2 ln(d / r) of all gaps d below r, its gradient (P, 3), and the positive part of its Hessian."""
        value, gradient, blocks = 0.0, np.zeros_like(points), np.zeros((len(points), 3, 3))
        r = self.reach
        for gap, out in self.gaps(points):
            if gap.min() <= 0.0:
                return np.inf, gradient, None
            near = np.flatnonzero(gap < r)
            d, log = gap[near], np.log(gap[near] / r)
            value += float(-self.stiffness * np.sum((d - r) ** 2 * log))
            slope = -self.stiffness * (2.0 * (d - r) * log + (d - r) ** 2 / d)
            bend = -self.stiffness * (2.0 * log + 4.0 * (d - r) / d - (d - r) ** 2 / d**2)
            gradient[near] += slope[:, None] * out[near]
            blocks[near] += bend[:, None, None] * out[near, :, None] * out[near, None]
        return value, gradient, blocks_to_matrix(blocks)

    def carry(self, points: np.ndarray) -> np.ndarray:
        """How far (P, 3) [m] the ball that moved takes points along, so that a step begins outside of it."""
        if self.radius == 0.0 or not self.moved.any():
            return np.zeros_like(points)
        reach = 2.0 * self.reach + float(np.linalg.norm(self.moved))
        near = np.linalg.norm(points - (self.center - self.moved), axis=1) < self.radius + reach
        return np.where(near[:, None], self.moved, 0.0)

    def longest(self, points: np.ndarray, move: np.ndarray) -> float:
        """How much of a move goes without entering: gaps may shrink to a tenth."""
        share = 1.0
        for gap, out in self.gaps(points):
            speed = -np.einsum("pi,pi->p", move, out)
            closing = speed > 0.0
            if closing.any():
                share = min(share, float((0.9 * gap[closing] / speed[closing]).min()))
        return share


def blocks_to_matrix(blocks: np.ndarray) -> Any:
    """Blocks (P, 3, 3) as a block-diagonal matrix."""
    count = len(blocks)
    return bsr_array((blocks, np.arange(count), np.arange(count + 1)), shape=(3 * count, 3 * count)).tocsc()


class SoftBall:
    """The ball in motion. Unknowns are its free nodes and, unless it is `held`, the place of its core."""

    def __init__(
        self,
        shell: Shell,
        *,
        young: float,
        poisson: float,
        density: float,
        damping: tuple[float, float],
        dt: float,
        gravity: float = 0.0,
        held: bool = False,
    ) -> None:
        self.shell, self.dt, count = shell, dt, len(shell.points)
        self._gravity = np.array([0.0, -gravity, 0.0])
        volumes, gradients = _shape_gradients(shell)
        masses = np.bincount(shell.elements.ravel(), np.repeat(density * volumes / 4.0, 4), count)
        core = density * 4.0 / 3.0 * np.pi * np.linalg.norm(shell.points[: shell.inner], axis=1).mean() ** 3
        self.mass = float(masses.sum() + core)
        stiffness = _stiffness(shell, volumes, gradients, young, poisson)
        n = shell.inner
        free = coo_array((np.ones(count - n), (np.arange(n, count), np.arange(count - n))), shape=(count, count - n))
        with_core, three = csc_array(np.ones((count, 1))), diags_array(np.ones(3))
        self._free = kron(free, three).tocsc()
        self._held = held
        # Coordinates are displacements against the core, then the core's: x = X + S q, and flesh is damped against it.
        columns = [self._free] if held else [self._free, kron(with_core, three)]
        self._spread = hstack(columns).tocsc()
        self._masses = np.repeat(masses, 3)
        inertia = (self._spread.T @ diags_array(self._masses) @ self._spread).tocsc()
        size = 3 * (count - n)
        if not held:
            extra = np.zeros(inertia.shape[0])
            extra[size:] = core
            inertia = (inertia + diags_array(extra)).tocsc()
        flesh = (self._free.T @ stiffness @ self._free).tocsc()
        a, b = damping
        resist = (a * self._free.T @ diags_array(self._masses) @ self._free + b * flesh).tocsc()
        self._stiffness = flesh if held else block_diag([flesh, csc_array((3, 3))]).tocsc()
        self._damping = resist if held else block_diag([resist, csc_array((3, 3))]).tocsc()
        self._inertia = inertia
        self._constant = (inertia / dt**2 + self._damping / dt + self._stiffness).tocsc()
        self._weight = self._spread.T @ (self._masses * np.tile(self._gravity, count))
        if not held:
            self._weight[size:] += core * self._gravity
        self.q, self.v = np.zeros(inertia.shape[0]), np.zeros(inertia.shape[0])
        self.iterations: list[int] = []
        self.force = np.zeros(3)
        """What the barrier does to it [N] at the end of the last step."""

    @property
    def points(self) -> np.ndarray:
        """All points (P, 3) [m]."""
        return self.shell.points + (self._spread @ self.q).reshape(-1, 3)

    @property
    def core(self) -> np.ndarray:
        """How far (3,) [m] the core has gone."""
        return np.zeros(3) if self._held else self.q[-3:].copy()

    def throw(self, velocity: np.ndarray) -> None:
        """Give all of it a velocity (3,) [m/s]."""
        self.v[-3:] = velocity

    def step(self, barrier: Any, *, tolerance: float = 1e-6, most: int = 60) -> None:
        """One step of implicit Euler; `tolerance` [m/s] is the largest change of velocity that is left."""
        dt, q0 = self.dt, self.q
        guess = q0 + dt * self.v

        def energy(q: np.ndarray) -> float:
            off, moved = q - guess, q - q0
            value = barrier(self._at(q))[0]
            elastic = 0.5 * q @ (self._stiffness @ q) + 0.5 / dt * moved @ (self._damping @ moved)
            return float(0.5 / dt**2 * off @ (self._inertia @ off) + elastic + value - self._weight @ q)

        q, passes = q0.copy(), 0
        q[: self._free.shape[1]] += self._free.T @ barrier.carry(self._at(q0)).ravel()
        for _ in range(most):
            passes += 1
            _, gradient, hessian = barrier(self._at(q))
            slope = (
                self._inertia @ (q - guess) / dt**2 + self._stiffness @ q + self._damping @ (q - q0) / dt - self._weight
            )
            slope = slope + self._spread.T @ gradient.ravel()
            system = (self._constant + self._spread.T @ hessian @ self._spread).tocsc()
            move = -splu(
                system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            ).solve(slope)
            share = barrier.longest(self._at(q), (self._spread @ move).reshape(-1, 3))
            before = energy(q)
            while share > 1e-9 and not energy(q + share * move) <= before + 1e-12 * abs(before):
                share *= 0.5
            q = q + share * move
            if np.abs(self._spread @ move).max() < tolerance * dt:
                break
        self.iterations.append(passes)
        self.v, self.q = (q - q0) / dt, q
        self.force = -barrier(self._at(q))[1].sum(axis=0)

    def _at(self, q: np.ndarray) -> np.ndarray:
        return self.shell.points + (self._spread @ q).reshape(-1, 3)


def _shape_gradients(shell: Shell) -> tuple[np.ndarray, np.ndarray]:
    """Volumes (T,) and gradients (T, 4, 3) of the corner functions."""
    corners = shell.points[shell.elements]
    edges = corners[:, 1:] - corners[:, :1]
    inverse = np.linalg.inv(edges)  # columns are gradients of the last three
    gradients = np.concatenate([-inverse.sum(axis=2, keepdims=True), inverse], axis=2)
    return np.abs(np.linalg.det(edges)) / 6.0, np.swapaxes(gradients, 1, 2)


def _stiffness(shell: Shell, volumes: np.ndarray, g: np.ndarray, young: float, poisson: float) -> Any:
    """K_ab = V (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) 1)."""
    lam, mu = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    outer = np.einsum("tai,tbj->tabij", g, g)
    blocks = (
        lam * outer + mu * np.swapaxes(outer, 3, 4) + mu * np.einsum("tak,tbk->tab", g, g)[..., None, None] * np.eye(3)
    )
    blocks *= volumes[:, None, None, None, None]
    rows = 3 * shell.elements[:, :, None, None, None] + np.arange(3)[:, None]
    columns = 3 * shell.elements[:, None, :, None, None] + np.arange(3)
    shape = np.broadcast_shapes(blocks.shape)
    size = 3 * len(shell.points)
    entries = (blocks.ravel(), (np.broadcast_to(rows, shape).ravel(), np.broadcast_to(columns, shape).ravel()))
    return coo_array(entries, shape=(size, size)).tocsc()
