"""What a page says about the character, the motion and the computer."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime

from supple.character.character import Character
from supple.graph.cache import Cache
from supple.motion.motion import Motion
from supple.motion.pose import PoseSource


def lead(labels: Sequence[str], cache: Cache) -> str:
    """What was compared, in two sentences."""
    count = f"{len(labels)} skins move" if len(labels) > 1 else "One skin moves"
    return (
        f"{count} the same {len(cache.rest):,} vertices through the same {len(cache)} frames: {', '.join(labels)}. "
        f"{len(cache) / cache.fps:.2f} s at {cache.fps:g} frames a second."
    )


def facts(character: Character, motion: PoseSource, cache: Cache, *, at_a_time: int = 1) -> dict[str, dict[str, str]]:
    """Facts by name, in groups; `at_a_time` is how many skins were made beside each other, which takes them longer."""
    size = character.points.max(axis=0) - character.points.min(axis=0)
    weights = character.weights
    about = {
        "Name": character.name,
        "Vertices": f"{len(character.points):,}",
        "Triangles": f"{len(character.triangles):,}",
        "Joints": f"{len(character.skeleton):,}",
        "Influences": "none" if weights is None else f"up to {weights.joints.shape[1]} for a vertex",
        "Size": f"{size[0]:.2f} × {size[1]:.2f} × {size[2]:.2f} m",
    }
    moved = {"Name": name_of(motion), "Frames": f"{len(cache)} at {cache.fps:g} a second"}
    if isinstance(motion, Motion):
        moved["Length"] = f"{motion.duration:.2f} s{', repeated' if motion.loop else ''}"
    computer = {
        "Device": str(cache.info["device"]),
        "Machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        **({"Times": f"taken while {at_a_time} skins were made at a time"} if at_a_time > 1 else {}),
        "Supple": f"{cache.info['supple']} on Python {platform.python_version()}",
        "Date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }
    return {"Character": about, "Motion": moved, "Computer": computer}


def name_of(motion: PoseSource) -> str:
    """The motion's name; one without is called by its kind."""
    return str(getattr(motion, "name", type(motion).__name__))
