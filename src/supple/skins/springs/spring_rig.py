"""Spring rig: a skin that is let go and comes to rest between springs along its surface and springs to its bones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from supple import device as devices
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, Skin
from supple.skins.springs.springs import CHECK, SpringBinding, Springs, SpringSettings
from supple.skins.springs.sweeps import Sweeps

_FALLS = 0.999  # of the last energy: what falls less in ten sweeps counts as the least energy


@dataclass(frozen=True, kw_only=True)
class SpringRig(SpringSettings, Skin[SpringBinding, "Relaxation"]):
    """Start from a kinematic skin and let springs pull every vertex to where they balance [Toothman2020, Sec. 4.2].

    Four springs from the paper (edge lengths, scale vector lengths beside their neighbours', angles between
    neighbouring scale vectors, angles to the bone) and two that make the balance unique: `girth`, the distance from
    the bone itself, without which a whole ring may shrink together, and `hold`, the twist about the bone, without
    which a twisted limb unwinds for ever.

    A sweep moves each vertex by `pace` times the pull on it, at most to the mean of where its springs want it, and on
    by `swing` of its last move while that helps. So no stiffness and no pace makes it diverge, and fifty sweeps do the
    work of several hundred. It stops after `iterations` sweeps, or earlier when `until` says so: by the largest
    `movement` (against `threshold` times the smallest side of the rest shape), by the largest `force` likewise, or at
    the least `energy`; it looks every ten sweeps. Stopping early saves time and costs a little of the promise that a
    pose carried elsewhere gives the same skin there: rounding may decide about ten sweeps more or less.

    Morph targets change what the springs know as rest, so they come out whole; edits are wishes, and springs weigh in.

    Limits: skin that touches skin is not seen; sweeps reach as many edges far as there are sweeps, so very fine meshes
    should start from a smooth skin; where fifty sweeps do not bring a deep fold to rest, rounding shows there, by up to
    0.3 mm on a body of two metres, when a pose is carried elsewhere. For motion after the motion see `SpringDynamics`.
    """

    command_name: ClassVar[str] = "springs"
    cached: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2019, Spring rigs for skinning",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            # Rigid start, the four forces of the text, 1/30 of the force in each of at most 50 sweeps. It gives no
            # stiffness; 7.5 each puts their sum at the edge of what is stable.
            "published": {
                "base": "rigid", "pace": 1.0 / 30.0, "swing": 0.0, "edges": 7.5, "lengths": 7.5, "turns": 7.5,
                "bones": 7.5, "girth": 0.0, "hold": 0.0, "until": "movement",
            },
        }
    )  # fmt: skip

    pace: float = setting(1e3, "Move per pull; more than the safe step is cut", unit="1/stiffness", low=0.0, high=1e12)
    swing: float = setting(0.9, "Share of the last move that is kept", low=0.0, high=0.98)
    until: str = setting("sweeps", "When to stop early", choices=("sweeps", "movement", "force", "energy"))
    threshold: float = setting(1e-4, "Movement or force, of the smallest side, that is rest", low=0.0, high=1.0)

    def base_skin(self) -> Skin[Any, Any] | None:
        return self.first_stage()

    def bind(self, character: Character, device: str) -> SpringBinding:
        return SpringBinding.from_character(character, self, device)

    def allocate(self, binding: SpringBinding) -> Relaxation:
        return Relaxation(binding, self)

    def deform(
        self, binding: SpringBinding, state: Relaxation, pose: Pose, incoming: DevicePoints | None
    ) -> DevicePoints:
        return state.run(pose, incoming)


class Relaxation:
    """Springs, the sweeps recorded over them, and when to stop."""

    def __init__(self, binding: SpringBinding, settings: SpringRig) -> None:
        self.springs = Springs(binding)
        self._settings = settings
        self._small = settings.threshold * float(max(np.min(binding.hanging.character.size), 0.0))
        launches = self.springs.launches(settings.pace, settings.swing, measured=settings.until)
        self.sweeps = Sweeps(launches, binding.constants.device)
        self._posed = binding.constants.blank(self.springs.count, devices.warp().vec3f)
        self._begin: tuple[Any, devices.Launch] | None = None
        self.sweeps_done = 0

    def run(self, pose: Pose, incoming: Any) -> Any:
        """Bring the incoming shape to rest in a pose."""
        if self._begin is None or self._begin[0] is not incoming:
            self._begin = incoming, self.springs.starting_from(incoming)
        self.springs.set(pose)
        self._begin[1]()
        self.sweeps_done = self._relax()
        devices.warp().copy(self._posed, self.springs.points[self.sweeps_done % 2])
        return self._posed

    def _relax(self) -> int:
        wanted = self._settings.iterations
        if self._settings.until == "sweeps":
            self.sweeps.run(wanted)
            return wanted
        done, energy = 0, math.inf
        while done < wanted:
            some = min(CHECK, wanted - done)
            self.sweeps.run(some)
            done += some
            if done == wanted:
                break
            if self._settings.until == "energy":
                now = self.springs.energy()
                if not now < _FALLS * energy or now < self.springs.binding.noise:
                    break
                energy = now
            elif self.springs.largest_move() <= self._small:
                break
        return done
