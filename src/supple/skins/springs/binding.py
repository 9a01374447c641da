"""What follows from a character alone: how its skin hangs on the bones, and the springs over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import BoolArray, Float32Array, FloatArray, IntArray
from supple.character.anatomy.softness import skin_softness
from supple.character.character import Character
from supple.geometry.quaternions import normalize
from supple.geometry.topology import Neighbors
from supple.skins.painted_map import MapInfo, maps_of
from supple.skins.springs.attachment.attachment import (
    ATTACHMENT_MAPS,
    Attachment,
    attach_unsmoothed,
    is_blended,
    is_painted,
)
from supple.skins.springs.attachment.packed import (
    USUAL,
    AttachmentOptions,
    PackedAttachment,
    pack_attachment,
    repack,
    same_map,
    same_reach,
)
from supple.skins.springs.attachment.segments import Segments
from supple.skins.springs.attachment.weights import END_MAP, START_MAP, Surface, usual_reach

if TYPE_CHECKING:
    from supple.skins.springs.settings import Stiffness

EDIT_PREFIX = "edit "  # begins the names of shapes that are edits; all others are morph targets of the character
HOLD_PREFIX = "hold "  # and of maps that say with which stiffness an edit holds its handles
FIRM_PREFIX = "firm "  # and of those that say what springs to the bone are multiplied by while it is there
STATIC_MAP = "static"
STIFFNESS_MAP, JIGGLE_MAP, FLESH_MAP, RIGID_MAP = "stiffness", "jiggle", "flesh", "rigid"
_MARKS = (JIGGLE_MAP, FLESH_MAP, RIGID_MAP, STATIC_MAP)
KINDS = ("edges", "relative_radius", "bend", "radius", "bones", "twist")
_KIND_WORDS = ("edges", "radii beside others", "bends", "radii", "angles to the bone", "twists")
_OLD_KINDS = {"relative_radius": "lengths", "bend": "turns", "radius": "girth", "twist": "hold"}  # in painted maps
REACH_MAPS: Mapping[str, MapInfo] = maps_of(
    reach_start=MapInfo("How far the turn of a bone's first joint spreads along it"),
    reach_end=MapInfo("How far the turn of a bone's last joint spreads along it"),
    attachment_bone=MapInfo("The number of the bone that a vertex hangs on", high=1e6, smooth=False),
    attachment_along=MapInfo("Where along its bone a vertex hangs", smooth=False),
)
STIFFNESS_MAPS: Mapping[str, MapInfo] = maps_of(
    stiffness=MapInfo("What all springs are multiplied by", high=4.0, default=1.0),
    **{
        f"{STIFFNESS_MAP}_{kind}": MapInfo(
            f"What springs of {words} are multiplied by",
            high=4.0,
            default=1.0,
            formerly=f"{STIFFNESS_MAP}_{_OLD_KINDS[kind]}" if kind in _OLD_KINDS else "",
        )
        for kind, words in zip(KINDS, _KIND_WORDS, strict=True)
    },
    static=MapInfo("Where springs leave the first stage as it is: 0 they move it, 1 they do not", default=0.0),
)
_ROUNDING = 1e-4  # of an edge: changes this small are not worth a sweep
_CONTINUOUS = 1.2  # times an edge: attachment points no farther apart than this hang skin without a gap
_ON_SKELETON = 1e-3  # of an edge: a vertex this near to its attachment point has no direction of its own
_LEAST_RECOIL = 1e-6  # of all springs: with less, nothing draws skin back at a pace of its own
_AS_GOOD_AS_RIGID = 0.02  # of being free to swing: sweep by sweep, what is left of it would add up in a first pose
_LEAST_LOOSENESS = 0.05  # below which skin counts as firm
_FIRM = 8  # how soon skin that is less loose is damped more: by this power of what it lacks
_LEAST_KEPT = 0.4  # of its velocity that skin keeps in a step, so that it gets to where its springs draw it


@dataclass(frozen=True, eq=False)
class AttachedSkin:
    """How a character's V vertices can hang on its bones.

    `unsmoothed` is where `method` hangs them, which a character may also say itself by painted maps, and `usual` what
    becomes of it by the usual options; states of other options make their own from it.
    """

    character: Character
    method: str
    unsmoothed: Attachment
    surface: Surface
    usual: PackedAttachment
    constants: devices.Constants

    @classmethod
    def from_character(cls, character: Character, *, method: str, device: str) -> AttachedSkin:
        """Hang a character on its bones."""
        unsmoothed, surface = attach_unsmoothed(character, method=method), Surface.from_character(character)
        options = _possible(USUAL, character, method)
        usual = pack_attachment(character, unsmoothed, surface, options, device=device)
        return cls(character, method, unsmoothed, surface, usual, devices.Constants(device))

    def __len__(self) -> int:
        return len(self.character.points)

    @property
    def segments(self) -> Segments:
        """What vertices hang on."""
        return self.unsmoothed.segments

    def pack(self, options: AttachmentOptions, known: PackedAttachment | None = None) -> PackedAttachment:
        """The attachment by these options; quicker where it differs little from one that is `known`."""
        wanted = _possible(options, self.character, self.method)
        for there in (self.usual, known):
            if there is not None and there.options == wanted:
                return there
        return repack(known or self.usual, self.character, self.unsmoothed, self.surface, wanted)

    def usual_map(self, name: str, options: AttachmentOptions = USUAL) -> FloatArray | None:
        """What stands (V,) for a map of this room that is not painted; None of maps that are none of its own."""
        own = self.usual.attachment
        if name in (START_MAP, END_MAP):
            return usual_reach(own, name, reach=options.reach, firm_ends=options.firm_ends)
        return {ATTACHMENT_MAPS[0]: own.segment.astype(np.float64), ATTACHMENT_MAPS[1]: own.along}.get(name)

    def rebind(self, character: Character) -> AttachedSkin:
        """The same for a character that differs in shapes and painted maps alone."""
        if not all(same_map(self.character, character, name) for name in ATTACHMENT_MAPS):
            return self.from_character(character, method=self.method, device=self.constants.device)
        usual = self.usual
        if not same_reach(self.character, character):
            usual = repack(usual, character, self.unsmoothed, self.surface, usual.options)
        return replace(self, character=character, usual=usual)


@dataclass(frozen=True, eq=False)
class TunedStiffness:
    """Springs as stiff as settings and maps say.

    `edges` (E, 3) are (w_s, w_l, w_t) of every directed edge, alike in both directions, and `ring` (V, 3) twice their
    sums, `bone` (V, 3) that of springs to the bone, `total` (V,) all of it.
    `recoil` (V,) is the part of all springs that draws skin back to where it hangs when a whole patch of it has moved,
    `energy_tolerance` an energy below which nothing is worth a sweep.
    """

    edges: FloatArray
    ring: FloatArray
    bone: FloatArray
    total: FloatArray
    recoil: FloatArray
    energy_tolerance: float


@dataclass(frozen=True, eq=False)
class SpringBinding:
    """The springs of one character at bind; V vertices, E directed edges.

    `edge_size` (V,) [m] is the mean edge of a vertex, `firm` (V,) marks vertices that have a direction from the bone,
    and `fallback` (V, 3) are those directions, and stand in where there is none.
    """

    attached_skin: AttachedSkin
    edge_size: FloatArray
    firm: IntArray
    fallback: Float32Array

    @classmethod
    def from_attached_skin(cls, skin: AttachedSkin) -> SpringBinding:
        """Measure a character that hangs on its bones."""
        around, hung = skin.surface.around, skin.usual
        edge_size = _ring_mean(np.linalg.norm(_edge_vectors(skin.character.points, around), axis=1), around)
        firm = hung.rest_lengths > _ON_SKELETON * np.maximum(edge_size, 1e-300)
        fallback = np.where(firm[:, None], normalize(hung.rest_vectors), [0.0, 1.0, 0.0])
        return cls(skin, edge_size, firm.astype(np.int32), fallback.astype(np.float32))

    def is_painted_like(self, other: SpringBinding) -> bool:
        """Whether stiffness and looseness are painted alike on both."""
        one, two = self.attached_skin.character, other.attached_skin.character
        names = [
            name
            for name in {**one.maps, **two.maps}
            if name.startswith((STIFFNESS_MAP, HOLD_PREFIX, FIRM_PREFIX)) or name in _MARKS
        ]
        return all(same_map(one, two, name) for name in names)

    def rebind(self, character: Character) -> SpringBinding:
        """The same for a character that differs in shapes and painted maps alone."""
        skin = self.attached_skin.rebind(character)
        if skin.usual.rest_vectors is not self.attached_skin.usual.rest_vectors:
            return self.from_attached_skin(skin)
        return replace(self, attached_skin=skin)

    @property
    def constants(self) -> devices.Constants:
        """What all states share on the device."""
        return self.attached_skin.constants

    @property
    def around(self) -> Neighbors:
        """The vertices that springs along the skin go to."""
        return self.attached_skin.surface.around

    def tune(self, stiffness: Stiffness) -> TunedStiffness:
        """Springs of this stiffness, where it is painted times what is painted."""
        firm = self.firm != 0
        fine = np.minimum(self.edge_size / np.maximum(self.attached_skin.usual.rest_lengths, 1e-300), 1.0) ** 2 * firm
        character = self.attached_skin.character
        own, bone = _stiffness(character, stiffness, has_ring=self.edge_size > 0.0, firm=firm, fine=fine)
        edges, ring = self._share(own)
        total = ring.sum(axis=1) + bone.sum(axis=1)
        to_bone = (
            fine * (stiffness.radius + 2.0 * (stiffness.twist + stiffness.bones)) / 3.0
        )  # out, and both ways aside
        recoil = np.divide(to_bone, total, out=np.zeros_like(total), where=total > 0.0)
        tolerance = float((total * (_ROUNDING * self.edge_size) ** 2).sum())
        return TunedStiffness(edges, ring, bone, total, recoil, tolerance)

    def _share(self, stiffness: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What each vertex has of a kind (V, 3), shared between its edges and both ends of each; with sums of rings."""
        one, other = self.owners, self.around.indices
        each = stiffness / np.maximum(np.diff(self.around.starts), 1)[:, None]
        edges = 0.25 * (each[one] + each[other])
        edges[:, 1:] *= self.attachment_continuity[:, None]
        sums = [np.bincount(one, edges[:, kind], len(stiffness)) for kind in range(3)]
        ring: FloatArray = np.stack(sums, axis=1).astype(np.float64)
        return edges, 2.0 * ring

    @cached_property
    def attachment_continuity(self) -> FloatArray:
        """How much (E,) scale vectors at both ends of an edge have to do with each other, 0 to 1.

        Where skin goes over from one bone to another, attachment points may lie much farther apart than the skin that
        hangs on them. There a patch that moves as a whole changes lengths of scale vectors, and angles between them, as
        if it were torn, and springs against that would hold it like a belt.
        """
        points = self.attached_skin.character.points
        apart = np.linalg.norm(_edge_vectors(self.attached_skin.usual.rest_attached, self.around), axis=1)
        skin = np.linalg.norm(_edge_vectors(points, self.around), axis=1)
        return np.asarray(np.minimum(_CONTINUOUS * skin / np.maximum(apart, 1e-300), 1.0) ** 4)

    @cached_property
    def owners(self) -> IntArray:
        """The vertex (E,) that each directed edge goes out from."""
        count = np.diff(self.around.starts)
        return np.repeat(np.arange(len(count), dtype=np.int32), count)

    def edge_components_of(self, points: FloatArray) -> Float32Array:
        """The parts (E, 2) [m] of directed edges between rest points (V, 3) along and across the bone."""
        hung = self.attached_skin.usual
        return _edge_components(points, self.around, self.attached_skin.segments.directions[hung.owners])

    @cached_property
    def edge_graph(self) -> Any:
        """Edges (V, V) at rest by their length [m], as a sparse matrix."""
        from scipy.sparse import csr_array

        around, count = self.around, len(self.edge_size)
        lengths = np.linalg.norm(_edge_vectors(self.attached_skin.character.points, around), axis=1)
        return csr_array((lengths, around.indices, around.starts), shape=(count, count))

    @cached_property
    def looseness(self) -> FloatArray:
        """How loose (V,) the skin is, 0 to 1: as it is painted, else as flesh is soft."""
        skin = self.attached_skin
        return skin_softness(skin.character, skin.usual.rest_lengths)

    @property
    def freedom(self) -> FloatArray:
        """How much (V,) springs may move each vertex: 1 passive, 0 static."""
        character = self.attached_skin.character
        return 1.0 - np.clip(character.maps.get(STATIC_MAP, np.zeros(len(character.points))), 0.0, 1.0)

    @property
    def swinging_freedom(self) -> FloatArray:
        """The same (V,) of skin that swings: skull, hands, feet and what is hard stay with the bones.

        Unless how loose skin is was painted.
        """
        character = self.attached_skin.character
        if JIGGLE_MAP in character.maps:
            return self.freedom
        loose = 1.0 - np.clip(character.maps.get(RIGID_MAP, character.body_shape.rigid), 0.0, 1.0)
        return self.freedom * np.clip((loose - _AS_GOOD_AS_RIGID) / (1.0 - _AS_GOOD_AS_RIGID), 0.0, 1.0)

    def max_offsets(self, share: float) -> Float32Array:
        """How far (V,) [m] vertices may go from where they hang: a share of their distance from the bone."""
        far = np.maximum(self.attached_skin.usual.rest_lengths, np.maximum(self.edge_size, 1e-9))
        return np.maximum(share * far, 1e-9).astype(np.float32)

    def rates(self, tuned: TunedStiffness, frequency: float, fastest: float) -> Float32Array:
        """How fast (V,) [1/s] skin answers springs, so that loose skin swings at `frequency` [Hz].

        Skin answers with rate^2 times its pull, per stiffness of all its springs. A patch that has moved as a whole is
        drawn back by its springs to the bone alone, which are the share `recoil` of all: it swings at
        rate sqrt(recoil). Springs along the skin then carry waves by as many distances from the bone in a swing,
        whatever the mesh. Firm skin answers sooner, but not for that faster than `fastest`.
        """
        loose = 2.0 * np.pi * frequency / np.sqrt(np.maximum(tuned.recoil, _LEAST_RECOIL))
        firm = np.minimum(loose / np.maximum(self.looseness, _LEAST_LOOSENESS), fastest)
        return np.maximum(loose, firm).astype(np.float32)

    def fadings(self, tuned: TunedStiffness, rates: Float32Array, damping: float, step: float) -> Float32Array:
        """How fast (V,) [1/s] velocities fade: 2 zeta omega, by the pace omega at which each vertex itself swings.

        So skin that answers sooner comes to rest sooner, as flesh and what lies firm on bone do. Firm skin has no swing
        of its own: the ratio zeta goes from `damping` to at least one as looseness goes from one to nothing. No more
        fades than lets skin follow its balance within two or three steps [s].
        """
        pace = rates.astype(np.float64) * np.sqrt(np.maximum(tuned.recoil, _LEAST_RECOIL))
        ratio = damping + max(1.0 - damping, 0.0) * (1.0 - self.looseness) ** _FIRM
        return np.minimum(2.0 * ratio * pace, np.log(1.0 / _LEAST_KEPT) / step).astype(np.float32)


