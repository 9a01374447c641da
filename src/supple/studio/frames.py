"""Frames and meshes as bytes: what goes to the page at sixty a second, and what goes once.

A frame is a head of 64 bytes and what it is of. All of it is little endian, and goes into the page's GPU as it is.

| kind | what follows the head |
| --- | --- |
| skin | eight bytes a display point; a vertex at a crease has several of those |
| colours | a byte a display point: where its value lies between `low` and `high`, which stand where the cube else is |
| joints | twelve floats a joint: the upper three rows of its transform to the world |
| trail | three floats a place: the way of a joint |
| lines | six floats a line: from where to where; what the longest stands for is where the cube else is |
| amounts | one float for every shape and then for every pose of the edits: how much of it there is |
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import Float32Array, FloatArray
from supple.character.character import Character
from supple.character.shading import creases_of
from supple.geometry.normals import Creases

VERSION, SKIN, COLOURS, JOINTS, TRAIL, AMOUNTS, THINGS, LINES = 1, 1, 2, 3, 4, 5, 6, 7
CUBE = 2.4  # sizes of the character: the side of the cube about its root in which a frame lies
CREASE = np.pi / 3.0
_HEAD = struct.Struct("<4sBBHIIIIddI3ffI")
_COMMAND, _COMMAND_AT = struct.Struct("<I"), 20
_MESH = struct.Struct("<4sIIII")


@dataclass(frozen=True)
class Head:
    """What a frame says of itself: which view and mesh it is of, its number, and the last command that is in it.

    `motion_time` and `flesh_time` are in seconds, `engine` is how long it took to make in microseconds.
    """

    view: int
    mesh: int
    frame: int
    command: int
    motion_time: float
    flesh_time: float
    engine: int


class FramePacker:
    """Packs frames of one character."""

    def __init__(self, character: Character) -> None:
        from supple.studio import pack_kernels as kernels

        wp = devices.warp()
        self.creases: Creases = creases_of(character, angle=CREASE)
        weights = character.weights
        self._joints = np.zeros(len(character.points)) if weights is None else weights.joints[:, 0]
        self._side = CUBE * float(character.size.max())
        count, vertices = len(self.creases), len(character.points)
        self._cube = wp.zeros(4, dtype=wp.float32, device="cpu")
        self._points = wp.zeros(vertices, dtype=wp.vec3f, device="cpu")
        self._normals = wp.zeros(count, dtype=wp.vec3f, device="cpu")
        self._packed = wp.zeros(count, dtype=kernels.vec4us, device="cpu")
        shown_vertices = devices.to_device(self.creases.vertex_of_normal, wp.int32, "cpu")
        inputs = [self._cube, shown_vertices, self._points, self._normals, self._packed]
        self._pack = devices.Launch(kernels.pack_frame, count, inputs, "cpu")

    def frame(self, head: Head, points: Float32Array, normals: Float32Array, root: FloatArray) -> bytes:
        """A frame of points (V, 3) [m] and normals (N, 3), about where the root (3,) [m] is."""
        low = root - 0.5 * self._side
        devices.write(self._cube, np.array([*low, self._side]))
        devices.write(self._points, points)
        devices.write(self._normals, normals)
        self._pack()
        packed = devices.to_host(self._packed)
        return _opening(SKIN, head, len(packed), low, self._side) + packed.tobytes()

    def mesh(self, vertices: int) -> bytes:
        """The triangles in display points, which vertex each of those is, and the joint that moves each vertex most."""
        corners = self.creases.normal_of_corner.astype("<u4")
        opening = _MESH.pack(b"SPLM", VERSION, len(self.creases), len(corners), vertices)
        parts = (corners, self.creases.vertex_of_normal, self._joints)
        return opening + b"".join(part.astype("<u4").tobytes() for part in parts)


def colours_frame(head: Head, values: NDArray[np.uint8], low: float, high: float) -> bytes:
    """A frame of values (N,) in bytes, 0 for `low` and 255 for `high`."""
    return _opening(COLOURS, head, len(values), (low, high, 0.0)) + values.tobytes()


def joints_frame(head: Head, world_from_joint: FloatArray) -> bytes:
    """A frame of joints (J, 4, 4)."""
    return _opening(JOINTS, head, len(world_from_joint)) + world_from_joint[:, :3].astype("<f4").tobytes()


def trail_frame(head: Head, places: FloatArray) -> bytes:
    """A frame of the way of a joint (N, 3) [m]."""
    return _opening(TRAIL, head, len(places)) + places.astype("<f4").tobytes()


def amounts_frame(head: Head, amounts: Sequence[float]) -> bytes:
    """A frame of the amounts of shapes and poses (N,)."""
    return _opening(AMOUNTS, head, len(amounts)) + np.asarray(amounts, dtype="<f4").tobytes()


def lines_frame(head: Head, lines: FloatArray, longest: float) -> bytes:
    """A frame of lines (N, 2, 3) [m]; `longest` is what the longest of them stands for."""
    return _opening(LINES, head, len(lines), (longest, 0.0, 0.0)) + lines.astype("<f4").tobytes()


def things_frame(frame: bytes, world_from_thing: FloatArray) -> bytes:
    """A frame of things (N, 4, 4), of the same moment as a frame of a skin."""
    head, *_ = _read(frame, SKIN, "a skin")
    return _opening(THINGS, head, len(world_from_thing)) + world_from_thing[:, :3].astype("<f4").tobytes()


def _opening(
    kind: int, head: Head, count: int, low: Sequence[float] | FloatArray = (0, 0, 0), side: float = 0
) -> bytes:
    about = (head.view, head.mesh, head.frame, head.command, head.motion_time, head.flesh_time, count)
    return _HEAD.pack(b"SPLF", VERSION, kind, 0, *about, *(float(x) for x in low), side, head.engine)


def kind_and_view(frame: bytes) -> tuple[int, int]:
    """What a frame is of, and of which view."""
    return frame[5], int.from_bytes(frame[8:12], "little")


def unpacked_colours(frame: bytes) -> tuple[Head, FloatArray]:
    """The head and the values (N,) of a frame of colours: what the page sees."""
    head, count, (low, high, _), _ = _read(frame, COLOURS, "colours")
    values = np.frombuffer(frame, dtype=np.uint8, offset=_HEAD.size, count=count)
    return head, low + (high - low) * values / 255.0


def unpacked_joints(frame: bytes) -> tuple[Head, FloatArray]:
    """The head and the transforms (J, 3, 4) of a frame of joints: what the page sees."""
    head, count, *_ = _read(frame, JOINTS, "joints")
    return head, np.frombuffer(frame, dtype="<f4", offset=_HEAD.size).reshape(count, 3, 4).astype(np.float64)


def unpacked_trail(frame: bytes) -> tuple[Head, FloatArray]:
    """The head and the places (N, 3) [m] of a frame of a trail."""
    head, count, *_ = _read(frame, TRAIL, "a trail")
    return head, np.frombuffer(frame, dtype="<f4", offset=_HEAD.size).reshape(count, 3).astype(np.float64)


def unpacked_amounts(frame: bytes) -> tuple[Head, FloatArray]:
    """The head and the amounts (N,) of a frame of amounts."""
    head, count, *_ = _read(frame, AMOUNTS, "amounts")
    return head, np.frombuffer(frame, dtype="<f4", offset=_HEAD.size, count=count).astype(np.float64)


def unpacked_lines(frame: bytes) -> tuple[FloatArray, float]:
    """The lines (N, 2, 3) [m] of a frame of lines, and what the longest stands for."""
    _, count, low, _ = _read(frame, LINES, "lines")
    values = np.frombuffer(frame, dtype="<f4", offset=_HEAD.size, count=6 * count)
    return values.reshape(count, 2, 3).astype(np.float64), float(low[0])


def _read(frame: bytes, wanted: int, what: str) -> tuple[Head, int, FloatArray, float]:
    """The head of a frame, its count, and the cube in which it lies."""
    magic, version, kind, _, *rest = _HEAD.unpack_from(frame)
    if (magic, version, kind) != (b"SPLF", VERSION, wanted):
        raise ValueError(f"no frame of {what}")
    view, mesh, number, command, motion_time, flesh_time, count, x, y, z, side, engine = rest
    return Head(view, mesh, number, command, motion_time, flesh_time, engine), count, np.array([x, y, z]), side


def stamped(frame: bytes, command: int) -> bytes:
    """A frame that says that the last command in it is this one."""
    if _COMMAND.unpack_from(frame, _COMMAND_AT)[0] == command:
        return frame
    return frame[:_COMMAND_AT] + _COMMAND.pack(command) + frame[_COMMAND_AT + _COMMAND.size :]


def unpacked(frame: bytes) -> tuple[Head, FloatArray, FloatArray]:
    """The head, points (N, 3) [m] and normals (N, 3) of a frame: what the page sees."""
    head, count, low, side = _read(frame, SKIN, "a skin")
    packed = np.frombuffer(frame, dtype="<u2", offset=_HEAD.size).reshape(count, 4)
    points = low + side * packed[:, :3].astype(np.float64) / 65535.0
    u, v = (packed[:, 3] & 255) / 127.5 - 1.0, (packed[:, 3] >> 8) / 127.5 - 1.0
    w = 1.0 - np.abs(u) - np.abs(v)
    behind = np.maximum(-w, 0.0)
    u, v = u + np.where(u < 0.0, behind, -behind), v + np.where(v < 0.0, behind, -behind)
    normals = np.stack([u, v, w], axis=1)
    return head, points, normals / np.linalg.norm(normals, axis=1, keepdims=True)
