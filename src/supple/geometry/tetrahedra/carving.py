"""A body carved out of the body-centred lattice by isosurface stuffing [Labelle2007].

Nodes inside the body are kept. Where the skin passes close to a node, the node moves onto it; elsewhere the edges
that the skin cuts get a point on it, and the elements there are filled by stencils. Since a cut point is never close
to a node, no element is ever thin: angles depend on these two limits alone, and not on the skin.

Parts that lie close to each other are kept apart: an edge that passes through air between two inner nodes is cut
twice, once for each side, and a node outside gives every side its own copy of itself to hold on to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry.tetrahedra import stencils
from supple.geometry.tetrahedra.lattice import (
    DIRECTIONS,
    ELEMENTS,
    LONG,
    STEPS,
    Int64Array,
    Lattice,
    elements_around,
    find,
)
from supple.geometry.tetrahedra.solid import Solid
from supple.geometry.tetrahedra.tetrahedra import EDGES, FACES, face_keys
from supple.geometry.tetrahedra.thin import ThinParts, nearest_nodes
from supple.geometry.topology import components

# A cut point nearer to a node than this share of a long or short edge pulls the node onto the skin; these two give
# the best smallest angle [Labelle2007, Section 4].
_NEAR = np.where(np.arange(14) < LONG, 0.24999, 0.41189)
_LENGTHS = np.linalg.norm(STEPS, axis=1)  # in lattice units
_HELD = 1.001 * _NEAR  # where the skin cuts the edges of a node that may not be pulled onto it
_ALIKE = 1e-3  # diagonals that differ by less, as a share, are alike, and the first is taken: rounding may not decide
_BLOCK = 8  # lattice units along the side of a block of nodes that is asked as a whole
_REACH = 1.5 * 3.5 * np.sqrt(3.0)  # lattice units: no node of a block is near a skin that is farther from its middle


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The lattice nodes inside: sorted `numbers` (N,) and `positions` (N, 3) [m]."""

    lattice: Lattice
    unit: float
    numbers: Int64Array
    positions: FloatArray
    depth: FloatArray  # distance [m] to the skin where that is near, inf elsewhere
    anchors: FloatArray  # the places themselves; for nodes that stand in for a thin part, a place (N, 3) [m] within it
    stand_in: BoolArray
    held: BoolArray  # nodes in the middle of a thin part, stand-ins among them


@dataclass(frozen=True, eq=False)
class _ElementSides:
    """Elements, once for every side that holds corners of it: `members` (R, 4) are the corners of that side."""

    corners: Int64Array
    kind: IntArray
    base: Int64Array
    members: BoolArray


def carve(
    body: Solid, spacing: float, *, thin: ThinParts | None = None, shift: ArrayLike = 0.0
) -> tuple[FloatArray, IntArray]:
    """Points (P, 3) [m] and elements (T, 4) of the body on a lattice of cubes of side `spacing` [m].

    A node stands in the middle of the box around the body, or `shift` (3,) cubes away from there.
    Pieces smaller than one cube are left out. Where the body is thinner than its elements, the nodes nearest to the
    middle of its `thin` parts stand in for it, so that an arm is not lost: it is thicker there than it should be.
    Without them, thin parts are left out. Empty where there is nothing to hold a node.
    """
    middle = 0.5 * (body.points.min(axis=0) + body.points.max(axis=0)) + spacing * np.asarray(shift, dtype=np.float64)
    found = _nodes_inside(body, middle, 0.5 * spacing, np.empty((0, 3)) if thin is None else thin.at(spacing))
    if len(found.numbers) == 0:
        return np.empty((0, 3)), np.empty((0, 4), dtype=np.int32)
    cuts = _cuts(body, found)
    sides = _sides(found, cuts)
    points, elements = _stuff_isosurface(found, cuts, sides)
    return points, _drop_small_components(points, elements, spacing**3)


