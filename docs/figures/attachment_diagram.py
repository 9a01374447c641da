"""A picture of how a skin hangs on its skeleton: attachment points, and the scale vectors from them to the vertices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from diagram import diagram, lines, surface
from supple.character.character import Character
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.render.bones import bone_mesh
from supple.render.camera import Camera
from supple.render.sheet import Picture
from supple.skins.springs.attachment.attachment import Attachment

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

    def draw(pv: Any, plotter: Any) -> None:
        skin = surface(pv, character.points, character.triangles)
        plotter.add_mesh(skin, color=_SKIN, opacity=0.25, smooth_shading=True)
        plotter.add_mesh(surface(pv, *bone_mesh(character.skeleton, Pose.rest(character.skeleton))), color=_BONE)
        starts, ends = attachment.points[::every], character.points[::every]
        pairs = np.stack([np.arange(len(starts)), len(starts) + np.arange(len(starts))], axis=1)
        ways = lines(pv, np.concatenate([starts, ends]), pairs)
        plotter.add_mesh(ways, color=_VECTOR, line_width=1.5, opacity=0.8)
        plotter.add_mesh(
            pv.PolyData(starts.astype(np.float32)), color=_POINT, point_size=7.0, render_points_as_spheres=True
        )

    eye = Camera.framing(character.points, size=size) if camera is None else camera
    return diagram(draw, camera=eye, size=size, path=path)
