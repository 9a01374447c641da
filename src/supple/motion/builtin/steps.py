"""Feet through time: where they stand, how they roll over heel and ball, and how they swing from one place to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from supple.arrays import Floats
from supple.motion.builtin.body import Body, FootPlace
from supple.motion.builtin.timing import hermite

_PUSH = 0.45  # how much of the roll over the ball is eased out before the foot leaves


@dataclass(frozen=True)
class Contact:
    """One time a foot is on the ground, and how it got there.

    `place` (2,) [m] is the x and z of the ankle with the foot flat. The foot touches at `strike` [s], tipped by
    `strike_pitch` (degrees, toes up above 0), is flat from `flat` to `rise`, and leaves at `leave` tipped by
    `leave_pitch`. `lift` [m] is how much the swing before it is raised beyond the shortest way.
    """

    place: Floats
    strike: float = -math.inf
    flat: float = -math.inf
    rise: float = math.inf
    leave: float = math.inf
    strike_pitch: float = 0.0
    leave_pitch: float = 0.0
    yaw: float = 0.0
    lift: float = field(default=0.05)

    def pitch(self, time: float) -> float:
        """How far the foot is tipped while it stands (degrees)."""
        if time < self.flat:
            left = (self.flat - time) / (self.flat - self.strike)
            return self.strike_pitch * left * left
        if time > self.rise:
            s = (time - self.rise) / (self.leave - self.rise)
            return self.leave_pitch * s * s * (1.0 - _PUSH + _PUSH * (3.0 - 2.0 * s))
        return 0.0


class Steps:
    """A foot's contacts in the order of time, and the swings between them. C1 in time throughout."""

    def __init__(self, body: Body, side: str, contacts: Sequence[Contact]) -> None:
        self._body, self._side, self._contacts = body, side, list(contacts)

    def at(self, time: float) -> FootPlace:
        """The foot at a time [s]."""
        last = self._contacts[-1]
        for contact, following in zip(self._contacts, [*self._contacts[1:], last], strict=True):
            if time <= contact.leave:
                return self._standing(contact, time)
            if time < following.strike:
                return self._swinging(contact, following, time)
        return self._standing(last, min(time, last.leave))

    def _standing(self, contact: Contact, time: float) -> FootPlace:
        time = max(time, contact.strike)
        return self._body.rolled(self._side, contact.place, pitch=contact.pitch(time), yaw=contact.yaw)

    def _swinging(self, start: Contact, end: Contact, time: float) -> FootPlace:
        seconds = end.strike - start.leave
        s = (time - start.leave) / seconds
        before, leaving = self._state(start, start.leave, -1e-4 * seconds)
        after, arriving = self._state(end, end.strike, 1e-4 * seconds)
        state = hermite(before, leaving, after, arriving, seconds=seconds, s=s)
        state[1] += end.lift * 16.0 * (s * (1.0 - s)) ** 2
        return FootPlace(state[:3], float(state[3]), float(state[4]), float(state[5]))

    def _state(self, contact: Contact, time: float, step: float) -> tuple[Floats, Floats]:
        """Ankle, pitch, toes and yaw in one array at an end of a contact, and their speeds just inside it."""
        now, inside = (_packed(self._standing(contact, moment)) for moment in (time, time + step))
        return now, (inside - now) / step


def _packed(foot: FootPlace) -> Floats:
    return np.array([*foot.ankle, foot.pitch, foot.toes, foot.yaw])
