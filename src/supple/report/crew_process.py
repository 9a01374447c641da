"""Do jobs that arrive on standard input until there are no more: `python -m supple.report.crew_process`.

What jobs tell and return goes to standard output, pickled; both ends are the same program. The process ends when the
one that started it does, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import warnings
from typing import Any, BinaryIO

from supple.errors import SuppleWarning
from supple.report.crew import failure


def main() -> None:
    """Answer jobs one after another, as long as anybody listens."""
    with contextlib.suppress(BrokenPipeError):
        _reply()


def _reply() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who started it says that it was interrupted
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anybody prints is no answer
    while job := _next(sys.stdin.buffer):
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, category, *where: _warn(answers, message, category)
                wanted = pickle.loads(job)
                result = wanted.work(*wanted.given, tell=lambda what: _send(answers, "told", what))
            _send(answers, "done", result)
        except BrokenPipeError:
            raise
        except Exception as problem:
            _send(answers, "failed", failure(problem))


def _next(jobs: BinaryIO) -> bytes:
    """The next job; empty where there is none."""
    size = jobs.read(8)
    return jobs.read(int.from_bytes(size, "little")) if len(size) == 8 else b""


def _send(answers: BinaryIO, kind: str, what: Any) -> None:
    pickle.dump((kind, what), answers, protocol=pickle.HIGHEST_PROTOCOL)
    answers.flush()


def _warn(answers: BinaryIO, message: Warning | str, category: type[Warning]) -> None:
    if issubclass(category, SuppleWarning):
        _send(answers, "warned", str(message))
    else:
        sys.stderr.write(f"{category.__name__}: {message}\n")


if __name__ == "__main__":
    main()
