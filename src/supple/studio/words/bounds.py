"""What messages may hold: numbers that are finite and within reason, words that are short."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Seq = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Seconds = Annotated[float, Meta(ge=-1e6, le=1e6)]
Metres = Annotated[float, Meta(ge=-1e6, le=1e6)]
Index = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Amount = Annotated[float, Meta(ge=-1000.0, le=1000.0)]
Joint = Annotated[int, Meta(ge=0, le=65535)]
Size = Annotated[float, Meta(gt=0.0, le=1000.0)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
MOST_VIEWS = 4
"""Characters that are shown beside each other."""
Port = Annotated[int, Meta(ge=0, le=65535)]
View = Annotated[int, Meta(ge=0, le=MOST_VIEWS - 1)]
Name = Annotated[str, Meta(max_length=200)]
Pixel = Annotated[float, Meta(ge=-1e5, le=1e5)]
Reach = Annotated[float, Meta(ge=0.0, le=1e4)]
Text = Annotated[str, Meta(max_length=2000)]
Point = tuple[Metres, Metres, Metres]
Line = Annotated[list[Point], Meta(min_length=2, max_length=2000)]
Value = float | bool | Text
"""Of a setting, as panels know it: a number, a switch, or words."""


class Command(Struct, tag_field="do", forbid_unknown_fields=True, frozen=True):
    """What the page asks for; the frame that has its effect says its number."""

    seq: Seq
