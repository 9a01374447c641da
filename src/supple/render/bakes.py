"""Pictures of a bake: any frames of it, coloured by a map or by what the skin did, seen by a camera that keeps up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray
from supple.errors import InputError
from supple.graph.cache import Cache
from supple.io.surfaces.bake_normals import BakeNormals
from supple.motion.pose import Pose
from supple.render.camera import Camera
from supple.render.painted import CLAY, PaintedSkins
from supple.render.quality import PICTURE, Quality
from supple.render.renderer import Renderer
from supple.render.surroundings import Surroundings

Picture = NDArray[np.uint8]
Direction = tuple[float, float, float]
FROM_THE_SIDE: Direction = (0.95, 0.2, 0.8)


@dataclass(frozen=True, kw_only=True)
class View:
    """How a bake is looked at.

    `size` is in pixels. `camera` stands still and frames the whole motion ("whole"), walks along ("follow"), or does
    what suits how far the character goes ("auto").
    `direction` leads from the character to the camera. `skeleton` shows the bones through the skin, where the skin has
    them. What it met stands beside it, if `bodies` is true, and the ground is the floor that it met.
    `quality` may be lowered for films.
    """

    size: tuple[int, int] = (640, 720)
    camera: Literal["auto", "whole", "follow"] = "auto"
    direction: Direction = FROM_THE_SIDE
    skeleton: bool = False
    ground: bool = True
    bodies: bool = True
    quality: Quality = PICTURE


class BakeRenderer:
    """Draws the frames of one bake."""

    def __init__(
        self,
        cache: Cache,
        view: View,
        *,
        values: FloatArray | Float32Array | None = None,
        color: str = CLAY,
        camera: Camera | None = None,
    ) -> None:
        """`values` (V,) or (F, V), or else what `color` names, are painted on the skin; `camera` overrides the view's.

        `color` is a map of the character or one of `VERTEX_MEASURES`.
        """
        if cache.ready == 0:
            raise InputError(str(cache.path), "it has no frames yet", "at least one is needed", "let the bake go on")
        self._cache, self._view = cache, view
        self._paint = PaintedSkins([cache], color, given=values)
        self._points: Float32Array = cache.points
        self._bones = cache.bones if view.skeleton else cache.poses
        self._camera = camera or framing([cache], view)
        self._follows = root_path(cache) if follows_root(cache, view) else None
        self._normals = BakeNormals(cache)
        self._around = Surroundings(cache)
        self._renderer = Renderer(
            cache.rest,
            cache.triangles,
            size=view.size,
            ground=self._around.ground if view.ground else None,
            quality=view.quality,
            shading=self._normals.shading,
        )

    def __enter__(self) -> BakeRenderer:
        return self

    def __exit__(self, *problem: object) -> None:
        self._renderer.close()

    def draw(self, frame: int) -> Picture:
        """One frame as a picture (height, width, 3)."""
        camera = self._camera
        if self._follows is not None:
            camera = camera.moved(self._follows[frame])
        skeleton = (self._cache.skeleton, Pose(self._bones[frame])) if self._view.skeleton else None
        return self._renderer.draw(
            self._points[frame],
            camera=camera,
            values=self._paint.at(0, frame),
            limits=self._paint.limits,
            skeleton=skeleton,
            things=self._around.at(frame, camera) if self._view.bodies else (),
            normals=self._normals.at(frame),
            see_through=self._paint.limits is not None,
        )

    def frames(self, chosen: Sequence[int]) -> Iterator[Picture]:
        """Several frames one after another."""
        for frame in chosen:
            yield self.draw(frame)


def root_path(cache: Cache) -> FloatArray:
    """How far (F, 3) [m] the root has gone over the ground since the first frame."""
    root = int(np.flatnonzero(cache.arrays["parents"] < 0)[0])
    root_positions = cache.bones[:, root, :3, 3]
    return (root_positions - root_positions[0]) * np.array([1.0, 0.0, 1.0])


def follows_root(cache: Cache, view: View) -> bool:
    """Whether the camera walks along: when told to, or when the character goes further than it is tall."""
    if view.camera == "auto":
        return bool(np.linalg.norm(root_path(cache), axis=1).max() > np.ptp(cache.rest[:, 1]))
    return view.camera == "follow"


def framing(caches: Sequence[Cache], view: View) -> Camera:
    """One camera from which all frames of all bakes are seen; one that walks along is given as it starts."""
    clouds = []
    for cache in caches:
        points = cache.points[:: max(cache.ready // 40, 1), :: max(len(cache.rest) // 2000, 1)].astype(np.float64)
        if follows_root(cache, view):
            points = points - root_path(cache)[: cache.ready][:: max(cache.ready // 40, 1), None]
        clouds.append(points.reshape(-1, 3))
    return Camera.framing(np.concatenate(clouds), size=view.size, direction=view.direction)
