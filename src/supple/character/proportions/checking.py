"""Hold the joints of a rig against what was measured on people."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.proportions.measurements import HANDS, JointStatistics, Proportions
from supple.errors import InputError, SuppleWarning
from supple.geometry.flesh import Flesh
from supple.geometry.quaternions import normalize

_WHERE = "check_joints"


@dataclass(frozen=True)
class Segment:
    """One segment of a rig's limb: from `joint` to the next, `share` of the limb, beside what was measured."""

    limb: str
    joint: str
    fraction: float
    measured: JointStatistics

    @property
    def inside(self) -> bool:
        """Whether somebody as short and somebody as long was measured."""
        return self.measured.holds(self.fraction)

    def __str__(self) -> str:
        found = "inside" if self.inside else "outside"
        return (
            f"{self.limb}, from {self.joint}: {self.fraction:.3f} of its length, {found} the measured "
            f"{self.measured.least:.3f} to {self.measured.most:.3f}"
        )


@dataclass(frozen=True)
class JointReport:
    """All segments that were compared."""

    segments: tuple[Segment, ...]

    @property
    def outside(self) -> tuple[Segment, ...]:
        """The segments that are shorter or longer than on anybody measured."""
        return tuple(segment for segment in self.segments if not segment.inside)

    def warn(self) -> None:
        """Say in one warning which segments are outside; nothing if there are none."""
        if self.outside:
            lines = "; ".join(str(segment) for segment in self.outside)
            warnings.warn(f"{len(self.outside)} of {len(self.segments)} segments: {lines}", SuppleWarning, stacklevel=2)

    def __str__(self) -> str:
        return "\n".join(str(segment) for segment in self.segments)


def check_joints(
    character: Character,
    chains: Mapping[str, Sequence[str]],
    *,
    limbs: Mapping[str, str] | None = None,
    measured: Proportions = HANDS,
) -> JointReport:
    """Compare the joints of a rig with those of people.

    `chains` names limbs of the rig and lists their joints, from root to tip. A limb is compared with the measured one
    of the same name, or of the name that `limbs` gives for it. Where a chain has one joint more than the measured
    limb has segments, the last one is the tip; else the tip is where the skin ends beyond the last joint.
    """
    segments: list[Segment] = []
    flesh: Flesh | None = None
    for name, chain in chains.items():
        limb = (limbs or {}).get(name, name)
        statistics = measured.statistics(limb)
        heads = character.skeleton.heads[[character.skeleton.index(joint) for joint in chain]]
        if len(chain) == len(statistics):
            flesh = flesh or Flesh(character.points, character.triangles)
            heads = np.concatenate([heads, _tip(character, flesh, heads, chain[-1])[None]])
        elif len(chain) != len(statistics) + 1:
            raise InputError(
                _WHERE,
                f"{name} has {len(chain)} joints",
                f"{limb} was measured in {len(statistics)} segments",
                f"name {len(statistics)} joints, or those and the tip",
            )
        lengths = np.linalg.norm(np.diff(heads, axis=0), axis=1)
        if (lengths <= 0.0).any():
            raise InputError(_WHERE, f"two joints of {name} stand at one place", "segments need a length", "part them")
        fractions = lengths / lengths.sum()
        segments += [
            Segment(name, joint, float(fraction), found)
            for joint, fraction, found in zip(chain, fractions, statistics, strict=False)
        ]
    return JointReport(tuple(segments))


def _tip(character: Character, flesh: Flesh, heads: FloatArray, joint: str) -> FloatArray:
    """Where the skin ends beyond a last joint, straight on along its bone."""
    tails = character.skeleton.tails
    tail = None if tails is None else tails[character.skeleton.index(joint)]
    direction = normalize((tail if tail is not None else heads[-1] + heads[-1] - heads[-2]) - heads[-1])
    _, reach = flesh.first_crossing(heads[-1][None], direction[None], 2.0 * flesh.span)
    if not np.isfinite(reach[0]) or not direction.any():
        raise InputError(
            _WHERE, f"no skin lies beyond joint {joint!r}", "the tip must be known", "add a joint at the tip"
        )
    return np.asarray(heads[-1] + reach[0] * direction)
