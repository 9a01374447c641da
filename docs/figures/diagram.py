"""Diagrams of what is inside a skin or on it: one frame for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import IntArray
from supple.render.camera import Camera
from supple.render.extra import load_library
from supple.render.sheet import Picture, save_picture

_PAPER_LOW, _PAPER_HIGH = "#f1f2f3", "#cdd5dd"


def diagram(
    draw: Callable[[Any, Any], None], *, camera: Camera, size: tuple[int, int], path: str | Path | None = None
) -> Picture:
    """One picture (height, width, 3), bytes, of what `draw(pyvista, plotter)` adds; written to `path` too if given."""
    pv = load_library("pyvista")
    with pv.vtk_verbosity("off"):
        plotter = pv.Plotter(off_screen=True, window_size=size)
        plotter.set_background(_PAPER_LOW, top=_PAPER_HIGH)
        plotter.enable_anti_aliasing("ssaa")
        draw(pv, plotter)
        plotter.camera.position, plotter.camera.focal_point = camera.position, camera.target
        plotter.camera.up = (0, 1, 0)
        plotter.camera.view_angle = math.degrees(camera.view_angle)
        plotter.reset_camera_clipping_range()
        image = np.asarray(plotter.screenshot(None, return_img=True), dtype=np.uint8)
        plotter.close()
    if path is not None:
        save_picture(image, path)
    return image


def surface(pv: Any, points: ArrayLike, triangles: IntArray) -> Any:
    """Triangles as the renderer takes them."""
    faces = np.concatenate([np.full((len(triangles), 1), 3), triangles], axis=1)
    return pv.PolyData(np.asarray(points, dtype=np.float32), faces=faces)


def lines(pv: Any, points: ArrayLike, pairs: ArrayLike) -> Any:
    """Straight lines between pairs (N, 2) of points."""
    ends = np.asarray(pairs)
    cells = np.concatenate([np.full((len(ends), 1), 2), ends], axis=1)
    return pv.PolyData(np.asarray(points, dtype=np.float32), lines=cells)
