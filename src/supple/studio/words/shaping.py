"""Commands that make shapes from a few figures, and of what holds them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from supple.studio.words.bounds import Command, Index, Joint, Name, Point, Seconds, Share, Size, View


class Radial(Command, tag="radial", frozen=True):
    """Let the skin round a joint's bones swell and lean, as a shape of that name with a layer; `done` as in `Change`.

    `swell` is a share of its thickness, `lean` an angle in radians, `low` to `high` the part of the bone, and `falloff`
    how far it fades out beside it, in radii of the limb.
    """

    name: Name
    joint: Name
    profile: Name = "bell"
    swell: Annotated[float, Meta(ge=-1.0, le=10.0)] = 0.0
    lean: Annotated[float, Meta(ge=-3.2, le=3.2)] = 0.0
    low: Share = 0.0
    high: Share = 1.0
    falloff: Annotated[float, Meta(ge=0.0, le=3.0)] = 0.0
    done: bool = True


class Wave(Command, tag="wave", frozen=True):
    """A wave that runs along a stroke on the skin; `done` as in `Change`.

    `stroke` names one that is there. With `triangles`, one for every place that was drawn, and three `shares` for each
    it is a new one of that name. A `driven` one is made by forces, which skin with springs passes on: from `start` [s]
    of the motion on once, or again `every` so many seconds.
    """

    stroke: Name
    height: Annotated[float, Meta(ge=-10.0, le=10.0)]
    wavelength: Size
    speed: Size
    width: Size
    triangles: Annotated[list[Index], Meta(max_length=2000)] = []
    shares: Annotated[list[Share], Meta(max_length=6000)] = []
    driven: bool = False
    start: Seconds = 0.0
    every: Annotated[float, Meta(gt=0.0, le=1e5)] | None = None
    done: bool = True


class Merge(Command, tag="merge", frozen=True):
    """Make one shape of two, as much of each as there is now."""

    name: Name
    other: Name


class CopyShape(Command, tag="copy-shape", frozen=True):
    """Do what a shape does to its bone to that of a joint too, as a shape of its own with a layer."""

    shape: Name
    joint: Name


class KeepShape(Command, tag="keep-shape", frozen=True):
    """Keep what hands make of the flesh as a shape, which goes along in every pose."""

    view: View = 0


class SetReach(Command, tag="set-reach", frozen=True):
    """How far the turn of a joint spreads along the bones it joins, a share of their length; `done` as in `Change`."""

    joint: Joint
    reach: Share
    done: bool = True


class MoveDivider(Command, tag="move-divider", frozen=True):
    """Move and turn a plane that divides the skin of two bones, from where it stands by itself.

    `by` [m] and `turn`, an axis times an angle [rad], are in the axes of its joint. `done` as in `Change`.
    """

    divider: Index
    by: Point = (0.0, 0.0, 0.0)
    turn: Point = (0.0, 0.0, 0.0)
    done: bool = True


class ResetDividers(Command, tag="reset-dividers", frozen=True):
    """Let skin hang on bones as it does by itself."""
