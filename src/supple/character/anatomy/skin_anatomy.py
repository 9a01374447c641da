"""What a skin is made of: how thick, leaf or rigid it is, which shells lie on which, and how soft that makes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.anatomy.covers import cover
from supple.character.anatomy.leaves import leaf_joints, skull_joints
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.anatomy.shells import Shells, find_shells, shell_volumes
from supple.character.anatomy.softness import PAINTED, body_sizes
from supple.character.anatomy.thickness import local_thickness
from supple.character.character import Character
from supple.character.crowd import Crowd, stacked
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry.vectors import cross, lengths, smoothstep

THICKNESS, LEAF, RIGID, JIGGLE, FLESH = PAINTED_ANATOMY = ("thickness", "leaf", "rigid", "jiggle", "flesh")
_TRUNK = 0.95  # of a body's skin is thinner than what counts as its trunk
_THIN = (0.1, 0.22)  # shares of the trunk's thickness: what is thinner than the first is bone and sinew
_SOFT = (0.3, 0.8)  # shares of the trunk's thickness: what is thinner than the first does not swing
# How thick the trunk is against the side of a cube as large as the body, of a lean person (0.48) and of a round one
# (0.95); a ball has 1.24.
_LEAN, _ROUND = 0.45, 0.95
_LEAST = 0.35  # how soft the trunk of the leanest is
SWINGS = 0.5  # of half the thickness of flesh: what of it swings where nothing is painted, the rest is organs and bone
_HOLDS = 0.05  # weight from which a bone holds a vertex


@dataclass(frozen=True, eq=False)
class BodyShape:
    """What follows from mesh, skeleton and weights alone; V vertices.

    `thickness` (V,) [m] is how thick the flesh is, `trunk` (V,) [m] that of the trunk of the same body, and `plumpness`
    (V,) how soft that trunk is, 0 to 1. `bone_count` (V,) is how many bones hold a vertex; `leaf` and `rigid` (V,) how
    much of it is a leaf or a rigid part, 0 to 1.
    """

    thickness: FloatArray
    trunk: FloatArray
    plumpness: FloatArray
    bone_count: IntArray
    leaf: FloatArray
    rigid: FloatArray
    shells: Shells

    def stack(self, count: int) -> BodyShape:
        """That of `count` copies of a character, one after another."""
        shells, vertices = self.shells, len(self.thickness)
        return BodyShape(
            np.tile(self.thickness, count),
            np.tile(self.trunk, count),
            np.tile(self.plumpness, count),
            np.tile(self.bone_count, count),
            np.tile(self.leaf, count),
            np.tile(self.rigid, count),
            Shells(
                stacked(shells.number, count, len(shells.hard)),
                np.tile(shells.hard, count),
                np.tile(shells.lying, count),
                stacked(shells.hosts, count, vertices),
                np.tile(shells.host_weights, (count, 1)),
            ),
        )


@dataclass(frozen=True, eq=False)
class SkinAnatomy:
    """What the skin of a character is made of, vertex by vertex (V,); read it as `character.anatomy`.

    `thickness` [m] is how thick flesh is there, `trunk` [m] that of the trunk of the same body. `leaf` says how much of
    a vertex belongs to a finger, toe, hoof, ear, tail or tooth, `rigid` how much to a skull, hands, feet, a hard shell
    or flesh below one, `firmness` how much it goes with the bones: all of that, and whatever is thin. `softness` is how
    softly it swings. All of these go from 0 to 1. `swing_depth` [m] is how deep the flesh goes that swings, a share of
    half the thickness, smaller for the lean. `bone_count` is how many bones hold it, and `shells` tells what lies on
    what.

    Painted maps win: "thickness" [m], "leaf" and "rigid", and for softness "jiggle" or "flesh" [m].
    """

    thickness: FloatArray
    trunk: FloatArray
    bone_count: IntArray
    leaf: FloatArray
    rigid: FloatArray
    firmness: FloatArray
    softness: FloatArray
    swing_depth: FloatArray
    shells: Shells

    def flesh_map(self, character: Character) -> FloatArray:
        """The map "flesh" (V,) [m] that makes the skin as soft as this, where it is not rigid."""
        loose = np.clip(self.softness / np.maximum(1.0 - self.rigid, 1e-3), 0.0, 1.0)
        step = 0.5 - np.sin(np.arcsin(1.0 - 2.0 * loose) / 3.0)  # what the smooth step takes to it
        return np.asarray(body_sizes(character) * (PAINTED[0] + step * (PAINTED[1] - PAINTED[0])))

    @property
    def slenderness(self) -> FloatArray:
        """How much every vertex (V,) is bone and sinew because it is thin or a leaf, 0 to 1."""
        return 1.0 - smoothstep(self.relative_thickness, *_THIN) * (1.0 - self.leaf)

    @property
    def fleshiness(self) -> FloatArray:
        """How much flesh there is (V,), whatever holds it firm, 0 where it is thin or a leaf to 1 on the trunk."""
        return smoothstep(self.relative_thickness, *_SOFT) * (1.0 - self.leaf)

    @property
    def relative_thickness(self) -> FloatArray:
        """How thick the flesh is (V,) as a share of the trunk's."""
        return self.thickness / np.maximum(self.trunk, 1e-300)


