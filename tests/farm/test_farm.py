"""A farm on the cores of this machine: what it makes, what it finds, and what it survives."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path
from xml.etree import ElementTree

import pytest

import supple
from supple.cli.main import main
from supple.errors import UnfinishedError
from supple.farm import farm, junit, load_shots
from supple.farm import hands as hands_room
from supple.farm.hands import Alone, LostError
from supple.farm.work import do
from supple.graph.cache import Cache, part_of

LIST = """
[farm]
folder = "out"
frames_per_task = 5
pictures = 0

[defaults]
character = "tube"
vertices = 500
fps = 24

[[shot]]
name = "plain"
motion = "bend"
end = 0.5
skin = "dual-quaternion"
outputs = ["npz"]

[[shot]]
name = "soft"
motion = "twist"
end = 0.25
skin = "spring-dynamics"
bounds = { least-volume = { low = 0.2 } }
"""


@pytest.fixture
def shots(tmp_path):
    (tmp_path / "shots.toml").write_text(LIST)
    return tmp_path / "shots.toml"


def cli_bake(path, *words):
    assert main(["bake", "tube", "--vertices", "500", "--fps", "24", *words, "-o", str(path)]) == 0


def expect_bytes_of_bake(folder, tmp_path):
    cli_bake(tmp_path / "a.supple", "--motion", "bend", "--end", "0.5", "--skin", "dual-quaternion")
    cli_bake(tmp_path / "b.supple", "--motion", "twist", "--end", "0.25", "--skin", "spring-dynamics")
    assert (folder / "plain" / "plain.supple").read_bytes() == (tmp_path / "a.supple").read_bytes()
    assert (folder / "soft" / "soft.supple").read_bytes() == (tmp_path / "b.supple").read_bytes()


def test_bakes_have_the_bytes_of_supple_bake_and_are_not_made_twice(shots, tmp_path):
    heard = []
    outcome = farm(shots, hands=Alone(), watch=heard.append)
    assert outcome.good, [shot.errors or shot.crossed for shot in outcome.shots]
    out = tmp_path / "out"
    expect_bytes_of_bake(out, tmp_path)
    ranges = [news.task for news in heard if news.task.startswith("range")]
    assert ranges == ["range plain 0", "range plain 4", "range plain 9"]  # the soft one is in one piece
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert [name for name in names if "records" not in name] == [
        "farm.json", "index.html", "plain/measures.json", "plain/plain.npz", "plain/plain.supple", "soft/measures.json",
        "soft/soft.supple",
    ]  # fmt: skip
    record = json.loads((out / "soft" / "records" / "bake.json").read_text())
    assert record["made_on"] == supple.machine.kind()
    kept = {path: path.stat().st_mtime_ns for path in out.rglob("*.supple")}
    again = farm(shots, hands=Alone())
    assert again.found == again.tasks == 5
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.supple")} == kept


def test_ranges_that_were_joined_and_left_are_taken_away(shots, tmp_path):
    """Whoever joins them may be stopped before he removes them, and before or after he says that he is done."""
    farm(shots, hands=Alone())
    folder = tmp_path / "out" / "plain"
    for recorded in (True, False):
        (folder / "plain.from-4.supple").write_bytes(b"left")
        if not recorded:
            (folder / "records" / "bake.json").unlink()
        assert farm(shots, hands=Alone()).good
        assert sorted(path.name for path in folder.glob("*.supple")) == ["plain.supple"]


def test_what_follows_is_made_again_where_it_is_gone_cut_or_of_another_bake(shots, tmp_path):
    farm(shots, hands=Alone())
    out = tmp_path / "out"
    whole = (out / "plain" / "plain.npz").read_bytes()
    (out / "plain" / "plain.npz").write_bytes(whole[:-1])
    (out / "soft" / "measures.json").unlink()
    again = farm(shots, hands=Alone())
    assert again.tasks - again.found == 2
    assert (out / "plain" / "plain.npz").read_bytes() == whole
    shots.write_text(LIST.replace("dual-quaternion", "linear"))
    refused = farm(shots, hands=Alone())
    (error,) = refused.shots[0].errors.values()
    assert "the skin or its settings differs" in error
    assert "--overwrite" in error
    replaced = farm(shots, hands=Alone(), overwrite=True)
    assert replaced.good
    assert Cache(out / "plain" / "plain.supple").graph.stages[-1].name == "linear"
    assert (out / "plain" / "plain.npz").read_bytes() != whole


def test_a_shot_that_fails_is_in_the_table_and_the_others_go_on(shots, tmp_path, capsys):
    shots.write_text(LIST.replace('motion = "bend"', 'motion = "fly"').replace("0.2 }", "2.0 }"))
    assert main(["farm", str(shots), "--workers", "1", "--junit", str(tmp_path / "j.xml"), "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert [shot["state"] for shot in said["shots"]] == ["failed", "outside its bounds"]
    assert list(said["shots"][0]["errors"]) == ["bake plain"]
    assert "'fly' is no built-in motion" in said["shots"][0]["errors"]["bake plain"]
    assert "at least 2 is asked for" in said["shots"][1]["crossed"][0]
    suites = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("3", "1", "1")
    page = (tmp_path / "out" / "index.html").read_text()
    assert "Look at these" in page
    assert "&#x27;fly&#x27; is no built-in motion" in page


def test_a_worker_that_is_killed_is_replaced_and_the_bytes_are_the_same(shots, tmp_path):
    """Whoever is at work is killed again and again, at any moment, until three have been."""
    killed = []
    with hands_room.hands_of(None, workers=1) as hands:

        def watch(news):
            if len(killed) < 3 and news.state != "failed":
                time.sleep(0.02 * len(killed))
                for process in list(hands.processes):
                    os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)

        outcome = farm(shots, hands=hands, watch=watch)
    assert outcome.good, [shot.errors for shot in outcome.shots]
    assert len(set(killed)) >= 3
    assert outcome.begun_again >= 1
    expect_bytes_of_bake(tmp_path / "out", tmp_path)


def test_the_client_may_be_killed_and_called_again(shots, tmp_path):
    command = [sys.executable, "-c", "from supple.cli.main import main; main()", "farm", str(shots), "--workers", "1"]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60.0
    while not list((tmp_path).rglob("*.supple*")) and time.monotonic() < until:
        time.sleep(0.02)
    first.kill()
    first.wait()
    outcome = farm(shots, hands=Alone())
    assert outcome.good, [shot.errors or shot.crossed for shot in outcome.shots]
    expect_bytes_of_bake(tmp_path / "out", tmp_path)
    assert list((tmp_path / "out").rglob("*.part")) == []


class Unlucky(Alone):
    """Workers are lost over one task."""

    def __init__(self, times):
        super().__init__()
        self.left = times

    def begin(self, name, order, heard):
        if name == "bake soft" and self.left > 0:
            self.left -= 1
            future = Future()
            future.set_exception(LostError("it was unplugged"))
            heard(future)
            return
        super().begin(name, order, heard)


def test_a_task_is_begun_again_and_given_up_when_it_kills_every_worker(shots):
    outcome = farm(shots, hands=Unlucky(4))
    assert outcome.good, [shot.errors or shot.crossed for shot in outcome.shots]
    assert outcome.begun_again == 4


def test_a_task_that_no_worker_survives_is_an_error_of_its_shot(shots):
    outcome = farm(shots, hands=Unlucky(5))
    assert [shot.good for shot in outcome.shots] == [True, False]
    assert "5 workers were lost over it (it was unplugged)" in outcome.shots[1].errors["bake soft"]


def test_a_full_disk_is_in_the_table_and_the_next_call_goes_on(shots, tmp_path, monkeypatch):
    from supple.graph import container

    write, left = container.write_frame, [3]

    def full(*given, **options):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(container, "write_frame", full)
        outcome = farm(shots, hands=Alone())
    assert not outcome.good
    assert all("disk is full" in next(iter(shot.errors.values())) for shot in outcome.shots)
    assert not (tmp_path / "out" / "plain" / "plain.supple").exists()
    assert farm(shots, hands=Alone()).good
    expect_bytes_of_bake(tmp_path / "out", tmp_path)


def test_somebody_else_who_bakes_is_waited_for(shots, tmp_path, monkeypatch):
    from supple.farm import work
    from supple.graph.bake import held

    path = tmp_path / "out" / "soft" / "soft.supple"
    path.parent.mkdir(parents=True)
    monkeypatch.setattr(work, "PATIENCE", 0.1)
    with held(part_of(path)):
        outcome = farm(shots, hands=Alone())
    assert "another bake is writing it" in outcome.shots[1].errors["bake soft"]
    assert farm(shots, hands=Alone()).good


def test_an_order_of_another_version_is_refused_in_words(shots, monkeypatch):
    answer = json.loads(do(json.dumps({"version": "99.0", "task": "of a kind that is not known here"})))
    assert answer["state"] == "refused"
    assert f"has Supple {supple.__version__} and the farm is run by 99.0" in answer["words"]
    monkeypatch.setattr("supple.farm.running.supple.__version__", "99.0")
    with hands_room.hands_of(None, workers=1) as hands, pytest.raises(UnfinishedError, match="another Supple"):
        farm(shots, hands=hands)


def test_the_command_checks_a_list_and_takes_some_of_it(shots, tmp_path, capsys):
    assert main(["farm", str(shots), "--check"]) == 0
    assert "2 shots" in capsys.readouterr().out
    assert main(["farm", str(shots), "--check", "--only", "soft"]) == 0
    assert "plain" not in capsys.readouterr().out
    assert main(["farm", str(shots), "--only", "loud"]) == 2
    assert "there is no 'loud'" in capsys.readouterr().err
    assert main(["farm", str(shots), "--workers", "0"]) == 2
    assert not (tmp_path / "out").exists()


def test_pictures_films_and_comparisons_follow(shots, tmp_path):
    pytest.importorskip("pyvista", reason="pictures need the render extra")
    text = LIST.replace("pictures = 0", "pictures = 2").replace('["npz"]', '["jpg", "webp"]')
    text = text.replace('"dual-quaternion"', '["linear", "dual-quaternion"]\ncompare = true').replace("0.5", "0.1")
    shots.write_text(text)
    outcome = farm(load_shots(shots), hands=Alone())
    assert outcome.good, [shot.errors for shot in outcome.shots]
    out = tmp_path / "out"
    assert (out / "plain-linear" / "plain-linear.webp").stat().st_size > 1000
    assert (out / "plain-linear" / "plain-linear.jpg").stat().st_size > 1000
    assert "plain-dual-quaternion" in (out / "plain-linear" / "compare.html").read_text()
    assert (out / "index.html").read_text().count("data:image/jpeg") == 3
    assert ElementTree.fromstring(junit(outcome)).get("failures") == "0"
    assert Path(out / "farm.json").exists()
