"""Timing by gesture: when a hand was where becomes keys of a layer, or the way that a character goes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.edits.layers import Key, Layer
from supple.edits.strokes.reduction import simplify
from supple.edits.strokes.stroke import Stroke
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.motion import Motion

_WHERE = "timing"
_SAMPLES = 200  # places along a stroke that are looked at
_STANDS = 0.02  # of the skeleton's size that a lap goes on: less is no walk
_UP = np.array([0.0, 1.0, 0.0])


def layer_by_gesture(
    name: str, use: str, stroke: Stroke, *, along: ArrayLike, start: float = 0.0, tolerance: float = 0.02
) -> Layer:
    """A layer whose keys follow a hand: as far as the stroke had come along a direction, so much there is of `use`.

    `along` (3,) is the way from none of it to all of it; the stroke's lowest knot along it counts as 0 and its highest
    as 1. Keys come when the hand was at its knots (`Stroke.from_samples(keep_times=True)` has enough of them), from
    `start` [s] on, as few as stay within `tolerance` of it.
    """
    direction = quaternions.normalize(np.asarray(along, dtype=np.float64))
    low, high = (end(stroke.knots @ direction) for end in (np.min, np.max))
    if not high - low > 1e-9 * stroke.length:
        raise InputError(_WHERE, "the stroke does not go along that way", "amounts follow it", "draw along it")
    times, amounts = _by_time(stroke, stroke.knot_fractions, (stroke.knots @ direction - low) / (high - low))
    course = np.stack([times / times[-1], amounts], axis=1)
    return Layer(
        name=name,
        keys=tuple(
            Key(time=start + float(times[k]), use=use, amount=float(amounts[k]), ease="linear")
            for k in simplify(course, tolerance)
        ),
    )


def travel_along(motion: Motion, path: Stroke, *, turn: bool = True) -> Motion:
    """A motion whose roots go along a path as the hand did that drew it, from where they are at their first key on.

    Its own duration is that of the drawing, in which the motion plays on as often as it has to; heights stay those of
    the motion. With `turn` the character faces the way it goes, as it faced the path's beginning.
    """
    t = np.linspace(0.0, 1.0, _SAMPLES)
    times, fractions = _by_time(path, t, t)
    frames = math.ceil(times[-1] * motion.fps) + 1
    clock = np.linspace(0.0, times[-1], frames)
    share = np.interp(clock, times, fractions)
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    moves, rotations, scales = _played(motion, clock)
    centre = moves[0, roots[0]].copy()
    spin = _headings(path, share) if turn else np.tile([0.0, 0.0, 0.0, 1.0], (frames, 1))
    went = path.at(share) - path.at(0.0)
    went[:, 1] = 0.0
    for root in roots:
        about = moves[:, root] - [1.0, 0.0, 1.0] * moves[:, roots[0]]
        moves[:, root] = _rotate(spin, about) + went + [centre[0], 0.0, centre[2]]
        rotations[:, root] = quaternions.quat_multiply(spin, rotations[:, root])
    shapes = {name: np.interp(_wrap(motion, clock), motion.times, values) for name, values in motion.shapes.items()}
    return motion.replace(
        translations=moves,
        rotations=rotations,
        scales=scales,
        shapes=shapes,
        fps=(frames - 1) / float(times[-1]),
        loop=False,
        stride=None,
    )


def pace_of(motion: Motion) -> float | None:
    """How fast [m/s] a motion that loops goes over the ground; None for one that stays where it is."""
    if not motion.loop or motion.stride is None or not motion.duration > 0.0:
        return None
    speed = float(np.hypot(motion.stride[0], motion.stride[2])) / motion.duration
    return speed if speed * motion.duration > _STANDS * float(np.ptp(motion.skeleton.heads, axis=0).max()) else None


def _by_time(stroke: Stroke, t: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """When [s] a hand was at shares `t`, counted from its beginning, and values there, once for each moment."""
    times = stroke.time_at(t) - stroke.time_at(0.0)
    if not times[-1] > 0.0:
        raise InputError(_WHERE, "the stroke took no time", "its own times become keys", "record when it was drawn")
    later = np.concatenate([[True], np.diff(times) > 0.0])
    return times[later], values[later]


def _wrap(motion: Motion, clock: FloatArray) -> FloatArray:
    """Times [s] in a motion that is played over and over, or holds its last key where it does not loop."""
    if motion.loop and motion.duration > 0.0:
        return np.asarray(np.mod(clock, motion.duration))
    return np.minimum(clock, motion.duration)


def _played(motion: Motion, clock: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Local moves (F, J, 3) [m], rotations (F, J, 4) and scales at times [s]."""
    skeleton, found = motion.skeleton, []
    for time in _wrap(motion, clock):
        world = motion.sample(float(time)).world_from_joint
        local = np.array(world)
        below = skeleton.parents >= 0
        local[below] = np.linalg.solve(world[skeleton.parents[below]], world[below])
        found.append(local)
    moves, rotations, scales = quaternions.decompose(np.array(found))
    return np.array(moves), np.array(rotations), None if motion.scales is None else np.asarray(scales)


def _headings(path: Stroke, share: FloatArray) -> FloatArray:
    """Turns (F, 4) about the vertical from the way that a path begins with to the way that it has at shares."""
    step = 1.0 / _SAMPLES
    ways = path.at(np.minimum(share + step, 1.0)) - path.at(np.maximum(share - step, 0.0))
    angles = np.unwrap(np.arctan2(ways[:, 0], ways[:, 2]))
    return quaternions.quat_from_axis_angle(np.broadcast_to(_UP, (len(share), 3)), angles - angles[0])


def _rotate(spin: FloatArray, vectors: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("fij,fj->fi", quaternions.matrix_from_quat(spin), vectors))
