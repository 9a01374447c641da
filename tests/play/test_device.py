"""Devices and threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

import supple
from supple import device
from supple.device import Launch, check_device, threads, use_threads, warp
from supple.errors import DeviceError, InputError


def has_cuda() -> bool:
    return bool(warp().is_cuda_available())


def test_the_cpu_is_always_there():
    assert check_device("cpu") == "cpu"


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "cuda:-1", "", "cpu:0"])
def test_strange_devices_are_refused(name):
    with pytest.raises(DeviceError, match="'cpu' or 'cuda:N'"):
        check_device(name)


def test_a_gpu_that_is_not_there_is_a_sentence(tube):
    missing = "cuda:63" if has_cuda() else "cuda:0"
    with pytest.raises(DeviceError, match="use device='cpu'"):
        supple.player(tube, supple.LinearBlend(), device=missing)


@pytest.mark.cuda
@pytest.mark.parametrize("skin", [s() for s in supple.SKINS.values()], ids=lambda s: s.command_name)
def test_cuda_gives_the_cpus_answer(skin, bent_tube):
    """By the same way of solving: a GPU sweeps where the processor has a factored matrix."""
    if isinstance(skin, supple.SpringRig):
        skin = supple.SpringRig(solver="sweeps")
    rotation = {f"bone{b}": (0.0, np.sin(0.1), np.sin(0.2), 1.0) for b in range(1, 6)}
    pose = supple.Pose.from_rotations(bent_tube.skeleton, rotation)
    on_cpu = supple.player(bent_tube, skin, device="cpu").advance(pose)
    on_gpu = supple.player(bent_tube, skin, device="cuda:0").advance(pose)
    assert np.abs(on_cpu - on_gpu).max() < 1e-5


def test_threads_come_from_the_environment_or_the_block(monkeypatch):
    monkeypatch.setenv("SUPPLE_THREADS", "3")
    assert threads() == 3
    with use_threads(7):
        assert threads() == 7
    assert threads() == 3
    monkeypatch.setenv("SUPPLE_THREADS", "none")
    assert threads() >= 1
    with pytest.raises(InputError, match="at least one"), use_threads(0):
        pass


@pytest.mark.parametrize("count", [0, 1, 2047, 4096, 100_003])
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_ranges_cover_every_item_once(count, workers):
    ranges = device._ranges(count, workers)
    covered = np.zeros(count, dtype=int)
    for start, stop in ranges:
        covered[start:stop] += 1
    assert (covered == 1).all()
    assert len(ranges) <= workers


def test_a_launch_reaches_every_item():
    from supple.graph import kernels

    wp = warp()
    one, other = (wp.array(np.full((10_001, 3), value), dtype=wp.vec3f, device="cpu") for value in (0.0, 1.0))
    result = wp.zeros(10_001, dtype=wp.vec3f, device="cpu")
    alpha = wp.array([0.25], dtype=wp.float32, device="cpu")
    with use_threads(4):
        Launch(kernels.interpolate, 10_001, [one, other, alpha, result], "cpu")()
    assert (result.numpy() == 0.25).all()


def test_starting_up_prints_nothing():
    """Neither Warp's greeting nor its warning about a missing driver reaches the user's screen."""
    code = (
        "import numpy as np, supple; "
        "supple.linear_blend(np.zeros((1, 3)), supple.Weights([[0]], [[1.0]]), np.eye(4)[None])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=True, timeout=120
    )
    assert done.stdout == ""
    assert done.stderr == ""


def test_kernels_are_compiled_once_and_kept(tmp_path):
    """The second process finds the first one's kernels."""
    code = (
        f"import warp as wp; wp.config.kernel_cache_dir = {str(tmp_path)!r}\n"
        "import numpy as np, supple\n"
        "supple.linear_blend(np.zeros((1, 3)), supple.Weights([[0]], [[1.0]]), np.eye(4)[None])"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=120)
        found = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.o")}
        assert found
        if _ == 0:
            before = found
    assert found == before


def test_launches_from_several_threads_do_not_mix():
    """Whoever finds the crew busy works alone, and every result is whole."""
    from concurrent.futures import ThreadPoolExecutor

    from supple.graph import kernels

    wp = warp()

    def blended(value):
        count = 20_001
        one, other = (wp.array(np.full((count, 3), v), dtype=wp.vec3f, device="cpu") for v in (0.0, value))
        result = wp.zeros(count, dtype=wp.vec3f, device="cpu")
        alpha = wp.array([0.5], dtype=wp.float32, device="cpu")
        launch = Launch(kernels.interpolate, count, [one, other, alpha, result], "cpu")
        for _ in range(20):
            result.zero_()
            launch()
            if not (result.numpy() == 0.5 * value).all():
                return False
        return True

    with use_threads(3), ThreadPoolExecutor(4) as pool:
        assert all(pool.map(blended, [1.0, 2.0, 4.0, 8.0]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_makes_its_own_threads():
    code = (
        "import os, sys, numpy as np, supple\n"
        "from supple.device import use_threads\n"
        "points, weights = np.zeros((9000, 3)), supple.Weights(np.zeros((9000, 1), int), np.ones((9000, 1)))\n"
        "with use_threads(2):\n"
        "    supple.linear_blend(points, weights, np.eye(4)[None])\n"
        "    child = os.fork()\n"
        "    supple.linear_blend(points, weights, np.eye(4)[None])\n"
        "    if child == 0: os._exit(0)\n"
        "    sys.exit(os.waitpid(child, 0)[1])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
