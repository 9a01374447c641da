"""The files of a session: numbered, named as a person knows them, and read beside what plays."""

from __future__ import annotations

import contextlib
import filecmp
import secrets
import shutil
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock

from supple.character.character import Character
from supple.character.units import in_metres, likely_units
from supple.document.document import Document
from supple.document.sources import CharacterSource, motion_from, names_file
from supple.errors import InputError, SuppleError, UnfinishedError
from supple.files import atomic
from supple.io.confined import read_confined
from supple.io.confined.reader import What
from supple.io.formats import CHARACTER_READERS, MOTION_READERS
from supple.motion.motion import Motion
from supple.studio.files.listing import SUFFIXES, files_in, lies_in

LARGEST = 512 << 20  # bytes of a file that a page sends
MOST_BYTES = 2 << 30  # of all of them
MOST_FILES = 200
_REMEMBERED = 6  # characters and motions, the last used ones
_DRAWS_IN = (".gltf", ".usd", ".usda", ".usdc")  # formats whose files may name others beside them
_LONGEST_NAME = 120


@dataclass(frozen=True)
class FileEntry:
    """One file: its number, what it is called, where it lies, and whether a page sent it."""

    number: int
    name: str
    path: Path
    sent: bool

    @property
    def size(self) -> int:
        """In bytes; 0 where it is gone."""
        with contextlib.suppress(OSError):
            return self.path.stat().st_size
        return 0

    @property
    def kind(self) -> str:
        """By its suffix: "character", "motion", or "either" where the format can hold both."""
        suffix = self.path.suffix.lower()
        if suffix not in MOTION_READERS:
            return "character"
        return "either" if suffix in CHARACTER_READERS else "motion"


