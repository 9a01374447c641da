"""Animation: key frames of nodes, sampled onto one even rate per clip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.geometry import quaternions
from supple.io.gltf.accessors import FLOAT, Accessors, as_floats
from supple.io.gltf.document import Document
from supple.io.gltf.scene import Scene
from supple.io.rigs.rig import Rig, rests
from supple.motion.motion import Motion
from supple.names import unique

HIGHEST_RATE = 120.0  # [1/s]
SMOOTH_RATE = 60.0  # [1/s] at least, where keys are joined by curves or jumps, which a straight blend would miss
ALONE = 30.0  # [1/s] of a clip with one key, where no rate follows from the keys
LONGEST = 1 << 17  # frames, or four for every key: 18 minutes at the highest rate, and no damaged time asks for more
_PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_ROUNDED_SCALE = 1e-6  # from one: such a scale is none
_FINEST = 240  # frames between the two closest keys that are tried, no more
_GRID = 2e-3  # of a frame: how far float32 times may lie off an even grid
_ROUNDED, _MILLISECOND = 0.02, 5.1e-4  # of a frame, and [s]: how far times in whole milliseconds may lie off it
_MOST_TRIED, _TRIED = 6000, 24  # rates that are tried one by one, and keys that each is tried on first
# What a frame costs while it is made: ten numbers of each joint and as many again to check them, the numbers that blend
# one curve, and of each shape its share and what blends it.
_JOINT_BYTES, _FRAME_BYTES, _SHAPE_BYTES = 160, 640, 64


@dataclass(frozen=True, eq=False)
class Curve:
    """Keys of one node: `times` (K,) [s] rising, `values` (K, w), and for CUBICSPLINE the slopes at each key."""

    node: int
    path: str
    interpolation: str
    times: FloatArray
    values: FloatArray
    slopes_in: FloatArray
    slopes_out: FloatArray

    def sample(self, times: FloatArray) -> FloatArray:
        """Values (F, w) at `times` [s]; the first and the last key hold outside."""
        after = np.searchsorted(self.times, times, side="right")
        first = np.clip(after - 1, 0, len(self.times) - 1)
        last = np.minimum(first + 1, len(self.times) - 1)
        step = self.times[last] - self.times[first]
        alpha = np.clip((times - self.times[first]) / np.where(step > 0.0, step, 1.0), 0.0, 1.0)
        a, b = self.values[first], self.values[last]
        if self.interpolation == "STEP":
            return a
        if self.interpolation == "CUBICSPLINE":
            t, long = alpha[:, None], step[:, None]
            mixed = (
                (2 * t**3 - 3 * t**2 + 1) * a
                + (t**3 - 2 * t**2 + t) * long * self.slopes_out[first]
                + (3 * t**2 - 2 * t**3) * b
                + (t**3 - t**2) * long * self.slopes_in[last]
            )
            return quaternions.normalize(mixed) if self.path == "rotation" else mixed
        if self.path == "rotation":
            return quaternions.slerp(a, b, alpha)
        mixed = a + alpha[:, None] * (b - a)
        return np.where(alpha[:, None] == 1.0, b, mixed)

    @property
    def bends(self) -> bool:
        """Whether a straight blend between keys would miss what happens there."""
        if self.interpolation == "LINEAR" or len(self.times) == 1:
            return False
        size = max(float(np.abs(self.values).max()), 1.0)
        slopes = float(np.abs(self.slopes_out).max(initial=0.0)) * float(np.diff(self.times).max())
        return max(float(np.ptp(self.values, axis=0).max()), slopes) > 1e-6 * size  # less is rounding


@dataclass(frozen=True)
class Channel:
    """One property of one node that a clip moves, and the sampler that says how."""

    node: int
    path: str
    sampler: int
    where: str


@dataclass(frozen=True, eq=False)
class Clip:
    """One animation: its name, the nodes and the shapes it moves, and its samplers, unread."""

    name: str
    channels: list[Channel]
    shape_channels: list[Channel]
    samplers: list[Any]


def read_clips(document: Document) -> list[Clip]:
    """All animations of a file, by unique names; their keys are read when a joint needs them."""
    items = document.items("animations")
    names = unique([document.text(fields, "name", f"animation{number}") for number, fields in enumerate(items)])
    clips = []
    for number, fields in enumerate(items):
        where = f"animations[{number}]"
        samplers = document.listing(fields, "samplers", where)
        channels = {}
        for grid_index, channel in enumerate(document.listing(fields, "channels", where)):
            at = f"{where}.channels[{grid_index}]"
            if not isinstance(channel, dict):
                raise document.error(at, "it is no object", "an object is needed")
            target = document.mapping(channel, "target", at)
            node = document.index(target, "node", f"{at}.target", of="nodes")
            path = target.get("path")
            if node is not None and isinstance(path, str) and (path in _PATHS or path == "weights"):
                sampler = document.whole(channel, "sampler", at, high=len(samplers) - 1)
                channels[node, path] = Channel(node, path, sampler, at)
        moved = [channel for channel in channels.values() if channel.path in _PATHS]
        shaped = [channel for channel in channels.values() if channel.path == "weights"]
        clips.append(Clip(names[number], moved, shaped, samplers))
    return clips


def moving_nodes(clips: list[Clip], count: int) -> BoolArray:
    """The nodes (N,) that any clip moves."""
    moving = np.zeros(count, dtype=bool)
    moving[[channel.node for clip in clips for channel in clip.channels]] = True
    return moving


def read_curve(document: Document, accessors: Accessors, clip: Clip, channel: Channel) -> Curve:
    """The keys of one channel."""
    where = channel.where
    interpolation, times, rows = _keys(
        document, accessors, clip.samplers[channel.sampler], _PATHS[channel.path], f"{where}.sampler"
    )
    slopes_in = slopes_out = rows[:0]
    values = rows
    if interpolation == "CUBICSPLINE":
        slopes_in, values, slopes_out = rows[0::3], rows[1::3], rows[2::3]
    if channel.path == "rotation":
        values = _rotations(document, values, where)
    return Curve(channel.node, channel.path, interpolation, times, values, slopes_in, slopes_out)


def read_shape_curve(document: Document, accessors: Accessors, clip: Clip, channel: Channel, count: int) -> Curve:
    """The keys of the weights (K, count) of one mesh's shapes."""
    where = channel.where
    interpolation, times, rows = _keys(
        document, accessors, clip.samplers[channel.sampler], "SCALAR", f"{where}.sampler", width=count
    )
    slopes_in, values, slopes_out = rows[:0], rows, rows[:0]
    if interpolation == "CUBICSPLINE":
        slopes_in, values, slopes_out = rows[0::3], rows[1::3], rows[2::3]
    return Curve(channel.node, channel.path, interpolation, times, values, slopes_in, slopes_out)


