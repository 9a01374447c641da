"""Kick: wind up, kick with the right leg to about hip height, and step back."""

from __future__ import annotations

import math

import numpy as np

from supple.character.skeleton import Skeleton
from supple.motion.builtin.body import ArmRotation, Body, FootPose, Stance, euler
from supple.motion.builtin.recipe import Recipe
from supple.motion.builtin.steps import Contact, Steps
from supple.motion.builtin.timing import check_range, round_to_frames, spline
from supple.motion.pose import Pose

_SHIFTED, _BACK, _HIT, _DRAWN, _DOWN, _END = 0.42, 0.74, 1.00, 1.26, 1.66, 2.30  # [s], the beats


def kick(skeleton: Skeleton, *, intensity: float = 1.0, fps: float = 60.0) -> Recipe:
    """Kick forward with the right leg, once.

    The weight goes over the left leg, the right one swings back with the knee bent, whips forward to about hip height
    (times `intensity`) while the body leans back and the arms counter it, is drawn in and set down where it was.
    """
    check_range("kick", "intensity", intensity, low=0.3, high=1.3)
    return _Kick(skeleton, intensity, fps).recipe()


class _Kick:
    def __init__(self, skeleton: Skeleton, intensity: float, fps: float) -> None:
        self.body = body = Body(skeleton, "kick")
        self.fps, self.tempo = fps, body.tempo
        self.seconds = round_to_frames("kick", seconds=_END * body.tempo, fps=fps)
        self.amount = intensity
        left = body.rest("LeftFoot")
        self.left = body.roll_foot("Left", left[[0, 2]])
        self.right = self._right_steps()
        self.aside = spline([(0.05, 0.0), (_SHIFTED, 0.80 * left[0]), (_HIT, 0.86 * left[0]), (_DRAWN, 0.80 * left[0]),
                            (_DOWN, 0.45 * left[0]), (_END - 0.15, 0.0)])  # fmt: skip
        self.height = spline(
            [
                (0.05, -0.004),
                (_SHIFTED, -0.028),
                (_BACK, -0.048),
                (_HIT, -0.008),
                (_DRAWN, -0.016),
                (_DOWN, -0.050),
                (_END - 0.1, -0.004),
            ]
        )
        self.ahead = spline(
            [(0.05, 0.0), (_BACK, 0.03), (_HIT, 0.045), (_DRAWN, -0.01), (_DOWN, 0.01), (_END - 0.1, 0.0)]
        )
        self.yaw = spline([(0.1, 0.0), (_BACK, -17.0), (_HIT, 20.0), (_DRAWN, 8.0), (_DOWN, -3.0), (_END - 0.1, 0.0)])
        self.tilt = spline([(0.1, 0.0), (_BACK, 13.0), (_HIT, -17.0), (_DRAWN, -8.0), (_DOWN, 2.0), (_END - 0.1, 0.0)])
        self.lean = spline(
            [(0.1, 0.0), (_BACK, 7.0), (_HIT - 0.02, -13.0), (_DRAWN, 4.0), (_DOWN, 4.0), (_END - 0.1, 0.0)]
        )
        self.twist = spline([(0.1, 0.0), (_BACK, 14.0), (_HIT, -17.0), (_DRAWN, -8.0), (_DOWN, 2.0), (_END - 0.1, 0.0)])
        self.nod = spline([(0.1, 0.0), (_BACK, 5.0), (_HIT, 3.0), (_DOWN, 3.0), (_END - 0.1, 0.0)])
        self.left_flex = spline(
            [(0.1, 2.0), (_BACK, -32.0), (_HIT + 0.02, 52.0), (_DRAWN, 30.0), (_DOWN, -3.0), (_END, 2.0)]
        )
        self.right_flex = spline(
            [(0.1, 2.0), (_BACK, 44.0), (_HIT + 0.02, -40.0), (_DRAWN, -15.0), (_DOWN, 9.0), (_END, 2.0)]
        )
        self.spread = spline([(0.1, 13.0), (_BACK, 33.0), (_HIT, 40.0), (_DRAWN, 30.0), (_DOWN, 19.0), (_END, 13.0)])
        self.elbow = spline([(0.1, 16.0), (_BACK, 46.0), (_HIT, 34.0), (_DRAWN, 44.0), (_DOWN, 28.0), (_END, 16.0)])

    def _right_steps(self) -> Steps:
        body, leg = self.body, self.body.leg
        ankle = body.rest("RightFoot")
        hip = body.rest("RightUpLeg") + np.array([0.09 * body.size, 0.0, 0.0])  # while the weight is on the left
        up = (self.amount - 1.0) * 0.45

        def at(time: float, x: float, y: float, z: float, pitch: float) -> tuple[float, FootPose]:
            """A place seen from the hip, in leg lengths."""
            return time, FootPose(hip + leg * np.array([x, y, z]), pitch, pitch)

        via = (
            at(_BACK - 0.02, -0.03, -0.72, -0.44, -72.0),
            at(_BACK + 0.12, -0.02, -0.80, -0.10, -52.0),
            at(_HIT, 0.03, -0.10 + up, 0.93 - 0.3 * up * up, 42.0),
            at(_DRAWN, -0.02, -0.52, 0.42, 12.0),
        )
        starts = Contact(ankle[[0, 2]], (-2.0, -1.0, _SHIFTED - 0.22, _SHIFTED + 0.06), (0.0, -42.0))
        ends = Contact(ankle[[0, 2]], (_DOWN - 0.05, _DOWN + 0.12, math.inf, math.inf), (-20.0, 0.0), via=via)
        return Steps(body, "Right", [starts, ends])

    def recipe(self) -> Recipe:
        return Recipe(self.body.skeleton, lambda time: self.pose(time / self.tempo), self.seconds, self.fps, "kick")

    def pose(self, t: float) -> Pose:
        body = self.body
        feet = (self.left, self.right.at(t))
        pelvis = euler(self.yaw(t), self.tilt(t), 0.0)
        chest, head = euler(self.twist(t), self.lean(t)), euler(0.2 * self.twist(t), self.nod(t))
        hips = body.hips + np.array([self.aside(t), self.height(t) * body.leg, self.ahead(t) * body.leg])
        arms = (
            ArmRotation(self.left_flex(t), self.spread(t), 8.0, self.elbow(t), 4.0, 30.0),
            ArmRotation(self.right_flex(t), self.spread(t), 8.0, self.elbow(t), 4.0, 30.0),
        )
        return body.pose(Stance(body.settle(hips, pelvis, feet), feet, pelvis, chest, head, arms))
