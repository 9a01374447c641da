"""Cross-sections along limbs: where a limb collapses or bulges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.measure.frames import FrameBuffer, chunks, frames_of, mesh_of

SECTIONS = 8  # along every bone
SMALLEST = 1e-3  # of the mean radius: a point nearer to the centre has no radius to compare with


@dataclass(frozen=True)
class SectionRadius:
    """Radii along one bone relative to rest, at `positions` (K,) from 0 at its joint to 1 at its end.

    `mean` (F, K) is the section's mean radius over that at rest: 0 is collapsed, above 1 is a bulge. `narrowest` and
    `widest` (F, K) are the least and greatest ratio of a single radius to its own at rest.
    """

    positions: FloatArray
    mean: FloatArray
    narrowest: FloatArray
    widest: FloatArray


def section_radius(
    points: ArrayLike,
    rest_points: ArrayLike,
    triangles: ArrayLike,
    *,
    bones: Mapping[str, tuple[ArrayLike, ArrayLike]],
    sections: int = SECTIONS,
) -> dict[str, SectionRadius]:
    """How thick limbs are in frames (F, V, 3), relative to rest, in `sections` cuts across each of the `bones`.

    A bone is its two ends at rest [m]. At rest the mesh is cut by planes square to the bone, at (k + 1/2) / sections of
    its length; the closed line that goes round the bone is kept as places on edges, and goes along with the skin. Its
    radius is measured from its own middle: r_i = |x_i - c|, c = sum_i w_i x_i, with w_i the share of the line's length
    at rest. Planes that meet no line round the bone are left out, and so are bones without any.
    """
    where = "section_radius"
    rest, faces = mesh_of(rest_points, triangles, where)
    frames = frames_of(points, where, vertices=len(rest))
    if sections < 1:
        raise InputError(where, f"sections is {sections}", "at least one is needed", "try 8")
    cuts: list[_Cut] = []
    kept: dict[str, list[float]] = {}
    for name, ends in bones.items():
        start, end = (frozen(point, np.float64, (3,), where, f"bone {name!r}") for point in ends)
        found = _cuts_along(rest, faces, start, end, (np.arange(sections) + 0.5) / sections)
        if found:
            kept[str(name)] = [position for position, _ in found]
            cuts.extend(cut for _, cut in found)
    if not cuts:
        return {}
    mean, narrowest, widest = _radii(frames, cuts)
    at_rest = _radii(rest[None].astype(np.float32), cuts)[0]
    radii, column = {}, 0
    for name, positions in kept.items():
        of = slice(column, column + len(positions))
        ratio = mean[:, of] / at_rest[:, of]
        radii[name] = SectionRadius(np.array(positions), ratio, narrowest[:, of], widest[:, of])
        column = of.stop
    return radii


@dataclass(frozen=True)
class _Cut:
    """A closed line on the mesh: point i lies `shares[i]` of the way along the edge `ends[i]`."""

    ends: IntArray
    alphas: FloatArray
    weights: FloatArray
    radii: FloatArray


def _cuts_along(
    rest: FloatArray, faces: IntArray, start: FloatArray, end: FloatArray, positions: FloatArray
) -> list[tuple[float, _Cut]]:
    axis = end - start
    square = float(axis @ axis)
    if square == 0.0:
        return []
    along = (rest - start) @ axis / square
    corners = along[faces]
    low, high = corners.min(axis=1), corners.max(axis=1)
    found = []
    for position in positions:
        crossed = faces[(low < position) & (high >= position)]
        cut = _cut(rest, along - position, crossed, start + position * axis, axis)
        if cut is not None:
            found.append((float(position), cut))
    return found


def _cut(rest: FloatArray, height: FloatArray, crossed: IntArray, center: FloatArray, axis: FloatArray) -> _Cut | None:
    """The closed line round `center` in which a plane cuts the triangles that it crosses."""
    if len(crossed) == 0:
        return None
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    above = height[crossed] >= 0.0
    turned = np.roll(above, -1, axis=1)
    row = np.arange(len(crossed))
    sides = []
    # Every triangle has one side on which the plane is crossed upwards and one downwards; from one to the other, all
    # pieces of a line run the same way round.
    for chosen in (~above & turned, above & ~turned):
        side = np.argmax(chosen, axis=1)
        sides.append(np.sort(np.stack([crossed[row, side], crossed[row, (side + 1) % 3]], axis=1), axis=1))
    pairs = np.concatenate(sides).astype(np.int64)
    keys, node = np.unique(pairs[:, 0] * len(rest) + pairs[:, 1], return_inverse=True)
    ends = np.stack([keys // len(rest), keys % len(rest)], axis=1)
    first, second = node.astype(np.int32).reshape(2, -1)
    alphas = height[ends[:, 0]] / (height[ends[:, 0]] - height[ends[:, 1]])
    positions = rest[ends[:, 0]] + alphas[:, None] * (rest[ends[:, 1]] - rest[ends[:, 0]])
    links = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(len(ends), len(ends)))
    lines, line_of = connected_components(links, directed=False)
    lengths = np.linalg.norm(positions[second] - positions[first], axis=1)
    chosen_line = _round_the_bone(positions - center, first, second, line_of, lines, axis)
    if chosen_line is None:
        return None
    members = line_of == chosen_line
    weights = np.bincount(first, lengths, len(ends)) + np.bincount(second, lengths, len(ends))
    weights = weights[members] / weights[members].sum()
    middle = weights @ positions[members]
    radii = np.linalg.norm(positions[members] - middle, axis=1)
    radii[radii < SMALLEST * radii.mean()] = 0.0
    return _Cut(ends[members].astype(np.int32), alphas[members], weights, radii)


def _round_the_bone(
    offsets: FloatArray, first: IntArray, second: IntArray, line_of: IntArray, lines: int, axis: FloatArray
) -> int | None:
    """The line that goes round the bone, the nearest one if several do."""
    a, b = offsets[first], offsets[second]
    across = np.cross(a, b) @ (axis / np.linalg.norm(axis))
    rotations = np.bincount(line_of[first], np.arctan2(across, np.sum(a * b, axis=1)), lines) / (2.0 * np.pi)
    nearest = np.bincount(line_of, np.linalg.norm(offsets, axis=1), lines) / np.bincount(line_of, minlength=lines)
    nearest[np.abs(rotations) < 0.5] = np.inf
    best = int(np.argmin(nearest))
    return best if np.isfinite(nearest[best]) else None


def _radii(frames: Float32Array, cuts: list[_Cut]) -> tuple[FloatArray, FloatArray, FloatArray]:
    from supple.measure import kernels

    wp = devices.warp()
    buffer = FrameBuffer(len(frames), frames.shape[1])
    starts = np.concatenate([[0], np.cumsum([len(cut.ends) for cut in cuts])]).astype(np.int32)
    ends = np.concatenate([cut.ends for cut in cuts])
    numbers = [
        devices.to_device(np.concatenate(values).astype(np.float32), wp.float32, "cpu")
        for values in ([c.alphas for c in cuts], [c.weights for c in cuts], [c.radii for c in cuts])
    ]
    found = [wp.zeros((buffer.size, len(cuts)), dtype=wp.float32, device="cpu") for _ in range(3)]
    positions = [devices.to_device(starts, wp.int32, "cpu"), devices.to_device(ends, wp.vec2i, "cpu")]
    inputs = [buffer.array, *positions, *numbers, *found]
    launch = devices.Launch(kernels.section_radii, buffer.size * len(cuts), inputs, "cpu")
    mean, narrowest, widest = (np.empty((len(frames), len(cuts))) for _ in range(3))
    for rows in chunks(len(frames)):
        buffer.fill(frames[rows])
        launch()
        for values, result in zip((mean, narrowest, widest), found, strict=True):
            values[rows] = result.numpy()[: rows.stop - rows.start]
    return mean, narrowest, widest
