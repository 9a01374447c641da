"""Supple moves the skin of animated characters.

A rigged character and a motion go in; a skin that keeps its volume, slides and jiggles comes out.
Importing this is light: what is named here is loaded when it is first asked for, and so are Warp, libigl, SciPy and the
renderer.
"""

import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from supple.character.builtin import character
    from supple.character.character import Character
    from supple.character.combine import combine
    from supple.character.skeleton import Skeleton
    from supple.character.weighting import automatic_weights
    from supple.character.weights import Weights
    from supple.decompose import decompose
    from supple.graph.bake import bake
    from supple.graph.cache import Cache
    from supple.graph.crowds.crowd import Crowd
    from supple.graph.graph import Graph
    from supple.graph.player import Player, player
    from supple.io import load, load_motion, save
    from supple.measure import measure
    from supple.motion.builtin import motion
    from supple.motion.motion import Motion
    from supple.motion.pose import Pose
    from supple.obstacles import Box, Capsule, Free, Plane, Sphere
    from supple.render import Camera, picture
    from supple.report import compare
    from supple.skins.contact.skin import ArticulatedContact
    from supple.skins.curves.dynamic_skin import CurveDynamics
    from supple.skins.curves.skin import CurveNetwork
    from supple.skins.kinematic.delta_mush import DeltaMush, delta_mush
    from supple.skins.kinematic.dual_quaternion import DualQuaternion, dual_quaternion
    from supple.skins.kinematic.linear_blend import LinearBlend, linear_blend
    from supple.skins.kinematic.rotation_centers import RotationCenters, rotation_centers
    from supple.skins.lattice.skin import LayeredLattice
    from supple.skins.pose_space.dynamic_skin import PoseSpaceDynamics
    from supple.skins.pose_space.skin import PoseSpace
    from supple.skins.position_based.skin import PositionBased
    from supple.skins.pull import Pull
    from supple.skins.registry import SKINS
    from supple.skins.springs.incremental_rotation import IncrementalRotation
    from supple.skins.springs.spring_dynamics import SpringDynamics
    from supple.skins.springs.spring_rig import SpringRig

__version__ = "0.1.0"

_HOMES = {
    "supple.character.builtin": ("character",),
    "supple.character.character": ("Character",),
    "supple.character.combine": ("combine",),
    "supple.character.skeleton": ("Skeleton",),
    "supple.character.weighting": ("automatic_weights",),
    "supple.character.weights": ("Weights",),
    "supple.decompose": ("decompose",),
    "supple.graph.bake": ("bake",),
    "supple.graph.cache": ("Cache",),
    "supple.graph.crowds.crowd": ("Crowd",),
    "supple.graph.graph": ("Graph",),
    "supple.graph.player": ("Player", "player"),
    "supple.io": ("load", "load_motion", "save"),
    "supple.measure": ("measure",),
    "supple.motion.builtin": ("motion",),
    "supple.motion.motion": ("Motion",),
    "supple.motion.pose": ("Pose",),
    "supple.obstacles": ("Box", "Capsule", "Free", "Plane", "Sphere"),
    "supple.render": ("Camera", "picture"),
    "supple.report": ("compare",),
    "supple.skins.contact.skin": ("ArticulatedContact",),
    "supple.skins.curves.dynamic_skin": ("CurveDynamics",),
    "supple.skins.curves.skin": ("CurveNetwork",),
    "supple.skins.kinematic.delta_mush": ("DeltaMush", "delta_mush"),
    "supple.skins.kinematic.dual_quaternion": ("DualQuaternion", "dual_quaternion"),
    "supple.skins.kinematic.linear_blend": ("LinearBlend", "linear_blend"),
    "supple.skins.kinematic.rotation_centers": ("RotationCenters", "rotation_centers"),
    "supple.skins.lattice.skin": ("LayeredLattice",),
    "supple.skins.pose_space.dynamic_skin": ("PoseSpaceDynamics",),
    "supple.skins.pose_space.skin": ("PoseSpace",),
    "supple.skins.position_based.skin": ("PositionBased",),
    "supple.skins.pull": ("Pull",),
    "supple.skins.registry": ("SKINS",),
    "supple.skins.springs.incremental_rotation": ("IncrementalRotation",),
    "supple.skins.springs.spring_dynamics": ("SpringDynamics",),
    "supple.skins.springs.spring_rig": ("SpringRig",),
}
"""Where the names of `__all__` live."""

