"""However the studio ends, nothing of it goes on, and what pages sent is removed where it could still be."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

import supple

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def _children(pid: int) -> list[int]:
    """All processes below one."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    direct = [int(word) for word in text.split()]
    return [*direct, *(one for child in direct for one in _children(child))]


def _until(true, words: str) -> None:
    end = time.monotonic() + 100.0
    while not true():
        assert time.monotonic() < end, words
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("how", "tidy"), [(signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGKILL, False)])
def test_nothing_goes_on_when_it_ends(tmp_path, how, tidy):
    character = tmp_path / "tube.glb"
    supple.save(supple.character("tube", vertices=500), character)
    sent = tmp_path / "sent"
    sent.mkdir()
    program = [sys.executable, "-c", "from supple.cli.main import main; raise SystemExit(main())", "studio"]
    arguments = ["--no-browser", "--port", "0", "--vertices", "600", "--skin", "linear"]
    around = os.environ | {"TMPDIR": str(sent), "PYTHONUNBUFFERED": "1", "SUPPLE_CACHE_DIR": str(tmp_path / "cache")}
    studio = subprocess.Popen(
        [*program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=around
    )
    with studio:
        assert studio.stdout is not None
        found = re.search(r"(http://127\.0\.0\.1:(\d+))/\?token=(\S+)", studio.stdout.readline())
        assert found is not None
        origin, port, token = found.groups()
        headers = {"Origin": origin, "Cookie": f"supple-studio-{port}={token}"}
        wanted = urllib.request.Request(f"{origin}/upload/either?name=tube.glb", character.read_bytes(), headers)
        with urllib.request.urlopen(wanted, timeout=100) as answer:
            assert answer.status == 200
        assert len(list(sent.glob("supple-studio-*"))) == 1
        below = _children(studio.pid)
        assert below
        studio.send_signal(how)
        studio.wait(100)
        _until(lambda: not any(map(_runs, below)), "a process of it goes on")
        assert (list(sent.glob("supple-studio-*")) == []) is tidy
        if tidy:
            assert studio.returncode == 130
            assert studio.stderr is not None
            assert "Traceback" not in studio.stderr.read()
