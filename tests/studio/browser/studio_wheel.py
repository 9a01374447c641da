"""The studio as it comes from a wheel, in an environment of its own that never sees a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WHEELS = "SUPPLE_WHEELS"
"""The variable that names a folder with what Supple needs (`make installed`)."""
HERE = ("127.0.0.1", "::1", "localhost")
# Writes down every other machine that a program asks for, and lets it reach none.
_WATCH = f"""
import os, sys
def look(event, given):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        host = given[0] if event == "socket.getaddrinfo" else given[1][0] if isinstance(given[1], tuple) else None
        if host is not None and host not in {HERE!r}:
            with open(os.environ["ASKED"], "a") as file:
                file.write(f"{{event}} {{host}}\\n")
            raise OSError("no network here")
sys.addaudithook(look)
"""


def installed_python(folder: Path) -> str:
    """Python with Supple and what it needs, all of it from the folder of wheels; `$ASKED` gets whom it asks for."""
    wheels = str(Path(os.environ[WHEELS]).resolve())
    alone = ("--quiet", "--disable-pip-version-check", "--no-index", "--find-links", wheels)
    pip = (sys.executable, "-m", "pip")
    subprocess.run([*pip, "wheel", *alone, "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("supple-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([*pip, f"--python={python}", "install", *alone, f"{wheel}[studio-lan]"], check=True)
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
    Path(packages, "sitecustomize.py").write_text(_WATCH, encoding="utf-8")
    return str(python)
