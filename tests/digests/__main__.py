"""Whether a change left every skin as it was, to the byte: `python -m digests --against REV`, run in `tests/`.

Every skin moves four characters by two motions each, in this checkout and in another revision of it; the digests of all
frames must be the same. `--skin NAME` (repeated) looks at some skins only, `--out FILE` only writes what is here, and
`--with FILE` compares with what was written so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from digests.recording import cells, record

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m digests", description=__doc__)
    parser.add_argument("--against", metavar="REV", help="a commit to compare with")
    parser.add_argument("--skin", action="append", help="look at this skin only; may be repeated")
    parser.add_argument("--out", type=Path, help="write the digests of this checkout here, and compare nothing")
    parser.add_argument("--with", dest="file", type=Path, metavar="FILE", help="compare with digests written before")
    asked = parser.parse_args()
    chosen = [cell for cell in cells() if not asked.skin or cell.skin in asked.skin]
    if asked.out:
        asked.out.write_text(json.dumps(record(chosen), indent=1))
        return 0
    if asked.file:
        now = record(chosen)
        written = json.loads(asked.file.read_text())
        return tell({name: written.get(name, "") for name in now}, now)
    with tempfile.TemporaryDirectory() as folder:
        before = other(asked.against or "HEAD", Path(folder), [f"--skin={name}" for name in asked.skin or []])
    return tell(before, record(chosen))


def other(revision: str, folder: Path, words: list[str]) -> dict[str, str]:
    """The digests of another revision, made by it in a process of its own; this recipe is what it is asked for."""
    tree, out = folder / "tree", folder / "digests.json"
    subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", tree, revision], check=True)
    try:
        paths = os.pathsep.join([str(tree / "src"), str(ROOT / "tests")])
        command = [sys.executable, "-m", "digests", f"--out={out}", *words]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": paths}, cwd=folder)
    finally:
        subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=True)
    return dict(json.loads(out.read_text()))


def tell(before: dict[str, str], now: dict[str, str]) -> int:
    """Print which frames differ; the exit status."""
    differing = [name for name in sorted(before.keys() | now.keys()) if before.get(name) != now.get(name)]
    for name in differing:
        sys.stdout.write(f"differs: {name}\n")
    sys.stdout.write(f"{len(now) - len(differing)} of {len(now)} as before\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
