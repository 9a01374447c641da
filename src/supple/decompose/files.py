"""Sequences of points from files: a bake of ours, or what other programs write."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from supple.character.character import Character
from supple.decompose.archive import read_arrays
from supple.decompose.sequence import WHERE as SEQUENCE
from supple.decompose.sequence import PointSequence
from supple.errors import FormatError, InputError
from supple.graph.cache import Cache

_PC2 = struct.Struct("<12siiffi")
_MDD = struct.Struct(">ii")
_POINTS = ("points", "V")
_REST = ("rest", "ref")
_FACES = ("triangles", "polygons", "F", "faces", "quads")


def read_sequence(path: str | Path, *, mesh: Character | None = None, fps: float | None = None) -> PointSequence:
    """Points over time from a bake (.supple), NumPy arrays (.npz) or a point cache (.pc2, .mdd).

    A point cache has no mesh; `mesh`, of as many points, says which points are beside each other, and brings its rest
    shape, parts and materials. In an .npz, `points` (F, V, 3) is needed, and `rest`, `triangles`, `polygons` and `fps`
    are taken where they are; `V` will do for points, `ref` for rest, and `F`, `faces` or `quads` for faces of three or
    four corners. `fps` overrules the file's.
    """
    position = Path(path)
    suffix = position.suffix.lower()
    if suffix not in READERS:
        known = ", ".join(READERS)
        raise InputError(str(path), f"its suffix is {suffix!r}", f"sequences are read from {known}", "use one of those")
    if not position.is_file():
        raise InputError(str(path), "there is no such file", "a sequence of points is needed", "bake one first")
    try:
        found = READERS[suffix](position)
    except InputError as error:
        if error.where != SEQUENCE:
            raise
        raise FormatError(str(path), error.given, error.needed, error.advice) from None
    if mesh is not None:
        found = _on(found, mesh, str(path))
    return found if fps is None else found.replace(fps=fps)


def _read_cache(path: Path) -> PointSequence:
    return PointSequence.of(Cache(path))


def _read_npz(path: Path) -> PointSequence:
    arrays = read_arrays(path, {*_POINTS, *_REST, *_FACES, "fps"}, one_of=_POINTS)
    points = next(arrays[name] for name in _POINTS if name in arrays)
    rest = next((arrays[name] for name in _REST if name in arrays), None)
    faces = {name: arrays[name] for name in _FACES if name in arrays}
    strange = [name for name, rows in faces.items() if rows.ndim != 2 or rows.shape[1] not in (3, 4)]
    if strange:
        given = f"{strange[0]} has shape {faces[strange[0]].shape}"
        raise FormatError(str(path), given, "faces have three or four corners", "save one row for each face")
    triangles = next((rows for rows in faces.values() if rows.shape[1] == 3), None)
    polygons = next((rows for rows in faces.values() if rows.shape[1] == 4), None)
    rate = np.asarray(arrays.get("fps", 30.0))
    if rate.size != 1 or rate.dtype.kind not in "iuf":
        raise FormatError(str(path), f"fps has shape {rate.shape}", "one number is needed", "save fps as a number")
    return PointSequence(
        points, rest=rest, triangles=triangles, polygons=polygons, fps=float(rate.reshape(())), name=path.stem
    )


def _read_pc2(path: Path) -> PointSequence:
    data = _bytes(path)
    if len(data) < _PC2.size or not data.startswith(b"POINTCACHE2\0"):
        raise FormatError(str(path), "it does not start as one", "a PC2 point cache is needed", "export it again")
    _, _, vertices, _, _, count = _PC2.unpack_from(data)
    return PointSequence(_points(data, _PC2.size, count, vertices, "<f4", path), name=path.stem)


def _read_mdd(path: Path) -> PointSequence:
    data = _bytes(path)
    if len(data) < _MDD.size:
        raise FormatError(str(path), f"it has {len(data)} bytes", "an MDD point cache is needed", "export it again")
    count, vertices = _MDD.unpack_from(data)
    points = _points(data, _MDD.size + 4 * count, count, vertices, ">f4", path)
    times = np.frombuffer(data, ">f4", count, _MDD.size).astype(np.float64)
    span = float(times[-1] - times[0]) if count > 1 else 0.0
    fps = round((count - 1) / span, 3) if np.isfinite(span) and span > 0.0 else 30.0
    return PointSequence(points, fps=fps, name=path.stem)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), str(error.strerror), "a readable file is needed", "check its rights") from None


def _points(data: bytes, begin: int, count: int, vertices: int, kind: str, path: Path) -> np.ndarray:
    needed = begin + 12 * count * vertices
    if count < 0 or vertices < 0 or len(data) != needed:
        given = f"it has {len(data)} bytes for {count} frames of {vertices} points"
        raise FormatError(str(path), given, f"{needed} are needed", "export it again")
    return np.frombuffer(data, kind, 3 * count * vertices, begin).reshape(count, vertices, 3).astype(np.float32)


def _on(found: PointSequence, mesh: Character, where: str) -> PointSequence:
    if len(mesh.points) != found.points.shape[1]:
        raise InputError(
            where,
            f"its frames have {found.points.shape[1]} points",
            f"{mesh.name} has {len(mesh.points)}",
            "use the mesh that was baked",
        )
    return found.replace(rest=mesh.points, triangles=mesh.triangles, polygons=mesh.polygons, character=mesh, poses=None)


READERS: dict[str, Callable[[Path], PointSequence]] = {
    ".supple": _read_cache,
    ".npz": _read_npz,
    ".pc2": _read_pc2,
    ".mdd": _read_mdd,
}
"""Suffix to the function that reads it."""
