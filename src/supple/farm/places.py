"""Where what a farm needs and makes lies: a folder that all machines see, or an address that fsspec knows.

A folder is written to directly; bakes in it go on wherever they stopped. Of an address (s3://, gs://, abfs://,
memory://, ...) files are fetched and put back whole; a bake grows in a folder of the machine that makes it, and goes on
there after a kill, while another machine begins it anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from supple.errors import InputError, UnfinishedError
from supple.files import atomic
from supple.records import parse_json

_OF_OBJECTS = {"s3", "s3a", "gs", "gcs", "abfs", "az", "adl", "oci", "oss", "memory"}  # who show whole files only


def is_address(name: str) -> bool:
    """Whether a name is that of something elsewhere, such as s3://bucket/hero.glb, and no path."""
    return "://" in name


class Place(Protocol):
    """Somewhere files are, by names with slashes."""

    def size(self, name: str) -> int | None:
        """How long a file is [bytes]; None where there is none."""
        ...

    def reading(self, name: str) -> contextlib.AbstractContextManager[Path]:
        """A file as one of this machine."""
        ...

    def writing(self, name: str) -> contextlib.AbstractContextManager[Path]:
        """Where to write a file; it is there whole when the block ends well, and as it was before otherwise."""
        ...

    def growing(self, name: str) -> contextlib.AbstractContextManager[Path]:
        """Where a file grows that is taken up after a kill; when the block ends well it is there."""
        ...

    def direct(self, name: str) -> Path | None:
        """The path of a file that every machine sees; None where files have to be fetched."""
        ...

    def remove(self, name: str) -> None:
        """Take a file away, if it is there."""
        ...


class Folder:
    """A folder that every machine sees by the same path."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def size(self, name: str) -> int | None:
        try:
            return (self._path / name).stat().st_size
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def reading(self, name: str) -> Iterator[Path]:
        yield self._path / name

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        with atomic(self._path / name) as waiting:
            yield waiting

    @contextlib.contextmanager
    def growing(self, name: str) -> Iterator[Path]:
        target = self._path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        yield target

    def direct(self, name: str) -> Path | None:
        return self._path / name

    def remove(self, name: str) -> None:
        (self._path / name).unlink(missing_ok=True)


class Store:
    """An address that fsspec knows."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        self._system, self._root = _open_address(self._address)

    def size(self, name: str) -> int | None:
        self._system.invalidate_cache()  # other machines write there, too
        try:
            return int(self._system.info(self._whole(name))["size"])
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def reading(self, name: str) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="supple-farm-") as folder:
            here = Path(folder) / Path(name).name
            self._system.get_file(self._whole(name), str(here))
            yield here

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="supple-farm-") as folder:
            here = Path(folder) / Path(name).name
            yield here
            self._put(here, name)

    @contextlib.contextmanager
    def growing(self, name: str) -> Iterator[Path]:
        mark = hashlib.blake2b(f"{self._address}/{name}".encode(), digest_size=8).hexdigest()
        folder = Path(tempfile.gettempdir()) / "supple-farm" / mark
        folder.mkdir(parents=True, exist_ok=True)
        here = folder / Path(name).name
        yield here
        self._put(here, name)
        shutil.rmtree(folder, ignore_errors=True)

    def direct(self, name: str) -> Path | None:
        return None

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._system.rm_file(self._whole(name))

    def _put(self, here: Path, name: str) -> None:
        """Stores of objects show a file when all of it is there; other systems get it under another name first."""
        target, waiting = self._whole(name), self._whole(f"{name}.arriving")
        kinds = {self._system.protocol} if isinstance(self._system.protocol, str) else set(self._system.protocol)
        if kinds & _OF_OBJECTS:
            self._system.put_file(str(here), target)
            return
        self._system.makedirs(target.rpartition("/")[0], exist_ok=True)
        self._system.put_file(str(here), waiting)
        self._system.mv(waiting, target)

    def _whole(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root


def place_at(name: str) -> Place:
    """The place that a path or an address names."""
    return Store(name) if is_address(name) else Folder(name)


@contextlib.contextmanager
def fetched(name: str) -> Iterator[str]:
    """A path or an address as a path of this machine."""
    if not is_address(name):
        yield name
        return
    folder, _, file = name.rpartition("/")
    try:
        with Store(folder).reading(file) as here:
            yield str(here)
    except FileNotFoundError:
        raise InputError(name, "there is no such file", "it is needed", "check the address") from None


def read_record(place: Place, name: str) -> dict[str, Any]:
    """A small file of JSON; empty where there is none, or none that is whole."""
    if place.size(name) is None:
        return {}
    try:
        with place.reading(name) as here:
            found = parse_json(here.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_record(place: Place, name: str, record: dict[str, Any]) -> None:
    """Put a small file of JSON."""
    with place.writing(name) as here:
        here.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _open_address(address: str) -> tuple[Any, str]:
    try:
        import fsspec.core
    except ImportError:
        raise UnfinishedError(
            address,
            "fsspec could not be loaded",
            "addresses need the farm extra",
            "install it with: pip install 'supple[farm]'",
        ) from None
    try:
        system, root = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        given = " ".join(str(error).split())
        raise InputError(
            address, f"it cannot be opened ({given})", "an address is needed", "see docs/farm.md"
        ) from None
    return system, root.rstrip("/")
