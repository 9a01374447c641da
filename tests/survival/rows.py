"""What a row of the scorecard is, and the tests that are rows as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Row:
    """How often something was tried, how often it was survived, and in words what was lost."""

    what: str
    tries: int
    survived: int
    lost: str = ""


def counted(what: str, tries: int, attempt: Callable[[int], str]) -> Row:
    """Try something so often; an attempt returns what was lost in words, nothing if it survived. Errors are losses."""
    lost: list[str] = []
    for number in range(tries):
        try:
            said = attempt(number)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        lost += [said] if said else []
    told = "; ".join(f"{words} ({lost.count(words)})" for words in dict.fromkeys(lost))
    return Row(what, tries, tries - len(lost), told[:400])


def of_tests(what: str, *chosen: str) -> Row:
    """Every test of some files is a try; those that are skipped here are none."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}", *chosen]
        subprocess.run(command, cwd=TESTS.parent, env=os.environ.copy(), capture_output=True, check=False)
        if not report.exists():
            return Row(what, 0, 0, "the tests did not run")
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    ran = [case for case in cases if case.find("skipped") is None]
    bad = [case.get("name", "") for case in ran if case.find("failure") is not None or case.find("error") is not None]
    return Row(what, len(ran), len(ran) - len(bad), ", ".join(bad)[:400])
