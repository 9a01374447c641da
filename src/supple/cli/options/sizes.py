"""The size of a picture, as it is written: 640x720."""

from __future__ import annotations

import re

from supple.errors import InputError


def read_size(text: str) -> tuple[int, int]:
    """Width and height [pixels] that `--size` says."""
    match = re.fullmatch(r"(\d{2,4})x(\d{2,4})", text)
    if match is None:
        raise InputError("--size", f"{text!r} was given", "width x height in pixels is needed", "try 640x720")
    return int(match[1]), int(match[2])