def _keys(
    document: Document, accessors: Accessors, sampler: Any, shape: str, where: str, *, width: int = 1
) -> tuple[str, FloatArray, FloatArray]:
    """How a sampler joins its keys, when they are, and its values (K, w), or (3K, w) for curves.

    `width` scalars that follow each other in the file are one row.
    """
    if not isinstance(sampler, dict):
        raise document.error(where, "it is no object", "an object is needed")
    interpolation = sampler.get("interpolation", "LINEAR")
    if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        raise document.error(where, "its interpolation is unknown", "LINEAR, STEP or CUBICSPLINE is needed")
    numbers = [document.index(sampler, key, where, of="accessors") for key in ("input", "output")]
    if numbers[0] is None or numbers[1] is None:
        raise document.error(where, "it lacks its input or its output", "both are needed")
    times = accessors.rows(numbers[0], f"{where}.input", shape="SCALAR", kinds=FLOAT)[:, 0]
    rows = accessors.rows(numbers[1], f"{where}.output", shape=shape)
    document.spend(48 * len(times) + 16 * rows.size, where)
    times, rows = as_floats(times), as_floats(rows)
    if width > 1:
        if len(rows) % width:
            raise document.error(where, f"there are {len(rows)} values", f"a multiple of {width} is needed")
        rows = rows.reshape(-1, width)
    each = 3 if interpolation == "CUBICSPLINE" else 1
    if len(rows) != each * len(times):
        raise document.error(where, f"there are {len(rows)} values", f"{len(times)} keys need {each} each")
    if not np.isfinite(rows).all() or not np.isfinite(times).all():
        raise document.error(where, "some keys are not finite", "finite keys are needed")
    later = times > np.maximum.accumulate(np.concatenate([[-np.inf], times[:-1]]))
    if not later.all():
        document.faults.mend(
            f"{where}.input",
            f"{int((~later).sum())} keys are not later than those before",
            "times must rise",
            "those keys are dropped",
        )
        rows = rows.reshape(len(times), each, -1)[later].reshape(-1, rows.shape[1])
        times = times[later]
    return interpolation, times, rows


