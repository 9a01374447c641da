"""Materials of an FBX file, made of what the reading program found, with pictures embedded or lying beside the file."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import IntArray
from supple.character.materials import SLOTS, Material, Texture
from supple.errors import InputError
from supple.io.gltf.faults import Faults

MOST_BYTES = 64 << 20  # of all pictures that lie beside the file
_HELD = 33071  # glTF's number of a picture that ends at its border


class Materials:
    """The materials of a file, each made when the first face wears it; `found` are those, by their new numbers."""

    def __init__(self, path: Path, arrays: dict[str, NDArray[Any]], words: dict[str, Any], faults: Faults) -> None:
        self.found: list[Material] = []
        self._folder, self._stem, self._faults = path.resolve().parent, path.stem, faults
        self._arrays, self._words, self._room = arrays, words, MOST_BYTES
        self._number: dict[int, int] = {}
        self._pictures: dict[int, Texture | None] = {}

    def worn(self, listed: list[int], faces: IntArray) -> IntArray | None:
        """What every face (F,) wears of a node's materials, `listed` by their numbers in the file; -1 is none."""
        known = [number if 0 <= number < len(self._words["materials"]) else -1 for number in listed]
        if not known:
            return None
        used = np.where((faces >= 0) & (faces < len(known)), faces, 0)
        table = np.full(len(known), -1, dtype=np.int32)
        for slot in np.unique(used).tolist():
            if known[slot] >= 0:
                table[slot] = self._made(known[slot])
        return table[used]

    def _made(self, number: int) -> int:
        if number not in self._number:
            self._number[number] = len(self.found)
            self.found.append(self._material(self._words["materials"][number], number))
        return self._number[number]

    def _material(self, given: dict[str, Any], number: int) -> Material:
        name = given["name"] or f"material{number}"
        where = f"material {name!r}"
        named = {slot: picture for slot, picture in given["pictures"].items() if picture >= 0}
        if "metal" in named and named["metal"] == named.get("rough"):
            named["metal_rough"] = named["metal"]
        chosen = {slot: self._picture(picture, where) for slot, picture in named.items() if slot in SLOTS}
        textures = {slot: picture for slot, picture in chosen.items() if picture is not None}
        clear = "opacity" in named or 0.0 < given["opacity"] < 1.0
        lost = [slot for slot in named if slot not in SLOTS and self._is_lost(slot, named)]
        if lost:
            self._faults.note(where, f"its pictures of {' and '.join(lost)} have no place here and are left out")
        if given["opacity"] <= 0.0:
            self._faults.note(where, "nothing of it would be seen; it is solid here")
        color = np.clip(given["color"], 0.0, 1.0).tolist() if "color" not in textures else [1.0, 1.0, 1.0]
        metallic, roughness = np.clip([given["metallic"], given["roughness"]], 0.0, 1.0).tolist()
        light = np.clip(given["emission"], 0.0, 1e6).tolist() if "emission" not in textures else [1.0, 1.0, 1.0]
        return Material(
            name,
            (color[0], color[1], color[2], min(given["opacity"], 1.0) if given["opacity"] > 0.0 else 1.0),
            metallic,
            roughness,
            (light[0], light[1], light[2]),
            double_sided=given["double_sided"],
            alpha="blend" if clear else "opaque",
            textures=textures,
        )

    @staticmethod
    def _is_lost(slot: str, named: dict[str, int]) -> bool:
        """Whether a picture that has no slot of its own is in none of the others."""
        if slot in ("metal", "rough"):
            return "metal_rough" not in named
        return slot != "opacity" or named["opacity"] != named.get("color")

    def _picture(self, number: int, where: str) -> Texture | None:
        if number not in self._pictures:
            self._pictures[number] = self._read(number, where)
        return self._pictures[number]

    def _read(self, number: int, where: str) -> Texture | None:
        listed = self._words["pictures"]
        nothing: dict[str, Any] = {"name": "", "places": [], "clamped": [], "moved": False}
        given = listed[number] if 0 <= number < len(listed) else nothing
        embedded = self._arrays.get(f"picture {number}")
        data = self._beside(given["places"]) if embedded is None else embedded.tobytes()
        if given["moved"]:
            self._faults.note(where, "how its pictures are shifted and scaled is left out")
        names = [PureWindowsPath(place).stem for place in given["places"]]
        sampler = tuple((key, _HELD) for key, held in zip(("wrapS", "wrapT"), given["clamped"], strict=False) if held)
        try:
            return Texture(next(filter(None, names), "") or given["name"] or "picture", data, sampler)
        except InputError:
            said = "is not beside the file" if not data else "is no PNG or JPEG"
            self._faults.note(where, f"a picture {said} and is left out")
            return None

    def _beside(self, places: list[str]) -> bytes:
        """The bytes of a picture in the folder of the file or below; nothing where there is none that may be read."""
        for place in places:
            parts = [part for part in PureWindowsPath(place.replace("\\\\", "\\")).parts if part.strip("\\/.:")]
            for tail in (parts, parts[-1:], [f"{self._stem}.fbm", *parts[-1:]]):
                if not tail or any(":" in part or "\0" in part for part in tail):
                    continue
                file = self._folder.joinpath(*tail).resolve()
                if not file.is_relative_to(self._folder) or not file.is_file() or file.stat().st_size > self._room:
                    continue
                self._room -= file.stat().st_size
                return file.read_bytes()
        return b""
