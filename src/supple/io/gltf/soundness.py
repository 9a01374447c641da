"""Whether a glTF that shows no mesh is well formed: every field that the reader had no reason to look at, looked at.

A file that gives a character is judged by what the character needs. One that gives none is either sound, with nothing
to animate, or broken; to say which, its fields are compared with the specification, and the first that breaks it is
named.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from supple.io.gltf.accessors import COMPONENTS, WIDTHS
from supple.io.gltf.document import Document, Fields

Rule = Callable[[Document, Any, str], None]
Shape = Mapping[str, Rule]

_BUFFERS = ("application/octet-stream", "application/gltf-buffer")
_ROUNDED = 5e-4  # of the length of a quaternion in single precision
_ROW_WIDTHS = {"MAT2": 4, "MAT3": 9, "MAT4": 16}
_PATHS = ("translation", "rotation", "scale", "weights", "pointer")
_REQUIRED = {
    "accessors": ("componentType", "count", "type"),
    "animations": ("channels", "samplers"),
    "buffers": ("byteLength",),
    "bufferViews": ("buffer", "byteLength"),
    "cameras": ("type",),
    "meshes": ("primitives",),
    "skins": ("joints",),
}


def check_all(document: Document) -> None:
    """Raise the error of the first field that the specification forbids; none is raised for a sound file."""
    _check(document, document.root, _ROOT, "the file")
    _check(document, document.mapping(document.root, "asset", "the file"), _ASSET, "asset")
    for kind, shape in _SHAPES.items():
        for number, fields in enumerate(document.items(kind)):
            where = f"{kind}[{number}]"
            for name in _REQUIRED.get(kind, ()):
                if name not in fields:
                    raise document.error(where, f"{name} is missing", "it is needed")
            _check(document, fields, shape, where)
            document.spend(0, where)
    _check_extensions(document)
    for kind, check in (("bufferViews", _check_view), ("accessors", _check_accessor), ("animations", _check_clip)):
        for number in range(len(document.items(kind))):
            check(document, number)


def _check(document: Document, fields: Fields, shape: Shape, where: str) -> None:
    for name, rule in shape.items():
        if name in fields:
            rule(document, fields[name], f"{where}.{name}")
    if not isinstance(fields.get("extensions", {}), dict):
        raise document.error(f"{where}.extensions", "it is no object", "an object is needed")


def _check_extensions(document: Document) -> None:
    used, required = (document.root.get(key, []) for key in ("extensionsUsed", "extensionsRequired"))
    missing = [name for name in required if name not in used]
    if missing:
        raise document.error("extensionsRequired", f"{missing[0]!r} is not in extensionsUsed", "it must be in both")


def _check_view(document: Document, number: int) -> None:
    fields, where = document.item("bufferViews", number), f"bufferViews[{number}]"
    buffer = document.index(fields, "buffer", where, of="buffers") or 0
    length = document.whole(document.item("buffers", buffer), "byteLength", f"buffers[{buffer}]")
    end = _optional(document, fields, "byteOffset", where, 0) + document.whole(fields, "byteLength", where)
    if end > length:
        raise document.error(where, f"it ends at byte {end}", f"its buffer has {length}")


def _check_accessor(document: Document, number: int) -> None:
    """Whether it lies within its view, and its bounds are as many numbers as its rows have."""
    fields, where = document.item("accessors", number), f"accessors[{number}]"
    width = _ROW_WIDTHS.get(fields["type"]) or WIDTHS[fields["type"]]
    for name in ("min", "max"):
        if name in fields:
            _numbers(width)(document, fields[name], f"{where}.{name}")
    place = document.index(fields, "bufferView", where, of="bufferViews")
    if place is None:
        return
    view, each = document.item("bufferViews", place), COMPONENTS[fields["componentType"]].itemsize
    size = width * each
    stride = _optional(document, view, "byteStride", where, size)
    start, count = _optional(document, fields, "byteOffset", where, 0), document.whole(fields, "count", where)
    if (start + _optional(document, view, "byteOffset", where, 0)) % each:
        raise document.error(where, "it begins between two numbers", f"a multiple of {each} bytes is needed")
    end, length = start + (count - 1) * stride + size, document.whole(view, "byteLength", where)
    if end > length:
        raise document.error(where, f"it ends at byte {end} of its view", f"that has {length}")


def _check_clip(document: Document, number: int) -> None:
    fields, where = document.item("animations", number), f"animations[{number}]"
    targets = [json.dumps(channel["target"], sort_keys=True) for channel in fields["channels"]]
    if len(set(targets)) < len(targets):
        raise document.error(where, "two channels move the same", "one is needed for each")
    for sampler in fields["samplers"]:
        times = document.index(sampler, "input", where, of="accessors")
        given = document.item("accessors", times or 0)
        if (
            given["type"] != "SCALAR"
            or COMPONENTS[given["componentType"]].kind != "f"
            or not {"min", "max"} <= set(given)
        ):
            raise document.error(
                where, f"accessors[{times}] holds no times", "single floats with their bounds are needed"
            )


def _optional(document: Document, fields: Fields, name: str, where: str, usual: int) -> int:
    return document.whole(fields, name, where) if name in fields else usual


# Rules


def _data(document: Document, value: Any, where: str) -> None:
    """The address of a buffer: a file, or data that say what they are."""
    _text(document, value, where)
    if value.startswith("data:") and not value.startswith(tuple(f"data:{kind};base64," for kind in _BUFFERS)):
        raise document.error(where, "it is data of another kind", f"one of {', '.join(_BUFFERS)} in base64 is needed")


def _index(of: str) -> Rule:
    return lambda document, value, where: _ignore(document.index_value(value, where, of=of))


def _whole(low: int, high: int = 2**53) -> Rule:
    return lambda document, value, where: _ignore(document.whole_value(value, where, low=low, high=high))


def _text(document: Document, value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise document.error(where, "it is no text", "text is needed")


def _flag(document: Document, value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise document.error(where, "it is neither true nor false", "one of them is needed")


def _choice(*allowed: Any) -> Rule:
    def check(document: Document, value: Any, where: str) -> None:
        if isinstance(value, bool | dict | list) or value not in allowed:
            listed = ", ".join(map(str, allowed))
            raise document.error(where, f"it is {str(value)[:40]!r}", f"one of {listed} is needed")

    return check


def _number(low: float = -math.inf, high: float = math.inf, *, above: bool = False) -> Rule:
    def check(document: Document, value: Any, where: str) -> None:
        fine = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        if not fine or (above and value == low):
            raise document.error(where, f"it is {str(value)[:40]}", f"a number from {low:g} to {high:g} is needed")

    return check


def _numbers(count: int, low: float = -math.inf, high: float = math.inf) -> Rule:
    each = _number(low, high)

    def check(document: Document, value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) != count:
            raise document.error(where, "it is no list of that length", f"{count} numbers are needed")
        for number in value:
            each(document, number, where)

    return check


def _unit(document: Document, value: Any, where: str) -> None:
    _numbers(4, -1.0, 1.0)(document, value, where)
    if abs(math.hypot(*value) - 1.0) > _ROUNDED:
        raise document.error(where, f"its length is {math.hypot(*value):g}", "a unit quaternion is needed")


def _objects(shape: Shape, *needed: str) -> Rule:
    inner = _object(shape, *needed)

    def check(document: Document, value: Any, where: str) -> None:
        if not isinstance(value, list) or not value:
            raise document.error(where, "it is no list of at least one", "such a list is needed")
        for number, fields in enumerate(value):
            inner(document, fields, f"{where}[{number}]")

    return check


def _object(shape: Shape, *needed: str) -> Rule:
    def check(document: Document, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise document.error(where, "it is no object", "an object is needed")
        missing = [name for name in needed if name not in value]
        if missing:
            raise document.error(where, f"{missing[0]} is missing", "it is needed")
        _check(document, value, shape, where)

    return check


def _distinct(of: str) -> Rule:
    """Numbers of things, at least one and none twice."""

    def check(document: Document, value: Any, where: str) -> None:
        if not isinstance(value, list) or not value:
            raise document.error(where, "it is no list of at least one", "such a list is needed")
        found = [document.index_value(number, where, of=of) for number in value]
        if len(set(found)) < len(found):
            raise document.error(where, "a number stands in it twice", "each may stand once")

    return check


def _words(document: Document, value: Any, where: str) -> None:
    fine = isinstance(value, list) and value and all(isinstance(word, str) for word in value)
    if not fine or len(set(value)) < len(value):
        raise document.error(where, "it is no list of different words", "such a list is needed")


def _attributes(document: Document, value: Any, where: str) -> None:
    if not isinstance(value, dict) or not value:
        raise document.error(where, "it is no object with anything in it", "at least one attribute is needed")
    for name, number in value.items():
        document.index_value(number, f"{where}.{name[:40]}", of="accessors")


def _ignore(value: object) -> None:
    """The value was checked, and nobody wants it."""


# What each kind of thing may hold

_TEXTURE: Shape = {"index": _index("textures"), "texCoord": _whole(0)}
_SPARSE = _object({"bufferView": _index("bufferViews"), "byteOffset": _whole(0)}, "bufferView")
_ROOT: Shape = {"scene": _index("scenes"), "extensionsUsed": _words, "extensionsRequired": _words}
_ASSET: Shape = {"version": _text, "minVersion": _choice("2.0"), "copyright": _text, "generator": _text}
_LENS: Shape = {
    "aspectRatio": _number(0, above=True), "yfov": _number(0, above=True), "zfar": _number(0, above=True),
    "znear": _number(0),
}  # fmt: skip
_SHAPES: dict[str, Shape] = {
    "buffers": {"byteLength": _whole(1), "uri": _data, "name": _text},
    "bufferViews": {
        "buffer": _index("buffers"), "byteOffset": _whole(0), "byteLength": _whole(1), "name": _text,
        "byteStride": _choice(*range(4, 253, 4)), "target": _choice(34962, 34963),
    },
    "accessors": {
        "bufferView": _index("bufferViews"), "byteOffset": _whole(0), "componentType": _choice(*COMPONENTS),
        "normalized": _flag, "count": _whole(1), "type": _choice(*WIDTHS, "MAT2", "MAT3"), "name": _text,
        "sparse": _object({"count": _whole(1), "indices": _SPARSE, "values": _SPARSE}, "count", "indices", "values"),
    },
    "images": {"uri": _text, "mimeType": _choice("image/png", "image/jpeg"), "bufferView": _index("bufferViews")},
    "samplers": {
        "magFilter": _choice(9728, 9729), "minFilter": _choice(9728, 9729, 9984, 9985, 9986, 9987),
        "wrapS": _choice(33071, 33648, 10497), "wrapT": _choice(33071, 33648, 10497),
    },
    "textures": {"sampler": _index("samplers"), "source": _index("images"), "name": _text},
    "materials": {
        "name": _text, "alphaMode": _choice("OPAQUE", "MASK", "BLEND"), "alphaCutoff": _number(0),
        "doubleSided": _flag, "emissiveFactor": _numbers(3, 0, 1), "emissiveTexture": _object(_TEXTURE, "index"),
        "normalTexture": _object({**_TEXTURE, "scale": _number()}, "index"),
        "occlusionTexture": _object({**_TEXTURE, "strength": _number(0, 1)}, "index"),
        "pbrMetallicRoughness": _object(
            {
                "baseColorFactor": _numbers(4, 0, 1), "metallicFactor": _number(0, 1), "roughnessFactor": _number(0, 1),
                "baseColorTexture": _object(_TEXTURE, "index"), "metallicRoughnessTexture": _object(_TEXTURE, "index"),
            }
        ),
    },
    "meshes": {
        "name": _text,
        "primitives": _objects(
            {
                "attributes": _attributes, "indices": _index("accessors"), "material": _index("materials"),
                "mode": _whole(0, 6),
            },
            "attributes",
        ),
    },
    "cameras": {
        "type": _choice("perspective", "orthographic"), "perspective": _object(_LENS, "yfov", "znear"),
        "orthographic": _object({"zfar": _number(0, above=True), "znear": _number(0)}, "xmag", "ymag", "zfar", "znear"),
    },
    "nodes": {
        "camera": _index("cameras"), "children": _distinct("nodes"), "mesh": _index("meshes"), "skin": _index("skins"),
        "matrix": _numbers(16), "rotation": _unit, "scale": _numbers(3), "translation": _numbers(3),
        "name": _text,
    },
    "skins": {
        "joints": _distinct("nodes"), "skeleton": _index("nodes"), "inverseBindMatrices": _index("accessors"),
        "name": _text,
    },
    "scenes": {"nodes": _distinct("nodes"), "name": _text},
    "animations": {
        "name": _text,
        "channels": _objects(
            {
                "sampler": _whole(0),
                "target": _object(
                    {"node": _index("nodes"), "path": _choice(*_PATHS)},
                    "path",
                ),
            },
            "sampler", "target",
        ),
        "samplers": _objects(
            {
                "input": _index("accessors"), "output": _index("accessors"),
                "interpolation": _choice("LINEAR", "STEP", "CUBICSPLINE"),
            },
            "input", "output",
        ),
    },
}  # fmt: skip
