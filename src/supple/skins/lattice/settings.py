"""The settings of a lattice by idea: its layers, its voxels, what of the body is bone and fat, and how it moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from supple.errors import InputError
from supple.settings import DEFAULT, ByName, Number, Settings, by_name, maybe, setting
from supple.skins.lattice.voxelize.cells import SETS, WHERE

SKIN = "skin"
"""The name of the outermost layer."""


@dataclass(frozen=True, kw_only=True)
class Layer(Settings):
    """One layer of flesh; what it leaves open is that of the usual layer of its name, or of the row for all."""

    thickness: float | None = maybe(float, "Share of the way from bone to skin; 0 for no such layer", low=0.0, high=1e6)
    stiffness: float | None = maybe(float, "How much shape one pass restores", low=0.0, high=100.0)
    frequency: float | None = maybe(float, "Pace of the swing; 0 for none", unit="Hz", low=0.0, high=30.0)
    damping: float | None = maybe(float, "Damping of the swing; at 1 it would not overshoot", low=0.0, high=0.99)
    velocity_retention: float | None = maybe(float, "Share of its velocity that is kept in 1/30 s", low=0.0, high=1.0)
    follow: float | None = maybe(float, "Share of the bones' motion to start from, without a swing", low=0.0, high=1.0)


LAYERS: Mapping[str, Layer] = {
    DEFAULT: Layer(stiffness=0.6, frequency=5.0, damping=0.2, velocity_retention=1.0, follow=0.85),
    "muscle": Layer(thickness=0.6, stiffness=0.9, frequency=7.0),
    "fat": Layer(thickness=0.4, stiffness=0.3, frequency=3.0),
    SKIN: Layer(stiffness=0.8, frequency=4.0),
}
"""From inside out."""


@dataclass(frozen=True, kw_only=True)
class Voxels(Settings):
    """The voxels, what carries them, and how the skin hangs on them."""

    resolution: int = setting(0, "Voxels along the longest side; 0: ten across the trunk", low=0, high=512)
    width: int = setting(3, "Voxels along the side of a region", low=1, high=64)
    neighbors: str = setting("all", "Neighbours that keep their distance", choices=tuple(SETS))
    weights: str = setting("carried", "Weights of voxels: the skin's own, or by bones", choices=("carried", "bones"))
    surface: str = setting(
        "smooth",
        "How the skin hangs on voxels; trilinear takes nothing from the skin below",
        choices=("smooth", "linear", "trilinear"),
    )


@dataclass(frozen=True, kw_only=True)
class AnatomySettings(Settings):
    """What of the body is bone, fat and skin."""

    skin_layer: bool = setting(True, "The outermost voxels are a layer of their own")
    bone_width: ByName[float | str] = by_name(
        "auto", "How many voxels around the bones are bone", Number(0.0, 1000.0, words=("auto",)), names="region"
    )
    fatness: ByName[float | str] = by_name(
        "auto", "Share of the outermost inner layer", Number(0.0, 1.0, words=("auto",)), names="region"
    )
    firm_parts: bool = setting(True, "Head, hands and feet stay as the bones carry them, where names tell them")


@dataclass(frozen=True, kw_only=True)
class Dynamics(Settings):
    """What pulls at the flesh, and how far it may go."""

    gravity: float = setting(9.81, "Gravity", unit="m/s²", low=0.0, high=100.0)
    rest_includes_gravity: bool = setting(True, "The rest shape already hangs as gravity wants it")
    max_offset: float = setting(
        0.5, "How far flesh may go, as a share of its distance to the bone", low=0.0, high=1000.0
    )


@dataclass(frozen=True, kw_only=True)
class Solve(Settings):
    """How much the lattice repairs in a step."""

    iterations: int = setting(1, "Passes over the lattice in a step", low=0, high=100)
    warm_up: int = setting(30, "Steps in which the first pose settles", low=0, high=1000)
    stretch: float = setting(0.5, "How much of a wrong distance one pass repairs", low=0.0, high=1.0)
    volume: float = setting(0.5, "How much of a wrong volume one pass repairs", low=0.0, high=1.0)
    limb_volume: float = setting(
        0.6, "How far limbs may swell around bent joints to keep their volume, of their girth", low=0.0, high=1.0
    )
    keep_volume: bool = setting(True, "Close the volume error of the whole skin, along its normals")


def inner_layers(layers: Mapping[str, Layer]) -> dict[str, float]:
    """The layers between bone and skin from inside out, and the share of the way that each takes (they sum to one)."""
    thick = {name: layer.thickness or 0.0 for name, layer in layers.items() if name not in (DEFAULT, SKIN)}
    inner = {name: thickness for name, thickness in thick.items() if thickness > 0.0}
    wrong = any(layers[name].thickness for name in (DEFAULT, SKIN) if name in layers)
    if not inner or wrong or "bone" in layers:
        given = {name: layer.thickness for name, layer in layers.items() if layer.thickness is not None}
        raise InputError(
            WHERE,
            f"layers have a thickness of {ByName(given)}",
            "layers between bone and skin are needed, from inside out",
            "write for example muscle=0.6, fat=0.4",
        )
    strange = [name for name in thick if layers[name].thickness is None]
    if strange:
        there = ", ".join([*inner, SKIN])
        raise InputError(WHERE, f"layers name {strange[0]!r}", f"there are {there}", "name one, or give it a thickness")
    total = sum(inner.values())
    return {name: thickness / total for name, thickness in inner.items()}


def by_layer(layers: Mapping[str, Layer], what: str, names: tuple[str, ...]) -> tuple[float, ...]:
    """One number for every layer by name; what a layer leaves open is that of the row for all."""
    common = getattr(layers[DEFAULT], what)
    found = [getattr(layers[name], what) if name in layers else None for name in names]
    return tuple(common if one is None else one for one in found)
