"""The lattice on a device: where bones carry its nodes, the stages of a step, and lattice shape matching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.skins.kinematic.blend import Affine, BlendArrays
from supple.skins.lattice.binding import LatticeArrays
from supple.skins.lattice.parameters import LatticeParameters
from supple.skins.lattice.shape_matching.regions import Blocks, Regions, window

_NEWTON_STEPS = 2  # of every rotation, from where it was: their error is squared each time
MOST_LAYERS = 32  # bone and skin among them
_DENSITY = 1000.0  # kg/m^3
_WIDEST_WALK = 17  # voxels: on a CPU wider regions are summed by running sums; a GPU walks faster at any width


class Solver:
    """The nodes of one character, or of copies of it, on a device, and the stages of a step.

    `kinematic` and `frames` are where bones carry and turn nodes; `positions`, `velocities`, `before` (where bones
    carried them in the last step) and `rotations` (what flesh adds to `frames`, by region) are its memory. All
    positions are seen from `origins` (copies,), which go along with the joints. `external` is what hands do to nodes:
    an acceleration [m/s^2] and how much farther [m] than their reach they may go; zeros, unless hands write there. All
    nodes are bone until `divide` says otherwise.
    """

    def __init__(self, lattice: LatticeArrays, constants: devices.Constants) -> None:
        from supple.skins.lattice.shape_matching import node_kernels

        wp, put, blank = devices.warp(), constants.put, constants.blank
        self._kernels = node_kernels
        self.device, self.copies, self.side = constants.device, lattice.copies, lattice.side
        self.count, self.each = len(lattice), len(lattice) // lattice.copies
        self._joints = lattice.joints
        self.blend = BlendArrays(lattice.packed, constants)
        self.affine = Affine(lattice.copies * lattice.joints, self.device)
        self.reals = blank(lattice.copies * lattice.joints, wp.quatf)
        self.kinematic = self.blend.posed
        self.frames, self.rotations = (blank(self.count, wp.quatf) for _ in range(2))
        self.positions, self.velocities, self.before, self._predicted, self._projected = (
            blank(self.count, wp.vec3f) for _ in range(5)
        )
        self.origins, self.shifts = (blank(lattice.copies, wp.vec3f) for _ in range(2))
        self.parameters = blank(8, wp.float32)
        self._material = blank((MOST_LAYERS, 4), wp.float32)
        self._stiffness, self._oscillators = blank(MOST_LAYERS, wp.float32), blank(MOST_LAYERS, wp.vec4f)
        self.layers = blank(self.count, wp.int32)
        self._depths, self._softness = (blank(self.count, wp.float32) for _ in range(2))
        self._volumes, self._surfaces = (put(values, wp.float32) for values in (lattice.volumes, lattice.surfaces))
        self.external, self._corrections = blank(self.count, wp.vec4f), blank(self.count, wp.mat33f)
        self.chains = constants.derive(
            lattice.regions.chains, "by column", lambda: _by_column(lattice.regions.chains, self.device)
        )
        self._table = _by_column(lattice.table, self.device)
        self._mark_bones = self._launch(node_kernels.mark_bones, self._table.shape[0], self.layers, self._table)
        self._nodes = self._structure()
        nodes = (self.frames, self.rotations, self.layers, self._stiffness)
        self._shape_matching = ShapeMatching(lattice.regions, lattice.side, nodes, constants=constants)
        self._prepare_oscillators = devices.Launch(
            node_kernels.prepare_oscillators,
            MOST_LAYERS,
            [self.parameters, self._material, self._oscillators],
            self.device,
        )

    def _structure(self) -> Any:
        """The nodes as kernels take them."""
        nodes = self._kernels.Nodes()
        nodes.layers, nodes.depths, nodes.softness = self.layers, self._depths, self._softness
        nodes.external = self.external
        nodes.kinematic, nodes.frames, nodes.before = self.kinematic, self.frames, self.before
        nodes.positions, nodes.velocities, nodes.predicted = self.positions, self.velocities, self._predicted
        return nodes

    @property
    def node_mass(self) -> float:
        """Mass of a voxel of flesh [kg]."""
        return _DENSITY * self.side**3

    def divide(self, layers: IntArray, depths: FloatArray, softness: FloatArray | None = None) -> None:
        """Say which layer every node of one copy (N,) is in, 0 for bone, and how deep (N,) [m] its flesh is.

        `softness` (N,) is how much of the motion of its bones it feels as inertia, 0 to 1; all of it if none is given.
        """
        devices.write(self.layers, np.tile(layers, self.copies))
        devices.write(self._depths, np.tile(depths, self.copies))
        devices.write(self._softness, np.tile(np.ones(self.each) if softness is None else softness, self.copies))
        self._mark_bones()

    def set_parameters(self, parameters: LatticeParameters, dt: float, *, starting: bool = False) -> None:
        """Bring to the device what may change at any time, for steps of `dt` [s]."""
        devices.write(self.parameters, parameters.row(dt, starting=starting))
        material, stiffness = np.zeros((MOST_LAYERS, 4)), np.zeros(MOST_LAYERS)
        given = len(parameters.stiffness)
        material[:given], stiffness[:given] = parameters.material(dt), parameters.normalized_stiffness()
        devices.write(self._material, material)
        devices.write(self._stiffness, stiffness)
        self._prepare_oscillators()

    def set_pose(self, transforms: FloatArray, world_from_joint: FloatArray, last: FloatArray | None) -> FloatArray:
        """Take skinning transforms and joints of a pose; returns the origins (copies, 3), `last` being those before."""
        where = world_from_joint[:, :3, 3].reshape(self.copies, self._joints, 3).mean(axis=1)
        origins = where.astype(np.float32).astype(np.float64)
        seen = transforms.copy()
        seen[:, :3, 3] -= np.repeat(origins, self._joints, axis=0)
        self.affine.set(seen)
        devices.write(self.origins, origins)
        devices.write(self.shifts, np.zeros_like(origins) if last is None else origins - last)
        return origins

    def reset(self) -> None:
        """Put all nodes where bones carry them, at peace."""
        wp = devices.warp()
        wp.copy(self.positions, self.kinematic)
        wp.copy(self.before, self.kinematic)
        self.velocities.zero_()
        devices.write(self.rotations, np.tile([0.0, 0.0, 0.0, 1.0], (self.count, 1)))

    # The stages of a step, recorded

    def blend_nodes(self) -> list[devices.Launch]:
        """Where bones carry the nodes."""
        from supple.skins.kinematic.rotation_kernels import rotate_joints

        joints = [self.affine.matrices, self.reals]
        return [
            devices.Launch(rotate_joints, self.copies * self._joints, joints, self.device),
            self._launch(self._kernels.blend_nodes, *self.blend.inputs, *joints, self.kinematic, self.frames),
        ]

    def predict(self) -> devices.Launch:
        """Where nodes would be after the step, were it not for their neighbours."""
        layers = [self._material, self._oscillators]
        return self._launch(self._kernels.predict, self.each, self.parameters, self.shifts, *layers, self._nodes)

    def project_constraints(self) -> list[devices.Launch]:
        """Distances between neighbours and volumes of voxels, one pass; `match_shapes` goes on from there."""
        kernels, points, volumes = self._kernels, self.positions, self._volumes
        measured = [self.chains, volumes, self._surfaces, self.parameters, points, self._corrections]
        kept = [self._table.shape[0], self._table, self.chains, volumes, self.layers, self.parameters]
        return [
            self._launch(kernels.compute_volume_corrections, *measured),
            self._launch(kernels.project_constraints, self.side, *kept, self._corrections, points, self._projected),
        ]

    def match_shapes(self, *, projected: bool) -> list[devices.Launch]:
        """Regions fit their rest shape to their nodes and pull them towards it; `projected`: after constraints."""
        return self._shape_matching.launches(self._projected if projected else self.positions, self.positions)

    def measure_forces(self, forces: Any) -> devices.Launch:
        """What draws nodes back to where bones carry them and what pushes them, written to `forces` (N,) [N]."""
        return self._launch(self._kernels.measure_forces, self.node_mass, self._material, self._nodes, forces)

    def update_velocities(self) -> devices.Launch:
        """Keep what the lattice made of the step."""
        return self._launch(self._kernels.update_velocities, self.parameters, self._material, self._nodes)

    def _launch(self, kernel: Any, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, self.count, inputs, self.device)


class ShapeMatching:
    """Regions on a device, and the launches that bring nodes nearer to the shape they have at rest.

    `frames` is how the bones alone turn every node, `rotations` what flesh adds to that (kept from step to step),
    `layers` the layer of every node, `stiffness` one number for each layer, 0 to 1; all on the device.
    """

    def __init__(
        self,
        regions: Regions,
        side: float,
        nodes: tuple[Any, Any, Any, Any],
        *,
        constants: devices.Constants,
        newton_steps: int = _NEWTON_STEPS,
        prefix_sums: bool | None = None,
    ) -> None:
        wp, device = devices.warp(), constants.device
        self._device, self._count, self._side, self._newton_steps = device, len(regions.masses), side, newton_steps
        self._regions, self._constants = regions, constants
        self._frames, self._rotations, self._layers, self._stiffness = nodes

        def centers() -> Any:
            rows = np.concatenate([regions.centers * side, 1.0 / regions.region_masses[:, None]], axis=1)
            return devices.to_device(rows.astype(np.float32), wp.vec4f, device)

        self._masses = constants.derive(
            regions.masses, "masses", lambda: devices.to_device(regions.masses.astype(np.float32), wp.float32, device)
        )
        self._centers = constants.derive(regions.centers, ("centers", side), centers)
        self._chains = constants.derive(
            regions.chains, "columns", lambda: [devices.to_device(each, wp.int32, device) for each in regions.chains.T]
        )
        wide = (device == "cpu" and regions.width > _WIDEST_WALK) if prefix_sums is None else prefix_sums
        self._by_prefix_sums = wide
        self._arrays = self._prefix_sum_arrays() if wide else self._walk_arrays()

    def launches(self, points: Any, moved: Any) -> list[devices.Launch]:
        """Recorded: once from `points` to `moved`, which may be the same arrays (N,) on the device."""
        return (self._record_prefix_sums if self._by_prefix_sums else self._record_walks)(points, moved)

    def _launch(self, kernel: Any, inputs: Sequence[Any], count: int | None = None) -> devices.Launch:
        return devices.Launch(kernel, self._count if count is None else count, inputs, self._device)

    def _walk_arrays(self) -> list[Any]:
        from supple.skins.lattice.shape_matching import matching_kernels as kernels

        wp = devices.warp()
        kinds = (kernels.vec6, kernels.vec9, kernels.vec12)
        return [wp.zeros(self._count, dtype=kind, device=self._device) for kind in kinds]

    def _record_walks(self, points: Any, moved: Any) -> list[devices.Launch]:
        from supple.skins.lattice.shape_matching import matching_kernels as kernels

        low, high = window(self._regions.width)
        six, nine, twelve = self._arrays
        along_x, along_y, along_z = ([low, high, *self._chains[2 * axis : 2 * axis + 2]] for axis in range(3))
        fit = [self._side, self._newton_steps, self._centers, self._frames, self._rotations]
        end = [self._masses, self._layers, self._stiffness, points, moved]
        return [
            self._launch(kernels.sum_along_z, [*along_z, self._masses, points, six]),
            self._launch(kernels.sum_along_y, [*along_y, six, nine]),
            self._launch(kernels.match_along_x, [*along_x, nine, *fit, twelve]),
            self._launch(kernels.spread_along_x, [*along_x, twelve, nine]),
            self._launch(kernels.spread_along_y, [*along_y, nine, six]),
            self._launch(kernels.apply_goals_along_z, [*along_z, six, *end]),
        ]

    def _prefix_sum_arrays(self) -> list[Any]:
        from supple.skins.lattice.shape_matching import matching_kernels as kernels

        wp = devices.warp()
        kinds = (kernels.vec12, kernels.vec12, kernels.vec12, wp.vec3f, wp.vec3f)
        return [wp.zeros(self._count, dtype=kind, device=self._device) for kind in kinds]

    def _put_blocks(self) -> tuple[list[Any], list[Any], list[Any]]:
        """On the device, by axis: where blocks start, and the windows of nodes there and back."""
        wp, device = devices.warp(), self._device
        blocks = [Blocks.from_chains(self._regions.chains, axis, self._regions.width) for axis in range(3)]
        starts = [devices.to_device(each.starts, wp.int32, device) for each in blocks]
        low, high = window(self._regions.width)
        ahead, back = (
            [devices.to_device(each.windows(*reach), wp.vec4i, device) for each in blocks]
            for reach in ((low, high), (high, low))
        )
        return starts, ahead, back

    def _record_prefix_sums(self, points: Any, moved: Any) -> list[devices.Launch]:
        from supple.skins.lattice.shape_matching import matching_kernels as kernels

        sums, forward, backward, forward_moment, backward_moment = self._arrays
        run = [forward, forward_moment, backward, backward_moment]
        width = self._regions.width
        starts, ahead, back = self._constants.derive(self._regions.chains, ("blocks", width), self._put_blocks)

        def sum_windows(axis: int, windows: Any, slots: tuple[int, int, float]) -> list[devices.Launch]:
            slot, into, sign = slots
            chain = self._chains[2 * axis : 2 * axis + 2]
            runs = [width, slot, starts[axis], *chain, sums, *run]
            return [
                self._launch(kernels.prefix_sums_along, runs, len(starts[axis])),
                self._launch(kernels.window_sums_along, [slot, into, sign, windows, *run, sums]),
            ]

        forth = [launch for axis in (2, 1, 0) for launch in sum_windows(axis, ahead[axis], (0, 1 + axis, 1.0))]
        home = [launch for axis in (0, 1, 2) for launch in sum_windows(axis, back[axis], (1 + axis, 0, -1.0))]
        fit = [self._side, self._newton_steps, sums, self._centers, self._frames, self._rotations, sums]
        end = [sums, self._masses, self._layers, self._stiffness, points, moved]
        return [
            self._launch(kernels.init_sums, [self._masses, points, sums]),
            *forth,
            self._launch(kernels.match_regions, fit),
            *home,
            self._launch(kernels.apply_goals, end),
        ]


def _by_column(table: NDArray[np.int32], device: str) -> Any:
    """A table (N, K) as (K, N): neighbouring threads of a GPU read neighbouring numbers, those of a CPU one row."""
    wp = devices.warp()
    if device != "cpu":
        return devices.to_device(table.T, wp.int32, device)
    return devices.to_device(table, wp.int32, "cpu").transpose((1, 0))
