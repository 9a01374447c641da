"""What a baked skin touched, as a file for sounds, particles and game code: JSON or a table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from supple.errors import InputError
from supple.files import atomic
from supple.graph.cache import Cache
from supple.skins.contact_events import ContactEvent

SUFFIXES = (".json", ".csv")
_COLUMNS = ("frame", "time", "joint", "other", "on_skin", "began", "x", "y", "z", "impulse_x", "impulse_y", "impulse_z")
_DIGITS = 7  # significant ones: what a cache keeps


def check_events_path(path: str | Path) -> Path:
    """The path, if its suffix is one of those that events are written with."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(
            str(target), f"its suffix is {target.suffix!r}", f"{' or '.join(SUFFIXES)} is needed", "rename"
        )
    return target


def save_events(cache: Cache, path: str | Path) -> None:
    """Write all contacts of a bake, one a line of a table (.csv) or an object of a list (.json).

    Times are those of the motion [s], places in the world [m], impulses on the joint [N s] summed over the frame. The
    file appears whole or not at all.
    """
    target = check_events_path(path)
    rows = [_row(event) for event in cache.events]
    with atomic(target) as waiting:
        if target.suffix.lower() == ".csv":
            text = io.StringIO()
            table = csv.writer(text, lineterminator="\n")
            table.writerows([_COLUMNS, *rows])
            waiting.write_text(text.getvalue(), encoding="utf-8")
        else:
            lines = ",\n".join("    " + json.dumps(_entry(row), ensure_ascii=False) for row in rows)
            head = f'  "fps": {cache.fps!r},\n  "left_out": {cache.events_left_out},\n'
            waiting.write_text("{\n" + head + f'  "events": [\n{lines}\n  ]\n}}\n', encoding="utf-8")


def _row(event: ContactEvent) -> list[int | float | str]:
    numbers = [float(f"{value:.{_DIGITS}g}") for value in (*event.place, *event.impulse)]
    flags = int(event.on_skin), int(event.began)
    return [event.frame, float(f"{event.time:.12g}"), _plain(event.joint), _plain(event.other), *flags, *numbers]


def _entry(row: list[int | float | str]) -> dict[str, object]:
    frame, time, joint, other, on_skin, began, *numbers = row
    return {
        "frame": frame,
        "time": time,
        "joint": joint,
        "other": other,
        "on_skin": bool(on_skin),
        "began": bool(began),
        "place": numbers[:3],
        "impulse": numbers[3:],
    }


def _plain(name: str) -> str:
    """A name without signs that a terminal or a table would obey."""
    kept = "".join(sign if sign.isprintable() else "_" for sign in name)
    return f"'{kept}" if kept[:1] in ("=", "+", "-", "@") else kept
