"""What people choose about a soft character, in groups, and what that means for the joints and regions of one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.anatomy.joint_limits import HINGE, JointLimit
from supple.character.character import Character
from supple.character.regions import RegionFinder
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.settings import ByName, Number, Settings, Span, by_name, setting
from supple.skins.contact.control.cues import read_cues, write_cues
from supple.skins.contact.kinematic_base import BASES
from supple.skins.contact.model.flesh import WHERE

OWN = "own"
AUTO = "auto"
STRENGTH = 0.7  # of joints that nobody names
_HALF_IN = 0.5  # a vertex is of a region that has at least this much of it
_FOLDED = 2.5  # [rad]: how far a hinge folds, where nobody says


@dataclass(frozen=True, kw_only=True)
class Layer(Settings):
    """How much of a body is flesh, and the skin that carries it; the rest goes with its bones."""

    base: str = setting("linear", "The kinematic skin below", choices=tuple(BASES))
    core: float = setting(0.4, "Share of the way from bone to skin that is bone", low=0.0, high=0.95)
    depth: float = setting(0.03, "How deep flesh is at most, as a share of the body's size", low=1e-3, high=1.0)


@dataclass(frozen=True, kw_only=True)
class Muscles(Settings):
    """How strongly joints and roots are drawn to where the motion has them."""

    strength: ByName[float] = by_name(
        STRENGTH,
        "Strength of the muscles from 0 (limp) to 1 (rigid), such as 0.7, LeftArm=0.2",
        Number(),
        names="joint",
    )
    root_strength: float = setting(
        0.9, "How strongly the root is led, from 0 (free) to 1 (as animated)", low=0.0, high=1.0
    )
    gravity_compensation: bool = setting(True, "Muscles carry the weight of the body, where its root is led")
    cues: str = setting("", "What happens when: 1.2 limp; 0.8 hit Spine 0 0 -30; 2..2.5 back; struck 400 limp 1.5")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cues", write_cues(read_cues(self.cues)))


@dataclass(frozen=True, kw_only=True)
class JointBounds(Settings):
    """How joints may turn."""

    hinges: str = setting(
        "none", "Whether elbows, knees and fingers turn about one axis without any play", choices=("none", "names")
    )
    limits: ByName[tuple[float, float] | str] = by_name(
        {},
        "How far joints turn from rest [rad]: auto (by anatomy), 1.2, LeftForeArm=-0.1:2.4",
        Span(words=(AUTO,)),
        names="joint",
    )
    joint_friction: float = setting(
        0.0, "Dry friction of limp joints, as a share of how hard their weight turns them", low=0.0, high=10.0
    )
    joint_damping: float = setting(2.0, "How fast limp joints lose their swing", unit="1/s", low=0.0, high=1e3)
    joint_stiffness: ByName[float] = by_name(
        0.0,
        "How strongly joints spring back to how they were modelled [1/s²], such as 20, Spine=200",
        Number(high=1e6),
        names="joint",
    )


def region_vertices(character: Character, names: Iterable[str]) -> dict[str, IntArray]:
    """The vertices of these regions, which are parts, maps or lists of vertices, by name."""
    ask = RegionFinder(WHERE, "flesh")
    return {name: np.flatnonzero(ask.marked(character, name) >= _HALF_IN).astype(np.int32) for name in names}


def with_regions(character: Character, names: Iterable[str]) -> Character:
    """The character with these regions as parts: maps and lists of vertices become parts of that name."""
    found = region_vertices(character, names)
    for name, vertices in found.items():
        if not len(vertices):
            raise InputError(WHERE, f"flesh names {name!r}", "there is none of it on this character", "leave it out")
    return character.replace(parts={**character.parts, **found}) if found else character


def joint_strengths(strength: ByName[float], skeleton: Skeleton) -> dict[str, float]:
    """The strength of joints that are named; a name counts for all that hangs on it."""
    by_joint: dict[str, float] = {}
    for name, value in strength.named.items():
        by_joint |= {skeleton.names[joint]: value for joint in _descendants(skeleton, skeleton.index(name))}
    return by_joint


def joint_springs(stiffness: ByName[float], skeleton: Skeleton, joints: Sequence[int]) -> FloatArray:
    """How strongly each of some joints springs back [1/s²]; a name counts for that joint alone."""
    for name in stiffness.named:
        skeleton.index(name)
    everywhere = stiffness.default or 0.0
    return np.array([stiffness.named.get(skeleton.names[joint], everywhere) for joint in joints])


def _descendants(skeleton: Skeleton, joint: int) -> list[int]:
    """A joint and all that hang on it."""
    found = [joint]
    for one in found:
        found.extend(int(child) for child in skeleton.children(one))
    return found


def hinge_axes(bounds: JointBounds, character: Character) -> dict[str, FloatArray]:
    """The axes of the joints that bend one way only, without any play, by name."""
    if bounds.hinges != "names":
        return {}
    return {name: limit.axis for name, limit in character.joint_limits.items() if limit.kind == HINGE}


def joint_limits(
    limits: ByName[tuple[float, float] | str], character: Character, axes: Mapping[str, FloatArray]
) -> tuple[dict[str, tuple[float, float]], dict[str, JointLimit]]:
    """Limits by joint: (low, high) [rad] where they are written down or of hinges (`axes`), and those by anatomy."""
    skeleton = character.skeleton
    for name in limits.named:
        skeleton.index(name)
    spans: dict[str, tuple[float, float]] = {}
    cones: dict[str, JointLimit] = {}
    for name in skeleton.names:
        span = limits.named.get(name, limits.default)
        if isinstance(span, tuple):
            spans[name] = span
        elif span == AUTO and name in character.joint_limits:
            limit = character.joint_limits[name]
            if name in axes:
                spans[name] = min(limit.low, 0.0), max(limit.high, 0.0)
            else:
                cones[name] = limit
    return spans, cones


def fold_range(skeleton: Skeleton, joint: int) -> tuple[float, float]:
    """How far [rad] a hinge unfolds and folds from rest: to straight, and as far as flesh lets it."""
    return -_bent(skeleton, joint), _FOLDED


def _bent(skeleton: Skeleton, joint: int) -> float:
    """How far a joint is bent at rest [rad]."""
    ends = skeleton.bones.ends[skeleton.bones.joints == joint]
    along = quaternions.normalize(ends[0] - skeleton.heads[joint])
    before = quaternions.normalize(skeleton.heads[joint] - skeleton.heads[skeleton.parents[joint]])
    return math.acos(min(max(float(along @ before), -1.0), 1.0))
