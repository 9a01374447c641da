"""Walk: a person strolls straight ahead, on and on; an animal with four legs goes to its own walk."""

from __future__ import annotations

import math

import numpy as np

from supple.character.skeleton import Skeleton
from supple.motion.builtin.body import ArmRotation, Body, FootPose, Stance, euler
from supple.motion.builtin.recipe import Recipe
from supple.motion.builtin.steps import Contact, Steps
from supple.motion.builtin.timing import check_range, cyclic, round_to_frames, wave
from supple.motion.pose import Pose

_STANCE = 0.62  # of the cycle that a foot is on the ground
_MIDDLE = 0.31  # phase at which the left leg carries the body
_FOOT_DOWN = 0.09  # from heel strike to foot flat
_HEEL_OFF = 0.37


def walk(skeleton: Skeleton, *, pace: float = 1.0, intensity: float = 1.0, fps: float = 60.0) -> Recipe:
    """Walk on at an easy pace: one cycle of two steps, which loops and goes ahead by its `stride`.

    The weight shifts over the standing leg, the pelvis turns with the leg that steps and drops on the side that swings,
    the chest turns against it, arms swing against legs with the forearms trailing, and feet roll from heel to toe and
    stay where they are planted. `pace` 1 is about 1.3 m/s for a leg of 0.84 m; speed goes with the root of the leg's
    length. `intensity` scales hips, chest and arms. Straight ahead on level ground only.
    """
    check_range("walk", "pace", pace, low=0.5, high=1.5)
    check_range("walk", "intensity", intensity, low=0.0, high=2.0)
    if "LeftFrontFoot" in skeleton.names:
        from supple.motion.builtin.quadruped import walk_on_four

        return walk_on_four(skeleton, pace=pace, intensity=intensity, fps=fps)
    return _Walk(skeleton, pace, intensity, fps).recipe()


class _Walk:
    """One cycle; phase 0 is the strike of the left heel."""

    def __init__(self, skeleton: Skeleton, pace: float, intensity: float, fps: float) -> None:
        self.body = Body(skeleton, "walk")
        self.intensity = intensity
        self.fps = fps
        # Faster walking is half longer steps, half quicker ones.
        self.cycle = round_to_frames("walk", seconds=1.06 * self.body.tempo / math.sqrt(pace), fps=fps)
        self.stride = 1.52 * self.body.leg * math.sqrt(pace)
        self.feet = (self._steps("Left", 0.0), self._steps("Right", 0.5))
        self.flex = cyclic([(0.02, -19.0), (0.27, 3.0), (0.52, 24.0), (0.77, 3.0)])
        self.elbow = cyclic([(0.08, 13.0), (0.34, 20.0), (0.58, 38.0), (0.82, 25.0)])

    def _steps(self, side: str, phase: float) -> Steps:
        body = self.body
        aside = 0.85 * float(body.rest(side + "UpLeg")[0] - body.hips[0]) + body.hips[0]
        ahead = float(body.rest(side + "Foot")[2])
        # At strike the heel is ahead of the hips by somewhat less than half of what the leg covers while it stands.
        reach = 0.5 * _STANCE * self.stride * 0.84
        contacts = []
        for lap in range(-2, 3):
            start = lap + phase
            moments = (0.0, _FOOT_DOWN, _HEEL_OFF, _STANCE)
            strike, flat, rise, leave = ((start + after) * self.cycle for after in moments)
            position = np.array([aside, ahead + start * self.stride + reach])
            contacts.append(Contact(position, (strike, flat, rise, leave), (20.0, -56.0), lift=0.05 * body.size))
        return Steps(body, side, contacts)

    def recipe(self) -> Recipe:
        stride = np.array([0.0, 0.0, self.stride])
        return Recipe(self.body.skeleton, self.pose, self.cycle, self.fps, "walk", loop=True, stride=stride)

    def pose(self, time: float) -> Pose:
        body, amount, phase = self.body, self.intensity, time / self.cycle
        feet: tuple[FootPose, FootPose] = (self.feet[0].at(time), self.feet[1].at(time))
        sway = wave(phase, _MIDDLE)
        # The body slows as it climbs over the standing leg and gains as it falls to the next.
        ahead = phase * self.stride - 0.012 * self.stride * math.sin(4.0 * math.pi * (phase - _MIDDLE))
        rise = (-0.023 + 0.015 * wave(2.0 * phase, 2.0 * _MIDDLE + 0.05)) * body.size
        hips = body.hips + np.array([0.026 * body.size * sway, rise, ahead])
        pelvis = euler(
            yaw=-7.0 * amount * wave(phase),
            pitch=3.0 + 1.5 * wave(2.0 * phase, 0.1),
            roll=4.5 * amount * wave(phase, 0.16),
        )
        chest = euler(
            yaw=6.5 * amount * wave(phase, 0.02),
            pitch=3.5 + 1.2 * wave(2.0 * phase, 0.22),
            roll=-2.2 * amount * wave(phase, 0.2),
        )
        head = euler(
            yaw=1.0 * wave(phase, 0.05), pitch=2.0 - 1.0 * wave(2.0 * phase, 0.2), roll=-0.8 * wave(phase, 0.25)
        )
        arms = (self._arm(phase), self._arm(phase + 0.5))
        hips = body.settle(hips, pelvis, feet)
        return body.pose(Stance(hips, feet, pelvis, chest, head, arms))

    def _arm(self, phase: float) -> ArmRotation:
        """The left arm: behind while the left leg is ahead."""
        amount = self.intensity
        flex = 2.0 + amount * (self.flex(phase) - 2.0)
        elbow = 16.0 + amount * (self.elbow(phase) - 16.0)
        return ArmRotation(
            flex=flex,
            spread=14.0 - 2.0 * amount * wave(phase, 0.5),
            rotation=8.0 + 5.0 * amount * wave(phase, 0.55),
            elbow=max(elbow, 8.0),
            wrist=6.0 + 5.0 * wave(phase, 0.7),
            curl=24.0,
        )
