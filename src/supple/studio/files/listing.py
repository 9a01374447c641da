"""Which files of a folder can be opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from supple.errors import InputError
from supple.io.formats import CHARACTER_READERS, MOTION_READERS

DEEPEST = 4  # folders within each other
MOST = 500  # files
MOST_LOOKED_AT = 20_000  # files and folders, so that a whole disk is not gone through

SUFFIXES = tuple(dict.fromkeys([*CHARACTER_READERS, *MOTION_READERS]))


def checked_folder(folder: str) -> Path:
    """A folder that is there, by its real path."""
    found = Path(folder)
    if not found.is_dir():
        raise InputError("--folder", f"{folder} is no folder", "a folder is needed", "check the path")
    return found.resolve()


def files_in(folder: Path) -> list[Path]:
    """Paths of all files below a folder that can be opened, by name; what is hidden or leads elsewhere is left out."""
    found: list[Path] = []
    for looked_at, entry in enumerate(_below(folder, DEEPEST)):
        if looked_at == MOST_LOOKED_AT or len(found) == MOST:
            break
        path = Path(entry.path)
        if path.suffix.lower() in SUFFIXES and lies_in(path, folder) and entry.is_file():
            found.append(path)
    return sorted(found, key=lambda path: str(path.relative_to(folder)).lower())


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path leads to something below a folder, wherever its links go."""
    return path.resolve().is_relative_to(folder)


def _below(folder: Path, depth: int) -> Iterator[os.DirEntry[str]]:
    """All that is not hidden, folders last and never through links; what may not be read is passed over."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name.lower())
    except OSError:
        return
    shown = [entry for entry in entries if not entry.name.startswith(".")]
    folders = [entry for entry in shown if entry.is_dir(follow_symlinks=False)]
    yield from (entry for entry in shown if entry not in folders)
    if depth > 1:
        for entry in folders:
            yield entry
            yield from _below(Path(entry.path), depth - 1)
