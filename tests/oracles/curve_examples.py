"""Forces from example shapes, and curves led through any number of examples by the turn of a joint.

Turns and shifts of whole limbs are no bending: they are taken out first (`local_deformation`), and put back at the end
(`carry`). What is left is small and is what forces are found for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.geometry.quaternions import conjugate, normalize, quat_multiply
from supple.skins.curves.beam.dynamic import DynamicBeam
from supple.skins.curves.beam.finite_differences import BandedMatrix, Clamps, check_rows, check_same_columns
from supple.skins.curves.beam.static import StaticBeam


@dataclass(frozen=True, eq=False)
class FoundForce:
    """A force found from an example, the clamps that go with it, and how closely the beam then meets the example.

    `residuals` are the largest distances of a node from its example in one coordinate, first guess first, in the unit
    of the shape; `residual` is the last of them.
    """

    force: FloatArray
    clamps: Clamps
    residuals: tuple[float, ...]

    @property
    def residual(self) -> float:
        """How far the beam is from the example under this force."""
        return self.residuals[-1]


def exact_force(beam: StaticBeam | DynamicBeam, deformation: ArrayLike, *, clamps: Clamps | None = None) -> FoundForce:
    """The force that brings a curve from rest to a deformation (nodes, ...), in one solve.

    For a dynamic beam the force grows evenly over all steps, and the last step meets the deformation. Without clamps,
    those of the deformation are taken.
    """
    where = "exact_force"
    shape = check_rows(deformation, beam.nodes, where, "deformation")
    held = Clamps.from_shape(shape) if clamps is None else clamps
    check_same_columns(shape, held, where)
    force = beam.force(shape, held)
    return FoundForce(force, held, (_distance(beam, force, held, shape),))


def force_by_iteration(
    beam: DynamicBeam,
    deformation: ArrayLike,
    *,
    clamps: Clamps | None = None,
    tolerance: float = 1e-10,
    rounds: int = 200,
) -> FoundForce:
    """The same force by the published iteration: guess by one step, play, correct by the one-step force of the error.

        F <- F + (a1 N^4 D4 + 2 a2) (wanted - played)   [Chaudhry2015, Eq. 6.15 to 6.18]

    Stops when no node is further from its place than `tolerance` times the height of the deformation, or after
    `rounds` corrections; `residuals` tell. Every round multiplies the error of a mode by `iteration_factors`: light
    beams take one or two rounds, heavy ones most (a factor of up to 2/3). Strong damping, which is not published,
    brings the factor close to one; `exact_force` does not mind.
    """
    where = "force_by_iteration"
    shape = check_rows(deformation, beam.nodes, where, "deformation")
    held = Clamps.from_shape(shape) if clamps is None else clamps
    check_same_columns(shape, held, where)
    if not tolerance > 0.0 or rounds < 0:
        given = f"tolerance is {tolerance} and rounds is {rounds}"
        raise InputError(where, given, "a tolerance above zero and no negative count are needed", "use the defaults")
    none = Clamps.zero(shape.shape[1:])
    enough = tolerance * float(np.ptp(shape, axis=0).max(initial=0.0))
    force = one_step_force(beam, shape, held)
    residuals = []
    for number in range(rounds + 1):
        error = shape - beam.ramp(force, held)[-1]
        error[[0, -1]] = 0.0  # the ends are held where the clamps say
        residuals.append(float(np.abs(error).max(initial=0.0)))
        if residuals[-1] <= enough or number == rounds:
            break
        force = force + one_step_force(beam, error, none)
    return FoundForce(force, held, tuple(residuals))


def one_step_force(beam: DynamicBeam, shape: FloatArray, clamps: Clamps) -> FloatArray:
    """The force that would make the shape in one step: the first guess of the published iteration (Eq. 6.4)."""
    single = BandedMatrix(beam.nodes, beam.bending, diagonal=2.0 * beam.mass)
    return single.multiply(shape[1:-1]) + single.boundary_load(clamps)


def iteration_factors(beam: DynamicBeam) -> FloatArray:
    """By how much one round of the published iteration multiplies the error of each mode, slowest mode first.

    1 - (a1 lambda + 2 a2) R(lambda), with R the answer of the mode to a ramp. The iteration converges where all are
    below one in size.
    """
    bending = beam.bands.eigenvalues - beam.bands.diagonal
    return 1.0 - (bending + 2.0 * beam.mass) * beam.modal_responses


def force_of_first_step(
    beam: DynamicBeam, deformation: ArrayLike, *, clamps: Clamps | None = None
) -> tuple[FloatArray, Clamps]:
    """From one small example to a large motion: the force and clamps whose ramp meets the example in its first step.

    The ramp then goes on, about `steps` times as far   [Chaudhry2015, Eq. 6.14 and 6.6]. This is how a small twist is
    turned into a large one; its turn must have been taken out first, or the limb grows thick.
    """
    where = "force_of_first_step"
    shape = check_rows(deformation, beam.nodes, where, "deformation")
    held = Clamps.from_shape(shape) if clamps is None else clamps
    check_same_columns(shape, held, where)
    force = beam.first_bands.multiply(shape[1:-1]) + beam.first_bands.boundary_load(held)
    return beam.steps * force, held.scale(beam.steps)


@dataclass(frozen=True, eq=False)
class ExampleLine:
    """Curves led from example to example by one number, such as the bend of an elbow; each example is met exactly.

    `shapes` (examples, nodes, ...) lie at increasing `positions` (examples,), without them at 0, 1/J, ..., 1. With a
    static beam the force between neighbours is F0 + alpha (F1 - F0), and so are the clamps   [Chaudhry2015, Eq. 5.14].
    With a dynamic beam each passage starts at rest in one example and swings into the next; the number then takes the
    place of time, and the passage can be scrubbed. Before the first and after the last example the curves stay as they
    are.

    Limits: a static passage moves every node evenly along a straight line; a dynamic one starts each passage at rest.
    """

    beam: StaticBeam | DynamicBeam
    shapes: FloatArray
    positions: FloatArray | None = None

    def __post_init__(self) -> None:
        where = "ExampleLine"
        shapes = check_rows(self.shapes, -1, where, "shapes")
        if shapes.ndim < 2 or shapes.shape[1] != self.beam.nodes or len(shapes) < 2:
            needed = f"two examples or more of {self.beam.nodes} nodes are needed"
            raise InputError(where, f"shapes are {shapes.shape}", needed, "give (examples, nodes, ...)")
        positions = np.linspace(0.0, 1.0, len(shapes)) if self.positions is None else self.positions
        positions = frozen(positions, np.float64, (len(shapes),), where, "positions")
        if not np.all(np.diff(positions) > 0.0):
            raise InputError(where, "positions do not increase", "each is above the one before", "sort the examples")
        object.__setattr__(self, "shapes", shapes)
        object.__setattr__(self, "positions", positions)

    def at(self, position: float) -> FloatArray:
        """The curves (nodes, ...) at a position."""
        if not np.isfinite(position):
            raise InputError("ExampleLine.at", f"position is {position}", "a finite number is needed", "check the pose")
        positions = np.asarray(self.positions)
        number = int(np.clip(np.searchsorted(positions, position, side="right") - 1, 0, len(positions) - 2))
        alpha = float(np.clip((position - positions[number]) / (positions[number + 1] - positions[number]), 0.0, 1.0))
        if isinstance(self.beam, StaticBeam):
            low, high = self._forces[number], self._forces[number + 1]
            clamps = self._clamps[number].lerp(self._clamps[number + 1], alpha)
            return self.beam.shape(low + alpha * (high - low), clamps)
        passage = self._passages[number]
        step = min(int(alpha * self.beam.steps), self.beam.steps - 1)
        part = alpha * self.beam.steps - step
        return self.shapes[number] + (1.0 - part) * passage[step] + part * passage[step + 1]

    @cached_property
    def residual(self) -> float:
        """The largest distance from an example, in one coordinate, of what is shown at its position."""
        shown = [self.at(float(position)) for position in np.asarray(self.positions)]
        return float(np.abs(np.stack(shown) - self.shapes).max(initial=0.0))

    @cached_property
    def _clamps(self) -> list[Clamps]:
        return [Clamps.from_shape(shape) for shape in self.shapes]

    @cached_property
    def _forces(self) -> list[FloatArray]:
        return [self.beam.force(shape, held) for shape, held in zip(self.shapes, self._clamps, strict=True)]

    @cached_property
    def _passages(self) -> list[FloatArray]:
        """What is added to each example on the way to the next, (steps + 1, nodes, ...)."""
        beam = self.beam
        if not isinstance(beam, DynamicBeam):
            return []
        found = (exact_force(beam, change) for change in np.diff(self.shapes, axis=0))
        return [beam.ramp(one.force, one.clamps) for one in found]


def local_deformation(shape: ArrayLike, rest: ArrayLike, transforms: ArrayLike) -> FloatArray:
    """What is left of a shape (..., 3) when each node is taken back to rest by the transform (..., 4, 4) it rode on.

    shape = T (rest + deformation). `transforms` may be one for all nodes, or one per node, such as the turn of the bone
    that the node hangs on, or a share of it near a joint. A purely rigid motion leaves zero.
    """
    where = "local_deformation"
    nodes, start, moves = _matching(shape, rest, transforms, where)
    rotations = moves[..., :3, :3]
    if np.any(np.abs(np.linalg.det(rotations)) < 1e-12):
        raise InputError(where, "a transform is flat", "all must be invertible", "remove scales of zero")
    back = np.linalg.solve(
        np.broadcast_to(rotations, (*nodes.shape[:-1], 3, 3)), (nodes - moves[..., :3, 3])[..., None]
    )
    return back[..., 0] - start


def carry(deformation: ArrayLike, rest: ArrayLike, transforms: ArrayLike) -> FloatArray:
    """Nodes deformed at rest and then carried by their transforms: T (rest + deformation), (..., 3)."""
    bent, start, moves = _matching(deformation, rest, transforms, "carry")
    return np.einsum("...ij,...j->...i", moves[..., :3, :3], start + bent) + moves[..., :3, 3]


def _matching(
    shape: ArrayLike, rest: ArrayLike, transforms: ArrayLike, where: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    start = check_rows(rest, -1, where, "rest")
    nodes = check_rows(shape, len(start), where, "shape")
    moves = check_rows(transforms, -1, where, "transforms")
    fits = nodes.shape == start.shape and nodes.shape[-1] == 3 and moves.shape[-2:] == (4, 4)
    if fits:
        try:
            fits = np.broadcast_shapes(moves.shape[:-2], nodes.shape[:-1]) == nodes.shape[:-1]
        except ValueError:
            fits = False
    if not fits:
        given = f"shape is {nodes.shape}, rest {start.shape} and transforms {moves.shape}"
        raise InputError(where, given, "(..., 3), (..., 3) and (..., 4, 4) are needed", "give one transform per node")
    return nodes, start, moves


def _distance(beam: StaticBeam | DynamicBeam, force: FloatArray, clamps: Clamps, shape: FloatArray) -> float:
    met = beam.shape(force, clamps) if isinstance(beam, StaticBeam) else beam.ramp(force, clamps)[-1]
    return float(np.abs(met - shape)[1:-1].max(initial=0.0))


def rotation_positions(rotations: ArrayLike, rest: ArrayLike) -> FloatArray:
    """The place (..., 3 joints) of a pose: each joint's turn away from rest as a rotation vector [rad].

    `rotations` (..., joints, 4) and `rest` (joints, 4) are quaternions relative to the parent joint; the turn is
    rest^-1 rotation, and its vector the axis times the angle (the logarithm).

    Limits: turns go the shorter way round; at half a turn the place jumps to the opposite side.
    """
    where = "rotation_positions"
    still = frozen(rest, np.float64, (-1, 4), where, "rest")
    turned = np.asarray(rotations, dtype=np.float64)
    if turned.shape[-2:] != still.shape:
        needed = f"(..., {len(still)}, 4) is needed"
        raise InputError(where, f"rotations are {turned.shape}", needed, "give the same joints as at rest")
    turned = frozen(turned, np.float64, turned.shape, where, "rotations")
    if not (np.linalg.norm(turned, axis=-1).all() and np.linalg.norm(still, axis=-1).all()):
        raise InputError(where, "a quaternion is zero", "each must be a turn", "use 0, 0, 0, 1 for no turn")
    rotation = quat_multiply(conjugate(normalize(still)), normalize(turned))
    rotation = rotation * np.where(rotation[..., 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(rotation[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, rotation[..., 3:])
    per_sine = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)
    return (rotation[..., :3] * per_sine).reshape(*rotation.shape[:-2], -1)
