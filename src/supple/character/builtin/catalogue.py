"""The built-in characters by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.builtin import animals, hero, loops, meshing, rig, rigs, skeletons
from supple.character.builtin.kept_meshes import KeptMesh, kept_mesh
from supple.character.builtin.lenses import Lens
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import InputError
from supple.geometry import topology
from supple.geometry.implicit import Blob, Body, Part, loft

LEAST, MOST = 500, 2_000_000
_WHERE = "character"
_REACH = 0.5  # no skin lies farther from the axis of its limb [m]


@dataclass(frozen=True)
class Model:
    """All that a mesh is made from: the skeleton, the body around it, what is drawn larger, and how the two are tied.

    `finest` is how many vertices the narrowest gaps of the body need before the mesh may be thinned, `coarse` how many
    `meshing.first_try` gives, where that is known. A body with an `axis` is meshed in edge loops of quads around it.
    `scale` enlarges everything once it is made.
    """

    skeleton: Skeleton
    body: Body
    rig: rig.Rig
    lenses: tuple[Lens, ...] = ()
    finest: int = 8_000
    coarse: int | None = None
    axis: FloatArray | None = None
    scale: float = 1.0


def character(name: str, *, vertices: int = 10_000, **options: Any) -> Character:
    """Make a built-in character: no file needed, the same every time.

    `name` is one of `CHARACTERS`; `vertices` is met exactly. The skin is one closed shell with weights (at most four
    influences), parts by name, and a map `flesh` [m] of how deep the flesh lies over the bone. Options:
    hero takes `fingers=True` (53 joints instead of 25 and real fingers); tube takes `bones`, `length` and `radius` [m];
    arm, leg, tube and snake take `quads=True`, edge loops of quads, which meet `vertices` to within half a loop and
    leave out what loops cannot run around: the thumb, the mouth.
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
    return _made(name, make(**options), options, int(vertices))


def _made(name: str, model: Model, options: Mapping[str, Any], vertices: int) -> Character:
    polygons: IntArray | None = None
    if model.axis is None:
        mesh = partial(meshing.mesh, model.body, model.lenses, finest=model.finest, coarse=model.coarse)
        made = kept_mesh(name, options, vertices, lambda: _dressed(model, *mesh(vertices=vertices)))
    else:
        points, polygons = loops.loops(model.body, model.axis, vertices=vertices, reach=_REACH)
        made = _dressed(model, points, topology.triangulate(polygons))
    weights = Weights(made.joints, made.values)
    return Character(
        model.scale * made.points,
        made.triangles,
        _scaled(model.skeleton, model.scale),
        weights,
        name=name,
        maps={"flesh": model.scale * made.flesh},
        parts=rig.parts(made.points, weights, model.skeleton, model.rig),
        polygons=polygons,
    )


def _dressed(model: Model, points: FloatArray, triangles: IntArray) -> KeptMesh:
    """A mesh with the weights and the flesh of its model."""
    weights = rig.weights(points, model.body, model.skeleton, model.rig)
    flesh = rig.flesh(points, model.skeleton, model.rig)
    return KeptMesh(points, triangles, weights.joints, weights.values, flesh)


def _scaled(skeleton: Skeleton, scale: float) -> Skeleton:
    assert skeleton.tails is not None  # built-in skeletons have them
    return Skeleton.from_heads(skeleton.names, skeleton.parents, scale * skeleton.heads, tails=scale * skeleton.tails)


def _arm(*, quads: bool = False) -> Model:
    skeleton = skeletons.arm_skeleton()
    axis = hero.arm_axis(skeleton) if _flag("quads", quads) else None
    return Model(skeleton, hero.arm_body(skeleton, thumb=not quads), rigs.LIMB, axis=axis)


def _leg(*, quads: bool = False) -> Model:
    skeleton = skeletons.leg_skeleton()
    axis = hero.leg_axis(skeleton) if _flag("quads", quads) else None
    return Model(skeleton, hero.leg_body(skeleton), rigs.LIMB, axis=axis)


def _tube(*, bones: int = 2, length: float = 1.0, radius: float = 0.1, quads: bool = False) -> Model:
    if isinstance(bones, bool) or not isinstance(bones, int | np.integer) or bones < 1:
        raise InputError(_WHERE, f"bones is {bones!r}", "a whole number from 1 up is needed", "try 2")
    for what, value in (("length", length), ("radius", radius)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
            raise InputError(_WHERE, f"{what} is {value!r}", "a length in metres is needed", "try the default")
    slimness = radius / length
    if not 0.005 <= slimness <= 0.4:
        raise InputError(
            _WHERE,
            f"the tube is {length:g} m long with a radius of {radius:g} m",
            "the radius must be 0.005 to 0.4 times the length",
            "change one of them",
        )
    skeleton = skeletons.tube_skeleton(int(bones), length=1.0, radius=slimness)
    cap = 0.6 * slimness
    shape = loft((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), [(cap - 0.5, slimness), (0.5 - cap, slimness)], caps=(cap, cap))
    axis = np.array([[cap - 0.5, 0.0, 0.0], [0.5 - cap, 0.0, 0.0]]) if _flag("quads", quads) else None
    weights = dataclasses.replace(rigs.TUBE, core=lambda name: 0.3 * slimness)
    return Model(skeleton, Body((Part((Blob(shape),)),)), weights, axis=axis, scale=float(length), finest=4_000)


def _flag(what: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise InputError(_WHERE, f"{what} is {value!r}", "True or False is needed", "leave it out")
    return value


def _hero(*, fingers: bool = False) -> Model:
    skeleton = skeletons.hero_skeleton(fingers=_flag("fingers", fingers))
    body = hero.hero_body(skeleton, fingers=fingers)
    finest, coarse = (30_000, 11_752) if fingers else (12_000, 8_826)
    return Model(skeleton, body, rigs.HERO, hero.hero_lenses(fingers=fingers), finest, coarse)


def _quadruped() -> Model:
    skeleton = skeletons.quadruped_skeleton()
    return Model(skeleton, animals.quadruped_body(skeleton), rigs.QUADRUPED, animals.quadruped_lenses(), 12_000, 12_698)


def _snake(*, quads: bool = False) -> Model:
    skeleton = skeletons.snake_skeleton()
    axis = animals.snake_axis(skeleton) if _flag("quads", quads) else None
    body = animals.snake_body(skeleton, mouth=not quads)
    return Model(skeleton, body, rigs.SNAKE, animals.snake_lenses(), 6_000, None if quads else 2_758, axis)


def _octopus() -> Model:
    skeleton = skeletons.octopus_skeleton()
    return Model(skeleton, animals.octopus_body(skeleton), rigs.OCTOPUS, animals.octopus_lenses(), 12_000, 6_674)


_MODELS: dict[str, tuple[Callable[..., Model], tuple[str, ...]]] = {
    "hero": (_hero, ("fingers",)),
    "arm": (_arm, ("quads",)),
    "leg": (_leg, ("quads",)),
    "tube": (_tube, ("bones", "length", "radius", "quads")),
    "snake": (_snake, ("quads",)),
    "quadruped": (_quadruped, ()),
    "octopus": (_octopus, ()),
}
CHARACTERS: tuple[str, ...] = tuple(_MODELS)
