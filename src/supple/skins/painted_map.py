"""What a skin says of the maps that it reads: values per vertex that an artist paints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class MapInfo:
    """A painted map: what its values mean, from `low` to `high` in `unit`.

    `default` counts where the map is not painted; None where the skin then finds values of its own (`usual_map`). Maps
    that are no `smooth` ones hold numbers, such as those of bones, between which there is nothing. `formerly` is a name
    that is read too.
    """

    label: str
    low: float = 0.0
    high: float = 1.0
    default: float | None = None
    unit: str = ""
    smooth: bool = True
    formerly: str = ""


REGION = MapInfo("How much of the skin is in the region that settings name", default=0.0)
"""Of maps that settings of a skin name as regions."""


def maps_of(**maps: MapInfo) -> Mapping[str, MapInfo]:
    """Maps by name."""
    return MappingProxyType(maps)


ANATOMY = maps_of(
    thickness=MapInfo("How thick flesh is; the thinner, the more it goes with the bones", high=1.0e6, unit="m"),
    leaf=MapInfo("Finger, toe, ear or tail: 1 goes with the bones"),
    rigid=MapInfo("Skull, armour and buckles: 1 goes with the bones"),
)
"""Maps that win over what the anatomy of a character finds by itself."""
