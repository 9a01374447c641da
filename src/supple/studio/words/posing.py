"""Commands that pose the character."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from supple.studio.words.bounds import Command, Joint, Point, Seconds


class Posing(Command, kw_only=True, frozen=True):
    """What all have that pose the skeleton; `done` is false while a hand is at it.

    `time` is that of the motion when the hand saw it. The pose is one more layer, and posing again goes on with the
    last one unless `fresh`; with `key` it has a key at that time. Joints in `pins` are held, and with `ranges` elbows
    and knees bend as they can.
    """

    time: Seconds
    pins: Annotated[list[Joint], Meta(max_length=64)] = []
    ranges: bool = True
    key: bool = False
    fresh: bool = False
    done: bool = True


class TurnJoint(Posing, tag="turn-joint", frozen=True):
    """Turn a joint by an angle [rad] about an axis in the world, as seen at that time."""

    joint: Joint
    axis: Point
    angle: Annotated[float, Meta(ge=-100.0, le=100.0)]


class MoveJoint(Posing, tag="move-joint", frozen=True):
    """Lead a joint as far as this from where it is without what is being done to it; its limb follows."""

    joint: Joint
    by: Point


class StretchBone(Posing, tag="stretch-bone", frozen=True):
    """Make the bone of a joint so many times as long as at rest."""

    joint: Joint
    stretch: Annotated[float, Meta(ge=0.05, le=20.0)]


class ResetJoint(Posing, tag="reset-joint", frozen=True):
    """Take what the last pose does to a joint, and to nothing else, back."""

    joint: Joint
