"""What is baked to tell whether anything changed, and the digest of each."""

from __future__ import annotations

import hashlib
import sys
from typing import Any, NamedTuple

import supple

FRAMES, RATE = 12, 30.0
PLAYED = {  # characters of one, few and many limbs, and two motions for each
    "tube": ("bend", "twist"),
    "arm": ("bend", "twist"),
    "hero": ("walk", "jump"),
    "octopus": ("swim", "twist"),
}
VERTICES = {"tube": 600, "arm": 800, "hero": 1500, "octopus": 1500}
LATE = 0.35  # s: where the motion is under way
BESIDE = {  # recipes that the defaults do not reach
    "position-based": ({"preset": "published"}, {"contact": "full", "base": "dual-quaternion"}),
    "lattice": ({"surface": "trilinear", "steady": 2.0},),
}


class Cell(NamedTuple):
    """One skin on one character."""

    character: str
    skin: str
    settings: dict[str, object]

    def __str__(self) -> str:
        chosen = ",".join(f"{key}={value}" for key, value in self.settings.items())
        return " ".join(filter(None, (self.skin, chosen, "on", self.character)))

    def made(self) -> Any:
        """The skin; by public names only, so that this recipe also runs on other revisions."""
        kind, chosen = supple.SKINS[self.skin], dict(self.settings)
        preset = chosen.pop("preset", None)
        return kind(**chosen) if preset is None else kind.preset(preset, **chosen)


def cells() -> list[Cell]:
    """All that is looked at."""
    return [
        Cell(character, skin, settings)
        for skin in supple.SKINS
        for character in PLAYED
        for settings in ({}, *BESIDE.get(skin, ()))
    ]


def record(chosen: list[Cell]) -> dict[str, str]:
    """A digest of the frames of every cell and motion."""
    found = {}
    characters = {name: supple.character(name, vertices=count) for name, count in VERTICES.items()}
    for cell in chosen:
        character = characters[cell.character]
        player = supple.player(character, cell.made())
        for clip in PLAYED[cell.character]:
            motion = supple.motion(clip, character)
            player.reset()
            digest = hashlib.sha256()
            for frame in range(FRAMES):
                digest.update(player.play(motion, LATE + frame / RATE).tobytes())
            found[f"{cell} {clip}"] = digest.hexdigest()[:16]
        sys.stderr.write(f"{cell}\n")
    return found
