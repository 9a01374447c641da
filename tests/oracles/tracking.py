"""What control asks for, written out in NumPy: slow, and easy to compare with its equations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.motion.pose import Pose
from supple.skins.contact.control.tracking import Targets, Tracking
from supple.skins.contact.model.joints import rotation_vectors
from supple.skins.contact.model.mechanism import Mechanism, MechanismState


def towards(tracking: Tracking, before: Pose, after: Pose, dt: float) -> Targets:
    """What a step of `dt` [s] from one animated pose to the next asks of joints and roots."""
    mechanism, links, skeleton = tracking.mechanism, tracking.links, tracking.skeleton
    positions, rotations = zip(*(links.pose(skeleton, pose) for pose in (before, after)), strict=True)
    joints, roots = mechanism.joints, mechanism.roots
    was, will = (np.swapaxes(rotation[joints.parents], 1, 2) @ rotation[joints.children] for rotation in rotations)
    gains, root_gains = tracking.gains(dt)
    turning = rotations[1][roots] @ np.swapaxes(rotations[0][roots], 1, 2)
    return Targets(
        will,
        rotation_vectors(np.swapaxes(was, 1, 2) @ will) / dt,
        gains[:, 0],
        gains[:, 1],
        positions[1][roots],
        rotations[1][roots],
        (positions[1] - positions[0])[roots] / dt,
        rotation_vectors(turning) / dt,
        root_gains,
    )


def bearing(mechanism: Mechanism, targets: Targets, state: MechanismState, gravity) -> Targets:
    """The targets, with the weight of a body in this state met: t = -(c - p) x m g, asked for as t / d."""
    joints, masses = mechanism.joints, mechanism.link_masses
    angular_velocities, velocities, root_angular_velocities = (
        targets.angular_velocities.copy(),
        targets.root_velocities.copy(),
        targets.root_angular_velocities.copy(),
    )
    for number, child in enumerate(joints.children):
        below = _below(mechanism, int(child))
        pivot = state.positions[child] + state.rotations[child] @ (joints.pivots[number] - mechanism.centers[child])
        torque = sum(np.cross(state.positions[link] - pivot, -masses[link] * gravity) for link in below)
        if targets.damping[number] > 0.0:
            angular_velocities[number] += state.rotations[child].T @ torque / targets.damping[number]
    for number, root in enumerate(mechanism.roots):
        below = _below(mechanism, int(root))
        moving, turning = targets.root_gains[number, [1, 3]]
        if moving > 0.0:
            velocities[number] += -masses[below].sum() * gravity / moving
        if turning > 0.0:
            lifts = [np.cross(state.positions[link] - state.positions[root], -masses[link] * gravity) for link in below]
            root_angular_velocities[number] += sum(lifts) / turning
    return replace(
        targets,
        angular_velocities=angular_velocities,
        root_velocities=velocities,
        root_angular_velocities=root_angular_velocities,
    )


def _below(mechanism: Mechanism, link: int) -> list[int]:
    """A link and all that hang on it."""
    joints = mechanism.joints
    children = joints.children[joints.parents == link].tolist()
    return [link, *(lower for child in children for lower in _below(mechanism, child))]
