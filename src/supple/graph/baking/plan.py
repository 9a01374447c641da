"""What is to be baked: every frame's time and pose, and the header that says so."""

from __future__ import annotations

import hashlib
import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple import machine
from supple.arrays import digest_of
from supple.character import packing
from supple.character.character import Character
from supple.character.fingerprint import fingerprint
from supple.errors import InputError
from supple.graph.baked_bodies import body_names, pack_bodies
from supple.graph.graph import Graph
from supple.graph.player import Player
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource
from supple.obstacles.shapes import RigidBody

_DIGITS = 6  # of poses that tell motions apart: the last bits may depend on the machine that sampled them


@dataclass(frozen=True)
class Plan:
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
    ) -> Plan:
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
            "display": digest_of(sorted(display.items())).hex() if display else None,
        }
        met, bodies = pack_bodies(graph.met_bodies(character), character, poses)
        info |= {"bodies": bodies} if bodies else {}
        if graph.touching is not None:
            info["met"] = body_names(graph.touching.met_bodies(character))
        shape_weights = [[pose.shapes.get(name, 0.0) for name in sorted(character.shapes)] for pose in poses]
        moving = {
            "poses": np.stack([pose.world_from_joint for pose in poses]).astype("<f8"),
            "shape_shares": np.array(shape_weights, dtype="<f8").reshape(len(poses), len(character.shapes)),
        }
        return cls(character, motion, graph, device, times, info, {**arrays, **display, **moving, **met})

    def frames(self, first: int, last: int) -> Plan:
        """The plan of frames `first` up to but without `last`, each at the very time it has in the whole."""
        if self.graph.step is not None:
            given = "its skin has a memory"
            raise InputError("bake", given, "only skins without are baked in ranges", "bake all frames in one go")
        if not 0 <= first < last <= len(self.times):
            there = f"there are 0 to {len(self.times)}"
            raise InputError("bake", f"frames {first} to {last} were asked for", there, "choose some of those")
        times = self.times[first:last]
        info = {**self.info, "start": float(times[0]), "frames": len(times), "range": [first, len(self.times)]}
        moving = {name: self.arrays[name][first:last] for name in ("poses", "shape_shares")}
        return replace(self, times=times, info=info, arrays={**self.arrays, **moving})

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
