"""The Chromium that is on this machine; as a program, it says what to do where there is none."""

from __future__ import annotations

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = f"There is no Chromium here ({', '.join(NAMES)}): apt-get install chromium, or install Google Chrome."


def chromium_here() -> str | None:
    """Where it is."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def arguments() -> list[str]:
    """Mesa draws twice as fast as Chromium's own renderer; the sandbox of Chromium does not work for root."""
    mesa = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"]
    return mesa + (["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])


if __name__ == "__main__":
    sys.exit(None if chromium_here() else MISSING)
