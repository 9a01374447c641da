"""Another Python that has Blender's module bpy, and what it shows of files; ours need not have it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHOSEN = "SUPPLE_BLENDER_PYTHON"


@cache
def blender_python() -> str | None:
    """The Python that SUPPLE_BLENDER_PYTHON names; else this one if it has bpy, or that of the benchmark."""
    if CHOSEN in os.environ:
        assert _has_blender(os.environ[CHOSEN]), f"{CHOSEN} is {os.environ[CHOSEN]}, which has no bpy"
        return os.environ[CHOSEN]
    candidates = (sys.executable, str(ROOT / ".venv-bench" / "bin" / "python"))
    return next((python for python in candidates if Path(python).exists() and _has_blender(python)), None)


def _has_blender(python: str) -> bool:
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('bpy') is None)"
    return subprocess.run([python, "-c", asked], check=False).returncode == 0


def ask_blender(*jobs: dict[str, Any]) -> dict[str, np.ndarray]:
    """Let Blender do jobs (see blender_reads.py) and return its arrays; without Blender the test is skipped."""
    python = blender_python()
    if python is None:
        pytest.skip("no Python here has bpy (`make peers` installs one)")
    with tempfile.TemporaryDirectory() as folder:
        plan, answer = Path(folder) / "plan.json", Path(folder) / "answer.npz"
        plan.write_text(json.dumps(jobs))
        command = [python, str(Path(__file__).with_name("blender_reads.py")), str(plan), str(answer)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert answer.exists(), done.stdout[-2000:] + done.stderr[-4000:]
        with np.load(answer, allow_pickle=False) as file:
            return dict(file)
