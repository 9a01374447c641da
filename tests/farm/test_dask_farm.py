"""A farm on Dask: the same bytes, whoever is killed, and workers of another version refused."""

import os
import signal
import subprocess
import sys
import time

import pytest

import supple
from supple.errors import InputError, UnfinishedError
from supple.farm import farm, load_shots
from supple.farm.hands import hands_of

LIST = """
[farm]
folder = "out"
frames_per_task = 5
pictures = 0

[[shot]]
name = "a"
character = "tube"
vertices = 500
motion = ["bend", "twist"]
end = 0.5
fps = 24
skin = ["linear", "spring-dynamics"]
"""


@pytest.fixture
def distributed():
    return pytest.importorskip("distributed", reason="Dask is not installed: pip install 'supple[farm]'")


@pytest.fixture
def shots(tmp_path):
    (tmp_path / "shots.toml").write_text(LIST)
    return tmp_path / "shots.toml"


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*.supple")}


@pytest.fixture
def expected(tmp_path):
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "shots.toml").write_text(LIST)
    with hands_of(None, workers=1) as hands:
        assert farm(tmp_path / "alone" / "shots.toml", hands=hands).good
    return bytes_of(tmp_path / "alone" / "out")


def test_without_dask_it_says_how_to_get_it(shots, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnfinishedError, match=r"pip install 'supple\[farm\]'"):
        farm(shots, cluster="local")


def test_what_is_no_cluster_is_refused(shots, distributed):
    with pytest.raises(InputError, match="tcp://host:8786"):
        farm(shots, cluster="elsewhere")
    with pytest.raises(InputError, match="that cluster has its own"):
        farm(shots, cluster="tcp://127.0.0.1:1", workers=2)


def test_workers_of_a_local_cluster_are_killed_and_the_bytes_are_the_same(shots, expected, tmp_path, distributed):
    killed = []
    with hands_of("local", workers=2) as hands:

        def watch(news):
            nanny = hands.cluster.workers[len(killed) % 2]
            if len(killed) < 3 and news.state in ("done", "found") and nanny.pid is not None:
                os.kill(nanny.pid, signal.SIGKILL)
                killed.append(nanny.pid)

        outcome = farm(shots, hands=hands, watch=watch)
    assert outcome.good, [shot.errors for shot in outcome.shots]
    assert len(killed) == 3
    assert bytes_of(tmp_path / "out") == expected
    assert list((tmp_path / "out").rglob("*.part")) == []


def test_the_scheduler_may_be_killed_and_started_again(shots, expected, tmp_path, distributed):
    address = "tcp://127.0.0.1:38786"
    environment = {**os.environ, "SUPPLE_THREADS": "1", "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1 minute"}

    def start(*words):
        command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    scheduler = ("dask_scheduler", "--host", "127.0.0.1", "--port", "38786", "--no-dashboard")
    running = [start(*scheduler)]
    worker = ("dask_worker", address, "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path / "w"))
    running.append(start(*worker))
    try:
        with hands_of(address) as hands:
            restarted = []

            def watch(news):
                if not restarted and news.state == "done":
                    running[0].kill()
                    running[0].wait()
                    restarted.append(True)
                    time.sleep(0.5)
                    running[0] = start(*scheduler)
                    running[1].kill()  # a worker ends when its scheduler is gone; whoever started it starts another
                    running[1].wait()
                    running[1] = start(*worker)

            outcome = farm(shots, hands=hands, watch=watch)
        assert outcome.good, [shot.errors for shot in outcome.shots]
        assert restarted
        assert bytes_of(tmp_path / "out") == expected
    finally:
        for process in running:
            process.terminate()
            process.wait(timeout=20)


def test_workers_of_another_version_are_given_nothing(shots, distributed, monkeypatch):
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as made:
        monkeypatch.setattr(supple, "__version__", "99.0")
        with pytest.raises(UnfinishedError, match=r"has Supple 0.1.0, and 99.0 is needed"):
            farm(load_shots(shots), cluster=made.scheduler_address)
