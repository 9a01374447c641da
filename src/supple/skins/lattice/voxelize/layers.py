"""Layers of the body: bone inside, skin outside, muscle and fat between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.character import Character
from supple.character.regions import RegionFinder
from supple.errors import InputError
from supple.geometry.vectors import smoothstep
from supple.settings import ByName
from supple.skins.lattice.voxelize.cells import WHERE, Lattice
from supple.skins.lattice.voxelize.path_weights import BonePaths

Regional = ByName[float | str]
"""A number for every region, or "auto"."""

BONE = 0
JIGGLE_MAP, FATNESS_MAP = "jiggle", "fatness"
_AUTO: Regional = ByName({"default": "auto"})
_WIDTH = RegionFinder(WHERE, "bone_width")
_FATNESS = RegionFinder(WHERE, "fatness")
_ALIKE = 1e-6  # voxels, and shares of a way, that differ by less are alike: on a lattice many are but for rounding
# Automatic bone width: all of the flesh where it is thin, a share of it where it is deep, measured in voxels.
_ALL_BONE, _FULL_FLESH, _BONE_SHARE = 1.45, 2.1, 0.3
# Automatic fatness: the depth of flesh, as a share of the body's size, at which it begins to rise and is highest.
_LEAN, _FAT = 0.02, 0.07
_LEAST_FAT, _MOST_FAT = 0.25, 0.65


@dataclass(frozen=True, eq=False)
class Layers:
    """The layer of every node: `numbers` (N,), 0 for bone, then the inner layers from inside out, then the skin.

    Some layers may hold no node. `skin_depths` (N,) are the ways [voxels] from each node to the nearest one that the
    skin touches.
    """

    numbers: IntArray
    skin_depths: FloatArray

    @property
    def bone(self) -> BoolArray:
        """Which nodes (N,) the bones carry."""
        return self.numbers == BONE


def check_layers(character: Character, bone_width: Regional, fatness: Regional) -> None:
    """Refuse regions that the character does not have."""
    for values, reader in ((bone_width, _WIDTH), (fatness, _FATNESS)):
        for name in values.named:
            reader.marked(character, name)


def assign_layers(
    character: Character,
    lattice: Lattice,
    paths: BonePaths,
    *,
    fractions: Sequence[float] = (0.6, 0.4),
    skin: bool = True,
    bone_width: Regional = _AUTO,
    fatness: Regional = _AUTO,
) -> Layers:
    """Sort the nodes into bone, inner layers and skin.

    Nodes within `bone_width` voxels of a bone, on the way through the flesh, are bone, those that a bone passes in any
    case; what the skin touches is skin, unless that layer is left out; between them the inner layers follow each
    other by `fractions` of the way from bone to skin, inside out. `fatness` is the share of the outermost of them and
    the others divide the rest as their shares say. Pieces that no bone reaches are bone: nothing else would carry them.

    Width and fatness are a number or "auto", and others by region: the name of a part or a painted map, or numbers of
    vertices. A region reaches inwards as far as its skin is the nearest. "auto" looks at how deep
    the flesh is over the bone: thin parts (fingers) are bone alone; where it is deeper the bone takes a third of it
    at most; and the deeper it is, as a share of the body's size, the larger is the share of fat.
    """
    depths = FleshDepths.of(lattice, paths)
    return divide_flesh(
        character, lattice, depths, fractions=fractions, skin=skin, bone_width=bone_width, fatness=fatness
    )


def divide_flesh(
    character: Character,
    lattice: Lattice,
    graph: FleshDepths,
    *,
    fractions: Sequence[float],
    skin: bool,
    bone_width: Regional,
    fatness: Regional,
    firm: BoolArray | None = None,
) -> Layers:
    """The layers of flesh whose depths are known already; see `assign_layers`.

    Where it is known which nodes are `firm` (N,), they are what is bone by itself, with those that a bone passes
    below the skin.
    """
    if not len(fractions) or min(fractions) < 0.0 or sum(fractions) <= 0.0:
        raise InputError(
            WHERE, f"the shares of inner layers are {list(fractions)}", "positive shares are needed", "use (0.6, 0.4)"
        )
    steps = np.where(graph.reached, graph.steps, 0.0)  # what no bone reaches is as near as bone itself
    depth = steps[graph.seen]  # of flesh over the bone, where each node sees the skin
    own = _auto_width(depth) if firm is None else np.where(firm, steps, np.where(lattice.on_surface, -1.0, 0.0))
    width = _by_region(character, lattice, graph, bone_width, _WIDTH, own)
    fat = painted_on_nodes(character, lattice, graph, FATNESS_MAP)
    if fat is None:
        fat = usual_fatness(character, lattice, graph, fatness)
    away = np.maximum(steps - np.maximum(width, 0.0), 0.0)
    risen = away / np.maximum(away + graph.skin_depths, 1e-9)  # 0 at the bone, 1 at the skin
    numbers = 1 + _band(risen, np.asarray(fractions, dtype=np.float64), fat)
    if skin:
        numbers[lattice.on_surface] = len(fractions) + 1
    numbers[(steps <= width + _ALIKE) | ~graph.reached] = BONE
    return Layers(numbers.astype(np.int32), graph.skin_depths)


def _band(risen: FloatArray, fractions: FloatArray, fatness: FloatArray) -> IntArray:
    """Which inner layer (N,) a node is in, by how far it is on the way from bone to skin."""
    if len(fractions) == 1:
        return np.zeros(len(risen), dtype=np.int32)
    inner = fractions[:-1].sum()
    below = np.cumsum(fractions[:-1]) / inner if inner > 0.0 else np.ones(len(fractions) - 1)
    borders = below[None, :] * (1.0 - fatness)[:, None]
    return (risen[:, None] >= borders - _ALIKE).sum(axis=1).astype(np.int32)


def _auto_width(depth: FloatArray) -> FloatArray:
    """Voxels of bone where flesh is so many voxels deep."""
    return depth * (1.0 - (1.0 - _BONE_SHARE) * smoothstep(depth, _ALL_BONE, _FULL_FLESH))


def _auto_fatness(depth: FloatArray) -> FloatArray:
    """Share of fat where flesh is so deep, as a share of the body's size."""
    return _LEAST_FAT + (_MOST_FAT - _LEAST_FAT) * smoothstep(depth, _LEAN, _FAT)


