"""Arrays from an archive of NumPy's (.npz), taken one by one by name and measured before they are unpacked."""

from __future__ import annotations

import contextlib
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from supple.budget import Budget
from supple.errors import FormatError, InputError

_CHUNK = 1 << 22  # bytes that are unpacked between two looks at the clock
_COPIES = 3  # an array, the kind of numbers it becomes, and what checks them
_SUFFIX = ".npy"
_LONGEST_LIST = 200  # signs of the names that an archive holds
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, NotImplementedError, RuntimeError, EOFError,
    ValueError, KeyError, TypeError, OverflowError, RecursionError, MemoryError, SyntaxError, tokenize.TokenError,
)  # fmt: skip


def read_arrays(path: Path, names: Set[str], *, one_of: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Those of `names` that an archive holds, as arrays of numbers; nothing is unpickled.

    An archive with none of `one_of` is refused. What is not named is not looked at, and no more is unpacked than the
    budget of the file's size allows.
    """
    budget = Budget.of(path)
    with _refusing(path), zipfile.ZipFile(path) as archive:
        held = {entry.filename.removesuffix(_SUFFIX): entry for entry in archive.infolist()}
        if not set(one_of) & set(held):
            given = f"it holds {', '.join(held)[:_LONGEST_LIST] or 'nothing'}"
            needed = f"an array called {one_of[0]} is needed"
            raise FormatError(str(path), given, needed, "save the points as that")
        return {name: _read(archive, held[name], budget) for name in sorted(names & set(held))}


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: Budget) -> NDArray[Any]:
    with archive.open(entry) as file:
        shape, fortran, dtype, start = _header(file)
        size = math.prod(shape) * dtype.itemsize
        if dtype.kind not in "biuf" or size != entry.file_size - start:
            raise ValueError(f"{entry.filename} says {dtype} {shape}, which is not what it holds")
        budget.spend(_COPIES * max(size, 4 * math.prod(shape)), entry.filename)
        content = bytearray(size)
        for at in range(0, size, _CHUNK):
            piece = file.read(min(_CHUNK, size - at))
            content[at : at + len(piece)] = piece
            budget.look_at_the_clock()
        if len(content) != size or file.read(1):
            raise ValueError(f"{entry.filename} is longer or shorter than it says")
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if fortran else "C")


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, order and kind of an array, and how many bytes said so."""
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"its arrays are of version {version}")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(file)
    if not all(isinstance(side, int) and 0 <= side < 2**40 for side in shape):
        raise ValueError(f"an array has the shape {shape}")
    return shape, fortran, dtype, file.tell()


@contextlib.contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Whatever the archive does to the libraries that read it is one sentence here."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(str(path), str(error.strerror), "a readable file is needed", "check its rights") from None
    except _DAMAGE as error:
        given = f"it cannot be opened ({' '.join(str(error).split())[:160] or type(error).__name__})"
        raise FormatError(str(path), given, "a NumPy archive is needed", "save it again with numpy.savez") from None
