"""How much of its volume a body keeps, as a whole and part by part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.rows import group_by_label
from supple.geometry.topology import border_edges, shells
from supple.measure.frames import FrameBuffer, check_indices, chunks, frames_of, mesh_of

FLAT = 1e-6  # of the cube over the surface's size: below this a part has no volume to keep


def volume_ratio(points: ArrayLike, rest_points: ArrayLike, triangles: ArrayLike) -> FloatArray:
    """The volume in every frame (F,) of `points` (F, V, 3), relative to rest: V / V0, so 1 is kept.

    V = 1/6 sum_t a . (b x c). Holes are closed by fans to the mean of their border, at rest and posed alike. Where the
    body overlaps itself, the overlap counts twice.
    """
    return _ratios(points, rest_points, triangles, parts=None, where="volume_ratio")[""]


class VolumeMeter:
    """The volume of one body relative to rest, V / V0 as in `volume_ratio`, frame by frame while it plays."""

    def __init__(self, rest_points: ArrayLike, triangles: ArrayLike) -> None:
        rest, faces = mesh_of(rest_points, triangles, "VolumeMeter")
        self._vertices = len(rest)
        self._volumes = _close([faces], len(rest)).prepared(1)
        self._rest = float(self._volumes(rest[None].astype(np.float32))[0, 0])
        if abs(self._rest) <= FLAT * float(np.linalg.norm(np.ptp(rest, axis=0))) ** 3:
            raise InputError("VolumeMeter", "the mesh has no volume at rest", "a body is needed", "pass a closed mesh")

    def __call__(self, points: ArrayLike) -> float:
        """The ratio for points (V, 3)."""
        frame = frames_of(np.asarray(points)[None], "VolumeMeter", vertices=self._vertices)
        return float(self._volumes(frame)[0, 0]) / self._rest


def part_volume_ratio(
    points: ArrayLike, rest_points: ArrayLike, triangles: ArrayLike, *, parts: Mapping[str, ArrayLike]
) -> dict[str, FloatArray]:
    """The volume of every part (vertex numbers by name) in every frame (F,), relative to rest.

    The surface of a part is the triangles with at least two corners in it; where it is cut off, every border is closed
    by a fan to the mean of its vertices, and the fan moves with them. Parts without volume at rest are left out.
    """
    found = _ratios(points, rest_points, triangles, parts=parts, where="part_volume_ratio")
    return {name: ratio for name, ratio in found.items() if name}


def _ratios(
    points: ArrayLike,
    rest_points: ArrayLike,
    triangles: ArrayLike,
    *,
    parts: Mapping[str, ArrayLike] | None,
    where: str,
) -> dict[str, FloatArray]:
    rest, faces = mesh_of(rest_points, triangles, where)
    frames = frames_of(points, where, vertices=len(rest))
    surfaces = {"": faces} if parts is None else _parts(faces, parts, len(rest), where)
    if not surfaces:
        return {}
    closed = _close(list(surfaces.values()), len(rest))
    now = closed.volumes(frames)
    before = closed.volumes(rest[None].astype(np.float32))[0]
    ratios = {}
    for number, (name, surface) in enumerate(surfaces.items()):
        size = float(np.linalg.norm(np.ptp(rest[surface.reshape(-1)], axis=0)))
        if abs(before[number]) > FLAT * size**3:
            ratios[name] = now[:, number] / before[number]
        elif parts is None:
            raise InputError(where, "the mesh has no volume at rest", "a body is needed", "pass a closed mesh")
    return ratios


def _parts(faces: IntArray, parts: Mapping[str, ArrayLike], vertices: int, where: str) -> dict[str, IntArray]:
    surfaces = {}
    for name, given in parts.items():
        members = frozen(given, np.int32, (-1,), where, f"part {name!r}")
        check_indices(members, vertices, where, f"part {name!r}")
        belongs = np.zeros(vertices, dtype=bool)
        belongs[members] = True
        chosen = faces[belongs[faces].sum(axis=1) >= 2]
        if len(chosen):
            surfaces[str(name)] = chosen
    return surfaces


@dataclass(frozen=True)
class _Closed:
    """Surfaces one after another, each closed by fans; the tips of the fans come after the vertices of the mesh."""

    triangles: IntArray
    starts: IntArray
    loop_starts: IntArray
    loop_members: IntArray
    vertices: int

    def volumes(self, frames: Float32Array) -> FloatArray:
        """The volume [m³] inside every surface in every frame, (F, S)."""
        return self.prepared(len(frames))(frames)

    def prepared(self, count: int) -> Callable[[Float32Array], FloatArray]:
        """A function that finds the volumes in as many frames, again and again."""
        from supple.measure import kernels

        wp = devices.warp()
        loops = len(self.loop_starts) - 1
        buffer = FrameBuffer(count, self.vertices, extra=loops)
        found = wp.zeros((buffer.size, len(self.triangles)), dtype=wp.float64, device="cpu")
        tips = np.repeat(self.triangles[self.starts[:-1], 0], np.diff(self.starts))
        fans = [self.vertices, *(devices.to_device(a, wp.int32, "cpu") for a in (self.loop_starts, self.loop_members))]
        cones = [devices.to_device(self.triangles, wp.vec3i, "cpu"), devices.to_device(tips, wp.int32, "cpu"), found]
        stages = (
            devices.Launch(kernels.loop_middles, buffer.size * loops, [*fans, buffer.array], "cpu"),
            devices.Launch(kernels.cone_volumes, buffer.size * len(self.triangles), [buffer.array, *cones], "cpu"),
        )

        def volumes(frames: Float32Array) -> FloatArray:
            wanted = np.empty((len(frames), len(self.starts) - 1))
            for rows in chunks(len(frames)):
                buffer.fill(frames[rows])
                for stage in stages:
                    stage()
                sums = np.add.reduceat(found.numpy(), self.starts[:-1], axis=1)
                wanted[rows] = sums[: rows.stop - rows.start]
            return wanted

        return volumes


def _close(surfaces: list[IntArray], vertices: int) -> _Closed:
    pieces: list[IntArray] = []
    loops: list[IntArray] = []
    sizes: list[int] = []
    tip = vertices
    for surface in surfaces:
        border = border_edges(surface)
        # Border edges that hang together make one loop; its fan runs against them, so every edge has two triangles.
        pieces_of = shells(np.concatenate([border, border[:, :1]], axis=1), vertices) if len(border) else border[:, 0]
        label = pieces_of[border[:, 0]]
        names, number = np.unique(label, return_inverse=True)
        fans = np.stack([border[:, 1], border[:, 0], tip + number], axis=1)
        starts, members = group_by_label(number.astype(np.int32), len(names))
        loops.extend(border[members[starts[k] : starts[k + 1]], 0] for k in range(len(names)))
        pieces.append(np.concatenate([surface, fans]).astype(np.int32))
        sizes.append(len(pieces[-1]))
        tip += len(names)
    lengths = [len(loop) for loop in loops]
    members = np.concatenate(loops) if loops else np.zeros(0, dtype=np.int32)
    return _Closed(
        np.ascontiguousarray(np.concatenate(pieces)),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        members.astype(np.int32),
        vertices,
    )
