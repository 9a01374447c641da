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
    "contact": {
        "young": "own.youngs_modulus",
        "poisson": "own.poissons_ratio",
        "fading": "own.mass_damping",
        "lag": "own.stiffness_damping",
        "root": "muscles.root_strength",
        "bears_weight": "muscles.gravity_compensation",
    },
    "lattice": {
        "layers": "layers.thickness",  # on the command line; in Python it is the whole table
        "neighbours": "voxels.neighbors",
        "kept": "layers.velocity_retention",
        "sculpted": "dynamics.rest_includes_gravity",
        "reach": "dynamics.max_offset",
    },
    "position-based": {
        "lively_rounds": "swing.dynamic_iterations",
        "lively_stretch": "swing.dynamic_stretch",
        "reach": "swing.max_offset",
        "sculpted": "swing.rest_includes_gravity",
        "bond": "solve.bone_stiffness",
        "slack": "solve.one_sided",
        "memory": "solve.correction_time",
    },
    "springs": {**_SPRING_STIFFNESS, "pace": "step_scale", "swing": "momentum"},
    "spring-dynamics": _SPRING_STIFFNESS,
}
