"""Limbs that swell around bent joints, so that each keeps its volume."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.anatomy.skin_anatomy import RIGID
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.limbs.division import Limbs
from supple.character.limbs.volumes import LimbVolumes
from supple.character.morph_targets import MorphTargets
from supple.geometry import topology
from supple.geometry.normals.area_sums import AreaSums
from supple.geometry.vectors import smoothstep
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import BlendWeights
from supple.skins.kinematic.swelling.girths import Girths
from supple.skins.kinematic.swelling.radii import swelling_radii
from supple.skins.kinematic.swelling.spans import spans_along_limbs

SHRINKING = 0.3  # of how far a limb may swell: how far it may shrink
_SINEW = 0.4  # of its swelling: what skin leaves to others where it is thin, so that thin legs go with their bones
_BENDS = (0.05, 0.3)  # of what moves skin, by other limbs: to the first it is rigid if it looks so, from the second not
_EASES = 0.1  # of how thick the trunk is: over which swelling fades in from what is firm
_ROUNDS = 2  # of steps: the second leaves about a thousandth
_CHUNK = 64  # terms that are added up together, by one thread or a few


@dataclass(frozen=True, eq=False)
class LimbSwelling:
    """What is known of a skin whose limbs shall keep their volumes; of a crowd, of one `member`.

    `radii` (V, 3) [m] is how far every vertex goes at rest when its limb grows to twice its girth. Vertices take part
    less the more they are leaf or rigid, as `firmness` (V,) says, 0 to 1, the more the skin from one to the other of
    their `ends` (V, 2), `spans` (V,) [m] at rest, is folded, and the farther they are from their bones (`girths`).
    """

    member: Character
    copies: int
    meter: LimbVolumes | None
    radii: FloatArray
    ends: IntArray
    spans: Float32Array
    firmness: FloatArray
    girths: Girths | None
    packed: BlendWeights | None

    @classmethod
    def from_character(cls, character: Character) -> LimbSwelling:
        """Divide a character into limbs; none without weights, or where its flesh encloses nothing."""
        if isinstance(character, Crowd):
            return cls.from_character(character.member).stack(character.count)
        flesh = character.body_shape.shells.flesh_triangles(character.triangles)
        meter = LimbVolumes.from_character(character, flesh)
        if meter is None:
            none, ends = np.zeros((len(character.points), 3)), np.zeros((len(character.points), 2), dtype=np.int32)
            return cls(character, 1, None, none, ends, none[:, 0].astype(np.float32), none[:, 0], None, None)
        packed = BlendWeights.from_character(character, "LimbSwelling")
        spans = spans_along_limbs(character, meter)
        girths = Girths.from_limbs(character, meter.limbs)
        radii, firmness = swelling_radii(character, meter), _firmness(character, meter.limbs)
        return cls(character, 1, meter, radii, *spans, firmness, girths, packed)

    def stack(self, count: int) -> LimbSwelling:
        """That of a crowd of `count`, of which this is one member's."""
        return replace(self, copies=count, packed=None if self.packed is None else self.packed.stack(count))

    def reshaped(self, character: Character) -> LimbSwelling:
        """That of a character with other shapes and maps."""
        member = character.member if isinstance(character, Crowd) else character
        firmness = self.firmness if self.meter is None else _firmness(member, self.meter.limbs)
        return replace(self, member=member, firmness=firmness)


def _firmness(member: Character, limbs: Limbs) -> FloatArray:
    """How much (V,) of its swelling every vertex leaves to others: what is leaf or rigid leaves all of it.

    What two limbs move is not rigid, unless it is painted so: a neck bends, though the head does not, and so does mail
    at a shoulder. What is bone and sinew leaves some, and what carries something hard does not swell under it; clothes
    go along. Beside all of this swelling fades in.
    """
    anatomy = member.anatomy
    rigid = anatomy.rigid
    if RIGID not in member.maps:
        rigid = rigid * (1.0 - smoothstep(limbs.shared(member.require_weights("LimbSwelling")), *_BENDS))
    loose = (1.0 - np.maximum(anatomy.leaf, rigid)) * (1.0 - _SINEW * anatomy.slenderness)
    shells = anatomy.shells
    below_hard = (shells.host_weights > 0.0) & shells.hard[shells.number][:, None]
    loose[shells.hosts[below_hard]] = 0.0
    slope = 1.0 / max(_EASES * float(anatomy.trunk.mean()), 1e-300)
    return np.asarray(1.0 - topology.limit_slope(loose, member.points, topology.kept_edges(member.triangles), slope))


