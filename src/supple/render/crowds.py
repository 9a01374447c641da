"""Pictures of a crowd: everybody in one mesh, as they are or coloured by the level that moves them."""

from __future__ import annotations

import numpy as np

from supple.graph.crowds.crowd import Crowd
from supple.graph.crowds.player import CrowdFrame
from supple.render.camera import Camera
from supple.render.quality import FILM, Quality
from supple.render.renderer import Renderer
from supple.render.sheet import Picture


class CrowdRenderer:
    """Draws the frames of one crowd on level ground at a height of zero; use it in a `with` block, or call `close()`.

    `first` is a frame of the crowd, by which creases and the sharpness of shadows are found.
    """

    def __init__(
        self, crowd: Crowd, first: CrowdFrame, *, size: tuple[int, int] = (960, 540), quality: Quality = FILM
    ) -> None:
        self._crowd = crowd
        triangles, before = [], 0
        for group in crowd.groups.values():
            for _ in range(group.count):
                triangles.append(group.character.triangles + before)
                before += len(group.character.points)
        self._renderer = Renderer(
            self._points(first), np.concatenate(triangles), size=size, ground=0.0, quality=quality
        )

    def __enter__(self) -> CrowdRenderer:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the memory of the renderer back; it draws no more."""
        self._renderer.close()

    def draw(self, frame: CrowdFrame, *, camera: Camera, by_level: bool = False) -> Picture:
        """One frame as a picture (height, width, 3); `by_level` the nearest level is dark red and the last one grey."""
        if not by_level:
            return self._renderer.draw(self._points(frame), camera=camera).copy()
        groups = self._crowd.groups.items()
        behind = np.concatenate(
            [np.repeat(len(one.levels) - 1 - frame.levels[name], len(one.character.points)) for name, one in groups]
        )
        most = max(len(one.levels) for one in self._crowd.groups.values()) - 1
        return self._renderer.draw(
            self._points(frame), camera=camera, values=behind.astype(float), limits=(0.0, float(max(most, 1)))
        ).copy()

    def _points(self, frame: CrowdFrame) -> np.ndarray:
        """All members, group by group."""
        return np.concatenate([np.asarray(frame.points[name]).reshape(-1, 3) for name in self._crowd.groups])
