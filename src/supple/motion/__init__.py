"""What a character does: poses, motions, and the built-in ones, made by code."""

from supple.motion.cast import Cast
from supple.motion.combine import combine_motions
from supple.motion.crowd import CrowdMotion
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource

__all__ = ["Cast", "CrowdMotion", "Motion", "Pose", "PoseSource", "combine_motions"]