_FORMER = {
    "supple.character": ("Display", "Material", "Texture"),
    "supple.character.combine": ("joined",),
    "supple.decompose": ("Decomposition", "PointSequence"),
    "supple.edits": ("Edits", "Layer", "SurfaceEdit", "load_edits", "save_edits"),
    "supple.edits.strokes": ("Stroke",),
    "supple.errors": ("DeviceError", "FormatError", "InputError", "SuppleError", "SuppleWarning", "UnfinishedError"),
    "supple.graph": ("Mask",),
    "supple.motion": ("CrowdMotion", "PoseSource", "combine_motions"),
    "supple.motion.combine": ("joined_motions",),
    "supple.motion.live": ("LiveMotion", "NoisyMotion", "NoisyReplay", "VmcReceiver", "VmcSender"),
    "supple.skins.curves": ("CurveModel", "SkinExamples", "fit_curves", "load_curves", "save_curves"),
    "supple.skins.kinematic.centers": ("centers_of_rotation",),
    "supple.skins.springs": ("attach",),
}
"""Names that used to stand here; they are found for one more release, with a word about where they are now."""

__all__ = [
    "SKINS",
    "ArticulatedContact",
    "Box",
    "Cache",
    "Camera",
    "Capsule",
    "Character",
    "Crowd",
    "CurveDynamics",
    "CurveNetwork",
    "DeltaMush",
    "DualQuaternion",
    "Free",
    "Graph",
    "IncrementalRotation",
    "LayeredLattice",
    "LinearBlend",
    "Motion",
    "Plane",
    "Player",
    "Pose",
    "PoseSpace",
    "PoseSpaceDynamics",
    "PositionBased",
    "Pull",
    "RotationCenters",
    "Skeleton",
    "Sphere",
    "SpringDynamics",
    "SpringRig",
    "Weights",
    "automatic_weights",
    "bake",
    "character",
    "combine",
    "compare",
    "decompose",
    "delta_mush",
    "dual_quaternion",
    "linear_blend",
    "load",
    "load_motion",
    "measure",
    "motion",
    "picture",
    "player",
    "rotation_centers",
    "save",
]


def connect_rooms() -> None:
    """Import the rooms that do something for rooms below them, which those ask for without knowing by whom it is done.

    So far that is writing bakes to files, which `supple.io` does for `Cache.save`.
    """
    import_module("supple.io")


class _Name:
    """A name of this package, looked up where it lives when it is first asked for.

    Functions such as `supple.motion` share their name with the package that they are from. Python puts a package into
    the one above it when it is imported; the function stays in front of it.
    """

    def __init__(self, name: str, home: str) -> None:
        self._name, self._home = name, home

    def __get__(self, front: ModuleType, kind: type) -> Any:
        if self._name not in vars(front):
            vars(front)[self._name] = getattr(import_module(self._home), self._name)
        return vars(front)[self._name]

    def __set__(self, front: ModuleType, value: Any) -> None:
        if not (isinstance(value, ModuleType) and value.__name__ == f"supple.{self._name}"):
            vars(front)[self._name] = value

    def __delete__(self, front: ModuleType) -> None:
        vars(front).pop(self._name, None)


class _Front(ModuleType):
    """This package as a module whose names, and the packages below it, are loaded one by one."""

    def __getattr__(self, name: str) -> Any:
        former = next((home for home, names in _FORMER.items() if name in names), None)
        if former is not None:
            text = f"supple.{name} is now {former}.{name}: from {former} import {name}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return getattr(import_module(former), name)
        if name.startswith("_") or find_spec(f"supple.{name}") is None:
            raise AttributeError(f"supple has no {name!r}")
        return import_module(f"supple.{name}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


for _home, _names in _HOMES.items():
    for _each in _names:
        setattr(_Front, _each, _Name(_each, _home))
sys.modules[__name__].__class__ = _Front
