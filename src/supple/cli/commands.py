"""The table of commands, and what a command is.

A command called `some-name` is one module, `supple.cli.some_name` or in a room below, imported only when it is
chosen. It has

- `add_arguments(parser, words)`: adds its own options. `words` are the words after the command's name, for commands
  whose options depend on another one (see `options.skins`). `--json`, `--device`, `--debug` and `--help` are there
  already.
- `run(arguments, console) -> dict`: does the work, tells people about it through `console`, and returns the same as
  plain data for `--json`. Coming back means done (exit code 0); a `SuppleError` ends with its own code (2 bad input,
  3 could not finish). A result with an `exit_code` ends with that one, after it was printed.
- optionally `JSON_FILE = True`: `--json` then takes the name of a file to write, `-` for standard output, and what
  is said to people is still said.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from supple.cli.console import Console

COMMANDS: dict[str, str] = {
    "demo": "The hero under a skin of every kind: a film, a page and the Python for it; no file needed",
    "studio": "Open a page in the browser: take hold of the character and change its skin while it plays",
    "bake": "Write every frame of a skin to disk; goes on where it stopped",
    "render": "Make a picture, a contact sheet or a film of a bake",
    "compare": "Put several skins side by side: a film, curves and a table on one page",
    "crowd": "Play many of one or several characters, better skins for who is near, and film a walk through them",
    "measure": "Say what a bake did to its character: volume of the whole and of limbs, stretch, crossings, rest",
    "farm": "Bake a list of shots on all cores or a cluster, and show on one page what to look at",
    "fit-pose-space": "Teach a quick skin what a slow one does, from its bakes: pose-space deformation",
    "fit-curves": "Teach a network of curves a slow skin from its bakes, as in the thesis it is from",
    "decompose": "Turn a bake into bones, weights and motion that any engine plays",
    "place-joints": "Hold the fingers of a rig against those of people, and move their joints there",
    "info": "Say what a character is: mesh, skeleton, weights, maps, looks, and what a save would lose",
    "convert": "Carry a character or a motion over to another format, and say what that loses",
    "warm-up": "Compile everything for this machine now, rather than when it is first needed",
    "cache": "Show what is kept between runs so that nothing is bound twice, or clear it",
    "bench": "Time the skins here, beside other programs where they are installed",
}
"""What every command does, in one line, by name and in the order of the help."""
_ROOMS = {
    **dict.fromkeys(("fit-pose-space", "fit-curves"), "training"),
    **dict.fromkeys(("render", "compare", "crowd"), "pictures"),
}  # where modules of commands lie, if not here


class Command(Protocol):
    """What the module of a command holds."""

    def add_arguments(self, parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
        """Add the options of this command."""
        ...

    def run(self, arguments: argparse.Namespace, console: Console) -> Mapping[str, Any]:
        """Do the work and return what `--json` prints."""
        ...


def command_named(name: str) -> Command:
    """Import the module of a command in the table."""
    module = name.replace("-", "_")
    room = f"{_ROOMS[name]}." if name in _ROOMS else ""
    return cast(Command, importlib.import_module(f"supple.cli.{room}{module}"))


def writes_json_file(command: Command) -> bool:
    """Whether `--json` of this command takes the name of a file."""
    return bool(getattr(command, "JSON_FILE", False))
