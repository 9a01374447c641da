"""A picture of the curves on a character's skin."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from supple.render.camera import Camera
from supple.render.extra import loaded
from supple.render.sheet import Picture, save_picture
from supple.skins.curves.network import Network

_PAPER_LOW, _PAPER_HIGH = "#f1f2f3", "#cdd5dd"
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
    pv = loaded("pyvista")
    mesh = network.character
    posed = np.asarray(mesh.points if points is None else points, dtype=np.float64)
    nodes = network.nodes(posed)
    eye = Camera.framing(posed, size=size) if camera is None else camera
    with pv.vtk_verbosity("off"):
        plotter = pv.Plotter(off_screen=True, window_size=size)
        plotter.set_background(_PAPER_LOW, top=_PAPER_HIGH)
        plotter.enable_anti_aliasing("ssaa")
        faces = np.concatenate([np.full((len(mesh.triangles), 1), 3), mesh.triangles], axis=1)
        skin = pv.PolyData(posed.astype(np.float32), faces=faces)
        plotter.add_mesh(skin, color=_SKIN, opacity=opacity, smooth_shading=True)
        lift = 2e-3 * float(np.ptp(posed, axis=0).max())
        toward = np.asarray(eye.position) - nodes  # lines are drawn a little nearer, so that the skin does not eat them
        shown = (nodes + lift * toward / np.linalg.norm(toward, axis=1, keepdims=True)).astype(np.float32)
        for number, part in enumerate(network.parts):
            index = network.starts[number] + np.arange(part.curves * part.nodes).reshape(part.curves, part.nodes)
            drawn = part.found[:, 1:] & part.found[:, :-1]
            pairs = np.stack([index[:, :-1][drawn], index[:, 1:][drawn]], axis=1)
            cells = np.concatenate([np.full((len(pairs), 1), 2), pairs], axis=1)
            color = _PART_COLORS[number % len(_PART_COLORS)]
            if len(pairs):
                plotter.add_mesh(pv.PolyData(shown, lines=cells), color=color, line_width=2.0)
            dots = index[part.found]
            if len(dots):
                plotter.add_mesh(pv.PolyData(shown[dots]), color=_NODE, point_size=3.5)
        plotter.camera.position, plotter.camera.focal_point, plotter.camera.up = eye.position, eye.target, (0, 1, 0)
        plotter.camera.view_angle = math.degrees(eye.view_angle)
        plotter.reset_camera_clipping_range()
        image = np.asarray(plotter.screenshot(None, return_img=True), dtype=np.uint8)
        plotter.close()
    if path is not None:
        save_picture(image, path)
    return image
