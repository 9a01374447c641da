"""What bakes and farms survive: kills, two at one path, full and read-only disks, paths too long."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import supple
from conftest import make_tube
from supple.errors import BusyError, SuppleError
from supple.farm import farm
from supple.farm.hands import hands_of
from supple.graph import container
from supple.graph.bake import bake
from survival.rows import TESTS, Row, counted

_LIST = """
farm = { folder = "out", pictures = 0, frames_per_task = 6 }
[[shot]]
name = "a"
character = "tube"
vertices = 500
motion = ["bend", "twist"]
end = 0.5
fps = 24
skin = ["dual-quaternion", "spring-dynamics"]
"""


def killed_bakes(tries: int) -> list[Row]:
    """Bakes that are killed at random moments until one gets through, and have the bytes of an undisturbed one."""
    found = []
    for kind, words in (("stateless", "without a memory"), ("history", "with a memory")):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(TESTS / "scenes" / "killed_bakes.py"), kind, folder, str(tries)]
            path = os.pathsep.join([str(TESTS), str(TESTS / "scenes"), os.environ.get("PYTHONPATH", "")])
            done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
        words = f"bakes killed with SIGKILL, a skin {words}: equal bytes"
        if done.returncode:
            found.append(Row(words, tries, 0, done.stderr.splitlines()[-1]))
            continue
        resumed, equal, kills = (int(word) for word in done.stdout.split())
        found.append(Row(f"{words} ({kills} kills)", resumed, equal, "" if resumed == equal else "bytes differ"))
    return found


def killed_farms(tries: int) -> Row:
    """Farms whose workers are killed at random moments, and have the bytes of an undisturbed one."""
    killed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rng = np.random.default_rng(11)

        def run(number: int, kills: int) -> dict[str, bytes]:
            nonlocal killed
            own = folder / str(number)
            own.mkdir()
            (own / "shots.toml").write_text(_LIST)
            with hands_of(None, workers=1) as hands:
                stop = threading.Event()

                def kill() -> None:
                    nonlocal killed
                    for _ in range(kills):
                        if stop.wait(float(rng.uniform(0.3, 1.2))):
                            return
                        for process in list(hands.processes):  # type: ignore[attr-defined]
                            os.kill(process.pid, signal.SIGKILL)
                            killed += 1

                killer = threading.Thread(target=kill)
                killer.start()
                outcome = farm(own / "shots.toml", hands=hands)
                stop.set()
                killer.join()
            if not outcome.good:
                raise RuntimeError(str([dict(shot.errors) for shot in outcome.shots]))
            return {path.name: path.read_bytes() for path in (own / "out").rglob("*.supple*")}

        expected = run(10**6, 0)
        row = counted("farms", tries, lambda number: "" if run(number, 3) == expected else "bytes differ")
    return Row(
        f"farms of four shots whose workers are killed: equal bytes ({killed} kills)", row.tries, row.survived, row.lost
    )


def two_at_one_path(tries: int) -> Row:
    """Four bakes that begin at one path at the same moment: one writes it, and it is whole."""
    tube = make_tube(rings=17, sectors=10)
    motion = supple.motion("bend", tube)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bake(tube, motion, supple.LinearBlend(), path=folder / "whole.supple", end=0.2)
        expected = (folder / "whole.supple").read_bytes()

        def attempt(number: int) -> str:
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
            return strange[0] if strange else "" if path.read_bytes() == expected else "bytes differ"

        return counted("four bakes that begin at one path at once: one whole file", tries, attempt)


def full_disks(tries: int) -> Row:
    """A disk that fills up after any number of frames: an error that says so, and equal bytes after the next call."""
    tube = make_tube(rings=17, sectors=10)
    motion = supple.motion("bend", tube)
    write = container.write_frame
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frames = len(bake(tube, motion, supple.DeltaMush(), path=folder / "whole.supple", end=0.5))
        expected = (folder / "whole.supple").read_bytes()

        def attempt(number: int) -> str:
            path, left = folder / f"{number}.supple", [number % frames]

            def full(*given: object, **options: object) -> None:
                left[0] -= 1
                if left[0] < 0:
                    raise OSError(errno.ENOSPC, "No space left on device")
                write(*given, **options)  # type: ignore[arg-type]

            container.write_frame = full  # type: ignore[assignment]
            try:
                bake(tube, motion, supple.DeltaMush(), path=path, end=0.5)
                return "no error"
            except SuppleError as error:
                if "disk is full" not in str(error):
                    return str(error)
            finally:
                container.write_frame = write
            bake(tube, motion, supple.DeltaMush(), path=path, end=0.5)
            return "" if path.read_bytes() == expected else "bytes differ"

        return counted("a disk that fills up in any frame (simulated): equal bytes after", tries, attempt)


def bad_paths() -> Row:
    """Where nothing can be written: an error in words of the command, exit code 2 or 3, and nothing left behind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "file").write_text("")
        places = [
            folder / ("x" * 300 + ".supple"),
            folder / "none" / "a.supple",
            folder / "file" / "a.supple",
            Path("/proc/a.supple"),  # a file system that takes no files, from nobody
            folder,
        ]

        def attempt(number: int) -> str:
            words = ["bake", "tube", "--vertices", "500", "--motion", "bend", "--end", "0.1", "-o", str(places[number])]
            command = [sys.executable, "-c", "import sys; from supple.cli.main import main; sys.exit(main())", *words]
            done = subprocess.run(command, capture_output=True, text=True)
            told = done.returncode in (2, 3) and done.stderr.startswith("error:") and "Traceback" not in done.stderr
            return (
                "" if told else f"{places[number].name[:20]}: exit {done.returncode}, {done.stderr.splitlines()[-1:]}"
            )

        return counted(
            "path too long, no folder, a file for a folder, no permission, a folder: told in words", 5, attempt
        )


def clock_set_back() -> Row:
    """A bake that goes on after the clock was set back by a year: equal bytes."""
    tube = make_tube(rings=17, sectors=10)
    motion = supple.motion("bend", tube)

    class StoppedError(Exception):
        pass

    def attempt(number: int) -> str:
        def stop(progress: object) -> None:
            if progress.frame == number:  # type: ignore[attr-defined]
                raise StoppedError

        with tempfile.TemporaryDirectory() as name:
            whole, path = Path(name) / "whole.supple", Path(name) / "a.supple"
            bake(tube, motion, supple.SpringDynamics(), path=whole, end=1.2)
            with contextlib.suppress(StoppedError):
                bake(tube, motion, supple.SpringDynamics(), path=path, end=1.2, watch=stop)
            year = 365 * 86400
            for file in Path(name).iterdir():
                os.utime(file, (time.time() + year, time.time() + year))
            bake(tube, motion, supple.SpringDynamics(), path=path, end=1.2)
            return "" if path.read_bytes() == whole.read_bytes() else "bytes differ"

    return counted(
        "clock set back by a year in the middle of a bake: equal bytes", 3, lambda number: attempt(16 * number)
    )


def all_rows(tries: int) -> list[Row]:
    """All rows of this file."""
    farms = max(tries // 10, 1)
    return [
        *killed_bakes(tries),
        killed_farms(farms),
        two_at_one_path(tries),
        full_disks(tries),
        bad_paths(),
        clock_set_back(),
    ]
