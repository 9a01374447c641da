"""Files, packets and requests that mean harm: tests whose cases are tries, and minutes of damage."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from survival.rows import TESTS, Said, Trial, simple

FUZZED = {
    "fuzzing.py": ("gltf", "bvh"),
    "fuzzing_more.py": (
        "obj", "ply", "stl", "npz", "pc2", "mdd", "cache", "graph", "edits", "scene", "curves", "usd", "fbx",
    ),
}  # fmt: skip
SECONDS = 10.0  # of damage for each kind of file
TESTED = {
    "files that once broke a reader": ["tests/hostile/test_fuzz_more.py", "-k", "once_broke"],
    "forged caches, cases of the test": ["tests/hostile/test_forged_caches.py"],
    "files made to cost much, cases of the test": ["tests/hostile/test_budgets.py"],
    "hostile packets of live motion (OSC, VMC), cases of the test": [
        "tests/motions/test_osc.py", "tests/motions/test_vmc_stream.py",
        "-k", "survived or refused or breaks or hostile",
    ],
    "foreign requests to the studio, cases of the test": ["tests/studio/test_guard.py"],
}  # fmt: skip


def of_tests(chosen: list[str]) -> Said:
    """Every test is a try; those that are skipped here are none."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}", *chosen]
        done = subprocess.run(command, cwd=TESTS.parent, env=os.environ.copy(), capture_output=True, text=True)
        if not report.exists():
            return Said((f"the tests did not run: {done.stdout[-200:]}",), 1)
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    ran = [case for case in cases if case.find("skipped") is None]
    bad = [case.get("name", "") for case in ran if case.find("failure") is not None or case.find("error") is not None]
    return Said(tuple(bad), len(ran))


def damage(program: str, kind: str, seed: int) -> Said:
    """Damaged files of one kind, read one after another; the first that breaks a reader is a loss."""
    command = [sys.executable, program, kind, str(seed), str(SECONDS)]
    surroundings = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=TESTS / "scenes", env=surroundings, capture_output=True, text=True)
    if done.returncode == 0:
        return Said(tries=int(done.stdout.split(": ")[1].split()[0]))
    last = (done.stderr.splitlines() or ["no words"])[-1]
    return Said(tries=0) if "ModuleNotFoundError" in last else Said((f"{kind}: {last}",), 1)


def trials() -> list[Trial]:
    """All rows of this file."""
    found = [Trial(what, 1, simple(lambda _, chosen=chosen: of_tests(chosen))) for what, chosen in TESTED.items()]
    kinds = [(program, kind) for program, several in FUZZED.items() for kind in several]
    what = f"damaged files of {len(kinds)} kinds, as many as are read in {SECONDS:g} s each"
    return [*found, Trial(what, len(kinds), simple(lambda number: damage(*kinds[number], seed=1000 + number)))]
