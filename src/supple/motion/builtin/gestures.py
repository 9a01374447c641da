"""Small motions on the spot: waving with the right hand, and breathing."""

from __future__ import annotations

import math

import numpy as np

from supple.character.skeleton import Skeleton
from supple.motion.builtin.body import SIDES, ArmRotation, Body, FootPose, Stance, euler
from supple.motion.builtin.recipe import Recipe
from supple.motion.builtin.timing import check_range, round_to_frames, smoothstep, spline
from supple.motion.builtin.timing import wave as cosine
from supple.motion.pose import Pose

_LOW = -0.004  # of a leg's length: how far the hips of someone standing at ease are below those of the rest pose


def wave(skeleton: Skeleton, *, seconds: float = 3.6, fps: float = 60.0) -> Recipe:
    """Raise the right arm, wave to and fro from the elbow, and lower it; `seconds` in all, more gives more waves.

    The weight shifts to the left, the chest and the head give way a little, the hand trails the forearm.
    """
    check_range("wave", "seconds", seconds, low=2.0, high=60.0)
    body = Body(skeleton, "wave")
    seconds = round_to_frames("wave", seconds=seconds, fps=fps)
    feet = _standing(body)
    up, down = 0.85, seconds - 1.05
    waves = max(round((down - up) / 0.52), 1)
    rate = waves / (down - up)
    raised = ArmRotation(flex=14.0, spread=86.0, rotation=-78.0, elbow=84.0, wrist=-4.0, curl=6.0)
    halfway = ArmRotation(flex=34.0, spread=44.0, rotation=-30.0, elbow=96.0, wrist=8.0, curl=20.0)
    relaxed = ArmRotation(flex=2.0, spread=13.0, rotation=8.0, elbow=16.0, wrist=2.0, curl=24.0)

    def pose(time: float) -> Pose:
        lift = smoothstep(time, 0.12, up + 0.05) - smoothstep(time, down, seconds - 0.12)
        swing = smoothstep(time, up - 0.25, up + 0.25) - smoothstep(time, down - 0.2, down + 0.25)
        phase = (time - up) * rate
        # On its way up and down the arm passes in front of the body, elbow first.
        arm = relaxed.toward(halfway, lift).toward(halfway.toward(raised, lift), lift)
        forearm = swing * math.sin(2.0 * math.pi * phase)
        trailing = swing * math.sin(2.0 * math.pi * (phase - 0.13))
        right = ArmRotation(
            arm.flex,
            arm.spread + 3.0 * forearm,
            arm.rotation,
            arm.elbow - 12.0 * swing + 24.0 * forearm,
            arm.wrist + 9.0 * trailing,
            arm.curl,
        )
        aside = 0.030 * body.size * lift
        pelvis = euler(roll=1.6 * lift)
        chest = euler(-3.0 * lift, -1.0 * lift, -3.5 * lift - 0.8 * trailing)
        head = euler(-5.0 * lift, 0.0, 4.0 * lift + 1.2 * trailing)
        hips = body.settle(body.hips + np.array([aside, _LOW * body.leg, 0.0]), pelvis, feet)
        return body.pose(Stance(hips, feet, pelvis, chest, head, (relaxed, right)))

    return Recipe(skeleton, pose, seconds, fps, "wave")


def breathing(
    skeleton: Skeleton, *, seconds: float = 8.0, breaths: int = 2, intensity: float = 1.0, fps: float = 60.0
) -> Recipe:
    """Stand at ease and breathe `breaths` times in `seconds`; loops.

    The chest swells and lifts, the belly follows, shoulders rise, arms give way, and the weight wanders slowly from one
    foot to the other. The swelling is a small even scale of the upper two spine joints (1 to 2 parts in a hundred),
    which nothing that hangs on them takes over.
    """
    check_range("breathing", "intensity", intensity, low=0.0, high=3.0)
    if breaths < 1:
        check_range("breathing", "breaths", breaths, low=1, high=1000)
    body = Body(skeleton, "breathing")
    seconds = round_to_frames("breathing", seconds=seconds, fps=fps)
    feet = _standing(body)
    breath = spline([(0.0, 0.0), (0.40, 1.0), (0.47, 1.0), (0.92, 0.0), (1.0, 0.0)])

    def pose(time: float) -> Pose:
        lap = time / seconds
        phase = lap * breaths
        air = intensity * breath(phase % 1.0)
        belly = intensity * breath((phase - 0.06) % 1.0)
        drift = cosine(lap, 0.3)
        hips = body.hips + np.array([0.012 * body.size * drift, _LOW * body.leg, 0.004 * body.size * cosine(lap, 0.1)])
        pelvis = euler(1.0 * drift, 0.5 - 0.8 * air, 1.0 * drift)
        chest = euler(-0.8 * drift, 2.0 - 4.0 * air, -1.2 * drift)
        head = euler(1.5 * cosine(lap, 0.55), 2.0 - 2.0 * air, -0.6 * drift)
        arm = ArmRotation(2.0 - 2.5 * air, 13.0 + 2.5 * air, 8.0, 16.0 + 2.0 * air, 2.0, 24.0)
        stance = Stance(
            body.settle(hips, pelvis, feet),
            feet,
            pelvis,
            chest,
            head,
            (arm, arm),
            shrug=2.6 * air,
            swell=(0.018 * air, 0.014 * belly),
        )
        return body.pose(stance)

    return Recipe(skeleton, pose, seconds, fps, "breathing", loop=True)


def _standing(body: Body) -> tuple[FootPose, FootPose]:
    left, right = (body.roll_foot(side, body.rest(side + "Foot")[[0, 2]]) for side in SIDES)
    return left, right
