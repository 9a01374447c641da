"""Edits in a small file beside the character: JSON that people can read, refused by name wherever it makes no sense."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from supple.arrays import Floats
from supple.errors import FormatError, InputError
from supple.files import atomic
from supple.skins.expressive.edits.edits import Edits
from supple.skins.expressive.edits.layers import Key, Layer
from supple.skins.expressive.edits.pose_edit import PoseEdit
from supple.skins.expressive.edits.surface_edit import SurfaceEdit
from supple.skins.expressive.strokes.stroke import Stroke
from supple.skins.expressive.strokes.surface_stroke import SurfaceStroke

FORMAT, VERSION = "supple-edits", 1
LARGEST = 256 * 2**20  # bytes
MOST = 10_000  # things of one kind: shapes, poses, layers, keys of a layer, strokes
_DIGITS = 10  # significant ones of a metre: far below what single precision shows
_ADVICE = "save it again with Supple"
T = TypeVar("T")


def save_edits(edits: Edits, path: str | Path) -> None:
    """Write edits as a readable file (JSON); it appears whole or not at all."""
    with atomic(path) as waiting:
        waiting.write_text(_text(to_dict(edits)) + "\n", encoding="utf-8")


def load_edits(path: str | Path) -> Edits:
    """Read what `save_edits` wrote; anything else ends in a `FormatError` that names the place."""
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise FormatError(
                str(path), f"it has {size} bytes", f"at most {LARGEST} are read", "keep fewer edits in it"
            )
        data = json.loads(file.read_text(encoding="utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise InputError(str(path), str(error.strerror), "a file of edits is needed", "check the path") from None
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise FormatError(str(path), f"it is not JSON ({said})", "a file of edits is needed", _ADVICE) from None
    return _Reader(str(path)).edits(data)


def to_dict(edits: Edits) -> dict[str, Any]:
    """Plain data that says all of it."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "vertices": edits.vertices,
        "shapes": {
            name: {"vertices": edit.vertices.tolist(), "offsets": _rounded(edit.offsets)}
            for name, edit in edits.shapes.items()
        },
        "poses": {
            name: {
                "turns": {joint: turn.tolist() for joint, turn in edit.turns.items()},
                "moves": {joint: move.tolist() for joint, move in edit.moves.items()},
            }
            for name, edit in edits.poses.items()
        },
        "layers": [
            {
                "name": layer.name,
                "amount": layer.amount,
                "repeat": layer.repeat,
                "firmness": layer.firmness,
                "keys": [{"time": k.time, "use": k.use, "amount": k.amount, "ease": k.ease} for k in layer.keys],
            }
            for layer in edits.layers
        ],
        "strokes": {
            name: {"knots": stroke.knots.tolist(), "times": stroke.times.tolist()}
            for name, stroke in edits.strokes.items()
        },
        "surface_strokes": {
            name: {
                "triangles": stroke.triangles.tolist(),
                "shares": stroke.shares.tolist(),
                "crossed": stroke.crossed.tolist(),
            }
            for name, stroke in edits.surface_strokes.items()
        },
    }


def _rounded(values: Floats) -> list[list[float]]:
    return [[float(f"{x:.{_DIGITS}g}") for x in row] for row in values.tolist()]


