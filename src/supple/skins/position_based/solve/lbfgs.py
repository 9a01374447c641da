"""L-BFGS with a line search, which brings flesh to the least of its energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.geometry.cholesky import Cholesky
from supple.skins.position_based.blocks import fit_blocks
from supple.skins.position_based.solve.energy import (
    EnergyBinding,
    EnergyWeights,
    element_arrays,
    star_arrays,
    strip_arrays,
)
from supple.skins.position_based.solve.pressure import Pressure

_LONGEST_MOVE = 0.5  # of an element's size, in one round
_ROUNDING = 3e-6  # of an element's size: a round that moves particles by less on the mean has learnt nothing
_STRONGEST = 200.0  # times how large a body is: no gradient is longer, as the weights of its energy are bounded
_MANY = 264  # bodies, from which more of them work at once if each has fewer threads
_LANE = 4000  # elements that a thread goes through; waking another for fewer costs more than it saves
_MOST_LANES = 8


class LbfgsSolver:
    """The particles of a body on a device, and iterations of L-BFGS that bring them to the least of its energy.

    `particles` holds position and inverse mass, `anchors` the points of the bones that particles are bound to.
    `kinematic` is where the bones alone carry the particles. `contacts`, if there are any, say which plane and face
    each particle is held off and how firmly, and where they are. Of a crowd each body finds its own way. On a GPU many
    are strained body by body (`by_body`).
    """

    def __init__(
        self,
        binding: EnergyBinding,
        kinematic: Any,
        constants: devices.Constants,
        *,
        contacts: tuple[Any, ...] | None = None,
        by_body: bool | None = None,
    ) -> None:
        from supple.skins.position_based.solve import energy_kernels, lbfgs_kernels

        wp, blank, put = devices.warp(), constants.blank, constants.put
        one, copies, device = binding.one, binding.copies, constants.device
        self.count, self.copies, self.device = len(one.points), copies, device
        self.element_count = len(one.corners)
        self._binding, self._kinematic = binding, kinematic
        total = copies * self.count
        self.particles, self.anchors = blank(total, wp.vec4f), blank(total, wp.vec3f)
        self._by_particle = device != "cpu"
        self._elements = constants.derive(binding.corners, "elements", lambda: element_arrays(binding, device))
        by_body = fit_blocks(device, copies, self.count) if by_body is None else by_body
        self._star = (
            constants.derive(binding.corners, "star", lambda: star_arrays(binding, device))
            if self._by_particle and not by_body
            else None
        )
        self._strips = (
            constants.derive(binding.corners, "strips", lambda: strip_arrays(binding, device)) if by_body else None
        )
        self.pressure = Pressure(binding, self._elements, constants, at_particles=by_body)
        self._attachments = devices.fill_struct(
            energy_kernels.Attachments(),
            anchors=self.anchors,
            lengths=put(binding.bind_lengths, wp.float32),
            kinematic=kinematic,
            hold_stiffness=put(binding.hold_stiffness, wp.float32),
        )
        self._contacts = contacts
        self._held_off = contacts[:3] if contacts else _no_contacts(total, copies, device)
        self._pressed = blank(3 * total, wp.int64)
        self._element_lanes = 1 if self._by_particle else int(np.clip(len(one.corners) // _LANE, 1, _MOST_LANES))
        self._strain = blank(self._element_lanes * total, wp.vec4f)
        self._weights, self._relaxation = blank(6, wp.float32), blank(6, wp.float32)
        self._weighed: EnergyWeights | None = None
        self._factor: Cholesky | None = None
        self._max_step = _LONGEST_MOVE * one.size
        self._min_product = self.count * (_ROUNDING * one.size) ** 2
        self._gradients, self._preconditioned = blank(total, wp.vec3f), blank(total, wp.vec3f)
        vectors = ("positions", "gradients", "preconditioned")
        self._last = devices.fill_struct(lbfgs_kernels.Iterate(), **{name: blank(total, wp.vec3f) for name in vectors})
        self._history = devices.fill_struct(
            lbfgs_kernels.History(),
            **{name: blank(3 * total, wp.vec3f) for name in vectors},
            s_y=blank(copies, wp.mat33f),
            y_z=blank(copies, wp.mat33f),
            slot=blank(copies, wp.int32),
            count=blank(copies, wp.int32),
        )
        self._search = devices.fill_struct(
            lbfgs_kernels.LineSearch(),
            energy=blank(copies, wp.float32),
            backtracks=blank(copies, wp.int32),
            alphas=blank(copies, wp.vec3f),
            gammas=blank(copies, wp.vec3f),
        )
        self._energies = blank(total, wp.float32)
        self._sums = blank(copies, lbfgs_kernels.Products)

    def set_weights(self, weights: EnergyWeights) -> None:
        """Take weights for the iterations to come."""
        if weights == self._weighed:
            return
        self._weighed = weights
        devices.write(self._weights, weights.row())
        if not len(self._binding.free):
            return
        factor = self._binding.factor(weights, self.device)
        if self._factor is None:
            expected = _STRONGEST * float(np.ptp(self._binding.one.points, axis=0).max())
            self._factor = Cholesky(
                factor, stride=self.count, copies=self.copies, device=self.device, expected=expected
            )
        else:
            self._factor.replace(factor)

    def reset_history(self) -> None:
        """Forget what earlier iterations have learnt of an energy that has changed since."""
        self._history.count.fill_(-1)
        self._history.slot.zero_()
        self._search.backtracks.zero_()

    def iteration(self) -> devices.Calls:
        """Recorded: one step downhill: gradient, preconditioner, L-BFGS direction, line search. Weights are set before.

        Where nothing may move there is nothing to do.
        """
        from supple.skins.position_based.solve import energy_kernels

        if self._factor is None:
            return []
        total = self.copies * self.count
        descent = [self._gradients, self._preconditioned]
        return [
            self._strain_launch(self._weights, None),
            *self._press_faces(),
            self._launch(
                energy_kernels.gradient,
                total,
                self._element_lanes,
                self._strain,
                self.count,
                self._weights,
                self._attachments,
                *self._held_off,
                self._pressed,
                self.particles,
                self._gradients,
                self._energies,
            ),
            *self._factor.solving(*descent),
            *self._descend(descent),
        ]

    def _descend(self, descent: list[Any]) -> devices.Calls:
        """Recorded: from G and H to the next iterate. A GPU does all of it in one launch, a block for every body."""
        from supple.skins.position_based.solve import lbfgs_kernels

        known = [self._energies, self.particles, *descent, self._last, self._history]
        if self._by_particle:
            limits = devices.warp().vec2f(self._min_product, self._max_step)
            lanes = lbfgs_kernels.LANES if self.copies < _MANY else lbfgs_kernels.LANES_OF_MANY
            inputs = [self.count, limits, *known, self._search]
            return [devices.Launch(lbfgs_kernels.lbfgs_round, self.copies * lanes, inputs, self.device, block=lanes)]
        stepping = [self.count, self._max_step, self._search, *descent, self._history, self._last, self.particles]
        choosing = [self._min_product, self._sums, self._history, self._search]
        return [
            self._launch(lbfgs_kernels.lbfgs_products, self.copies, 1, self.count, *known, self._sums),
            self._launch(lbfgs_kernels.lbfgs_direction, self.copies, *choosing),
            self._launch(lbfgs_kernels.line_search_step, self.copies * self.count, *stepping),
        ]

    def _press_faces(self) -> devices.Calls:
        """Recorded, on one core of a processor: faces give way to what has come through them."""
        from supple.skins.position_based.solve import energy_kernels

        if self._contacts is None:
            return []
        held, _, faces, found = self._contacts
        inputs = [found, self.count, self._weights, held, faces, self.particles, self._pressed]
        total = self.copies * self.count
        return [devices.Launch(energy_kernels.press_faces, total, inputs, self.device, smallest=total)]

    def set_relaxation(self, volume: float, stretch: float) -> None:
        """Take how much volumes and edges, 0 to 1, count in `relax`."""
        devices.write(self._relaxation, np.array([volume, 0.0, stretch, 0.0, 0.0, 0.0], dtype=np.float32))

    def relax(self, settled: Any) -> devices.Calls:
        """Recorded: particles that may move give way to the volumes and lengths that there are at `settled`."""
        from supple.skins.position_based.solve import energy_kernels

        inputs = [self._element_lanes, self._strain, self.particles]
        return [
            self._strain_launch(self._relaxation, settled),
            self._launch(energy_kernels.relax_strain, self.copies * self.count, *inputs),
        ]

    def _strain_launch(self, weights: Any, settled: Any) -> devices.Launch:
        """Recorded: what elements and edges do to particles, at rest sizes or at those that there are at `settled`.

        One thread goes through many elements on a processor; a few share what is round a particle on a GPU.
        """
        from supple.geometry.kernels.block import BLOCK
        from supple.skins.position_based.solve import energy_kernels, strip_kernels

        if self._strips is not None:
            threads = 1 if self.device == "cpu" else int(BLOCK)  # of a processor only one, which tests ask for
            kernel, blocks, sizes = strip_kernels.strain_by_body, (self.copies + 1) // 2, self.pressure.applied
            if settled is not None:
                kernel, blocks, sizes = strip_kernels.strain_by_body_where_settled, self.copies, settled
            inputs = [self.count, weights, self._strips, sizes, self.particles, self._strain]
            return devices.Launch(kernel, threads * blocks, inputs, self.device, block=threads)
        relative = [int(settled is not None), self.anchors if settled is None else settled]
        arrays = [*relative, self.particles, self._strain]
        if self._by_particle:
            lanes = 1 if self.device == "cpu" else energy_kernels.LANES
            inputs = [lanes, self.count, weights, self._star, self.pressure.targets, *arrays]
            return self._launch(energy_kernels.strain_by_particle, lanes * self.copies * self.count, *inputs)
        inputs = [self._element_lanes, self.count, weights, self._elements, self.pressure.targets, *arrays]
        count = self.copies * self._element_lanes
        return devices.Launch(energy_kernels.strain_by_element, count, inputs, self.device, smallest=1)

    def check(self, settled: Any, inverted: Any, pressures: Any, params: Any) -> devices.Calls:
        """Recorded: elements inside out at `settled` mark `inverted` (P,), `pressures` (P,) grow by what is lost.

        `params` say whether flesh is awake; see `step_kernels`.
        """
        return self.pressure.update(self._kinematic, settled, pressures, inverted, params)

    def residual(self) -> float:
        """The longest gradient of the last iteration, after waiting for the device: how far it is from balance."""
        return float(np.linalg.norm(devices.to_host(self._gradients), axis=1).max(initial=0.0))

    def _launch(self, kernel: Any, count: int, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, count, inputs, self.device)


def _no_contacts(particles: int, copies: int, device: str) -> tuple[Any, Any, Any]:
    from supple.skins.position_based.contact.contact_arrays import HeldContacts, PlaneArrays

    wp = devices.warp()
    points, normals = (wp.zeros((copies, 1), dtype=wp.vec3f, device=device) for _ in range(2))
    none, firmness = wp.full(particles, -1, dtype=wp.int32, device=device), wp.zeros(1, dtype=wp.vec2f, device=device)
    held = devices.fill_struct(HeldContacts(), plane_of=none, face_of=none, firmness=firmness)
    planes = devices.fill_struct(PlaneArrays(), points=points, normals=normals)
    return held, planes, wp.zeros(1, dtype=wp.vec3i, device=device)
