"""In a process that may mount: a small disk that fills up, or one that cannot be written.

python -m survival.own_disk bakeSEED|farmSEED|read-only FOLDER TRIES, below `unshare -rm`. Prints as JSON what each try
lost, in words; ends with 77 where nothing can be mounted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np

import supple
from conftest import make_tube
from supple.cli.main import main
from supple.errors import SuppleError
from supple.farm import farm
from supple.farm.hands import Alone
from supple.graph.bake import bake

LIST = """
farm = {{ folder = "{folder}", pictures = 0, frames_per_task = 4 }}
[[shot]]
name = "a"
character = "tube"
vertices = 500
motion = "bend"
end = 0.4
fps = 24
skin = ["dual-quaternion", "spring-dynamics"]
"""
PAGE = 4096  # [bytes] by which such a disk grows


def mount(folder: Path, options: str) -> bool:
    """A disk in memory, or the one that is there with other options."""
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], check=False).returncode == 0


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.supple*")}


def do_bake(folder: Path) -> str:
    """A bake of a skin with a memory; in words, why it failed."""
    tube = make_tube(rings=17, sectors=10)
    try:
        bake(tube, supple.motion("bend", tube), supple.SpringDynamics(), path=folder / "a.supple", end=1.5)
    except SuppleError as error:
        return str(error)
    return ""


def do_farm(lists: Path, folder: Path) -> str:
    """A farm of two shots; in words, why it or a shot failed."""
    (lists / "shots.toml").write_text(LIST.format(folder=folder))
    try:
        outcome = farm(lists / "shots.toml", hands=Alone())
    except (SuppleError, OSError) as error:
        return str(error)
    return "; ".join(words for shot in outcome.shots for words in shot.errors.values())


def filled(kind: str, folder: Path, tries: int) -> list[str]:
    """A disk that ends at some byte, and is then larger."""
    disk, lists = folder / "disk", folder / "lists"
    disk.mkdir()
    lists.mkdir()
    if not mount(disk, "size=64m"):
        sys.exit(77)
    work = do_bake if kind.startswith("bake") else partial(do_farm, lists)
    work(disk)
    expected = tree(disk)
    whole = sum(path.stat().st_size for path in disk.rglob("*") if path.is_file())
    subprocess.run(["umount", str(disk)], check=True)
    rng, lost = np.random.default_rng(int(kind[4:])), []
    for _ in range(tries):
        mount(disk, f"size={PAGE * int(rng.integers(1, whole // PAGE))}")
        said = work(disk)
        mount_larger = subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=False)
        again = work(disk)
        if not ("full" in said or "No space" in said):
            lost.append(f"it said {said[-100:]!r}")
        elif again or mount_larger.returncode or tree(disk) != expected:
            lost.append(again or "bytes differ")
        else:
            lost.append("")
        subprocess.run(["umount", str(disk)], check=True)
    return lost


def read_only(folder: Path, tries: int) -> list[str]:
    """The command, with and without a bake that is there."""
    disk = folder / "disk"
    disk.mkdir()
    if not mount(disk, "size=64m"):
        sys.exit(77)
    words = ["bake", "tube", "--vertices", "500", "--motion", "bend", "--end", "0.1", "-o"]
    main([*words, str(disk / "a.supple"), "--quiet"])
    before = tree(disk)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    lost = []
    for number in range(tries):
        name = "a.supple" if number % 2 else "b.supple"
        try:
            code = main([*words, str(disk / name), "--quiet", *(["--overwrite"] if number % 2 else [])])
        except SystemExit as ended:
            code = int(ended.code or 0)
        lost.append("" if code in (2, 3) and tree(disk) == before else f"exit {code}")
    return lost


if __name__ == "__main__":
    kind, folder, tries = sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3])
    sys.stdout.write(json.dumps(read_only(folder, tries) if kind == "read-only" else filled(kind, folder, tries)))
