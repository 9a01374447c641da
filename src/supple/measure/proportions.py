"""Whether the fingers of a rig have their joints where people have theirs."""

from __future__ import annotations

import warnings

from supple.character.character import Character
from supple.character.proportions import HANDS, JointReport, Proportions, check_joints, find_fingers
from supple.character.proportions.checking import Segment
from supple.errors import InputError, SuppleWarning


def finger_report(character: Character, *, measured: Proportions = HANDS) -> JointReport:
    """Compare all fingers that the names of joints tell with the measured ones; the report is empty without any.

    Metacarpals do not count, and a last joint that is called a tip or moves no skin is the tip (see `find_fingers`).
    Fingers with fewer joints than were measured cannot be compared and are left out; so are those of which nobody can
    say where they end, with a warning.
    """
    names = character.skeleton.names
    segments: list[Segment] = []
    for finger in find_fingers(character, measured=measured):
        ends = [] if finger.tip is None else [finger.tip]
        chain = [names[joint] for joint in (*finger.joints, *ends)]
        try:
            report = check_joints(character, {finger.name: chain}, limbs={finger.name: finger.limb}, measured=measured)
        except InputError as problem:
            warnings.warn(f"{finger.name} is left out: {problem}", SuppleWarning, stacklevel=2)
            continue
        segments += report.segments
    return JointReport(tuple(segments))
