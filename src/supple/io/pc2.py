"""A bake as PC2, the point cache of 3ds Max, Blender (modifier Mesh Cache), Maya and Modo.

    12 bytes  'POINTCACHE2' and a zero
    int32     version, 1
    int32     number of points
    float32   first frame
    float32   frames from one sample to the next
    int32     number of samples
    float32   x y z of every point, sample after sample

Little-endian throughout.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

from supple.files import atomic

if TYPE_CHECKING:
    from supple.graph.cache import Cache

_HEAD = struct.Struct("<12siiffi")


def write_cache(cache: Cache, path: Path) -> None:
    """Write the points alone, in metres and y up; the mesh they move is the character's, in the same order.

    The format has no frame rate: play it at the bake's.
    """
    points = cache.points
    with atomic(path) as waiting, waiting.open("wb") as file:
        file.write(_HEAD.pack(b"POINTCACHE2\0", 1, points.shape[1], 0.0, 1.0, len(points)))
        for frame in points:
            file.write(frame.astype("<f4", copy=False).tobytes())
