"""The soft skins that are tried, small, on a tube; and how they are held in a pose."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

import supple
from conftest import make_tube
from supple.geometry.quaternions import quat_from_axis_angle
from supple.skins.base import AnySkin

FPS = 30.0
NEAR = 0.01  # of the size
TUBE = make_tube(rings=17, sectors=10)
REST = supple.Pose(TUBE.skeleton.world_from_joint)
SIZE = float(np.linalg.norm(np.ptp(TUBE.points, axis=0)))


def soft_skins() -> dict[str, AnySkin]:
    """Every skin with a memory, as it comes and where that keeps flesh near its place, also let loose."""
    return {
        "spring-dynamics": supple.SKINS["spring-dynamics"](),
        "position-based": supple.SKINS["position-based"](tetrahedra=300),
        "position-based, let loose": supple.SKINS["position-based"](tetrahedra=300, max_offset=2.0),
        "lattice": supple.SKINS["lattice"](resolution=16),
        "lattice, let loose": supple.SKINS["lattice"](resolution=16, max_offset=1000.0),
        "contact": supple.SKINS["contact"](elements=300),
        "pose-space-dynamics": supple.SKINS["pose-space-dynamics"](),
        "curve-dynamics": supple.SKINS["curve-dynamics"](trained=_curves()),
    }


def all_skins() -> dict[str, AnySkin]:
    """Every skin of the catalogue, small."""
    stiff = ("linear", "dual-quaternion", "rotation-centers", "delta-mush", "incremental", "springs", "pose-space")
    soft = {name: skin for name, skin in soft_skins().items() if "," not in name}
    return {name: supple.SKINS[name]() for name in stiff} | {"curves": supple.SKINS["curves"](trained=_curves())} | soft


@cache
def _curves() -> object:
    """Curves trained on two bends with a bulge."""
    from supple.skins.curves import SkinExamples, fit_curves

    poses = [
        supple.Pose.from_rotations(TUBE.skeleton, {"bone1": quat_from_axis_angle([0.0, 0.0, 1.0], angle)})
        for angle in (0.9, -0.7)
    ]
    x, y = TUBE.points[:, 0], TUBE.points[:, 1]
    bulge = np.exp(-(((y - 1.0) / 0.4) ** 2))[:, None] * np.stack([np.clip(x, 0, None), 0 * x, 0 * x], axis=1)
    return fit_curves(TUBE, SkinExamples.sculpted(TUBE, poses, np.array([0.5 * bulge, 0.9 * bulge])))


def held(player: supple.Player, pose: supple.Pose, seconds: float) -> np.ndarray:
    """The points after a pose was held."""
    points = np.zeros(0)
    for _ in range(round(seconds * FPS)):
        points = player.advance(pose, 1.0 / FPS)
    return points


def away(points: np.ndarray, wanted: np.ndarray) -> float:
    """How far the worst point is from where it should be, as a share of the size."""
    return float(np.abs(points - wanted).max()) / SIZE


def median_and_most(figures: Mapping[str, object], name: str) -> str:
    values = np.asarray(figures.get(name, [np.nan]), dtype=float)
    return f"median {100 * np.median(values):.2g} %, most {100 * values.max():.2g} %"
