"""Where joints lie along a finger or any other limb, as measured on people: tables, placing, checking."""

from supple.character.proportions.checking import JointReport, check_joints
from supple.character.proportions.fingers import Finger, find_fingers
from supple.character.proportions.measurements import HANDS, JointStatistics, Proportions
from supple.character.proportions.placing import limb_axis, place_joints
from supple.character.proportions.rerigging import place_finger_joints

__all__ = [
    "HANDS",
    "Finger",
    "JointReport",
    "JointStatistics",
    "Proportions",
    "check_joints",
    "find_fingers",
    "limb_axis",
    "place_finger_joints",
    "place_joints",
]
