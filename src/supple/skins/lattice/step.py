"""One step of the lattice as the list of its stages, and how it comes to rest in a first pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from supple import device as devices
from supple.motion.pose import Pose
from supple.skins.lattice.parameters import LatticeParameters
from supple.skins.lattice.pose_filter import LowPassPose
from supple.skins.lattice.shape_matching.solver import Solver
from supple.skins.lattice.state import LatticeState

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice

Stages = Sequence[Callable[[], object]]

_PAUSE = 0.5  # s: after a longer step nothing is left of the swing before it
_CALM_DAMPING, _CALM_RETENTION = 0.99, 0.5  # while the first pose settles


def start(skin: LayeredLattice, state: LatticeState, pose: Pose, incoming: Any) -> None:
    """Rest at the shape that the first pose settles to."""
    solver, memory, kept = state.solver, state.memory, keeps_volume(skin)
    incoming = state.kinematic_skin(skin, pose, incoming)
    origins = state.set_pose(pose, None, keep_volume=kept)
    for launch in solver.blend_nodes():
        launch()
    solver.reset()
    memory.origins[...], memory.seen, memory.time = origins, LowPassPose.from_pose(state.skeleton, pose), 0.0
    state.override_parameters(_calm(state.parameters(skin)), skin.step)
    state.set_pose(pose, origins, keep_volume=kept)
    for _ in range(max(skin.solve.warm_up if skin.secondary else 0, 1)):
        _recorded(skin, state, incoming)()
    solver.velocities.zero_()


def advance(skin: LayeredLattice, state: LatticeState, pose: Pose, dt: float, incoming: Any) -> Any:
    """Bones carry the lattice on, and flesh follows, swings and keeps its shape; the skin goes along.

    After a pause it settles anew where the bones are by then.
    """
    memory = state.memory
    if dt > _PAUSE:
        start(skin, state, pose, incoming)
        return state.points
    state.set_parameters(skin, dt)
    if skin.steady > 0.0:
        if not memory.steadied:
            memory.seen = LowPassPose.from_pose(state.skeleton, pose)
        pose = memory.seen.filter(state.skeleton, pose, dt, frequency=skin.steady)
    memory.steadied = skin.steady > 0.0
    incoming = state.kinematic_skin(skin, pose, incoming)
    memory.origins[...] = state.set_pose(pose, memory.origins, keep_volume=keeps_volume(skin))
    memory.time += dt
    _recorded(skin, state, incoming)()
    return state.points


def stages(skin: LayeredLattice, state: LatticeState, incoming: Any) -> list[Callable[[], object]]:
    """All that is done on the device in a step, in its order [Iwamoto2015]."""
    solver, handles = state.solver, state.handles
    keep = _volume_keeping(skin, state)
    flesh = lattice_stages(
        solver,
        iterations=skin.solve.iterations,
        secondary=skin.secondary,
        constraints=_has_constraints(skin),
        handles=() if handles is None else handles.project(),
    )
    volume: Stages = () if keep is None else (keep,)
    hangs = skin.secondary and incoming is not None and skin.voxels.surface != "trilinear"
    binding = state.binding
    hanging = binding.hanging.record(incoming, state.points, binding.constants) if hangs else []
    held = handles is not None  # hands may draw flesh out as far as they like
    guard = binding.guard.record(incoming, state.points, binding.constants) if hangs and not held else []
    return [
        *solver.blend_nodes(),
        *(() if handles is None else handles.move()),
        *flesh,
        *state.surface.follow(incoming),
        *(volume if handles is None else handles.finish(keep)),
        *hanging,
        *guard,
    ]


def lattice_stages(
    solver: Solver, *, iterations: int, secondary: bool, constraints: bool, handles: Stages = ()
) -> list[Callable[[], object]]:
    """One step of the nodes, from where bones carried them before to where they carry them now.

    Without `secondary` nodes only follow the bones; without `constraints` neither distances nor volumes are kept.
    `handles` have their say after the lattice, before what it made of the step is kept.
    """
    if not secondary:
        return [solver.predict()]
    projection = solver.project_constraints() if constraints else []
    matching = solver.match_shapes(projected=constraints)
    return [solver.predict(), *[*projection, *matching] * iterations, *handles, solver.update_velocities()]


def keeps_volume(skin: LayeredLattice) -> bool:
    """Whether any volume of the skin is kept; what only follows the bones is left as they carry it."""
    return (skin.solve.keep_volume or skin.solve.limb_volume > 0.0) and skin.secondary


def _volume_keeping(skin: LayeredLattice, state: LatticeState) -> Callable[[], object] | None:
    """First limb by limb, then what is left of the whole; none where nothing is kept."""
    if not keeps_volume(skin):
        return None
    limbs, whole = state.sweller.keep, state.keeper.keep
    state.sweller.set_most(skin.solve.limb_volume)
    if not (skin.solve.keep_volume and skin.solve.limb_volume > 0.0):
        return limbs if skin.solve.limb_volume > 0.0 else whole

    def keep() -> None:
        limbs()
        whole()

    return keep


def _recorded(skin: LayeredLattice, state: LatticeState, incoming: Any) -> devices.Chain:
    """The stages, recorded anew where another skin comes in or settings change their order."""
    order = (
        skin.solve.iterations,
        skin.secondary,
        _has_constraints(skin),
        keeps_volume(skin) and (skin.solve.limb_volume, skin.solve.keep_volume),
        state.handles is not None,
    )
    known = state.recorded
    if known is None or known[0] is not incoming or known[1] != order:
        known = state.recorded = incoming, order, devices.Chain(stages(skin, state, incoming), state.device)
    return known[2]


def _has_constraints(skin: LayeredLattice) -> bool:
    return skin.solve.stretch > 0.0 or skin.solve.volume > 0.0


def _calm(parameters: LatticeParameters) -> LatticeParameters:
    """The same flesh, settling rather than swinging."""
    layers = len(parameters.stiffness)
    return replace(parameters, damping=(_CALM_DAMPING,) * layers, velocity_retention=(_CALM_RETENTION,) * layers)
