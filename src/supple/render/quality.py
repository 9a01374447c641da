"""How much work goes into a picture: all of it for a still, less for the frames of a film."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Quality:
    """What a picture's looks are computed from.

    `multisamples` smooth the edges within each of the four finer pixels that make a pixel. `samples` on the skin throw
    shadow and take light; each is looked at from `directions` over a grid of `cells` by `cells`. The shadow on the
    ground has `shadow_cells` by `shadow_cells`, and one in `shadow_every` places throws it. With `vertex_light`, light
    is worked out at the vertices of the skin, not in every pixel, where its triangles are hardly larger than pixels.
    """

    multisamples: int
    samples: int
    directions: int
    cells: int
    shadow_cells: int
    shadow_every: int = 1
    vertex_light: bool = False


PICTURE = Quality(multisamples=8, samples=60_000, directions=56, cells=150, shadow_cells=320)
FILM = Quality(
    multisamples=0, samples=16_000, directions=16, cells=90, shadow_cells=88, shadow_every=3, vertex_light=True
)
"""A tenth of the work; hard to tell apart at the size of a film's panels."""
