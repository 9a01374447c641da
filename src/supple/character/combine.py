"""Several characters as one: what moves one character then moves them all, and they can meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray, IntArray, frozen
from supple.character.attributes import join_attributes, placed
from supple.character.character import Character, Display
from supple.character.materials import Material
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import InputError

_WHERE = "combine"
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPLITS = ".,=:+"  # what ends a name where settings name joints and regions
_BETWEEN = 0.1  # of the wider of two neighbours: the gap between them where nobody says where they stand
_RIGID = 1e-6
# Maps that name bones by number, which changes when characters are joined.
_NUMBERING = ("attachment_bone",)


def combine(
    characters: Sequence[Character], *, names: Sequence[str] | None = None, moves: Sequence[ArrayLike] | None = None
) -> Character:
    """One character made of several, each on its own roots, tied to its own bones only.

    They stand side by side along x, the first where it is; or each where one of `moves` takes it, a way (3,) [m] or a
    rigid transform (4, 4). Zeros leave it where it is. `names` tell them apart. Without, they are the characters' own
    names where those differ, or else one, two and so on. A joint `spine` of `one` becomes `one.spine`, and likewise
    with parts, maps, shapes, materials and extras. All vertices of `one` are the part `one`. A map that all of them
    have is there under its own name too, so that skins find it.

    `ArticulatedContact` lets them meet, both ways. Leave some air between them at rest, however little: flesh that
    overlaps there grows together. Clips do not come along; `supple.combine_motions` plays one for each. Where only some
    skeletons have tails, none are kept: bones then end at the next joints.
    """
    members = tuple(characters)
    if not members:
        raise InputError(_WHERE, "there are no characters", "at least one is needed", "pass a list of characters")
    for character in members:
        if not isinstance(character, Character):
            raise InputError(
                _WHERE, f"a {type(character).__name__} was given", "characters are needed", "load or make some first"
            )
        if character.weights is None:
            raise InputError(
                _WHERE,
                f"{character.name} has no skin weights",
                "weights tie each skin to its own bones",
                "make some first, with character.replace(weights=supple.automatic_weights(character))",
            )
    called = _names(members, names)
    carries = _carries(members, moves)
    starts = _firsts([len(member.points) for member in members])
    vertices = [np.arange(first, last, dtype=np.int32) for first, last in pairwise(starts)]
    parts = dict(zip(called, vertices, strict=True))
    for name, member, own in zip(called, members, vertices, strict=True):
        parts |= {f"{name}.{part}": own[numbers] for part, numbers in member.parts.items()}
    shapes = [
        {shape: offsets @ carry[:3, :3].T for shape, offsets in member.shapes.items()}
        for member, carry in zip(members, carries, strict=True)
    ]
    return Character(
        np.concatenate([_moved(carry, member.points) for member, carry in zip(members, carries, strict=True)]),
        np.concatenate([member.triangles + first for member, first in zip(members, starts, strict=False)]),
        _skeleton([member.skeleton for member in members], called, carries),
        _weights(members),
        name=" and ".join(called),
        maps=_maps(members, called, vertices),
        parts=parts,
        polygons=_polygons(members, starts),
        display=_display(members, starts, called, carries),
        shapes=_spread(shapes, called, vertices),
        extras={name: dict(member.extras) for name, member in zip(called, members, strict=True) if member.extras},
        **_materials(members, called),
    )


joined = combine
"""What `combine` was called before."""


def members_of(skeleton: Skeleton) -> dict[str, slice]:
    """The characters that were joined to one that has this skeleton, by name, and which joints are theirs."""
    found: dict[str, slice] = {}
    for joint, full in enumerate(skeleton.names):
        name, dot, _ = full.partition(".")
        before = found.get(name)
        if not dot or (before is not None and before.stop != joint):
            raise InputError(
                _WHERE,
                f"the skeleton has a joint {full!r}",
                "joints of joined characters are NAME.joint",
                "use a character that supple.combine made",
            )
        found[name] = slice(joint if before is None else before.start, joint + 1)
    return found


def rigid(move: ArrayLike, where: str, what: str) -> FloatArray:
    """The transform (4, 4) of a way (3,) [m], or of a rigid transform, checked."""
    if np.ndim(move) == 1:
        return _shift(frozen(move, np.float64, (3,), where, what))
    carry = frozen(move, np.float64, (4, 4), where, what)
    rotation = carry[:3, :3]
    square = np.abs(rotation @ rotation.T - np.eye(3)).max() <= _RIGID and np.linalg.det(rotation) > 0.0
    if not square or np.abs(carry[3] - [0.0, 0.0, 0.0, 1.0]).max() > _RIGID:
        raise InputError(
            where,
            f"{what} is no rigid transform",
            "it may turn and move, not stretch, shear or mirror",
            "scale the character itself before",
        )
    return carry


def _names(members: Sequence[Character], names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        own = tuple(member.name for member in members)
        if len(set(own)) == len(own) and all(map(_usable, own)):
            return own
        return tuple(_NUMBERS[k] if k < len(_NUMBERS) else str(k + 1) for k in range(len(members)))
    called = (names,) if isinstance(names, str) else tuple(str(name) for name in names)
    if len(called) != len(members):
        raise InputError(
            _WHERE, f"there are {len(called)} names", f"there are {len(members)} characters", "pass one for each"
        )
    for name in called:
        if not _usable(name):
            raise InputError(
                _WHERE, f"a name is {name!r}", f"names have none of {_SPLITS} and no spaces around", "take a plain word"
            )
        if called.count(name) > 1:
            raise InputError(_WHERE, f"the name {name!r} stands twice", "names must differ", "rename one")
    return called


def _usable(name: str) -> bool:
    return bool(name) and name == name.strip() and not any(letter in name for letter in _SPLITS)


def _carries(members: Sequence[Character], moves: Sequence[ArrayLike] | None) -> list[FloatArray]:
    """The rigid transform (4, 4) that takes each to where it stands."""
    if moves is None:
        return [_shift(np.array([offset, 0.0, 0.0])) for offset in _side_by_side(members)]
    if len(moves) != len(members):
        raise InputError(
            _WHERE,
            f"there are {len(moves)} moves",
            f"there are {len(members)} characters",
            "pass one for each; zeros leave it where it is",
        )
    return [rigid(move, _WHERE, f"move {number}") for number, move in enumerate(moves)]


def _shift(offset: FloatArray) -> FloatArray:
    carry = np.eye(4)
    carry[:3, 3] = offset
    return carry


def _side_by_side(members: Sequence[Character]) -> list[float]:
    """How far [m] along x each goes, so that every one stands clear of the one before."""
    offsets = [0.0]
    for before, member in pairwise(members):
        gap = _BETWEEN * max(float(before.size[0]), float(member.size[0]))
        offsets.append(float(offsets[-1] + before.points[:, 0].max() + gap - member.points[:, 0].min()))
    return offsets


def _firsts(counts: Sequence[int]) -> IntArray:
    """Where each begins when some of these counts come one after another, and where the last one ends."""
    return np.cumsum([0, *counts]).astype(np.int32)


def _moved(carry: FloatArray, points: FloatArray) -> FloatArray:
    return np.asarray(points @ carry[:3, :3].T + carry[:3, 3])


def _skeleton(skeletons: Sequence[Skeleton], called: Sequence[str], carries: Sequence[FloatArray]) -> Skeleton:
    firsts = _firsts([len(one) for one in skeletons])
    parents = [
        np.where(one.parents < 0, -1, one.parents + first) for one, first in zip(skeletons, firsts, strict=False)
    ]
    names = tuple(f"{name}.{joint}" for name, one in zip(called, skeletons, strict=True) for joint in one.names)
    world = [carry @ one.world_from_joint for one, carry in zip(skeletons, carries, strict=True)]
    tails = [_moved(carry, one.tails) for one, carry in zip(skeletons, carries, strict=True) if one.tails is not None]
    ends = np.concatenate(tails) if len(tails) == len(skeletons) else None
    return Skeleton(names, np.concatenate(parents), np.concatenate(world), tails=ends)


def _weights(members: Sequence[Character]) -> Weights:
    all_weights = [member.weights for member in members if member.weights is not None]
    firsts = _firsts([len(member.skeleton) for member in members])
    most = max(one.joints.shape[1] for one in all_weights)

    def wide(values: NDArray[Any]) -> NDArray[Any]:
        return np.pad(values, ((0, 0), (0, most - values.shape[1])))

    joints = [
        wide(np.where(one.values > 0.0, one.joints + first, 0)) for one, first in zip(all_weights, firsts, strict=False)
    ]
    return Weights(np.concatenate(joints), np.concatenate([wide(one.values) for one in all_weights]))


def _maps(members: Sequence[Character], called: Sequence[str], vertices: Sequence[IntArray]) -> dict[str, FloatArray]:
    shared = [name for name in members[0].maps if all(name in member.maps for member in members)]
    whole = {name: np.concatenate([member.maps[name] for member in members]) for name in shared}
    own = _spread([member.maps for member in members], called, vertices)
    return {**{name: values for name, values in whole.items() if name not in _NUMBERING}, **own}


def _spread(
    each: Sequence[Mapping[str, FloatArray]], called: Sequence[str], vertices: Sequence[IntArray]
) -> dict[str, FloatArray]:
    """Values per vertex of each character, by its name, on the vertices of all; zero on those of others."""
    count = int(vertices[-1][-1]) + 1
    found: dict[str, FloatArray] = {}
    for name, values, own in zip(called, each, vertices, strict=True):
        for which, given in values.items():
            spread = np.zeros((count, *given.shape[1:]))
            spread[own] = given
            found[f"{name}.{which}"] = spread
    return found


def _polygons(members: Sequence[Character], starts: IntArray) -> IntArray | None:
    if all(member.polygons is None for member in members):
        return None
    rows = []
    for member, first in zip(members, starts, strict=False):
        faces = member.polygons
        if faces is None:
            faces = np.pad(member.triangles, ((0, 0), (0, 1)), constant_values=-1)
        rows.append(np.where(faces < 0, -1, faces + first))
    return np.concatenate(rows)


def _display(
    members: Sequence[Character], starts: IntArray, called: Sequence[str], carries: Sequence[FloatArray]
) -> Display | None:
    if all(member.display is None for member in members):
        return None
    drawn = [
        member.display or Display(np.arange(len(member.points), dtype=np.int32), member.triangles) for member in members
    ]
    firsts = _firsts([len(one.control_points) for one in drawn])
    uvs = None
    if any(one.uvs is not None for one in drawn):
        uvs = np.concatenate([np.zeros((len(one.control_points), 2)) if one.uvs is None else one.uvs for one in drawn])
    return Display(
        np.concatenate([one.control_points + first for one, first in zip(drawn, starts, strict=False)]),
        np.concatenate([one.triangles + first for one, first in zip(drawn, firsts, strict=False)]),
        uvs,
        join_attributes(
            [
                (
                    {_attribute(key, name): rows for key, rows in placed(one.attributes, carry).items()},
                    len(one.control_points),
                )
                for name, one, carry in zip(called, drawn, carries, strict=True)
            ]
        ),
    )


def _attribute(key: str, name: str) -> str:
    """What an attribute of the member `name` is called; those of shapes go by the new names of the shapes."""
    kind, slash, shape = key.partition("/")
    return f"{kind}/{name}.{shape}" if slash and not key.startswith("_") else key


def _materials(members: Sequence[Character], called: Sequence[str]) -> dict[str, Any]:
    looks: list[Material] = []
    worn = []
    for name, member in zip(called, members, strict=True):
        own = member.material_of_triangle
        rows = np.full(len(member.triangles), -1) if own is None else np.where(own < 0, -1, own + len(looks))
        worn.append(rows)
        looks += [replace(material, name=f"{name}.{material.name}") for material in member.materials]
    return {"materials": tuple(looks), "material_of_triangle": np.concatenate(worn)} if looks else {}
