"""A farm whose files lie in an object store: a server of S3 on this machine (moto), reached as any other would be."""

import json
import threading

import pytest

import supple
from supple.farm import farm
from supple.farm.hands import hands_of
from supple.farm.places import Store
from supple.io import save

LIST = """
farm = { folder = "s3://show/out", pictures = 0, frames_per_task = 5 }
[[shot]]
name = "a"
character = "s3://show/in/tube.glb"
motion = "bend"
end = 0.5
fps = 24
skin = ["linear", "spring-dynamics"]
outputs = ["npz"]
"""


@pytest.fixture(scope="module")
def server():
    server_room = pytest.importorskip("moto.server", reason="moto is not installed: make farm-tests")
    pytest.importorskip("s3fs", reason="s3fs is not installed: make farm-tests")
    server = server_room.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield f"http://127.0.0.1:{server._server.server_port}"
    server.stop()


@pytest.fixture
def bucket(server, tmp_path, monkeypatch):
    """A bucket with a character in it, as the environment of every worker names it."""
    import fsspec
    import s3fs

    for name, value in {
        "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    system = fsspec.filesystem("s3")
    if system.exists("show"):
        system.rm("show", recursive=True)
    system.mkdir("show")
    save(supple.character("tube", vertices=500), tmp_path / "tube.glb")
    system.put_file(str(tmp_path / "tube.glb"), "show/in/tube.glb")
    (tmp_path / "shots.toml").write_text(LIST)
    return system


def expected(tmp_path, skin):
    loaded, path = supple.load(tmp_path / "tube.glb"), tmp_path / "own.supple"
    supple.bake(loaded, supple.motion("bend", loaded), skin, path=path, fps=24.0, end=0.5, overwrite=True)
    return path.read_bytes()


def test_processes_bake_from_a_store_to_it_and_find_it_again(bucket, tmp_path):
    outcome = farm(tmp_path / "shots.toml", workers=2)
    assert outcome.good, [shot.errors for shot in outcome.shots]
    assert bucket.cat("show/out/a-linear/a-linear.supple") == expected(tmp_path, supple.LinearBlend())
    soft = bucket.cat("show/out/a-spring-dynamics/a-spring-dynamics.supple")
    assert soft == expected(tmp_path, supple.SpringDynamics())
    names = {name.removeprefix("show/out/") for name in bucket.find("show/out") if "records" not in name}
    assert names == {
        "farm.json", "index.html",
        *(f"a-{skin}/{file}" for skin in ("linear", "spring-dynamics")
          for file in (f"a-{skin}.supple", f"a-{skin}.npz", "measures.json")),
    }  # fmt: skip
    assert json.loads(bucket.cat("show/out/farm.json"))["good"]
    again = farm(tmp_path / "shots.toml", workers=1)
    assert again.found == again.tasks
    bucket.rm("show/out/a-linear/measures.json")
    third = farm(tmp_path / "shots.toml", workers=1)
    assert third.tasks - third.found == 1


def test_workers_killed_on_the_way_leave_nothing_half_written(bucket, tmp_path):
    seen, stop = [], threading.Event()
    whole = {
        "a-linear": expected(tmp_path, supple.LinearBlend()),
        "a-spring-dynamics": expected(tmp_path, supple.SpringDynamics()),
    }

    def look():
        """What anybody sees who reads while it is written."""
        bucket_of_own = bucket.__class__(skip_instance_cache=True)
        while not stop.wait(0.05):
            for name, data in whole.items():
                bucket_of_own.invalidate_cache()
                path = f"show/out/{name}/{name}.supple"
                if bucket_of_own.exists(path):
                    seen.append(bucket_of_own.cat(path) == data)

    watcher = threading.Thread(target=look)
    watcher.start()
    killed = []
    with hands_of(None, workers=1) as hands:

        def watch(news):
            if len(killed) < 2 and news.state == "done":
                for process in list(hands.processes):
                    process.kill()
                    killed.append(process.pid)

        outcome = farm(tmp_path / "shots.toml", hands=hands, watch=watch)
    stop.set()
    watcher.join()
    assert outcome.good, [shot.errors for shot in outcome.shots]
    assert len(killed) == 2
    assert seen
    assert all(seen)
    for name, data in whole.items():
        assert bucket.cat(f"show/out/{name}/{name}.supple") == data


def test_what_another_machine_put_there_is_seen(bucket):
    one, other = Store("s3://show/out"), Store("s3://show/out")
    other._system = bucket.__class__(skip_instance_cache=True)  # of another process
    assert one.size("a.txt") is None
    with other.writing("b.txt") as here:
        here.write_text("one")
    one._system.ls("show/out")  # a listing that is kept
    with other.writing("a.txt") as here:
        here.write_text("four")
    assert one.size("a.txt") == 4
    other.remove("a.txt")
    assert one.size("a.txt") is None
