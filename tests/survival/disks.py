"""Disks that are full, read-only or forbidden, paths that cannot be, clocks that are wrong, and two at one path."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import supple
from conftest import make_tube
from supple.errors import BusyError
from supple.graph.bake import bake
from survival.rows import TESTS, Attempt, Said, Trial, simple

NOBODY = 65534
YEAR = 365 * 86400.0  # [s]


def _small() -> tuple[supple.Character, supple.Motion]:
    tube = make_tube(rings=17, sectors=10)
    return tube, supple.motion("bend", tube)


@contextlib.contextmanager
def _two_at_one_path() -> Iterator[Attempt]:
    """Four bakes that begin at one path at the same moment: one writes it, and it is whole."""
    tube, motion = _small()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bake(tube, motion, supple.LinearBlend(), path=folder / "whole.supple", end=0.2)
        expected = (folder / "whole.supple").read_bytes()

        def attempt(number: int) -> Said:
            path, begin, strange = folder / f"{number}.supple", threading.Barrier(4), []

            def run() -> None:
                begin.wait()
                try:
                    bake(tube, motion, supple.LinearBlend(), path=path, end=0.2)
                except BusyError:
                    pass
                except Exception as error:
                    strange.append(str(error))

            threads = [threading.Thread(target=run) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            equal = path.read_bytes() == expected
            path.unlink()
            return Said.of(strange[0] if strange else "" if equal else "bytes differ")

        yield attempt


def of_own_disk(kind: str, tries: int) -> Said:
    """What came of a disk of our own, in a child that may mount one; no try where the system does not let it."""
    if shutil.which("unshare") is None:
        return Said(tries=0)
    path = os.pathsep.join([str(TESTS), str(TESTS / "scenes"), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        command = ["unshare", "-rm", sys.executable, "-m", "survival.own_disk", kind, folder, str(tries)]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    if done.returncode == 77:  # nothing can be mounted here
        return Said(tries=0)
    if done.returncode:
        return Said((done.stderr.splitlines()[-1],), 1)
    lost = json.loads(done.stdout)
    return Said(tuple(words for words in lost if words), len(lost))


def bad_paths() -> Trial:
    """Where nothing can be written: an error in words of the command, exit code 2 or 3."""
    names = ["x" * 300 + ".supple", "none/a.supple", "file/a.supple", "", "/".join(["y" * 200] * 30) + "/a.supple"]

    def attempt(number: int) -> Said:
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "file").write_text("")
            words = ["bake", "tube", "--vertices", "500", "--motion", "bend", "--end", "0.1", "-o"]
            command = [sys.executable, "-c", "import sys; from supple.cli.main import main; sys.exit(main())", *words]
            done = subprocess.run([*command, str(Path(name) / names[number])], capture_output=True, text=True)
        told = done.returncode in (2, 3) and done.stderr.startswith("error:") and "Traceback" not in done.stderr
        said = done.stderr.splitlines()[-1:]
        return Said.of("" if told else f"{names[number][:20]}: exit {done.returncode}, {said}")

    what = "a name too long, a path too long, no folder, a file for a folder, a folder for a file: told in words"
    return Trial(what, len(names), simple(attempt))


def forbidden() -> Trial:
    """A folder and a finished bake that belong to somebody else: told in words, and the bake is as it was."""

    def attempt(number: int) -> Said:
        tube, motion = _small()
        bake(tube, motion, supple.DualQuaternion(), end=0.1)  # loads its kernels, which nobody else may
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "a.supple"
            if number:
                bake(tube, motion, supple.LinearBlend(), path=path, end=0.1)
            os.chmod(name, 0o555)
            before = path.read_bytes() if number else b""
            child = os.fork()
            if child == 0:
                _as_nobody(lambda: bake(tube, motion, supple.DualQuaternion(), path=path, end=0.1, overwrite=True))
            _, status = os.waitpid(child, 0)
            os.chmod(name, 0o755)
            same = (path.read_bytes() if path.exists() else b"") == before
        said = {0: "", 1: "an error of another kind", 2: "it was written"}.get(os.waitstatus_to_exitcode(status))
        return Said.of(said if said is not None and (same or said) else "what was there has changed")

    return Trial("no permission for the folder: told in words, what is there stays", 2, simple(attempt))


def _as_nobody(work) -> None:
    """In a child: do something as a user who may do nothing, and end with 0 if it says that it is not allowed."""
    code = 2
    try:
        if os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        work()
    except (OSError, supple.errors.SuppleError) as error:
        code = 0 if "ermission denied" in str(error) or "allowed" in str(error) else 1
    except BaseException:
        code = 1
    os._exit(code)


def clock_set_back() -> Trial:
    """Files of a bake that was stopped lie a year ahead of the clock: equal bytes."""
    tube, motion = _small()

    class StoppedError(Exception):
        pass

    def attempt(number: int) -> Said:
        def stop(progress: object) -> None:
            if progress.frame == 2 * number:  # type: ignore[attr-defined]
                raise StoppedError

        with tempfile.TemporaryDirectory() as name:
            whole, path = Path(name) / "whole.supple", Path(name) / "a.supple"
            bake(tube, motion, supple.SpringDynamics(), path=whole, end=1.2)
            with contextlib.suppress(StoppedError):
                bake(tube, motion, supple.SpringDynamics(), path=path, end=1.2, watch=stop)
            for file in Path(name).iterdir():
                os.utime(file, (time.time() + YEAR, time.time() + YEAR))
            bake(tube, motion, supple.SpringDynamics(), path=path, end=1.2)
            return Said.of("" if path.read_bytes() == whole.read_bytes() else "bytes differ")

    return Trial(
        "files a year ahead of the clock, as when it was set back, amid a bake: equal bytes", 16, simple(attempt)
    )


def trials(tries: int) -> list[Trial]:
    """All rows of this file."""
    batch = max(tries // 10, 1)
    return [
        Trial("four bakes that begin at one path at once: one whole file", tries, _two_at_one_path),
        Trial(
            "a disk that is full at any byte of a bake (a small one, mounted): told in words, equal bytes after",
            10,
            simple(lambda number: of_own_disk(f"bake{number}", batch)),
        ),
        Trial(
            "a disk that is full at any byte of a farm (mounted): told in the table, equal bytes after",
            3,
            simple(lambda number: of_own_disk(f"farm{number}", max(batch // 3, 1))),
        ),
        Trial(
            "a read-only disk (mounted): told in words, what is there stays",
            1,
            simple(lambda number: of_own_disk("read-only", 4)),
        ),
        bad_paths(),
        forbidden(),
        clock_set_back(),
    ]
