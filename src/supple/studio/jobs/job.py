"""One job: a command line in a process of its own, of low priority, that can be ended and taken up again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from supple.document.document import Document
from supple.document.file import SUFFIX, save_document
from supple.studio.jobs.kinds import JobKind

WAITING, RUNNING, DONE, CANCELLED, FAILED = "waiting", "running", "done", "cancelled", "failed"
_PROGRAM = "from supple.cli.main import main; raise SystemExit(main())"
_NICE = 15  # what plays comes first
_PATIENCE = 5.0  # [s] to end by itself before it is ended


class Job:
    """Makes one file of a document as it is now. All it writes lies in a folder of its own until the file is whole."""

    def __init__(self, number: int, kind: JobKind, document: Document, skin: int, name: str, work: Path) -> None:
        """`skin` is counted from 1; `name` is that of the file; `work` is a folder for this job alone."""
        self.number, self.kind, self.name = number, kind, name
        self.state, self.what, self.done, self.total = WAITING, "", 0, 0
        self.words = ""
        self.result: Path | None = None
        self.seconds = 0.0
        self._document, self._skin, self._work = document, skin, work
        self._process: subprocess.Popen[bytes] | None = None
        self._lock, self._wanted = Lock(), True

    def again(self) -> None:
        """Let it wait for its turn once more; a bake goes on where it stopped."""
        self.state, self.words, self._wanted = WAITING, "", True

    def run(self, keep_in: Path, changed: Callable[[], None]) -> None:
        """Do it, and put the file into a folder when it is whole; `changed` is called as it goes on."""
        began, self.state = monotonic(), RUNNING
        changed()
        try:
            self._run(keep_in, changed)
        except Exception as error:  # told to the person who asked for it
            self.state, self.words = FAILED, str(error)
        finally:
            self.seconds = monotonic() - began
            changed()

    def cancel(self) -> None:
        """End it with all processes that it started; from any thread."""
        with self._lock:
            self._wanted = False
            process = self._process
        if self.state == WAITING:
            self.state = CANCELLED
        if process is not None:
            _end(process)

    def forget(self) -> None:
        """Remove what it left."""
        shutil.rmtree(self._work, ignore_errors=True)

    def _run(self, keep_in: Path, changed: Callable[[], None]) -> None:
        snapshot, output = self._work / f"snapshot{SUFFIX}", self._work / self.name
        if not snapshot.exists():
            save_document(self._document, snapshot)
        words = [*self.kind.words(str(snapshot), self._skin, str(output)), "--json", "--progress-lines"]
        said = self._work / "said.json"
        with said.open("wb") as stdout:
            process = self._start(words, stdout)
        assert process is None or process.stderr is not None
        if process is not None:
            for line in process.stderr or ():
                self._hear(line, changed)
            process.wait()
            process.stderr.close() if process.stderr else None
        with self._lock:
            self._process, wanted = None, self._wanted
        if not wanted or process is None:
            self.state = CANCELLED
        elif process.returncode == 0:
            self.result = _put(output, keep_in)
            self.state = DONE
        else:
            self.state, self.words = FAILED, _problem(said) or f"it ended with code {process.returncode}"

    def _start(self, words: list[str], stdout: Any) -> subprocess.Popen[bytes] | None:
        """The process, in a group of its own; None where it is not wanted any more."""
        with self._lock:
            if not self._wanted:
                return None
            command = [sys.executable, "-c", _PROGRAM, *words]
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, **_apart()
            )
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _NICE)
        return self._process

    def _hear(self, line: bytes, changed: Callable[[], None]) -> None:
        """Take in one line of what it says about how far it is."""
        try:
            told = json.loads(line)
        except ValueError:
            return
        if isinstance(told, dict) and isinstance(told.get("progress"), dict):
            progress = told["progress"]
            self.what, self.done, self.total = str(progress["what"]), int(progress["done"]), int(progress["total"])
        elif isinstance(told, dict) and isinstance(told.get("note"), str):
            self.words = told["note"]
        changed()


def _apart() -> dict[str, Any]:
    """In a group of its own, so that all of it can be ended, and behind what plays.

    Not in a session of its own: Linux shares its time among sessions first, and priorities count within one only.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    return {"process_group": 0}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    if sys.platform == "win32":
        process.kill()
        return
    for how, patience in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            if how == signal.SIGKILL:
                return


def _put(output: Path, folder: Path) -> Path:
    """Move a whole file into a folder, under its name or the next that is free."""
    folder.mkdir(parents=True, exist_ok=True)
    number, target = 2, folder / output.name
    while target.exists():
        target = folder / f"{output.stem} {number}{output.suffix}"
        number += 1
    waiting = folder / f".{target.name}.part"
    try:
        shutil.move(output, waiting)
        waiting.replace(target)
    except BaseException:
        waiting.unlink(missing_ok=True)
        raise
    return target


def _problem(said: Path) -> str:
    """Why it failed, in the words of the command."""
    try:
        error = json.loads(said.read_text(encoding="utf-8"))["error"]
        return f"{error['where']}: {error['given']}, but {error['needed']}; {error['advice']}."
    except (OSError, ValueError, KeyError, TypeError):
        return ""
