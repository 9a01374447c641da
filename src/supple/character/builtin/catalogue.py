"""The built-in characters by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import Floats
from supple.character.builtin import animals, hero, meshing, rig, rigs, skeletons
from supple.character.builtin.lenses import Lens
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry.implicit import Body

LEAST, MOST = 500, 2_000_000
_WHERE = "character"


@dataclass(frozen=True)
class Model:
    """All that a mesh is made from: the skeleton, the body around it, what is drawn larger, and how the two are tied.

    `finest` is how many vertices the narrowest gaps of the body need before the mesh may be thinned.
    """

    skeleton: Skeleton
    body: Body
    rig: rig.Rig
    lenses: tuple[Lens, ...] = ()
    finest: int = 8_000


def character(name: str, *, vertices: int = 10_000, **options: Any) -> Character:
    """Make a built-in character: no file needed, the same every time.

    `name` is one of `CHARACTERS`; `vertices` is met exactly. The skin is one closed shell with weights (at most four
    influences), parts by name, and a map `flesh` [m] of how deep the flesh lies over the bone. Options:
    hero takes `fingers=True` (53 joints instead of 25 and real fingers); tube takes `bones`, `length` and `radius` [m].
    """
    if name not in _MODELS:
        known = ", ".join(CHARACTERS)
        raise InputError(_WHERE, f"{name!r} was asked for", f"the built-in characters are {known}", "use one of those")
    if isinstance(vertices, bool) or not isinstance(vertices, int | np.integer) or not LEAST <= vertices <= MOST:
        raise InputError(
            _WHERE, f"vertices is {vertices!r}", f"a whole number from {LEAST} to {MOST} is needed", "try 10000"
        )
    make, allowed = _MODELS[name]
    unknown = [option for option in options if option not in allowed]
    if unknown:
        listed = f"{name} takes {', '.join(allowed)}" if allowed else f"{name} takes no options"
        raise InputError(_WHERE, f"option {unknown[0]!r} was given", listed, "leave it out")
    return _made(name, make(**options), int(vertices))


def _made(name: str, model: Model, vertices: int) -> Character:
    points, triangles = meshing.mesh(model.body, model.lenses, vertices=vertices, finest=model.finest)
    return _dressed(name, model, points, triangles)


def _dressed(name: str, model: Model, points: Floats, triangles: Any) -> Character:
    tied = rig.weights(points, model.body, model.skeleton, model.rig)
    return Character(
        points,
        triangles,
        model.skeleton,
        tied,
        name=name,
        maps={"flesh": rig.flesh(points, model.skeleton, model.rig)},
        parts=rig.parts(tied, model.skeleton, model.rig),
    )


def _hero(*, fingers: bool = False) -> Model:
    if not isinstance(fingers, bool):
        raise InputError(_WHERE, f"fingers is {fingers!r}", "True or False is needed", "leave it out for mittens")
    skeleton = skeletons.hero_skeleton(fingers=fingers)
    body = hero.hero_body(skeleton, fingers=fingers)
    return Model(skeleton, body, rigs.HERO, hero.hero_lenses(fingers=fingers), 30_000 if fingers else 12_000)


def _quadruped() -> Model:
    skeleton = skeletons.quadruped_skeleton()
    return Model(skeleton, animals.quadruped_body(skeleton), rigs.QUADRUPED, animals.quadruped_lenses(), 12_000)


def _snake() -> Model:
    skeleton = skeletons.snake_skeleton()
    return Model(skeleton, animals.snake_body(skeleton), rigs.SNAKE, animals.snake_lenses(), 6_000)


def _octopus() -> Model:
    skeleton = skeletons.octopus_skeleton()
    return Model(skeleton, animals.octopus_body(skeleton), rigs.OCTOPUS, animals.octopus_lenses(), 12_000)


_MODELS: dict[str, tuple[Callable[..., Model], tuple[str, ...]]] = {
    "hero": (_hero, ("fingers",)),
    "snake": (_snake, ()),
    "quadruped": (_quadruped, ()),
    "octopus": (_octopus, ()),
}
CHARACTERS: tuple[str, ...] = tuple(_MODELS)
