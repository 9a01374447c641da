"""Solid bodies as tetrahedra: what they are, and how a character is filled with them."""

from supple.geometry.tetrahedra.filling import fill
from supple.geometry.tetrahedra.tetrahedra import Tetrahedra, boundary_faces, dihedral_angles, edges_of, volumes
from supple.geometry.tetrahedra.tetwild import fill_with_tetwild

__all__ = ["Tetrahedra", "boundary_faces", "dihedral_angles", "edges_of", "fill", "fill_with_tetwild", "volumes"]
