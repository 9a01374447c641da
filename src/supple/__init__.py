"""Supple moves the skin of animated characters.

A rigged character and a motion go in; a skin that keeps its volume, slides and jiggles comes out.
Importing this is light: Warp, libigl, SciPy and the renderer are loaded when they are first needed.
"""

from supple.character.character import Character, Display
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import DeviceError, InputError, SuppleError, SuppleWarning, UnfinishedError
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource

__version__ = "0.1.0"

__all__ = [
    "Character",
    "DeviceError",
    "Display",
    "InputError",
    "Motion",
    "Pose",
    "PoseSource",
    "Skeleton",
    "SuppleError",
    "SuppleWarning",
    "UnfinishedError",
    "Weights",
]
