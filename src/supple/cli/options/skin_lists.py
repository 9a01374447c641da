"""Several skins in one word, each with settings of its own: "linear,lattice:preset=soft:resolution=48"."""

from __future__ import annotations

from typing import Any

from supple.errors import InputError
from supple.skins.registry import PUBLISHED, SKINS

HELP = "names with commas between them, settings after colons: linear,lattice:preset=soft"
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read_skin_list(text: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """The name and the settings of every skin, by how it is written; skins written alike are numbered.

    A piece after a comma that names no skin but a value belongs to what stands before it:
    "lattice:frequency=5,fat=2,linear" are two skins.
    """
    pieces: list[str] = []
    for piece in filter(None, (piece.strip() for piece in text.split(","))):
        if pieces and ":" in pieces[-1] and "=" in piece and piece.partition(":")[0] not in {*SKINS, *PUBLISHED}:
            pieces[-1] += f", {piece}"
        else:
            pieces.append(piece)
    if not pieces:
        raise InputError("--skins", f"{text!r} was given", f"there are {', '.join(SKINS)}", "name some")
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for piece in pieces:
        label, number = piece, 2
        while label in found:
            label, number = f"{piece} ({number})", number + 1
        name, _, settings = piece.partition(":")
        found[label] = name.strip(), dict(_setting(piece, one) for one in settings.split(":") if one.strip())
    return found


def _setting(piece: str, text: str) -> tuple[str, Any]:
    """One setting as it is written: a number or a yes or no where it is one, else a word."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise InputError("--skins", f"{piece!r} says {text!r}", "a setting and its value are needed", "preset=soft")
    key = name.replace("-", "_")
    if value.lower() in _WORDS:
        return key, _WORDS[value.lower()]
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value
