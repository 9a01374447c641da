"""The method of the thesis as it is, to be read beside it: forces from examples, and curves led by them [Chaudhry2015].

What is where, by its chapters:

| thesis | here |
| --- | --- |
| 4.3.1 curves from edge loops, or cast from the bones | `supple.skins.curves.network.curve_network` |
| 4.3.2 back to polygons, by ratios and offsets from cells | `supple.skins.curves.network.transfer.Transfer.carry` |
| 5.1 to 5.9 the static beam, its matrix factored once | `supple.skins.curves.beam.static.StaticBeam` |
| 5.10 to 5.14 forces of two poses, and F0 + (j/J) (FJ - F0) between | `ExampleLine` with a static beam |
| 6.1 to 6.15 the dynamic beam in implicit steps, two factors | `supple.skins.curves.beam.dynamic.DynamicBeam` |
| 6.4 forces that are known, such as gravity and wind | `DynamicBeam.play`, `StaticBeam.shape`, `sag` |
| 6.16 to 6.18 forces by iteration; in one solve | `force_by_iteration`, `iteration_factors`; `exact_force` |
| 6.5.3 J + 1 examples | `ExampleLine` with a dynamic beam |
| 6.6 a large twist from a small one | `force_of_first_step` |
| rigid motion taken out and put back | `local_deformation`, `carry` |

Where the forces come from examples and are blended, the static beam cancels: with F_e = K q_e,
    K^-1 sum_e w_e F_e = sum_e w_e q_e,
whatever a1 and a2 are. So `CurveNetwork`, which blends examples, solves no beams; `ExampleSpace` does, to show that it
is the same. Beams do something where a load is no example (`sag`), where something is in the way
(`supple.skins.curves.beam.meeting`), and where curves have mass (`CurveDynamics`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.geometry.quaternions import conjugate, normalize, quat_multiply
from supple.skins.curves.beam.batch import CurveLoad
from supple.skins.curves.beam.dynamic import DynamicBeam
from supple.skins.curves.beam.finite_differences import BandedMatrix, Clamps, check_rows, check_same_columns
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.learn.radial_space import RadialSpace


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
    """The force that would make the shape in one step: the first guess of the published iteration (Eq. 6.15)."""
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
class ExampleSpace:
    """Curves driven by several joints at once: examples anywhere in a space of poses, each met exactly.

    Forces and clamps of the examples (examples, nodes, ...) are mixed by the weights of the pose, and the beam is
    solved under the mixture. `loads` hands them to a batch of curves on a device.
    """

    beam: StaticBeam
    shapes: FloatArray
    space: RadialSpace

    def __post_init__(self) -> None:
        where = "ExampleSpace"
        shapes = check_rows(self.shapes, len(self.space.positions), where, "shapes")
        if shapes.ndim < 2 or shapes.shape[1] != self.beam.nodes:
            needed = f"(examples, {self.beam.nodes}, ...) is needed"
            raise InputError(where, f"shapes are {shapes.shape}", needed, "give every example the nodes of the beam")
        object.__setattr__(self, "shapes", shapes)

    def at(self, position: ArrayLike) -> FloatArray:
        """The curves (nodes, ...) at a position (dimensions,) of the space."""
        weights = self.space.weights(position)
        if weights.ndim != 1:
            given = f"position has {weights.ndim} axes"
            raise InputError("ExampleSpace.at", given, "one position is needed", "ask for one pose at a time")
        values = np.tensordot(weights, np.stack([one.values for one in self._clamps]), 1)
        slopes = np.tensordot(weights, np.stack([one.slopes for one in self._clamps]), 1)
        return self.beam.shape(np.tensordot(weights, self._forces, 1), Clamps(values, slopes))

    def loads(self) -> list[list[CurveLoad]]:
        """Per example and curve, what a batch on a device takes, from shapes (examples, nodes, curves, 3) or one curve.

        A dynamic batch takes them too: held in a pose and damped, it comes to rest in the static shape.
        """
        if self.shapes.ndim not in (3, 4) or self.shapes.shape[-1] != 3:
            given = f"shapes are {self.shapes.shape}"
            raise InputError("ExampleSpace.loads", given, "curves in space are needed", "give three coordinates")
        tables = []
        for force, held in zip(self._forces, self._clamps, strict=True):
            by_curve = (np.moveaxis(part.reshape(len(part), -1, 3), 1, 0) for part in (force, held.values, held.slopes))
            tables.append([CurveLoad(one, Clamps(ends, slopes)) for one, ends, slopes in zip(*by_curve, strict=True)])
        return tables

    @cached_property
    def _clamps(self) -> list[Clamps]:
        return [Clamps.from_shape(shape) for shape in self.shapes]

    @cached_property
    def _forces(self) -> FloatArray:
        return np.stack([self.beam.force(shape, held) for shape, held in zip(self.shapes, self._clamps, strict=True)])


def sag(beam: StaticBeam | DynamicBeam, load: ArrayLike) -> FloatArray:
    """What a known load (3,) on every node adds to a curve (nodes, 3) whose ends are held where they are.

    Gravity along a limb that is clamped at both joints, or a steady wind: a1 q'''' = load, which in its middle is
    load / (384 a1) for a plain beam. With mass the load acts at once, and the curve swings about that shape; the last
    of its steps is returned.
    """
    given = frozen(load, np.float64, (3,), "sag", "load")
    force = np.tile(given, (beam.nodes - 2, 1))
    if isinstance(beam, StaticBeam):
        return beam.shape(force, Clamps.zero((3,)))
    return np.asarray(beam.play(np.tile(force, (beam.steps, 1, 1)), [Clamps.zero((3,))] * beam.steps)[-1])


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
