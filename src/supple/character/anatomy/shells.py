"""Shells: what of a skin is a body of its own, what lies on another shell, and what is hard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry.flesh import Flesh
from supple.geometry.nearest import nearest_on_mesh
from supple.geometry.vectors import cross, lengths

HOSTS = 12  # vertices of other shells that a vertex lies on: a buckle lies on a belt, and with it on a coat
_ALIKE = 0.05  # weights in a triangle of a hard shell differ by less: one bone, or one mixture of bones, moves it
_NEAR = 0.15  # of the side of a cube as large as the body: how far off a shell may lie
_ASTRAY = 3.5  # times that: how far apart may be what moves a shell and what moves the place it lies on
_MOST = 0.6  # of the area of a shell: what must lie on others


@dataclass(frozen=True, eq=False)
class Shells:
    """The S shells of a skin with V vertices.

    `number` (V,) is the shell of every vertex, `hard` (S,) marks shells that move as one piece, `lying` (S,) those that
    lie on others: clothes, belts, buckles, hair. A vertex of those lies on the vertices `hosts` (V, 12) of shells that
    do not, by `host_weights` (V, 12), which sum to one; all zero elsewhere.
    """

    number: IntArray
    hard: BoolArray
    lying: BoolArray
    hosts: IntArray
    host_weights: FloatArray

    @property
    def is_flesh(self) -> BoolArray:
        """Which vertices (V,) belong to a body: neither hard, nor lying on another shell."""
        return ~(self.hard | self.lying)[self.number]

    def flesh_triangles(self, triangles: IntArray) -> IntArray:
        """Those of all triangles (T, 3) that bound flesh."""
        return triangles[self.is_flesh[triangles[:, 0]]]

    def on_host(self, values: FloatArray) -> FloatArray:
        """Values (V,), those of shells that lie on others taken from what they lie on."""
        hangs = self.host_weights.any(axis=1)
        return np.where(hangs, (self.host_weights * values[self.hosts]).sum(axis=1), values)


def find_shells(points: FloatArray, triangles: IntArray, skeleton: Skeleton, weights: Weights | None) -> Shells:
    """Tell the shells of a skin apart.

    A shell is hard if the bones bend none of its triangles. Where that is so of all of a body, the largest is not, so
    that a jelly on one bone stays one. It lies on others if most of its area is close to larger shells that are not
    hard and that bones of the same place move: a glove beside a thigh lies on the hand.
    """
    number = _number_shells(points, triangles)
    count = int(number.max()) + 1
    skin = _Skin(points, triangles, number, moved_from(points, skeleton, weights))
    hard = _hard(skin, count, weights)
    body = _body_of_shell(number, count, skeleton, weights)
    for one in np.unique(body[hard]):
        of_body = np.flatnonzero(body == one)
        if hard[of_body].all():
            hard[of_body[np.argmax(skin.areas[of_body])]] = False
    lying = np.zeros(count, dtype=bool)
    hosts = np.zeros((len(points), HOSTS), dtype=np.int32)
    host_weights = np.zeros((len(points), HOSTS))
    near = _NEAR * skin.volume ** (1.0 / 3.0)
    for shell in np.argsort(-skin.areas, kind="stable") if count > 1 else ():
        place = skin.lies_on(int(shell), ~hard & (skin.areas > skin.areas[shell]), near)
        lying[shell] = place is not None
        if place is not None:
            own = np.flatnonzero(number == shell)
            hosts[own], host_weights[own] = _through(*place, hosts, host_weights)
    return Shells(number, hard, lying, hosts, host_weights)


def moved_from(points: FloatArray, skeleton: Skeleton, weights: Weights | None) -> FloatArray:
    """The middle (V, 3) [m] of the joints that move every vertex: near for what moves alike, however it is numbered."""
    if weights is None:
        return np.zeros_like(points)
    return np.asarray(np.einsum("vk,vki->vi", weights.values, skeleton.heads[weights.joints]))


def _number_shells(points: FloatArray, triangles: IntArray) -> IntArray:
    """The shell (V,) of every vertex; vertices at one place are in one shell, those of no triangle in the first."""
    flesh = Flesh(points, triangles)
    used = np.unique(flesh.shell_of_point[flesh.triangles[:, 0]])
    found = np.searchsorted(used, flesh.shell_of_point[flesh.point_of])
    found = np.where(np.isin(flesh.shell_of_point[flesh.point_of], used), found, 0)
    return found.astype(np.int32)


class _Skin:
    """The skin as shells, with the area of each and the volume of all."""

    def __init__(self, points: FloatArray, triangles: IntArray, number: IntArray, moved: FloatArray) -> None:
        self.points, self.triangles, self.number, self.moved = points, triangles, number, moved
        count = int(number.max()) + 1
        self.shell = number[triangles[:, 0]]
        a, b, c = np.moveaxis(points[triangles], 1, 0)
        area = 0.5 * lengths(cross(b - a, c - a))
        self.vertex_areas = np.bincount(triangles.ravel(), np.repeat(area / 3.0, 3), len(points))
        self.areas = np.bincount(self.shell, area, count)
        self.volume = float(shell_volumes(points, triangles, number).sum()) or float(self.areas.sum() ** 1.5)

    def lies_on(self, shell: int, below: BoolArray, near: float) -> tuple[IntArray, FloatArray] | None:
        """Where on the shells `below` every vertex of a shell lies: corners and weights (N, 3); None if it does not.

        It lies on them if most of it is `near` [m] and moves as they do.
        """
        mine = np.flatnonzero(self.number == shell)
        host = np.flatnonzero(below[self.shell])
        total = self.vertex_areas[mine].sum()
        if not len(host) or not total > 0.0:
            return None
        corners, barycentric, away = nearest_on_mesh(self.points[mine], self.points, self.triangles[host])
        apart = lengths(self.moved[mine] - np.einsum("nk,nki->ni", barycentric, self.moved[corners]))
        lies = (away <= near) & (apart <= _ASTRAY * near)
        if self.vertex_areas[mine[lies]].sum() < _MOST * total:
            return None
        return self._beside(mine, lies, corners), self._beside(mine, lies, barycentric)

    def _beside(self, mine: NDArray[np.int64], lies: BoolArray, values: np.ndarray) -> np.ndarray:
        """Values (N, 3) of the vertices of a shell; those that lie on nothing take that of the nearest that does."""
        from scipy.spatial import cKDTree

        places = self.points[mine]
        return np.asarray(values[lies][cKDTree(places[lies]).query(places)[1]])


def _through(
    corners: IntArray, barycentric: FloatArray, hosts: IntArray, host_weights: FloatArray
) -> tuple[IntArray, FloatArray]:
    """What corners of triangles lie on themselves, or they themselves where they lie on nothing: the most by weight."""
    own = np.zeros((*corners.shape, HOSTS), dtype=np.int32)
    own[..., 0] = corners
    alone = np.zeros(own.shape)
    alone[..., 0] = 1.0
    lies = host_weights[corners].any(axis=-1, keepdims=True)
    every = np.where(lies, hosts[corners], own).reshape(len(corners), -1)
    weights = (barycentric[..., None] * np.where(lies, host_weights[corners], alone)).reshape(len(corners), -1)
    most = np.argsort(-weights, axis=1, kind="stable")[:, :HOSTS]
    weights = np.take_along_axis(weights, most, axis=1)
    return np.take_along_axis(every, most, axis=1), weights / weights.sum(axis=1, keepdims=True)


def shell_volumes(points: FloatArray, triangles: IntArray, number: IntArray) -> FloatArray:
    """What every shell encloses [m³], measured about its own middle, so that open ones count too."""
    count = int(number.max()) + 1
    sizes = np.maximum(np.bincount(number, minlength=count), 1)
    middles = np.stack([np.bincount(number, points[:, k], count) / sizes for k in range(3)], axis=1)
    shell = number[triangles[:, 0]]
    a, b, c = np.moveaxis(points[triangles] - middles[shell][:, None], 1, 0)
    return np.abs(np.bincount(shell, np.einsum("ni,ni->n", a, cross(b, c)), count)) / 6.0


def _hard(skin: _Skin, count: int, weights: Weights | None) -> BoolArray:
    """Shells (S,) of which the bones move every triangle as one piece: nothing in them ever bends."""
    if weights is None:
        return np.zeros(count, dtype=bool)
    dense = weights.dense(int(weights.joints.max()) + 1)
    a, b, c = (dense[skin.triangles[:, k]] for k in range(3))
    bends = np.maximum(np.abs(a - b).max(axis=1), np.abs(a - c).max(axis=1)) > _ALIKE
    return np.bincount(skin.shell[bends], minlength=count) == 0


def _body_of_shell(number: IntArray, count: int, skeleton: Skeleton, weights: Weights | None) -> IntArray:
    """The tree of joints (S,) that moves most of every shell; characters joined into one have several."""
    roots = np.arange(len(skeleton))
    for level in skeleton.levels[1:]:
        roots[level] = roots[skeleton.parents[level]]
    if weights is None or len(np.unique(roots)) == 1:
        return np.zeros(count, dtype=np.int32)
    pull = np.zeros((count, len(skeleton)))
    np.add.at(pull, (np.repeat(number, weights.joints.shape[1]), roots[weights.joints].ravel()), weights.values.ravel())
    return pull.argmax(axis=1).astype(np.int32)
