"""A baked skin on disk: points over time, checked when it is opened, readable while it is still being written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character import packing
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError, SuppleError
from supple.graph import container, exports
from supple.graph.baked_bodies import BakedBody, unpack_bodies
from supple.graph.graph import Graph
from supple.graph.header import check_arrays, refused
from supple.motion.motion import Motion
from supple.motion.pose import Pose
from supple.skins.contact_events import ContactEvent, name_events

_RIGID = 1e-6  # joints that scale by less than this do not scale


class Cache:
    """Baked points (F, V, 3) [m] with the mesh, the poses and the recipe they came from.

    `ready` frames are there; all of them once the bake is `finished`. Frames are mapped from disk, not read into
    memory. A damaged file is refused when it is opened.
    """

    def __init__(self, path: str | Path, *, verify: bool = True) -> None:
        """Open a finished bake at `path`, or one still being written there."""
        asked = Path(path)
        self.path = asked if asked.exists() else part_of(asked)
        if not self.path.is_file():
            raise InputError(str(asked), "there is no such file", "a baked cache is needed", "bake one first")
        self.finished = self.path == asked
        self.info, self._layout = container.read_layout(self.path)
        self.ready = 0
        self.fell_back: tuple[int, ...] = ()
        self.made_elsewhere: tuple[int, ...] = ()
        self._checked = 0
        self.refresh(verify=verify)
        if verify:
            self.arrays  # noqa: B018 - finds damage at the door

    def refresh(self, *, verify: bool = True) -> None:
        """Look again how many frames are there, and check the new ones."""
        layout, where = self._layout, str(self.path)
        status, sums, marks = container.read_table(self.path, layout)
        ready = int(np.argmin(status > 0)) if not status.all() else layout.count
        size = self.path.stat().st_size
        if self.finished and (ready < layout.count or size != layout.size):
            told = f"it ends after {ready} of {layout.count} frames ({size} of {layout.size} bytes)"
            raise refused(where, told)
        if ready and size < layout.frame_at(ready - 1) + layout.frame_bytes:
            raise refused(where, f"it is cut off after {size} bytes, and {ready} frames should be there")
        for frame in range(self._checked, ready if verify else 0):
            if container.frame_digest(self.path, layout, frame) != sums[frame]:
                raise refused(where, f"frame {frame} is damaged (its checksum does not fit)")
        self._checked = max(self._checked, ready if verify else 0)
        self.ready = ready
        self.fell_back = tuple(int(frame) for frame in np.flatnonzero(status[:ready] == container.FELL_BACK))
        own = container.kind_mark(self.made_on)
        self.made_elsewhere = tuple(frame for frame in range(ready) if marks[frame] != own)

    @property
    def made_on(self) -> str:
        """The kind of machine that the bake was begun on; other kinds may differ from it by rounding."""
        return str(self.info.get("made_on", "unknown"))

    def __len__(self) -> int:
        return self._layout.count

    def __repr__(self) -> str:
        state = "finished" if self.finished else f"{self.ready} frames ready"
        what = f"{self.info['character_name']}, {self.info['motion_name']}"
        size = f"{len(self)} frames at {self.fps:g} fps, {self._layout.vertices} points"
        return f"Cache({str(self.path)!r}: {what}, {size}, {state})"

    def save(self, path: str | Path) -> None:
        """Write it for another program; the suffix says the format (see `supple.io.formats`)."""
        exports.write(self, path)

    @property
    def fps(self) -> float:
        """Frames a second."""
        return float(self.info["fps"])

    @property
    def times(self) -> FloatArray:
        """The time [s] of every frame in the motion."""
        return float(self.info["start"]) + np.arange(len(self)) / self.fps

    @property
    def points(self) -> Float32Array:
        """The frames that are there, (ready, V, 3) [m], mapped from disk and read-only."""
        layout = self._layout
        if self.ready == 0:
            return np.zeros((0, layout.vertices, 3), dtype=np.float32)
        # The last frame is mapped without the padding after it, which may not be there yet.
        room = (self.ready - 1) * layout.stride + layout.frame_bytes
        flat = np.memmap(self.path, dtype="<f4", mode="r", offset=layout.frames, shape=(room // 4,))
        shape, strides = (self.ready, layout.vertices, 3), (layout.stride, 12, 4)
        return np.lib.stride_tricks.as_strided(flat, shape, strides, writeable=False)

    @property
    def graph(self) -> Graph:
        """The recipe that made it, as far as settings tell: what skins held beside them (bodies, ...) is not kept."""
        recipe = self.info["graph"]
        stages = [{key: value for key, value in stage.items() if key != "beside"} for stage in recipe["stages"]]
        with self._refusing():
            return Graph.from_dict({**recipe, "stages": stages})

    @cached_property
    def arrays(self) -> MappingProxyType[str, np.ndarray]:
        """The fixed arrays by name: rest, triangles, poses, parents, and one for every part and map."""
        found = {name: container.read_array(self.path, self._layout, name) for name in self._layout.arrays}
        check_arrays(self.info, found, str(self.path))
        return MappingProxyType(found)

    @property
    def triangles(self) -> IntArray:
        """The triangles (T, 3) of the mesh."""
        return self.arrays["triangles"]

    @property
    def rest(self) -> FloatArray:
        """The points (V, 3) [m] at rest."""
        return self.arrays["rest"]

    @cached_property
    def skeleton(self) -> Skeleton:
        """The skeleton of the character."""
        with self._refusing():
            return packing.unpack_skeleton(self.arrays, self.info)

    @cached_property
    def character(self) -> Character:
        """The character as it was baked: mesh with its quads and seams, skeleton, weights, parts, maps and shapes."""
        with self._refusing():
            return packing.unpack(self.arrays, self.info)

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """Parts that are whole and make no character, skeleton or graph are the file's fault, and it is named."""
        try:
            yield
        except InputError as error:
            raise refused(str(self.path), f"{error.where}: {error.given}") from None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise refused(str(self.path), f"what it holds makes no sense ({type(error).__name__})") from None

    def pose(self, frame: int) -> Pose:
        """The pose of a frame, shapes included."""
        shape_weights = dict(zip(self.info["shapes"], self.arrays["shape_shares"][frame].tolist(), strict=True))
        return Pose(self.poses[frame], shapes=shape_weights)

    @property
    def poses(self) -> FloatArray:
        """The transforms (F, J, 4, 4) of all joints in every frame, as the motion had them."""
        return self.arrays["poses"]

    @property
    def bones(self) -> FloatArray:
        """The transforms (ready, J, 4, 4) of all joints in the skin: where it moved them, else the poses."""
        if not self._layout.joints:
            return self.poses[: self.ready]
        return container.read_bones(self.path, self._layout, self.ready)

    @cached_property
    def bodies(self) -> tuple[BakedBody, ...]:
        """What the skin met: obstacles and free bodies, each with its mesh and where it was in every frame."""
        if not self._layout.bodies:
            return ()
        places = container.read_bodies(self.path, self._layout, self.ready)
        with self._refusing():
            return unpack_bodies(self.arrays, self.info, places)

    @property
    def pressure(self) -> Float32Array | None:
        """How hard every vertex was pressed in every frame, (ready, V) [Pa], read-only; None where nothing is known."""
        layout = self._layout
        if not layout.pressure:
            return None
        if self.ready == 0:
            return np.zeros((0, layout.vertices), dtype=np.float32)
        room = (self.ready - 1) * layout.stride + layout.vertices * 4
        begin = layout.frames + layout.pressure_at
        flat = np.memmap(self.path, dtype="<f4", mode="r", offset=begin, shape=(room // 4,))
        return np.lib.stride_tricks.as_strided(flat, (self.ready, layout.vertices), (layout.stride, 4), writeable=False)

    @property
    def events(self) -> tuple[ContactEvent, ...]:
        """What the skin touched in every frame that is there: place, impulse and time of every pair.

        A frame has room for the 128 pairs that press hardest; `events_left_out` says how many had none.
        """
        if not self._layout.events:
            return ()
        records, _ = container.read_events(self.path, self._layout, self.ready)
        joints, met = self.info["joints"], self.info.get("met", [])
        for frame, listed in enumerate(records):
            others = listed["other"]
            sound = ((listed["joint"] >= 0) & (listed["joint"] < len(joints))).all()
            sound &= ((others < len(met)) & (others >= -len(joints))).all()
            if not sound or not all(np.isfinite(listed[key]).all() for key in ("time", "place", "impulse")):
                raise refused(str(self.path), f"an event of frame {frame} makes no sense")
        return name_events(records, joints, met)

    @property
    def events_left_out(self) -> int:
        """How many contacts were not kept, as there were more of them in a frame than there is room for."""
        return container.read_events(self.path, self._layout, self.ready)[1] if self._layout.events else 0

    @property
    def motion(self) -> Motion:
        """The motion of the bones in the skin, one key a frame: changed, where the skin moved its bones."""
        bones, shape_weights = self.bones, self.arrays["shape_shares"]
        if not len(bones):
            raise InputError(str(self.path), "no frame is there yet", "a motion has at least one", "let the bake go on")

        def pose(time: float) -> Pose:
            frame = round(time * self.fps)
            return Pose(bones[frame], shapes=dict(zip(self.info["shapes"], shape_weights[frame].tolist(), strict=True)))

        seconds = (len(bones) - 1) / self.fps
        name = str(self.info["motion_name"])
        with self._refusing():
            made = Motion.from_poses(self.skeleton, pose, seconds=seconds, fps=self.fps, name=name)
        rigid = made.scales is None or np.allclose(made.scales, 1.0, atol=_RIGID)
        return made.replace(scales=None) if rigid else made


def part_of(path: Path) -> Path:
    """Where a bake to `path` is written until it is finished."""
    return path.with_name(path.name + ".part")


def differences(wanted: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """In words, what another bake has that this one has not."""
    words = {
        "supple": "the Supple version",
        "character": "the character",
        "motion": "the motion",
        "graph": "the skin or its settings",
        "fps": "the frame rate",
        "start": "the start time",
        "frames": "the number of frames",
        "range": "which of the frames",
        "device": "the device",
        "display": "the seams, texture coordinates or materials",
    }
    found = {**found, "graph": _today(found.get("graph"))}
    return [word for key, word in words.items() if wanted.get(key) != found.get(key)]


def _today(graph: Any) -> Any:
    """The recipe of a bake as this version says it; one that cannot be understood stays as it is."""
    try:
        return Graph.upgraded(graph)
    except (SuppleError, LookupError, TypeError, AttributeError):
        return graph
