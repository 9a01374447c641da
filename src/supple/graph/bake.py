"""The bake: a player's frames written one by one to a file that survives anything."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import itertools
import math
import os
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple import machine
from supple.arrays import Float32Array, FloatArray, digest_of
from supple.character import packing
from supple.character.character import Character
from supple.character.fingerprint import fingerprint
from supple.errors import InputError, SuppleWarning, UnfinishedError
from supple.graph import container
from supple.graph.baked_bodies import pack_bodies, with_meshes
from supple.graph.cache import Cache, differences, part_of
from supple.graph.graph import Graph
from supple.graph.player import Player
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource
from supple.obstacles.shapes import RigidBody
from supple.skins.base import AnySkin
from supple.skins.kinematic.linear_blend import LinearBlend

_DIGITS = 6  # of poses that tell motions apart: the last bits may depend on the machine that sampled them
CHECKPOINT_EVERY = 32  # frames, for skins with a memory
OnFailure = Literal["fall-back", "stop"]


@dataclass(frozen=True)
class Progress:
    """Told to whoever watches a bake, after every frame; `stages` are the seconds of every stage of the graph."""

    frame: int
    frames: int
    seconds: float
    fell_back: bool
    stages: Mapping[str, float]


def bake(
    character: Character,
    motion: PoseSource,
    skin: AnySkin | Graph,
    *,
    path: str | Path | None = None,
    device: str = "cpu",
    fps: float | None = None,
    start: float = 0.0,
    end: float | None = None,
    on_failure: OnFailure = "fall-back",
    overwrite: bool = False,
    watch: Callable[[Progress], None] | None = None,
) -> Cache:
    """Write every frame of a motion to `path`, and return it as a cache.

    A bake that was interrupted, however rudely, is taken up where it stopped; one that is already there is returned as
    it is. A file at `path` that was baked from something else is refused by name unless `overwrite` is true. Without a
    path the cache lives in a temporary file as long as it is used. `fps` is the motion's own if not given, `end` [s]
    the motion's end. A frame in which the skin fails is replaced by linear blend and noted (`cache.fell_back`), or
    stops the bake with `on_failure="stop"`.
    """
    if on_failure not in ("fall-back", "stop"):
        raise InputError("bake", f"on_failure is {on_failure!r}", "'fall-back' or 'stop' is needed", "choose one")
    plan = _Plan.of(character, motion, Graph.of(skin), device=device, fps=fps, start=start, end=end)
    target = Path(path) if path is not None else _temporary()
    if target.is_dir():
        raise InputError(str(target), "it is a folder", "a file name is needed", "name a file such as hero.supple")
    finished = _existing(target, plan, overwrite=overwrite)
    if finished is not None:
        return finished
    _Bake(plan, target, on_failure, watch).run()
    cache = Cache(target, verify=False)
    if path is None:
        weakref.finalize(cache, _discard, target)
    return cache


@dataclass(frozen=True)
class _Plan:
    """What is to be baked, and the header that says so."""

    character: Character
    motion: PoseSource
    graph: Graph
    device: str
    times: NDArray[np.float64]
    info: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        character: Character,
        motion: PoseSource,
        graph: Graph,
        *,
        device: str,
        fps: float | None,
        start: float,
        end: float | None,
    ) -> _Plan:
        times, rate = _frame_times(motion, fps, start, end)
        graph.check_for(character)
        character.skeleton.check_same(motion.skeleton, "bake")
        poses = [motion.sample(float(at)) for at in times]
        from supple import __version__

        arrays, display = packing.pack(character), packing.pack_display(character)
        words = packing.describe(character)
        info = {
            "supple": __version__,
            "character": fingerprint(character),
            "motion": _motion_digest(motion, times, poses, graph.step),
            "motion_name": getattr(motion, "name", type(motion).__name__),
            "graph": graph.to_dict(),
            "fps": rate,
            "start": float(times[0]),
            "frames": len(times),
            "device": devices.check_device(device).split(":")[0],
            "made_on": machine.kind(),
            **words,
            **{named: sorted(words[named]) for named in ("parts", "maps", "shapes")},
            "display": _digest_of(display).tobytes().hex() if display else None,
        }
        met, bodies = pack_bodies(graph.met_bodies(character), character, poses)
        info |= {"bodies": bodies} if bodies else {}
        shape_weights = [[pose.shapes.get(name, 0.0) for name in sorted(character.shapes)] for pose in poses]
        moving = {
            "poses": np.stack([pose.world_from_joint for pose in poses]).astype("<f8"),
            "shape_shares": np.array(shape_weights, dtype="<f8").reshape(len(poses), len(character.shapes)),
        }
        return cls(character, motion, graph, device, times, info, {**arrays, **display, **moving, **met})

    @cached_property
    def met(self) -> tuple[RigidBody, ...]:
        """What its skin meets."""
        return self.graph.met_bodies(self.character)

    @cached_property
    def player(self) -> Player:
        """What plays it; made when the first frame is, for a bake that is there already needs none."""
        return Player(self.character, self.graph, device=self.device, fps=self.info["fps"])


def _frame_times(
    motion: PoseSource, fps: float | None, start: float, end: float | None
) -> tuple[NDArray[np.float64], float]:
    rate = fps if fps is not None else (motion.fps if isinstance(motion, Motion) else 60.0)
    if not (math.isfinite(rate) and rate > 0.0):
        raise InputError("bake", f"fps is {rate}", "a rate above zero is needed", "use 24, 30 or 60")
    if end is None:
        if not isinstance(motion, Motion):
            given = f"a {type(motion).__name__} has no end of its own"
            raise InputError("bake", given, "a bake needs one", "pass end in seconds")
        end = motion.duration
    if not (math.isfinite(start) and math.isfinite(end) and end >= start):
        raise InputError("bake", f"it starts at {start} s and ends at {end} s", "the end comes last", "swap them")
    count = math.floor((end - start) * rate + 1e-6) + 1
    return start + np.arange(count) / rate, rate


def _motion_digest(motion: PoseSource, times: NDArray[np.float64], poses: list[Pose], step: float | None) -> str:
    """Fingerprint of all poses the bake will see: at the frames, and for soft skins at their steps too."""
    total = hashlib.blake2b(digest_size=16)
    ticks = range(0)
    if step is not None:
        ticks = range(math.floor(times[0] / step), math.ceil(times[-1] / step) + 1)
    for pose in itertools.chain(poses, (motion.sample(tick * step) for tick in ticks if step is not None)):
        total.update((np.round(pose.world_from_joint, _DIGITS) + 0.0).tobytes())
        total.update(repr([(name, round(weight, _DIGITS)) for name, weight in sorted(pose.shapes.items())]).encode())
    return total.hexdigest()


def _existing(target: Path, plan: _Plan, *, overwrite: bool) -> Cache | None:
    """A finished bake of exactly this, if it is there; anything else in its place is refused or removed."""
    for found in (target, part_of(target)):
        if not found.exists():
            continue
        try:
            info, _ = container.read_layout(found)
        except InputError:
            if overwrite or found != target:  # a start that was killed before its header was whole
                found.unlink()
                continue
            raise
        changed = differences(plan.info, info)
        if changed and not overwrite:
            raise InputError(
                str(found),
                f"it was baked from something else ({', '.join(changed)} differs)",
                "a bake is only taken up with the same input",
                "choose another path, delete the file, or allow it to be overwritten",
            )
        if changed or overwrite:
            found.unlink()
        elif found == target:
            return Cache(found)
    return None


class _Bake:
    """One bake under way."""

    def __init__(
        self, plan: _Plan, target: Path, on_failure: OnFailure, watch: Callable[[Progress], None] | None
    ) -> None:
        self._plan, self._target, self._part = plan, target, part_of(target)
        self._stop_on_failure, self._watch = on_failure == "stop", watch
        count, vertices = len(plan.times), len(plan.character.points)
        joints = len(plan.character.skeleton) if plan.graph.simulates_skeleton else 0
        # The header stays that of the machine which began.
        began = container.read_layout(self._part)[0] if self._part.exists() else plan.info
        info = {**plan.info, "made_on": began.get("made_on", "unknown")}
        bodies = len(info.get("bodies", ()))
        self._layout = container.plan(info, plan.arrays, frames=count, vertices=vertices, joints=joints, bodies=bodies)
        self._began_on = info["made_on"]
        self._soft = plan.graph.step is not None
        self._checkpoint = target.with_name(target.name + ".checkpoint.npz")
        self._kinematic: Player | None = None
        self._made_on = container.kind_mark(machine.kind())

    def run(self) -> None:
        """Write what is missing, then give the file its name."""
        with _disk_full_named(self._target):
            if not self._part.exists():
                container.start(self._part, self._layout, self._plan.arrays)
            with _locked(self._part) as file:
                self._frames(file)
                os.fsync(file.fileno())
            self._part.replace(self._target)
        for leftover in (self._checkpoint, part_of(self._checkpoint)):
            leftover.unlink(missing_ok=True)

    def _frames(self, file: io.FileIO) -> None:
        first = self._resume(file)
        for frame in range(first, len(self._plan.times)):
            begin = time.perf_counter()
            player, points, status = self._frame(frame)
            bones = player.simulated_pose.world_from_joint if self._layout.joints else None
            container.write_frame(
                file,
                self._layout,
                frame,
                points=points,
                bones=bones,
                bodies=self._bodies(player),
                status=status,
                made_on=self._made_on,
            )
            if self._soft and (frame + 1) % CHECKPOINT_EVERY == 0 and status == container.GOOD:
                self._save_checkpoint(frame)
            if self._watch is not None:
                taken, stages = time.perf_counter() - begin, self._plan.player.stage_seconds
                self._watch(Progress(frame, len(self._plan.times), taken, status == container.FELL_BACK, stages))

    def _bodies(self, player: Player) -> FloatArray | None:
        """Where what the skin meets is; where the skin failed, where it is when the skin starts anew."""
        if not self._layout.bodies:
            return None
        places = player.body_transforms
        if len(places) != len(self._plan.met):
            places = np.array([body.world_from_body(0.0) for body in self._plan.met])
        return places[with_meshes(self._plan.met)]

    def _frame(self, frame: int) -> tuple[Player, Float32Array, int]:
        """One frame, and the player that made it."""
        at = float(self._plan.times[frame])
        why = "numbers that are not finite"
        try:
            points = self._plan.player.play(self._plan.motion, at)
            if np.isfinite(points).all():
                return self._plan.player, points, container.GOOD
        except (UnfinishedError, FloatingPointError, np.linalg.LinAlgError) as error:
            why = str(error)
        if self._stop_on_failure:
            raise UnfinishedError(
                "bake",
                f"the skin failed in frame {frame} ({why})",
                "it was told to stop there",
                "try softer settings or a smaller step, or let failing frames fall back to linear blend",
            )
        self._plan.player.reset()
        if self._kinematic is None:
            self._kinematic = Player(self._plan.character, LinearBlend(), device=self._plan.player.device)
        points = self._kinematic.play(self._plan.motion, at)
        if not np.isfinite(points).all():
            raise UnfinishedError(
                "bake",
                f"the pose of frame {frame} sends linear blend beyond all numbers",
                "poses must keep the skin finite",
                "look at the motion there",
            )
        return self._kinematic, points, container.FELL_BACK

    def _resume(self, file: io.FileIO) -> int:
        """How many frames are there and whole; a skin with a memory goes back to its last checkpoint."""
        status, sums, _ = container.read_table(self._part, self._layout)
        whole = 0
        while whole < len(status) and status[whole] and self._whole(whole, sums[whole]):
            whole += 1
        if self._soft:
            whole = self._load_checkpoint(whole)
        container.forget_frames(file, self._layout, whole)
        if whole:
            self._tell_of_others()
        return whole

    def _tell_of_others(self) -> None:
        """A bake that was begun on another kind of machine goes on, and says so."""
        if self._began_on != machine.kind():
            warnings.warn(
                f"bake: {self._part.name} was begun on another kind of machine ({self._began_on}) and "
                f"goes on here ({machine.kind()}); frames may differ by rounding, cache.made_elsewhere names those of "
                "this machine",
                SuppleWarning,
                stacklevel=2,
            )

    def _whole(self, frame: int, check: bytes) -> bool:
        return container.frame_digest(self._part, self._layout, frame) == check

    def _save_checkpoint(self, frame: int) -> None:
        """Write beside it and rename: a kill leaves the last checkpoint whole. The lock makes the name ours alone."""
        kept = self._plan.player.snapshot()
        with part_of(self._checkpoint).open("wb") as file:
            header = np.frombuffer(container.digest(self._layout.header), dtype=np.uint8)
            whole: dict[str, Any] = {"header": header, "frame": np.array(frame), "sum": _digest_of(kept), **kept}
            np.savez(file, **whole)
        part_of(self._checkpoint).replace(self._checkpoint)

    def _load_checkpoint(self, whole: int) -> int:
        """Put the player back to the last checkpoint and return the frame after it; 0 if there is none of use."""
        if not self._checkpoint.exists():
            return 0
        try:
            with np.load(self._checkpoint, allow_pickle=False) as file:
                saved = dict(file)
            frame = int(saved.pop("frame"))
            header, check = saved.pop("header").tobytes(), saved.pop("sum")
        except (OSError, ValueError, KeyError, EOFError):
            return 0
        of_this = header == container.digest(self._layout.header) and np.array_equal(check, _digest_of(saved))
        if not of_this or frame >= whole:
            return 0
        try:
            self._plan.player.restore(saved)
        except (KeyError, ValueError):  # of a version whose states remember other things
            self._plan.player.reset()
            return 0
        return frame + 1


def _digest_of(arrays: dict[str, NDArray[Any]]) -> NDArray[np.uint8]:
    return np.frombuffer(digest_of(sorted(arrays.items())), dtype=np.uint8)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[io.FileIO]:
    """The file, unbuffered, held against a second bake to the same place where the system can do that."""
    with open(path, "r+b", buffering=0) as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # Windows
        except BlockingIOError:
            raise InputError(
                str(path), "another bake is writing it", "only one may", "wait for it, or choose another path"
            ) from None
        yield file


@contextlib.contextmanager
def _disk_full_named(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise UnfinishedError(
            str(target),
            f"the disk is full ({error.strerror})",
            "the frames so far are kept",
            "make room and bake again: it goes on from there",
        ) from None


def _temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="supple-")) / "bake.supple"


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        path.parent.rmdir()
