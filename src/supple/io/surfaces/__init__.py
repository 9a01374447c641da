"""Meshes between files and characters: faces with what stands at their corners, seams, welding, moving normals."""
