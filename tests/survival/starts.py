"""Random starts: flesh is thrown about in memory, the pose is held, and the skin has to come back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

import supple
from supple.geometry.quaternions import quat_from_axis_angle
from supple.skins.base import AnySkin
from survival.flesh import NEAR, REST, SIZE, TUBE, away, held, median_and_most, soft_skins
from survival.rows import Attempt, Said, Trial

RECOVERY = 3.0  # [s]
KINDS = ("thrown", "scrambled", "flattened", "turned inside out", "all in one point")
POSITIONS = ("positions", "displacements", "shapes")  # of particles, voxels and nodes, as memories name them
VELOCITIES = ("velocities", "node_velocities")
BONES = (".body.positions", ".body.velocities")  # of contact, whose skeleton moves


def thrown(kept: dict[str, np.ndarray], kind: str, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """A memory in which all flesh lies somewhere else, and flies: as far as half the body, and ten bodies a second."""
    found = dict(kept)
    for key, values in kept.items():
        name = key.rpartition(".")[2]
        if ".state." not in key or ".handles." in key or "dynamic_bodies" in key or key.endswith(BONES):
            continue
        if name in VELOCITIES:
            found[key] = values + rng.uniform(-10.0, 10.0, values.shape) * SIZE
        elif name in POSITIONS:
            home = 0.0 if name == "displacements" else values.mean(axis=0)
            found[key] = _places(values - home, kind, rng) + home
        elif name == "resting":
            found[key] = np.zeros_like(values)
        found[key] = np.asarray(found[key]).astype(values.dtype)
    return found


def _places(values: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Where flesh lies, from the middle of the body; displacements, which are small, are thrown as far."""
    if kind == "thrown":
        return values + rng.uniform(-0.5, 0.5, values.shape) * SIZE
    if kind == "scrambled":
        return values[rng.permutation(len(values))] + rng.uniform(-0.1, 0.1, values.shape) * SIZE
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    if kind == "all in one point":
        return np.zeros_like(values) + axis * 0.25 * SIZE
    along = (values @ axis)[:, None] * axis
    return values - (1.0 if kind == "flattened" else 2.0) * along


@contextlib.contextmanager
def _ready(skin: AnySkin) -> Iterator[Attempt]:
    player = supple.player(TUBE, skin)
    bent = supple.Pose.from_rotations(TUBE.skeleton, {"bone1": quat_from_axis_angle([0.0, 0.0, 1.0], 0.8)})
    poses = (REST, bent)
    kept, wanted = [], []
    for pose in poses:
        player.reset()
        held(player, pose, 1.0)
        kept.append(player.snapshot())
        wanted.append(held(player, pose, RECOVERY).copy())

    def attempt(number: int) -> Said:
        which, kind = number % 2, KINDS[number // 2 % len(KINDS)]
        player.restore(thrown(kept[which], kind, np.random.default_rng(number)))
        farthest = 0.0
        for _ in range(3):
            points = player.advance(poses[which], 1.0 / 30.0)
            if not np.isfinite(points).all():
                return Said.of(f"{kind}: not finite", finite=0)
            farthest = max(farthest, away(points, wanted[which]))
        points = held(player, poses[which], RECOVERY)
        if not np.isfinite(points).all():
            return Said.of(f"{kind}: not finite", finite=0)
        far = away(points, wanted[which])
        lost = "" if far < NEAR else f"{kind}: not back within 1 % after {RECOVERY:g} s"
        return Said.of(lost, finite=1, shown=farthest, left=far)

    yield attempt


def trials(tries: int) -> list[Trial]:
    """A row for every soft skin."""

    def told(figures):
        finite = f"finite in {sum(figures['finite']):.0f}"
        return f"{finite}; skin thrown off by {median_and_most(figures, 'shown')}"

    return [
        Trial(f"random start, {name}", tries, lambda skin=skin: _ready(skin), needed=0.95, told=told)
        for name, skin in soft_skins().items()
    ]
