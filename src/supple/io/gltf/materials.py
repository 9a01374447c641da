"""Materials of a glTF file: numbers, and pictures as the bytes they are; nothing is decoded."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from supple.character.materials import SAMPLER, Material, Texture
from supple.errors import InputError
from supple.io.gltf.document import Document, Fields

KEY = "supple"  # under `extras`: what Supple writes beyond the format
_PICTURES = {
    "color": ("pbrMetallicRoughness", "baseColorTexture"),
    "metal_rough": ("pbrMetallicRoughness", "metallicRoughnessTexture"),
    "normal": (None, "normalTexture"),
    "occlusion": (None, "occlusionTexture"),
    "emission": (None, "emissiveTexture"),
}
_STRENGTH = "KHR_materials_emissive_strength"
_REPEATED = 10497  # how a picture ends that is laid on without a word


class Materials:
    """The materials of a document, read when a triangle wears them, and each of their pictures once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._images: dict[int, Texture | None] = {}
        self._samplers: dict[tuple[int, tuple[tuple[str, int], ...]], Texture] = {}

    def read(self, number: int) -> Material | None:
        """One material; None for the plain one that Supple writes where a character has none."""
        document = self._document
        where = f"materials[{number}]"
        fields = document.item("materials", number)
        if own_extras(fields).get("none") is True:
            return None
        pbr = document.mapping(fields, "pbrMetallicRoughness", where)
        color = document.numbers(pbr, "baseColorFactor", where, count=4)
        emission = document.numbers(fields, "emissiveFactor", where, count=3)
        extensions = document.mapping(fields, "extensions", where)
        strength = self._number(document.mapping(extensions, _STRENGTH, where), "emissiveStrength", 1.0, where)
        said, pictures = self._beyond(fields, where)
        return Material(
            document.text(fields, "name", f"material{number}"),
            tuple((np.ones(4) if color is None else np.clip(color, 0.0, 1.0)).tolist()),
            min(max(self._number(pbr, "metallicFactor", 1.0, where), 0.0), 1.0),
            min(max(self._number(pbr, "roughnessFactor", 1.0, where), 0.0), 1.0),
            tuple((np.zeros(3) if emission is None else np.clip(emission * strength, 0.0, None)).tolist()),
            double_sided=fields.get("doubleSided") is True,
            alpha=self._alpha(fields, where),
            textures=self._textures(fields, pbr, where) | pictures,
            gltf=said,
        )

    def _alpha(self, fields: Fields, where: str) -> Literal["opaque", "blend"] | float:
        mode = fields.get("alphaMode", "OPAQUE")
        if mode == "MASK":
            return min(max(self._number(fields, "alphaCutoff", 0.5, where), 0.0), 1.0)
        return "blend" if mode == "BLEND" else "opaque"

    def _number(self, fields: Fields, key: str, default: float, where: str) -> float:
        value = fields.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self._document.error(f"{where}.{key}", f"it is {str(value)[:40]}", "a finite number is needed")
        return min(max(float(value), -1e30), 1e30)

    def _textures(self, fields: Fields, pbr: Fields, where: str) -> dict[str, Texture]:
        document = self._document
        found = {}
        for slot, (group, key) in _PICTURES.items():
            at = f"{where}.{key}"
            info = document.mapping(pbr if group else fields, key, where)
            number = document.index(info, "index", at, of="textures") if info else None
            if number is None:
                continue
            picture = self.texture(number, at)
            if picture is not None:
                found[slot] = picture
        return found

    def texture(self, number: int, where: str) -> Texture | None:
        """A picture with how it is laid on; one in a format that is not read is left out, and told."""
        document = self._document
        fields = document.item("textures", number)
        source = document.index(fields, "source", f"textures[{number}]", of="images")
        picture = None if source is None else self.image(source)
        if source is None:
            document.faults.note(where, "its picture is in a format beyond PNG and JPEG and is left out")
        if picture is None or source is None:
            return None
        sampler = self._sampler(fields, number)
        if sampler:
            picture = self._samplers.setdefault((source, sampler), replace(picture, sampler=sampler))
        return picture

    def _sampler(self, fields: Fields, number: int) -> tuple[tuple[str, int], ...]:
        """How a picture is laid on, where that is not what the format means anyway."""
        named = self._document.index(fields, "sampler", f"textures[{number}]", of="samplers")
        given = {} if named is None else self._document.item("samplers", named)
        return tuple(
            (key, given[key])
            for key, allowed in SAMPLER.items()
            if type(given.get(key)) is int and given[key] in allowed and given[key] != _REPEATED
        )

    def _beyond(self, fields: Fields, where: str) -> tuple[Fields, dict[str, Texture]]:
        """What a material says beyond our words, as JSON, and the pictures that it names, by where they stand there."""
        document = self._document
        said: Fields = {}
        for _, (group, key) in _PICTURES.items():
            info = document.mapping(document.mapping(fields, group, where) if group else fields, key, where)
            more = {name: value for name, value in info.items() if name != "index"}
            if "index" in info and more:
                said[key] = more
        extras = fields.get("extras")
        others = {name: v for name, v in extras.items() if name != KEY} if isinstance(extras, dict) else extras
        said |= {"extras": others} if others else {}
        extensions = document.mapping(fields, "extensions", where)
        kept = {name: value for name, value in extensions.items() if name != _STRENGTH}
        if not kept:
            return said, {}
        said["extensions"], pictures = self._named_pictures(kept, where)
        return said, pictures

    def _named_pictures(self, extensions: Fields, where: str) -> tuple[Fields, dict[str, Texture]]:
        """Extensions without the numbers of textures, and the pictures of these, by where they stand."""
        held = copy.deepcopy(extensions)
        pictures: dict[str, Texture] = {}
        waiting = [("extensions", held)]
        while waiting:
            at, fields = waiting.pop()
            for key, value in list(fields.items()):
                if not isinstance(value, dict):
                    continue
                waiting.append((f"{at}/{key}", value))
                if key.endswith("Texture") and type(value.get("index")) is int:
                    number = self._document.index_value(value.pop("index"), f"{where}.{key}", of="textures")
                    picture = self.texture(number, f"{where}.{key}")
                    if picture is None:
                        del fields[key]
                        waiting.pop()
                    else:
                        pictures[f"{at}/{key}"] = picture
        return held, pictures

    def image(self, number: int) -> Texture | None:
        """A picture; one that is missing, damaged or outside the folder is left out, and told."""
        if number not in self._images:
            fields = self._document.item("images", number)
            where = f"images[{number}]"
            try:
                name, data = self._named_bytes(fields, number, where)
                self._images[number] = Texture(name, data)
            except InputError as error:
                self._images[number] = None
                self._document.faults.note(where, f"{error.given} ({error.needed}), and it is left out")
        return self._images[number]

    def _named_bytes(self, fields: Fields, number: int, where: str) -> tuple[str, bytes]:
        document = self._document
        address: Any = fields.get("uri")
        name = document.text(fields, "name", f"image{number}")
        if isinstance(address, str):
            if address[:5].lower() != "data:" and "name" not in fields:
                name = address.rsplit("/", 1)[-1].rsplit(".", 1)[0] or name
            return name, document.attachment(address, where)
        view = document.index(fields, "bufferView", where, of="bufferViews")
        buffer_view = {} if view is None else document.item("bufferViews", view)
        at = f"bufferViews[{view}]"
        buffer = document.index(buffer_view, "buffer", at, of="buffers")
        if buffer is None:
            raise document.error(where, "it has neither a uri nor a buffer", "one of them is needed")
        content = document.buffer(buffer)
        start = document.whole(buffer_view, "byteOffset", at) if "byteOffset" in buffer_view else 0
        length = document.whole(buffer_view, "byteLength", at, low=1)
        if start + length > len(content):
            raise document.error(at, f"it ends at byte {start + length}", f"the buffer has {len(content)}")
        document.spend(length, where)
        return name, bytes(content[start : start + length])


def own_extras(fields: Fields) -> Fields:
    """What Supple wrote about a material, a mesh, a node or a clip beyond the format; empty where it wrote nothing."""
    extras = fields.get("extras")
    ours = extras.get(KEY) if isinstance(extras, dict) else None
    return ours if isinstance(ours, dict) else {}
