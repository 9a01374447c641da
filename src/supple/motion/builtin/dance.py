"""Dance: a groove on the spot that loops."""

from __future__ import annotations

import numpy as np

from supple.character.skeleton import Skeleton
from supple.motion.builtin.body import ArmRotation, Body, FootPose, Stance, euler
from supple.motion.builtin.recipe import Recipe
from supple.motion.builtin.timing import check_range, cyclic, round_to_frames, spline, wave
from supple.motion.pose import Pose

_BEATS = 16


def dance(skeleton: Skeleton, *, seconds: float = 8.0, intensity: float = 1.0, fps: float = 60.0) -> Recipe:
    """Sixteen beats of dancing on the spot in `seconds`, then again: it loops.

    Knees give on every beat, hips swing from side to side and around, heels come off the ground in turn, the chest
    answers the hips, and the arms do two things: pump at the sides for eight beats, then roll overhead for eight.
    """
    check_range("dance", "intensity", intensity, low=0.2, high=1.3)
    body = Body(skeleton, "dance")
    seconds = round_to_frames("dance", seconds=seconds, fps=fps)
    high = spline([(0.0, 0.0), (0.42, 0.0), (0.56, 1.0), (0.86, 1.0), (1.0, 0.0)])
    rotation = cyclic([(0.0, 0.0), (0.125, 1.0), (0.25, 0.0), (0.375, -1.0), (0.5, 0.0), (0.625, -1.0), (0.875, 1.0)])

    def foot(side: str, lift: float) -> FootPose:
        ankle = body.rest(side + "Foot")
        wide = np.array([ankle[0] * 1.18, ankle[2]])
        return body.roll_foot(side, wide, pitch=-30.0 * max(lift, 0.0) ** 2)

    def pose(time: float) -> Pose:
        lap = time / seconds
        beat = lap * _BEATS
        a = intensity
        swing = wave(beat / 2.0, 0.0)  # hips to the left on even beats, to the right on odd ones
        late = wave(beat / 2.0, 0.14)
        dip = wave(beat, 0.1)
        feet = (foot("Left", -a * swing), foot("Right", a * swing))
        around = rotation(lap)
        hips = body.hips + body.leg * np.array(
            [0.09 * a * swing, -0.075 - 0.026 * a * dip, 0.030 * a * wave(beat / 2.0, 0.25)]
        )
        pelvis = euler(12.0 * a * late + 8.0 * around, 4.0 + 4.0 * a * wave(beat, 0.3), 10.0 * a * swing)
        chest = euler(-14.0 * a * late + 16.0 * a * around, 5.0 + 5.0 * a * wave(beat, 0.45), -8.0 * a * late)
        head = euler(
            -4.0 * a * late + 14.0 * a * around, 3.0 + 6.0 * a * wave(beat, 0.6), 5.0 * a * wave(beat / 2.0, 0.3)
        )
        arms = (_arm(beat, high(lap), a), _arm(beat + 1.0, high(lap), a))
        shrug = 1.5 * a * (1.0 - dip)
        return body.pose(Stance(body.settle(hips, pelvis, feet), feet, pelvis, chest, head, arms, shrug))

    return Recipe(skeleton, pose, seconds, fps, "dance", loop=True)


def _arm(beat: float, high: float, amount: float) -> ArmRotation:
    """The left arm; the right one does the same a beat later."""
    pump = wave(beat / 2.0, 0.55)
    late = wave(beat / 2.0, 0.70)
    low = ArmRotation(
        8.0 + 30.0 * amount * pump, 30.0 + 5.0 * late, -4.0, 78.0 - 20.0 * amount * late, 8.0 * late, 50.0
    )
    up = ArmRotation(
        26.0 + 8.0 * pump, 118.0 + 18.0 * amount * pump, -48.0, 52.0 - 26.0 * amount * late, 14.0 * late, 14.0
    )
    return low.toward(up, high)