class LimbSweller:
    """Moves the skin of bent limbs outwards, in the directions of the bones, until each limb has its volume at rest.

    Bones that bend take volume from the flesh around a joint, by how they are weighted and by where the joint stands in
    it: flesh gives way to the sides. Every limb reaches from the middle of one bone to the middle of the next and
    swells most at its joint, as far as it may (`set_most`), or shrinks by a third of that, where skin is not farther
    from the bones than at rest. Its volume is that of `LimbVolumes`, found in two steps, limb by limb. Nothing is
    remembered from step to step.
    """

    def __init__(self, swelling: LimbSwelling, points: Any, reals: Any, constants: devices.Constants) -> None:
        self.active = swelling.meter is not None
        if not self.active:
            return
        wp, device = devices.warp(), constants.device
        self._swelling, self._meter = swelling, swelling.meter
        self._morph_targets = MorphTargets(swelling.member.points, swelling.member.shapes)
        rest = swelling.member.points
        # Of one copy: bindings of one character and of crowds of it share their constants.
        volumes, distances = constants.derive(rest, "limbs", lambda: (self._volumes(rest), self._distances_of(rest)))
        self._rest_volumes = devices.to_device(np.tile(volumes, swelling.copies), wp.float32, device)
        self._radii = devices.to_device(self._radii_now(), wp.vec3f, device)
        self._distances = devices.to_device(distances, wp.float32, device)
        self._heads = constants.blank(swelling.copies * len(swelling.member.skeleton), wp.vec3f)
        self._bounds = constants.blank(2, wp.float32)
        self.set_most(1.0)
        self._stages = self._record(points, reals, constants)

    def set_most(self, most: float) -> None:
        """Let limbs swell by `most` of their girth from the next step on."""
        if self.active:
            devices.write(self._bounds, np.array([-SHRINKING * most, most], dtype=np.float32))

    def _volumes(self, points: FloatArray) -> Float32Array:
        assert self._meter is not None
        return self._meter(points[None])[0].astype(np.float32)

    def _distances_of(self, points: FloatArray) -> Float32Array:
        assert self._swelling.girths is not None
        return self._swelling.girths.distances(points)

    def _radii_now(self) -> Float32Array:
        return (self._swelling.radii * (1.0 - self._swelling.firmness)[:, None]).astype(np.float32)

    def _record(self, points: Any, reals: Any, constants: devices.Constants) -> list[devices.Launch]:
        from supple.skins.kinematic.swelling import kernels

        wp, put, device = devices.warp(), constants.put, constants.device
        meter, packed, girths = self._meter, self._swelling.packed, self._swelling.girths
        assert meter is not None
        assert packed is not None
        assert girths is not None
        copies = self._swelling.copies
        count, each, limbs = len(points), len(points) // copies, len(meter.names)
        terms = constants.derive(meter.triangles, "limbs", lambda: _Terms.from_meter(meter, each))
        corner_count, line_count, chunk_count = meter.mixed.shape[0], meter.line_corners.shape[0], len(terms.kinds)
        areas, directions = AreaSums(meter.triangles, copies, points, constants), constants.blank(count, wp.vec3f)
        gains = constants.blank(count, wp.float32)
        corners, middles = (constants.blank(max(copies * one, 1), wp.vec3f) for one in (corner_count, line_count))
        sums = constants.blank(copies * chunk_count, wp.vec2f)
        swellings, changes = (constants.blank(copies * limbs, wp.float32) for _ in range(2))
        structure = terms.on_device(each, constants)
        limb_of = put(meter.limbs.limb_of, wp.int32)

        def launch(kernel: Any, size: int, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, size, list(inputs), device)

        blend = [packed.blocks, put(packed.joints, wp.vec4i), put(packed.weights, wp.vec4f), reals]
        spans = [put(self._swelling.ends, wp.vec2i), put(self._swelling.spans, wp.float32)]
        evened = constants.blank(count, wp.vec3f)
        gates, lowered = (constants.blank(count, wp.float32) for _ in range(2))
        beside = terms.beside
        lines = [each, put(beside.starts, wp.int32), put(beside.indices, wp.int32)]
        measured = [girths.on_device(self._distances, constants), self._heads, *spans, points, gates]
        stages = [
            launch(kernels.open_gates, count, each, self._bounds, *measured),
            launch(kernels.lower_gates, count, *lines, self._radii, gates, lowered),
            launch(kernels.turn_radii, count, each, self._radii, *blend, lowered, directions),
            *[
                launch(kernels.even_directions, count, *lines, points, *ways)
                for ways in ((directions, evened), (evened, directions))
            ],
            *areas.launches,
            launch(kernels.measure_gains, count, areas.sums, directions, gains),
        ]
        lanes = 1 if device == "cpu" else int(kernels.LANES)  # a number of threads that eight divides, or one
        for again in range(_ROUNDS):
            found = [structure, points, corners, middles, gains, sums]
            solved = [structure, self._rest_volumes, sums, swellings, changes]
            if corner_count:
                drawn = [lanes, line_count, corner_count, structure, corners, middles]
                stages += [
                    launch(kernels.place_corners, copies * corner_count, corner_count, structure, points, corners),
                    launch(kernels.place_middles, lanes * copies * line_count, *drawn),
                ]
            counts = [lanes, chunk_count, corner_count, line_count]
            stages += [
                launch(kernels.add_chunks, lanes * copies * chunk_count, *counts, *found),
                launch(kernels.solve_limbs, copies * limbs, limbs, chunk_count, self._bounds, min(again, 1), *solved),
                launch(kernels.swell, count, each, limbs, limb_of, changes, directions, points),
            ]
        return stages

    def reshape(self, swelling: LimbSwelling) -> None:
        """Keep the volumes of other shapes, with other maps, from the next step on."""
        if self.active:
            self._swelling = swelling
            self._morph_targets.exchange(swelling.member.shapes)
            devices.write(self._radii, self._radii_now())

    def set(self, pose: Pose) -> None:
        """Take from a pose what its shapes (morph targets) are at rest, and where the joints are."""
        if not self.active:
            return
        points = self._morph_targets.update(pose.shapes)
        if points is not None:
            devices.write(self._rest_volumes, np.tile(self._volumes(points), self._swelling.copies))
            devices.write(self._distances, self._distances_of(points))
        pose.write_heads(self._heads)

    def keep(self) -> None:
        """Bring every limb to its volume at rest."""
        if self.active:
            for stage in self._stages:
                stage()