@dataclass(frozen=True, eq=False)
class FleshDepths:
    """How deep flesh lies, whatever its layers are: ways through it [voxels] from the bones and from the skin.

    `steps` (N,) is the way to a bone, infinite where there is none, `skin_depths` (N,) that to a node which the skin
    touches, and `seen` (N,) that node. `holding` (N,) is the nearest node that holds a vertex.
    """

    steps: FloatArray
    skin_depths: FloatArray
    seen: IntArray
    holding: IntArray

    @property
    def reached(self) -> BoolArray:
        """Which nodes (N,) hang together with a bone."""
        return np.isfinite(self.steps)

    @classmethod
    def of(cls, lattice: Lattice, paths: BonePaths) -> FleshDepths:
        """Walk from the skin inwards."""
        from scipy.sparse.csgraph import dijkstra

        own = np.arange(len(lattice), dtype=np.int32)
        near = []
        for sources in (np.flatnonzero(lattice.on_surface), np.unique(lattice.vertex_nodes)):
            lengths, _, source = dijkstra(lattice.graph, indices=sources, min_only=True, return_predecessors=True)
            # What hangs together with none of them sees itself.
            near.append((np.where(np.isfinite(lengths), lengths, 0.0), np.where(source >= 0, source, own)))
        return cls(paths.steps, near[0][0], near[0][1], near[1][1])


def painted_on_nodes(character: Character, lattice: Lattice, graph: FleshDepths, name: str) -> FloatArray | None:
    """A painted map at every node (N,), 0 to 1: that of the nearest node that holds vertices; None without one."""
    if name not in character.maps:
        return None
    vertices = np.maximum(np.bincount(lattice.vertex_nodes, minlength=len(lattice)), 1)
    total = np.bincount(lattice.vertex_nodes, np.clip(character.maps[name], 0.0, 1.0), len(lattice))
    return np.asarray((total / vertices)[graph.holding])


def usual_fatness(character: Character, lattice: Lattice, graph: FleshDepths, fatness: Regional) -> FloatArray:
    """The share of fat at every node (N,) where none is painted."""
    depth = np.where(graph.reached, graph.steps, 0.0)[graph.seen]
    size = float(np.ptp(character.points, axis=0).max()) / lattice.side
    return _by_region(character, lattice, graph, fatness, _FATNESS, _auto_fatness(depth / size))


def _by_region(
    character: Character,
    lattice: Lattice,
    graph: FleshDepths,
    given: Regional,
    finder: RegionFinder,
    automatic: FloatArray,
) -> FloatArray:
    """The value of a setting at every node (N,)."""
    default = _AUTO.default if given.default is None else given.default
    values = automatic if isinstance(default, str) else np.full(len(lattice), default)
    vertices = np.maximum(np.bincount(lattice.vertex_nodes, minlength=len(lattice)), 1)
    for name, one in given.named.items():
        wanted = automatic if isinstance(one, str) else one
        total = np.bincount(lattice.vertex_nodes, finder.marked(character, name), len(lattice))
        weight = (total / vertices)[graph.holding]
        values = values + weight * (wanted - values)
    return values
