"""A bake as MDD, the point cache of LightWave, read by Blender (modifier Mesh Cache), Cinema 4D and Houdini.

    int32     number of frames
    int32     number of points
    float32   time [s] of every frame
    float32   x y z of every point, frame after frame

Big-endian throughout.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.files import atomic

if TYPE_CHECKING:
    from supple.graph.cache import Cache


def write_cache(cache: Cache, path: Path) -> None:
    """Write the points alone, in metres and y up; the first frame is at time zero.

    The mesh they move is the character's, in the same order.
    """
    points = cache.points
    with atomic(path) as waiting, waiting.open("wb") as file:
        file.write(struct.pack(">ii", len(points), points.shape[1]))
        file.write((np.arange(len(points)) / cache.fps).astype(">f4").tobytes())
        for frame in points:
            file.write(frame.astype(">f4").tobytes())
