"""Arrays and words in one file, to be handed from one process to another; nothing in it is pickled."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Words = dict[str, Any]

BROKEN = (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile, zlib.error)
"""What half a parcel may raise when it is opened."""
_WORDS, _NAMES = "words", "arrays"


def write_parcel(path: Path, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any]) -> None:
    """Write arrays by name and words that JSON can say; the file appears whole or not at all.

    In the file arrays have numbers, because a name that came from elsewhere may be none that a file can have.
    """
    text = json.dumps({**words, _NAMES: list(arrays)}).encode()
    numbered: dict[str, Any] = {str(number): array for number, array in enumerate(arrays.values())}
    numbered[_WORDS] = np.frombuffer(text, dtype=np.uint8)
    waiting = path.with_suffix(".part")
    with waiting.open("wb") as file:
        np.savez(file, **numbered)
    waiting.replace(path)


def read_parcel(path: Path) -> tuple[Arrays, Words]:
    """What `write_parcel` wrote."""
    with np.load(path, allow_pickle=False) as file:
        numbered = dict(file)
    words: Words = json.loads(numbered[_WORDS].tobytes())
    return {name: numbered[str(number)] for number, name in enumerate(words.pop(_NAMES))}, words
