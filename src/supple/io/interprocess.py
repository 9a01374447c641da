"""A character or a motion in a parcel, to be handed from one process to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from supple import errors
from supple.character import packing
from supple.character.character import Character
from supple.character.packing import Arrays
from supple.character.skeleton import Skeleton
from supple.errors import FormatError, SuppleError
from supple.io.parcel import Words, read_parcel, write_parcel
from supple.motion.motion import Motion


def write(path: Path, what: Character | Motion | None, messages: dict[str, Any]) -> None:
    """Write a character with its clips, or a motion, or nothing, and some messages, without pickling."""
    arrays: Arrays = {}
    words = dict(messages)
    if isinstance(what, Character):
        arrays |= packing.pack(what) | packing.pack_display(what)
        clips = [
            [name, _pack_motion(motion, arrays, f"motion {number}")]
            for number, (name, motion) in enumerate(what.motions.items())
        ]
        words["character"] = {**packing.describe(what), "motions": clips, "extras": dict(what.extras)}
    elif isinstance(what, Motion):
        arrays |= packing.pack_skeleton(what.skeleton)
        words["motion"] = {"joints": list(what.skeleton.names), **_pack_motion(what, arrays, "motion")}
    write_parcel(path, arrays, words)


def read(path: Path) -> tuple[Character | Motion | None, Words]:
    """What `write` wrote."""
    return unpacked(*read_parcel(path))


def unpacked(arrays: Arrays, words: Words) -> tuple[Character | Motion | None, Words]:
    """The character or motion of a parcel, and what is left of its words."""
    if "character" in words:
        about = words.pop("character")
        character = packing.unpack(arrays, about)
        clips = {
            name: _unpack_motion(clip, arrays, f"motion {number}", character.skeleton)
            for number, (name, clip) in enumerate(about["motions"])
        }
        return character.replace(motions=clips, extras=about["extras"]), words
    if "motion" in words:
        about = words.pop("motion")
        return _unpack_motion(about, arrays, "motion", packing.unpack_skeleton(arrays, about)), words
    return None, words


def error_from(parts: Any, where: str) -> SuppleError:
    """The error that another process said: one of ours, or else the news that it said something else."""
    fine = isinstance(parts, list) and len(parts) == 5 and all(isinstance(part, str) for part in parts)
    kind = getattr(errors, parts[0], None) if fine else None
    if not (isinstance(kind, type) and issubclass(kind, SuppleError)):
        return FormatError(where, "the reader left half an answer", "a whole file is needed", "export it again")
    said: SuppleError = kind(*parts[1:])
    return said


def _pack_motion(motion: Motion, arrays: Arrays, key: str) -> dict[str, Any]:
    arrays |= {f"{key} translations": motion.translations, f"{key} rotations": motion.rotations}
    if motion.scales is not None:
        arrays[f"{key} scales"] = motion.scales
    if motion.stride is not None:
        arrays[f"{key} stride"] = motion.stride
    arrays |= {f"{key} shape {number}": weights for number, weights in enumerate(motion.shapes.values())}
    return {"name": motion.name, "fps": motion.fps, "loop": motion.loop, "shapes": list(motion.shapes)}


def _unpack_motion(words: dict[str, Any], arrays: Arrays, key: str, skeleton: Skeleton) -> Motion:
    return Motion(
        skeleton,
        words["fps"],
        arrays[f"{key} translations"],
        arrays[f"{key} rotations"],
        arrays.get(f"{key} scales"),
        name=words["name"],
        loop=words["loop"],
        stride=arrays.get(f"{key} stride"),
        shapes={name: arrays[f"{key} shape {number}"] for number, name in enumerate(words["shapes"])},
    )
