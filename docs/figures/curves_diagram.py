"""A picture of the curves on a character's skin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from diagram import diagram, lines, surface
from supple.render.camera import Camera
from supple.render.sheet import Picture
from supple.skins.curves.network.curve_network import Network

_SKIN, _NODE = "#e6d5ca", "#20242c"
_PART_COLORS = ("#1f77b4", "#d1492e", "#2c8c4a", "#8e5bb5", "#c78a1b", "#12939a", "#b5417f", "#6b7a1e")


def curves_picture(
    network: Network,
    *,
    points: ArrayLike | None = None,
    path: str | Path | None = None,
    size: tuple[int, int] = (720, 900),
    camera: Camera | None = None,
    opacity: float = 1.0,
) -> Picture:
    """One picture (height, width, 3), bytes, of a network on its mesh; written to `path` too if one is given.

    Curves are lines, one colour per part, nodes are dots; nodes that lie on no skin are left out with the lines to
    them. `points` (V, 3) [m] show the mesh and the curves in a pose; an `opacity` below one lets the far side show.
    """
    mesh = network.character
    posed = np.asarray(mesh.points if points is None else points, dtype=np.float64)
    nodes = network.nodes(posed)
    eye = Camera.framing(posed, size=size) if camera is None else camera

    def draw(pv: Any, plotter: Any) -> None:
        plotter.add_mesh(surface(pv, posed, mesh.triangles), color=_SKIN, opacity=opacity, smooth_shading=True)
        lift = 2e-3 * float(np.ptp(posed, axis=0).max())
        toward = np.asarray(eye.position) - nodes  # lines are drawn a little nearer, so that the skin does not eat them
        shown = (nodes + lift * toward / np.linalg.norm(toward, axis=1, keepdims=True)).astype(np.float32)
        for number, part in enumerate(network.parts):
            index = network.starts[number] + np.arange(part.curves * part.nodes).reshape(part.curves, part.nodes)
            drawn = part.found[:, 1:] & part.found[:, :-1]
            pairs = np.stack([index[:, :-1][drawn], index[:, 1:][drawn]], axis=1)
            if len(pairs):
                color = _PART_COLORS[number % len(_PART_COLORS)]
                plotter.add_mesh(lines(pv, shown, pairs), color=color, line_width=2.0)
            dots = index[part.found]
            if len(dots):
                plotter.add_mesh(pv.PolyData(shown[dots]), color=_NODE, point_size=3.5)

    return diagram(draw, camera=eye, size=size, path=path)
