"""Normals of a moving surface: computed from its triangles, or authored and carried along by them."""

from supple.geometry.normals.carried import CarriedNormals
from supple.geometry.normals.creases import Creases, NormalsOnDevice, creases, normals

__all__ = ["CarriedNormals", "Creases", "NormalsOnDevice", "creases", "normals"]
