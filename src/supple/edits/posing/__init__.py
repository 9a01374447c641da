"""Posing by hand: joints are led to places and held there, stretched and scaled, and what comes of it is a layer."""

from supple.edits.posing.bone_length import bone_stretch, stretch_bone
from supple.edits.posing.drawn_pose import DrawnPose, drawn_lines
from supple.edits.posing.inverse_kinematics import hold, reach
from supple.edits.posing.joint_ranges import JointRanges
from supple.edits.posing.joint_size import joint_size, scale_joint
from supple.edits.posing.pose_layers import PoseSlot, keyed_slot, new_slot

__all__ = [
    "DrawnPose",
    "JointRanges",
    "PoseSlot",
    "bone_stretch",
    "drawn_lines",
    "hold",
    "joint_size",
    "keyed_slot",
    "new_slot",
    "reach",
    "scale_joint",
    "stretch_bone",
]
