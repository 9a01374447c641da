"""Unpack Draco meshes and leave their arrays: `python -m supple.io.compressed.draco_child PACKED ANSWER`.

The library is compiled code that trusts what it reads, so this program runs apart from the user's.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from supple.io import subprocess_reader
from supple.io.isolation import isolate
from supple.io.parcel import Arrays, Words, read_parcel, write_parcel
from supple.io.sandbox import Sandbox


def unpacked(meshes: list[bytes]) -> Arrays:
    """Of mesh n its triangles, "n faces", and its attributes by their own numbers, "n 3"; or what was said of it."""
    from DracoPy import decode

    found: Arrays = {}
    for number, packed in enumerate(meshes):
        mesh = decode(packed)
        found[f"{number} faces"] = np.asarray(mesh.faces).reshape(-1, 3)
        for attribute in mesh.attributes:
            found[f"{number} {attribute['unique_id']}"] = np.asarray(attribute["data"])
    return found


def main(packed: Path, answer: Path) -> None:
    """Read the packed meshes, shut off from all else and bounded in memory and time, and leave an answer."""
    import DracoPy  # noqa: F401, what it costs is not the file's doing

    subprocess_reader.begin(answer)
    Sandbox().allow(packed.stat().st_size)
    isolate([packed], answer.parent)
    found: Arrays = {}
    words: Words = {}
    try:
        meshes, _ = read_parcel(packed)
        found = unpacked([mesh.tobytes() for mesh in meshes.values()])
    except Exception as error:  # the library has a class for every complaint, and none may pass for a crash
        words["error"] = " ".join(str(error).split()) or "it failed"
    write_parcel(answer, found, words)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    os._exit(0)
