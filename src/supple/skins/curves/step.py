"""One frame of the curves, stage by stage [Chaudhry2015, Eq. 5.1, 5.14 and 6.2]."""

from __future__ import annotations

from supple import device as devices
from supple.motion.pose import Pose
from supple.skins.base import DevicePoints
from supple.skins.curves.state import CurveState, DynamicCurveState


def step(state: CurveState | DynamicCurveState, pose: Pose, below: DevicePoints | None) -> DevicePoints:
    """The skin in a pose, over the kinematic skin `below`; curves with mass go one step on towards it."""
    rotations = state.mesh.set_pose(pose)  # R of every joint
    weights = state.interpolator.weights(rotations)  # w_e(pose) of every part and example
    state.curves.solve(weights[None])  # q = sum_e w_e q_e; with mass a1 q_vvvv + a2 q_tt + a3 q_t = sum_e w_e F_e
    return state.mesh.carry(below)  # x = below + R (T q)


def start(state: DynamicCurveState, pose: Pose, below: DevicePoints | None) -> None:
    """Curves with mass at rest in a first pose: where those without are."""
    rotations = state.mesh.set_pose(pose)
    weights = state.interpolator.weights(rotations)
    shapes = state.binding.blended(weights)
    state.curves.rest(shapes)
    devices.write(state.curves.shapes, shapes)
    state.mesh.carry(below)