def _nodes_inside(body: Solid, middle: FloatArray, unit: float, thin: FloatArray) -> _Nodes:
    """Ask blocks of nodes whether they are near the skin, and every node of those that are.

    Neighbouring places in the middle `thin` (K, 3) [m] of a part have the same nearest node or neighbouring ones, so
    nodes that stand in for a part make a chain.
    """
    reach = np.ceil(np.abs(body.points - middle).max(axis=0) / (unit * _BLOCK)).astype(np.int64)
    axes = [np.arange(-r, r) * _BLOCK for r in reach]
    blocks = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    centers = middle + unit * (blocks + 3.5)
    near = body.distance(centers) <= unit * _REACH
    inside, sure = body.clear(centers[~near])
    far = np.flatnonzero(~near)
    asked = np.concatenate([np.flatnonzero(near), far[~sure]])
    pattern = np.array(
        [(x, y, z) for x in range(8) for y in range(8) for z in range(8) if x % 2 == y % 2 == z % 2], dtype=np.int64
    )
    candidates = (blocks[asked][:, None] + pattern).reshape(-1, 3)
    candidates = candidates[body.inside(middle + unit * candidates)]
    deep = (blocks[far[sure & inside]][:, None] + pattern).reshape(-1, 3)
    lattice = Lattice(-_BLOCK * reach.astype(np.int32), _BLOCK * reach.astype(np.int32))
    nodes = np.concatenate([candidates, deep])
    depth = np.concatenate([body.distance(middle + unit * candidates), np.full(len(deep), np.inf)])
    numbers = lattice.numbers(nodes)
    extra, anchors = _nearest_to(lattice, (thin - middle) / unit)
    held = np.isin(numbers, lattice.numbers(extra))
    fresh = ~np.isin(lattice.numbers(extra), numbers)
    extra, anchors = extra[fresh], middle + unit * anchors[fresh]
    positions = middle + unit * np.concatenate([nodes, extra])
    numbers = np.concatenate([numbers, lattice.numbers(extra)])
    order = np.argsort(numbers, kind="stable")
    return _Nodes(
        lattice,
        unit,
        numbers[order],
        positions[order],
        np.concatenate([depth, np.zeros(len(extra))])[order],
        np.concatenate([positions[: len(nodes)], anchors])[order],
        np.arange(len(numbers))[order] >= len(nodes),
        np.concatenate([held, np.ones(len(extra), dtype=bool)])[order],
    )


def _nearest_to(lattice: Lattice, middles: FloatArray) -> tuple[Int64Array, FloatArray]:
    """The nodes (K, 3) nearest to places in lattice units, each once, with the place (K, 3) nearest to it."""
    nodes = nearest_nodes(middles)
    order = np.lexsort((np.linalg.norm(middles - nodes, axis=1), lattice.numbers(nodes)))
    _, first = np.unique(lattice.numbers(nodes)[order], return_index=True)
    return nodes[order[first]], middles[order[first]]


def _cuts(body: Solid, found: _Nodes) -> FloatArray:
    """At which share (N, 14) of the edge to each neighbour a node meets the air for the first time; inf for never.

    A node that stands in for a thin part is joined to a neighbour where the straight way between the places that the
    two stand for stays inside.
    """
    other = np.stack([find(found.numbers, found.numbers + shift) for shift in found.lattice.shifts(STEPS)], axis=1)
    together = found.depth[:, None] + np.where(other >= 0, found.depth[other], -np.inf)
    standing = found.stand_in[:, None] | (found.stand_in[other] & (other >= 0))
    node, step = np.nonzero((together < found.unit * _LENGTHS) & ~found.stand_in[:, None])
    this, onward = np.nonzero(standing & (other >= 0))
    directions: FloatArray = found.unit * STEPS[step].astype(np.float64)
    between: FloatArray = found.anchors[other[this, onward]] - found.anchors[this]
    exits = body.first_exits(
        np.concatenate([found.positions[node], found.anchors[this]]), np.concatenate([directions, between])
    )
    exits, apart = exits[: len(node)], np.isfinite(exits[len(node) :])
    open_ended = np.flatnonzero(np.isinf(exits) & (other[node, step] < 0))
    if len(open_ended):
        exits[open_ended] = body.exits_through_holes(found.positions[node[open_ended]], directions[open_ended])

    cuts = np.full((len(found.numbers), 14), np.inf)
    cuts[node, step] = exits
    cuts[found.stand_in] = 0.0  # they lie in the air themselves
    cuts[this[~apart], onward[~apart]] = np.inf
    # A way is open in both directions or in none, whatever rounding says.
    back = np.array([int((-step == STEPS).all(axis=1).argmax()) for step in STEPS])
    returned = np.where(other >= 0, cuts[other, back], np.inf)
    cuts[np.isinf(cuts) & np.isfinite(returned)] = 0.5
    # The skin may not pull a thin part's middle onto itself: the part would lose its volume.
    cuts[found.held] = np.maximum(cuts[found.held], _HELD)
    return cuts


