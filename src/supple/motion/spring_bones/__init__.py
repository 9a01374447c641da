"""Bones that swing: hair, ears, tails, capes and skirts that have joints, as a file says or as their names tell."""

from supple.motion.spring_bones.simulation import SpringBones, with_spring_bones
from supple.motion.spring_bones.springs import Collider, Spring, SpringJoint, springs_of, usual_springs
from supple.motion.spring_bones.vrm_springs import file_springs

__all__ = [
    "Collider",
    "Spring",
    "SpringBones",
    "SpringJoint",
    "file_springs",
    "springs_of",
    "usual_springs",
    "with_spring_bones",
]
