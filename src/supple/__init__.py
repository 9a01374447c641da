"""Supple moves the skin of animated characters.

A rigged character and a motion go in; a skin that keeps its volume, slides and jiggles comes out.
Importing this is light: Warp, libigl, SciPy and the renderer are loaded when they are first needed.
"""

from supple.character.automatic import automatic_weights
from supple.character.builtin import character
from supple.character.character import Character, Display
from supple.character.crowd import Crowd
from supple.character.joined import joined
from supple.character.materials import Material, Texture
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.decompose import Decomposition, PointSequence, decompose
from supple.errors import DeviceError, FormatError, InputError, SuppleError, SuppleWarning, UnfinishedError
from supple.graph.bake import bake
from supple.graph.cache import Cache
from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.graph.player import Player, player
from supple.io import load, load_motion, save
from supple.measure import measure
from supple.motion.builtin import motion
from supple.motion.crowd import CrowdMotion
from supple.motion.joined import joined_motions
from supple.motion.live import LiveMotion
from supple.motion.motion import Motion
from supple.motion.noise import NoisyMotion
from supple.motion.pose import Pose, PoseSource
from supple.motion.replay import NoisyReplay
from supple.motion.vmc.receiver import VmcReceiver
from supple.motion.vmc.sender import VmcSender
from supple.report import compare
from supple.skins.catalogue import SKINS
from supple.skins.contact.skin import ArticulatedContact
from supple.skins.curves.lessons import CurveExamples
from supple.skins.curves.model import CurveModel
from supple.skins.curves.model_file import load_curves, save_curves
from supple.skins.curves.skin import CurveNetwork
from supple.skins.curves.swinging import CurveDynamics
from supple.skins.curves.training import fit_curves
from supple.skins.expressive.attachment import attach
from supple.skins.expressive.edits import Edits, Layer, SurfaceEdit, load_edits, save_edits
from supple.skins.expressive.incremental_rotation import IncrementalRotation
from supple.skins.expressive.spring_dynamics import SpringDynamics
from supple.skins.expressive.spring_rig import SpringRig
from supple.skins.expressive.strokes import Stroke
from supple.skins.kinematic.centers import centers_of_rotation
from supple.skins.kinematic.delta_mush import DeltaMush, delta_mush
from supple.skins.kinematic.dual_quaternion import DualQuaternion, dual_quaternion
from supple.skins.kinematic.linear_blend import LinearBlend, linear_blend
from supple.skins.kinematic.rotation_centers import RotationCenters, rotation_centers
from supple.skins.lattice.skin import LayeredLattice
from supple.skins.position_based.skin import PositionBased
from supple.skins.pull import Pull

__version__ = "0.1.0"

__all__ = [
    "SKINS",
    "ArticulatedContact",
    "Cache",
    "Character",
    "Crowd",
    "CrowdMotion",
    "CurveDynamics",
    "CurveExamples",
    "CurveModel",
    "CurveNetwork",
    "Decomposition",
    "DeltaMush",
    "DeviceError",
    "Display",
    "DualQuaternion",
    "Edits",
    "FormatError",
    "Graph",
    "IncrementalRotation",
    "InputError",
    "Layer",
    "LayeredLattice",
    "LinearBlend",
    "LiveMotion",
    "Mask",
    "Material",
    "Motion",
    "NoisyMotion",
    "NoisyReplay",
    "Player",
    "PointSequence",
    "Pose",
    "PoseSource",
    "PositionBased",
    "Pull",
    "RotationCenters",
    "Skeleton",
    "SpringDynamics",
    "SpringRig",
    "Stroke",
    "SuppleError",
    "SuppleWarning",
    "SurfaceEdit",
    "Texture",
    "UnfinishedError",
    "VmcReceiver",
    "VmcSender",
    "Weights",
    "attach",
    "automatic_weights",
    "bake",
    "centers_of_rotation",
    "character",
    "compare",
    "decompose",
    "delta_mush",
    "dual_quaternion",
    "fit_curves",
    "joined",
    "joined_motions",
    "linear_blend",
    "load",
    "load_curves",
    "load_edits",
    "load_motion",
    "measure",
    "motion",
    "player",
    "rotation_centers",
    "save",
    "save_curves",
    "save_edits",
]
