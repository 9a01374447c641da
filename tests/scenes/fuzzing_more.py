"""Damage for every reader but those of glTF and BVH, and the watch that is kept while they read it.

What comes of a damaged file is what a sound one gives, or one `SuppleError` that names it, in time and in memory.
`python tests/scenes/fuzzing_more.py KIND SEED SECONDS` runs longer than the tests do; a file that leads to lines of the
readers that no file before reached is kept, and damaged further.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import bombs
import caches
import fuzz_seeds as seeds
from fuzzing import Broken, damaged_bytes, damaged_document, damaged_floats, keep_to

import supple
from supple.errors import SuppleError, UnfinishedError

SECONDS = 5.0  # of this process's own time
MEMORY = 256 << 20  # [bytes]
_SOURCE = str(Path(supple.__file__).parent)

WORDS = [
    b" ", b"\n", b"\\\n", b"#", b"0", b"-1", b"1", b"3", b"1e309", b"nan", b"-inf", b"9" * 30, b"1_0", b"v 0 0 0\n",
    b"f 1 2 3\n", b"f -1 -2 -3\n", b"f 1/1/1 2//2 3/\n", b"g \xff\n", b"o\n", b"vt 1\n", b"ply\n", b"end_header\n",
    b"element vertex 3\n", b"element face 1\n", b"element x 99999999999\n", b"property float x\n", b"property list",
    b" uchar int vertex_indices\n", b"property double s\n", b"format binary_big_endian 1.0\n", b"solid",
    b"vertex 1 2 3\n", b"facet", b"\x00", b"\xff", b"\r", b"\x0c", "é".encode(),
]  # fmt: skip


def _by_words(data: bytes, luck: random.Random) -> bytes:
    return damaged_bytes(data, luck, WORDS)


def _by_numbers(data: bytes, luck: random.Random) -> bytes:
    return damaged_floats(data, luck) if luck.random() < 0.4 else damaged_bytes(data, luck, WORDS)


def _as_json(data: bytes, luck: random.Random) -> bytes:
    try:
        document = json.loads(data) if luck.random() < 0.9 else None
    except (ValueError, RecursionError):
        document = None
    if document is None:
        return damaged_bytes(data, luck, [b"[" * 2000, b'{"a":', b"NaN", b"1e999", b"9" * 400, b'"', b"}", b"\\ud800"])
    for _ in range(luck.choice([1, 1, 2, 3])):
        document = damaged_document(document, luck)
    return json.dumps(document).encode()


def _forged_cache(data: bytes, luck: random.Random) -> bytes:
    try:
        return caches.forged(data, luck) if luck.random() < 0.9 else damaged_bytes(data, luck)
    except (ValueError, RecursionError, IndexError):
        return damaged_bytes(data, luck)


def _forged_model(data: bytes, luck: random.Random) -> bytes:
    from supple.skins import array_file

    try:
        length = int.from_bytes(data[8:16], "little")
        header, numbers = data[16 : 16 + length], data[32 + length :]
        harmed = _as_json(header, luck) if luck.random() < 0.7 else header
        numbers = damaged_floats(numbers, luck) if luck.random() < 0.5 else numbers
        return data[:8] + len(harmed).to_bytes(8, "little") + harmed + array_file._sum(harmed, numbers) + numbers
    except (ValueError, IndexError, OverflowError):
        return damaged_bytes(data, luck)


KINDS: dict[str, tuple[str, Callable[[], list[bytes]], Callable[[bytes, random.Random], bytes]]] = {
    "obj": (".obj", seeds.obj_files, _by_words),
    "ply": (".ply", seeds.ply_files, _by_numbers),
    "stl": (".stl", seeds.stl_files, _by_numbers),
    "npz": (".npz", seeds.npz_files, _by_numbers),
    "pc2": (".pc2", seeds.pc2_files, _by_numbers),
    "mdd": (".mdd", seeds.mdd_files, _by_numbers),
    "cache": (".supple", seeds.cache_files, _forged_cache),
    "graph": (".graph.json", seeds.graph_files, _as_json),
    "edits": (".edits.json", seeds.edits_files, _as_json),
    "scene": (".scene.json", seeds.scene_files, _as_json),
    "curves": (".curves", seeds.curves_files, _forged_model),
    "pose space": (".posespace", seeds.pose_space_files, _forged_model),
    "usd": (".usda", seeds.usd_files, _by_words),
    "fbx": (".fbx", seeds.fbx_files, _by_words),
}
OUTSIDE = ("usd", "fbx")  # read by processes of their own, which have bounds of their own


class Reached:
    """Which lines of Supple were run; a tracer that stays on only as long as there is something new to see."""

    def __init__(self) -> None:
        self._lines: set[tuple[str, int]] = set()
        self.fresh = False

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(_SOURCE):
            return None
        return self._line

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        place = (frame.f_code.co_filename, frame.f_lineno)
        if place not in self._lines:
            self._lines.add(place)
            self.fresh = True
        return self._line

    def __len__(self) -> int:
        return len(self._lines)


def read(path: Path, kind: str, reached: Reached) -> str:
    """Read one file under watch, and say what came of it."""
    way = caches.used if kind == "cache" else bombs.reader_of(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        sys.settrace(reached)
        try:
            return type(way(path)).__name__
        except UnfinishedError:
            raise
        except SuppleError as error:
            if len(str(error)) > 2000 or path.name.split(".")[0] not in error.where:
                raise Broken(f"an error is long, or does not name the file: {str(error)[:300]}") from error
            return type(error).__name__
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)


def _late(*_: object) -> None:
    raise Broken(f"it is still busy after {SECONDS} s")


def run(kind: str, seed: int, seconds: float) -> int:
    """Damage files for `seconds` and read each; how many were read is said at the end.

    The first that breaks a reader ends the run, and is left as a file in the folder for temporary ones.
    """
    luck, reached = random.Random(seed), Reached()
    suffix, sound, damaged = KINDS[kind]
    signal.signal(signal.SIGVTALRM, _late)
    came: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="supple-fuzz-") as folder:
        path = Path(folder) / f"spoilt{suffix}"
        pool = sound()
        for data in pool:
            path.write_bytes(data)
            came[read(path, kind, reached)] = 1  # everything that is imported late is imported now
        if kind not in OUTSIDE:
            keep_to(MEMORY)
        number, start = 0, time.monotonic()
        while time.monotonic() - start < seconds:
            data = damaged(luck.choice(pool), luck)[:50_000]
            path.write_bytes(data)
            reached.fresh = False
            try:
                outcome = read(path, kind, reached)
            except BaseException:
                left = Path(tempfile.gettempdir()) / f"supple-fuzz-{kind}-{seed}-{number}{suffix}"
                left.write_bytes(data)
                sys.stderr.write(f"{kind}, seed {seed}, file {number}, left in {left}\n")
                raise
            number += 1
            came[outcome] = came.get(outcome, 0) + 1
            if reached.fresh:
                pool.append(data)
    told = ", ".join(f"{what} {count}" for what, count in sorted(came.items()))
    sys.stdout.write(f"{kind}, seed {seed}: {number} files, {len(reached)} lines, {len(pool)} kept, {told}\n")
    return number


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
