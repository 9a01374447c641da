"""A closed skin brought back to the volume it had at rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.anatomy.skin_anatomy import PAINTED_ANATOMY, find_anatomy
from supple.character.character import Character
from supple.character.crowd import Crowd, stacked
from supple.character.morph_targets import MorphTargets
from supple.geometry import topology
from supple.geometry.rows import group_by_label
from supple.geometry.vectors import lengths
from supple.motion.pose import Pose

_MOST = 0.02  # of the thickness of flesh: how far a vertex may be moved
_BENT = 0.25  # of the radius at which the skin bends: the same, so that neighbours in a crease are not drawn apart
_ROUNDS = 4  # in which a device shares out what vertices at their limit leave to others


@dataclass(frozen=True, eq=False)
class RestVolume:
    """What is known of a skin that shall keep its volume; V vertices, T triangles of all copies of a crowd.

    `member` is one of the copies; `thickness` (V,) how much of the change every vertex takes, 1 on average; `limits`
    (V,) [m] how far each may be moved; the triangles around vertex v are `around[starts[v]:starts[v + 1]]`. None of it
    is there (`closed` is false) for a skin with a hole in it, which encloses nothing.
    """

    member: Character
    triangles: IntArray
    thickness: Float32Array
    limits: Float32Array
    starts: IntArray
    around: IntArray
    closed: bool
    painted: bool = True

    @classmethod
    def from_character(cls, character: Character, depth: FloatArray, *, painted: bool = True) -> RestVolume:
        """Spread changes over a skin in proportion to the `depth` (V,) [m] of flesh.

        No vertex is moved by more than a fiftieth of how thick the flesh is there, less where it is firm or sharply
        bent: what is missing beyond that is not hidden by blowing up the skin. `painted` says whether maps of the
        anatomy count there, for skins that read them.
        """
        if isinstance(character, Crowd):
            member = character.member
            return cls.from_character(member, depth[: len(member.points)], painted=painted).stack(character)
        census = topology.census(character.triangles)
        if census.border_edges or census.flipped_edges:
            none = np.zeros(0, dtype=np.int32)
            nothing = none.astype(np.float32)
            return cls(character, character.triangles, nothing, nothing, none, none, closed=False, painted=painted)
        thickness = share_by_depth(depth)
        starts, corners = group_by_label(character.triangles.reshape(-1), len(character.points))
        around = (corners // 3).astype(np.int32)
        limits = _limits(character, painted=painted)
        return cls(character, character.triangles, thickness, limits, starts, around, closed=True, painted=painted)

    def stack(self, crowd: Crowd) -> RestVolume:
        """That of a crowd, of which this is one member's."""
        count, triangles = crowd.count, len(self.triangles)
        if not self.closed:
            return replace(self, triangles=crowd.triangles)
        starts = np.append(stacked(self.starts[:-1], count, len(self.around)), count * len(self.around))
        return replace(
            self,
            triangles=crowd.triangles,
            thickness=np.tile(self.thickness, count),
            limits=np.tile(self.limits, count),
            starts=starts.astype(self.starts.dtype),
            around=stacked(self.around, count, triangles),
        )

    def reshaped(self, character: Character, depth: FloatArray | None = None) -> RestVolume:
        """That of a character with other shapes, and another `depth` (V,) [m] of flesh if one is given."""
        member = character.member if isinstance(character, Crowd) else character
        if not self.closed:
            return replace(self, member=member)
        thickness = self.thickness if depth is None else share_by_depth(depth)
        if self._is_made_as(member):
            return replace(self, member=member, thickness=thickness)
        limits = np.tile(_limits(member, painted=self.painted), len(character.points) // len(member.points))
        return replace(self, member=member, thickness=thickness, limits=limits)

    def _is_made_as(self, member: Character) -> bool:
        """Whether a character's skin is the same at rest, and of the same flesh: only shapes and other maps differ."""
        mine = self.member
        same = member.points is mine.points and member.triangles is mine.triangles
        maps = PAINTED_ANATOMY if self.painted else ()
        return same and all(member.maps.get(name) is mine.maps.get(name) for name in maps)

    def farthest(self, thickness: Float32Array) -> Float32Array:
        """The offset (V,) [m] at which vertices that take so much of a change are at their limits."""
        return np.where(thickness > 0.0, self.limits / np.maximum(thickness, 1e-12), np.inf).astype(np.float32)

    def initial_sums(self, rest_points: FloatArray, copies: int) -> FloatArray:
        """The sums before anything is added up (5 for every copy): what the volume shall be, then what it is."""
        return np.tile([topology.signed_volume(rest_points, self.member.triangles), 0.0, 0.0, 0.0, 0.0], copies)


def _limits(character: Character, *, painted: bool) -> Float32Array:
    """How far (V,) [m] every vertex of a skin may be moved."""
    anatomy = character.anatomy if painted else find_anatomy(character, painted=False)
    triangles = character.triangles
    areas = topology.area_vectors(character.points, triangles)
    normals = np.zeros_like(character.points)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], areas)
    normals /= np.maximum(lengths(normals), 1e-300)[:, None]
    i, j = topology.unique_edges(triangles).T
    length = np.linalg.norm(character.points[i] - character.points[j], axis=1)
    radius = length / np.maximum(np.linalg.norm(normals[i] - normals[j], axis=1), 1e-9)
    bent = np.full(len(character.points), np.inf)
    for end in (i, j):
        np.minimum.at(bent, end, radius)
    return (np.minimum(_MOST * anatomy.thickness, _BENT * bent) * (1.0 - anatomy.firmness)).astype(np.float32)


