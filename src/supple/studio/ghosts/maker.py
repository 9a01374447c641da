"""Ghosts: the character a little earlier and later, and the way of a joint, as the edited motion has them.

Ghosts stand at times of an even grid, and the character walks through them. So while it plays there is a new one only
now and then, and never more than one is made for a frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import supple
from supple.arrays import FloatArray
from supple.character.character import Character
from supple.errors import InputError
from supple.graph.player import Player
from supple.motion.pose import Pose, PoseSource
from supple.studio.frames import FramePacker, Head, trail_frame

VERTEX = "vertex:"
FIRST_VIEW = 16  # frames of ghosts have numbers of views from here on
_CLEAR = 0.3  # of the spacing: nearer to the character than this a ghost would only blur it
_AGAIN = 30  # frames after which one is sent again, for windows that have opened since
_SAMPLES = 8  # poses of the trail in a frame


@dataclass(frozen=True)
class GhostSettings:
    """So many ghosts are `before` and `after` the character, every `spacing` frames of the motion.

    `trail` is the joint or vertex whose way is drawn, if any.
    """

    on: bool = False
    before: int = 3
    after: int = 3
    spacing: int = 6
    trail: str = ""


class GhostMaker:
    """Makes ghosts of one character by linear blend, which asks for nothing but a pose."""

    def __init__(self, packer: FramePacker) -> None:
        self._packer = packer
        self._player: Player | None = None
        self._of: tuple[PoseSource, Character, GhostSettings] | None = None
        self._made: dict[int, int] = {}  # places on the grid by slot, those that were sent first first
        self._stale: set[int] = set()  # slots of which there is a ghost of something else
        self._trail: dict[int, FloatArray] = {}  # places of the joint by frame of the motion
        self._sent: tuple[int, int] | None = None
        self._wait = 0

    def frames(
        self, asked: GhostSettings, character: Character, source: PoseSource, head: Head, fps: float
    ) -> list[bytes]:
        """What is new: a ghost at most, and the trail. `head` is of the frame that they come with."""
        if not asked.on:
            self._made.clear()
            return []
        if self._of is None or any(
            one is not other for one, other in zip(self._of, (source, character, asked), strict=True)
        ):
            self._of = source, character, asked
            self._stale, self._trail, self._sent = set(self._made), {}, None
        step = asked.spacing / fps
        self._wait = (self._wait + 1) % _AGAIN
        made = self._ghost(asked, character, source, head, step)
        return made + self._trail_frame(asked, character, source, head, fps)

    def _ghost(
        self, asked: GhostSettings, character: Character, source: PoseSource, head: Head, step: float
    ) -> list[bytes]:
        wanted = places(head.motion_time / step, asked.before, asked.after)
        slots = {place % (asked.before + asked.after + 2): place for place in wanted}
        missing = [slot for slot, place in slots.items() if self._made.get(slot) != place or slot in self._stale]
        if not missing and self._wait == 0:
            missing = [slot for slot in self._made if slot in slots][:1]
        if not missing:
            return []
        slot = min(missing, key=lambda one: abs(slots[one] * step - head.motion_time))
        self._made.pop(slot, None)
        self._made[slot] = slots[slot]
        self._stale.discard(slot)
        return [self._packed(FIRST_VIEW + slot, slots[slot] * step, character, source, head)]

    def _packed(self, view: int, time: float, character: Character, source: PoseSource, head: Head) -> bytes:
        if self._player is None:
            self._player = supple.player(character, supple.LinearBlend())
        elif self._player.character is not character:
            self._player.reshape(character)
        points = self._player.play(source, time)
        normals, _ = self._player.normals()
        root = self._player.simulated_pose.world_from_joint[0, :3, 3]
        own = Head(view, head.mesh, head.frame, head.command, time, head.flesh_time, 0)
        return self._packer.frame(own, points, normals, root)

    def _trail_frame(
        self, asked: GhostSettings, character: Character, source: PoseSource, head: Head, fps: float
    ) -> list[bytes]:
        if not asked.trail:
            return []
        middle = math.floor(head.motion_time * fps / asked.spacing) * asked.spacing
        low, high = middle - asked.before * asked.spacing, middle + (asked.after + 1) * asked.spacing
        try:
            for place in [place for place in range(low, high + 1) if place not in self._trail][:_SAMPLES]:
                self._trail[place] = trail_place(asked.trail, character, source.sample(place / fps))
        except InputError:  # it was asked for of another character
            return []
        self._trail = {place: at for place, at in self._trail.items() if low <= place <= high}
        whole = len(self._trail) == high - low + 1
        if not whole or (self._sent == (low, high) and self._wait != 0):
            return []
        self._sent = low, high
        return [trail_frame(head, np.array([self._trail[place] for place in range(low, high + 1)]))]


def trail_place(of: str, character: Character, pose: Pose) -> FloatArray:
    """Where (3,) [m] a joint is in a pose, by its name, or a vertex, by its number behind `VERTEX`, by linear blend."""
    if not of.startswith(VERTEX):
        joint = character.skeleton.index(of)
        return pose.world_from_joint[joint, :3, 3]
    number = of.removeprefix(VERTEX)
    count = len(character.points)
    if not (number.isdecimal() and int(number) < count):
        raise InputError("studio", f"vertex {number!r} was named", f"there are {count}", "pick one on the skin")
    weights, vertex = character.require_weights("studio"), int(number)
    matrices = pose.skinning(character.skeleton)[weights.joints[vertex]]
    blended = np.einsum("k,kij->ij", weights.values[vertex], matrices[:, :3, :])
    return np.asarray(blended @ np.append(character.points[vertex], 1.0))


def places(now: float, before: int, after: int) -> list[int]:
    """The whole numbers about `now`, so many on either side, without those that are too near to it."""
    last, first = math.ceil(now - _CLEAR) - 1, math.floor(now + _CLEAR) + 1
    return [*range(last - before + 1, last + 1), *range(first, first + after)]
