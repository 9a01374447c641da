"""Which skin springs move: static vertices stay with the first stage, others are passive, or held."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.character.character import Character
from supple.errors import InputError
from supple.skins.springs.attachment.attachment import attach
from supple.skins.springs.binding import STATIC_MAP

_WHERE = "with_static_bones"


def with_static_bones(character: Character, joints: Sequence[str]) -> Character:
    """The character with the skin on the bones of these joints marked static, beside what is marked already."""
    skeleton = character.skeleton
    strange = [name for name in joints if name not in skeleton.names]
    if strange:
        there = ", ".join(skeleton.names[:6])
        raise InputError(_WHERE, f"{strange[0]!r} was named", f"joints are called {there}, ...", "name one of those")
    attachment = attach(character)
    named = np.isin(attachment.segments.joints, [skeleton.index(name) for name in joints])
    marked = character.maps.get(STATIC_MAP, np.zeros(len(character.points)))
    static = np.maximum(marked, named[attachment.segment])
    return character.replace(maps={**character.maps, STATIC_MAP: static})
