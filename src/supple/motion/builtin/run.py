"""Run and stop: a few running steps with time in the air, a braking stop, and standing still on the spot."""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.motion.builtin.body import SIDES, ArmRotation, Body, FootPose, Stance, euler
from supple.motion.builtin.recipe import Recipe
from supple.motion.builtin.splines import hermite
from supple.motion.builtin.steps import Contact, Steps
from supple.motion.builtin.timing import check_range, round_to_frames, smoothstep, spline, wave
from supple.motion.pose import Pose

GRAVITY = 9.81  # [m/s^2]
_STEP = 0.35  # [s] from strike to strike, and of that
_STANCE = 0.22  # [s] on the ground; the rest is flight
_RUNNING = 4  # steps before the one that brakes
_FIRST = -0.10  # [s], the first strike: the clip opens in the middle of a step
_BRAKING = 0.66  # [s] from the braking strike until the body is over its feet
_SETTLED = 1.45  # [s] from the braking strike until nothing moves


def run_and_stop(skeleton: Skeleton, *, pace: float = 1.0, still: float = 1.3, fps: float = 60.0) -> Recipe:
    """Run a few steps, brake hard and stand, so that what is loose swings on after the body has stopped.

    Between steps the body flies: the hips go along a parabola under 9.81 m/s^2. The stop takes three steps; the body
    leans back, tips forward, settles, and then stands without moving for `still` [s]. `pace` 1 is about 3 m/s for a leg
    of 0.84 m.
    """
    check_range("run-and-stop", "pace", pace, low=0.6, high=1.25)
    check_range("run-and-stop", "still", still, low=0.0, high=60.0)
    return _Run(skeleton, pace, still, fps).recipe()


