"""A program that reads in a process of its own: whose fault it is when nothing comes back."""

import sys

import pytest

from supple.errors import UnfinishedError
from supple.io import sandbox, subprocess_reader

BEGIN = "import sys, pathlib\nfrom supple.io.subprocess_reader import begin\nbegin(pathlib.Path(sys.argv[1]))\n"


@pytest.fixture
def run(tmp_path):
    def run(code):
        answer = tmp_path / "answer.npz"
        return subprocess_reader.run(("-c", code, str(answer)), answer, where="a.fbx", size=100)

    return run


def test_time_is_counted_from_the_moment_the_libraries_are_there(run, monkeypatch):
    monkeypatch.setattr(sandbox, "wall_seconds_for", lambda size: 0.5)
    assert run("import time\ntime.sleep(1.0)\n" + BEGIN).code == 0
    assert run(BEGIN + "import time\ntime.sleep(60.0)").code is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nowhere_to_be_found", "exit 1: ModuleNotFoundError.*nowhere_to_be_found"),
        ("import os; os._exit(0)", "exit 0: it said nothing"),
        ("import time; time.sleep(60)", "still loading after 0 s"),
    ],
)
def test_a_program_that_never_began_does_not_speak_against_the_file(run, monkeypatch, code, said):
    if "sleep" in code:
        monkeypatch.setattr(subprocess_reader, "LOADING", 0.3)
    with pytest.raises(UnfinishedError, match=f"could not start.*{said}.*the file itself was not looked at"):
        run(code)


def test_a_machine_without_room_for_a_process_does_not_speak_against_the_file(run, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/to/be/found")
    with pytest.raises(UnfinishedError, match=r"could not start \(No such file.*the file itself was not looked at"):
        run(BEGIN)


def test_last_words_are_kept_and_only_the_last(run):
    ending = run(BEGIN + "sys.stderr.write('x' * 10**6 + '\\nalas\\n')\nraise SystemExit(7)")
    assert (ending.code, ending.last) == (7, "alas")
    assert len(ending.words) < 10**5


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_crash_is_its_signal(run):
    assert run(BEGIN + "import os; os.abort()").code == -6