def _rotations(document: Document, values: FloatArray, where: str) -> FloatArray:
    largest = np.abs(values).max(axis=1, keepdims=True)
    zero = largest[:, 0] < 1e-6
    if zero.any():
        document.faults.mend(
            where, f"{int(zero.sum())} rotations are zero", "unit quaternions are needed", "those are not turned"
        )
        values, largest = values.copy(), np.maximum(largest, 1e-6)
        values[zero] = [0.0, 0.0, 0.0, 1.0]
        largest[zero] = 1.0
    return quaternions.normalize(values / largest)


def motions(
    document: Document,
    accessors: Accessors,
    scene: Scene,
    rig: Rig,
    clips: list[Clip],
    *,
    shapes_of: Mapping[int, list[str]] | None = None,
    blended: Mapping[str, float] | None = None,
) -> dict[str, Motion]:
    """The clips as motions of the skeleton; a clip that moves none of its joints and no shape is no motion.

    `shapes_of` names the shapes of the nodes that are drawn, in the order of their weights; `blended` are the shares of
    those that the file opens with, which stay where a clip does not move them.
    """
    made = dict(_each_motion(document, accessors, scene, rig, clips, shapes_of or {}))
    return {name: _with_shares(motion, blended or {}) for name, motion in made.items()}


def _with_shares(motion: Motion, blended: Mapping[str, float]) -> Motion:
    """The motion with shapes blended in all the time, where it does not move them itself."""
    lasting = {name: np.full(motion.frames, share) for name, share in blended.items() if name not in motion.shapes}
    return motion.replace(shapes={**motion.shapes, **lasting}) if lasting else motion


def first_motion(document: Document, accessors: Accessors, scene: Scene, rig: Rig, clips: list[Clip]) -> Motion:
    """The first clip that moves a joint, of which there is one; those after it are not read."""
    return next(motion for _, motion in _each_motion(document, accessors, scene, rig, clips, {}))


def _each_motion(
    document: Document,
    accessors: Accessors,
    scene: Scene,
    rig: Rig,
    clips: list[Clip],
    shapes_of: Mapping[int, list[str]],
) -> Iterator[tuple[str, Motion]]:
    for number, clip in enumerate(clips):
        curves = [
            read_curve(document, accessors, clip, channel) for channel in clip.channels if channel.node in rig.joint_of
        ]
        shaped = [
            read_shape_curve(document, accessors, clip, channel, len(shapes_of[channel.node]))
            for channel in clip.shape_channels
            if shapes_of.get(channel.node)
        ]
        if curves or shaped:
            named = [(curve, shapes_of[curve.node]) for curve in shaped]
            yield clip.name, _motion(document, scene, rig, curves, named, clip.name, len(clips) - number)


def default_pose(scene: Scene, rig: Rig, blended: Mapping[str, float]) -> Motion | None:
    """The pose the file opens in, as a motion of one frame, where it is not the one the mesh was bound in.

    `blended` are the shares of shapes that it opens with.
    """
    motion = _assemble(scene, rig, [], [], np.zeros(1), ALONE, "default pose")
    return None if rests(motion) and not blended else _with_shares(motion, blended)


