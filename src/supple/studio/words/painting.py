"""Commands of the brush."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from supple.studio.words.bounds import Command, Index, Name, Share, View


class SkinPlace(Struct, forbid_unknown_fields=True, frozen=True):
    """A place of the skin, among vertices by shares."""

    vertices: Annotated[list[Index], Meta(min_length=1, max_length=3)]
    shares: Annotated[list[Share], Meta(min_length=1, max_length=3)]


class Paint(Command, tag="paint", frozen=True):
    """Go over places of the skin with a brush; the flesh answers at once. A stroke lasts until `paint-end`.

    `action` is add, subtract, smooth, fill (with `value`) or erase.
    """

    map: Name
    action: Name
    places: Annotated[list[SkinPlace], Meta(min_length=1, max_length=64)]
    radius: Annotated[float, Meta(gt=0.0, le=1e6)]
    strength: Share = 0.5
    softness: Share = 0.8
    value: Annotated[float, Meta(ge=-1e6, le=1e6)] = 1.0
    mirror: bool = False
    view: View = 0


class Retouch(Command, tag="retouch", frozen=True):
    """Go over a drawn shape with a brush, until `paint-end`.

    It takes the shape away ("erase") or smooths it there; or says which skin is to "follow" it, and which to "stay".
    """

    shape: Name
    action: Name
    places: Annotated[list[SkinPlace], Meta(min_length=1, max_length=64)]
    radius: Annotated[float, Meta(gt=0.0, le=1e6)]
    strength: Share = 0.5
    softness: Share = 0.8
    mirror: bool = False


class PaintEnd(Command, tag="paint-end", frozen=True):
    """The stroke of the brush is done: one step, or, without `keep`, none."""

    keep: bool = True


class FillMap(Command, tag="fill-map", frozen=True):
    """Give a map one value everywhere."""

    map: Name
    value: Annotated[float, Meta(ge=-1e6, le=1e6)]
    view: View = 0


class ResetMap(Command, tag="reset-map", frozen=True):
    """Take all paint off a map."""

    map: Name
