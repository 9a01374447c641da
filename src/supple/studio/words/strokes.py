"""Commands of lines that are drawn on the skin."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from supple.studio.words.bounds import Command, Index, Metres, Name, Pixel, Point, Reach, Seq, Share, View


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


class Raise(Command, tag="raise", frozen=True):
    """Raise the skin under a line, or let it sink."""

    line: Name
    height: Metres
    reach: Reach
    profile: Name = "even"
    method: Name = "smooth"
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
