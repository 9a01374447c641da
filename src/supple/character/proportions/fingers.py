"""The fingers of a rig: which joints are the knuckle, those after it, and the tip, however the rig names them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.character.anatomy.names import FINGERS, finger_of, words_of
from supple.character.character import Character
from supple.character.proportions.measurements import HANDS, Proportions
from supple.character.skeleton import Skeleton

_PLACES = ("metacarpal", "proximal", "intermediate", "distal", "tip")
_TIPS = ("tip", "end", "nub", "leaf", "site")
_UNMOVED = 1e-3  # of a vertex in all: what a joint at a tip moves at most


@dataclass(frozen=True)
class Finger:
    """One finger: its name, such as "left index", what it is measured as, its joints from the knuckle on, and its tip.

    `tip` is the number of the joint at the tip, or None where the finger ends in skin.
    """

    name: str
    limb: str
    joints: tuple[int, ...]
    tip: int | None


def find_fingers(character: Character, *, measured: Proportions = HANDS) -> tuple[Finger, ...]:
    """All fingers that the names of joints tell, with as many joints as were measured; others are left out.

    Names may be numbered (Mixamo, Unreal), or say metacarpal, proximal, intermediate, distal and tip (VRM, WebXR). A
    joint at the end that is called a tip, or that has a number and moves no skin, is the tip. Metacarpals do not count:
    of a finger with more joints than were measured the last ones are taken, so a thumb that is counted from the wrist
    is told from one that ends in a tip. A rig of one hand needs no word for its side.
    """
    skeleton = character.skeleton
    moved = np.zeros(len(skeleton))
    if character.weights is not None:
        np.add.at(moved, character.weights.joints, character.weights.values)
    depth = np.zeros(len(skeleton), dtype=np.int32)
    for level, joints in enumerate(skeleton.levels):
        depth[joints] = level
    chains: dict[tuple[str, str], list[int]] = {}
    for joint in sorted(range(len(skeleton)), key=lambda one: (int(depth[one]), one)):
        named = finger_of(skeleton.names[joint])
        if named is not None:
            chains.setdefault(named, []).append(joint)
    found = []
    for (side, limb), chain in sorted(chains.items(), key=lambda item: (item[0][0], FINGERS.index(item[0][1]))):
        wanted = len(measured.statistics(limb)) if limb in measured.limbs else 0
        line = _in_order(skeleton, chain)
        places = [_place(skeleton.names[joint]) for joint in line]
        tip = None
        if line and (
            _is_tip(skeleton.names[line[-1]])
            or (places[-1] is None and moved.any() and moved[line[-1]] < _UNMOVED)
            or (places[-1] is None and len(line) > wanted + (limb == "thumb"))
        ):
            tip = line.pop()
        elif line and len(below := skeleton.children(line[-1])):
            tip = int(below[0])
        if wanted and len(line) >= wanted:
            found.append(Finger(f"{side} {limb}".strip(), limb, tuple(line[len(line) - wanted :]), tip))
    return tuple(found)


def _in_order(skeleton: Skeleton, chain: list[int]) -> list[int]:
    """The joints of a finger from the knuckle on: by words where all have them, else one below the other."""
    places = {joint: _place(skeleton.names[joint]) for joint in chain}
    if all(place is not None for place in places.values()):
        return sorted((joint for joint in chain if places[joint]), key=lambda joint: (places[joint] or 0, joint))
    line = chain[:1]
    for joint in chain[1:]:
        above = int(skeleton.parents[joint])
        while above >= 0 and above != line[-1]:
            above = int(skeleton.parents[above])
        if above == line[-1]:
            line.append(joint)
    return [joint for joint in line if places[joint] != 0]


def _place(name: str) -> int | None:
    """Which joint of a finger a word of anatomy says, 0 for its metacarpal; None where there is none."""
    words = words_of(name)
    return next((number for number, word in enumerate(_PLACES) if word in words), None)


def _is_tip(name: str) -> bool:
    return any(word in _TIPS for word in words_of(name))
