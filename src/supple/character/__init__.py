"""What a character is: mesh, skeleton, weights, painted maps; and the built-in ones, made by code."""

from supple.character.character import Character, Display
from supple.character.crowd import Crowd
from supple.character.materials import Material, Texture
from supple.character.skeleton import Skeleton
from supple.character.weighting import automatic_weights
from supple.character.weights import Weights

__all__ = ["Character", "Crowd", "Display", "Material", "Skeleton", "Texture", "Weights", "automatic_weights"]