@dataclass(frozen=True, eq=False)
class _Terms:
    """What limbs are added up from, in chunks of one kind and one limb each, as arrays that are brought to a device.

    Beside that the vertices `beside` every vertex of one copy.
    """

    starts: IntArray
    kinds: IntArray
    limbs: IntArray
    items: IntArray
    shares: Float32Array
    limb_chunks: IntArray
    corner_vertices: IntArray
    corner_shares: Float32Array
    line_starts: IntArray
    line_corners: IntArray
    line_shares: Float32Array
    segments: IntArray
    triangles: IntArray
    pivots: IntArray
    beside: topology.Neighbors

    @classmethod
    def from_meter(cls, meter: LimbVolumes, each: int) -> _Terms:
        shares = meter.shares.tocoo()
        sides = np.repeat(np.arange(len(meter.segments)), 2)
        used = np.unique(meter.triangles)
        limb = np.concatenate([shares.row, meter.beside.reshape(-1), meter.limbs.limb_of[used]])
        kind = np.repeat([0, 1, 2], [shares.nnz, len(sides), len(used)])
        item = np.concatenate([shares.col, sides, used])
        value = np.concatenate([shares.data, np.tile([1.0, -1.0], len(meter.segments)), np.ones(len(used))])
        there = value != 0.0
        limb, kind, item, value = limb[there], kind[there], item[there], value[there]
        order = np.lexsort((item, kind, limb))
        limb, kind, item, value = limb[order], kind[order], item[order], value[order]
        group = limb * 3 + kind
        first = np.flatnonzero(np.diff(group, prepend=-1))
        sizes = np.diff(np.append(first, len(group)))
        starts = np.concatenate([np.arange(a, a + size, _CHUNK) for a, size in zip(first, sizes, strict=True)])
        chunks = np.searchsorted(limb[starts], np.arange(len(meter.names) + 1))
        lines = meter.line_corners.tocsr()
        pivots = np.zeros(len(meter.names), dtype=np.int32)
        pivots[meter.limbs.limb_of[used][::-1]] = used[::-1]
        return cls(
            np.append(starts, len(group)).astype(np.int32),
            kind[starts].astype(np.int32),
            limb[starts].astype(np.int32),
            item.astype(np.int32),
            value.astype(np.float32),
            chunks.astype(np.int32),
            *_three(meter.mixed),
            lines.indptr.astype(np.int32),
            lines.indices.astype(np.int32),
            lines.data.astype(np.float32),
            np.column_stack([meter.segments, meter.tips]).astype(np.int32),
            meter.triangles.astype(np.int32),
            pivots,
            topology.neighbors(meter.triangles, each),
        )

    def on_device(self, each: int, constants: devices.Constants) -> Any:
        """As kernels take them."""
        from supple.skins.kinematic.swelling import kernels

        wp, put = devices.warp(), constants.put
        return devices.fill_struct(
            kernels.Limbs(),
            each=each,
            corner_vertices=put(self.corner_vertices, wp.vec3i),
            corner_shares=put(self.corner_shares, wp.vec3f),
            line_starts=put(self.line_starts, wp.int32),
            line_corners=put(self.line_corners, wp.int32),
            line_shares=put(self.line_shares, wp.float32),
            segments=put(self.segments, wp.vec3i),
            triangles=put(self.triangles, wp.vec3i),
            chunk_starts=put(self.starts, wp.int32),
            chunk_kinds=put(self.kinds, wp.int32),
            chunk_limbs=put(self.limbs, wp.int32),
            items=put(self.items, wp.int32),
            item_shares=put(self.shares, wp.float32),
            limb_chunks=put(self.limb_chunks, wp.int32),
            pivots=put(self.pivots, wp.int32),
        )


def _three(mixed: Any) -> tuple[IntArray, Float32Array]:
    """Rows of up to three vertices, and their shares, as arrays (C, 3) each."""
    count = mixed.shape[0]
    rows = np.repeat(np.arange(count), np.diff(mixed.indptr))
    place = np.arange(len(rows)) - mixed.indptr[rows]
    vertices, shares = np.zeros((count, 3), dtype=np.int32), np.zeros((count, 3), dtype=np.float32)
    vertices[rows, place], shares[rows, place] = mixed.indices, mixed.data
    return vertices, shares
