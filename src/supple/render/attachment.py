"""A picture of how a skin hangs on its skeleton: attachment points, and the scale vectors from them to the vertices."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import Floats, Ints
from supple.character.character import Character
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.render.bones import spindles
from supple.render.camera import Camera
from supple.render.extra import loaded
from supple.render.sheet import Picture, save_picture
from supple.skins.expressive.attachment import Attachment

_PAPER_LOW, _PAPER_HIGH = "#f1f2f3", "#cdd5dd"
_SKIN, _BONE, _VECTOR, _POINT = "#dcb8a2", "#3f6592", "#3d8fd1", "#d1492e"


def attachment_picture(
    character: Character,
    attachment: Attachment,
    *,
    path: str | Path | None = None,
    size: tuple[int, int] = (720, 900),
    camera: Camera | None = None,
    every: int = 1,
) -> Picture:
    """One picture (height, width, 3), bytes, of an attachment at rest; written to `path` too if one is given.

    Blue lines are scale vectors, red dots attachment points, of every vertex or each `every`-th. Where lines cross or
    dots leave gaps on a bone, the skin will crease when that joint bends.
    """
    if every < 1:
        raise InputError("attachment_picture", f"every is {every}", "at least 1 is needed", "use 1 for all vertices")
    pv = loaded("pyvista")
    eye = Camera.framing(character.points, size=size) if camera is None else camera
    with pv.vtk_verbosity("off"):
        plotter = pv.Plotter(off_screen=True, window_size=size)
        plotter.set_background(_PAPER_LOW, top=_PAPER_HIGH)
        plotter.enable_anti_aliasing("ssaa")
        skin = pv.PolyData(character.points.astype(np.float32), faces=_faces(character.triangles))
        plotter.add_mesh(skin, color=_SKIN, opacity=0.25, smooth_shading=True)
        points, triangles = spindles(character.skeleton, Pose.rest(character.skeleton))
        plotter.add_mesh(pv.PolyData(points.astype(np.float32), faces=_faces(triangles)), color=_BONE)
        starts, ends = attachment.points[::every], character.points[::every]
        plotter.add_mesh(_lines(pv, starts, ends), color=_VECTOR, line_width=1.5, opacity=0.8)
        plotter.add_mesh(pv.PolyData(starts.astype(np.float32)), color=_POINT, point_size=7.0,
                         render_points_as_spheres=True)  # fmt: skip
        plotter.camera.position, plotter.camera.focal_point, plotter.camera.up = eye.position, eye.target, (0, 1, 0)
        plotter.camera.view_angle = math.degrees(eye.view_angle)
        plotter.reset_camera_clipping_range()
        image = np.asarray(plotter.screenshot(None, return_img=True), dtype=np.uint8)
        plotter.close()
    if path is not None:
        save_picture(image, path)
    return image


def _faces(triangles: Ints) -> Ints:
    corners = triangles
    return np.concatenate([np.full((len(corners), 1), 3), corners], axis=1)


def _lines(pv: Any, starts: Floats, ends: Floats) -> Any:
    """One line from each start to its end."""
    count = len(starts)
    both = np.concatenate([starts, ends]).astype(np.float32)
    cells = np.stack([np.full(count, 2), np.arange(count), count + np.arange(count)], axis=1)
    return pv.PolyData(both, lines=cells)
