"""What the first edit would wait for, done beforehand beside what plays: libraries, kernels, and the body's anatomy."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread

import numpy as np

from supple.character.anatomy.skin_anatomy import THICKNESS
from supple.character.character import Character
from supple.edits.bulge import bulge
from supple.edits.encoding import encoded_moves
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.motion.pose import Pose
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.studio.view import View

_FRAMES_BEFORE = 60  # in which all skins are bound: until then there is enough to do


class Rehearsal:
    """Raises an edge on a twin of the character, once, when nothing else is being prepared."""

    def __init__(self, character: Character) -> None:
        self._character = character
        self._frames = 0

    def frame(self, views: Sequence[View], *, idle: bool) -> None:
        """A frame was made, and nothing is being prepared if it is `idle`."""
        self._frames += idle
        if idle and self._frames == _FRAMES_BEFORE:
            anatomy = any(THICKNESS in view.player.maps() for view in views)
            Thread(target=self._run, args=(anatomy,), name="supple rehearsal", daemon=True).start()

    def _run(self, anatomy: bool) -> None:
        twin = self._character.replace(name=self._character.name)  # what is kept for edits of one is not thread safe
        if not len(twin.triangles) or twin.weights is None:
            return
        if anatomy:  # those whose skins read it bind in another process, which finds it for itself
            _ = twin.body_shape
        both = np.zeros(2, dtype=np.int32)
        stroke = SurfaceStroke(both, np.eye(3)[:2], both[:1])
        reach = 0.05 * float(twin.size.max())
        raised = bulge(twin.points, twin.triangles, stroke, height=0.1 * reach, reach=reach)
        encoded_moves(twin, Pose.rest(twin.skeleton), raised - twin.points, skin=LinearBlend())
