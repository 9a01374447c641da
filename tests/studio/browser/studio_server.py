"""`supple studio` as a child process, as a person starts it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ADDRESS = re.compile(r"https?://127\.0\.0\.1:(\d+)/\?token=\S+")


class Server:
    """A studio that serves on a port of its own until it is closed.

    `address` is what its terminal printed, with the token; `origin` is where its page lives.
    """

    def __init__(self, arguments: tuple[str, ...], cache: Path, python: str = sys.executable, **variables: str) -> None:
        """`cache` is where it keeps bindings, so that no run finds those of another; `variables` are its own."""
        self.arguments = arguments
        self._python, self._variables = python, variables
        self._cache = cache
        shutil.rmtree(cache / "studio", ignore_errors=True)  # what the server of another test left open
        self.start()

    def start(self, *more: str) -> None:
        """Start it, with more arguments than it was made with; returns when the address is printed."""
        surroundings = {**os.environ, "SUPPLE_CACHE_DIR": str(self._cache), "PYTHONUNBUFFERED": "1", **self._variables}
        surroundings["BROWSER"] = "true"  # a program that is sent to the page, and does nothing
        surroundings.pop("SUPPLE_CACHE_LIMIT", None)
        program = [self._python, "-c", "from supple.cli.main import main; raise SystemExit(main())"]
        command = [*program, "studio", *self.arguments, *more]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=surroundings
        )
        said = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said.append(line)
            if found := ADDRESS.search(line):
                self.address, self.port = found.group(0), int(found.group(1))
                return
        raise AssertionError(f"supple studio ended before it served: {''.join(said)}")

    @property
    def origin(self) -> str:
        """Scheme, host and port of its page."""
        return self.address.partition("/?")[0]

    @property
    def token(self) -> str:
        """What only the terminal shows."""
        return self.address.partition("token=")[2]

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """On the same port as before, with another token, as a person would after a crash."""
        self.start("--port", str(self.port))

    def close(self) -> None:
        """End it, if it still runs."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()
