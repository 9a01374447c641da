"""All jobs of a studio, one at a time and in the order in which they were asked for."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from supple.document.document import Document
from supple.errors import InputError
from supple.studio.jobs.job import CANCELLED, DONE, FAILED, RUNNING, WAITING, Job
from supple.studio.jobs.kinds import checked

MOST = 20  # that are listed
_OFTEN = 0.2  # [s] between two words of how far a job is
_WHERE = "studio"


class Jobs:
    """Called by one thread, except for `result`. `folder` is where files are put that are done, if there is one."""

    def __init__(self, folder: Path | None, changed: Callable[[], None]) -> None:
        """`changed` is called, from another thread, when a job goes on."""
        self.folder = folder
        self.all: list[Job] = []
        self._changed, self._told = changed, 0.0
        self._work: Path | None = None
        self._last = 0
        self._something, self._closing = Condition(), False
        self._thread: Thread | None = None

    def start(self, kind: str, suffix: str, document: Document, skin: int, name: str) -> Job:
        """Make a file of one of a document's skins, counted from 1, or of all of them."""
        made = checked(kind, suffix)
        if not 1 <= skin <= len(document.skins):
            there = f"there are {len(document.skins)}"
            raise InputError(_WHERE, f"skin {skin} was asked for", there, "choose one of those")
        if len(self.all) >= MOST:
            self._forget_oldest()
        self._last += 1
        work = self._folder_of_work() / str(self._last)
        work.mkdir()
        job = Job(self._last, made, document, skin, f"{name}{suffix}", work)
        self.all = [*self.all, job]
        self._wake()
        return job

    def cancel(self, number: int) -> None:
        """End a job; what it has done is kept for `resume`."""
        Thread(target=self._cancel, args=(self._job(number),), daemon=True).start()

    def resume(self, number: int) -> None:
        """Go on with a job that was ended or failed."""
        job = self._job(number)
        if job.state not in (CANCELLED, FAILED):
            raise InputError(_WHERE, f"job {number} is {job.state}", "one that was ended can go on", "wait for it")
        job.again()
        self._wake()

    def forget(self, number: int) -> None:
        """Take a job from the list, and what it left behind; a file that it put into the folder stays."""
        job = self._job(number)
        if job.state in (WAITING, RUNNING):
            raise InputError(_WHERE, f"job {number} is {job.state}", "it must have ended", "cancel it first")
        self._drop(job)

    def result(self, number: int) -> Path | None:
        """The file that a job made, where there is one."""
        return next((job.result for job in self.all if job.number == number and job.state == DONE), None)

    def close(self) -> None:
        """End all, and remove what was not put into a folder."""
        with self._something:
            self._closing = True
            self._something.notify()
        for job in self.all:
            job.cancel()
        if self._thread is not None:
            self._thread.join()
        if self._work is not None:
            shutil.rmtree(self._work, ignore_errors=True)

    def _cancel(self, job: Job) -> None:
        job.cancel()
        self._changed()

    def _job(self, number: int) -> Job:
        found = next((job for job in self.all if job.number == number), None)
        if found is None:
            there = ", ".join(str(job.number) for job in self.all) or "none"
            raise InputError(_WHERE, f"job {number} was named", f"there are {there}", "name one of those")
        return found

    def _drop(self, job: Job) -> None:
        self.all = [one for one in self.all if one is not job]
        if self.folder is None and job.result is not None:
            job.result.unlink(missing_ok=True)
        job.forget()

    def _forget_oldest(self) -> None:
        oldest = next((job for job in self.all if job.state not in (WAITING, RUNNING)), None)
        if oldest is None:
            raise InputError(_WHERE, f"{len(self.all)} jobs wait", f"at most {MOST} can", "wait for some of them")
        self._drop(oldest)

    def _folder_of_work(self) -> Path:
        if self._work is None:
            self._work = Path(tempfile.mkdtemp(prefix="supple-jobs-"))
        return self._work

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="supple jobs", daemon=True)
            self._thread.start()
        with self._something:
            self._something.notify()

    # The thread

    def _run(self) -> None:
        while True:
            with self._something:
                self._something.wait_for(lambda: self._closing or self._next() is not None)
                if self._closing:
                    return
                job = self._next()
            if job is not None:
                job.run(self.folder or self._folder_of_work() / "done", self._tell)
                self._changed()

    def _next(self) -> Job | None:
        return next((job for job in self.all if job.state == WAITING), None)

    def _tell(self) -> None:
        """Say that a job has gone on, not too often."""
        if monotonic() - self._told >= _OFTEN:
            self._told = monotonic()
            self._changed()
