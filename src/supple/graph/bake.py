"""The bake: a player's frames written one by one to a file that survives anything."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supple import machine
from supple.arrays import Float32Array, FloatArray, digest_of
from supple.character.character import Character
from supple.errors import BusyError, InputError, StaleError, SuppleWarning, UnfinishedError
from supple.files import put_in_place
from supple.graph import container
from supple.graph.baked_bodies import with_meshes
from supple.graph.baking.plan import Plan
from supple.graph.cache import Cache, differences, part_of
from supple.graph.graph import Graph
from supple.graph.player import Player
from supple.motion.pose import PoseSource
from supple.skins.base import AnySkin
from supple.skins.kinematic.linear_blend import LinearBlend

CHECKPOINT_EVERY = 32  # frames, for skins with a memory
MOST_EVENTS = 128  # pairs that touch in a frame; of more, those that press hardest are kept
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
    plan = Plan.of(character, motion, Graph.of(skin), device=device, fps=fps, start=start, end=end)
    target = Path(path) if path is not None else _temporary()
    if target.is_dir():
        raise InputError(str(target), "it is a folder", "a file name is needed", "name a file such as hero.supple")
    cache = bake_plan(plan, target, on_failure=on_failure, overwrite=overwrite, watch=watch)
    if path is None:
        weakref.finalize(cache, _discard, target)
    return cache


def bake_plan(
    plan: Plan,
    target: Path,
    *,
    on_failure: OnFailure = "fall-back",
    overwrite: bool = False,
    watch: Callable[[Progress], None] | None = None,
) -> Cache:
    """Write what is planned to `target`, or return what is there already."""
    finished = existing(target, plan, overwrite=overwrite)
    if finished is not None:
        _discard_checkpoint(target)  # one that was killed just after it had finished
        return finished
    _Bake(plan, target, on_failure, watch).run(afresh=overwrite)
    return Cache(target, verify=False)


def existing(target: Path, plan: Plan, *, overwrite: bool = False) -> Cache | None:
    """A finished bake of exactly this, if it is there; anything else in its place is refused, or may be overwritten."""
    if target.exists():
        try:
            changed = differences(plan.info, container.read_layout(target)[0])
        except InputError:
            if not overwrite:
                raise
            changed = ["its file"]
        if not changed and not overwrite:
            return Cache(target)
        if changed and not overwrite:
            raise _stale(target, changed)
        target.unlink(missing_ok=True)
    unfinished = part_of(target)
    changed = _changed(unfinished, plan) or []
    if changed and not overwrite:
        raise _stale(unfinished, changed)
    return None


def _changed(found: Path, plan: Plan) -> list[str] | None:
    """In words, what a bake was made from that the plan does not say; None where there is none whose start is whole."""
    try:
        return differences(plan.info, container.read_layout(found)[0])
    except (InputError, FileNotFoundError):
        return None


def _stale(found: Path, changed: list[str]) -> StaleError:
    return StaleError(
        str(found),
        f"it was baked from something else ({', '.join(changed)} differs)",
        "a bake is only taken up with the same input",
        "choose another path, delete the file, or allow it to be overwritten",
    )


def _checkpoint_of(target: Path) -> Path:
    return target.with_name(target.name + ".checkpoint.npz")


def _discard_checkpoint(target: Path) -> None:
    for leftover in (_checkpoint_of(target), part_of(_checkpoint_of(target))):
        leftover.unlink(missing_ok=True)


class _Bake:
    """One bake under way."""

    def __init__(
        self, plan: Plan, target: Path, on_failure: OnFailure, watch: Callable[[Progress], None] | None
    ) -> None:
        self._plan, self._target, self._part = plan, target, part_of(target)
        self._stop_on_failure, self._watch = on_failure == "stop", watch
        self._soft = plan.graph.step is not None
        self._checkpoint = _checkpoint_of(target)
        self._kinematic: Player | None = None
        self._made_on = container.kind_mark(machine.kind())

    def run(self, *, afresh: bool) -> None:
        """Write what is missing, then give the file its name; what was begun from something else begins `afresh`."""
        with disk_full_named(self._target), held(self._part) as file:
            if _changed(self._target, self._plan) == []:  # somebody else finished it just now
                self._part.unlink()
                return
            changed = _changed(self._part, self._plan)
            if changed and not afresh:
                raise _stale(self._part, changed)
            self._lay_out(began=changed == [] and not afresh and self._start_is_whole())
            self._frames(file)
            os.fsync(file.fileno())
            put_in_place(self._part, self._target)
            _discard_checkpoint(self._target)

    def _start_is_whole(self) -> bool:
        """Whether all but the frames is there: a power cut may leave the header and lose what follows it."""
        try:
            _, layout = container.read_layout(self._part)
            container.read_table(self._part, layout)
            for name in layout.arrays:
                container.read_array(self._part, layout, name)
        except InputError:
            return False
        return True

    def _lay_out(self, *, began: bool) -> None:
        """Where everything lies; the header stays that of the machine which began."""
        info = container.read_layout(self._part)[0] if began else self._plan.info
        self._began_on = info.get("made_on", "unknown")
        self._layout = layout_of(self._plan, made_on=self._began_on)
        if not began:
            container.start(self._part, self._layout, self._plan.arrays)

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
                pressure=player.felt_pressure() if self._layout.pressure else None,
                events=player.contact_records() if self._layout.events else None,
                status=status,
                made_on=self._made_on,
            )
            if self._soft and (frame + 1) % CHECKPOINT_EVERY == 0 and status == container.GOOD:
                os.fsync(file.fileno())  # a power cut leaves the frames that the checkpoint goes on from
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
            file.flush()
            os.fsync(file.fileno())
        put_in_place(part_of(self._checkpoint), self._checkpoint)

    def _load_checkpoint(self, whole: int) -> int:
        """Put the player back to the last checkpoint and return the frame after it; 0 if there is none of use."""
        if not self._checkpoint.exists():
            return 0
        try:
            with np.load(self._checkpoint, allow_pickle=False) as file:
                saved = dict(file)
            frame = int(saved.pop("frame"))
            header, check = saved.pop("header").tobytes(), saved.pop("sum")
        except Exception:  # a power cut may have left anything, and a zip file fails in many ways
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


def layout_of(plan: Plan, *, made_on: str) -> container.Layout:
    """Where everything lies in the file of a plan that was begun on a kind of machine."""
    info = {**plan.info, "made_on": made_on}
    return container.plan(
        info,
        plan.arrays,
        frames=len(plan.times),
        vertices=len(plan.character.points),
        joints=len(plan.character.skeleton) if plan.graph.simulates_skeleton else 0,
        bodies=len(info.get("bodies", ())),
        pressure=plan.graph.records_contacts,
        events=MOST_EVENTS if plan.graph.records_contacts else 0,
    )


@contextlib.contextmanager
def held(path: Path) -> Iterator[io.FileIO]:
    """The file, made if there is none, unbuffered, and held against a second bake to the same place.

    It is held before it is looked at or written, where the system can do that: two who begin at once never write to
    one file.
    """
    while True:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o666))
        with contextlib.suppress(FileNotFoundError), open(path, "r+b", buffering=0) as file:
            _lock(file, path)
            if _is_at(file, path):
                yield file
                return


def _lock(file: io.FileIO, path: Path) -> None:
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # Windows
    except BlockingIOError:
        raise BusyError(
            str(path), "another bake is writing it", "only one may", "wait for it, or choose another path"
        ) from None


def _is_at(file: io.FileIO, path: Path) -> bool:
    """Whether a file is still the one at a path: who held it before may have finished it, and given it its name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def disk_full_named(target: Path) -> Iterator[None]:
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
