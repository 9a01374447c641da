"""All skins by the names they have on the command line and in saved graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from supple.errors import InputError
from supple.settings import changed, is_setting, path_of
from supple.skins.base import AnySkin
from supple.skins.contact.skin import ArticulatedContact
from supple.skins.curves.dynamic_skin import CurveDynamics
from supple.skins.curves.skin import CurveNetwork
from supple.skins.kinematic.delta_mush import DeltaMush
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters
from supple.skins.lattice.skin import LayeredLattice
from supple.skins.pose_space.dynamic_skin import PoseSpaceDynamics
from supple.skins.pose_space.skin import PoseSpace
from supple.skins.position_based.published.skin import PublishedPositionBased
from supple.skins.position_based.skin import PositionBased
from supple.skins.springs.incremental_rotation import IncrementalRotation
from supple.skins.springs.spring_dynamics import SpringDynamics
from supple.skins.springs.spring_rig import SpringRig

_KINDS: tuple[type[AnySkin], ...] = (
    LinearBlend,
    DualQuaternion,
    RotationCenters,
    DeltaMush,
    IncrementalRotation,
    SpringRig,
    SpringDynamics,
    PositionBased,
    LayeredLattice,
    ArticulatedContact,
    PoseSpace,
    PoseSpaceDynamics,
    CurveNetwork,
    CurveDynamics,
)
SKINS: dict[str, type[AnySkin]] = {kind.command_name: kind for kind in _KINDS}
PUBLISHED: dict[str, type[AnySkin]] = {PublishedPositionBased.command_name: PublishedPositionBased}
"""Methods as they were published, to compare with: known by name, and not among those to choose from."""


def skin_named(name: str, settings: Mapping[str, Any] | None = None) -> AnySkin:
    """A skin by its command-line name, with settings by theirs; `preset` names settings that go well together."""
    kind = SKINS.get(name) or PUBLISHED.get(name)
    if kind is None:
        raise InputError("skin", f"{name!r} was asked for", f"there are {', '.join(SKINS)}", "choose one of those")
    given = dict(settings or {})
    preset = given.pop("preset", None)
    held = [key for key in given if key in {field.name for field in fields(kind)} and not is_setting(kind, key)]
    if held:
        raise InputError(
            kind.__name__, f"{held[0]!r} was given by name", "it is no setting", "make the skin in Python and give it"
        )
    made = changed(kind() if preset is None else kind.preset(preset), given)
    made.check_given({path for key in given if (path := path_of(kind, key)) is not None})
    return made
