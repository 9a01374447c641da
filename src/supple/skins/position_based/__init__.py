"""Flesh as tetrahedra that keep their volume over a kinematic skin, and meet each other and the world."""
