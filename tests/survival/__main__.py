"""Run the scorecard and put its table into docs/reliability.md.

python -m survival [--tries N] [--only files,skins,hostile] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import conftest  # noqa: F401 - threads of BLAS, and nothing kept between runs
from supple import machine
from survival import files, skins
from survival.rows import TESTS, Row, of_tests

PAGE = TESTS.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- the table of make survive -->", "<!-- its end -->"


def hostile() -> list[Row]:
    """Tests of files and packets that mean harm, each case a try."""
    return [
        of_tests("forged caches, cases of the test", "tests/hostile/test_forged_caches.py"),
        of_tests("files made to cost much, cases of the test", "tests/hostile/test_budgets.py"),
        of_tests("packets of live motion (VMC, OSC), cases of the test", "tests/motions/test_osc.py"),
        of_tests("foreign requests to the studio, cases of the test", "tests/studio/test_guard.py"),
    ]


def table(rows: list[Row], tries: int, seconds: float) -> str:
    """The table as Markdown."""
    lines = ["| what | tries | survived | lost |", "| --- | ---: | ---: | --- |"]
    lines += [
        f"| {row.what} | {row.tries} | {row.survived} | {row.lost.replace('|', '/') or 'nothing'} |" for row in rows
    ]
    total, whole = sum(row.tries for row in rows), sum(row.survived for row in rows)
    lines.append(f"| **all** | **{total}** | **{whole}** | {total - whole or 'nothing'} |")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    told = f"Run with --tries {tries} in {seconds:.0f} s on {cores} cores ({machine.kind()})."
    return "\n".join([told, "", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m survival")
    parser.add_argument("--tries", type=int, default=300, help="of every row that counts tries (default: 300)")
    parser.add_argument("--only", default="files,skins,hostile")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reliability.md")
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    began, rows = time.perf_counter(), []
    parts = {"files": lambda: files.all_rows(given.tries), "skins": lambda: skins.all_rows(given.tries)}
    for part in given.only.split(","):
        rows += {**parts, "hostile": hostile}[part]()
    text = table(rows, given.tries, time.perf_counter() - began)
    sys.stdout.write(text + "\n")
    if given.json:
        Path(given.json).write_text(json.dumps([vars(row) for row in rows], indent=1))
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0 if all(row.survived == row.tries for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
