"""A skin that hands hold: a field of springs over it, by which what has no flesh gives way and swings back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.skins.base import DevicePoints
from supple.skins.pull import Pull, match_hands
from supple.skins.secondary.falloff import Grip, SurfaceGrips

_WHERE = "Pull"
_FREQUENCY = 4.0  # Hz: how fast skin swings that was let go
_DAMPING = 0.3
_LONGEST = 0.5  # of the character's size: how far skin can be drawn
_DEPTH = 0.03  # of the character's size: how deep the flesh is that a force moves
_DENSITY = 1000.0  # kg/m³
_FADED = 1e-9  # of an offset: what is left of it when nothing is
_SLOTS = 64  # vertices among which the place of one hand may lie
_ALONE = 0.05  # hands whose places differ less than this share are one hand


@dataclass
class OffsetMemory:
    """Free offsets and their velocities by vertex, what hands hold of them, and for how long [s] nobody has.

    `goals` (H, 3) [m] is where hands were told to be last, `moves` by how much farther that is than in the last step,
    and `events` what else they were told since.
    """

    free: Any
    velocities: Any
    hand_offsets: Any
    hand_velocities: Any
    hand_lags: Any
    hand_places: Any
    hand_carried: Any
    goals: FloatArray
    moves: FloatArray
    events: IntArray
    untouched: float = 0.0


class HeldOffsets:
    """Up to eight hands on a skin of any kind, each of which draws its place and what is around it along.

    Where a hand is, is seen from where the skin below has its place: one that goes along with the body is never late.
    """

    def __init__(self, grips: SurfaceGrips, count: int, device: str) -> None:
        from supple.skins.secondary import kernels

        wp, most = devices.warp(), kernels.HANDS
        self._kernels, self._surface, self._count, self._device = kernels, grips, count, device
        self._pulls: list[Pull | None] = [None] * most
        self._grips: dict[int, Grip] = {}
        self._dt = wp.zeros(1, dtype=wp.float32, device=device)
        self._falloffs = wp.zeros(count, dtype=kernels.vec8, device=device)
        self._shown = wp.zeros(count, dtype=wp.vec3f, device=device)
        self._hands = kernels.HandArrays()
        layout = (
            ("starts", wp.int32, most + 1),
            ("vertices", wp.int32, most * _SLOTS),
            ("barycentric", wp.float32, most * _SLOTS),
            ("holding", wp.int32, most),
            ("targets", wp.vec3f, most),
            ("residuals", wp.vec3f, most),
            ("offsets", wp.vec3f, most),
            ("velocities", wp.vec3f, most),
            ("inverse", wp.float32, (most, most)),
            ("accelerations", wp.vec3f, most),
            ("events", wp.int32, most),
            *((name, wp.vec3f, most) for name in ("moves", "places", "carried", "lags")),
        )
        for name, kind, shape in layout:
            setattr(self._hands, name, wp.zeros(shape, dtype=kind, device=device))
        self._swing = devices.fill_struct(
            kernels.Swing(),
            angular_frequency=2.0 * math.pi * _FREQUENCY,
            damping=_DAMPING,
            longest=_LONGEST * grips.size,
        )
        free, velocities = (wp.zeros(count, dtype=wp.vec3f, device=device) for _ in range(2))
        kept = ("offsets", "velocities", "lags", "places", "carried")
        hands = {f"hand_{name}": getattr(self._hands, name) for name in kept}
        goals, moves, events = np.zeros((most, 3)), np.zeros((most, 3)), np.zeros(most, dtype=np.int32)
        self.memory = OffsetMemory(free, velocities, **hands, goals=goals, moves=moves, events=events)
        self._recorded: tuple[DevicePoints, devices.Chain] | None = None

    @property
    def at_rest(self) -> bool:
        """Whether nobody holds it, and all that anybody held has swung back."""
        slowness = _DAMPING * 2.0 * math.pi * _FREQUENCY
        return not self._grips and self.memory.untouched * slowness > -math.log(_FADED)

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls and no others; a place that was held already stays in the same hand."""
        if len(pulls) > self._kernels.HANDS:
            most = self._kernels.HANDS
            raise InputError(_WHERE, f"{len(pulls)} hands pull", f"there are {most} hands", "let go of some")
        kept, new = match_hands(self._pulls, pulls)
        fresh: dict[int, Pull] = {}
        for pull in new:
            hand = kept.index(None)
            kept[hand], fresh[hand] = pull, pull
        grips = {hand: self._grip(pull) for hand, pull in fresh.items()}
        regripped = bool(grips) or any(kept[hand] is None for hand in self._grips)
        for hand in [hand for hand in self._grips if kept[hand] is None or hand in fresh]:
            self._let_go(hand)
        self._pulls = kept
        self._grips |= grips
        self._tell(regripped=regripped)
        if regripped:
            self._write_grips()
        self._write_goals()

    def _tell(self, *, regripped: bool) -> None:
        """Remember where hands shall be, and what is new about that."""
        from supple.skins import hand_kernels as events

        memory = self.memory
        for hand, pull in enumerate(self._pulls):
            if pull is None or pull.to is None:
                continue
            move = pull.vector - memory.goals[hand]
            memory.goals[hand] = pull.vector
            if regripped:
                memory.events[hand], memory.moves[hand] = events.CLOSED, 0.0
            elif move.any():
                memory.events[hand] = memory.events[hand] or events.MOVED
                memory.moves[hand] += move

    def _grip(self, pull: Pull) -> Grip:
        if len(pull.indices) > _SLOTS:
            raise InputError(
                _WHERE,
                f"a pull names {len(pull.indices)} vertices",
                f"it can hold {_SLOTS} at once",
                "name a few, and let the radius do the rest",
            )
        return self._surface.grip(pull)

    def _let_go(self, hand: int) -> None:
        """What the hand held swings freely from now on."""
        del self._grips[hand]
        memory = self.memory
        inputs = [hand, self._hands, self._falloffs, memory.free, memory.velocities]
        devices.Launch(self._kernels.release, self._count, inputs, self._device)()
        for array in (self._hands.offsets, self._hands.velocities):
            values = devices.to_host(array).copy()
            values[hand] = 0.0
            devices.write(array, values)

    def _write_goals(self) -> None:
        """Bring to the device where hands are wanted, and how hard they push."""
        most = self._kernels.HANDS
        targets, accelerations = np.zeros((most, 3)), np.zeros((most, 3))
        for hand, grip in self._grips.items():
            pull = self._held(hand)
            if pull.to is None:
                mass = _DENSITY * _DEPTH * self._surface.size * grip.area
                accelerations[hand] = pull.vector / max(mass, 1e-12)
            else:
                targets[hand] = pull.vector
        devices.write(self._hands.targets, targets)
        devices.write(self._hands.accelerations, accelerations)

    def _held(self, hand: int) -> Pull:
        pull = self._pulls[hand]
        assert pull is not None
        return pull

    def _write_grips(self) -> None:
        """Bring to the device what hands hold, and what brings all held places to their hands at once."""
        hands, most = self._hands, self._kernels.HANDS
        held = [hand for hand in self._grips if self._held(hand).to is not None]
        holding = np.isin(np.arange(most), held).astype(np.int32)
        falloffs, coupling = np.zeros((self._count, most), dtype=np.float32), np.zeros((most, most))
        for hand, grip in self._grips.items():
            falloffs[:, hand] = grip.falloff
        for hand in held:
            grip = self._grips[hand]
            coupling[hand, held] = grip.barycentric @ falloffs[grip.vertices][:, held]
        devices.write(hands.inverse, np.linalg.pinv(coupling, rcond=_ALONE))
        devices.write(hands.holding, holding)
        devices.write(self._falloffs, falloffs)
        counts = [len(self._grips[hand].vertices) if hand in self._grips else 0 for hand in range(most)]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        vertices, shares = np.zeros(most * _SLOTS, dtype=np.int32), np.zeros(most * _SLOTS)
        for hand, grip in self._grips.items():
            span = slice(starts[hand], starts[hand + 1])
            vertices[span], shares[span] = grip.vertices, grip.barycentric
        devices.write(hands.starts, starts)
        devices.write(hands.vertices, vertices)
        devices.write(hands.barycentric, shares)

    def advance(self, below: DevicePoints, dt: float) -> DevicePoints:
        """The skin `below` with all offsets, `dt` [s] later; overwritten by the next call."""
        from supple.skins.hand_kernels import UNCHANGED

        self.memory.untouched = 0.0 if self._grips else self.memory.untouched + dt
        devices.write(self._dt, np.array([dt]))
        if dt > 0.0:
            devices.write(self._hands.moves, self.memory.moves)
            devices.write(self._hands.events, self.memory.events)
            self.memory.moves[...], self.memory.events[...] = 0.0, UNCHANGED
        if self._recorded is None or self._recorded[0] is not below:
            self._recorded = below, self._record(below)
        self._recorded[1]()
        return self._shown

    def _record(self, below: DevicePoints) -> devices.Chain:
        kernels, hands, memory = self._kernels, self._hands, self.memory
        skin = [self._falloffs, below, memory.free, memory.velocities, self._shown]
        calls = [
            devices.Launch(
                kernels.measure_residuals, kernels.HANDS, [hands, self._dt, below, memory.free], self._device
            ),
            devices.Launch(kernels.move_hands, kernels.HANDS, [hands, self._swing, self._dt], self._device),
            devices.Launch(kernels.carry_offsets, self._count, [hands, self._swing, self._dt, *skin], self._device),
        ]
        return devices.Chain(calls, self._device)

    def take_after(self, other: HeldOffsets) -> None:
        """Be held as another is, by hands of one's own."""
        self._pulls, self._grips = list(other._pulls), dict(other._grips)
        self._write_grips()
        self._write_goals()
