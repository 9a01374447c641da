"""Launches on the CPU that keep their arguments, and the host's side of arrays."""

import gc
from types import SimpleNamespace

import numpy as np
import pytest

from supple import device
from supple.device import Chain, HostSide, Launch, check_device, to_host, use_threads, warp, write

COUNT = 5_003


DEVICES = ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)]


class Blending:
    """Points between two shapes, by Warp and by NumPy."""

    def __init__(self, seed=0, count=COUNT):
        wp, rng = warp(), np.random.default_rng(seed)
        self.one, self.other = (wp.array(rng.normal(size=(count, 3)), dtype=wp.vec3f, device="cpu") for _ in range(2))
        self.alpha = wp.array([0.25], dtype=wp.float32, device="cpu")
        self.result = wp.zeros(count, dtype=wp.vec3f, device="cpu")
        self.inputs = [self.one, self.other, self.alpha, self.result]

    def launch(self):
        from supple.graph import kernels

        return Launch(kernels.interpolate, len(self.result), self.inputs, "cpu", smallest=1000)

    def expected(self):
        alpha = self.alpha.numpy()[0]
        return (1.0 - alpha) * self.one.numpy() + alpha * self.other.numpy()

    def is_right(self):
        return np.allclose(self.result.numpy(), self.expected(), rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 3])
def test_contents_may_change_between_launches(threads):
    blending = Blending()
    with use_threads(threads):
        launch = blending.launch()
    for number in range(4):
        write(blending.alpha, np.array([0.1 * number]))
        write(blending.one, np.full((COUNT, 3), float(number)))
        blending.result.zero_()
        launch()
        assert blending.is_right()


def test_kept_arguments_give_what_warp_gives():
    """The first launch is Warp's own; later ones are not, and give the same to the last bit."""
    blending = Blending(1)
    launch = blending.launch()
    results = []
    for _ in range(3):
        blending.result.zero_()
        launch()
        results.append(blending.result.numpy().copy())
    assert blending.is_right()
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_the_installed_warp_is_known():
    """Fails when Warp is new: look at its `invoke` before adding its version; until then launches are slower."""
    blending = Blending(2)
    with use_threads(1):
        launch = blending.launch()
    launch()
    (command,) = launch._commands
    assert command.launch != command._recorded.launch


@pytest.mark.parametrize("change", ["version", "cache", "blocks", "no parameters"])
def test_launches_of_an_unknown_warp_are_its_own(monkeypatch, change):
    blending = Blending(3)
    with use_threads(1):
        launch = blending.launch()
    (command,) = launch._commands
    recorded = command._recorded
    if change == "version":
        monkeypatch.setattr(device, "_KNOWN_WARP", "0.")
    elif change == "cache":
        bare = SimpleNamespace(_invoke_cache={})
        other = SimpleNamespace(kernel=bare, params=recorded.params, hooks=recorded.hooks, block_dim=1, adjoint=False)
    elif change == "blocks":
        monkeypatch.setattr(recorded, "block_dim", 4)
    else:
        other = SimpleNamespace(kernel=recorded.kernel)
    if change in ("cache", "no parameters"):
        other.launch = recorded.launch
        command._recorded = recorded = other
    if change == "blocks":  # it would run in blocks of threads; only what follows it is looked at
        monkeypatch.setattr(recorded, "launch", lambda: None)
    launch()
    assert command.launch == recorded.launch
    if change != "blocks":
        blending.result.zero_()
        launch()
        assert blending.is_right()


def test_what_a_launch_works_on_stays():
    """Nobody else holds the arrays; the launch still reads and writes them."""
    wp = warp()
    blending = Blending(4)
    launch, result = blending.launch(), blending.result
    launch()
    expected = blending.expected()
    blending = None
    gc.collect()
    others = [wp.full(COUNT, np.nan, dtype=wp.vec3f, device="cpu") for _ in range(8)]  # would take freed memory
    result.zero_()
    launch()
    assert np.allclose(result.numpy(), expected, rtol=0.0, atol=1e-6)
    assert len(others) == 8


def test_nothing_to_do_is_no_launch():
    blending = Blending(5, count=0)
    blending.launch()()
    assert len(blending.result.numpy()) == 0


def test_a_chain_runs_in_order():
    from supple.graph import kernels

    wp, blending = warp(), Blending(6)
    last = wp.zeros(COUNT, dtype=wp.vec3f, device="cpu")
    second = Launch(kernels.interpolate, COUNT, [blending.result, blending.one, blending.alpha, last], "cpu")
    chain = Chain([blending.launch(), second], "cpu")
    for _ in range(3):
        last.zero_()
        blending.result.zero_()
        chain()
        expected = 0.75 * blending.expected() + 0.25 * blending.one.numpy()
        assert np.allclose(last.numpy(), expected, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("position", DEVICES)
@pytest.mark.parametrize(
    ("kind", "shape", "value"),
    [
        ("float64", (3,), 1.0 + 2.0**-40),
        ("vec3d", (2, 3), 1.0 + 2.0**-40),
        ("mat33d", (2, 3, 3), 1.0 + 2.0**-40),
        ("float32", (3,), 0.5),
        ("vec4f", (2, 4), 0.5),
        ("int32", (3,), 2**24 + 1),
        ("vec3i", (2, 3), 2**24 + 1),
    ],
)
def test_written_values_have_the_kind_of_the_array(position, kind, shape, value):
    """Doubles keep all their digits, whole numbers stay whole, on every device and from either side."""
    wp, where = warp(), check_device(position)
    array = wp.zeros(shape[0], dtype=getattr(wp, kind), device=where)
    write(array, np.full(shape, value))
    assert (to_host(array) == value).all()
    side = HostSide(array)
    side.write(np.full(shape, 2 * value))
    assert (to_host(array) == 2 * value).all()
    array.fill_(0)
    assert (side.read() == 0).all()


def test_flags_may_be_written_as_truths():
    array = warp().zeros(3, dtype=warp().int32, device="cpu")
    write(array, np.array([True, False, True]))
    assert to_host(array).tolist() == [1, 0, 1]


@pytest.mark.cuda
def test_frames_from_a_gpu_are_ones_own_as_long_as_one_holds_them():
    wp = warp()
    frames = device.PinnedFrames("cuda:0")
    kept = []
    for number in range(7):  # more than there is pinned memory for
        points = wp.full(100, wp.vec3f(float(number)), dtype=wp.vec3f, device="cuda:0")
        kept.append(frames.fetch(points)[10:20])  # a slice alone keeps it
    for number, part in enumerate(kept):
        assert (part == number).all()
    places = {part.ctypes.data for part in kept}
    kept.clear()
    again = frames.fetch(wp.zeros(100, dtype=wp.vec3f, device="cuda:0"))[10:20]
    assert again.ctypes.data in places  # used again, now that nobody holds it
    assert (again == 0.0).all()
    assert frames.fetch(wp.zeros(5, dtype=wp.vec3f, device="cuda:0")).shape == (5, 3)
