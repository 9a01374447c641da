"""Units of length: characters modelled in others than metres, brought to metres, and how to tell that one is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError

if TYPE_CHECKING:
    from supple.motion.motion import Motion

UNITS: Mapping[str, float] = MappingProxyType({"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048})
"""Metres in one unit, by its name."""
_LIMBS = ("head", "neck", "spine", "hip", "pelvis", "leg", "thigh", "foot", "arm", "hand", "shoulder", "tail", "wing")
_LARGEST = 20.0  # m: no animal on land is as large
_LARGEST_IN_CENTIMETRES = 500.0  # units: what is larger would be taller than 5 m, and is more likely in millimetres


def in_metres(character: Character, units: str) -> Character:
    """The character in metres, modelled in `units`: its mesh, shapes, skeleton and motions; turns and times stay."""
    if units not in UNITS:
        raise InputError("units", f"{units!r} was given", f"there are {', '.join(UNITS)}", "use one of those")
    factor = UNITS[units]
    if factor == 1.0:
        return character
    return character.replace(
        points=factor * character.points,
        shapes={name: factor * offsets for name, offsets in character.shapes.items()},
        skeleton=_scale_skeleton(character.skeleton, factor),
        motions={name: _scale_motion(motion, factor) for name, motion in character.motions.items()},
    )


def likely_units(character: Character) -> str | None:
    """The units that a character with limbs seems to be modelled in, where metres would make it a giant; else None."""
    size = float(character.size.max())
    names = " ".join(character.skeleton.names).lower()
    if size <= _LARGEST or sum(limb in names for limb in _LIMBS) < 2:
        return None
    return "cm" if size <= _LARGEST_IN_CENTIMETRES else "mm"


def _scale_skeleton(skeleton: Skeleton, factor: float) -> Skeleton:
    world = np.array(skeleton.world_from_joint)
    world[:, :3, 3] *= factor
    tails = None if skeleton.tails is None else factor * skeleton.tails
    return replace(skeleton, world_from_joint=world, tails=tails)


def _scale_motion(motion: Motion, factor: float) -> Motion:
    return motion.replace(
        skeleton=_scale_skeleton(motion.skeleton, factor),
        translations=factor * motion.translations,
        stride=factor * np.asarray(motion.stride),
    )
