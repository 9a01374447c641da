"""Running the reading program in a process of its own, and turning whatever happens there into a sentence."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from supple.errors import FormatError, UnfinishedError
from supple.io import sandbox, subprocess_reader

PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.io.fbx.child")  # -P: nothing that lies beside the file is run
MEMORY = 128 << 20  # [bytes] of the answer, and as much again as sixteen times the file; the user's process holds it
_NEEDED = "a whole FBX file of version 6 or 7 is needed"
_ADVICE = "export it again, or convert it to .glb with Blender"


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
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        answer = Path(folder) / "answer.npz"
        program = (*PROGRAM, str(path.resolve()), str(answer))
        environment = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
        ending = subprocess_reader.run(program, answer, where=path.name, size=size, environment=environment)
        if ending.code is None or ending.code in sandbox.OUT_OF_TIME:
            raise FormatError(path.name, "the reader was still busy with it when its time was up", _NEEDED, _ADVICE)
        if not answer.exists():
            given = f"the file could not be read (the reader crashed, exit {ending.code}: {ending.last})"
            raise FormatError(path.name, given, _NEEDED, _ADVICE)
        if answer.stat().st_size > MEMORY + sandbox.GROWTH * size:
            given = f"it unfolds to {answer.stat().st_size >> 20} MB from {size} bytes"
            raise FormatError(path.name, given, "that is more than a character needs", _ADVICE)
        arrays, words = _unpack(answer, path)
    if "error" in words:
        given = f"the reader says: {words['error'][:160]}"
        raise FormatError(path.name, given, _NEEDED, _ADVICE)
    return arrays, words


def _unpack(answer: Path, path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    try:
        with np.load(answer, allow_pickle=False) as file:
            arrays = dict(file)
        return arrays, json.loads(arrays.pop("words").tobytes())
    except (ValueError, KeyError, OSError, BadZipFile):
        raise FormatError(path.name, "the reader left half an answer", _NEEDED, _ADVICE) from None