def _sides(found: _Nodes, cuts: FloatArray) -> _ElementSides:
    """Split every element into the groups of inner corners that are joined through the body.

    A group that is joined only round a corner, with air between two of its own, is left out.
    """
    corners, kind, base = elements_around(found.lattice, found.numbers)
    inner = corners >= 0
    apart = np.zeros((len(corners), 6), dtype=bool)
    for edge, (i, j) in enumerate(EDGES):
        both = np.flatnonzero(inner[:, i] & inner[:, j])
        apart[both, edge] = np.isfinite(cuts[corners[both, i], DIRECTIONS[kind[both], i, j]])
    whole = ~apart.any(axis=1)
    split = np.flatnonzero(~whole)
    label = np.where(inner[split], np.arange(4), 4)
    for _ in range(3):
        for edge, (i, j) in enumerate(EDGES):
            joined = inner[split, i] & inner[split, j] & ~apart[split, edge]
            least = np.minimum(label[:, i], label[:, j])
            label[:, i] = np.where(joined, least, label[:, i])
            label[:, j] = np.where(joined, least, label[:, j])
    rows, members = [np.flatnonzero(whole)], [inner[whole]]
    for group in range(4):
        of_group = label == group
        torn = np.zeros(len(split), dtype=bool)
        for edge, (i, j) in enumerate(EDGES):
            torn |= of_group[:, i] & of_group[:, j] & apart[split, edge]
        some = of_group.any(axis=1) & ~torn
        rows.append(split[some])
        members.append(of_group[some])
    row = np.concatenate(rows)
    return _ElementSides(corners[row], kind[row], base[row], np.concatenate(members))


def _stuff_isosurface(found: _Nodes, cuts: FloatArray, sides: _ElementSides) -> tuple[FloatArray, IntArray]:
    """Move nodes onto the skin, put points on cut edges, and fill the elements."""
    count = len(found.numbers)
    own = np.where(cuts < _NEAR, cuts, np.inf)
    say = _cut_weights(own, _NEAR, _LENGTHS, (own * _LENGTHS).min(axis=1, keepdims=True))
    moved = np.asarray(say.any(axis=1))
    home = found.positions.copy()
    directions = np.where(say > 0.0, cuts, 0.0)[moved, :, None] * STEPS
    home[moved] += found.unit * np.einsum("nk,nki->ni", say[moved], directions) / say[moved].sum(axis=1)[:, None]

    # Cut edges (R, 4, 4) from a member to a corner that is none: the edge as seen from the member.
    edge = np.where(
        sides.members[:, None, :] & ~sides.members[:, :, None],
        sides.corners[:, None, :] * 14 + np.swapaxes(DIRECTIONS, 1, 2)[sides.kind],
        -1,
    )
    present = np.zeros(14 * count + 1, dtype=bool)  # the last place stands for -1
    present[edge] = True
    present[-1] = False
    cut_index = np.where(edge >= 0, np.cumsum(present)[edge] - 1, -1)
    known = np.flatnonzero(present)
    view = _views(cut_index, len(known))
    start, step = known // 14, known % 14
    fractions = cuts[start, step]
    points_on_edges = found.positions[start] + (fractions * found.unit)[:, None] * STEPS[step]
    views = int(view.max(initial=-1)) + 1
    gap = np.where(~moved[start] & (1.0 - fractions < _NEAR[step]), 1.0 - fractions, np.inf)
    least = np.full(views, np.inf)
    np.minimum.at(least, view, gap * _LENGTHS[step])
    heavy = _cut_weights(gap, _NEAR[step], _LENGTHS[step], least[view])
    total, far_homes = np.zeros(views), np.zeros((views, 3))
    np.add.at(total, view, heavy)
    np.add.at(far_homes, view, heavy[:, None] * points_on_edges)
    pulled: BoolArray = total > 0.0
    far_homes /= np.where(pulled, total, 1.0)[:, None]

    seen_by = np.where(sides.members, -1, cut_index.max(axis=2))
    view_of = np.where(seen_by >= 0, view[seen_by], -1) if len(known) else np.full(seen_by.shape, -1)
    states = np.where(sides.members, stencils.KEPT - moved[sides.corners].astype(np.int32), stencils.AWAY)
    states[(view_of >= 0) & np.append(pulled, False)[view_of]] = stencils.SKIN
    alive = (states == stencils.KEPT).any(axis=1)
    states, view_of, cut_index = states[alive], view_of[alive], cut_index[alive]
    corners, kind, base = sides.corners[alive], sides.kind[alive], sides.base[alive]

    # The vertex at every place of an element: cut points, then corners of its own side, then views of other corners.
    vertex = np.swapaxes(cut_index, 1, 2) + count + views
    own_vertex = np.where(view_of >= 0, count + view_of, corners)
    vertex[:, np.arange(4), np.arange(4)] = own_vertex
    vertices = np.concatenate([home, far_homes, points_on_edges])
    rows = stencils.pattern(states, *_parities(found.lattice.nodes(base), kind), _crosswise(states, vertex, vertices))
    counts, pieces = stencils.table()
    element = np.repeat(np.arange(len(rows)), counts[rows])
    within = np.arange(len(element)) - np.repeat(np.cumsum(counts[rows]) - counts[rows], counts[rows])
    chosen = pieces[rows[element], within]
    return vertices, vertex.reshape(-1, 16)[element[:, None], chosen].astype(np.int32)


