"""Names and order: shapes, poses, strokes and layers called otherwise, moved, or taken away with all that used them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from supple.edits.edits import Edits
from supple.edits.layers import Layer
from supple.errors import InputError
from supple.names import SPACED, unique

_WHERE = "Edits"


def layer_named(edits: Edits, name: str) -> Layer:
    """The layer of that name."""
    for layer in edits.layers:
        if layer.name == name:
            return layer
    there = ", ".join(layer.name for layer in edits.layers) or "none"
    raise InputError(_WHERE, f"layer {name!r} was named", f"there are {there}", "name one of those")


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name that is not taken: the one that is wanted, or with the next number behind it."""
    return unique([wanted], taken=taken, form=SPACED)[0]


def rename_layer(edits: Edits, name: str, to: str) -> Edits:
    """With another name for a layer, in its place."""
    _check_name(to)
    layer = layer_named(edits, name)
    return replace(edits, layers=tuple(replace(one, name=to) if one is layer else one for one in edits.layers))


def move_layer(edits: Edits, name: str, place: int) -> Edits:
    """With a layer at another place among the others, 0 for the first."""
    layer = layer_named(edits, name)
    others = [one for one in edits.layers if one is not layer]
    if not 0 <= place <= len(others):
        needed = f"there are places 0 to {len(others)}"
        raise InputError(_WHERE, f"layer {name!r} was to go to place {place}", needed, "use one of those")
    return replace(edits, layers=(*others[:place], layer, *others[place:]))


def rename_use(edits: Edits, name: str, to: str) -> Edits:
    """With another name for a shape or a pose, in the keys that use it too."""
    _check_name(to)
    _check_used(edits, name)
    if to != name and (to in edits.shapes or to in edits.poses):
        raise InputError(_WHERE, f"{name!r} was to be called {to!r}", "another one has that name", "choose another")
    layers = [
        replace(layer, keys=tuple(replace(key, use=to) if key.use == name else key for key in layer.keys))
        for layer in edits.layers
    ]
    shapes, poses = _renamed(edits.shapes, name, to), _renamed(edits.poses, name, to)
    return replace(edits, shapes=shapes, poses=poses, layers=tuple(layers))


def rename_stroke(edits: Edits, name: str, to: str) -> Edits:
    """With another name for a stroke, in space or on the skin."""
    _check_name(to)
    known = {**edits.strokes, **edits.surface_strokes}
    if name not in known:
        there = ", ".join(known) or "none"
        raise InputError(_WHERE, f"stroke {name!r} was named", f"there are {there}", "name one of those")
    if to != name and to in known:
        raise InputError(_WHERE, f"{name!r} was to be called {to!r}", "another one has that name", "choose another")
    strokes, on_skin = _renamed(edits.strokes, name, to), _renamed(edits.surface_strokes, name, to)
    return replace(edits, strokes=strokes, surface_strokes=on_skin)


def delete_use(edits: Edits, name: str) -> Edits:
    """Without a shape or a pose and the keys that use it; layers that then show nothing go too."""
    _check_used(edits, name)
    layers = [layer if name not in layer.uses else _without_use(layer, name) for layer in edits.layers]
    left = replace(edits, layers=tuple(layer for layer in layers if layer is not None))
    return left.without_shape(name) if name in left.shapes else left.without_pose(name)


def _without_use(layer: Layer, name: str) -> Layer | None:
    keys = tuple(key for key in layer.keys if key.use != name)
    return replace(layer, keys=keys) if any(key.use for key in keys) else None


def _renamed(known: Mapping[str, Any], name: str, to: str) -> dict[str, Any]:
    return {to if one == name else one: value for one, value in known.items()}


def _check_used(edits: Edits, name: str) -> None:
    known = [*edits.shapes, *edits.poses]
    if name not in known:
        there = ", ".join(known) or "none"
        raise InputError(_WHERE, f"shape or pose {name!r} was named", f"there are {there}", "name one of those")


def _check_name(name: str) -> None:
    if not name.strip():
        raise InputError(_WHERE, "a name is empty", "letters are needed", "type a name")
