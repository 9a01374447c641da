"""The built-in motions by name. Each is a function of a skeleton and options, in a module loaded when it is wanted."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.builtin.recipe import Recipe
from supple.motion.motion import Motion

MOTIONS: dict[str, tuple[str, str]] = {
    "walk": ("walk", "walk"),
    "run-and-stop": ("run", "run_and_stop"),
    "kick": ("kick", "kick"),
    "jump": ("jump", "jump"),
    "wave": ("gestures", "wave"),
    "breathing": ("gestures", "breathing"),
    "dance": ("dance", "dance"),
    "bend": ("joint_rotations", "bend"),
    "twist": ("joint_rotations", "twist"),
    "slither": ("crawl", "slither"),
    "swim": ("crawl", "swim"),
}
"""Module below `supple.motion.builtin` and function, by name."""


def motion(name: str, moved: Character | Skeleton, **options: Any) -> Motion:
    """A built-in motion for a character or a skeleton; options are those of the motion's own function."""
    return recipe(name, moved, **options).made()


def recipe(name: str, moved: Character | Skeleton, **options: Any) -> Recipe:
    """A built-in motion before it is made, which knows how long it will last; refuses what `motion` refuses."""
    skeleton = moved.skeleton if isinstance(moved, Character) else moved
    if name not in MOTIONS:
        known = ", ".join(MOTIONS)
        raise InputError("motion", f"{name!r} was asked for", f"the built-in motions are {known}", "use one of those")
    module, function = MOTIONS[name]
    make = getattr(import_module(f"supple.motion.builtin.{module}"), function)
    known_options = [option for option in inspect.signature(make).parameters if option != "skeleton"]
    strange = [option for option in options if option not in known_options]
    if strange:
        raise InputError(
            f"motion {name!r}",
            f"there is no option {strange[0]!r}",
            f"it has {', '.join(known_options)}",
            "leave it out or correct it",
        )
    found: Recipe = make(skeleton, **options)
    return found
