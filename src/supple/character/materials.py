"""Materials: what the surface of a character looks like; no skin moves by them, programs that draw it want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from supple.arrays import IntArray, by_fields, frozen
from supple.errors import InputError

SLOTS = ("color", "metal_rough", "normal", "occlusion", "emission")
"""What a picture may say: base colour and opacity; roughness in green and metal in blue; normals in tangent space;
occlusion in red; light of its own."""

SAMPLER = {
    "wrapS": (33071, 33648, 10497),
    "wrapT": (33071, 33648, 10497),
    "magFilter": (9728, 9729),
    "minFilter": (9728, 9729, 9984, 9985, 9986, 9987),
}
"""How a picture ends at its border (held, mirrored, repeated) and is seen from near and afar, in glTF's numbers."""

_KINDS = {b"\x89PNG\r\n\x1a\n": ("image/png", ".png"), b"\xff\xd8\xff": ("image/jpeg", ".jpg")}


@dataclass(frozen=True)
class Texture:
    """A picture as it came, PNG or JPEG; Supple hands its bytes on and never decodes them.

    `sampler` is how it is laid on: glTF's numbers by glTF's words (wrapS, wrapT, magFilter, minFilter); without any it
    repeats.
    """

    name: str
    data: bytes = field(repr=False)
    sampler: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if not any(self.data.startswith(start) for start in _KINDS):
            raise InputError(
                f"Texture {self.name!r}",
                f"its {len(self.data)} bytes start with {self.data[:8]!r}",
                "a PNG or a JPEG is needed",
                "convert the picture",
            )
        known = [key in SAMPLER and value in SAMPLER[key] for key, value in self.sampler]
        if not all(known):
            given = f"its sampler says {self.sampler[known.index(False)]}"
            raise InputError(f"Texture {self.name!r}", given, f"{', '.join(SAMPLER)} are known", "use glTF's numbers")

    @property
    def mime_type(self) -> str:
        """image/png or image/jpeg."""
        return self._kind[0]

    @property
    def suffix(self) -> str:
        """.png or .jpg."""
        return self._kind[1]

    @property
    def _kind(self) -> tuple[str, str]:
        return next(kind for start, kind in _KINDS.items() if self.data.startswith(start))


@dataclass(frozen=True)
class Material:
    """One look, in the words that glTF and UsdPreviewSurface share.

    `color` is red, green, blue and opacity, linear, 0 to 1; `emission` is light of its own, 0 and up. `alpha` says what
    opacity does: "opaque" nothing, "blend" shows what is behind, a number draws nothing below it. `textures` are
    pictures by slot (`SLOTS`), which multiply the numbers, on the character's texture coordinates. `gltf` is what a
    file said beyond these words, as it stood there (extensions, and how each picture is laid on); pictures that it
    names are in `textures` too, by where they stand: extensions/KHR_materials_clearcoat/clearcoatTexture.
    """

    name: str = "material"
    color: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    metallic: float = 0.0
    roughness: float = 0.7
    emission: tuple[float, float, float] = (0.0, 0.0, 0.0)
    double_sided: bool = False
    alpha: Literal["opaque", "blend"] | float = "opaque"
    textures: Mapping[str, Texture] = field(default_factory=dict)
    gltf: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = f"Material {self.name!r}"
        color = _numbers(self.color, 4, 1.0, where, "color")
        emission = _numbers(self.emission, 3, np.inf, where, "emission")
        metallic, roughness = _numbers((self.metallic, self.roughness), 2, 1.0, where, "metallic and roughness")
        if isinstance(self.alpha, str):
            if self.alpha not in ("opaque", "blend"):
                needed = "'opaque', 'blend' or a number from 0 to 1 is needed"
                raise InputError(where, f"alpha is {self.alpha!r}", needed, "choose one")
        else:
            object.__setattr__(self, "alpha", _numbers((self.alpha,), 1, 1.0, where, "alpha")[0])
        unknown = [slot for slot in self.textures if slot not in SLOTS and not slot.startswith("extensions/")]
        if unknown:
            raise InputError(where, f"a texture is for {unknown[0]!r}", f"there are {', '.join(SLOTS)}", "rename it")
        object.__setattr__(self, "color", color)
        object.__setattr__(self, "emission", emission)
        object.__setattr__(self, "metallic", metallic)
        object.__setattr__(self, "roughness", roughness)
        object.__setattr__(self, "textures", MappingProxyType(dict(self.textures)))
        object.__setattr__(self, "gltf", MappingProxyType(dict(self.gltf)))

    def __reduce__(self) -> Any:
        """Can be pickled, to be handed to another process."""
        return by_fields(self)


def checked(
    materials: Sequence[Material], worn: IntArray | None, triangles: int, where: str
) -> tuple[tuple[Material, ...], IntArray | None]:
    """Materials, and which of them every triangle (T,) wears, -1 for none; not told, all wear the first."""
    held = tuple(materials)
    if not held and worn is None:
        return held, None
    rows = frozen(np.zeros(triangles) if worn is None else worn, np.int32, (triangles,), where, "material_of_triangle")
    if rows.size and not -1 <= int(rows.min()) <= int(rows.max()) < len(held):
        worst = int(rows.min()) if int(rows.min()) < -1 else int(rows.max())
        raise InputError(where, f"a triangle wears material {worst}", f"there are {len(held)}; -1 is none", "add it")
    return held, rows if held else None


def _numbers(given: Any, count: int, most: float, where: str, what: str) -> tuple[Any, ...]:
    found = frozen(given, np.float64, (count,), where, what)
    if (found < 0.0).any() or (found > most).any():
        needed = f"numbers from 0 {f'to {most:g}' if np.isfinite(most) else 'up'} are needed"
        raise InputError(where, f"{what} is {tuple(found.tolist())}", needed, "bring it into that range")
    return tuple(found.tolist())