def _cut_weights(cuts: FloatArray, near: FloatArray, lengths: FloatArray, least: FloatArray) -> FloatArray:
    """How much each cut counts for where a node moves onto the skin; nothing for cuts at infinity.

    The nearest, `least` lattice units away, counts most, and others nothing from twice that on, or where they are not
    near: so a node between two cuts alike goes between them. If the nearest alone counted, rounding would choose
    between them on a body with symmetries, and with it the model of the processor.
    """
    known = np.isfinite(cuts)
    close = np.where(known, cuts, 0.0)
    nearest = np.maximum(np.where(np.isfinite(least), least, 0.0), 1e-12)
    farther = np.where(known, close * lengths / nearest - 1.0, 1.0)
    return np.asarray(known * (1.0 - close / near) * np.clip(1.0 - farther, 0.0, 1.0) ** 2)


def _views(cut_index: Int64Array, count: int) -> IntArray:
    """Number (count,) of the copy of its far node that every cut edge leads to.

    Two edges lead to the same copy where an element holds both on one side.
    """
    ordered = np.sort(cut_index.reshape(-1, 4), axis=1)
    ordered = ordered[ordered[:, -1] >= 0]
    links = np.concatenate([ordered[:, [k, 3]] for k in range(3)])
    links = links[links[:, 0] >= 0]
    return components(links[:, 0], links[:, 1], count)


def _parities(base: IntArray, kind: IntArray) -> tuple[IntArray, IntArray]:
    """Whether corner 0 rather than 1, and corner 2 rather than 3, stands at an even place along their common edge."""
    result = []
    for first in (0, 2):
        axis = np.abs(ELEMENTS[:, first + 1] - ELEMENTS[:, first]).argmax(axis=1)[kind]
        along = base[np.arange(len(base)), axis] + ELEMENTS[kind, first, axis]
        result.append(1 - ((along >> 1) & 1))
    return result[0].astype(np.int32), result[1].astype(np.int32)


def _crosswise(states: IntArray, vertex: Int64Array, points: FloatArray) -> IntArray:
    """The shorter diagonal (R,) of the quads that two kept and two lost corners leave on the skin."""
    result = np.zeros(len(states), dtype=np.int32)
    kept, away = states == stencils.KEPT, states == stencils.AWAY
    quads = np.flatnonzero((kept.sum(axis=1) == 2) & (away.sum(axis=1) == 2))
    a, b = np.nonzero(kept[quads])[1].reshape(-1, 2).T
    c, d = np.nonzero(away[quads])[1].reshape(-1, 2).T
    one = points[vertex[quads, a, c]] - points[vertex[quads, b, d]]
    other = points[vertex[quads, a, d]] - points[vertex[quads, b, c]]
    result[quads] = np.linalg.norm(one, axis=1) <= (1.0 + _ALIKE) * np.linalg.norm(other, axis=1)
    return result


def _drop_small_components(points: FloatArray, corners: IntArray, smallest: float) -> IntArray:
    """Leave out pieces, joined by faces, that hold less than `smallest` [m³], such as a knuckle on its own."""
    if not len(corners):
        return corners
    keys = face_keys(corners[:, FACES].reshape(-1, 3))
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    piece = components(order[same] // 4, order[same + 1] // 4, len(corners))
    a, b, c, d = (points[corners[:, k]] for k in range(4))
    volumes = np.einsum("ti,ti->t", np.cross(b - a, c - a), d - a) / 6.0
    return corners[(np.bincount(piece, volumes) >= smallest)[piece]]
