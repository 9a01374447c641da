"""The table in docs/reliability.md: of one whole run, or with rows that were tried again by themselves."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Sequence

from supple import machine
from survival.rows import TESTS, Row

PAGE = TESTS.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- the table of make survive -->", "<!-- its end -->"
_HEAD = ["| what | tries | survived | lost |", "| --- | ---: | ---: | --- |"]
_LATER, _LEFT = "Tried by itself, ", "Not all is tried yet: "
_LINE = re.compile(r"\| (?P<what>.*) \| (?P<tries>\d+) \| (?P<survived>\d+) \| (?P<lost>.*) \|")


def line_of(row: Row) -> str:
    """A row as Markdown."""
    return f"| {row.what} | {row.tries} | {row.survived} | {row.lost.replace('|', '/') or 'nothing'} |"


def table(lines: Sequence[str]) -> list[str]:
    """Rows with their head and their sum."""
    found = [match for line in lines if (match := _LINE.fullmatch(line))]
    total, whole = (sum(int(match[name]) for match in found) for name in ("tries", "survived"))
    return [*_HEAD, *lines, f"| **all** | **{total}** | **{whole}** | {total - whole or 'nothing'} |"]


def whole_run(rows: Sequence[Row], *, tries: int, seconds: float, left: str) -> str:
    """The text of a run of all parts."""
    told = f"Run with `--tries {tries}`: {_taken(seconds)}."
    text = "\n".join([told, "", *table([line_of(row) for row in rows])])
    return text + (f"\n\n{_LEFT}{left}." if left else "")


def with_rows(text: str, rows: Sequence[Row], whats: Sequence[str], *, seconds: float, left: str) -> str:
    """The text of an earlier run, with rows that were tried again by themselves in the place of theirs.

    `whats` names what was tried in this run. The others stay as they are, and a line says which are of another day.
    """
    earlier = text.splitlines()
    told = next((line for line in earlier if line.startswith("Run with")), "")
    lines = [line for line in earlier if _LINE.fullmatch(line)]
    later = [line for line in earlier if line.startswith(_LATER)]
    for row in rows:
        what = _what_of(row.what, whats)
        places = [number for number, line in enumerate(lines) if _what_of(line[2:], whats) == what]
        if places:
            lines[places[0]] = line_of(row)
        else:
            lines.insert(0, line_of(row))
        later = [line for line in later if not line.endswith(f": {what}.")]
        later.append(f"{_LATER}{datetime.date.today()}, {_taken(seconds)}: {what}.")
    open_ = next((line[len(_LEFT) : -1] for line in earlier if line.startswith(_LEFT)), "")
    missing = [one for one in open_.split("; ") if one and not one.startswith(tuple(whats))] + ([left] if left else [])
    after = [*later, *([f"{_LEFT}{'; '.join(missing)}."] if missing else [])]
    return "\n\n".join(["\n".join([told, "", *table(lines)]), *after])


def _what_of(text: str, whats: Sequence[str]) -> str:
    """Which of `whats` a row is of; one may begin with another."""
    return max((what for what in whats if text.startswith(what)), key=len, default="")


def write(text: str) -> None:
    """Put it into the page."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def written() -> str:
    """What stands in the page now."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def _taken(seconds: float) -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{seconds / 60.0:.0f} minutes on {cores} cores ({machine.kind()})"
