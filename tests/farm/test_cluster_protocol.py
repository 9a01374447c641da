"""What a farm says to a cluster and makes of what it hears, with a stand-in for Dask that needs no installing."""

import threading

import pytest
from dask_stand_in import KilledWorker, StandIn

import supple
from supple.cli.main import main
from supple.errors import InputError, UnfinishedError
from supple.farm import farm, running
from supple.farm.dask_cluster import DaskHands

OURS = supple.__version__
LIST = """
farm = { folder = "out", pictures = 0, frames_per_task = 3 }
[[shot]]
name = "a"
character = "tube"
vertices = 500
motion = "bend"
end = 0.2
fps = 24
skin = ["linear", "dual-quaternion"]
"""


@pytest.fixture
def shots(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "LOOK_EVERY", 0.02)
    (tmp_path / "shots.toml").write_text(LIST)
    return tmp_path / "shots.toml"


def farmed(shots, cluster, *, patience=5.0, watch=None):
    with DaskHands(cluster, "tcp://stand-in", patience=patience) as hands:
        return farm(shots, hands=hands, watch=watch)


def test_every_task_is_given_once_and_named_for_the_dashboard(shots):
    cluster = StandIn(one=OURS, two=OURS)
    outcome = farmed(shots, cluster)
    assert outcome.good
    assert outcome.tasks == len(cluster.given) - 2  # bakes that were split are given again, to be joined
    assert {key.split("-")[0] for key in cluster.given} == {"bake", "range", "measure"}
    assert len(set(cluster.given)) == len(cluster.given)
    assert set(cluster.done_by) == {"one", "two"}


def test_a_task_that_loses_its_workers_is_begun_again_and_five_losses_are_its_error(shots):
    cluster, lost = StandIn(one=OURS), []

    def spoil(key):
        if key.startswith("measure") and "linear" in key:
            lost.append(key)
            return KilledWorker(key)
        return None

    cluster.spoil = spoil
    outcome = farmed(shots, cluster)
    assert [shot.good for shot in outcome.shots] == [False, True]
    assert len(lost) == running.MOST_TRIES
    (words,) = outcome.shots[0].errors.values()
    assert "5 workers were lost over it" in words


def test_a_scheduler_that_is_killed_and_returns_with_a_worker_goes_on(shots):
    cluster, killed = StandIn(one=OURS), []

    def back():
        cluster.up = True
        cluster.workers["two"] = OURS
        cluster.work()

    def spoil(key):
        if key.startswith("range") and not killed:
            killed.append(key)
            cluster.stop_scheduler()
            threading.Timer(0.1, back).start()

    cluster.spoil = spoil
    outcome = farmed(shots, cluster)
    assert outcome.good
    assert outcome.begun_again >= 1


@pytest.mark.parametrize("returns", [True, False])
def test_a_farm_without_workers_or_scheduler_says_so_ends_and_goes_on_later(shots, returns):
    cluster, killed, heard = StandIn(one=OURS), [], []

    def spoil(key):
        if key.startswith("measure") and not killed:
            killed.append(key)
            cluster.stop_scheduler()
            cluster.up = returns

    cluster.spoil = spoil
    what = "no worker was there for 0.3 s" if returns else "no scheduler answers there for 0.3 s"
    with pytest.raises(UnfinishedError, match=what) as error:
        farmed(shots, cluster, patience=0.3, watch=heard.append)
    assert "the same command goes on" in str(error.value)
    assert ("no worker is there; one is waited for, 0.3 s" in [news.words for news in heard]) is returns
    again = farmed(shots, StandIn(one=OURS))
    assert again.good
    assert again.found >= 1


def test_a_worker_that_comes_in_time_is_given_the_work(shots):
    cluster = StandIn(one=OURS)
    taken = []

    def spoil(key):
        if not taken:
            taken.append(cluster.workers.pop("one"))
            threading.Timer(0.2, lambda: (cluster.workers.update(two=OURS), cluster.work())).start()

    cluster.spoil = spoil
    assert farmed(shots, cluster, patience=5.0).good


def test_workers_of_another_version_are_given_nothing(shots):
    cluster, heard = StandIn(one="99.0", two=OURS), []
    assert farmed(shots, cluster, watch=heard.append).good
    assert set(cluster.done_by) == {"two"}
    assert any("one has Supple 99.0" in news.words for news in heard)
    with pytest.raises(UnfinishedError, match="all of its workers are refused"):
        farmed(shots, StandIn(one="99.0"))


def test_a_cluster_without_workers_is_refused_at_the_beginning(shots):
    with pytest.raises(UnfinishedError, match=r"the scheduler has no workers after 0\.1 s"):
        farmed(shots, StandIn(), patience=0.1)


def test_patience_is_more_than_nothing(shots, capsys):
    with pytest.raises(InputError, match="--patience: it is 0 s"):
        farm(shots, patience=0.0)
    assert main(["farm", str(shots), "--patience", "-1"]) == 2
    assert "more than 0 is needed" in capsys.readouterr().err
