"""Edits in a small file beside the character: JSON that people can read, refused by name wherever it makes no sense."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from supple.arrays import FloatArray
from supple.edits.edits import Edits
from supple.edits.layers import Key, Layer
from supple.edits.pose_edit import PoseEdit
from supple.edits.strokes.stroke import Stroke
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.surface_edit import KINEMATIC, SurfaceEdit
from supple.files import atomic
from supple.records import RecordReader, short

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
    reader = _Reader(path, what="a file of edits", largest=LARGEST, advice=_ADVICE)
    return reader.edits(reader.loaded())


def to_dict(edits: Edits) -> dict[str, Any]:
    """Plain data that says all of it."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "vertices": edits.vertices,
        "shapes": {
            name: {"vertices": edit.vertices.tolist(), "offsets": _round_digits(edit.offsets), **_handles(edit)}
            for name, edit in edits.shapes.items()
        },
        "poses": {
            name: {
                "turns": {joint: rotation.tolist() for joint, rotation in edit.rotations.items()},
                "moves": {joint: move.tolist() for joint, move in edit.moves.items()},
                **({"sizes": dict(edit.sizes)} if edit.sizes else {}),
            }
            for name, edit in edits.poses.items()
        },
        "layers": [
            {
                "name": layer.name,
                "amount": layer.amount,
                "repeat": layer.repeat,
                "firmness": layer.firmness,
                **{word: True for word in ("mute", "solo") if getattr(layer, word)},
                "keys": [{"time": k.time, "use": k.use, "amount": k.amount, "ease": k.ease} for k in layer.keys],
            }
            for layer in edits.layers
        ],
        "strokes": {
            name: {"knots": stroke.knots.tolist(), "times": stroke.times.tolist(), **_pressures(stroke)}
            for name, stroke in edits.strokes.items()
        },
        "surface_strokes": {
            name: {
                "triangles": stroke.triangles.tolist(),
                "shares": stroke.barycentric.tolist(),
                "crossed": stroke.crossed.tolist(),
                **_pressures(stroke),
            }
            for name, stroke in edits.surface_strokes.items()
        },
    }


def _pressures(stroke: Stroke | SurfaceStroke) -> dict[str, Any]:
    return {} if stroke.pressures is None else {"pressures": stroke.pressures.tolist()}


def _round_digits(values: FloatArray) -> list[list[float]]:
    return [[float(f"{x:.{_DIGITS}g}") for x in row] for row in values.tolist()]


def _text(data: Any, indent: str = "") -> str:
    """JSON with one thing a line, and lists of numbers in one line: short, and still readable."""
    inner = indent + "  "
    if isinstance(data, dict) and data:
        rows = [f"{inner}{json.dumps(str(key))}: {_text(value, inner)}" for key, value in data.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return (
            "[\n"
            + ",\n".join(inner + json.dumps(row) if "keys" not in row else inner + _text(row, inner) for row in data)
            + f"\n{indent}]"
        )
    return json.dumps(data, allow_nan=False)


def _handles(edit: SurfaceEdit) -> dict[str, Any]:
    """What an edit holds, where it is a force."""
    return {} if edit.handles is None else {"handles": edit.handles.tolist(), "stiffness": edit.stiffness}


def _given(found: Mapping[str, Any], name: str) -> bool:
    """Whether an array is to be read: pressures may be missing, everything else may not."""
    return name != "pressures" or name in found


class _Reader(RecordReader):
    """Reads a file of edits."""

    def edits(self, data: Any) -> Edits:
        """All of it."""
        known = {"vertices", "shapes", "poses", "layers", "strokes", "surface_strokes"}
        root = self.root(data, FORMAT, VERSION, known=known)
        vertices = root.get("vertices")
        if isinstance(vertices, bool) or not isinstance(vertices, int) or not 1 <= vertices < 2**31:
            raise self.fault("vertices", f"it is {short(vertices)}", "how many vertices the character has is needed")
        layers = self.listed(root, "layers", "", most=MOST)
        return self.made(
            "layers",
            lambda: Edits(
                vertices,
                self._each(root, "shapes", self._shape),
                self._each(root, "poses", self._pose),
                tuple(self._layer(layer, f"layers[{index}]") for index, layer in enumerate(layers)),
                self._each(root, "strokes", self._stroke),
                self._each(root, "surface_strokes", self._surface_stroke),
            ),
        )

    def _shape(self, data: Any, where: str) -> SurfaceEdit:
        found = self.fields(data, where, {"vertices", "offsets", "handles", "stiffness"})
        vertices, offsets = self.array(found, "vertices", where), self.array(found, "offsets", where)
        offsets = offsets.reshape(-1, 3) if not offsets.size else offsets
        handles = self.array(found, "handles", where) if "handles" in found else None
        stiffness = self.number(found, "stiffness", where, default=KINEMATIC)
        return self.made(where, lambda: SurfaceEdit(vertices, offsets, handles, stiffness))

    def _pose(self, data: Any, where: str) -> PoseEdit:
        found = self.fields(data, where, {"turns", "moves", "sizes"})
        rotations, moves = (
            {name: self.array(inner, name, f"{where}.{kind}") for name in inner}
            for kind in ("turns", "moves")
            for inner in [self.fields(found.get(kind, {}), f"{where}.{kind}", None)]
        )
        inner = self.fields(found.get("sizes", {}), f"{where}.sizes", None)
        sizes = {name: self.number(inner, name, f"{where}.sizes") for name in inner}
        return self.made(where, lambda: PoseEdit(rotations, moves, sizes))

    def _layer(self, data: Any, where: str) -> Layer:
        found = self.fields(data, where, {"name", "amount", "repeat", "firmness", "mute", "solo", "keys"})
        keys = found.get("keys")
        if not isinstance(keys, list) or len(keys) > MOST:
            raise self.fault(f"{where}.keys", f"it is {short(keys)}", f"a list of at most {MOST} keys is needed")
        made = tuple(self._key(key, f"{where}.keys[{index}]") for index, key in enumerate(keys))
        name = self.word(found, "name", where)
        amount, firmness = (self.number(found, key, where, default=1.0) for key in ("amount", "firmness"))
        switches = {word: found.get(word, False) for word in ("repeat", "mute", "solo")}
        for word, switch in switches.items():
            if not isinstance(switch, bool):
                raise self.fault(f"{where}.{word}", f"it is {short(switch)}", "true or false is needed")
        return self.made(where, lambda: Layer(name=name, keys=made, amount=amount, firmness=firmness, **switches))

    def _key(self, data: Any, where: str) -> Key:
        found = self.fields(data, where, {"time", "use", "amount", "ease"})
        time, amount = self.number(found, "time", where), self.number(found, "amount", where, default=1.0)
        use, ease = self.word(found, "use", where, default=""), self.word(found, "ease", where, default="smooth")
        return self.made(where, lambda: Key(time=time, use=use, amount=amount, ease=ease))

    def _stroke(self, data: Any, where: str) -> Stroke:
        found = self.fields(data, where, {"knots", "times", "pressures"})
        arrays = [self.array(found, name, where) for name in ("knots", "times", "pressures") if _given(found, name)]
        return self.made(where, lambda: Stroke(*arrays))

    def _surface_stroke(self, data: Any, where: str) -> SurfaceStroke:
        words = ("triangles", "shares", "crossed", "pressures")
        found = self.fields(data, where, set(words))
        arrays = [self.array(found, name, where) for name in words if _given(found, name)]
        return self.made(where, lambda: SurfaceStroke(*arrays))

    def _each(self, root: Mapping[str, Any], kind: str, read: Callable[[Any, str], T]) -> dict[str, T]:
        found = self.fields(root.get(kind, {}), kind, None)
        if len(found) > MOST:
            raise self.fault(kind, f"it holds {len(found)}", f"at most {MOST} are read")
        return {name: read(value, f"{kind}[{short(name)}]") for name, value in found.items()}