def _motion(
    document: Document,
    scene: Scene,
    rig: Rig,
    curves: list[Curve],
    shaped: list[tuple[Curve, list[str]]],
    name: str,
    clips_left: int,
) -> Motion:
    every = [*curves, *(curve for curve, _ in shaped)]
    keys = np.unique(np.concatenate([curve.times for curve in every]))
    bends = any(curve.bends for curve in every)
    widest = max((len(names) for _, names in shaped), default=0)
    each = _JOINT_BYTES * len(rig.skeleton) + _FRAME_BYTES + _SHAPE_BYTES * (widest + sum(len(n) for _, n in shaped))
    most = max(min(document.room(clips_left) // each, max(LONGEST, 4 * len(keys))), 2)
    times, fps = even_times(keys, bends=bends, most=most)
    document.spend(len(times) * each, f"clip {name!r}")
    if len(times) == most and most > 2:
        document.faults.note(f"clip {name!r}", f"it is long, and sampled at {fps:.3g} frames a second only")
    return _assemble(scene, rig, curves, shaped, times, fps, name)


def even_times(keys: FloatArray, *, bends: bool, most: int) -> tuple[FloatArray, float]:
    """At most `most` evenly spaced times [s] from the first key to the last, and their rate [1/s].

    The rate is that of the two closest keys, or the smallest multiple of it whose grid hits all keys, or else the
    smallest rate at all whose grid does, up to 120 a second; keys on the grid are hit at the very times of the file.
    Times that were rounded to milliseconds count as hit too. Where keys lie on no such grid, the rate is 120 and keys
    fall between frames. `bends` asks for 60 a second at least.
    """
    length = float(keys[-1] - keys[0])
    if len(keys) == 1 or length <= 1e-6:
        return keys[:1], ALONE
    gaps = np.diff(keys)
    base = length / float(gaps[gaps > 1e-4].min(initial=length))  # steps of the closest keys, not yet whole
    highest = HIGHEST_RATE * length * (1.0 + 1e-3)
    frames = max(int(np.ceil(highest * 0.999 - 1e-3)), 1)
    finer = range(1, min(int(highest / base), _FINEST) + 1)
    count = _first_grid(keys, length, [max(round(base * times), 1) for times in finer], _GRID)
    if count is None and 1.0 <= highest <= _MOST_TRIED:
        every = range(max(int(SMOOTH_RATE * length), 1) if bends else 1, int(highest) + 1)
        rounding = np.minimum(_ROUNDED, _MILLISECOND * np.array(every) / length)
        count = _first_grid(keys, length, every, _GRID) or _first_grid(keys, length, every, rounding)
    if count is not None:
        frames = count * (max(int(np.ceil(SMOOTH_RATE * length / count - 1e-3)), 1) if bends else 1)
    hit = count is not None and frames < most
    frames = min(frames, most - 1)
    times = np.linspace(keys[0], keys[-1], frames + 1)
    if hit:
        grid_index = np.round((keys - keys[0]) * (frames / length)).astype(np.int64)
        times[grid_index[::-1]] = keys[::-1]  # of keys in one place the first counts
        times[-1] = keys[-1]
    rate = frames / length
    near = round(rate)
    float_rounding = 2e-7 * max(abs(float(keys[0])), abs(float(keys[-1])))  # of float32 times
    return times, float(near) if near and abs(frames / near - length) <= float_rounding else rate


def _first_grid(keys: FloatArray, length: float, counts: Sequence[int], tolerance: float | FloatArray) -> int | None:
    """The first of `counts` whose grid of that many steps has all keys on it, up to a share of its step."""
    shares = np.broadcast_to(tolerance, len(counts))
    some = np.unique(np.linspace(1, len(keys) - 1, min(len(keys) - 1, _TRIED), dtype=np.int64))
    steps = np.outer(np.asarray(counts, dtype=np.float64) / length, keys[some] - keys[0])
    fits = np.asarray((np.abs(steps - np.round(steps)) <= shares[:, None]).all(axis=1))
    for row in np.flatnonzero(fits).tolist():
        grid = (keys - keys[0]) * (counts[row] / length)
        if (np.abs(grid - np.round(grid)) <= shares[row]).all():
            return counts[row]
    return None


def _assemble(
    scene: Scene,
    rig: Rig,
    curves: list[Curve],
    shaped: list[tuple[Curve, list[str]]],
    times: FloatArray,
    fps: float,
    name: str,
) -> Motion:
    """Joint transforms and shares of shapes over time: what no curve moves stays as the file opens."""
    keys = rig.opening((scene.moves, scene.rotations, scene.scales), len(times))
    target = dict(zip(_PATHS, keys, strict=True))
    for curve in curves:
        target[curve.path][:, rig.joint_of[curve.node]] = curve.sample(times)
    # Meshes that are drawn together often share names of shapes (a face and its lashes); one share moves them all.
    shapes = {
        label: column for curve, names in shaped for label, column in zip(names, curve.sample(times).T, strict=True)
    }
    return rig.motion(keys, fps, name, shapes=shapes, rounding=_ROUNDED_SCALE)
