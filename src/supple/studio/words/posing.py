"""Commands that pose the character."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from supple.studio.words.bounds import Command, Index, Joint, Line, Name, Point, Seconds

Angle = Annotated[float, Meta(ge=0.0, le=3.2)]


class Posing(Command, kw_only=True, frozen=True):
    """What all have that pose the skeleton; `done` is false while a hand is at it.

    `time` is that of the motion when the hand saw it. The pose is one more layer, and posing again goes on with the
    last one unless `fresh`; with `key` it has a key at that time. Joints in `pins` are held, and with `ranges` elbows
    and knees bend as they can. `limits` are joints with the angles [rad] from rest that they may turn at most.
    """

    time: Seconds
    pins: Annotated[list[Joint], Meta(max_length=64)] = []
    ranges: bool = True
    limits: Annotated[list[tuple[Joint, Angle]], Meta(max_length=256)] = []
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


class ScaleJoint(Posing, tag="scale-joint", frozen=True):
    """Make a joint, and all that hangs on it, so many times as large as at rest."""

    joint: Joint
    size: Annotated[float, Meta(ge=0.05, le=20.0)]


class ResetJoint(Posing, tag="reset-joint", frozen=True):
    """Take what the last pose does to a joint, and to nothing else, back."""

    joint: Joint


class PosingByStrokes(Posing, kw_only=True, frozen=True):
    """What all have that pose by lines: joints within `radius` [m] of one go over to another, or those named instead.

    Bones may become `stretch` times as long or short, and with `twist` they turn about themselves as the line does.
    """

    radius: Annotated[float, Meta(gt=0.0, le=1e6)]
    joints: Annotated[list[Joint], Meta(max_length=1024)] = []
    stretch: Annotated[float, Meta(ge=1.0, le=4.0)] = 1.0
    twist: bool = False


class PoseByStrokes(PosingByStrokes, tag="pose-by-strokes", frozen=True):
    """Joints near a line in space, the baseline, go over to another one, the offset; `again` redraws that of a pose.

    With `part` the offset takes the place of that part of the pose's own that it lies along.
    """

    baseline: Line
    offset: Line
    again: Name = ""
    part: bool = False


class PullPoseKnot(PosingByStrokes, tag="pull-pose-knot", frozen=True):
    """Move a knot of the line that a pose was drawn by; the pose follows."""

    pose: Name
    knot: Index
    to: Point


class MovePoseLine(PosingByStrokes, tag="move-pose-line", frozen=True):
    """Move the whole line that a pose was drawn by as far as this from where it was; the pose follows."""

    pose: Name
    by: Point


class DeletePoseKnot(PosingByStrokes, tag="delete-pose-knot", frozen=True):
    """Take a knot of the line that a pose was drawn by away."""

    pose: Name
    knot: Index
