"""Plain boxes of voxels round two bones, to try the solver of the lattice with."""

import numpy as np

from supple import device as devices
from supple.character.weights import Weights
from supple.geometry import quaternions
from supple.geometry.voxels import VoxelGrid
from supple.skins.lattice.binding import LatticeArrays
from supple.skins.lattice.parameters import LatticeParameters
from supple.skins.lattice.shape_matching.solver import Solver
from supple.skins.lattice.step import lattice_stages
from supple.skins.lattice.voxelize.anatomy import Anatomy
from supple.skins.lattice.voxelize.cells import Lattice

SIDE = 0.05
DT = 1.0 / 60.0


def beam(shape=(12, 6, 6), filled=None):
    """A beam along x: its middle line is bone, then muscle, fat and skin; the second joint takes over half way."""
    cells = np.argwhere(np.ones(shape) if filled is None else filled).astype(np.int32)
    lattice = Lattice.from_cells(VoxelGrid(np.zeros(3), SIDE, shape), cells)
    off = np.abs(cells[:, 1:] - (np.array(shape[1:]) - 1) / 2).max(axis=1)
    layers = np.where(off < 1, 0, np.where(lattice.on_surface, 3, np.where(off < 2, 1, 2))).astype(np.int32)
    later = np.clip((cells[:, 0] - (shape[0] - 1) / 2) / 4 + 0.5, 0.0, 1.0)
    weights = Weights.from_dense(np.stack([1.0 - later, later], axis=1), influences=2)
    return Anatomy(lattice, weights, layers, SIDE * (off + 0.5), off / max(off.max(), 1.0))


def parameters(**changes):
    """All layers alike; one number stands for all of them."""
    usual = {"stiffness": 1.0, "frequency": 0.0, "damping": 0.2, "velocity_retention": 1.0, "follow": 0.0}
    rows = {name: (0.0, *np.broadcast_to(changes.pop(name, value), 3)) for name, value in usual.items()}
    return LatticeParameters(**{"max_offset": 1000.0, **changes}, **rows)


def rigid(rotation=(0.0, 0.0, 0.0, 1.0), move=(0.0, 0.0, 0.0)):
    return quaternions.compose(np.asarray(move, dtype=float), np.asarray(rotation, dtype=float))


class Playing:
    """A solver that is played by hand: one transform for each of the two joints and every step."""

    def __init__(self, anatomy, settings=None, *, iterations=1, constraints=True, **options):
        self.anatomy = anatomy
        self.solver = Solver(LatticeArrays.from_anatomy(anatomy, 2, **options), devices.Constants("cpu"))
        self.solver.divide(anatomy.layers, anatomy.depths)
        self.origins = None
        self._carry = self.solver.blend_nodes()
        secondary = settings is None or settings.secondary
        self._step = lattice_stages(self.solver, iterations=iterations, secondary=secondary, constraints=constraints)
        self.tune(settings or parameters())

    def tune(self, settings, dt=DT):
        self.solver.set_parameters(settings, dt)

    def step(self, first, second=None):
        """Move on to a pose; returns the nodes [m]."""
        pair = np.stack([first, first if second is None else second])
        copies = self.solver.copies
        transforms = np.tile(pair, (copies, 1, 1))
        begins = self.origins is None
        self.origins = self.solver.set_pose(transforms, transforms, self.origins)
        for launch in self._carry:
            launch()
        if begins:
            self.solver.reset()
        for launch in self._step:
            launch()
        return self.points

    @property
    def points(self):
        origins = np.repeat(self.origins, self.solver.each, axis=0)
        return self.solver.positions.numpy() + origins

    @property
    def carried(self):
        origins = np.repeat(self.origins, self.solver.each, axis=0)
        return self.solver.kinematic.numpy() + origins

    def put(self, points):
        """Put the nodes elsewhere."""
        self.solver.positions.numpy()[...] = points - np.repeat(self.origins, self.solver.each, axis=0)
