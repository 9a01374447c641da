"""What hands make of the flesh, kept as a shape: worked out beside what plays."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from threading import Thread
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.edits.edits import Edits
from supple.edits.encoding import encoded_moves
from supple.edits.layers import Layer
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError
from supple.graph.player import Player
from supple.motion.pose import Pose
from supple.skins.base import Skin

_LONGEST = 120  # frames in which flesh comes to rest
_STILL = 1e-4  # of the size of the character, in a frame: it is at rest
_LEAST = 0.02  # of the farthest move: less of it is what swings, and none of the hand's
_ALL = 0.08
_ARRIVAL = 0.4  # s in which a shape that was kept comes in


class KeptShape:
    """The shape that hands have made of a view: what differs from a twin of it that nobody holds.

    `shown` (V, 3) [m] is what is seen in a pose; the twin comes to rest in it, on a thread of its own.
    """

    def __init__(self, character: Character, skin: Skin[Any, Any], twin: Player, pose: Pose, shown: FloatArray) -> None:
        """`skin` is what edits are made on."""
        self._given = character, skin, twin, pose, shown
        self._made: Future[SurfaceEdit] = Future()
        Thread(target=self._run, name="supple kept shape", daemon=True).start()

    @property
    def ready(self) -> bool:
        """Whether it is made, or has failed."""
        return self._made.done()

    def result(self) -> SurfaceEdit:
        """The shape; raises what kept it from being made."""
        return self._made.result()

    def _run(self) -> None:
        try:
            self._made.set_result(self._make())
        except BaseException as error:
            self._made.set_exception(error)

    def _make(self) -> SurfaceEdit:
        character, skin, twin, pose, shown = self._given
        size = float(character.size.max())
        rest = twin.advance(pose)
        for _ in range(_LONGEST):
            before, rest = rest, twin.advance(pose)
            if np.abs(rest - before).max() < _STILL * size:
                break
        moves = shown - rest.astype(np.float64)
        far = np.linalg.norm(moves, axis=1)
        most = float(far.max())
        if most < 1e-3 * size:
            raise InputError("studio", "a shape was to be kept", "nothing is drawn out", "take hold of the skin first")
        share = np.clip((far / most - _LEAST) / (_ALL - _LEAST), 0.0, 1.0)
        own = {name: amount for name, amount in pose.shapes.items() if name in character.shapes}
        bare = Pose(pose.world_from_joint, shapes=own)
        return encoded_moves(character, bare, share[:, None] * moves, skin=skin)


class ArrivingShape:
    """A shape that was kept comes in little by little: flesh that is held has its way already, and gives it up.

    At once, it would be drawn out twice as far for some frames.
    """

    def __init__(self, edits: Edits, layer: Layer, begun: float) -> None:
        """`edits` have a `layer` that plays it; it begins at a time of the flesh [s]."""
        self.edits = edits
        self._layer, self._begun = layer, begun

    def edits_at(self, time: float) -> Edits:
        """The edits with as much of it as there is at a time of the flesh [s]; themselves where that is all."""
        share = (time - self._begun) / _ARRIVAL
        if not 0.0 <= share < 1.0:
            return self.edits
        return self.edits.with_layer(replace(self._layer, amount=self._layer.amount * share))
