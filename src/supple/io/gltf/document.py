"""A glTF document: its JSON read with suspicion, its buffers, and how much memory it may ask for."""

from __future__ import annotations

import base64
import binascii
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import numpy as np

from supple.arrays import FloatArray
from supple.budget import Budget
from supple.errors import FormatError, InputError
from supple.io.gltf import container
from supple.io.gltf.faults import Faults

Fields = dict[str, Any]

_KINDS = ("accessors", "animations", "buffers", "bufferViews", "cameras", "images", "materials", "meshes", "nodes",
          "samplers", "scenes", "skins", "textures")  # fmt: skip
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")


class Document:
    """The JSON and the bytes of one file. Every number is checked when it is asked for, none is trusted."""

    def __init__(self, path: Path, faults: Faults) -> None:
        self.path, self.faults = path, faults
        try:
            data = path.read_bytes()
        except OSError as error:
            raise FormatError(
                str(path), f"it cannot be read ({error.strerror})", "a readable file is needed", "check its rights"
            ) from None
        self._budget = Budget(path.name, len(data))
        self.root, self._binary = container.unwrap(data, path)
        self._buffers: dict[int, memoryview] = {}
        self._files: dict[tuple[int, int] | Path, bytes] = {}  # by what the file is, not by how it is spelt
        self._lists: dict[str, list[Fields]] = {}
        self._empty = [kind for kind in _KINDS if self.root.get(kind) == []]
        for kind in self._empty:
            faults.note(kind, "it is an empty list, which glTF forbids, and is taken for none")

    # What the file may cost

    def spend(self, size: int, where: str) -> None:
        """Count `size` bytes that are about to be allocated; a small file that asks for much is refused."""
        self._budget.spend(size, where)

    def room(self, parts: int) -> int:
        """Bytes left for each of `parts` equal ones."""
        return self._budget.room(parts)

    # JSON

    def error(self, where: str, given: str, needed: str, advice: str = "re-export the file") -> FormatError:
        """An error at a place in this file."""
        return FormatError(f"{self.path.name}: {where}", given, needed, advice)

    def nothing(self, given: str, needed: str, advice: str) -> InputError:
        """The refusal of a file that is well formed and does not hold what was asked for.

        An empty list harms no character, and is told; in a file that has none to show it is what is wrong.
        """
        if self._empty:
            return self.error(self._empty[0], "it is an empty list", "a list of at least one is needed, or none at all")
        return InputError(self.path.name, f"the file is well formed and {given}", needed, advice)

    def compressed(self, where: str, how: str) -> FormatError:
        """The refusal of a compressed file."""
        advice = "unpack it first, for instance with `npx @gltf-transform/cli copy in.glb out.glb`, or export it plain"
        return self.error(where, f"it is compressed with {how}", "plain glTF is read", advice)

    def items(self, kind: str) -> list[Fields]:
        """One of the top-level arrays, such as nodes; absent means empty."""
        if kind not in self._lists:
            found = self.listing(self.root, kind, kind)
            for number, item in enumerate(found):
                if not isinstance(item, dict):
                    raise self.error(f"{kind}[{number}]", f"it is {_brief(item)}", "an object is needed")
            self._lists[kind] = found
        return self._lists[kind]

    def item(self, kind: str, number: int) -> Fields:
        """One element of a top-level array; `number` comes from `index`."""
        return self.items(kind)[number]

    def listing(self, fields: Fields, key: str, where: str) -> list[Any]:
        """A list, or an empty one when there is none."""
        found = fields.get(key, [])
        if not isinstance(found, list):
            raise self.error(where, f"{key} is {_brief(found)}", "a list is needed")
        return found

    def mapping(self, fields: Fields, key: str, where: str) -> Fields:
        """An object, or an empty one when there is none."""
        found = fields.get(key, {})
        if not isinstance(found, dict):
            raise self.error(where, f"{key} is {_brief(found)}", "an object is needed")
        return found

    def text(self, fields: Fields, key: str, default: str) -> str:
        """A name; what is no text counts as none, because names are decoration."""
        found = fields.get(key)
        return found if isinstance(found, str) and found else default

    def whole(self, fields: Fields, key: str, where: str, *, low: int = 0, high: int = 2**53) -> int:
        """A whole number in a range; it must be there."""
        return self.whole_value(fields.get(key), f"{where}.{key}", low=low, high=high)

    def whole_value(self, value: Any, where: str, *, low: int = 0, high: int = 2**53) -> int:
        """A whole number in a range."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(where, f"it is {_brief(value)}", f"a whole number from {low} to {high} is needed")
        return value

    def index(self, fields: Fields, key: str, where: str, *, of: str) -> int | None:
        """A reference into a top-level array, or None when there is none."""
        if fields.get(key) is None:
            return None
        return self.index_value(fields[key], f"{where}.{key}", of=of)

    def index_value(self, value: Any, where: str, *, of: str) -> int:
        """A reference into a top-level array."""
        count = len(self.items(of))
        if count == 0:
            raise self.error(where, f"it is {_brief(value)}", f"there are no {of}")
        return self.whole_value(value, where, high=count - 1)

    def numbers(self, fields: Fields, key: str, where: str, *, count: int) -> FloatArray | None:
        """A list of `count` finite numbers, or None when there is none."""
        if fields.get(key) is None:
            return None
        found = self.listing(fields, key, where)
        fine = len(found) == count and all(isinstance(v, int | float) and not isinstance(v, bool) for v in found)
        if not fine or not all(-1e100 < v < 1e100 and math.isfinite(v) for v in found):
            raise self.error(f"{where}.{key}", f"it is {_brief(found)}", f"{count} finite numbers are needed")
        return np.array([float(v) for v in found])

    # Bytes

    def buffer(self, number: int) -> memoryview:
        """The bytes of a buffer: from the file itself, from a data: address, or from a file beside it."""
        if number not in self._buffers:
            where = f"buffers[{number}]"
            fields = self.item("buffers", number)
            length = self.whole(fields, "byteLength", where, low=1)
            address = fields.get("uri")
            if address is None:
                if any("meshopt" in name for name in self.mapping(fields, "extensions", where)):
                    raise self.compressed(where, "meshopt")
                if number or self._binary is None:
                    raise self.error(where, "it has no uri", "only the first buffer of a GLB may lack one")
                content = self._binary
            elif not isinstance(address, str):
                raise self.error(where, f"its uri is {_brief(address)}", "text is needed")
            elif address[:5].lower() == "data:":
                content = memoryview(self._embedded(address, where))
            else:
                content = memoryview(self._beside(address, length, where))
            if len(content) < length:
                raise self.error(where, f"it has {len(content)} bytes", f"its byteLength is {length}")
            self._buffers[number] = content[:length]
        return self._buffers[number]

    def attachment(self, address: str, where: str) -> bytes:
        """All bytes behind an address that says no length, as that of a picture: embedded, or a file beside this."""
        return self._embedded(address, where) if address[:5].lower() == "data:" else self._beside(address, None, where)

    def _embedded(self, address: str, where: str) -> bytes:
        head, comma, body = address.partition(",")
        if not comma:
            raise self.error(where, "its data: address has no comma", "the data follow a comma")
        if not head.lower().endswith(";base64"):
            return unquote_to_bytes(body)
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise self.error(where, "its base64 cannot be read", "embedded data are base64") from None

    def _beside(self, address: str, length: int | None, where: str) -> bytes:
        """A file in the folder of this one or below it; nothing else on the machine can be named."""
        advice = "put the buffer beside the .gltf, or export as .glb"
        name = unquote(address)
        steps = name.split("/")
        outside = _SCHEME.match(name) or name.startswith("/") or "\\" in name or "\0" in name or ".." in steps
        if outside or not name:
            raise self.error(where, f"its uri is {_brief(address)}", "a file beside this one is needed", advice)
        folder = self.path.resolve().parent
        try:
            found = (folder / name).resolve()
            if not found.is_relative_to(folder):
                raise self.error(where, f"{_brief(name)} leads out of the folder", "files stay beside it", advice)
            if not found.is_file():
                raise self.error(where, f"there is no file {_brief(name)}", "its buffer must be there", advice)
            facts = found.stat()
            # Some file systems do not number their files.
            size, same = facts.st_size, (facts.st_dev, facts.st_ino) if facts.st_ino else found
            if length is None and size > self.room(1):
                raise self.error(where, f"{_brief(name)} has {size} bytes", f"there is room for {self.room(1)}")
            if length is not None and size < length:
                raise self.error(where, f"{_brief(name)} has {size} bytes", f"its byteLength is {length}")
            if length is not None and same in self._files:
                return self._files[same]
            with found.open("rb") as file:
                content = file.read(size if length is None else int(min(size, self._longest_buffer())))
        except (OSError, ValueError, RuntimeError) as error:
            if isinstance(error, FormatError):
                raise
            raise self.error(
                where, f"{_brief(name)} cannot be read ({error})", "its buffer is needed", advice
            ) from None
        if length is None:
            self.spend(len(content), where)
        else:
            self._budget.grow(len(content))
            self._files[same] = content
        return content

    def _longest_buffer(self) -> float:
        """The largest byteLength of all buffers: a file is read once, however many of them name it."""
        lengths = [fields.get("byteLength") for fields in self.items("buffers")]
        return max(length for length in lengths if isinstance(length, int | float))


def _brief(value: Any) -> str:
    text = repr(value) if not isinstance(value, list | dict) else f"a {type(value).__name__} of {len(value)}"
    return text if len(text) <= 60 else text[:57] + "..."
