"""Spring rig: a skin that is let go and comes to rest between springs along its surface and springs to its bones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, Skin
from supple.skins.painted_map import MapInfo
from supple.skins.renamed import RENAMED
from supple.skins.springs.balance import FACTORED, SOLVERS
from supple.skins.springs.binding import REACH_MAPS, STIFFNESS_MAPS, SpringBinding
from supple.skins.springs.settings import LIVE, SpringSettings
from supple.skins.springs.state import RigState
from supple.skins.springs.step import measure_rest, relax


@dataclass(frozen=True, kw_only=True)
class SpringRig(SpringSettings, Skin[SpringBinding, RigState]):
    """Start from a kinematic skin and let springs pull every vertex to where they balance [Toothman2020, Sec. 4.2].

    Four springs from the paper (edge lengths, scale vector lengths beside their neighbours', angles between
    neighbouring scale vectors, angles to the bone) and two that make the balance unique: `radius`, the distance from
    the bone itself, without which a whole ring may shrink together, and `twist`, that about the bone, without which a
    twisted limb unwinds for ever.

    All springs together have an energy (`kernels.energy`), of which their forces are the slope. Its least is found with
    a matrix that is factored once (`balance`) and rounds of Newton's method over what is still pulled (`newton`), more
    of them for more `iterations`; or by sweeps, as published, which also serve on a GPU, where edits hold handles, and
    where `until` is to stop them early.

    A sweep moves each vertex by `step_scale` times the pull on it, at most to the mean of where its springs want it,
    and on by `momentum` of its last move while that helps. So no stiffness and no step makes it diverge, and fifty
    sweeps do the work of several hundred. It stops after `iterations` sweeps, or earlier when `until` says so: by the
    largest `movement` (against `threshold` times the smallest side of the rest shape), by the largest `force` likewise,
    or at the least `energy`; it looks every ten sweeps. Stopping early saves time and costs a little of the promise
    that a pose carried elsewhere gives the same skin there: rounding may decide about ten sweeps more or less.

    Morph targets change what the springs know as rest, so they come out whole; edits are wishes, and springs weigh in.

    Limits: skin that touches skin is not seen; sweeps reach as many edges far as there are sweeps, so very fine meshes
    should start from a smooth skin; deep folds are not quite at rest after fifty iterations, so rounding shows there,
    by up to 0.3 mm on a body of two metres, when a pose is carried elsewhere. For motion see `SpringDynamics`.
    """

    command_name: ClassVar[str] = "springs"
    renamed: ClassVar[Mapping[str, str]] = RENAMED["springs"]
    live: ClassVar[frozenset[str]] = LIVE | {"solver", "step_scale", "momentum", "until", "threshold"}
    cached: ClassVar[bool] = True
    maps: ClassVar[Mapping[str, MapInfo]] = MappingProxyType({**STIFFNESS_MAPS, **REACH_MAPS})
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2019, Spring rigs for skinning",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            # Springs along the skin overrule those to the bone: in a cartwheel a twentieth of the skin is then 12 mm
            # and more from incremental rotation, where the usual stiffness makes 1.3 mm of it.
            "taut": {"stiffness": {"edges": 10.0, "bend": 10.0, "radius": 0.2, "twist": 0.1}},
            # Rigid start, the four forces of the text, 1/30 of the force in each of at most 50 sweeps. It gives no
            # stiffness; 7.5 each puts their sum at the edge of what is stable.
            "published": {
                "base": "rigid", "solver": "sweeps", "step_scale": 1.0 / 30.0, "momentum": 0.0, "until": "movement",
                "stiffness": {
                    "edges": 7.5, "relative_radius": 7.5, "bend": 7.5, "bones": 7.5, "radius": 0.0, "twist": 0.0,
                },
            },
        }
    )  # fmt: skip

    solver: str = setting(FACTORED, "How the balance of springs is found", choices=SOLVERS)
    step_scale: float = setting(
        1e3, "Move per pull; more than the safe step is cut", unit="1/stiffness", low=0.0, high=1e12
    )
    momentum: float = setting(0.9, "Share of the last move that is kept", low=0.0, high=0.98)
    until: str = setting("sweeps", "When to stop early", choices=("sweeps", "movement", "force", "energy"))
    threshold: float = setting(1e-4, "Movement or force, of the smallest side, that is rest", low=0.0, high=1.0)

    def base_skin(self) -> Skin[Any, Any] | None:
        return self.first_stage()

    def bind(self, character: Character, device: str) -> SpringBinding:
        return self.bind_springs(character, device)

    def rebind(self, binding: SpringBinding, character: Character, device: str) -> SpringBinding:
        return binding.rebind(character)

    def usual_map(self, binding: SpringBinding, character: Character, name: str) -> FloatArray:
        own = binding.attached_skin.usual_map(name)
        return super().usual_map(binding, character, name) if own is None else own

    def allocate(self, binding: SpringBinding) -> RigState:
        state = RigState(binding, self)
        measure_rest(state.springs)
        return state

    def reshape(self, binding: SpringBinding, state: RigState) -> RigState:
        return state if state.reshape(binding) else self.allocate(binding)

    def forces(self, binding: SpringBinding, state: RigState) -> DevicePoints:
        return state.springs.forces(state.sweeps_done % 2)

    def deform(
        self, binding: SpringBinding, state: RigState, pose: Pose, incoming: DevicePoints | None
    ) -> DevicePoints:
        return relax(self, state, pose, incoming)
