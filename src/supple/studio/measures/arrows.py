"""Lines that are drawn from a skin: the forces on it as arrows, and what it hangs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.errors import InputError
from supple.graph.player import Player
from supple.skins.springs.attachment.attachment import Attachment
from supple.studio.measures.colours import round_above
from supple.studio.measures.offered import Moment, stage_with

FORCES, ATTACHMENT = "forces", "attachment"
_MOST = {FORCES: 1500, ATTACHMENT: 600}  # lines of a view
_LONGEST = 0.12  # of the character's size: an arrow of the largest force
_BEYOND = 99.0  # percent of all forces that are at most the largest
_LEAST = 1e-9


def lines_offered(players: Sequence[Player]) -> list[str]:
    """Which lines there are to be seen: forces where a skin knows them, and what any skin hangs on."""
    return [*([FORCES] if any(stage_with("forces", player) for player in players) else []), ATTACHMENT]


@dataclass(eq=False)
class Arrows:
    """Lines of one kind; `largest` is the force that an arrow of full length stands for, and only grows."""

    name: str
    attachment: Attachment
    largest: float = 0.0
    _chosen: dict[int, IntArray] = field(default_factory=dict)

    def lines(self, moment: Moment) -> list[FloatArray | None]:
        """From where to where (N, 2, 3) [m] for every view; None where it has none."""
        find = self._attached if self.name == ATTACHMENT else self._forces
        return [find(moment, view) for view in range(len(moment.players))]

    def _forces(self, moment: Moment, view: int) -> FloatArray | None:
        player = moment.players[view]
        stage = stage_with("forces", player)
        try:
            found = None if stage is None else player.forces(stage=stage).astype(np.float64)
        except InputError:  # a skin that knows forces in general may have none of them now
            found = None
        if found is None:
            return None
        sizes = np.linalg.norm(found, axis=1)
        self._grow(float(np.percentile(sizes, _BEYOND)))
        chosen = self._vertices(player.character)
        scale = _LONGEST * float(player.character.size.max()) / max(self.largest, _LEAST)
        short = np.minimum(1.0, self.largest / np.maximum(sizes[chosen], _LEAST))  # none is longer than the longest
        start = moment.points[view][chosen].astype(np.float64)
        return np.stack([start, start + scale * short[:, None] * found[chosen]], axis=1)

    def _attached(self, moment: Moment, view: int) -> FloatArray | None:
        player = moment.players[view]
        chosen, pose = self._vertices(player.character), player.simulated_pose
        matrices = pose.skinning(player.character.skeleton)[self.attachment.segments.joints[self.attachment.segment]]
        rest = self.attachment.points[chosen]
        start = np.einsum("nij,nj->ni", matrices[chosen, :3, :3], rest) + matrices[chosen, :3, 3]
        return np.stack([start, moment.points[view][chosen].astype(np.float64)], axis=1)

    def _grow(self, size: float) -> None:
        if size > max(self.largest, _LEAST):
            self.largest = round_above(size)

    def _vertices(self, character: Character) -> IntArray:
        """Vertices that lie evenly over the skin, as many as can be told apart."""
        count = len(character.points)
        if count not in self._chosen:
            every = max(1, -(-count // _MOST[self.name]))
            order = np.lexsort(np.round(character.points / (0.03 * float(character.size.max()))).T)
            self._chosen[count] = np.sort(order[::every]).astype(np.int32)
        return self._chosen[count]
