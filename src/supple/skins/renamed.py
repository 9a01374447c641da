"""Settings that had another name: by skin, the old name and where it is now. They are understood for one release."""

from __future__ import annotations

from collections.abc import Mapping

_SPRING_STIFFNESS = {
    "lengths": "stiffness.relative_radius",
    "turns": "stiffness.bend",
    "girth": "stiffness.radius",
    "hold": "stiffness.twist",
}

RENAMED: dict[str, Mapping[str, str]] = {
    "lattice": {"neighbours": "neighbors"},
    "springs": {**_SPRING_STIFFNESS, "pace": "step_scale", "swing": "momentum"},
    "spring-dynamics": _SPRING_STIFFNESS,
}
