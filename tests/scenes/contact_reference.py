"""A dropped ball and a pressed finger, by `supple.skins.contact` and by implicit finite elements with IPC's barrier.

    python -m scenes.contact_reference FOLDER        (in tests/; needs ipctk, or with --scipy nothing)

writes figures and numbers of the page on contact. The IPC Toolkit's barrier and collision-free steps are those of its
authors (Li and others 2020); the finite elements are those of `oracles.implicit_fem`.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import supple
from oracles.implicit_fem import Barriers, Shell, SoftBall, make_shell, unit_sphere
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.obstacles import Keys, Plane, RigidBody, Sphere

RADIUS, CORE = 0.1, 0.4  # [m], and the share of it that is bone
YOUNG, POISSON, DENSITY, DAMPING = 25e3, 0.45, 1060.0, (0.5, 0.008)  # of muscle
DROP, FINGER, DEEP, SECONDS = 0.1, 0.02, 0.02, 0.4  # [m, m, m, s]
LAYERS = np.array([0.4, 0.52, 0.64, 0.75, 0.85, 0.93, 1.0])


def ball_character(level: int = 5) -> Character:
    """A ball of skin round one joint in its middle."""
    points, triangles = unit_sphere(level)
    skeleton = Skeleton(("core",), np.array([-1]), np.eye(4)[None], tails=np.zeros((1, 3)))
    weights = Weights(np.zeros((len(points), 1), dtype=int), np.ones((len(points), 1)))
    return Character(points=RADIUS * points, triangles=triangles, skeleton=skeleton, weights=weights, name="ball")


def finger_height(time: float) -> float:
    """Height [m] of the middle of the finger: it comes down evenly until it is `DEEP` in, and stays."""
    return RADIUS + FINGER + 0.001 - (DEEP + 0.001) * min(time / (0.75 * SECONDS), 1.0)


def play(obstacles: tuple[RigidBody, ...], *, held: bool, elements: int, step: float, fps: float) -> Any:
    """The bake of the ball among obstacles."""
    ball = ball_character()
    skin = supple.ArticulatedContact(
        elements=elements,
        core=CORE,
        depth=1.0,
        strength=float(held),
        root_strength=float(held),
        gravity=0.0 if held else 9.81,
        step=step,
        self_contact=False,
        obstacles=obstacles,
    )
    still = supple.Pose.rest(ball.skeleton)
    rest = supple.Motion.from_poses(ball.skeleton, lambda at: still, seconds=SECONDS, fps=fps, name="rest")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return supple.bake(ball, rest, skin, fps=fps)


def dropped(elements: int, step: float, fps: float) -> Any:
    """The ball falls on a floor."""
    return play(
        (Plane(name="floor", at=(0.0, -RADIUS - DROP, 0.0)),), held=False, elements=elements, step=step, fps=fps
    )


def pressed(elements: int, step: float, fps: float) -> Any:
    """A finger presses on the ball, whose bone is held."""
    times = np.linspace(0.0, SECONDS, 81)
    path = Keys(times, np.array([[0.0, finger_height(time), 0.0] for time in times]))
    return play((Sphere(name="finger", radius=FINGER, at=path),), held=True, elements=elements, step=step, fps=fps)


def reference_ball(dt: float, *, held: bool, level: int, down: bool) -> SoftBall:
    """The same ball in plain finite elements, finer where it is touched."""
    directions, triangles = unit_sphere(level, pole=1.5)
    if down:
        directions, triangles = directions * [1.0, -1.0, 1.0], triangles[:, ::-1]
    shell = make_shell((directions, triangles), RADIUS * LAYERS)
    options = {"young": YOUNG, "poisson": POISSON, "density": DENSITY, "damping": DAMPING}
    return SoftBall(shell, dt=dt, gravity=0.0 if held else 9.81, held=held, **options)


class IpcBarrier:
    """The barrier of the IPC Toolkit between the skin of a shell and a mesh beside it."""

    def __init__(
        self, shell: Shell, points: np.ndarray, triangles: np.ndarray, *, reach: float, stiffness: float
    ) -> None:
        import ipctk

        self._ipc, self._reach = ipctk, reach
        self._first, self._count = int(shell.skin.min()), len(shell.points)
        inside = self._count - self._first
        faces = np.concatenate([shell.skin - self._first, triangles + inside]).astype(np.int32)
        self._beside = points
        rest = np.concatenate([shell.points[self._first :], points])
        self._mesh = ipctk.CollisionMesh(rest, ipctk.edges(faces), faces)
        self._mesh.can_collide = ipctk.make_static_obstacle_filter(inside)
        self._potential = ipctk.BarrierPotential(reach, stiffness)
        self.moved = np.zeros(3)

    def move(self, by: np.ndarray) -> None:
        """The mesh beside it moves."""
        self._beside, self.moved = self._beside + by, by

    def carry(self, points: np.ndarray) -> np.ndarray:
        """As of `Barriers`: what is as near as the barrier is felt goes along."""
        if not self.moved.any():
            return np.zeros_like(points)
        far = np.linalg.norm(points[:, None] - (self._beside - self.moved)[None], axis=2).min(axis=1)
        return np.where((far < 4.0 * self._reach)[:, None], self.moved, 0.0)

    def __call__(self, points: np.ndarray) -> tuple[float, np.ndarray, Any]:
        """Value, gradient and Hessian, of all points of the shell."""
        from scipy.sparse import coo_array

        ipc, where = self._ipc, self._all(points)
        met = ipc.NormalCollisions()
        met.build(self._mesh, where, self._reach)
        value = float(self._potential(met, self._mesh, where))
        gradient = np.zeros_like(points)
        inside = self._count - self._first
        gradient[self._first :] = self._potential.gradient(met, self._mesh, where).reshape(-1, 3)[:inside]
        bent = self._potential.hessian(met, self._mesh, where, ipc.PSDProjectionMethod.CLAMP).tocoo()
        own = (bent.row < 3 * inside) & (bent.col < 3 * inside)
        rows, columns = bent.row[own] + 3 * self._first, bent.col[own] + 3 * self._first
        size = 3 * self._count
        return value, gradient, coo_array((bent.data[own], (rows, columns)), shape=(size, size)).tocsc()

    def longest(self, points: np.ndarray, move: np.ndarray) -> float:
        """How much of a move is free of collisions."""
        return 0.95 * float(
            self._ipc.compute_collision_free_stepsize(self._mesh, self._all(points), self._all(points + move))
        )

    def _all(self, points: np.ndarray) -> np.ndarray:
        return np.asfortranarray(np.concatenate([points[self._first :], self._beside]))


def barrier_for(ball: SoftBall, *, floor: bool, ipc: bool) -> Any:
    """What the reference meets: a floor, or the finger where it is at first."""
    center = np.array([0.0, finger_height(0.0), 0.0])
    if not ipc:
        level = -RADIUS - DROP
        return Barriers(floor=level, stiffness=2e4) if floor else Barriers(radius=FINGER, center=center, stiffness=2e4)
    if floor:
        wide, low = 0.5, -RADIUS - DROP
        points = np.array([[-wide, low, -wide], [-wide, low, wide], [wide, low, wide], [wide, low, -wide]])
        triangles = np.array([[0, 1, 2], [0, 2, 3]])
    else:
        directions, triangles = unit_sphere(5)
        points = FINGER * directions + center
    return IpcBarrier(ball.shell, points, triangles, reach=5e-4, stiffness=1e9)


def reference_drop(dt: float, *, level: int, ipc: bool) -> dict[str, Any]:
    """How high [m] the core is, and the force [N] of the floor, in every step."""
    ball = reference_ball(dt, held=False, level=level, down=True)
    barrier = barrier_for(ball, floor=True, ipc=ipc)
    heights, forces = [0.0], [0.0]
    for _ in range(round(SECONDS / dt)):
        ball.step(barrier)
        heights.append(float(ball.core[1]))
        forces.append(float(ball.force[1]))
    return {"heights": heights, "forces": forces, "mass": ball.mass, "iterations": float(np.mean(ball.iterations))}


def reference_press(dt: float, *, level: int, ipc: bool) -> dict[str, Any]:
    """The force [N] of the finger in every step, and a section of the skin at the end."""
    ball = reference_ball(dt, held=True, level=level, down=False)
    barrier = barrier_for(ball, floor=False, ipc=ipc)
    forces = [0.0]
    for number in range(1, round(SECONDS / dt) + 1):
        by = np.array([0.0, finger_height(number * dt) - finger_height((number - 1) * dt), 0.0])
        if ipc:
            barrier.move(by)
        else:
            barrier.center, barrier.moved = barrier.center + by, by
        ball.step(barrier)
        forces.append(float(-ball.force[1]))
    skin = np.unique(ball.shell.skin)
    return {
        "forces": forces,
        "profile": profile(ball.points[skin]).tolist(),
        "points": ball.points[skin].tolist(),
        "triangles": (ball.shell.skin - ball.shell.skin.min()).tolist(),
        "iterations": float(np.mean(ball.iterations)),
    }


def profile(points: np.ndarray, count: int = 60) -> np.ndarray:
    """Height (count,) [m] of the upper skin over its distance from the axis, up to 0.09 m; means over the circle."""
    upper = points[points[:, 1] > 0.0]
    far = np.linalg.norm(upper[:, [0, 2]], axis=1)
    order = np.argsort(far, kind="stable")
    return np.interp(np.linspace(0.0, 0.09, count), far[order], upper[order, 1])


def contact_forces(cache: Any) -> np.ndarray:
    """The force (F,) [N] along y of all contacts, from their impulses in every frame."""
    found = np.zeros(len(cache))
    for event in cache.events:
        found[event.frame] += event.impulse[1] * cache.fps
    return found


def main(words: list[str]) -> None:
    """Run all of it and write numbers to FOLDER/contact_reference.json, after every run."""
    folder, ipc = Path(words[0]), "--scipy" not in words
    found: dict[str, Any] = {"drop": {}, "press": {}, "ipc": ipc}

    def keep() -> None:
        (folder / "contact_reference.json").write_text(json.dumps(found))

    dt = 1.0 / 120.0
    found["drop"]["reference"] = {**reference_drop(dt, level=3, ipc=ipc), "fps": 120.0}
    keep()
    found["press"]["reference"] = {**reference_press(dt, level=3, ipc=ipc), "fps": 120.0}
    keep()
    for elements, step in ((8000, 1.0 / 60.0), (8000, 1.0 / 120.0), (30000, 1.0 / 120.0)):
        name, fps = f"{elements} elements, 1/{round(1 / step)} s", float(round(1.0 / step))
        cache = dropped(elements, step, fps)
        heights = cache.bones[:, 0, 1, 3].tolist()
        found["drop"][name] = {"heights": heights, "forces": contact_forces(cache).tolist(), "fps": fps}
        keep()
        cache = pressed(elements, step, fps)
        points = cache.points[-1].astype(float)
        found["press"][name] = {
            "forces": (-contact_forces(cache)).tolist(),
            "profile": profile(points).tolist(),
            "points": points.tolist(),
            "fps": fps,
            "inside": float((FINGER - np.linalg.norm(points - [0.0, finger_height(SECONDS), 0.0], axis=1)).max()),
        }
        keep()


if __name__ == "__main__":
    main(sys.argv[1:])
