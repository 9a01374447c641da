"""Jobs for processes that help, in a module that they can import."""

import os
import sys
import time
import warnings
from pathlib import Path

from supple.errors import InputError, SuppleWarning


def square(number, *, tell):
    tell(("squaring", number))
    sys.stdout.write("not an answer\n")
    return number * number, os.getpid()


def wait_for(path, *, tell):
    """Returns when another job, beside it, has written a file."""
    end = time.monotonic() + 60.0
    while not Path(path).exists() and time.monotonic() < end:
        time.sleep(0.01)
    return Path(path).exists()


def write(path, *, tell):
    Path(path).write_text("here")


def refuse(*, tell):
    raise InputError("skin", "this", "that", "do so")


def stumble(*, tell):
    raise RuntimeError("over a stone")


def vanish(*, tell):
    os._exit(7)


def warn(*, tell):
    warnings.warn("it was mended", SuppleWarning, stacklevel=1)


def environment(name, *, tell):
    return os.environ.get(name)


def sleep(seconds, *, tell):
    tell(os.getpid())
    time.sleep(seconds)
