"""Running the reading program in a process of its own, and turning whatever happens there into a sentence."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from supple.errors import UnfinishedError
from supple.io import sandbox, subprocess_reader

PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.io.fbx.child")  # -P: nothing that lies beside the file is run
MEMORY = 128 << 20  # [bytes] of the answer, and as much again as sixteen times the file; the user's process holds it
_READER = subprocess_reader.Reader(
    "the reader", "a whole FBX file of version 6 or 7 is needed", "export it again, or convert it to .glb with Blender"
)


def read_in_subprocess(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and words that `supple.io.fbx.child` finds in a file.

    The other process is bounded in memory and time as `supple.io.sandbox` says: for a damaged file of up to a megabyte
    240 MB and 5 s.
    """
    if importlib.util.find_spec("ufbx") is None:
        raise UnfinishedError(
            path.name,
            "FBX is read with the package ufbx, which is not installed",
            "it is needed",
            "pip install 'supple[fbx]', or convert the file to .glb with Blender",
        )
    size = path.stat().st_size
    program, most = (*PROGRAM, str(path.resolve())), MEMORY + sandbox.GROWTH * size
    arrays, words = subprocess_reader.ask(program, _READER, where=path.name, size=size, most=most)
    if "error" in words:
        raise _READER.refusal(path.name, f"says: {words['error'][:160]}")
    return arrays, words
