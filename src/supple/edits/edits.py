"""All edits of one character: drawn shapes, poses, strokes, and the layers that play them over time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.edits.layers import Layer, audible, total_amounts
from supple.edits.pose_edit import PoseEdit
from supple.edits.spring_edit import passive_firmness
from supple.edits.strokes.stroke import Stroke
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource
from supple.skins.springs.binding import EDIT_PREFIX, FIRM_PREFIX, HOLD_PREFIX

_WHERE = "Edits"
_LEAST_RATE = 24.0  # keys a second: fewer would not show the easing between an edit's keys


@dataclass(frozen=True, eq=False)
class Edits:
    """Everything drawn on one character of `vertices` vertices. Frozen: `with_...` gives another one.

    `shapes` and `poses` are what layers name in their keys, and no name stands in both; `strokes` (curves in space) and
    `surface_strokes` (lines drawn on the skin) are kept for going on with them. Surface and skeleton layers do not get
    in each other's way: shapes change the skin at rest, poses the joints, so their order is of no account.
    """

    vertices: int
    shapes: Mapping[str, SurfaceEdit] = field(default_factory=dict)
    poses: Mapping[str, PoseEdit] = field(default_factory=dict)
    layers: tuple[Layer, ...] = ()
    strokes: Mapping[str, Stroke] = field(default_factory=dict)
    surface_strokes: Mapping[str, SurfaceStroke] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("shapes", "poses", "strokes", "surface_strokes"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        object.__setattr__(self, "layers", tuple(self.layers))
        for name, edit in self.shapes.items():
            if len(edit.vertices) and edit.vertices[-1] >= self.vertices:
                raise InputError(
                    f"{_WHERE}: shape {name!r}",
                    f"it moves vertex {edit.vertices[-1]}",
                    f"there are {self.vertices} vertices",
                    "draw it on this character",
                )
        twice = [name for name in self.shapes if name in self.poses]
        if twice:
            raise InputError(_WHERE, f"{twice[0]!r} is a shape and a pose", "names must differ", "rename one")
        names = [layer.name for layer in self.layers]
        if len(set(names)) != len(names):
            raise InputError(_WHERE, f"layers are called {', '.join(names)}", "names must differ", "rename one")
        for layer in self.layers:
            lost = [use for use in layer.uses if use not in self.shapes and use not in self.poses]
            if lost:
                raise InputError(
                    f"{_WHERE}: layer {layer.name!r}",
                    f"a key uses {lost[0]!r}",
                    "no shape or pose has that name",
                    "add it before the layer",
                )

    @classmethod
    def of(cls, character: Character) -> Edits:
        """No edits yet."""
        return cls(len(character.points))

    def with_shape(self, name: str, edit: SurfaceEdit) -> Edits:
        """With a drawn shape, new or in place of the one that had its name."""
        return replace(self, shapes={**self.shapes, name: edit})

    def with_pose(self, name: str, edit: PoseEdit) -> Edits:
        """With a pose, new or in place of the one that had its name."""
        return replace(self, poses={**self.poses, name: edit})

    def with_layer(self, layer: Layer) -> Edits:
        """With a layer, last, or in place of the one that had its name."""
        known = [layer if one.name == layer.name else one for one in self.layers]
        return replace(self, layers=tuple(known if layer in known else [*known, layer]))

    def with_stroke(self, name: str, stroke: Stroke | SurfaceStroke) -> Edits:
        """With a stroke, new or in place of the one of its kind that had its name."""
        if isinstance(stroke, SurfaceStroke):
            return replace(self, surface_strokes={**self.surface_strokes, name: stroke})
        return replace(self, strokes={**self.strokes, name: stroke})

    def without_shape(self, name: str) -> Edits:
        """Without a drawn shape, which no layer may use."""
        self._check_unused(name, self.shapes, "shape")
        return replace(self, shapes={known: edit for known, edit in self.shapes.items() if known != name})

    def without_pose(self, name: str) -> Edits:
        """Without a pose, which no layer may use."""
        self._check_unused(name, self.poses, "pose")
        return replace(self, poses={known: edit for known, edit in self.poses.items() if known != name})

    def without_stroke(self, name: str) -> Edits:
        """Without the stroke, in space or on the skin, that has a name; where both have it, without both."""
        _check_there(name, {**self.strokes, **self.surface_strokes}, "stroke")
        return replace(
            self,
            strokes={known: stroke for known, stroke in self.strokes.items() if known != name},
            surface_strokes={known: stroke for known, stroke in self.surface_strokes.items() if known != name},
        )

    def _check_unused(self, name: str, known: Mapping[str, Any], what: str) -> None:
        _check_there(name, known, what)
        users = [layer.name for layer in self.layers if name in layer.uses]
        if users:
            given = f"{what} {name!r} was to go"
            raise InputError(_WHERE, given, f"layer {users[0]!r} uses it", "take that layer or its keys away first")

    def without_layer(self, name: str) -> Edits:
        """Without a layer; its shapes and poses stay."""
        _check_there(name, {layer.name: layer for layer in self.layers}, "layer")
        return replace(self, layers=tuple(layer for layer in self.layers if layer.name != name))

    def check_fits(self, character: Character) -> None:
        """Refuse a character that these edits were not drawn on."""
        if len(character.points) != self.vertices:
            raise InputError(
                _WHERE,
                f"they were drawn on {self.vertices} vertices",
                f"{character.name} has {len(character.points)}",
                "use the character they belong to, made or loaded as it was then",
            )
        for name, edit in self.poses.items():
            edit.check_fits(character.skeleton, f"{_WHERE}: pose {name!r}")
        for stroke in self.surface_strokes.values():
            stroke.check_fits(character.triangles)

    def amounts(self, time: float, *, period: float | None = None) -> dict[str, float]:
        """How much there is of each shape and pose that layers use, at a time [s].

        With the `period` [s] of a motion that loops, layers start over with it, save those that repeat by themselves
        or outlast it.
        """
        return total_amounts(self.layers, time, period=period)

    @property
    def used_shapes(self) -> dict[str, SurfaceEdit]:
        """The shapes that layers use, which are those that a character carries."""
        uses = {use for layer in self.layers for use in layer.uses}
        return {name: edit for name, edit in self.shapes.items() if name in uses}

    def dresses_as(self, other: Edits | None) -> bool:
        """Whether `on_character` makes the same of a character as it does with other edits, or with none."""
        return self._dress() == (Edits(self.vertices) if other is None else other)._dress()

    def _dress(self) -> tuple[Any, ...]:
        shapes = tuple((name, id(edit)) for name, edit in self.used_shapes.items())
        return shapes, [(name, self._firmness_of(name)) for name in self.used_shapes]

    def on_character(self, character: Character) -> Character:
        """The character with the shapes of its layers among its own, so that every skin knows them.

        Maps tell spring rigs where layers are firm and what edits hold. Without layers it is the same character.
        """
        self.check_fits(character)
        used = self.used_shapes
        if not used:
            return character
        taken = [name for name in used if EDIT_PREFIX + name in character.shapes]
        if taken:
            raise InputError(
                _WHERE,
                f"{character.name} has shape {EDIT_PREFIX + taken[0]!r} already",
                "edits are put on a character once",
                "start from the character without them",
            )
        shapes = {EDIT_PREFIX + name: edit.dense(self.vertices) for name, edit in used.items()}
        maps = dict(character.maps)
        for name in used:
            maps.update(self._maps_of(name, character))
        return character.replace(shapes={**character.shapes, **shapes}, maps=maps)

    def _firmness_of(self, name: str) -> float:
        """How many times as hard springs pull towards a shape: what layers that use it say, all together."""
        return math.prod(layer.firmness for layer in audible(self.layers) if name in layer.uses)

    def _maps_of(self, name: str, character: Character) -> dict[str, FloatArray]:
        """What spring rigs are told about a shape (V,): what it holds, and how firm springs to the bone are with it.

        Firm layers are firm where they move the skin, in full from half of their largest move on. An edit that holds
        handles lets go of the bone in its region.
        """
        edit, firmness, found = self.shapes[name], self._firmness_of(name), {}
        firm = np.ones(self.vertices)
        if edit.handles is not None:
            hold = np.zeros(self.vertices)
            hold[edit.handles] = edit.stiffness
            found[HOLD_PREFIX + EDIT_PREFIX + name] = hold
            firm *= passive_firmness(character, edit)
        if firmness != 1.0:
            size = np.linalg.norm(edit.dense(self.vertices), axis=1)
            weight = np.clip(2.0 * size / max(float(size.max()), 1e-300), 0.0, 1.0)
            firm *= firmness**weight if firmness > 0.0 else 1.0 - weight
        if (firm != 1.0).any():
            found[FIRM_PREFIX + EDIT_PREFIX + name] = firm
        return found

    def on_pose(self, skeleton: Skeleton, pose: Pose, time: float, *, period: float | None = None) -> Pose:
        """A pose as it is with all layers at a time [s] (`amounts`); for a character that `on_character` made."""
        amounts = self.amounts(time, period=period)
        for name, amount in amounts.items():
            if name in self.poses and amount != 0.0:
                pose = self.poses[name].on(skeleton, pose, amount=amount)
        shapes = {EDIT_PREFIX + name: amount for name, amount in amounts.items() if name in self.shapes}
        return Pose(pose.world_from_joint, shapes={**pose.shapes, **shapes}) if shapes else pose

    def on_motion(self, motion: Motion, *, seconds: float | None = None) -> Motion:
        """The motion with poses on top and with the amounts of all shapes; without layers it is the same motion.

        Layers run on the motion's own time, and start over with it where it loops, but for those that repeat by
        themselves or outlast it. `seconds` makes it longer or shorter: a motion that loops goes on, any other holds its
        last key.
        """
        period = loop_of(motion)
        if seconds is not None:
            motion = _with_duration(motion, seconds)
        if not self.layers:
            return motion
        if motion.fps < _LEAST_RATE and motion.frames > 1:
            motion = motion.resampled(motion.fps * math.ceil(_LEAST_RATE / motion.fps))
        amounts = [self.amounts(float(time), period=period) for time in motion.times]
        shapes: dict[str, FloatArray] = dict(motion.shapes)
        moves, rotations, scales = motion.translations, motion.rotations, motion.scales
        for name in amounts[0]:
            over_time = np.array([found[name] for found in amounts])
            if name in self.shapes:
                shapes[EDIT_PREFIX + name] = over_time
            else:
                edit = self.poses[name]
                edit.check_fits(motion.skeleton, f"{_WHERE}: pose {name!r}")
                rotations = edit.rotate(rotations, motion.skeleton, over_time)
                moves = edit.translate(moves, motion.skeleton, over_time)
                if edit.sizes:
                    scales = edit.resize(np.ones_like(moves) if scales is None else scales, motion.skeleton, over_time)
        return motion.replace(translations=moves, rotations=rotations, scales=scales, shapes=shapes)

    def on_source(self, source: PoseSource) -> EditedSource:
        """Any source of poses, such as a live one, with all layers on top."""
        return EditedSource(self, source)

    def on(self, character: Character, motion: Motion, *, seconds: float | None = None) -> tuple[Character, Motion]:
        """Character and motion with all edits, for any skin, player or bake."""
        return self.on_character(character), self.on_motion(motion, seconds=seconds)


@dataclass(frozen=True, eq=False)
class EditedSource:
    """A source of poses with edits on top of it."""

    edits: Edits
    source: PoseSource

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self.source.skeleton

    def sample(self, time: float) -> Pose:
        """The pose at `time` [s], with all layers as they are then."""
        return self.edits.on_pose(self.skeleton, self.source.sample(time), time, period=loop_of(self.source))

    def amounts(self, time: float) -> dict[str, float]:
        """How much there is of each shape and pose at `time` [s]."""
        return self.edits.amounts(time, period=loop_of(self.source))


def loop_of(source: PoseSource) -> float | None:
    """After how many seconds a source starts over, if it is a motion that loops."""
    return source.duration if isinstance(source, Motion) and source.loop and source.duration > 0.0 else None


def _check_there(name: str, known: Mapping[str, Any], what: str) -> None:
    if name not in known:
        there = ", ".join(known) or "none"
        raise InputError(_WHERE, f"{what} {name!r} was to go", f"there are {there}", "name one of those")


def _with_duration(motion: Motion, seconds: float) -> Motion:
    if not (np.isfinite(seconds) and 0.0 <= seconds <= 1e5):
        raise InputError(_WHERE, f"seconds is {seconds}", "0 to 100000 are needed", "pass how long it is to last")
    rate = max(motion.fps, _LEAST_RATE)
    return Motion.from_poses(motion.skeleton, motion.sample, seconds=seconds, fps=rate, name=motion.name)
