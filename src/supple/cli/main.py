"""The `supple` command: finds the command that was asked for, runs it, and ends with a stable exit code.

0 done, 2 bad input, 3 could not finish, 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import json
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from supple.cli.commands import COMMANDS, Command, command_named, writes_json_file
from supple.cli.console import Console
from supple.cli.options.parser import JSON_ON_STDOUT, parser_for
from supple.compiling import told_of_compiling
from supple.errors import InputError, SuppleError, SuppleWarning, UnfinishedError
from supple.files import atomic

DONE, COULD_NOT_FINISH, INTERRUPTED, PIPE_CLOSED = 0, 3, 130, 141


def main(words: Sequence[str] | None = None) -> int:
    """Run one command given as words (those of the process if None) and return its exit code."""
    given = list(sys.argv[1:] if words is None else words)
    console = Console(machine_reads="--json" in given)
    try:
        with _speaking_plainly(console), told_of_compiling(console.compiling):
            code = _run(given, console)
            sys.stdout.flush()
        return code
    except SystemExit as finished:  # argparse has shown its help
        return int(finished.code or DONE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return PIPE_CLOSED
    except Exception as error:
        if "--debug" in given:
            traceback.print_exc()
        return _report(_as_supple_error(error, given), console)


def _run(words: list[str], console: Console) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        console.say(overview())
        return DONE
    if words[0] == "--version":
        from supple import __version__

        console.say(f"supple {__version__}")
        return DONE
    name = words[0]
    if name not in COMMANDS:
        raise _unknown_command(name)
    command = command_named(name)
    console.machine_reads = _program_reads(command, words)
    console.progress_lines = "--progress-lines" in words
    arguments = parser_for(name, COMMANDS[name], command, words[1:]).parse_args(words[1:])
    console.machine_reads = arguments.json == JSON_ON_STDOUT
    result = command.run(arguments, console)
    if arguments.json is not None:
        _write_json(result, arguments)
    return int(result.get("exit_code", DONE))


def overview() -> str:
    """The help of `supple` itself: which commands there are."""
    wide = max(len(name) for name in COMMANDS)
    listed = "\n".join(f"  {name:<{wide}}  {summary}" for name, summary in COMMANDS.items())
    return (
        "usage: supple COMMAND [options]\n\n"
        "Supple moves the skin of animated characters.\n\n"
        f"commands:\n{listed}\n\n"
        "'supple COMMAND --help' tells what a command takes. Every command takes --json, --device and --debug.\n"
        "Exit codes: 0 done, 2 bad input, 3 could not finish."
    )


def _unknown_command(name: str) -> InputError:
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    advice = f"try 'supple {near[0]}'" if near else "see 'supple --help'"
    what = "option" if name.startswith("-") else "command"
    return InputError("supple", f"there is no {what} {name!r}", f"the commands are {', '.join(COMMANDS)}", advice)


def _program_reads(command: Command, words: Sequence[str]) -> bool:
    """Whether JSON goes to standard output, as far as can be told before the words are understood."""
    if "--json" not in words:
        return False
    return not writes_json_file(command) or JSON_ON_STDOUT in words


def _write_json(result: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    text = json.dumps(result, indent=2, allow_nan=False)
    if arguments.json == JSON_ON_STDOUT:
        print(text)
        return
    with atomic(arguments.json) as waiting:
        waiting.write_text(text + "\n", encoding="utf-8")


def _as_supple_error(error: Exception, words: Sequence[str]) -> SuppleError:
    """What went wrong as a sentence with four parts, whatever it was."""
    if isinstance(error, SuppleError):
        return error
    where = f"supple {words[0]}" if words else "supple"
    if isinstance(error, OSError) and error.strerror:
        about = f"{error.filename}: " if error.filename else ""
        return UnfinishedError(
            where, f"{about}{error.strerror}", "the file system must allow it", "check the path and the space on disk"
        )
    if isinstance(error, MemoryError):
        return UnfinishedError(where, "memory ran out", "more is needed for this size", "use fewer --vertices")
    what = f"{type(error).__name__}: {error}".splitlines()[0].rstrip(":. ")
    return UnfinishedError(
        where, f"something unexpected happened ({what})", "this should work", "run it again with --debug and report it"
    )


def _report(error: SuppleError, console: Console) -> int:
    console.note(f"error: {error}")
    if console.machine_reads:
        parts = {"where": error.where, "given": error.given, "needed": error.needed, "advice": error.advice}
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps({"error": parts}, indent=2), flush=True)
    return error.exit_code


@contextlib.contextmanager
def _speaking_plainly(console: Console) -> Iterator[None]:
    """Supple's warnings become notes, and letters that the terminal does not know become question marks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with warnings.catch_warnings():
        show = warnings.showwarning

        def say(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, SuppleWarning):
                console.note(f"note: {message}")
            else:
                show(message, category, filename, lineno, file, line)

        warnings.showwarning = say
        yield


def _forget_stdout() -> None:
    """Point standard output nowhere, so that Python's last flush at exit finds no closed pipe either."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
