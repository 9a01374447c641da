"""Edits as forces: handles are drawn to where they were put, and the springs of their region take the rest along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.skins.springs.binding import EDIT_PREFIX, FIRM_PREFIX, HOLD_PREFIX

_ROOM = 2.5  # of the largest move of an edit: skin is held back from half of its room on

if TYPE_CHECKING:
    from supple.skins.springs.state import Springs


@dataclass(frozen=True, eq=False)
class EditPull:
    """What one edit does to springs while there is all of it.

    It draws its `handles` (H,) by `offsets` (H, 3) [m], in the axes of the rest pose, with a `stiffness` (H,) that
    counts that of all other springs there as 1, and multiplies springs to the bone by `firmness` (V,).
    """

    handles: IntArray
    offsets: FloatArray
    stiffness: FloatArray
    firmness: FloatArray | None

    @classmethod
    def from_character(cls, character: Character, shape: str) -> EditPull | None:
        """What maps of a character say about one of its shapes; None where there is nothing."""
        hold, firmness = (character.maps.get(prefix + shape) for prefix in (HOLD_PREFIX, FIRM_PREFIX))
        if hold is None and firmness is None:
            return None
        handles = np.empty(0, dtype=np.int32) if hold is None else np.flatnonzero(hold > 0.0).astype(np.int32)
        stiffness = np.empty(0) if hold is None else hold[handles]
        return cls(handles, character.shapes[shape][handles], stiffness, firmness)

    @property
    def rooms(self) -> FloatArray:
        """How much farther (V,) [m] than usual skin may go from where it hangs, where an edit lets go of the bone."""
        assert self.firmness is not None
        largest = float(np.linalg.norm(self.offsets, axis=1).max(initial=0.0))
        return _ROOM * largest * (1.0 - np.minimum(self.firmness, 1.0))


class EditPulls:
    """The external forces F_e = k (target - x) of all edits of one state [Toothman2020, Sec. 5.2].

    Forces, and what edits do to springs to the bone, follow how much there is of each: of an edit that is not there,
    nothing is left.
    """

    def __init__(self, springs: Springs) -> None:
        character = springs.binding.attached_skin.character
        found = {name: EditPull.from_character(character, name) for name in character.shapes}
        self._pulls = {name: one for name, one in found.items() if one is not None and name.startswith(EDIT_PREFIX)}
        self._springs = springs
        self._amounts: dict[str, float] | None = None if self._pulls else {}
        if not self._pulls:
            self._write({})

    @property
    def are_on(self) -> bool:
        """Whether any edit is there in the pose that springs are in."""
        return bool(self._amounts)

    def set_amounts(self, shapes: Mapping[str, float]) -> None:
        """Take the shares of a pose that springs are in, and draw from where that pose has the skin."""
        amounts = {name: shapes[name] for name in self._pulls if shapes.get(name, 0.0) != 0.0}
        if amounts != self._amounts:
            self._write(amounts)
            self._amounts = amounts
        if amounts:
            self._springs.attached.rotate_edit_offsets()
            self._springs.set_targets()

    def _write(self, amounts: Mapping[str, float]) -> None:
        """Bring to the device what these shares of edits do; where several hold a vertex, each counts by its force."""
        springs = self._springs
        holds, anchors = np.zeros(springs.count), np.ones(springs.count)
        offsets, rooms = np.zeros((springs.count, 3)), np.zeros(springs.count)
        for name, amount in amounts.items():
            pull, there = self._pulls[name], min(abs(amount), 1.0)
            own = there * pull.stiffness
            holds[pull.handles] += own
            offsets[pull.handles] += (own * amount)[:, None] * pull.offsets
            if pull.firmness is not None:
                anchors *= 1.0 + there * (pull.firmness - 1.0)
                rooms += abs(amount) * pull.rooms
        offsets /= np.where(holds > 0.0, holds, 1.0)[:, None]
        devices.write(springs.attached.edit_offsets, offsets)
        devices.write(springs.all.holds, holds * np.maximum(springs.tuned.total, 1e-12))
        devices.write(springs.all.anchors, anchors)
        devices.write(springs.all.edit_rooms, rooms)
