"""The multi-layer lattice at the published sizes, a fine one in real time, and a million voxels on a GPU.

The published models cannot be had, and how many vertices they had was not printed. The built-in hero with 8 000
vertices stands in for them, at the resolutions that give it as many voxels. A whole frame is one of a player: the
kinematic skin, one step of the lattice, and the skin that follows it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import supple
from supple import device as devices
from supple.bench.rows import Row
from supple.bench.timing import once, timed
from supple.character.character import Character
from supple.character.weights import Weights
from supple.geometry.voxels import VoxelGrid
from supple.motion.motion import Motion
from supple.skins.lattice.binding import LatticeArrays
from supple.skins.lattice.settings import Voxels
from supple.skins.lattice.shape_matching.solver import Solver
from supple.skins.lattice.skin import LayeredLattice
from supple.skins.lattice.step import lattice_stages
from supple.skins.lattice.voxelize.anatomy import Anatomy
from supple.skins.lattice.voxelize.cells import Lattice
from supple.skins.lattice.voxelize.voxel_components import make_lattice

ROOM = "lattice"
VERTICES = 8_000
REAL_TIME = 1.0 / 30.0  # s
FINE = 64
MESH_TO_FILL = 13_502  # vertices: a mesh of 27 000 triangles
BOX = 100  # voxels along each side of what a GPU steps


@dataclass(frozen=True)
class Scene:
    """A published character: its voxels, the time of its frame [s], and the resolution that gives the hero as many."""

    name: str
    voxels: int
    frame: float
    resolution: int


SCENES = (
    Scene("bunny", 3671, 19.47e-3, 57),
    Scene("smurf", 4312, 36.36e-3, 61),
    Scene("bloat", 4798, 32.45e-3, 63),
    Scene("bloat-low", 922, 5.47e-3, 33),
)


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """Whole frames and the preparation on the CPU; on a GPU a step of a million voxels as well."""
    for scene in SCENES:
        preset = LayeredLattice.presets[scene.name]
        kinds: list[tuple[str, Mapping[str, Any]]] = [("as published", preset), ("default", {"width": preset["width"]})]
        for what, settings in kinds:
            skin = LayeredLattice(**{**settings, "resolution": scene.resolution})
            yield from _frames(scene.name, what, skin, scene.frame, progress, device)
    yield from _frames(
        f"hero-{FINE}", "default", LayeredLattice(voxels=Voxels(resolution=FINE)), REAL_TIME, progress, device
    )
    yield _preparation(progress)
    if device != "cpu":
        yield _box(progress, device)


@cache
def _actors() -> tuple[Character, Motion]:
    hero = supple.character("hero", vertices=VERTICES)
    return hero, supple.motion("walk", hero)


def _frames(
    scene: str, what: str, skin: LayeredLattice, published: float, progress: Callable[[str], None], device: str
) -> Iterator[Row]:
    """Bind, first and steady frame."""
    character, motion = _actors()
    progress(f"{scene}: {what}")
    made: list[supple.Player] = []
    times = (skin.step * frame for frame in itertools.count())

    def bind() -> None:
        made.append(supple.player(character, skin, device=device))

    def frame() -> None:
        made[0].play(motion, next(times))

    voxels = len(make_lattice(character.points, character.triangles, skin.voxels.resolution))
    size = f"{voxels} voxels, {len(character.points)} vertices, {len(character.skeleton)} bones"
    yield Row.of(ROOM, scene, f"{what}: bind", timing=once(bind))
    yield Row.of(ROOM, scene, f"{what}: first frame", timing=once(frame))
    yield Row.of(
        ROOM, scene, f"{what}: steady frame", timing=timed(frame, repeats=200), published_seconds=published, note=size
    )


def _preparation(progress: Callable[[str], None]) -> Row:
    """All that is prepared for a mesh of 27 000 triangles."""
    progress(f"filling {2 * MESH_TO_FILL - 4} triangles at resolution {FINE}")
    character = supple.character("hero", vertices=MESH_TO_FILL)
    skin = LayeredLattice(voxels=Voxels(resolution=FINE))

    def bind() -> None:
        skin.bind(character, "cpu")

    timing = timed(bind, repeats=5, warm_up=1, most_seconds=10.0)
    return Row.of(ROOM, "preparation", f"{len(character.triangles)} triangles at resolution {FINE}", timing=timing)


def box(side: int) -> Anatomy:
    """A cube of voxels that two joints carry: a slab of bone below, then muscle, fat and a skin around it."""
    cells = np.argwhere(np.ones((side, side, side), dtype=bool)).astype(np.int32)
    grid = VoxelGrid(np.zeros(3), 1.0 / side, (side, side, side))
    lattice = Lattice.from_cells(grid, cells)
    high = cells[:, 1] / side
    skin = ((cells == 0) | (cells == side - 1)).any(axis=1)
    layers = np.select([high < 0.1, skin, high < 0.5], [0, 3, 1], default=2).astype(np.int32)
    depths = np.maximum(high - 0.1, 0.0)
    joints = np.tile(np.array([0, 1], dtype=np.int32), (len(cells), 1))
    weights = Weights(joints, np.stack([1.0 - high, high], axis=1))
    return Anatomy(lattice, weights, layers, depths, np.where(skin, 1.0, 0.5))


def _box(progress: Callable[[str], None], device: str) -> Row:
    """One step of a cube of voxels, with all constraints, the bones having moved."""
    progress(f"a box of {BOX**3} voxels")
    anatomy = box(BOX)
    solver = Solver(LatticeArrays.from_anatomy(anatomy, 2), devices.Constants(device))
    solver.divide(anatomy.layers, anatomy.depths)
    step = boxed_step(solver)
    wp = devices.warp()

    def run() -> None:
        step()
        wp.synchronize_device(device)

    return Row.of(ROOM, "box", f"a step of {BOX**3} voxels, all on the device", timing=timed(run))


def boxed_step(solver: Solver) -> devices.Chain:
    """A step of a lattice that two joints carry, ready to run; the second joint is turned a little."""
    skin = LayeredLattice()
    pose = np.tile(np.eye(4), (2, 1, 1))
    solver.set_pose(pose, pose, None)
    for launch in solver.blend_nodes():
        launch()
    solver.reset()
    solver.set_parameters(skin.parameters(), skin.step)
    rotated = pose.copy()
    rotated[1, :2, :2] = [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]
    solver.set_pose(rotated, rotated, np.zeros((1, 3)))
    return devices.Chain(
        [
            *solver.blend_nodes(),
            *lattice_stages(solver, iterations=skin.solve.iterations, secondary=True, constraints=True),
        ],
        solver.device,
    )
