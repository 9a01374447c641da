"""A character as a network of curves: limbs, and on the skin of each a closed ring of curves that run along it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.anatomy.limbs import Limb, find_limbs
from supple.character.character import Character
from supple.character.weights import Weights
from supple.errors import InputError, SuppleWarning
from supple.motion.pose import Pose
from supple.skins.curves.network.centerline import RayTarget
from supple.skins.curves.network.edge_loops import LoopPlan, QuadMesh, find_quads, sample_loops, trace_limb_loops
from supple.skins.curves.network.ray_curves import RayCaster, UnreachedError
from supple.skins.curves.network.surface_points import SurfacePoints
from supple.skins.examples import blend_rotations

_WHERE = "curve network"
_AROUND = 0.6  # steps around a limb for every step along it
_FEWEST, _MOST_CURVES, _MOST_NODES = 8, 64, 96
_FEWEST_CURVES, _FEWEST_NODES = 4, 5  # of a limb
_ON_SKIN = 0.5  # of a limb's nodes: with fewer on skin it gets none


@dataclass(frozen=True, eq=False)
class Part:
    """The curves of one limb: `curves` of them round it, closed around, each with `nodes` nodes along it.

    `surface_points` are all nodes, curve after curve. `found` (C, N) is false where a node lies on no skin of the limb
    and is a mean of the nodes around the gap.
    """

    limb: Limb
    curves: int
    nodes: int
    surface_points: SurfacePoints
    found: BoolArray

    @property
    def name(self) -> str:
        """What the limb is called."""
        return self.limb.name

    def grid(self, points: ArrayLike) -> FloatArray:
        """The curves (C, N, 3) on a mesh with these points (V, 3) [m]."""
        return self.surface_points.at(points).reshape(self.curves, self.nodes, 3)


@dataclass(frozen=True, eq=False)
class Network:
    """All curves of a character: one list of nodes, part after part, curve after curve.

    The same nodes are known in every pose, because each is a fixed place on the mesh.
    """

    character: Character
    parts: tuple[Part, ...]

    @cached_property
    def surface_points(self) -> SurfacePoints:
        """The nodes of all parts."""
        return SurfacePoints.concatenate(tuple(part.surface_points for part in self.parts))

    @cached_property
    def starts(self) -> IntArray:
        """Number (P + 1,) of the first node of every part, and of all nodes."""
        return np.concatenate([[0], np.cumsum([len(part.surface_points) for part in self.parts])]).astype(np.int32)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def part(self, name: str) -> Part:
        """The part of that name."""
        for part in self.parts:
            if part.name == name:
                return part
        known = ", ".join(part.name for part in self.parts)
        raise InputError(_WHERE, f"part {name!r} was asked for", f"there are {known}", "use one of them")

    def nodes(self, points: ArrayLike) -> FloatArray:
        """Where all nodes are (n, 3) on a mesh with these points (V, 3) [m]."""
        given = np.asarray(points, dtype=np.float64)
        if given.shape != self.character.points.shape:
            raise InputError(
                _WHERE,
                f"points have shape {given.shape}",
                f"{self.character.name} has {self.character.points.shape}",
                "pass the character's own mesh in a pose",
            )
        return self.surface_points.at(given)

    @cached_property
    def weights(self) -> Weights:
        """Skin weights of the nodes: means of those of the vertices around them."""
        given = self.character.require_weights(_WHERE)
        dense = np.zeros((len(given), len(self.character.skeleton)))
        np.add.at(dense, (np.arange(len(given))[:, None], given.joints), given.values)
        return Weights.from_dense(np.clip(self.surface_points.at(dense), 0.0, None))

    def rotations(self, pose: Pose) -> FloatArray:
        """How the bones turn every node away from rest: rotations (n, 3, 3), blended by the nodes' weights.

        This is the rigid motion that is taken away before curves are bent, and given back after.
        """
        return blend_rotations(pose.skinning(self.character.skeleton), self.weights)


def curve_network(
    character: Character,
    *,
    nodes_per_vertex: float = 0.25,
    spacing: float | None = None,
    limbs: Sequence[Limb] | None = None,
    sizes: Mapping[str, tuple[int, int]] | None = None,
    leave_out: Sequence[str] = (),
    loops: Mapping[str, LoopPlan] | Literal["none", "found"] = "found",
) -> Network:
    """Lay curves over the skin of a character, limb by limb.

    There are at most `nodes_per_vertex` nodes for every vertex, limb by limb; limbs too small for the fewest nodes that
    a limb can have get none, and their skin follows the nearest ones. `spacing` [m] says instead how far nodes are
    apart along a limb; around it they are nearer. `limbs` are parts of the body of your own, instead of those that the
    skeleton tells. `sizes` names limbs and gives (curves, nodes) for them, whatever else is asked for.
    `leave_out` names limbs that get no curves; their skin follows the nearest ones. So does that of limbs
    whose skin cannot be reached from their bones, or of which most nodes would lie on no skin, with a warning.

    Where the mesh is made of quads and even edge loops run along a limb, those are its curves, as many as there are.
    Everywhere else curves are cast from inside the limb, at equal angles. `loops` is "none" to cast all of them, or
    names limbs and says how to find the loops of those.
    """
    if not isinstance(loops, Mapping) and loops not in ("none", "found"):
        raise InputError(_WHERE, f"loops is {loops!r}", "it is 'none', 'found' or a plan by limb", "use 'found'")
    limbs = tuple(limbs) if limbs is not None else find_limbs(character)
    plans = loops if isinstance(loops, Mapping) else {limb.name: LoopPlan() for limb in limbs if loops == "found"}
    _check_names(limbs, {*(sizes or {}), *leave_out, *plans})
    if spacing is not None and not spacing > 0.0:
        raise InputError(_WHERE, f"spacing is {spacing:g} m", "more than 0 is needed", "try 0.03")
    if not 0.0 < nodes_per_vertex <= 4.0:
        given = f"nodes_per_vertex is {nodes_per_vertex:g}"
        raise InputError(_WHERE, given, "more than 0 and at most 4 is needed", "try 0.25")
    quads = find_quads(character) if plans else None
    mesh = None if quads is None else QuadMesh(quads, character.points)
    whole = RayTarget(character.points, character.triangles)
    small = _too_small(limbs, nodes_per_vertex, {*(sizes or {})}) if spacing is None else set()
    parts: list[Part] = []
    poor: list[Part] = []
    unreached: list[UnreachedError] = []
    for limb in limbs:
        if limb.name in leave_out or limb.name in small:
            continue
        try:
            caster = RayCaster(limb, character.points, character.triangles, whole=whole)
            curves, nodes = (sizes or {}).get(limb.name) or _choose_size(limb, caster.extent, spacing, nodes_per_vertex)
            loop_vertices = (
                trace_limb_loops(mesh, limb, plans[limb.name]) if mesh is not None and limb.name in plans else None
            )
            if loop_vertices is not None and spacing is None and limb.name not in (sizes or {}):
                nodes = min(nodes, int(nodes_per_vertex * float(limb.weights.sum())) // len(loop_vertices))
            if loop_vertices is not None and nodes >= _FEWEST_NODES:
                surface_points = sample_loops(loop_vertices, character.points, nodes=nodes, path=limb.path)
                parts.append(
                    Part(
                        limb,
                        len(loop_vertices),
                        nodes,
                        surface_points,
                        np.ones((len(loop_vertices), nodes), dtype=bool),
                    )
                )
            else:
                laid = caster.cast(curves, nodes, whole=limb.name in (sizes or {}))
                sound = limb.name in (sizes or {}) or float(laid.found.mean()) >= _ON_SKIN
                (parts if sound else poor).append(Part(limb, laid.curves, laid.nodes, laid.surface_points, laid.found))
        except UnreachedError as problem:
            unreached.append(problem)
    if not parts:
        parts, poor = poor, []
    if not parts and unreached:
        raise unreached[0]
    if not parts:
        raise InputError(_WHERE, "every limb was left out", "at least one is needed", "keep one")
    for reason in unreached:
        warnings.warn(f"left out: {reason}", SuppleWarning, stacklevel=2)
    for part in poor:
        given = f"{100 * float(part.found.mean()):.0f} % of the nodes of {part.name} lie on its skin"
        warnings.warn(f"left out: {given}, since its bones are not inside it", SuppleWarning, stacklevel=2)
    return Network(character, tuple(parts))


def _check_names(limbs: tuple[Limb, ...], named: set[str]) -> None:
    known = [limb.name for limb in limbs]
    strange = sorted(named - set(known))
    if strange:
        raise InputError(_WHERE, f"limb {strange[0]!r} was named", f"there are {', '.join(known)}", "use one of them")


def _too_small(limbs: Sequence[Limb], nodes_per_vertex: float, sized: set[str]) -> set[str]:
    """Limbs that may have fewer nodes than a limb needs; never all of them."""
    shares = {limb.name: nodes_per_vertex * float(limb.weights.sum()) for limb in limbs}
    small = {name for name, share in shares.items() if share < _FEWEST_CURVES * _FEWEST_NODES} - sized
    return small - {max(shares, key=lambda name: shares[name])} if small == set(shares) else small


def _choose_size(
    limb: Limb, extent: tuple[float, float], spacing: float | None, nodes_per_vertex: float
) -> tuple[int, int]:
    """How many curves and nodes a limb gets; limbs turn faster around than along, so steps around are shorter."""
    length, circumference = extent
    if spacing is not None:
        curves = int(np.clip(round(circumference / (_AROUND * spacing)), _FEWEST, _MOST_CURVES))
        return curves, int(np.clip(round(length / spacing) + 1, _FEWEST, _MOST_NODES))
    most = nodes_per_vertex * float(limb.weights.sum())
    spacing = float(np.sqrt(length * circumference / (_AROUND * max(most, 1.0))))
    curves = int(np.clip(circumference // (_AROUND * spacing), _FEWEST_CURVES, _MOST_CURVES))
    nodes = int(np.clip(most // curves, _FEWEST_NODES, _MOST_NODES))
    while curves * nodes > most and curves > _FEWEST_CURVES:
        curves -= 1
        nodes = int(np.clip(most // curves, _FEWEST_NODES, _MOST_NODES))
    return curves, nodes
