"""The studio as it comes from a wheel, in an environment of its own that never saw a network; `make installed`."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from studio_server import Server

ROOT = Path(__file__).resolve().parents[3]
HERE = ("127.0.0.1", "::1", "localhost")
# Writes down every other machine that a program asks for, and lets it reach none.
WATCH = f"""
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


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Python with Supple and what it needs, all of it from a folder of wheels."""
    wheels = os.environ.get("SUPPLE_WHEELS")
    if not wheels:
        pytest.skip("SUPPLE_WHEELS names no folder with what Supple needs: make installed")
    folder = tmp_path_factory.mktemp("installed")
    alone = ("--quiet", "--disable-pip-version-check", "--no-index", "--find-links", str(Path(wheels).resolve()))
    pip = (sys.executable, "-m", "pip")
    subprocess.run([*pip, "wheel", *alone, "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("supple-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([*pip, f"--python={python}", "install", *alone, f"{wheel}[studio]"], check=True)
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
    Path(packages, "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    return str(python)


def test_it_walks_and_can_be_held_without_a_network(installed, chromium, cache, tmp_path, open_window, monkeypatch):
    asked = tmp_path / "asked"
    monkeypatch.delenv("PYTHONPATH", raising=False)
    server = Server(("--port", "0", "--vertices", "800", "--skin", "linear"), cache, installed, ASKED=str(asked))
    try:
        window = open_window(server)
        before = window.until_bound() and window.frame()
        assert window.flesh(0.2).motion_time > before.motion_time
        window.pause()
        window.drag("belly", right=30, up=0)
        window.let_go()
        assert {urlsplit(address).hostname for address in window.requests} == {"127.0.0.1"}
    finally:
        server.close()
    assert not asked.exists(), asked.read_text()


def test_the_watch_sees_whoever_asks_for_another_machine(installed, tmp_path):
    asked = tmp_path / "asked"
    program = "import urllib.request; urllib.request.urlopen('http://supple.example')"
    found = subprocess.run([installed, "-c", program], env={**os.environ, "ASKED": str(asked)}, capture_output=True)
    assert found.returncode != 0
    assert "supple.example" in asked.read_text()