class _Run:
    """Times are in units of the body's tempo, so that long legs take their time."""

    def __init__(self, skeleton: Skeleton, pace: float, still: float, fps: float) -> None:
        self.body = body = Body(skeleton, "run-and-stop")
        self.fps, self.tempo = fps, body.tempo
        self.speed = 3.0 * pace * body.size  # metres in one unit of time
        self.brake = _FIRST + _RUNNING * _STEP
        self.seconds = round_to_frames("run-and-stop", seconds=(self.brake + _SETTLED) * body.tempo + still, fps=fps)
        self.goal = self.speed * self.brake + 0.5 * self.speed * _BRAKING
        # Speed up and down that the hips have at take-off: half the flight under gravity; a unit is `tempo` seconds.
        self.rise = 0.5 * GRAVITY * body.tempo**2 * (_STEP - _STANCE)
        self.low = -0.058 * body.leg
        self.feet = (self._steps("Left"), self._steps("Right"))
        t = self.brake
        self.height = spline(
            [(t + 0.20, -0.135), (t + 0.45, -0.100), (t + 0.75, -0.045), (t + 1.05, -0.002), (t + _SETTLED, -0.004)]
        )
        self.lean = spline([(t - 0.1, 12.0), (t + 0.24, -12.0), (t + 0.62, 13.0), (t + 1.0, -1.5), (t + _SETTLED, 1.0)])
        self.tilt = spline([(t - 0.1, 9.0), (t + 0.26, -6.0), (t + 0.6, 7.0), (t + 1.02, -0.5), (t + _SETTLED, 0.0)])
        self.nod = spline([(t - 0.1, 4.0), (t + 0.20, 8.0), (t + 0.42, -5.0), (t + 0.78, 8.0), (t + _SETTLED, 0.0)])
        self.flex = spline([(t, 6.0), (t + 0.34, 34.0), (t + 0.72, 14.0), (t + 1.08, -4.0), (t + _SETTLED, 2.0)])
        self.spread = spline([(t, 18.0), (t + 0.38, 34.0), (t + 0.8, 22.0), (t + _SETTLED, 13.0)])
        self.elbow = spline([(t, 80.0), (t + 0.35, 62.0), (t + 0.8, 42.0), (t + 1.15, 14.0), (t + _SETTLED, 17.0)])

    def _steps(self, side: str) -> Steps:
        """Strikes alternate, left first; the last three are the braking one, one to the goal and one beside it."""
        body, parity = self.body, SIDES.index(side)
        ankle, hip = body.rest(side + "Foot"), body.rest(side + "UpLeg")
        under = np.array([body.hips[0] + 0.75 * (hip[0] - body.hips[0]), ankle[2]])
        contacts = []
        for step in range(parity - 2, _RUNNING, 2):
            strike = _FIRST + step * _STEP
            contacts.append(
                self._contact(
                    under + np.array([0.0, self.speed * strike + 0.30 * body.leg]),
                    (strike, strike + 0.05, strike + 0.10, strike + _STANCE),
                    (7.0, -62.0),
                    0.16,
                )
            )
        beside = np.array([ankle[0], ankle[2]])
        position = np.array([0.5 * (under[0] + beside[0]), under[1]])
        t = self.brake
        if parity == _RUNNING % 2:
            braking = position + np.array([0.0, self.speed * t + 0.34 * body.leg])
            contacts.append(self._contact(braking, (t, t + 0.09, t + 0.16, t + 0.38), (22.0, -58.0), 0.12))
            contacts.append(
                self._contact(
                    beside + np.array([0.0, self.goal]), (t + 0.90, t + 1.00, math.inf, math.inf), (-10.0, 0.0), 0.05
                )
            )
        else:
            aim = beside + np.array([0.0, self.goal + 0.04 * body.leg])
            contacts.append(self._contact(aim, (t + 0.34, t + 0.44, math.inf, math.inf), (16.0, 0.0), 0.08))
        return Steps(body, side, contacts)

    def _contact(
        self, position: FloatArray, times: tuple[float, float, float, float], pitches: tuple[float, float], lift: float
    ) -> Contact:
        return Contact(position, times, pitches, lift=lift * self.body.size)

    def recipe(self) -> Recipe:
        return Recipe(
            self.body.skeleton, lambda time: self.pose(time / self.tempo), self.seconds, self.fps, "run-and-stop"
        )

    def pose(self, t: float) -> Pose:
        t = min(t, self.brake + _SETTLED)
        body = self.body
        running = 1.0 - smoothstep(t, self.brake - 0.02, self.brake + 0.40)
        phase = (t - _FIRST) / (2.0 * _STEP)  # 0 at the strike of the left foot
        feet: tuple[FootPose, FootPose] = (self.feet[0].at(t), self.feet[1].at(t))
        aside = 0.012 * body.size * running * wave(phase, 0.5 * _STANCE / (2.0 * _STEP))
        hips = body.hips + np.array([aside, self._height(t), self._ahead(t)])
        pelvis = euler(-9.0 * running * wave(phase, 0.0), self.tilt(t), 4.0 * running * wave(phase, 0.14))
        chest = euler(
            11.0 * running * wave(phase, 0.02), self.lean(t) + self.tilt(t) * 0.3, -3.0 * running * wave(phase, 0.16)
        )
        head = euler(2.0 * running * wave(phase, 0.05), self.nod(t), 0.0)
        arms = (self._arm(t, phase, running), self._arm(t, phase + 0.5, running))
        return body.pose(Stance(body.settle(hips, pelvis, feet), feet, pelvis, chest, head, arms))

    def _ahead(self, t: float) -> float:
        """How far the hips have come: even, then slowing down to nothing."""
        s = min(max((t - self.brake) / _BRAKING, 0.0), 1.0)
        even = self.speed * min(t, self.brake)
        return even + self.speed * _BRAKING * (s - s**3 + 0.5 * s**4)

    def _height(self, t: float) -> float:
        """Hips above their rest height: a dip while a foot stands, a parabola in the air, a deep dip to brake."""
        if t >= self.brake:
            bottom = self.brake + 0.20
            if t >= bottom:
                return self.height(t) * self.body.leg
            ends = [np.array([value]) for value in (self.low, -self.rise, -0.135 * self.body.leg, 0.0)]
            return float(hermite(*ends, seconds=0.20, s=(t - self.brake) / 0.20)[0])
        within = (t - _FIRST) % _STEP
        if within < _STANCE:
            return self.low - self.rise * _STANCE / math.pi * math.sin(math.pi * within / _STANCE)
        return self.low + 0.5 * GRAVITY * self.tempo**2 * (within - _STANCE) * (_STEP - within)

    def _arm(self, t: float, phase: float, running: float) -> ArmRotation:
        """The left arm: behind at the strike of the left foot, forearms trailing."""
        ahead = -wave(phase, 0.03)
        elbow = 84.0 - 14.0 * wave(phase, 0.1)
        run = ArmRotation(-6.0 + 40.0 * ahead, 19.0, 6.0 + 14.0 * ahead, elbow, wrist=5.0, curl=55.0)
        stop = ArmRotation(self.flex(t), self.spread(t), 6.0, self.elbow(t), 4.0, 24.0)
        return run.toward(stop, 1.0 - running)
