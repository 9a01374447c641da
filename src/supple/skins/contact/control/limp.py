"""Muscles that are let go of and taken up again, by the bone: strengths of joints as people write them."""

from __future__ import annotations

from supple.character.skeleton import Skeleton
from supple.settings.by_name import DEFAULT, ByName
from supple.skins.contact.settings import STRENGTH, joint_strengths


def is_limp(strength: ByName[float], skeleton: Skeleton, name: str) -> bool:
    """Whether the muscles of a joint do nothing, by itself or because it hangs on one that is limp."""
    return joint_strengths(strength, skeleton).get(name, _default(strength)) == 0.0


def toggle_limp(strength: ByName[float], skeleton: Skeleton, name: str) -> ByName[float]:
    """Strengths with a joint, and all that hangs on it, gone limp; or, if it is limp, with its strength again.

    A joint that is limp because of one that it hangs on has the strength of that whole limb again.
    """
    joint = skeleton.index(name)
    below = {skeleton.names[one] for one in skeleton.descendants(joint)}
    named = {other: value for other, value in strength.named.items() if other not in below}
    if not is_limp(strength, skeleton, name):
        return _with(strength, {**named, name: 0.0})
    above = {other for other, value in named.items() if value == 0.0 and _hangs_on(skeleton, joint, other)}
    rest = {other: value for other, value in named.items() if other not in above}
    return _with(strength, rest if _default(strength) > 0.0 else {**rest, name: STRENGTH})


def toggle_all_limp(strength: ByName[float]) -> ByName[float]:
    """Strengths with all joints gone limp; or, if they are, as strong as nobody says otherwise."""
    limp = _default(strength) == 0.0 and not any(strength.named.values())
    return ByName({DEFAULT: STRENGTH if limp else 0.0})


def _default(strength: ByName[float]) -> float:
    return STRENGTH if strength.default is None else strength.default


def _with(strength: ByName[float], named: dict[str, float]) -> ByName[float]:
    return ByName({DEFAULT: _default(strength), **named})


def _hangs_on(skeleton: Skeleton, joint: int, name: str) -> bool:
    return joint in skeleton.descendants(skeleton.index(name))
