"""Work in several processes: results in order, errors and warnings as if it had been done here, nobody left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import crew_jobs as jobs
import numpy as np
import pytest

import supple
from supple.character.fingerprint import fingerprint
from supple.device import use_threads
from supple.errors import InputError, SuppleWarning, UnfinishedError
from supple.report.crew import Job, crew


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[1] / "scenes"), os.environ.get("PYTHONPATH", "")])
    )


def done(given, *, size, heard=lambda number, what: None):
    with crew(size) as hands:
        assert hands.size == size
        return hands.run(given, heard)


@pytest.mark.parametrize("size", [1, 2])
def test_results_come_in_order_and_all_that_is_told_arrives(size):
    told = []
    results = done([Job(jobs.square, (n,)) for n in range(7)], size=size, heard=lambda *what: told.append(what))
    assert [value for value, _ in results] == [n * n for n in range(7)]
    assert sorted(told) == [(n, ("squaring", n)) for n in range(7)]
    assert (os.getpid() in {process for _, process in results}) == (size == 1)


def test_jobs_go_on_beside_each_other(tmp_path):
    path = str(tmp_path / "written")
    assert done([Job(jobs.wait_for, (path,)), Job(jobs.write, (path,))], size=2) == [True, None]


def test_cores_are_shared():
    with use_threads(6):
        assert done([Job(jobs.environment, ("SUPPLE_THREADS",))] * 2, size=2) == ["3", "3"]


@pytest.mark.parametrize("size", [1, 2])
def test_an_error_is_the_same_error_here(size):
    with pytest.raises(InputError) as caught:
        done([Job(jobs.square, (1,)), Job(jobs.refuse, ())], size=size)
    assert (caught.value.where, caught.value.given, caught.value.needed, caught.value.advice) == (
        "skin",
        "this",
        "that",
        "do so",
    )


@pytest.mark.parametrize(("job", "says"), [(jobs.stumble, "RuntimeError: over a stone"), (jobs.vanish, "exit 7")])
def test_what_nobody_expected_is_said(job, says):
    with pytest.raises(UnfinishedError, match=says):
        done([Job(job, ())], size=2)


def test_warnings_arrive():
    with pytest.warns(SuppleWarning, match="mended"):
        done([Job(jobs.warn, ())], size=2)


def test_what_cannot_be_handed_over_is_done_here():
    here = []
    results = done([Job(lambda given, *, tell: here.append(given), (n,)) for n in range(3)], size=2)
    assert results == [None] * 3
    assert here == [0, 1, 2]


def alive(process: int) -> bool:
    with contextlib.suppress(OSError):
        os.kill(process, 0)
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    return False


def gone(process: int) -> bool:
    end = time.monotonic() + 30.0
    while alive(process) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(process)


def test_nobody_is_left_when_somebody_gives_up():
    helping = []

    def heard(number, process):
        helping.append(process)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        done([Job(jobs.sleep, (60.0,))] * 2, size=2, heard=heard)
    assert all(gone(process) for process in helping)


@pytest.mark.skipif(not Path("/proc").exists(), reason="no list of processes here")
def test_nobody_is_left_when_the_one_who_started_them_is_killed():
    code = (
        "from supple.report.crew import Job, crew\nimport crew_jobs as jobs\n"
        "with crew(2) as hands:\n"
        "    hands.run([Job(jobs.square, (n,)) for n in range(2)], lambda *what: None)\n"
        "    print(*(process.pid for process in hands._processes), flush=True)\n"
        "    hands.run([Job(jobs.sleep, (1.0,))], lambda *what: None)\n"
        "    input()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    helping = [int(word) for word in process.stdout.readline().split()]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(helping) == 2
    assert all(gone(helper) for helper in helping)


def test_characters_and_motions_can_be_handed_over():
    import pickle

    hero = supple.character("hero", vertices=600)
    walk = supple.motion("walk", hero)
    again, walked = pickle.loads(pickle.dumps((hero.replace(motions={"Walk": walk}), walk)))
    assert fingerprint(again) == fingerprint(hero.replace(motions={"Walk": walk}))
    np.testing.assert_array_equal(walked.sample(0.3).world_from_joint, walk.sample(0.3).world_from_joint)
    assert not again.points.flags.writeable
    assert not again.skeleton.parents.flags.writeable
    assert not again.weights.values.flags.writeable
    with pytest.raises(TypeError):
        again.maps["more"] = again.maps["flesh"]


def test_a_skin_of_the_program_itself_is_compared_in_it(tmp_path):
    """Another process would not know its class."""
    program = tmp_path / "own.py"
    program.write_text(
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "import supple\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Mine(supple.LinearBlend):\n"
        "    command_name: ClassVar[str] = 'mine'\n"
        "supple.SKINS['mine'] = Mine\n"
        "arm = supple.character('arm', vertices=500)\n"
        "bend = supple.motion('bend', arm)\n"
        "skins = [supple.LinearBlend(), Mine()]\n"
        "made = supple.compare(arm, bend, skins, path='a.html', fps=10, seconds=0.2, processes=2)\n"
        "print(list(made.reports))\n"
    )
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "mine" in done.stdout