def _possible(options: AttachmentOptions, character: Character, method: str) -> AttachmentOptions:
    """The options, less what a character that says itself where it hangs leaves no choice of."""
    wanted = replace(options, blended=is_blended(character, method))
    return replace(wanted, rounds=0) if is_painted(character, method) else wanted


def is_held(character: Character, shape: str) -> bool:
    """Whether a shape is an edit that holds handles by a force, rather than one that changes what springs aim at."""
    return HOLD_PREFIX + shape in character.maps


def painted_stiffness(character: Character, kind: str) -> FloatArray:
    """What a kind of spring is multiplied by (V,) where it is painted, also by the name that it had before."""
    names = [f"{STIFFNESS_MAP}_{name}" for name in (kind, _OLD_KINDS.get(kind, kind))]
    return next((character.maps[name] for name in names if name in character.maps), np.ones(len(character.points)))


def _edge_vectors(points: FloatArray, around: Neighbors) -> FloatArray:
    """From every vertex to its neighbours (E, 3) [m]."""
    vectors: FloatArray = points[around.indices] - np.repeat(points, np.diff(around.starts), axis=0)
    return vectors


def _edge_components(points: FloatArray, around: Neighbors, directions: FloatArray) -> Float32Array:
    """The parts (E, 2) [m] of directed edges along and across the bone of their first vertex."""
    vectors = _edge_vectors(points, around)
    bones = np.repeat(directions, np.diff(around.starts), axis=0)
    along = np.abs(np.einsum("ei,ei->e", vectors, bones))
    across = np.sqrt(np.maximum(np.einsum("ei,ei->e", vectors, vectors) - along**2, 0.0))
    return np.stack([along, across], axis=1).astype(np.float32)


