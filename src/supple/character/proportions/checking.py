"""Hold the joints of a rig against what was measured on people."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.proportions.measurements import HANDS, JointStatistics, Proportions
from supple.character.proportions.tips import skin_tip
from supple.errors import InputError, SuppleWarning
from supple.geometry.flesh import Flesh
from supple.geometry.quaternions import normalize

_WHERE = "check_joints"
_SHORTEST = 0.05  # of the limb: skin nearer to its last joint than this is not beyond it


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
    for name, chain in chains.items():
        limb = (limbs or {}).get(name, name)
        statistics = measured.statistics(limb)
        joints = [character.skeleton.index(joint) for joint in chain]
        heads = character.skeleton.heads[joints]
        if len(chain) == len(statistics):
            heads = np.concatenate([heads, _tip(character, joints)[None]])
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


def _tip(character: Character, joints: list[int]) -> FloatArray:
    """Where the skin ends beyond a last joint: how far its own skin reaches, or the first skin straight on."""
    tip = skin_tip(character, joints)
    if tip is not None:
        return tip
    skeleton, flesh = character.skeleton, Flesh(character.points, character.triangles)
    last, heads = joints[-1], skeleton.heads
    ahead = heads[last] - heads[joints[-2]] if skeleton.tails is None else skeleton.tails[last] - heads[last]
    direction = normalize(ahead)
    _, reach = flesh.first_crossing(heads[last][None], direction[None], 2.0 * flesh.span)
    if not np.isfinite(reach[0]) or reach[0] < _SHORTEST * np.linalg.norm(heads[last] - heads[joints[0]]):
        given = f"no skin lies beyond joint {skeleton.names[last]!r}"
        raise InputError(_WHERE, given, "the tip must be known", "add a joint at the tip")
    return np.asarray(heads[last] + reach[0] * direction)
