"""What people write about a soft character: its tissues by part, its strength and its limits by joint."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from supple.arrays import Floats
from supple.character.character import Character
from supple.character.regions import RegionText
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.skins.contact.model.elasticity import TISSUES, Tissue
from supple.skins.contact.model.flesh import WHERE

OWN = "own"
AUTO = "auto"
STRENGTH = RegionText(WHERE, "strength", "strength")
_HALF_IN = 0.5  # a vertex is of a region that has at least this much of it
_FOLDED = 2.5  # [rad]: how far a hinge folds, where nobody says
_TURNED = 1.0  # [rad]: how far a ball turns, where nobody says


def parse_tissues(text: str, own: Tissue) -> tuple[Tissue, dict[str, Tissue]]:
    """The tissue of all flesh and of regions by name: "muscle, belly=fat"; `own` is called "own"."""
    known = {**TISSUES, OWN: own}
    everywhere, regions = TISSUES["muscle"], {}
    for index, piece in enumerate(_pieces(text)):
        name, equals, tissue = (part.strip() for part in piece.rpartition("="))
        if tissue not in known or (equals and not name) or (index > 0 and not equals):
            raise InputError(
                WHERE,
                f"flesh has {piece!r}",
                f"TISSUE or REGION=TISSUE is needed, with {', '.join(known)}",
                "write for example: muscle, belly=fat",
            )
        if equals:
            regions[name] = known[tissue]
        else:
            everywhere = known[tissue]
    return everywhere, regions


def with_regions(character: Character, names: list[str]) -> Character:
    """The character with these regions as parts: maps and lists of vertices become parts of that name."""
    ask = RegionText(WHERE, "flesh", "tissue")
    found = {name: np.flatnonzero(ask.marked(character, name) >= _HALF_IN) for name in names}
    for name, vertices in found.items():
        if not len(vertices):
            raise InputError(WHERE, f"flesh names {name!r}", "there is none of it on this character", "leave it out")
    return character.replace(parts={**character.parts, **found}) if found else character


def parse_strengths(text: str, skeleton: Skeleton) -> tuple[float, dict[str, float]]:
    """The strength of all joints and of some by name: "0.7, LeftArm=0.2"; a name counts for all that hangs on it."""
    everywhere, named = STRENGTH.default_and_regions(text)
    if everywhere is None:
        raise InputError(
            WHERE,
            f"strength is {text!r}",
            "it begins with a number from 0 (limp) to 1 (rigid)",
            "write for example: 0.7, LeftArm=0.2",
        )
    by_joint: dict[str, float] = {}
    for name, strength in named:
        by_joint |= {skeleton.names[joint]: strength for joint in below(skeleton, skeleton.index(name))}
    return everywhere, by_joint


def below(skeleton: Skeleton, joint: int) -> list[int]:
    """A joint and all that hang on it."""
    found = [joint]
    for one in found:
        found.extend(int(child) for child in skeleton.children(one))
    return found


def parse_limits(text: str) -> tuple[str | tuple[float, float] | None, dict[str, tuple[float, float]]]:
    """Limits [rad] from rest: "auto", "1.2" for all joints, "LeftForeArm=-0.1:2.4" for one; nothing for none."""
    everywhere: str | tuple[float, float] | None = None
    named: dict[str, tuple[float, float]] = {}
    for index, piece in enumerate(_pieces(text)):
        name, equals, span = (part.strip() for part in piece.rpartition("="))
        if index == 0 and not equals:
            everywhere = AUTO if span.lower() == AUTO else _span(piece, span)
        elif name:
            named[name] = _span(piece, span)
        else:
            raise _unclear(piece)
    return everywhere, named


def joint_limits(text: str, skeleton: Skeleton, axes: Mapping[str, Floats]) -> dict[str, tuple[float, float]]:
    """Limits (low, high) [rad] by joint. Automatic ones let hinges (`axes`) fold and not bend back beyond straight."""
    everywhere, named = parse_limits(text)
    found: dict[str, tuple[float, float]] = {}
    for joint, name in enumerate(skeleton.names):
        if isinstance(everywhere, tuple):
            found[name] = everywhere
        elif everywhere == AUTO:
            found[name] = (-_bent(skeleton, joint), _FOLDED) if name in axes else (-_TURNED, _TURNED)
    for name in named:
        skeleton.index(name)
    return {**found, **named}


def _bent(skeleton: Skeleton, joint: int) -> float:
    """How far a joint is bent at rest [rad]."""
    ends = skeleton.bones.ends[skeleton.bones.joints == joint]
    along = quaternions.normalize(ends[0] - skeleton.heads[joint])
    before = quaternions.normalize(skeleton.heads[joint] - skeleton.heads[skeleton.parents[joint]])
    return math.acos(min(max(float(along @ before), -1.0), 1.0))


def _span(piece: str, text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        ends = (float(low), float(high)) if colon else (-float(low), float(low))
    except ValueError:
        raise _unclear(piece) from None
    if not -math.pi < ends[0] <= 0.0 <= ends[1] < math.pi:
        raise _unclear(piece)
    return ends


def _unclear(piece: str) -> InputError:
    return InputError(
        WHERE,
        f"limits has {piece!r}",
        "auto, ANGLE, JOINT=ANGLE or JOINT=LOW:HIGH is needed, -pi < LOW <= 0 <= HIGH < pi",
        "angles are radians from rest, such as LeftForeArm=-0.1:2.4",
    )


def _pieces(text: str) -> list[str]:
    return [piece for piece in (piece.strip() for piece in text.split(",")) if piece]