class Library:
    """All files that can be opened; for any thread.

    Reading is left to a process of its own, which is bounded by the size of the file. What was read is remembered, so
    that going back to it is quick.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is what the person at the terminal lets pages see, as `checked_folder` gives it."""
        self.folder = folder
        self._lock = RLock()
        self._entries: dict[Path, FileEntry] = {}
        self._read: OrderedDict[tuple[object, ...], tuple[Character | Motion, list[str]]] = OrderedDict()
        self._moved: OrderedDict[tuple[Path, int], tuple[Character, Motion]] = OrderedDict()
        self._sent: Path | None = None
        self._last = 0
        self._coming: set[Path] = set()
        self._copies: dict[tuple[Path, Path], Path] = {}

    def close(self) -> None:
        """Remove what pages sent."""
        with self._lock:
            if self._sent is not None:
                shutil.rmtree(self._sent, ignore_errors=True)
                self._sent = None

    # Entries

    def entries(self) -> list[FileEntry]:
        """All files there are now: those of the folder, then those that were sent."""
        listed = [] if self.folder is None else files_in(self.folder)
        with self._lock:
            for path in listed:
                self._number(path, path.relative_to(self.folder or path).as_posix(), sent=False)
            sent = [entry for entry in self._entries.values() if entry.sent and entry.path not in self._coming]
            return [*(self._entries[path] for path in listed), *sent]

    def entry(self, number: int) -> FileEntry:
        """The file of that number."""
        with self._lock:
            found = next((entry for entry in self._entries.values() if entry.number == number), None)
        gone = found is None or not found.path.is_file()
        if found is None or gone or not (found.sent or self._is_ours(found.path)):
            raise InputError("studio", f"file {number} was named", "it is not there any more", "look at the list again")
        return found

    def label(self, name: str) -> str:
        """What a person calls a character or motion that a document names; names that are no file's stay."""
        with self._lock:
            entry = self._entries.get(Path(name))
        if entry is not None:
            return entry.name
        return Path(name).name if Path(name).is_absolute() else name

    def _is_ours(self, path: Path) -> bool:
        return self.folder is not None and lies_in(path, self.folder)

    def _number(self, path: Path, name: str, *, sent: bool) -> FileEntry:
        if path not in self._entries:
            self._last += 1
            self._entries[path] = FileEntry(self._last, name, path, sent)
        return self._entries[path]

    # What pages send

    def expect(self, name: str, size: int) -> FileEntry:
        """The entry of a file that a page wants to send, with a path of our own to write it to; or a refusal.

        Nothing of the name but its suffix is in the path, which lies in a folder of its own, so that the file finds
        nothing beside it.
        """
        plain = _plain(name)
        suffix = Path(plain).suffix.lower()
        if suffix not in SUFFIXES:
            needed = f"files are {', '.join(SUFFIXES)}"
            raise InputError(plain, f"its suffix is {suffix!r}", needed, "convert it to one of those")
        if not 0 < size <= LARGEST:
            given = "it is empty" if size <= 0 else f"it has {size / 1e6:,.0f} MB"
            needed = f"up to {LARGEST / 1e6:.0f} MB are taken"
            raise InputError(plain, given, needed, "start supple studio with --folder to open it from there")
        with self._lock:
            there = [entry.size for entry in self._entries.values() if entry.sent]
            if len(there) >= MOST_FILES or sum(there) + size > MOST_BYTES:
                given = f"{len(there)} files of {sum(there) / 1e6:,.0f} MB were sent already"
                raise InputError(plain, given, "there is no room for more", "start the studio again")
            if self._sent is None:
                self._sent = Path(tempfile.mkdtemp(prefix="supple-studio-")).resolve()  # its rights are 0700
            own = self._sent / secrets.token_hex(8)
            own.mkdir(mode=0o700)
            entry = self._number(own / f"{secrets.token_hex(8)}{suffix}", plain, sent=True)
            self._coming.add(entry.path)
        return entry

    def keep(self, entry: FileEntry) -> None:
        """A file that was expected is there, and can be opened."""
        with self._lock:
            self._coming.discard(entry.path)

    def forget(self, entry: FileEntry) -> None:
        """Remove a file that a page sent."""
        with self._lock:
            self._entries.pop(entry.path, None)
            self._coming.discard(entry.path)
        shutil.rmtree(entry.path.parent, ignore_errors=True)

    def settled(self, document: Document, folder: Path) -> Document:
        """The same document, which names copies in a folder of what pages sent: that is gone when the studio ends."""
        character = replace(document.character, name=self._copied(document.character.name, folder))
        return replace(document, character=character, motion=self._copied(document.motion, folder))

    def _copied(self, name: str, folder: Path) -> str:
        with self._lock:
            entry = self._entries.get(Path(name))
            if entry is None or not entry.sent:
                return name
            if (entry.path, folder) not in self._copies:
                self._copies[entry.path, folder] = _free(folder, entry)
                with atomic(self._copies[entry.path, folder]) as waiting:
                    shutil.copyfile(entry.path, waiting)
            return str(self._copies[entry.path, folder])

    # Reading

    def read(self, path: Path, what: What, *, repair: bool = True) -> tuple[Character | Motion, list[str]]:
        """A character or a motion from a file, and what was mended in it or left out."""
        about = path.stat()
        stamp = (path, repair, about.st_mtime_ns, about.st_size)
        with self._lock:
            for kind in ("character", "motion"):
                if what in (kind, "either") and (kind, *stamp) in self._read:
                    self._read.move_to_end((kind, *stamp))
                    return self._read[kind, *stamp]
        found = self._read_anew(path, what, repair=repair)
        with self._lock:
            self._read["character" if isinstance(found[0], Character) else "motion", *stamp] = found
            while len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)
        return found

    def character(self, source: CharacterSource) -> Character:
        """The character that a source names."""
        if source.is_built_in or not Path(source.name).is_file():
            return source.open()
        made, _ = self.read(Path(source.name), "character", repair=source.repair)
        assert isinstance(made, Character)
        return in_metres(made, source.units)

    def source_of(self, path: Path, *, repair: bool = False) -> CharacterSource:
        """The character of a file as a source, with the units that it seems to be modelled in."""
        made, _ = self.read(path, "character", repair=repair)
        assert isinstance(made, Character)
        return CharacterSource(str(path), repair=repair, units=likely_units(made) or "m")

    def motion(self, name: str, moved: Character) -> Motion:
        """The motion that a name means for a character; one from a file is carried over to it."""
        if not names_file(name) or name in moved.motions or not Path(name).is_file():
            return motion_from(name, moved)
        key = (Path(name), id(moved))
        with self._lock:
            if key in self._moved:
                self._moved.move_to_end(key)
                return self._moved[key][1]
        made, _ = self.read(Path(name), "motion")
        assert isinstance(made, Motion)
        motion = made.retarget(moved)
        with self._lock:
            self._moved[key] = moved, motion  # the character is kept, so that no other can have its id
            while len(self._moved) > _REMEMBERED:
                self._moved.popitem(last=False)
        return motion

    def _read_anew(self, path: Path, what: What, *, repair: bool) -> tuple[Character | Motion, list[str]]:
        name, entry = self.label(str(path)), self._entries.get(path)
        alone = path.suffix.lower() not in _DRAWS_IN or (entry is not None and entry.sent)
        try:
            made, notes = read_confined(path, what, repair=repair, drawn_in=0 if alone else LARGEST)
        except SuppleError as error:
            parts = (error.where, error.given, error.needed, error.advice)
            raise type(error)(*(_renamed(part, path, name) for part in parts)) from None
        if made.name == path.stem:
            made = made.replace(name=Path(name).stem)
        return made, [_renamed(note, path, name) for note in notes]


def _plain(name: str) -> str:
    """The last part of a name, without what a terminal or a page could take for anything else."""
    last = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(letter for letter in last if letter.isprintable()).strip()
    stem, dot, suffix = shown.rpartition(".")
    return f"{stem[: _LONGEST_NAME - len(suffix)]}{dot}{suffix[:_LONGEST_NAME]}" or "a file without a name"


def _free(folder: Path, entry: FileEntry) -> Path:
    """A path in a folder by the name of a file, with a number where another file has that name."""
    stem = "".join(letter if letter.isalnum() or letter in " ()+-_" else "_" for letter in Path(entry.name).stem)
    names = (f"{stem}{number}{entry.path.suffix}" for number in ("", *(f"-{count}" for count in range(2, 1000))))
    for path in (folder / name for name in names):
        if not path.exists() or filecmp.cmp(path, entry.path, shallow=False):
            return path
    raise UnfinishedError(entry.name, "a thousand files have its name", "it needs one of its own", "tidy the folder")


def _renamed(text: str, path: Path, name: str) -> str:
    """What was said of a file, with the name by which a person knows it."""
    return text.replace(str(path), name).replace(path.name, name).replace(path.stem, Path(name).stem)