def find_body_shape(character: Character) -> BodyShape:
    """Look at the mesh, its shells and the bones in it; the slow part."""
    if isinstance(character, Crowd):
        return character.member.body_shape.stack(character.count)
    points, triangles, skeleton, weights = (
        character.points, character.triangles, character.skeleton, character.weights,
    )  # fmt: skip
    shells = find_shells(points, triangles, skeleton, weights)
    skin = shells.flesh_triangles(triangles)
    thickness = shells.on_host(local_thickness(points, skin))
    areas = _vertex_areas(points, skin)
    body = _bodies(skeleton, weights, len(points))
    named = np.zeros(len(points)) if weights is None else rigid_fraction(character, weights)
    trunk, plumpness = np.zeros(len(points)), np.zeros(len(points))
    for one in np.unique(body):
        mine = body == one
        trunk[mine] = _trunk(thickness[mine], areas[mine], named[mine])
        volume = shell_volumes(points, skin[mine[skin[:, 0]]], shells.number).sum()
        cube = max(float(volume), 1e-300) ** (1.0 / 3.0)
        plumpness[mine] = _LEAST + (1.0 - _LEAST) * smoothstep(trunk[mine] / cube, _LEAN, _ROUND)
    leaf, skull = _leaves(skeleton, weights, thickness / np.maximum(trunk, 1e-300), areas)
    rigid = np.maximum(np.maximum(named, skull), shells.hard[shells.number])
    rigid = np.maximum(rigid, cover(points, triangles, shells, trunk))
    leaf = np.where(shells.hard[shells.number], 0.0, leaf)  # a helmet or a sword is no finger, though it is an end
    count = np.ones(len(points)) if weights is None else (weights.values >= _HOLDS).sum(axis=1)
    return BodyShape(thickness, trunk, plumpness, count.astype(np.int32), leaf, rigid, shells)


def find_anatomy(character: Character, *, painted: bool = True) -> SkinAnatomy:
    """What the skin is made of, with what was `painted` on it or without."""
    shape, maps = character.body_shape, character.maps if painted else {}
    thickness = maps.get(THICKNESS, shape.thickness)
    leaf, rigid = (np.clip(maps.get(name, own), 0.0, 1.0) for name, own in ((LEAF, shape.leaf), (RIGID, shape.rigid)))
    relative = thickness / np.maximum(shape.trunk, 1e-300)
    firmness = 1.0 - smoothstep(relative, *_THIN) * (1.0 - leaf) * (1.0 - rigid)
    if JIGGLE in maps:
        softness = np.clip(maps[JIGGLE], 0.0, 1.0)
        firmness = firmness * (1.0 - softness)
    elif FLESH in maps:
        softness = smoothstep(maps[FLESH] / body_sizes(character), *PAINTED) * (1.0 - rigid)
    else:
        softness = shape.plumpness * smoothstep(relative, *_SOFT) * (1.0 - firmness)
    said = JIGGLE in maps or FLESH in maps
    return SkinAnatomy(
        thickness,
        shape.trunk,
        shape.bone_count,
        leaf,
        rigid,
        firmness,
        shape.shells.on_host(np.asarray(softness)),
        0.5 * thickness * (1.0 if said else SWINGS * shape.plumpness),
        shape.shells,
    )


def without_maps(character: Character, *names: str) -> Character:
    """The character without maps of these names, which count for its anatomy."""
    if not character.maps.keys() & set(names):
        return character
    return character.replace(maps={name: values for name, values in character.maps.items() if name not in names})


def usual_flesh(character: Character) -> FloatArray:
    """The map "flesh" (V,) [m] that makes the skin as soft as it is where none is painted."""
    return without_maps(character, JIGGLE, FLESH).anatomy.flesh_map(character)


def _bodies(skeleton: Skeleton, weights: Weights | None, vertices: int) -> IntArray:
    """The root (V,) of the tree of joints that moves every vertex most."""
    root = np.arange(len(skeleton), dtype=np.int32)
    for level in skeleton.levels[1:]:
        root[level] = root[skeleton.parents[level]]
    if weights is None or len(np.unique(root)) == 1:
        return np.zeros(vertices, dtype=np.int32)
    strongest = np.take_along_axis(weights.joints, weights.values.argmax(axis=1)[:, None], axis=1)[:, 0]
    return root[strongest]


def _vertex_areas(points: FloatArray, triangles: IntArray) -> FloatArray:
    """A third of the area (V,) [m²] of the triangles around every vertex."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    area = lengths(cross(b - a, c - a)) / 6.0
    return np.bincount(triangles.ravel(), np.repeat(area, 3), len(points)).astype(np.float64)


def _trunk(thickness: FloatArray, areas: FloatArray, named: FloatArray) -> float:
    """How thick [m] the trunk of a body is: nearly the thickest of its skin, heads left out where names tell them."""
    areas = areas * (1.0 - named) if (areas * (1.0 - named)).sum() > 0.0 else areas
    if not areas.sum() > 0.0:
        return float(thickness.max(initial=0.0))
    order = np.argsort(thickness, kind="stable")
    total = np.cumsum(areas[order])
    return float(thickness[order[np.searchsorted(total, _TRUNK * total[-1])]])


def _leaves(
    skeleton: Skeleton, weights: Weights | None, relative: FloatArray, areas: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """How much of every vertex (V,) is a leaf, and how much of it a skull that no name tells."""
    if weights is None:
        return np.zeros(len(relative)), np.zeros(len(relative))
    share = weights.values * areas[:, None]
    moved = np.bincount(weights.joints.ravel(), share.ravel(), len(skeleton))
    thick = np.bincount(weights.joints.ravel(), (share * relative[:, None]).ravel(), len(skeleton))
    by_joint = thick / np.maximum(moved, 1e-300)
    leaf = leaf_joints(skeleton, by_joint, moved > 0.0)
    skull = skull_joints(skeleton, by_joint, leaf, moved / max(float(moved.sum()), 1e-300))
    return tuple(np.clip((weights.values * each[weights.joints]).sum(axis=1), 0.0, 1.0) for each in (leaf, skull))
