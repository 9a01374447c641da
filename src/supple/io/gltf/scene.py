"""The tree of nodes: who hangs on whom, where each stands, and which of them are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry import quaternions
from supple.io.gltf.document import Document, Fields

_PLACES = frozenset(("matrix", "translation", "rotation", "scale"))
_SHEAR = 1e-4  # relative; exporters round, so less than this is no shear


@dataclass(frozen=True, eq=False)
class Scene:
    """Nodes in the order of the file: parents (N,) with -1 for roots, and the pose the file opens in.

    `order` (N,) has parents before children, `roots` (N,) the root of each node, `shown` (N,) whether it is in the
    scene. `entries` (N,) numbers nodes in a walk that finishes each branch before the next, and `sizes` (N,) counts a
    node and all below it, so a branch is a range of entries. `moves` (N, 3) [m], `rotations` (N, 4) and `scales`
    (N, 3) are relative to the parent.
    """

    parents: IntArray
    order: IntArray
    roots: IntArray
    shown: BoolArray
    entries: IntArray
    sizes: IntArray
    moves: FloatArray
    rotations: FloatArray
    scales: FloatArray
    parent_from_node: FloatArray
    world_from_node: FloatArray

    def __len__(self) -> int:
        return len(self.parents)

    def below(self, node: int, others: IntArray) -> BoolArray:
        """Which of `others` are `node` or hang below it."""
        rank = self.entries[others] - self.entries[node]
        return (rank >= 0) & (rank < self.sizes[node])


def read_scene(document: Document) -> Scene:
    """The node tree; a node with two parents, or one that is its own ancestor, is refused."""
    nodes = document.items("nodes")
    document.spend(600 * len(nodes), "nodes")
    children: list[list[int]] = []
    parents = np.full(len(nodes), -1, dtype=np.int32)
    for number, node in enumerate(nodes):
        where = f"nodes[{number}].children"
        mine = [document.index_value(v, where, of="nodes") for v in document.listing(node, "children", where)]
        for child in mine:
            if parents[child] >= 0:
                raise document.error(where, f"node {child} hangs on two nodes", "a node has one parent at most")
            parents[child] = number
        children.append(mine)
    order: list[int] = [number for number in range(len(nodes)) if parents[number] < 0]
    roots = np.arange(len(nodes), dtype=np.int32)
    for number in order:  # grows while it is walked, so that no depth is too deep
        for child in children[number]:
            roots[child] = roots[number]
            order.append(child)
    if len(order) < len(nodes):
        lost = int(np.setdiff1d(np.arange(len(nodes)), order)[0])
        raise document.error(f"nodes[{lost}]", "it is its own ancestor", "nodes form trees")
    moves, rotations = np.zeros((len(nodes), 3)), np.tile([0.0, 0.0, 0.0, 1.0], (len(nodes), 1))
    scales = np.ones((len(nodes), 3))
    for number, node in enumerate(nodes):
        if _PLACES.isdisjoint(node):
            continue
        moves[number], rotations[number], scales[number] = _placement(document, node, f"nodes[{number}]")
    local = quaternions.compose(moves, rotations, scales)
    world = local.copy()
    with np.errstate(all="ignore"):
        for number in order:
            if parents[number] >= 0:
                world[number] = world[parents[number]] @ local[number]
    if not (np.abs(world) < 1e150).all():
        raise document.error("nodes", "scales multiply beyond all bounds", "places must be finite")
    shown = _shown(document, order, parents)
    entries, sizes = _branches(order, parents, children)
    return Scene(
        parents, np.array(order, dtype=np.int32), roots, shown, entries, sizes, moves, rotations, scales, local, world
    )


def _branches(order: list[int], parents: IntArray, children: list[list[int]]) -> tuple[IntArray, IntArray]:
    sizes = np.ones(len(order), dtype=np.int32)
    for node in reversed(order):
        if parents[node] >= 0:
            sizes[parents[node]] += sizes[node]
    entries = np.zeros(len(order), dtype=np.int32)
    rank = 0
    for node in order:
        if parents[node] < 0:
            entries[node] = rank
            rank += int(sizes[node])
        inside = int(entries[node]) + 1
        for child in children[node]:
            entries[child] = inside
            inside += int(sizes[child])
    return entries, sizes


def _placement(document: Document, node: Fields, where: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    matrix = document.numbers(node, "matrix", where, count=16)
    if matrix is not None:
        given = matrix.reshape(4, 4).T
        if not np.allclose(given[3], [0.0, 0.0, 0.0, 1.0], atol=1e-6):
            raise document.error(f"{where}.matrix", "its last row is not 0 0 0 1", "an affine matrix is needed")
        parts = quaternions.decompose(given)
        size = max(float(np.abs(given[:3, :3]).max()), 1e-30)
        if np.abs(quaternions.compose(*parts) - given).max() > _SHEAR * size:
            document.faults.note(where, "its matrix shears, and the shear is left out")
        return parts
    move = document.numbers(node, "translation", where, count=3)
    rotation = document.numbers(node, "rotation", where, count=4)
    scale = document.numbers(node, "scale", where, count=3)
    if rotation is not None and not np.abs(rotation).max() > 1e-6:
        document.faults.mend(f"{where}.rotation", "it is zero", "a unit quaternion is needed", "it is not turned")
        rotation = None
    return (
        np.zeros(3) if move is None else move,
        np.array([0.0, 0.0, 0.0, 1.0])
        if rotation is None
        else quaternions.normalize(rotation / np.abs(rotation).max()),
        np.ones(3) if scale is None else scale,
    )


def _shown(document: Document, order: list[int], parents: IntArray) -> BoolArray:
    """Nodes of the scene that the file opens with; all of them where it has no scene."""
    scenes = document.items("scenes")
    number = document.index(document.root, "scene", "the file", of="scenes")
    if not scenes:
        return np.ones(len(parents), dtype=bool)
    fields = scenes[number or 0]
    where = f"scenes[{number or 0}].nodes"
    shown = np.zeros(len(parents), dtype=bool)
    for value in document.listing(fields, "nodes", where):
        shown[document.index_value(value, where, of="nodes")] = True
    for node in order:
        if parents[node] >= 0 and shown[parents[node]]:
            shown[node] = True
    return shown
