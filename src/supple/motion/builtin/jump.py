"""Jump: crouch, push off, fly along a parabola, land softly and rise."""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.motion.builtin.body import ArmRotation, Body, FootPose, Stance, euler
from supple.motion.builtin.recipe import Recipe
from supple.motion.builtin.splines import hermite
from supple.motion.builtin.steps import Contact, Steps
from supple.motion.builtin.timing import check_range, round_to_frames, spline
from supple.motion.pose import Pose

GRAVITY = 9.81  # [m/s^2]
_CROUCHED, _OFF = 0.62, 0.88  # [s] when the crouch is deepest, and when the feet leave the ground
_BALL = -44.0  # how far the feet are tipped when they leave (degrees)


def jump(skeleton: Skeleton, *, height: float = 0.30, fps: float = 60.0) -> Recipe:
    """Jump on the spot: the hips rise by `height` (in leg lengths) after the feet have left the ground.

    A crouch with the arms back, a push over the balls of the feet, a flight in which the hips follow
    y = y0 + v t - g t^2 / 2 with g = 9.81 m/s^2, a landing on the toes that the knees take up, and a rise to standing.
    """
    check_range("jump", "height", height, low=0.05, high=0.7)
    return _Jump(skeleton, height, fps).recipe()


class _Jump:
    def __init__(self, skeleton: Skeleton, height: float, fps: float) -> None:
        self.body = body = Body(skeleton, "jump")
        self.fps, self.tempo = fps, body.tempo
        rise = height * body.leg
        self.gravity = GRAVITY * body.tempo**2  # per square unit of time; a unit is `tempo` seconds
        self.speed = math.sqrt(2.0 * self.gravity * rise)
        self.on = _OFF + 2.0 * self.speed / self.gravity
        self.depth = -min(0.30, 0.16 + 0.45 * height) * body.leg
        self.deepest = self.on + 0.24
        self.end = self.on + 1.35
        self.seconds = round_to_frames("jump", seconds=self.end * body.tempo, fps=fps)
        tipped = body.roll_foot("Left", body.rest("LeftFoot")[[0, 2]], pitch=_BALL).ankle[1] - body.rest("LeftFoot")[1]
        self.free = float(tipped) - 0.045 * body.leg  # height of the hips at take-off, over rest
        self.before = spline([(0.05, -0.004 * body.leg), (_CROUCHED, self.depth)])
        self.after = spline(
            [(self.deepest, 0.85 * self.depth), (self.on + 0.85, -0.004 * body.leg), (self.end, -0.004 * body.leg)]
        )
        self.feet = (self._steps("Left"), self._steps("Right"))
        on, deep = self.on, self.deepest
        self.lean = spline([(0.05, 0.0), (_CROUCHED, 38.0), (_OFF + 0.02, 1.0), (_OFF + 0.2, -2.0), (on - 0.05, 10.0),
                           (deep + 0.02, 32.0), (on + 0.85, -1.0), (self.end, 0.0)])  # fmt: skip
        self.tilt = spline([(0.05, 0.0), (_CROUCHED, 24.0), (_OFF + 0.02, 0.0), (on - 0.05, 6.0), (deep, 20.0),
                           (on + 0.85, 0.0), (self.end, 0.0)])  # fmt: skip
        self.nod = spline([(0.05, 0.0), (_CROUCHED - 0.05, 8.0), (_OFF, -12.0), (_OFF + 0.22, -4.0), (on, 12.0),
                          (deep + 0.05, 10.0), (on + 0.9, 0.0), (self.end, 0.0)])  # fmt: skip
        self.flex = spline([(0.05, 2.0), (0.25, 10.0), (_CROUCHED - 0.06, -44.0), (_OFF + 0.03, 112.0),
                           (_OFF + 0.19, 146.0), (on, 62.0), (deep + 0.06, 8.0), (on + 0.62, -8.0), (on + 0.95, 5.0),
                           (self.end, 2.0)])  # fmt: skip
        self.spread = spline([(0.05, 13.0), (_CROUCHED, 17.0), (_OFF + 0.1, 22.0), (on, 40.0), (deep, 30.0),
                             (on + 0.9, 14.0), (self.end, 13.0)])  # fmt: skip
        self.elbow = spline([(0.05, 16.0), (_CROUCHED, 22.0), (_OFF - 0.08, 58.0), (_OFF + 0.15, 24.0), (on, 42.0),
                            (deep + 0.1, 52.0), (on + 0.9, 14.0), (self.end, 16.0)])  # fmt: skip

    def _steps(self, side: str) -> Steps:
        ankle = self.body.rest(side + "Foot")[[0, 2]]
        flight = self.on - _OFF
        stays = Contact(ankle, (-2.0, -1.0, _OFF - 0.15, _OFF), (0.0, _BALL))
        via = tuple(
            (_OFF + fraction * flight, self._dangling_leg(side, _OFF + fraction * flight, bend, pitch))
            for fraction, bend, pitch in ((0.16, 0.975, -58.0), (0.5, 0.89, -40.0), (0.84, 0.935, -44.0))
        )
        lands = Contact(ankle, (self.on, self.on + 0.11, math.inf, math.inf), (-42.0, 0.0), via=via)
        return Steps(self.body, side, [stays, lands])

    def _dangling_leg(self, side: str, t: float, reach: float, pitch: float) -> FootPose:
        """A foot in the air, below the hips by a share of the leg's length."""
        body = self.body
        hip = body.rest(side + "UpLeg") + np.array([0.0, self._height(t), 0.0])
        ankle = body.rest(side + "Foot")
        down = np.array([ankle[0] - hip[0], 0.0, ankle[2] - hip[2]])
        length = reach * body.reach_of(side)
        down[1] = -math.sqrt(length * length - float(down @ down))
        return FootPose(hip + down, pitch, pitch * 0.6)

    def recipe(self) -> Recipe:
        return Recipe(self.body.skeleton, lambda time: self.pose(time / self.tempo), self.seconds, self.fps, "jump")

    def pose(self, t: float) -> Pose:
        t, body = min(t, self.end), self.body
        feet = (self.feet[0].at(t), self.feet[1].at(t))
        tilt, lean = self.tilt(t), self.lean(t)
        pelvis, chest, head = euler(pitch=tilt), euler(pitch=lean), euler(pitch=self.nod(t))
        # Bent over, the hips go back, so that the weight stays above the feet.
        back = -0.30 * body.leg * math.sin(math.radians(0.62 * lean + 0.38 * tilt))
        hips = body.hips + np.array([0.0, self._height(t), back])
        arm = ArmRotation(self.flex(t), self.spread(t), 6.0, self.elbow(t), 0.0, 24.0)
        if not _OFF <= t <= self.on:
            hips = body.settle(hips, pelvis, feet)
        return body.pose(Stance(hips, feet, pelvis, chest, head, (arm, arm)))

    def _height(self, t: float) -> float:
        """Hips over their rest height [m]."""
        if t < _CROUCHED:
            return self.before(t)
        if t < _OFF:
            return self._between(t, _CROUCHED, _OFF, (self.depth, 0.0, self.free, self.speed))
        if t < self.on:
            return self.free + self.speed * (t - _OFF) - 0.5 * self.gravity * (t - _OFF) ** 2
        if t < self.deepest:
            return self._between(t, self.on, self.deepest, (self.free, -self.speed, 0.85 * self.depth, 0.0))
        return self.after(t)

    def _between(self, t: float, start: float, end: float, values: tuple[float, float, float, float]) -> float:
        ends: list[FloatArray] = [np.array([value]) for value in values]
        return float(hermite(*ends, seconds=end - start, s=(t - start) / (end - start))[0])
