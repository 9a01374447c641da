"""USD in, read by a process of its own: a damaged file can bring the USD library down, or keep it busy for minutes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import cast

from supple import errors
from supple.character.character import Character
from supple.errors import FormatError, SuppleWarning
from supple.io import confined, parcel
from supple.motion.motion import Motion


def read_character(path: Path, *, repair: bool) -> Character:
    """Read all meshes of a stage as one character, in metres and y up, with all clips.

    Where there are several meshes each becomes a part. Meshes that no skeleton moves ride on the first joint. Quads
    and texture coordinates (primvar st) are kept, blend shapes become shapes; materials and subdivision are left out.
    """
    return cast(Character, _read_apart(path, "repair" if repair else "character"))


def read_motion(path: Path) -> Motion:
    """The clip that plays, or the first there is, on its own skeleton."""
    return cast(Motion, _read_apart(path, "motion"))


def _read_apart(path: Path, what: str) -> Character | Motion | None:
    """Let another process read the file, and say here what it said there.

    The other process is bounded in memory and time as `supple.io.confined` says: for a damaged file of up to a megabyte
    240 MB and 5 s.
    """
    limit = confined.patience_for(path.stat().st_size)
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        answer = Path(folder) / "answer.npz"
        # -P: nothing that lies in the current folder is taken for a module.
        command = [sys.executable, "-P", "-m", "supple.io.usd.reading_process", what, str(path), str(answer)]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=limit, check=False, env=os.environ | confined.SURROUNDINGS
            )
        except subprocess.TimeoutExpired:
            given = f"USD was still busy with it after {limit:.0f} s"
            raise FormatError(str(path), given, "a whole USD file is needed", "export it again") from None
        if not answer.exists():
            raise FormatError(str(path), _ended(done), "a whole USD file is needed", "export it again")
        made, words = parcel.read(answer)
    for note in words["warnings"]:
        warnings.warn(note, SuppleWarning, stacklevel=5)
    if "error" in words:
        kind, *parts = words["error"]
        raise getattr(errors, kind)(*parts)
    return made


def _ended(done: subprocess.CompletedProcess[bytes]) -> str:
    """How a process ended that left no answer."""
    if done.returncode in confined.OUT_OF_TIME:
        return "USD was still busy with it when its time was up"
    if b"bad_alloc" in done.stderr:
        return "USD asks for more memory over it than such a file needs"
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
    return f"USD broke down over it (exit {done.returncode}: {last[0][:160]})"
