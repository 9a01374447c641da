"""Run the scorecard and put its table into docs/reliability.md.

python -m survival [--tries N] [--only starts,poses,...] [--seconds S] [--write] [--fresh] [--older]

What was tried is kept in scratch/survive.jsonl, and the same command goes on where it was stopped, as long as the
source is the same. With --only, --write puts the rows of those parts in the place of theirs and leaves the others.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
import warnings
from collections.abc import Callable

import conftest  # noqa: F401 - threads of BLAS, and nothing kept between runs
import supple
from survival import disks, hostile, kills, page, poses, power, show, starts, week
from survival.kept import FILE, Kept
from survival.rows import Said, Trial, row_of

PARTS: dict[str, Callable[[int], list[Trial]]] = {
    "show": show.trials,
    "kills": kills.trials,
    "disks": disks.trials,
    "starts": starts.trials,
    "poses": lambda tries: poses.trials(),
    "week": lambda tries: [week.week()],
    "hostile": lambda tries: hostile.trials(),
}


def attempted(trial: Trial, number: int, attempt: Callable[[int], Said]) -> Said:
    """What came of an attempt; an error is a loss."""
    try:
        return attempt(number)
    except Exception as error:
        return Said.of(f"{type(error).__name__}: {error}")


def run(trial: Trial, kept: Kept, until: float) -> bool:
    """Make the attempts of a trial that were not made; whether it came to its end in time."""
    missing = [number for number in range(trial.attempts) if kept.get(trial.what, number) is None]
    if not missing or time.monotonic() > until:
        return not missing
    with trial.ready() as attempt:
        for number in missing:
            if time.monotonic() > until:
                return False
            began = time.perf_counter()
            kept.add(trial.what, number, attempted(trial, number, attempt), time.perf_counter() - began)
    return True


def left_of(trials: list[Trial], kept: Kept) -> str:
    """In words, what was not tried to its end."""
    made = {trial.what: len(kept.of(trial)) for trial in trials}
    return "; ".join(
        f"{trial.what}, {made[trial.what]} of {trial.attempts} attempts"
        for trial in trials
        if made[trial.what] < trial.attempts
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m survival")
    parser.add_argument("--tries", type=int, default=300, help="of every row that counts tries (default: 300)")
    parser.add_argument("--only", default=",".join([*PARTS, "power"]), help="parts (default: all)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after these; the next call goes on")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reliability.md")
    parser.add_argument("--fresh", action="store_true", help="forget what was tried before")
    parser.add_argument("--older", action="store_true", help="keep what was tried with another source too")
    given = parser.parse_args()
    until = time.monotonic() + given.seconds
    if given.fresh:
        FILE.unlink(missing_ok=True)
    kept, parts = Kept(FILE, older=given.older), given.only.split(",")
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", category=supple.errors.SuppleWarning)
        trials = [trial for part in parts if part in PARTS for trial in PARTS[part](given.tries)]
        trials += stack.enter_context(power.trials()) if "power" in parts else []
        ended = True
        for trial in trials:
            ended &= run(trial, kept, until)
            row = row_of(trial, kept.of(trial))
            sys.stdout.write(f"{row.what}: {row.survived} of {row.tries}{'; ' if row.lost else ''}{row.lost}\n")
            sys.stdout.flush()
    rows = [row for trial in trials if (row := row_of(trial, kept.of(trial))).tries]
    left = "" if ended else left_of(trials, kept)
    if set(parts) >= {*PARTS, "power"}:
        text = page.whole_run(rows, tries=given.tries, seconds=kept.seconds, left=left)
    else:
        whats = [trial.what for trial in trials]
        seconds = kept.seconds_of(whats)
        text = page.with_rows(page.written(), rows, whats, seconds=seconds, left=left)
    sys.stdout.write(text + "\n")
    if given.write:
        page.write(text)
    if not ended:
        sys.stdout.write("the same command goes on\n")
        return 4
    return 0 if all(row.enough for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
