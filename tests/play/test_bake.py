"""The bake: what it writes, what it survives, and what it refuses."""

import errno
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from soft_skins import Trailing, swinging

import supple
from conftest import make_tube
from supple import DualQuaternion, LinearBlend
from supple.character.fingerprint import fingerprint
from supple.device import use_threads
from supple.errors import InputError, SuppleError, UnfinishedError
from supple.graph import bake as baking
from supple.graph import container
from supple.graph.bake import bake
from supple.graph.cache import Cache, part_of
from supple.skins.base import Skin

SKINS = [DualQuaternion(), Trailing(step=1.0 / 90.0)]
ids = ["stateless", "with history"]


@pytest.fixture(scope="module")
def motion(tube):
    return swinging(tube)


@pytest.fixture
def register_trailing(monkeypatch):
    """Let the test skin be found by name when a cache's recipe is read."""
    monkeypatch.setitem(supple.SKINS, "trailing", Trailing)


@pytest.mark.parametrize("skin", SKINS, ids=ids)
def test_what_is_played_and_what_is_baked_are_the_same_numbers(tube, motion, skin, tmp_path):
    cache = bake(tube, motion, skin, path=tmp_path / "a.supple")
    player = supple.player(tube, skin)
    assert cache.finished
    assert len(cache) == cache.ready == motion.frames
    for at, points in zip(cache.times, cache.points, strict=True):
        assert np.array_equal(player.play(motion, at), points)


@pytest.mark.parametrize("skin", SKINS, ids=ids)
def test_two_bakes_have_the_same_bytes_whatever_the_threads(motion, tube, skin, tmp_path):
    big = make_tube(rings=150, sectors=50)
    clip = swinging(big, 0.5)
    found = []
    for count in (1, 2, 3):
        with use_threads(count):
            bake(big, clip, skin, path=tmp_path / f"{count}.supple")
        found.append((tmp_path / f"{count}.supple").read_bytes())
    assert found[0] == found[1] == found[2]


def test_a_cache_carries_its_mesh_poses_and_recipe(tube, motion, tmp_path):
    marked = tube.replace(parts={"top": np.array([1, 2, 3])}, maps={"flesh": np.linspace(0, 1, len(tube.points))})
    cache = bake(marked, motion, DualQuaternion(), path=tmp_path / "a.supple", fps=30.0, start=0.5, end=1.0)
    again = Cache(tmp_path / "a.supple")
    assert np.array_equal(again.rest, tube.points)
    assert np.array_equal(again.triangles, tube.triangles)
    assert np.array_equal(again.arrays["part top"], [1, 2, 3])
    assert np.array_equal(again.arrays["map flesh"], marked.maps["flesh"])
    assert np.array_equal(again.poses[3], motion.sample(0.5 + 3 / 30.0).world_from_joint)
    assert again.graph == supple.Graph.of(DualQuaternion())
    assert fingerprint(again.character) == fingerprint(marked)
    assert again.info["joints"] == list(tube.skeleton.names)
    assert np.allclose(again.times, 0.5 + np.arange(16) / 30.0)
    assert "16 frames at 30 fps" in repr(cache)
    with pytest.raises(ValueError, match="read-only"):
        again.points[0, 0, 0] = 1.0


def test_every_stage_says_how_long_it_took(tube, motion):
    seen = []
    bake(tube, motion, supple.DeltaMush(iterations=2), end=0.1, watch=seen.append)
    for progress in seen:
        assert set(progress.stages) == {"dual-quaternion", "delta-mush"}
        assert all(seconds > 0.0 for seconds in progress.stages.values())
        assert sum(progress.stages.values()) <= progress.seconds


def test_a_finished_bake_is_not_made_again(tube, motion, tmp_path):
    path = tmp_path / "a.supple"
    bake(tube, motion, LinearBlend(), path=path)
    seen = []
    bake(tube, motion, LinearBlend(), path=path, watch=seen.append)
    assert seen == []


class Killed(BaseException):
    """Stands for a process that ends between two instructions."""


