"""Where joints lie along a finger or any other limb, as measured on people: tables, placing, checking."""

from supple.character.proportions.checking import JointReport, check_joints
from supple.character.proportions.measurements import HANDS, JointStatistics, Proportions
from supple.character.proportions.placing import limb_axis, place_joints

__all__ = ["HANDS", "JointReport", "JointStatistics", "Proportions", "check_joints", "limb_axis", "place_joints"]
