"""Commands of lines that are drawn on the skin."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from supple.studio.words.bounds import Command, Index, Metres, Name, Pixel, Point, Reach, Seconds, Seq, Share, View


class Look(Struct, forbid_unknown_fields=True, frozen=True):
    """Which frame was seen, and from where; `view_angle` [rad] is from lower to upper edge, `size` in pixels."""

    frame: Seq
    position: Point
    target: Point
    up: Point
    view_angle: Annotated[float, Meta(gt=0.0, lt=3.14)]
    size: tuple[Annotated[int, Meta(ge=1, le=16384)], Annotated[int, Meta(ge=1, le=16384)]]


class Stretch(Struct, forbid_unknown_fields=True, frozen=True):
    """What a pen drew while one picture was seen: pixels across and down, and how hard it was pressed."""

    look: Look
    samples: Annotated[list[tuple[Pixel, Pixel, Share]], Meta(min_length=1, max_length=10_000)]


class Draw(Command, tag="draw", frozen=True):
    """Go on with a line on the skin, or begin one; nothing is done with it yet."""

    line: Name
    stretches: Annotated[list[Stretch], Meta(min_length=1, max_length=1000)]
    view: View = 0


class DropLine(Command, tag="drop-line", frozen=True):
    """Forget a line that was drawn."""

    line: Name


class InsertKnot(Command, tag="insert-knot", frozen=True):
    """One more knot of a stroke, at a place of the skin under it."""

    stroke: Name
    triangle: Index
    shares: tuple[Share, Share, Share]


class TimeByGesture(Command, tag="time-by-gesture", frozen=True):
    """Let a shape or pose come and go as a hand went up and down: samples are seconds, and pixels across and up.

    Where it was lowest there is none of it, where it was highest all; it begins at `time` of the motion.
    """

    use: Name
    time: Seconds
    samples: Annotated[list[tuple[Seconds, Pixel, Pixel]], Meta(min_length=2, max_length=10_000)]


class TravelAlong(Command, tag="travel-along", frozen=True):
    """Let the motion go along a line on the floor: samples are seconds, and metres along x and z.

    It goes at its own pace, where it has one and is not told to go as fast as the hand.
    """

    samples: Annotated[list[tuple[Seconds, Metres, Metres]], Meta(min_length=2, max_length=10_000)]
    as_drawn: bool = False


class Raise(Command, tag="raise", frozen=True):
    """Raise the skin under a line, or let it sink.

    With a `force` the line alone is held, that many times as hard as springs are, and skin round it follows by its own.
    """

    line: Name
    height: Metres
    reach: Reach
    profile: Name = "even"
    method: Name = "smooth"
    force: Annotated[float, Meta(gt=0.0, le=1e6)] | None = None
    view: View = 0


class RedrawOutline(Command, tag="redraw-outline", frozen=True):
    """Lay the outline of the skin on a line that was drawn beside it, or a crease if they count too.

    `other_way` takes the outline the other way round between the line's ends.
    """

    look: Look
    pixels: Annotated[list[tuple[Pixel, Pixel]], Meta(min_length=2, max_length=10_000)]
    reach: Reach
    method: Name = "smooth"
    creases: bool = False
    other_way: bool = False
    view: View = 0


class MoveKnot(Command, tag="move-knot", frozen=True):
    """Pull a knot of a stroke as far as this from where it is; `done` is false while it is dragged."""

    stroke: Name
    knot: Index
    by: Point
    done: bool = True
    view: View = 0


class MoveStroke(Command, tag="move-stroke", frozen=True):
    """Pull a whole stroke as far as this from where it is; `done` is false while it is dragged."""

    stroke: Name
    by: Point
    done: bool = True
    view: View = 0


class ChangeReach(Command, tag="change-reach", frozen=True):
    """Let skin as far as this round a stroke follow it; `done` is false while it is being changed."""

    stroke: Name
    reach: Reach
    done: bool = True


class ChangeHeight(Command, tag="change-height", frozen=True):
    """Make all that a stroke raised higher or lower; `done` is false while it is being changed."""

    stroke: Name
    height: Metres
    done: bool = True


class DeleteKnot(Command, tag="delete-knot", frozen=True):
    """Take a knot away, with what it was pulled by."""

    stroke: Name
    knot: Index


class MirrorStroke(Command, tag="mirror-stroke", frozen=True):
    """Put what a stroke raised on the other side of the body too."""

    stroke: Name


class DeleteStroke(Command, tag="delete-stroke", frozen=True):
    """Take a stroke away, with its shape and its layer."""

    stroke: Name