def share_by_depth(depth: FloatArray) -> Float32Array:
    """How much of a change every vertex (V,) takes, 1 on average, in proportion to the `depth` (V,) [m] of flesh."""
    return (depth / max(float(depth.mean()), 1e-12)).astype(np.float32)


def limited_offset(missing: float, gains: FloatArray, farthest: FloatArray) -> float:
    """The offset d with sum_i g_i min(|d|, f_i) = |missing|, of the sign of what is missing; the largest if none does.

    `gains` (V,) are volumes for an offset of one, `farthest` (V,) offsets from which a vertex gives no more.
    """
    offset, added, free = 0.0, 0.0, gains > 0.0
    while added < abs(missing) and free.any():
        offset += (abs(missing) - added) / float(gains[free].sum(dtype=np.float64))
        stuck = farthest < offset
        if not (free & stuck).any():
            break
        free &= ~stuck
        held = gains[stuck] * farthest[stuck]
        added = float(held.sum(dtype=np.float64)) + offset * float(gains[free].sum(dtype=np.float64))
    return float(np.copysign(offset, missing))


class VolumePreserver:
    """Moves a closed skin a little along its normals, so that it encloses its rest volume.

    Elements that almost keep their volume leave an error of a few parts in a hundred in hard poses, which is a
    millimetre on a human. It is spread over the skin in proportion to the depth of flesh, so that fingers and ears are
    left alone, and what a vertex at its limit cannot take goes to the others; of a crowd, copy by copy. A skin with a
    hole in it encloses nothing and is not moved.
    """

    def __init__(self, volume: RestVolume, points: Any, constants: devices.Constants) -> None:
        self.active = volume.closed
        if not self.active:
            return
        wp, device = devices.warp(), constants.device
        self._volume, self._device = volume, device
        self._copies = len(points) // len(volume.member.points)
        self._morph_targets = MorphTargets(volume.member.points, volume.member.shapes)
        self._origins = constants.blank(self._copies, wp.vec3f)
        self._terms = [wp.empty(len(points), dtype=wp.float32, device=device) for _ in range(2)]
        initial_sums = volume.initial_sums(volume.member.points, self._copies)
        self._sums = devices.to_device(initial_sums.astype(np.float32), wp.float32, device)
        self._thickness = devices.to_device(volume.thickness, wp.float32, device)
        self._limits = devices.to_device(volume.limits, wp.float32, device)
        self._shares, self._farthest = volume.thickness, volume.farthest(volume.thickness)
        self._record(points, constants)

    def _record(self, points: Any, constants: devices.Constants) -> None:
        from supple.geometry.kernels import normals as geometry
        from supple.skins.kinematic import volume_kernels as kernels

        wp, device, count, each = devices.warp(), self._device, len(points), len(points) // self._copies
        volume, faces = self._volume, self._volume.triangles
        layout = [constants.put(array, wp.int32) for array in (volume.starts, volume.around)]
        areas = wp.empty(len(faces), dtype=wp.vec3f, device=device)
        directions = wp.empty(count, dtype=wp.vec3f, device=device)
        on_device, limits = constants.put(faces, wp.vec3i), self._limits
        inputs = [*layout, areas, self._thickness, each, self._origins, points, directions, *self._terms, self._sums]
        self._measure = [
            devices.Launch(geometry.area_vectors, len(faces), [points, on_device, areas], device),
            devices.Launch(kernels.volume_terms, count, inputs, device),
        ]
        if device != "cpu":  # there one launch adds up; here threads would step on each other's sums
            chunks = -(-each // kernels.CHUNK)
            inputs = [each, chunks, *self._terms, self._thickness, limits, self._sums]
            adding = devices.Launch(kernels.add_terms, self._copies * chunks, inputs, device)
            raising = devices.Launch(kernels.raise_offsets, self._copies, [self._sums], device)
            self._measure += [adding, raising] * _ROUNDS
        inputs = [each, self._sums, limits, directions, points]
        self._inflate = devices.Launch(kernels.inflate, count, inputs, device)

    def reshape(self, volume: RestVolume) -> None:
        """Keep the volume of other shapes of the same mesh from the next step on."""
        if self.active:
            shared = volume.thickness is not self._volume.thickness
            self._volume = volume
            devices.write(self._limits, volume.limits)
            self._share(volume.thickness if shared else self._shares)
            self._morph_targets.exchange(volume.member.shapes)

    def spread(self, depth: FloatArray) -> None:
        """Spread changes in proportion to another `depth` (V,) [m] of flesh from the next step on."""
        if self.active:
            self._share(share_by_depth(depth))

    def _share(self, thickness: Float32Array) -> None:
        self._shares = thickness
        devices.write(self._thickness, thickness)
        self._farthest = self._volume.farthest(thickness)

    def set(self, pose: Pose) -> None:
        """Take from a pose what the volume of its shapes (morph targets) is, and where the copies are."""
        if not self.active:
            return
        points = self._morph_targets.update(pose.shapes)
        if points is not None:
            devices.write(self._sums, self._volume.initial_sums(points, self._copies))
        devices.write(self._origins, pose.world_from_joint[:: len(pose) // self._copies, :3, 3])

    def keep(self) -> None:
        """Bring the skin to the volume of its rest shape."""
        if not self.active:
            return
        for stage in self._measure:
            stage()
        if self._device == "cpu":
            sums = self._sums.numpy().reshape(self._copies, -1)
            volumes, gains = (term.numpy().reshape(self._copies, -1) for term in self._terms)
            farthest = self._farthest.reshape(self._copies, -1)
            for copy in range(self._copies):
                missing = float(sums[copy, 0]) - float(volumes[copy].sum(dtype=np.float64))
                sums[copy, -1] = limited_offset(missing, gains[copy], farthest[copy])
        self._inflate()
