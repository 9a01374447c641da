"""Pose-space deformation: the shape of the skin as a learnt function of its joints."""

from supple.skins.examples import SkinExamples
from supple.skins.pose_space.model import PoseSpaceModel
from supple.skins.pose_space.model_file import load_pose_space, save_pose_space
from supple.skins.pose_space.training import fit_pose_space

__all__ = ["PoseSpaceModel", "SkinExamples", "fit_pose_space", "load_pose_space", "save_pose_space"]
