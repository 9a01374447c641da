"""Characters at the sizes for which figures of position based skinning were published [AbuRumman2016].

The published models cannot be had. Built-in characters stand in for them with as many surface vertices, bones and
tetrahedra; edges are all those that the tetrahedra have, which are more than were printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import supple
from supple.arrays import FloatArray
from supple.character.character import Character
from supple.motion.motion import Motion


@dataclass(frozen=True)
class Scene:
    """One published model and the built-in character and motion that stand in for it.

    `frame` [s] is the published time of a frame; `detection` [s] that of finding contacts on demand, where printed.
    """

    name: str
    stand_in: str
    motion: str
    vertices: int
    tetrahedra: int
    bones: int
    frame: float
    detection: float | None = None


SCENES = (
    Scene("HUMAN", "hero", "walk", 9528, 4998, 25, 6.81e-3, 3.93e-3),
    Scene("HUMANHQ", "hero", "walk", 9528, 10516, 25, 10.17e-3),
    Scene("BIGBUNNY", "hero", "walk", 8111, 7827, 29, 7.98e-3),
    Scene("BIGBUNNYHQ", "hero", "walk", 8111, 14022, 29, 13.92e-3),
    Scene("OCTOPUS", "octopus", "swim", 4000, 4339, 63, 6.87e-3),
    Scene("HORSE", "quadruped", "walk", 3833, 6126, 43, 7.69e-3, 2.10e-3),
    Scene("TORSO", "hero", "walk", 4345, 4280, 25, 6.71e-3),
)


def actors(scene: Scene) -> tuple[Character, Motion]:
    """The character of a scene, with as many bones as published, and its motion."""
    return _actors(scene.stand_in, scene.motion, scene.vertices, scene.bones)


@cache
def _actors(stand_in: str, motion: str, vertices: int, bones: int) -> tuple[Character, Motion]:
    character = supple.character(stand_in, vertices=vertices)
    played = supple.motion(motion, character)
    while len(character.skeleton) < bones:
        character, played = with_longest_bone_split(character, played)
    return character, played


def with_longest_bone_split(character: Character, motion: Motion) -> tuple[Character, Motion]:
    """Give the longest bone a second joint halfway, as twist joints are added to rigs.

    The new joint hangs on the old one and keeps still against it. Vertices go over from the old to the new along the
    middle half of the bone, so the skin moves as before.
    """
    rig = character.skeleton
    tails = _tails(character)
    lengths = np.linalg.norm(tails - rig.heads, axis=1)
    old = int(np.argmax(lengths))
    head, tail = rig.heads[old], tails[old]
    world = rig.world_from_joint[old].copy()
    world[:3, 3] = 0.5 * (head + tail)
    new_tails = np.concatenate([tails, tail[None]])
    new_tails[old] = world[:3, 3]
    skeleton = supple.Skeleton(
        (*rig.names, f"{rig.names[old]}Half{len(rig)}"),
        np.append(rig.parents, old),
        np.concatenate([rig.world_from_joint, world[None]]),
        tails=new_tails,
    )
    along = (character.points - head) @ (tail - head) / lengths[old] ** 2
    share = np.clip(2.0 * along - 0.5, 0.0, 1.0)
    dense = character.require_weights("with_longest_bone_split").dense(len(rig))
    dense = np.concatenate([dense, (share * dense[:, old])[:, None]], axis=1)
    dense[:, old] *= 1.0 - share
    split = supple.Character(
        character.points,
        character.triangles,
        skeleton,
        supple.Weights.from_dense(dense),
        name=character.name,
        maps=character.maps,
        parts=character.parts,
    )
    return split, _kept_still(motion, skeleton)


def _tails(character: Character) -> FloatArray:
    """Where the bone of every joint ends; of several, the farthest."""
    rig = character.skeleton
    ends = rig.heads.copy()
    for joint, end in zip(rig.bones.joints, rig.bones.ends, strict=True):
        if np.linalg.norm(end - rig.heads[joint]) > np.linalg.norm(ends[joint] - rig.heads[joint]):
            ends[joint] = end
    return ends


def _kept_still(motion: Motion, skeleton: supple.Skeleton) -> Motion:
    """The motion of a skeleton without its last joint, which now keeps its place on its parent."""
    frames = motion.frames
    position = skeleton.parent_from_joint[-1, :3, 3]
    moves = np.concatenate([motion.translations, np.tile(position, (frames, 1, 1))], axis=1)
    rotations = np.concatenate([motion.rotations, np.tile([0.0, 0.0, 0.0, 1.0], (frames, 1, 1))], axis=1)
    scales = None if motion.scales is None else np.concatenate([motion.scales, np.ones((frames, 1, 3))], axis=1)
    return Motion(
        skeleton, motion.fps, moves, rotations, scales, name=motion.name, loop=motion.loop, stride=motion.stride
    )
