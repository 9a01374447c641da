"""A closed skin brought back to the volume it had at rest."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.anatomy.enclosure import enclosing_triangles
from supple.character.anatomy.skin_anatomy import PAINTED_ANATOMY, find_anatomy
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.morph_targets import MorphTargets
from supple.errors import SuppleWarning
from supple.geometry import topology
from supple.geometry.normals.area_sums import AreaSums
from supple.geometry.rows import group_by_label
from supple.geometry.vectors import lengths
from supple.motion.pose import Pose

_MOST = 0.02  # of the thickness of flesh: how far a vertex may be moved
_BENT = 0.25  # of the radius at which the skin bends: the same, so that neighbours in a crease are not drawn apart
_THIN = 0.1  # of the mean depth of flesh: what has less takes a small share, and need not come to its limit
_EVENLY = 0.1  # the smallest share of a part, as in the kernels


@dataclass(frozen=True, eq=False)
class RestVolume:
    """What is known of a skin that shall keep its volume; V vertices of all copies of a crowd, J joints of one.

    `member` is one of the copies; `surface` (E, 3) are the triangles that enclose its flesh, holes covered. `thickness`
    (V,) says how much of a change every vertex takes, 1 on average; `limits` (V,) [m] how far each may be moved.
    `joints` (V, 4) of its copy and `weights` (V, 4) say to which parts a vertex of the member belongs: the part of a
    joint is what hangs on it most. `tips` are vertices at which covers of holes begin, `rest_areas` (V,) [m²] is twice
    the area around each at rest. None of it is there (`closed` is false) for a skin that encloses nothing.
    """

    member: Character
    surface: IntArray
    thickness: Float32Array
    limits: Float32Array
    joints: IntArray
    weights: Float32Array
    tips: IntArray
    rest_areas: Float32Array
    painted: bool = True

    @property
    def closed(self) -> bool:
        """Whether the skin encloses anything."""
        return bool(len(self.surface))

    @classmethod
    def from_character(cls, character: Character, depth: FloatArray, *, painted: bool = True) -> RestVolume:
        """Spread changes over a skin in proportion to the `depth` (V,) [m] of flesh.

        No vertex is moved by more than a fiftieth of how thick the flesh is there, less where it is rigid or sharply
        bent: what is missing beyond that is not hidden by blowing up the skin. `painted` says whether maps of the
        anatomy count there, for skins that read them.
        """
        if isinstance(character, Crowd):
            member = character.member
            return cls.from_character(member, depth[: len(member.points)], painted=painted).stack(character)
        shells = find_anatomy(character, painted=painted).shells
        surface, tips = enclosing_triangles(character.points, shells.flesh_triangles(character.triangles))
        return cls(
            character,
            surface,
            share_by_depth(depth),
            _limits(character, tips, painted=painted),
            *_strongest(character),
            tips,
            _areas_around(character, surface),
            painted=painted,
        )

    def stack(self, crowd: Crowd) -> RestVolume:
        """That of a crowd, of which this is one member's."""
        thickness, limits = (np.tile(values, crowd.count) for values in (self.thickness, self.limits))
        return replace(self, thickness=thickness, limits=limits)

    def reshaped(self, character: Character, depth: FloatArray | None = None) -> RestVolume:
        """That of a character with other shapes, and another `depth` (V,) [m] of flesh if one is given."""
        member = character.member if isinstance(character, Crowd) else character
        thickness = self.thickness if depth is None else share_by_depth(depth)
        if self._is_made_as(member):
            return replace(self, member=member, thickness=thickness)
        limits = np.tile(_limits(member, self.tips, painted=self.painted), len(character.points) // len(member.points))
        return replace(self, member=member, thickness=thickness, limits=limits)

    def _is_made_as(self, member: Character) -> bool:
        """Whether a character's skin is the same at rest, and of the same flesh: only shapes and other maps differ."""
        mine = self.member
        same = member.points is mine.points and member.triangles is mine.triangles
        maps = PAINTED_ANATOMY if self.painted else ()
        return same and all(member.maps.get(name) is mine.maps.get(name) for name in maps)

    def tell(self, where: str) -> None:
        """Warn that no volume is kept, if the skin encloses none."""
        if not self.closed:
            told = f"{where}: the skin encloses no volume, none is kept; set keep_volume=False, or give it a body"
            warnings.warn(told, SuppleWarning, stacklevel=2)

    def initial_offsets(self, rest_points: FloatArray) -> Float32Array:
        """What the volume of one copy shall be, and the offset that brings it there, before one is found."""
        return np.array([topology.signed_volume(rest_points, self.surface), 0.0], dtype=np.float32)

    def part_volumes(self, rest_points: FloatArray) -> Float32Array:
        """The volumes (J,) [m³] of all parts of one copy at rest, as cones about their joints."""
        areas = topology.area_vectors(rest_points, self.surface)
        sums = np.zeros_like(rest_points)
        for corner in range(3):
            np.add.at(sums, self.surface[:, corner], areas)
        away = rest_points - self.member.skeleton.heads[self.joints[:, 0]]
        cones = np.einsum("vi,vi->v", away, sums) / 18.0
        return np.bincount(self.joints[:, 0], cones, len(self.member.skeleton)).astype(np.float32)


def _areas_around(character: Character, surface: IntArray) -> Float32Array:
    """Twice the area (V,) [m²] of all triangles around every vertex at rest."""
    areas = np.repeat(lengths(topology.area_vectors(character.points, surface)), 3)
    return np.bincount(surface.reshape(-1), areas, len(character.points)).astype(np.float32)


def _strongest(character: Character) -> tuple[IntArray, Float32Array]:
    """The four joints (V, 4) that move every vertex most, the strongest first, and their weights, which sum to one."""
    vertices, given = len(character.points), character.weights
    if given is None:
        return np.zeros((vertices, 4), dtype=np.int32), np.full((vertices, 4), 0.25, dtype=np.float32)
    order = np.argsort(-given.values, axis=1, kind="stable")[:, :4]
    joints, values = (np.take_along_axis(each, order, axis=1) for each in (given.joints, given.values))
    missing = ((0, 0), (0, 4 - joints.shape[1]))
    joints, values = np.pad(joints, missing, mode="edge"), np.pad(values, missing)
    sums = np.maximum(values.sum(axis=1, keepdims=True), 1e-12)
    return joints.astype(np.int32), (values / sums).astype(np.float32)


def _limits(character: Character, tips: IntArray, *, painted: bool) -> Float32Array:
    """How far (V,) [m] every vertex of a skin may be moved; `tips`, at which covers of holes begin, not at all."""
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
    limits = np.minimum(_MOST * anatomy.thickness, _BENT * bent) * (1.0 - np.maximum(anatomy.rigid, anatomy.leaf))
    limits[tips] = 0.0
    return limits.astype(np.float32)


def share_by_depth(depth: FloatArray) -> Float32Array:
    """How much of a change every vertex (V,) takes, 1 on average, in proportion to the `depth` (V,) [m] of flesh."""
    return (depth / max(float(depth.mean()), 1e-12)).astype(np.float32)


def _longest_offset(thickness: Float32Array, limits: Float32Array) -> float:
    """The offset [m] from which all vertices with flesh to speak of are at their limits, however little they share."""
    fleshy = thickness > _THIN
    return float((limits[fleshy] / thickness[fleshy]).max(initial=0.0)) / _EVENLY


class VolumePreserver:
    """Moves a skin a little along its normals, so that it encloses its rest volume; holes in it count as covered.

    Elements that almost keep their volume leave an error of a few parts in a thousand in hard poses, which is less than
    a millimetre on a human. It is spread over the parts that have lost it, in proportion to the depth of flesh, so that
    fingers and ears are left alone, and what a vertex at its limit cannot take goes to the others; of a crowd, copy by
    copy. A skin that encloses nothing is not moved.
    """

    def __init__(self, volume: RestVolume, points: Any, constants: devices.Constants) -> None:
        self.active = volume.closed
        if not self.active:
            return
        wp, device = devices.warp(), constants.device
        self._volume, self._device = volume, device
        self._copies, self._joints = len(points) // len(volume.member.points), len(volume.member.skeleton)
        self._morph_targets = MorphTargets(volume.member.points, volume.member.shapes)
        self._origins = constants.blank(self._copies * self._joints, wp.vec3f)
        self._terms = [wp.empty(len(points), dtype=wp.float32, device=device) for _ in range(3)]
        rest = volume.member.points
        # Of one copy: bindings of one character and of crowds of it share their constants.
        offsets, parts = constants.derive(
            rest, "volumes", lambda: (volume.initial_offsets(rest), volume.part_volumes(rest))
        )
        self._offsets = devices.to_device(np.tile(offsets, self._copies), wp.float32, device)
        self._rest_parts = devices.to_device(parts, wp.float32, device)
        self._thickness = devices.to_device(volume.thickness, wp.float32, device)
        self._limits = devices.to_device(volume.limits, wp.float32, device)
        self._longest = wp.zeros(1, dtype=wp.float32, device=device)
        self._set_longest(volume.thickness, volume.limits)
        self._shares, self._reaches = (wp.empty(len(points), dtype=wp.float32, device=device) for _ in range(2))
        self._record(points, constants)

    def _record(self, points: Any, constants: devices.Constants) -> None:
        from supple.skins.kinematic import volume_kernels as kernels

        wp, device, count, each = devices.warp(), self._device, len(points), len(points) // self._copies
        volume, joints = self._volume, self._joints
        rows = constants.derive(volume.joints, "parts", lambda: self._rows_of_parts(device))
        belongs = [constants.put(volume.joints, wp.vec4i), constants.put(volume.weights, wp.vec4f)]
        areas = AreaSums(volume.surface, self._copies, points, constants)
        directions = wp.empty(count, dtype=wp.vec3f, device=device)
        losses = wp.empty(self._copies * joints, dtype=wp.float32, device=device)
        reaches, (volumes, gains, cones) = self._reaches, self._terms
        around = devices.fill_struct(
            kernels.Surroundings(),
            limits=self._limits,
            rest_areas=constants.put(volume.rest_areas, wp.float32),
            joints=belongs[0],
            each=each,
            joint_count=joints,
        )
        inputs = [around, areas.sums, self._thickness, self._origins, points]
        inputs += [directions, volumes, gains, cones, reaches]
        self._measure = [
            *areas.launches,
            devices.Launch(kernels.volume_terms, count, inputs, device),
            self._part_volumes([each, joints, *rows, cones, losses]),
            devices.Launch(kernels.part_losses, self._copies, [joints, self._rest_parts, losses], device),
            devices.Launch(
                kernels.share_locally,
                count,
                [each, joints, *belongs, losses, self._thickness, directions, gains, self._shares],
                device,
            ),
        ]
        inputs = [each, self._longest, volumes, gains, self._shares, reaches, self._offsets]
        if device == "cpu":
            search = devices.Launch(kernels.find_offset, self._copies, inputs, device, smallest=1)
        else:
            lanes, kernel = int(kernels.SEARCHERS), kernels.find_offset_in_blocks
            search = devices.Launch(kernel, lanes * self._copies, inputs, device, block=lanes)
        self._measure.append(search)
        inputs = [each, self._offsets, reaches, directions, points]
        self._inflate = devices.Launch(kernels.inflate, count, inputs, device)

    def _rows_of_parts(self, device: str) -> list[Any]:
        """The vertices of every part of one copy, on the device: where each begins, and which they are."""
        starts, members = group_by_label(self._volume.joints[:, 0], self._joints)
        return [devices.to_device(array, devices.warp().int32, device) for array in (starts, members.astype(np.int32))]

    def _set_longest(self, thickness: Float32Array, limits: Float32Array) -> None:
        devices.write(self._longest, np.array([_longest_offset(thickness, limits)], dtype=np.float32))

    def _part_volumes(self, inputs: list[Any]) -> devices.Launch:
        """Recorded: the volumes of all parts of all copies."""
        from supple.skins.kinematic import volume_kernels as kernels

        count, lanes = self._copies * self._joints, int(kernels.LANES)
        if self._device == "cpu":
            return devices.Launch(kernels.part_volumes, count, inputs, self._device)
        return devices.Launch(kernels.part_volumes_in_blocks, lanes * count, inputs, self._device, block=lanes)

    def reshape(self, volume: RestVolume) -> None:
        """Keep the volume of other shapes of the same mesh from the next step on."""
        if self.active:
            if volume.thickness is not self._volume.thickness:
                devices.write(self._thickness, volume.thickness)
            self._volume = volume
            devices.write(self._limits, volume.limits)
            self._set_longest(volume.thickness, volume.limits)
            self._morph_targets.exchange(volume.member.shapes)

    def spread(self, depth: FloatArray) -> None:
        """Spread changes in proportion to another `depth` (V,) [m] of flesh from the next step on."""
        if self.active:
            shares = share_by_depth(depth)
            devices.write(self._thickness, shares)
            self._set_longest(shares, self._volume.limits)

    def set(self, pose: Pose) -> None:
        """Take from a pose what the volume of its shapes (morph targets) is, and where the joints are."""
        if not self.active:
            return
        points = self._morph_targets.update(pose.shapes)
        if points is not None:
            devices.write(self._offsets, np.tile(self._volume.initial_offsets(points), self._copies))
            devices.write(self._rest_parts, self._volume.part_volumes(points))
        pose.write_heads(self._origins)

    def keep(self) -> None:
        """Bring the skin to the volume of its rest shape."""
        if not self.active:
            return
        for stage in self._measure:
            stage()
        self._inflate()
