"""Meshes alone: OBJ, PLY and STL, which know no skeleton."""
