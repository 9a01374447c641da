"""Feet through time: where they stand, how they roll over heel and ball, and how they swing to the next place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from supple.arrays import FloatArray
from supple.motion.builtin.body import FootPose
from supple.motion.builtin.splines import Cubic, clamped

_PUSH = 0.45  # how much of the roll over the ball is eased out before the foot leaves


@dataclass(frozen=True)
class Contact:
    """One time a foot is on the ground, and how it got there.

    `place` (2,) [m] is the x and z of the ankle with the foot flat. `times` [s] are when the foot touches, is flat,
    rises and leaves; `pitches` (degrees, toes up above 0) are how far it is tipped when it touches and when it leaves.
    `lift` [m] is how much the swing before it is raised beyond the shortest way; `via` are the times [s] and places
    that this swing goes through instead, where it has such.
    """

    position: FloatArray
    times: tuple[float, float, float, float]
    pitches: tuple[float, float] = (0.0, 0.0)
    lift: float = 0.05
    via: tuple[tuple[float, FootPose], ...] = ()

    @property
    def strike(self) -> float:
        """When the foot touches [s]."""
        return self.times[0]

    @property
    def leave(self) -> float:
        """When the foot leaves [s]."""
        return self.times[3]

    def pitch(self, time: float) -> float:
        """How far the foot is tipped while it stands (degrees)."""
        strike, flat, rise, leave = self.times
        if time < flat:
            left = (flat - time) / (flat - strike)
            return self.pitches[0] * left * left
        if time > rise:
            s = (time - rise) / (leave - rise)
            return self.pitches[1] * s * s * (1.0 - _PUSH + _PUSH * (3.0 - 2.0 * s))
        return 0.0


class Ground(Protocol):
    """Whoever has feet to roll over the ground; see `Body.rolled`."""

    def roll_foot(self, side: str, position: FloatArray, *, pitch: float = 0.0, yaw: float = 0.0) -> FootPose:
        """The foot called `side` at a place, tipped."""


class Steps:
    """A foot's contacts in the order of time, and the swings between them. C1 in time throughout."""

    def __init__(self, body: Ground, side: str, contacts: Sequence[Contact]) -> None:
        self._body, self._side, self._contacts = body, side, list(contacts)

    @cached_property
    def _swings(self) -> list[_Swing]:
        return [self._swing(start, end) for start, end in itertools.pairwise(self._contacts)]

    def at(self, time: float) -> FootPose:
        """The foot at a time [s]."""
        for contact, swing in zip(self._contacts, self._swings, strict=False):
            if time <= contact.leave:
                return self._standing(contact, time)
            if time < swing.end:
                return swing.at(time)
        return self._standing(self._contacts[-1], time)

    def _standing(self, contact: Contact, time: float) -> FootPose:
        time = min(max(time, contact.strike), contact.leave)
        return self._body.roll_foot(self._side, contact.position, pitch=contact.pitch(time))

    def _swing(self, start: Contact, end: Contact) -> _Swing:
        seconds = end.strike - start.leave
        before, leaving = self._state(start, start.leave, -1e-4 * seconds)
        after, arriving = self._state(end, end.strike, 1e-4 * seconds)
        times = [start.leave, *(time for time, _ in end.via), end.strike]
        states = [before, *(_packed(position) for _, position in end.via), after]
        return _Swing(start.leave, end.strike, clamped(times, states, leaving, arriving), 0.0 if end.via else end.lift)

    def _state(self, contact: Contact, time: float, step: float) -> tuple[FloatArray, FloatArray]:
        """Ankle, pitch, toes and yaw in one array at an end of a contact, and their speeds just inside it."""
        now, inside = (_packed(self._standing(contact, moment)) for moment in (time, time + step))
        return now, (inside - now) / step


@dataclass(frozen=True)
class _Swing:
    """The way of a foot through the air: a cubic from contact to contact, raised by a bump of height `lift` [m]."""

    start: float
    end: float
    path: Cubic
    lift: float

    def at(self, time: float) -> FootPose:
        state = np.array(self.path(time))
        s = (time - self.start) / (self.end - self.start)
        state[1] += self.lift * 16.0 * (s * (1.0 - s)) ** 2
        return FootPose(state[:3], float(state[3]), float(state[4]), float(state[5]))


def _packed(foot: FootPose) -> FloatArray:
    return np.array([*foot.ankle, foot.pitch, foot.toes, foot.yaw])
