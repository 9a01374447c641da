"""What contacts remember from step to step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class ContactMemory:
    """What contacts remember from step to step.

    `plane_of` and `face_of` (C P,) on the device say which joint's plane and which face each particle is held off,
    -1 for none, `firmness` (C P,) how firmly, 0 to 1 for either, and `on_side` (C, 2 K) how many each side of a plane
    has. `angles` (C, R) [rad], there too, are those of the last step, and `steps` counts the steps so far.
    """

    plane_of: Any
    face_of: Any
    firmness: Any
    on_side: Any
    angles: Any
    steps: int = 0
