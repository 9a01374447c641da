"""Whether the fingers of a rig have their joints where people have theirs."""

from __future__ import annotations

from supple.character.anatomy.humanoid import SIDES, Anatomy
from supple.character.anatomy.names import FINGERS
from supple.character.character import Character
from supple.character.proportions import HANDS, JointReport, Proportions, check_joints


def finger_report(character: Character, *, measured: Proportions = HANDS) -> JointReport:
    """Compare all fingers that the names of joints tell with the measured ones; the report is empty without any.

    Metacarpals do not count; a joint below the last one is the tip. Fingers with fewer joints than were measured
    cannot be compared and are left out.
    """
    skeleton = character.skeleton
    parts = Anatomy(skeleton).parts
    chains: dict[str, list[str]] = {}
    limbs: dict[str, str] = {}
    for side in SIDES:
        for finger in FINGERS:
            wanted = len(measured.statistics(finger))
            found = [parts.get(f"{side} {finger} {number}") for number in range(1, 5)]
            chain = [joint for joint in found if joint is not None]
            if finger == "thumb" and len(chain) > wanted:
                chain = chain[len(chain) - wanted :]  # rigs count the thumb from its metacarpal
            if len(chain) < wanted:
                continue
            below = skeleton.children(chain[wanted - 1])
            names = [skeleton.names[joint] for joint in [*chain[:wanted], *below[:1].tolist()]]
            chains[f"{side} {finger}"], limbs[f"{side} {finger}"] = names, finger
    return check_joints(character, chains, limbs=limbs, measured=measured)