def _ring_mean(values: FloatArray, around: Neighbors) -> FloatArray:
    count = np.diff(around.starts)
    owner = np.repeat(np.arange(len(count)), count)
    return np.asarray(np.bincount(owner, values, len(count)) / np.maximum(count, 1))


def _stiffness(
    character: Character, stiffness: Stiffness, *, has_ring: BoolArray, firm: BoolArray, fine: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(edges, relative_radius, bend) and (radius, bones, twist) of every vertex (V, 3) each.

    Springs to the bone are scaled by `fine` = (edge / distance from the bone)^2: a ring of springs acts on a skin like
    edge^2 times its curvature, so that the shape at rest does not depend on how fine the mesh is.
    """
    count = len(character.points)
    every = character.maps.get(STIFFNESS_MAP, np.ones(count))
    found = {}
    for kind in KINDS:
        painted = painted_stiffness(character, kind)
        found[kind] = getattr(stiffness, kind) * np.maximum(every, 0.0) * np.maximum(painted, 0.0)
    ring = np.stack([found["edges"] * has_ring, found["relative_radius"] * firm, found["bend"] * firm], axis=1)
    bone = np.stack([found["radius"] * fine, found["bones"] * fine, found["twist"] * fine], axis=1)
    most = np.maximum(np.concatenate([ring, bone], axis=1).sum(axis=1), 1e-300)
    scale = np.where(most > 1e6, 1e6 / most, 1.0)[:, None]  # only ratios count; large numbers would overflow
    return ring * scale, bone * scale
