"""The options every command shares, and a parser that complains in our own sentences."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from supple.cli.commands import Command, writes_json_file
from supple.errors import InputError

JSON_ON_STDOUT = "-"


class Parser(argparse.ArgumentParser):
    """Words that do not fit become an `InputError`, so that they end like every other bad input."""

    def error(self, message: str) -> NoReturn:
        usage = " ".join(self.format_usage().removeprefix("usage: ").split())
        raise InputError(self.prog, message, f"the usage is {usage}", f"see '{self.prog} --help'")


def parser_for(name: str, summary: str, command: Command, words: Sequence[str]) -> Parser:
    """The parser of one command: its own options and the common ones."""
    parser = Parser(prog=f"supple {name}", description=f"{summary}.", allow_abbrev=False)
    command.add_arguments(parser, words)
    common = parser.add_argument_group("common options")
    if writes_json_file(command):
        common.add_argument(
            "--json", metavar="FILE", help=f"write the result as JSON to FILE, {JSON_ON_STDOUT!r} for standard output"
        )
    else:
        common.add_argument(
            "--json",
            action="store_const",
            const=JSON_ON_STDOUT,
            help="print the result as JSON on standard output, and nothing else there",
        )
    common.add_argument(
        "--device", default="cpu", metavar="NAME", help="where to compute: cpu (all cores) or cuda:N (default: cpu)"
    )
    common.add_argument(
        "--progress-lines", action="store_true", help="say on standard error how far it is, as one JSON object a line"
    )
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser
