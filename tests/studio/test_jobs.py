"""Jobs beside what plays: the bytes of the command line, ended without a trace, gone on with, refused in words."""

import json
import os
import time
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from supple.cli.main import main
from supple.document import CharacterSource, Document, save_document
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.engine import Engine
from supple.studio.files.library import Library
from supple.studio.jobs.jobs import MOST, Jobs
from supple.studio.server.app import application
from supple.studio.session import Session

ENDED = ("done", "cancelled", "failed")


def arm(skin="linear"):
    return Document(CharacterSource("arm", 600), "bend", (Graph.of(skin_named(skin)),))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def jobs(tmp_path):
    (tmp_path / "folder").mkdir()
    made = Jobs(tmp_path / "folder", lambda: None)
    yield made
    made.close()


def until(true, seconds=240.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def by_hand(document, path):
    save_document(document, path.with_name("hand.supple.json"))
    assert main(["bake", "--document", str(path.with_name("hand.supple.json")), "-o", str(path)]) == 0
    return path.read_bytes()


def test_a_bake_has_the_bytes_of_the_command_line(jobs, tmp_path):
    job = jobs.start("bake", ".glb", arm(), 1, "arm")
    until(lambda: job.state in ENDED)
    assert (job.state, job.words) == ("done", job.words)
    assert (job.what, job.done, job.total) == ("frames", 121, 121)
    assert jobs.result(job.number) == tmp_path / "folder" / "arm.glb"
    assert jobs.result(job.number).read_bytes() == by_hand(arm(), tmp_path / "hand.glb")
    assert os.listdir(tmp_path / "folder") == ["arm.glb"]
    jobs.forget(job.number)
    assert os.listdir(tmp_path / "folder") == ["arm.glb"]
    assert jobs.result(job.number) is None


def test_a_job_that_is_ended_leaves_nothing_and_goes_on(jobs, tmp_path):
    document = arm("position-based")
    job = jobs.start("bake", ".glb", document, 1, "arm")
    until(lambda: job.done > 40 or job.state in ENDED)
    group = job._process.pid
    jobs.cancel(job.number)
    until(lambda: job.state in ENDED)
    assert job.state == "cancelled"
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)
    assert os.listdir(tmp_path / "folder") == []
    assert jobs.result(job.number) is None
    jobs.resume(job.number)
    until(lambda: job.state in ENDED)
    assert job.state == "done"
    said = json.loads((job._work / "said.json").read_text())
    assert 0 < said["frames_made_now"] < said["frames"] == 121
    assert jobs.result(job.number).read_bytes() == by_hand(document, tmp_path / "hand.glb")


def test_jobs_wait_for_each_other_and_can_be_taken_back(jobs):
    first, second = (jobs.start("bake", ".npz", arm(), 1, "arm") for _ in range(2))
    jobs.cancel(second.number)
    until(lambda: second.state == "cancelled")
    with pytest.raises(InputError, match="cancel it first"):
        jobs.forget(first.number)
    with pytest.raises(InputError, match="one that was ended"):
        jobs.resume(first.number)
    until(lambda: first.state in ENDED)
    assert first.state == "done"
    jobs.forget(second.number)
    assert [job.number for job in jobs.all] == [first.number]


def test_why_a_job_failed_is_said_in_words(jobs, tmp_path):
    gone = replace(arm(), motion="nothing")
    job = jobs.start("bake", ".glb", gone, 1, "arm")
    until(lambda: job.state in ENDED)
    assert job.state == "failed"
    assert "'nothing' is no built-in motion" in job.words
    assert os.listdir(tmp_path / "folder") == []


def test_a_name_that_is_taken_gets_a_number(jobs, tmp_path):
    (tmp_path / "folder" / "arm.npz").write_bytes(b"mine")
    job = jobs.start("bake", ".npz", arm(), 1, "arm")
    until(lambda: job.state in ENDED)
    assert jobs.result(job.number).name == "arm 2.npz"
    assert (tmp_path / "folder" / "arm.npz").read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("paint", ".glb", 1), "there are bake"),
        (("bake", ".exe", 1), "it makes .glb"),
        (("bake", "/../x", 1), "it makes .glb"),
        (("film", ".glb", 1), "it makes .mp4"),
        (("bake", ".glb", 2), "there are 1"),
        (("bake", ".glb", 0), "there are 1"),
    ],
)
def test_other_jobs_are_refused(jobs, words, said):
    kind, suffix, skin = words
    with pytest.raises(InputError, match=said):
        jobs.start(kind, suffix, arm(), skin, "arm")
    assert jobs.all == []


def test_jobs_that_are_not_there_are_refused(jobs):
    for ask in (jobs.cancel, jobs.resume, jobs.forget):
        with pytest.raises(InputError, match="there are none"):
            ask(7)


def test_only_so_many_may_wait(jobs, monkeypatch):
    monkeypatch.setattr(jobs, "_wake", lambda: None)
    for _ in range(MOST):
        jobs.start("bake", ".glb", arm(), 1, "arm")
    with pytest.raises(InputError, match="jobs wait"):
        jobs.start("bake", ".glb", arm(), 1, "arm")
    jobs.all[3].cancel()
    jobs.start("bake", ".glb", arm(), 1, "arm")
    assert len(jobs.all) == MOST


def test_names_of_results_come_from_the_engine(tmp_path):
    session = Session(arm(), print, Library(tmp_path))
    try:
        session.jobs._wake = lambda: None
        perform(session, say.StartJob(1, "bake", ".glb"))
        perform(session, say.StartJob(2, "compare", ".html"))
        session.keeper.save_as("my arm (2)")
        perform(session, say.StartJob(3, "film", ".mp4"))
        assert [job.name for job in session.jobs.all] == ["arm-linear.glb", "arm.html", "my-arm-2-linear.mp4"]
        with pytest.raises(InputError, match="view 2"):
            perform(session, say.StartJob(4, "bake", ".glb", 2))
    finally:
        session.close()


def test_results_are_fetched_by_number(tmp_path):
    engine = Engine(arm())
    client = TestClient(application(engine))
    assert client.get("/result/1").status_code == 404
    assert client.get("/result/../../etc/passwd").status_code == 404
    engine.start()
    engine.tell(say.StartJob(1, "bake", ".npz"))
    until(lambda: engine.result(1) is not None)
    answer = client.get("/result/1")
    assert answer.content == by_hand(arm(), tmp_path / "hand.npz")
    assert 'filename="arm-linear.npz"' in answer.headers["content-disposition"]
    made = engine.result(1)
    engine.stop()
    assert not made.exists()