@pytest.mark.parametrize("skin", SKINS, ids=ids)
@pytest.mark.parametrize("at", [0, 1, 31, 32, 33, 64, 119, 120])
def test_an_interrupted_bake_goes_on_to_the_same_bytes(tube, motion, skin, at, tmp_path):
    whole = tmp_path / "whole.supple"
    bake(tube, motion, skin, path=whole)

    def stop(progress):
        if progress.frame == at:
            raise Killed

    path = tmp_path / "cut.supple"
    with pytest.raises(Killed):
        bake(tube, motion, skin, path=path, watch=stop)
    assert not path.exists()
    made = []
    bake(tube, motion, skin, path=path, watch=made.append)
    expected = at + 1 if isinstance(skin, DualQuaternion) else (at + 1) // 32 * 32
    assert [p.frame for p in made] == list(range(expected, motion.frames))
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cut.supple", "whole.supple"]


class Failing(io.FileIO):
    """A disk that takes so many bytes and no more."""

    room: ClassVar[int] = 0

    def write(self, data):
        if Failing.room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = super().write(memoryview(data)[: Failing.room])
        Failing.room -= taken
        return taken


@pytest.mark.parametrize("skin", SKINS, ids=ids)
def test_a_full_disk_is_a_clear_error_and_nothing_is_lost(tube, motion, skin, tmp_path, monkeypatch):
    whole = tmp_path / "whole.supple"
    bake(tube, motion, skin, path=whole)
    _, layout = container.read_layout(whole)
    path = tmp_path / "full.supple"
    rng = np.random.default_rng(1)
    with monkeypatch.context() as patch:
        patch.setattr(baking, "open", lambda p, mode, buffering: Failing(p, mode), raising=False)
        for _ in range(6):
            Failing.room = int(rng.integers(1, layout.count * layout.stride // 7))  # six of these are not enough
            with pytest.raises(UnfinishedError, match=r"disk is full.*goes on from there"):
                bake(tube, motion, skin, path=path)
            assert not path.exists()
            assert part_of(path).exists()
    bake(tube, motion, skin, path=path)
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.slow
@pytest.mark.parametrize("skin", ["stateless", "history"])
def test_random_kills(skin, tmp_path):
    """Twenty-five bakes of each kind, killed with SIGKILL at random moments until one gets through, end with the bytes
    of an undisturbed one."""
    tests = Path(__file__).parents[1]
    command = [sys.executable, str(tests / "scenes" / "killed_bakes.py"), skin, str(tmp_path), "25"]
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=found)
    assert done.returncode == 0, done.stderr
    resumed, equal, kills = (int(word) for word in done.stdout.split())
    assert resumed == equal == 25
    assert kills >= 25
    assert [p.name for p in tmp_path.iterdir()] == ["whole.supple"]


def test_a_reader_sees_frames_while_they_are_written(tube, motion, tmp_path):
    path = tmp_path / "a.supple"
    seen = []

    def look(progress):
        if progress.frame % 10 == 3:
            cache = Cache(path)
            assert not cache.finished
            assert cache.ready == progress.frame + 1
            seen.append(cache.points[progress.frame].copy())

    cache = bake(tube, motion, LinearBlend(), path=path, watch=look)
    assert np.array_equal(seen, cache.points[3::10])


@pytest.mark.parametrize("position", ["header", "rest", "frame", "table", "short", "empty", "magic"])
def test_damage_is_found_and_named(tube, motion, position, tmp_path):
    path = tmp_path / "a.supple"
    bake(tube, motion, LinearBlend(), path=path)
    _, layout = container.read_layout(path)
    data = bytearray(path.read_bytes())
    at = {
        "header": 40,
        "rest": layout.arrays["rest"][2] + 5,
        "frame": layout.frame_at(17) + 100,
        "table": layout.table + 5 * container.ROW,
        "magic": 0,
    }.get(position)
    if at is not None:
        data[at] ^= 0x41
    path.write_bytes(data[: len(data) // 2] if position == "short" else b"" if position == "empty" else data)
    with pytest.raises(InputError) as caught:
        _ = Cache(path).rest
    expected = {
        "header": "header is damaged",
        "rest": "array 'rest' is damaged",
        "frame": "frame 17 is damaged",
        "table": "ends after 5 of",
        "short": "it ends after",
        "empty": "does not start like a cache",
        "magic": "does not start like a cache",
    }[position]
    assert expected in str(caught.value)
    with pytest.raises(InputError):  # and a bake does not take it for a finished one either
        _ = bake(tube, motion, LinearBlend(), path=path).rest


def test_a_damaged_part_is_baked_again_from_the_damage(tube, motion, tmp_path):
    whole, path = tmp_path / "whole.supple", tmp_path / "a.supple"
    bake(tube, motion, LinearBlend(), path=whole)
    data = bytearray(whole.read_bytes())
    _, layout = container.read_layout(whole)
    data[layout.frame_at(40) + 3] ^= 1
    part_of(path).write_bytes(data)
    made = []
    bake(tube, motion, LinearBlend(), path=path, watch=made.append)
    assert made[0].frame == 40
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("unfinished", [False, True])
def test_stale_caches_are_named(tube, motion, tmp_path, unfinished):
    path = tmp_path / "a.supple"
    bake(tube, motion, DualQuaternion(), path=path)
    if unfinished:
        path.rename(part_of(path))
    other = tube.replace(points=tube.points * 1.001)
    for change, word in (
        ((other, motion, DualQuaternion(), {}), "the character"),
        ((tube, motion, LinearBlend(), {}), "the skin or its settings"),
        ((tube, motion, DualQuaternion(), {"fps": 24.0}), "the frame rate"),
        ((tube, motion, DualQuaternion(), {"end": 1.0}), "the number of frames"),
    ):
        *what, options = change
        with pytest.raises(InputError, match=word):
            bake(*what, path=path, **options)
    changed = motion.replace(translations=motion.translations + 0.001)
    with pytest.raises(InputError, match="the motion differs"):
        bake(tube, changed, DualQuaternion(), path=path)
    cache = bake(tube, changed, DualQuaternion(), path=path, overwrite=True)
    assert cache.finished
    assert np.array_equal(cache.points[0], supple.player(tube, DualQuaternion()).play(changed, 0.0))


def test_another_version_is_stale(tube, motion, tmp_path, monkeypatch):
    path = tmp_path / "a.supple"
    bake(tube, motion, LinearBlend(), path=path)
    monkeypatch.setattr(supple, "__version__", "99.0")
    with pytest.raises(InputError, match="the Supple version differs"):
        bake(tube, motion, LinearBlend(), path=path)


@dataclass(frozen=True, kw_only=True)
class Breaking(Skin):
    """Linear blend that gives numbers that are not finite in the second half of the swing."""

    command_name: ClassVar[str] = "breaking"

    def base_skin(self):
        return LinearBlend()

    def bind(self, character, device):
        return None

    def allocate(self, binding):
        return [0]

    def deform(self, binding, state, pose, incoming):
        state[0] += 1
        if state[0] in (3, 7):
            incoming.numpy()[5] = np.nan
        if state[0] == 9:
            raise UnfinishedError("Breaking", "it fell apart", "it should hold", "do not")
        return incoming


def test_no_frame_is_ever_anything_but_finite(tube, motion, tmp_path):
    cache = bake(tube, motion, Breaking(), path=tmp_path / "a.supple", end=0.25)
    assert cache.fell_back == (2, 6, 8)
    assert Cache(tmp_path / "a.supple").fell_back == (2, 6, 8)
    linear = bake(tube, motion, LinearBlend(), path=tmp_path / "b.supple", end=0.25)
    assert np.array_equal(cache.points, linear.points)


def test_a_bake_may_be_told_to_stop_at_a_failure(tube, motion, tmp_path):
    with pytest.raises(UnfinishedError, match="failed in frame 2"):
        bake(tube, motion, Breaking(), path=tmp_path / "a.supple", on_failure="stop")
    assert not (tmp_path / "a.supple").exists()


def test_without_a_path_the_file_goes_with_the_cache(tube, motion):
    cache = bake(tube, motion, LinearBlend(), end=0.1)
    path = cache.path
    assert path.exists()
    del cache
    assert not path.exists()


def test_two_bakes_do_not_write_one_file(tube, motion, tmp_path):
    path = tmp_path / "a.supple"

    def second(progress):
        if progress.frame == 3:
            with pytest.raises(InputError, match="another bake is writing it"):
                bake(tube, motion, LinearBlend(), path=path)

    bake(tube, motion, LinearBlend(), path=path, watch=second)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fps": 0.0}, "rate above zero"),
        ({"fps": float("nan")}, "rate above zero"),
        ({"start": 1.0, "end": 0.5}, "the end comes last"),
        ({"on_failure": "panic"}, "'fall-back' or 'stop'"),
        ({"device": "abacus"}, "'cpu' or 'cuda:N'"),
    ],
)
def test_bad_calls_write_nothing(tube, motion, options, message, tmp_path):
    with pytest.raises(SuppleError, match=message):
        bake(tube, motion, LinearBlend(), path=tmp_path / "a.supple", **options)
    assert list(tmp_path.iterdir()) == []


def test_other_bad_places(tube, bent_tube, motion, tmp_path):
    with pytest.raises(InputError, match="it is a folder"):
        bake(tube, motion, LinearBlend(), path=tmp_path)
    with pytest.raises(InputError, match="lacks bone2"):
        bake(bent_tube, motion, LinearBlend(), path=tmp_path / "a.supple")
    with pytest.raises(InputError, match="no such file"):
        Cache(tmp_path / "none.supple")
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_restores_a_player(tube, motion, register_trailing):
    skin = Trailing(step=1.0 / 100.0)
    one, other = supple.player(tube, skin), supple.player(tube, skin)
    for frame in range(20):
        one.play(motion, frame / 60.0)
    other.restore(one.snapshot())
    for frame in range(20, 40):
        assert np.array_equal(one.play(motion, frame / 60.0), other.play(motion, frame / 60.0))


def test_a_bake_that_is_done_leaves_no_checkpoint_though_it_was_killed_at_its_very_end(tmp_path):
    tube = supple.character("tube", vertices=500)
    made = {"path": tmp_path / "tube.supple", "fps": 20.0}
    motion = supple.motion("bend", tube, seconds=0.2)
    whole = bake(tube, motion, supple.SpringDynamics(), **made)
    for name in ("tube.supple.checkpoint.npz", "tube.supple.checkpoint.npz.part"):
        (tmp_path / name).write_bytes(b"left behind")
    again = bake(tube, motion, supple.SpringDynamics(), **made)
    np.testing.assert_array_equal(again.points, whole.points)
    assert [path.name for path in tmp_path.iterdir()] == ["tube.supple"]


def test_nothing_is_pickled():
    """No module of Supple imports pickle or asks NumPy for it, but for pipes to processes that it started itself."""
    pipes = {("report", "crew.py"), ("report", "crew_process.py"), ("farm", "hands.py")}
    for path in Path(supple.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import pickle" not in text or (path.parent.name, path.name) in pipes
        assert "allow_pickle=True" not in text


def test_a_skin_that_holds_more_than_settings_is_measured_and_saved(tmp_path):
    """Bodies are told apart by their digest; the bake itself is a bake like any other."""
    arm = supple.character("arm", vertices=500)
    ball = supple.obstacles.Sphere(radius=0.05, at=(0.3, 0.0, 0.0))
    skin = supple.PositionBased(tetrahedra=400, bodies=(ball,))
    cache = bake(arm, supple.motion("bend", arm, seconds=0.2), skin, path=tmp_path / "arm.supple", fps=20.0)
    assert cache.graph.stages[-1].work.tetrahedra == 400
    assert np.isfinite(supple.measure(arm, cache).volume_ratio).all()
    cache.save(tmp_path / "arm.glb")
    assert (tmp_path / "arm.glb").stat().st_size > 1000
