"""What one skin carries on top of its own shape: offsets that hands hold, and jumps that fade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from supple.character.character import Character
from supple.skins.base import DevicePoints
from supple.skins.memory import Arrays, capture_arrays, restore_arrays
from supple.skins.pull import Pull
from supple.skins.secondary.easing import EasedJumps
from supple.skins.secondary.falloff import SurfaceGrips
from supple.skins.secondary.held_offsets import HeldOffsets


class SecondaryLayer:
    """Nothing, until a hand takes hold of the skin or the skin is changed; and nothing again when that has faded."""

    def __init__(self, character: Character, device: str) -> None:
        self._grips, self._count, self._device = SurfaceGrips(character), len(character.points), device
        self._held: HeldOffsets | None = None
        self._eased: EasedJumps | None = None

    def forget(self) -> None:
        """Be held by nobody, and show the skin as it is."""
        self._held, self._eased = None, None

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls and no others."""
        if self._held is None and pulls:
            self._held = self._make_held()
        if self._held is not None:
            self._held.hold(pulls)

    def show(self, points: DevicePoints, dt: float) -> DevicePoints:
        """The skin with what is on top of it, `dt` [s] after the last call: the same array where nothing is."""
        points = self.hold_still(points, dt)
        if self._eased is not None:
            if self._eased.at_rest:
                self._eased = None
            else:
                points = self._eased.advance(points, dt)
        return points

    def hold_still(self, points: DevicePoints, dt: float) -> DevicePoints:
        """The skin with what hands do to it, jumps and all."""
        if self._held is not None:
            if self._held.at_rest:
                self._held = None
            else:
                points = self._held.advance(points, dt)
        return points

    def take_up(self, before: DevicePoints, now: DevicePoints) -> None:
        """Go on from the skin as it was shown `before`, though by itself it is as `now` from now on."""
        if self._eased is None:
            self._eased = self._make_eased()
        self._eased.take_up(before, now)

    def snapshot(self, prefix: str) -> Arrays:
        """All that it remembers, as plain arrays."""
        return {
            name: array
            for part, one in self._parts(prefix).items()
            if one is not None
            for name, array in capture_arrays(one.memory, part).items()
        }

    def restore(self, prefix: str, kept: Arrays) -> None:
        """Remember again what `snapshot` kept; held by nobody."""
        self.forget()
        for part in self._parts(prefix):
            if any(name.startswith(part) for name in kept):
                one = self._make_eased() if part.endswith("eased") else self._make_held()
                restore_arrays(one.memory, part, kept)
                if isinstance(one, EasedJumps):
                    self._eased = one
                else:
                    self._held = one

    def take_after(self, other: SecondaryLayer) -> None:
        """Be held as another is, which has the same memory."""
        if self._held is not None and other._held is not None:
            self._held.take_after(other._held)

    def _parts(self, prefix: str) -> dict[str, Any]:
        return {f"{prefix}.held": self._held, f"{prefix}.eased": self._eased}

    def _make_held(self) -> HeldOffsets:
        return HeldOffsets(self._grips, self._count, self._device)

    def _make_eased(self) -> EasedJumps:
        return EasedJumps(self._count, self._grips.size, self._device)