def _text(data: Any, indent: str = "") -> str:
    """JSON with one thing a line, and lists of numbers in one line: short, and still readable."""
    inner = indent + "  "
    if isinstance(data, dict) and data:
        rows = [f"{inner}{json.dumps(str(key))}: {_text(value, inner)}" for key, value in data.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return "[\n" + ",\n".join(inner + json.dumps(row) if "keys" not in row else inner + _text(row, inner)
                                  for row in data) + f"\n{indent}]"  # fmt: skip
    return json.dumps(data, allow_nan=False)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")


class _Reader:
    """Reads one file; knows its name, so that every refusal can say where."""

    def __init__(self, file: str) -> None:
        self._file = file

    def edits(self, data: Any) -> Edits:
        """All of it."""
        root = self._object(data, "", {"format", "version", "vertices", "shapes", "poses", "layers", "strokes",
                                       "surface_strokes"})  # fmt: skip
        if root.get("format") != FORMAT or root.get("version") != VERSION:
            given = f"format is {_short(root.get('format'))}, version {_short(root.get('version'))}"
            raise self._fault("", given, f"{FORMAT} {VERSION} is needed")
        vertices = root.get("vertices")
        if isinstance(vertices, bool) or not isinstance(vertices, int) or not 1 <= vertices < 2**31:
            raise self._fault("vertices", f"it is {_short(vertices)}", "how many vertices the character has is needed")
        layers = root.get("layers", [])
        if not isinstance(layers, list) or len(layers) > MOST:
            raise self._fault("layers", "it is no list, or too long", f"a list of at most {MOST} is needed")
        return self._made(
            "layers",
            lambda: Edits(
                vertices,
                self._each(root, "shapes", self._shape),
                self._each(root, "poses", self._pose),
                tuple(self._layer(layer, f"layers[{place}]") for place, layer in enumerate(layers)),
                self._each(root, "strokes", self._stroke),
                self._each(root, "surface_strokes", self._surface_stroke),
            ),
        )

    def _shape(self, data: Any, where: str) -> SurfaceEdit:
        found = self._object(data, where, {"vertices", "offsets"})
        vertices, offsets = self._array(found, "vertices", where), self._array(found, "offsets", where)
        return self._made(where, lambda: SurfaceEdit(vertices, offsets.reshape(-1, 3) if not offsets.size else offsets))

    def _pose(self, data: Any, where: str) -> PoseEdit:
        found = self._object(data, where, {"turns", "moves"})
        turns, moves = (
            {name: self._array(inner, name, f"{where}.{kind}") for name in inner}
            for kind in ("turns", "moves")
            for inner in [self._object(found.get(kind, {}), f"{where}.{kind}", None)]
        )
        return self._made(where, lambda: PoseEdit(turns, moves))

    def _layer(self, data: Any, where: str) -> Layer:
        found = self._object(data, where, {"name", "amount", "repeat", "firmness", "keys"})
        keys = found.get("keys")
        if not isinstance(keys, list) or len(keys) > MOST:
            raise self._fault(f"{where}.keys", f"it is {_short(keys)}", f"a list of at most {MOST} keys is needed")
        made = tuple(self._key(key, f"{where}.keys[{place}]") for place, key in enumerate(keys))
        name = self._word(found, "name", where, default=None)
        amount, firmness = (
            self._number(found, "amount", where, default=1.0),
            self._number(found, "firmness", where, 1.0),
        )
        repeat = found.get("repeat", False)
        if not isinstance(repeat, bool):
            raise self._fault(f"{where}.repeat", f"it is {_short(repeat)}", "true or false is needed")
        return self._made(where, lambda: Layer(name=name, keys=made, amount=amount, repeat=repeat, firmness=firmness))

    def _key(self, data: Any, where: str) -> Key:
        found = self._object(data, where, {"time", "use", "amount", "ease"})
        time, amount = self._number(found, "time", where, default=None), self._number(found, "amount", where, 1.0)
        use, ease = self._word(found, "use", where, default=""), self._word(found, "ease", where, default="smooth")
        return self._made(where, lambda: Key(time=time, use=use, amount=amount, ease=ease))

    def _stroke(self, data: Any, where: str) -> Stroke:
        found = self._object(data, where, {"knots", "times"})
        knots, times = self._array(found, "knots", where), self._array(found, "times", where)
        return self._made(where, lambda: Stroke(knots, times))

    def _surface_stroke(self, data: Any, where: str) -> SurfaceStroke:
        found = self._object(data, where, {"triangles", "shares", "crossed"})
        arrays = [self._array(found, name, where) for name in ("triangles", "shares", "crossed")]
        return self._made(where, lambda: SurfaceStroke(*arrays))

    def _each(self, root: Mapping[str, Any], kind: str, read: Callable[[Any, str], T]) -> dict[str, T]:
        found = self._object(root.get(kind, {}), kind, None)
        if len(found) > MOST:
            raise self._fault(kind, f"it holds {len(found)}", f"at most {MOST} are read")
        return {name: read(value, f"{kind}[{_short(name)}]") for name, value in found.items()}

    def _object(self, data: Any, where: str, known: set[str] | None) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise self._fault(where, f"it is {_short(data)}", "an object is needed")
        strange = [key for key in data if known is not None and key not in known]
        if strange:
            raise self._fault(where, f"it has {_short(strange[0])}", f"it may have {', '.join(sorted(known or ()))}")
        return data

    def _array(self, found: Mapping[str, Any], name: str, where: str) -> Any:
        data = found.get(name)
        place = f"{where}.{name}" if where else name
        if not isinstance(data, list):
            raise self._fault(place, f"it is {_short(data)}", "a list of numbers is needed")
        try:
            array = np.array(data) if data else np.zeros(0)
        except (ValueError, OverflowError):
            raise self._fault(
                place, "its rows differ in length, or a number is too large", "even rows are needed"
            ) from None
        if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
            raise self._fault(place, "it holds other things than numbers", "finite numbers are needed")
        return array

    def _number(self, found: Mapping[str, Any], name: str, where: str, default: float | None) -> float:
        value = found.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
            raise self._fault(f"{where}.{name}", f"it is {_short(value)}", "a finite number is needed")
        return float(value)

    def _word(self, found: Mapping[str, Any], name: str, where: str, *, default: str | None) -> str:
        value = found.get(name, default)
        if not isinstance(value, str) or len(value) > 1000:
            raise self._fault(f"{where}.{name}", f"it is {_short(value)}", "a word is needed")
        return value

    def _made(self, where: str, make: Callable[[], T]) -> T:
        """What the numbers mean, or a refusal that says where in the file they stand."""
        try:
            return make()
        except FormatError:
            raise
        except InputError as error:
            raise self._fault(where, f"{error.where}: {error.given}", error.needed) from None

    def _fault(self, where: str, given: str, needed: str) -> FormatError:
        return FormatError(f"{self._file}: {where}" if where else self._file, given, needed, _ADVICE)


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 60 else said[:57] + "..."
