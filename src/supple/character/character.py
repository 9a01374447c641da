"""The character: a mesh, the skeleton inside it, and what ties the two together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import Float32Array, FloatArray, IntArray, by_fields, frozen
from supple.character.attributes import checked_attribute
from supple.character.materials import Material, checked
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import InputError

if TYPE_CHECKING:
    from supple.character.anatomy.joint_limits import JointLimit
    from supple.character.anatomy.skin_anatomy import BodyShape, SkinAnatomy
    from supple.motion.motion import Motion

_WHERE = "Character"
_TELLING, _SAMPLED = 12, 16  # motions, and poses of each, that tell how far joints turn
_OF_SHAPE = ("points", "triangles", "skeleton", "weights")


@dataclass(frozen=True, eq=False)
class Display:
    """How control points are drawn: seams give one control point several display vertices.

    `control_points` (D,) names the control point of every display vertex, `triangles` (T, 3) the display vertices of
    every triangle, in the order of the character's own triangles; `uvs` (D, 2) are texture coordinates. `attributes`
    (D, W) are what else stands at the corners, by the names of `supple.character.attributes`: authored normals and
    tangents, colours, further texture coordinates.
    """

    control_points: IntArray
    triangles: IntArray
    uvs: FloatArray | None = None
    attributes: Mapping[str, Float32Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        control = frozen(self.control_points, np.int32, (-1,), "Display", "control_points")
        triangles = frozen(self.triangles, np.int32, (-1, 3), "Display", "triangles")
        _check_indices(triangles, len(control), "Display", "triangles", "display vertices")
        object.__setattr__(self, "control_points", control)
        object.__setattr__(self, "triangles", triangles)
        if self.uvs is not None:
            object.__setattr__(self, "uvs", frozen(self.uvs, np.float64, (len(control), 2), "Display", "uvs"))
        held = {name: checked_attribute(name, rows, len(control)) for name, rows in self.attributes.items()}
        object.__setattr__(self, "attributes", MappingProxyType(held))

    def __reduce__(self) -> Any:
        """Can be pickled, to be handed to another process."""
        return by_fields(self)


@dataclass(frozen=True, eq=False, repr=False)
class Character:
    """A rigged character. Frozen: derive another one with `replace`, which shares what did not change.

    `points` (V, 3) [m] and `triangles` (T, 3) are the control mesh at rest; `polygons` (P, 4) keeps its quads where it
    was made of quads (-1 in the last place of a triangle). `weights` may be missing until `supple.automatic_weights`
    makes some. `maps` are painted values per vertex by name (flesh, jiggle, stiffness), `parts` are vertex numbers
    by name, `motions` are the clips that came along. `shapes` are offsets (V, 3) [m] of the rest points by name (morph
    targets), `extras` what a file brought along that Supple hands on and does not use. `materials` are what it looks
    like, and `material_of_triangle` (T,) says which of them a triangle wears (-1 for none; not given, all wear the
    first).
    """

    points: FloatArray
    triangles: IntArray
    skeleton: Skeleton
    weights: Weights | None = None
    name: str = field(default="character", kw_only=True)
    maps: Mapping[str, FloatArray] = field(default_factory=dict, kw_only=True)
    parts: Mapping[str, IntArray] = field(default_factory=dict, kw_only=True)
    motions: Mapping[str, Motion] = field(default_factory=dict, kw_only=True)
    polygons: IntArray | None = field(default=None, kw_only=True)
    display: Display | None = field(default=None, kw_only=True)
    shapes: Mapping[str, FloatArray] = field(default_factory=dict, kw_only=True)
    extras: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    materials: Sequence[Material] = field(default=(), kw_only=True)
    material_of_triangle: IntArray | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        points = frozen(self.points, np.float64, (-1, 3), _WHERE, "points")
        triangles = frozen(self.triangles, np.int32, (-1, 3), _WHERE, "triangles")
        if len(points) == 0 or len(triangles) == 0:
            raise InputError(
                _WHERE,
                f"the mesh has {len(points)} points and {len(triangles)} triangles",
                "at least one triangle is needed",
                "check that the mesh was exported and not hidden",
            )
        _check_indices(triangles, len(points), _WHERE, "triangles", "points")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "triangles", triangles)
        if self.weights is not None:
            self._check_weights(self.weights)
        self._freeze_maps()
        self._freeze_shapes()
        object.__setattr__(self, "extras", MappingProxyType(dict(self.extras)))
        self._freeze_parts()
        self._check_motions()
        if self.polygons is not None:
            self._freeze_polygons(self.polygons)
        if self.display is not None:
            self._check_display(self.display)
        materials, worn = checked(self.materials, self.material_of_triangle, len(triangles), _WHERE)
        object.__setattr__(self, "materials", materials)
        object.__setattr__(self, "material_of_triangle", worn)

    def __reduce__(self) -> Any:
        """Can be pickled, to be handed to another process."""
        return by_fields(self)

    def _check_weights(self, weights: Weights) -> None:
        if len(weights) != len(self.points):
            raise InputError(
                _WHERE,
                f"there are weights for {len(weights)} vertices",
                f"the mesh has {len(self.points)}",
                "pass one row of weights per control point",
            )
        joints = len(self.skeleton)
        used = weights.joints[weights.values > 0.0]
        if used.size and used.max() >= joints:
            raise InputError(
                _WHERE,
                f"weights name joint {used.max()}",
                f"the skeleton has {joints} joints (0 to {joints - 1})",
                "re-export with all joints, or load with repair=True",
            )

    def _freeze_maps(self) -> None:
        shape = (len(self.points),)
        maps = {
            str(name): frozen(values, np.float64, shape, _WHERE, f"map {name!r}") for name, values in self.maps.items()
        }
        object.__setattr__(self, "maps", MappingProxyType(maps))

    def _freeze_shapes(self) -> None:
        shapes = {
            str(name): frozen(offsets, np.float64, self.points.shape, _WHERE, f"shape {name!r}")
            for name, offsets in self.shapes.items()
        }
        object.__setattr__(self, "shapes", MappingProxyType(shapes))

    def _freeze_parts(self) -> None:
        parts = {}
        for name, vertices in self.parts.items():
            index = frozen(vertices, np.int32, (-1,), _WHERE, f"part {name!r}")
            _check_indices(index, len(self.points), _WHERE, f"part {name!r}", "points")
            parts[str(name)] = index
        object.__setattr__(self, "parts", MappingProxyType(parts))

    def _check_motions(self) -> None:
        for motion in self.motions.values():
            motion.check_fits(self.skeleton)
        object.__setattr__(self, "motions", MappingProxyType(dict(self.motions)))

    def _freeze_polygons(self, given: IntArray) -> None:
        polygons = frozen(given, np.int32, (-1, 4), _WHERE, "polygons")
        _check_indices(polygons[:, :3], len(self.points), _WHERE, "polygons", "points")
        _check_indices(np.maximum(polygons[:, 3], 0), len(self.points), _WHERE, "polygons", "points")
        pieces = int(np.where(polygons[:, 3] >= 0, 2, 1).sum())
        if pieces != len(self.triangles):
            raise InputError(
                _WHERE,
                f"polygons make {pieces} triangles",
                f"there are {len(self.triangles)}",
                "triangulate them with supple.geometry.topology.triangulate",
            )
        object.__setattr__(self, "polygons", polygons)

    def _check_display(self, display: Display) -> None:
        _check_indices(display.control_points, len(self.points), "Display", "control_points", "points")
        if not np.array_equal(display.control_points[display.triangles], self.triangles):
            raise InputError(
                "Display",
                "its triangles do not lie on the character's",
                "display triangle t must draw triangle t",
                "build both from the same faces",
            )

    def __repr__(self) -> str:
        counts = {
            "maps": len(self.maps),
            "parts": len(self.parts),
            "motions": len(self.motions),
            "shapes": len(self.shapes),
            "materials": len(self.materials),
        }
        extras = [f"{count} {what}" for what, count in counts.items() if count]
        influences = f"{self.weights.influences} influences" if self.weights is not None else "no weights"
        body = f"{len(self.points)} points, {len(self.triangles)} triangles, {len(self.skeleton)} joints, {influences}"
        return f"Character({self.name!r}: {', '.join([body, *extras])})"

    @cached_property
    def size(self) -> FloatArray:
        """Sides of the box around the rest mesh [m]."""
        return np.ptp(self.points, axis=0)

    @property
    def height(self) -> float:
        """How tall the character stands at rest [m]."""
        return float(self.size[1])

    @cached_property
    def anatomy(self) -> SkinAnatomy:
        """What the skin is made of: how thick, leaf, rigid and soft it is, and which shells lie on which."""
        from supple.character.anatomy.skin_anatomy import find_anatomy

        return find_anatomy(self)

    @cached_property
    def joint_limits(self) -> Mapping[str, JointLimit]:
        """How far each joint turns, by anatomy and by what the motions of the character show; roots have none."""
        from supple.character.anatomy.joint_limits import find_joint_limits

        chosen = list(self.motions.values())[:_TELLING]
        times = [np.linspace(0.0, motion.duration, _SAMPLED) for motion in chosen]
        poses = [
            np.stack([motion.sample(float(time)).world_from_joint for time in when])
            for motion, when in zip(chosen, times, strict=True)
        ]
        return find_joint_limits(self.skeleton, poses)

    @cached_property
    def body_shape(self) -> BodyShape:
        """What of its anatomy no painted map changes; found once, for all characters of the same mesh and bones."""
        from supple.character.anatomy.skin_anatomy import find_body_shape

        return find_body_shape(self)

    def replace(self, **changes: Any) -> Character:
        """Another character that differs in the named fields and shares the rest."""
        other = replace(self, **changes)
        same = all(getattr(other, name) is getattr(self, name) for name in _OF_SHAPE)
        for name in ("size", "body_shape"):
            if same and name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    def vertices_of(self, part: str) -> IntArray:
        """The vertices of a named part."""
        if part in self.parts:
            return self.parts[part]
        known = ", ".join(self.parts) or "none"
        raise InputError(_WHERE, f"part {part!r} was asked for", f"{self.name} has {known}", "use one of its parts")

    def map_of(self, name: str) -> FloatArray:
        """The values (V,) of a painted map."""
        if name in self.maps:
            return self.maps[name]
        known = ", ".join(self.maps) or "none"
        raise InputError(_WHERE, f"map {name!r} was asked for", f"{self.name} has {known}", "use one of its maps")

    def require_weights(self, where: str) -> Weights:
        """The weights, or a sentence that says how to get some."""
        if self.weights is None:
            raise InputError(
                where,
                f"{self.name} has no skin weights",
                "this skin blends joints by weights",
                "make some with character.replace(weights=supple.automatic_weights(character))",
            )
        return self.weights


def _check_indices(indices: IntArray, count: int, where: str, what: str, of: str) -> None:
    if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= count):
        worst = int(indices.min()) if int(indices.min()) < 0 else int(indices.max())
        raise InputError(
            where, f"{what} name number {worst}", f"there are {count} {of} (0 to {count - 1})", "drop or renumber it"
        )
