"""Posing by hand: joints are led to places and held there, bones stretched, and what comes of it becomes a layer."""

from supple.edits.posing.bone_length import bone_stretch, stretch_bone
from supple.edits.posing.drawn_pose import DrawnPose, drawn_lines
from supple.edits.posing.inverse_kinematics import hold, reach
from supple.edits.posing.joint_ranges import JointRanges
from supple.edits.posing.pose_layers import PoseSlot, keyed_slot, new_slot

__all__ = [
    "DrawnPose",
    "JointRanges",
    "PoseSlot",
    "bone_stretch",
    "drawn_lines",
    "hold",
    "keyed_slot",
    "new_slot",
    "reach",
    "stretch_bone",
]
