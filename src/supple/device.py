"""Where the arithmetic runs: all cores of the CPU, or a CUDA device, with the same kernels.

A Warp launch on the CPU runs on one core and releases Python's global lock, so independent work is cut into ranges,
one per core. Kernels therefore take `first` as their first argument and work on item `first + wp.tid()`; each item is
written by one range only, so results do not depend on the number of threads.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.compiling import load
from supple.errors import DeviceError, InputError
from supple.machine import compiler_flags

SMALLEST_RANGE = 2048  # items; below this, waking another thread costs more than it saves
_MOST_PINNED = 4  # frames in memory that a GPU reaches directly; there is little of it on some machines
_KNOWN_WARP = "1.19."  # whose way of calling a kernel's machine code is known
# Those that Warp has if nobody chooses others.
_OWN_FLAGS = (
    "-march=native -mllvm=-inline-threshold=9000 -mllvm=-inline-cold-callsite-threshold=3000"
    " -mllvm=-slp-recursion-max-depth=4"
)


@cache
def warp() -> Any:
    """The Warp module, started without its greeting and without its warning where there is no CUDA driver."""
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING
    if wp.config.cpu_compiler_flags == _OWN_FLAGS:  # nobody has chosen others
        wp.config.cpu_compiler_flags = compiler_flags(_OWN_FLAGS)
    with _silent_stderr() if not _has_cuda_driver() else contextlib.nullcontext():
        wp.init()
    return wp


def _has_cuda_driver() -> bool:
    for name in ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so", "libcuda.so.1"):
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
            return True
    return False


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    """Send what C code writes to standard error nowhere for a moment; Python's own handle is untouched."""
    try:
        saved = os.dup(2)
    except OSError:  # no standard error at all
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        sys.stderr.flush() if sys.stderr else None
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def check_device(device: str) -> str:
    """Return the device's name, or say plainly that it is not there."""
    if device == "cpu":
        return device
    number = device.removeprefix("cuda:")
    if device != "cuda" and not (device.startswith("cuda:") and number.isdigit()):
        raise DeviceError("device", f"{device!r} was asked for", "it is 'cpu' or 'cuda:N'", "use 'cpu' or 'cuda:0'")
    wp = warp()
    found = [str(d) for d in wp.get_cuda_devices()] if wp.is_cuda_available() else []
    name = "cuda:0" if device == "cuda" else device
    if name not in found:
        there = f"this machine has {', '.join(found)}" if found else "this machine has no NVIDIA GPU with a driver"
        raise DeviceError("device", f"{device!r} was asked for", there, "use device='cpu'")
    return name


_asked_threads: int | None = None


def threads() -> int:
    """How many threads independent work is spread over."""
    if _asked_threads is not None:
        return _asked_threads
    from_environment = os.environ.get("SUPPLE_THREADS", "")
    if from_environment.isdigit() and int(from_environment) > 0:
        return int(from_environment)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def use_threads(count: int) -> Iterator[None]:
    """Spread independent work over `count` threads inside a `with` block; the environment's SUPPLE_THREADS outside."""
    global _asked_threads
    if count < 1:
        raise InputError("use_threads", f"count is {count}", "at least one is needed", "use 1 for one thread")
    before, _asked_threads = _asked_threads, count
    try:
        yield
    finally:
        _asked_threads = before


class _Worker:
    """A thread that runs one call after another; handing over takes half the time of a thread pool's."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._ends: SimpleQueue[BaseException | None] = SimpleQueue()
        Thread(target=self._run, name="supple", daemon=True).start()

    def _run(self) -> None:
        while True:
            call = self._calls.get()
            try:
                call()
                self._ends.put(None)
            except BaseException as problem:  # told to whoever waits
                self._ends.put(problem)

    def start(self, call: Callable[[], object]) -> None:
        """Begin a call; every start is followed by one `finish`."""
        self._calls.put(call)

    def finish(self) -> None:
        """Wait for the call that was started."""
        problem = self._ends.get()
        if problem is not None:
            raise problem


_crew: list[_Worker] = []
_crew_busy = Lock()  # one launch at a time is spread over the crew; others run on their own thread meanwhile


def _forget_crew() -> None:
    """A forked child has none of its parent's threads."""
    global _crew_busy
    _crew.clear()
    _crew_busy = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_crew)


def to_device(array: NDArray[Any], dtype: Any, device: str) -> Any:
    """Copy an array to the device as Warp's `dtype`."""
    wp = warp()
    return wp.array(np.ascontiguousarray(array), dtype=dtype, device=device)


def fill_struct(struct: Any, **fields: Any) -> Any:
    """A kernel's structure, such as `Mesh()`, with these arrays and numbers in it; it keeps the arrays alive."""
    for name, value in fields.items():
        setattr(struct, name, value)
    return struct


class Constants:
    """Arrays that never change, brought to one device once and shared by all states that stand on a binding.

    An array is known by being the same object, so what is put there must not be made anew each time.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        self._known: dict[tuple[int, Any], tuple[NDArray[Any], Any]] = {}
        self._lock = Lock()

    def put(self, array: NDArray[Any], dtype: Any) -> Any:
        """The array on the device as Warp's `dtype`; the same one every time."""
        return self.derive(array, dtype, lambda: to_device(array, dtype, self.device))

    def derive(self, array: NDArray[Any], what: Any, make: Callable[[], Any]) -> Any:
        """What `make` makes of an array for the device, known by the array and by `what` it is; made once."""
        with self._lock:
            key = id(array), what
            if key not in self._known:
                self._known[key] = array, make()  # the array is kept, so that no other has its number
            return self._known[key][1]

    def blank(self, count: int | tuple[int, ...], dtype: Any) -> Any:
        """A new array of zeros on the same device, for one state alone."""
        return warp().zeros(count, dtype=dtype, device=self.device)


def write(array: Any, values: NDArray[Any]) -> None:
    """Overwrite a device array with values from the host, so that recorded launches see them."""
    if array.device.is_cpu:
        array.numpy()[...] = values
    else:
        scalar = getattr(array.dtype, "_wp_scalar_type_", array.dtype)  # of a vector or a matrix
        array.assign(np.ascontiguousarray(values, dtype=warp().dtype_to_numpy(scalar)))


def to_host(array: Any) -> NDArray[Any]:
    """A NumPy array of what is on the device; on the CPU this is a view, so copy it to keep it."""
    return array.numpy()


class HostSide:
    """The host's side of one device array that is written or read in every step.

    On the CPU both are the same memory and the view of it is made once; making it costs more than a small copy.
    """

    def __init__(self, array: Any) -> None:
        self._array = array
        self._view: NDArray[Any] | None = array.numpy() if array.device.is_cpu else None

    def write(self, values: NDArray[Any]) -> None:
        """Overwrite the array, so that recorded launches see it."""
        if self._view is None:
            write(self._array, values)
        else:
            self._view[...] = values

    def read(self) -> NDArray[Any]:
        """What is on the device; on the CPU this is a view, so copy it to keep it."""
        return to_host(self._array) if self._view is None else self._view


class _Handed:
    """One frame in somebody's hands: arrays made of it, and slices of those, keep it alive."""

    def __init__(self, memory: Any) -> None:
        view = memory.numpy()
        self.__array_interface__ = view.__array_interface__
        self._memory = memory


class PinnedFrames:
    """Brings points to the host as arrays of one's own.

    Copying them once more out of pinned memory would take longer than all else, so that memory itself is handed out,
    and used again when nobody holds the frame any more. Who keeps many frames gets copies from the fifth on.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._frames: list[tuple[Any, weakref.ref[_Handed]]] = []

    def fetch(self, points: Any) -> NDArray[Any]:
        """Points (V, 3) [m] on the host, once all work before is done."""
        wp = warp()
        if self._frames and len(self._frames[0][0]) != len(points):
            self._frames = []
        free = next((number for number, (_, held) in enumerate(self._frames) if held() is None), None)
        if free is None and len(self._frames) >= _MOST_PINNED:
            return np.array(to_host(points))
        memory = (
            wp.empty(len(points), dtype=wp.vec3f, device="cpu", pinned=True)
            if free is None
            else self._frames.pop(free)[0]
        )
        wp.copy(memory, points)
        wp.synchronize_stream(wp.get_stream(self._device))
        handed = _Handed(memory)
        self._frames.append((memory, weakref.ref(handed)))
        return np.asarray(handed)


class _Command:
    """A recorded kernel over one range of items on the CPU, called with its arguments as its machine code takes them.

    Warp fills a C structure with the arguments on every launch, one by one, which takes longer than a small kernel.
    Here the first launch is Warp's own and shows what the structure is; it is filled once more and kept. With a Warp
    whose ways are not known, all launches are its own.
    """

    def __init__(self, recorded: Any) -> None:
        self._recorded = recorded  # keeps the arrays and the machine code
        self.launch: Callable[[], object] = self._first

    def _first(self) -> None:
        self._recorded.launch()
        self.launch = _packed(self._recorded) or self._recorded.launch


def _packed(recorded: Any) -> Callable[[], object] | None:
    """The call of a recorded launch that has run once; None if Warp does not keep what is needed for it."""
    if not str(warp().__version__).startswith(_KNOWN_WARP):
        return None
    try:
        bounds, *values = recorded.params
        structure, fields = recorded.kernel._invoke_cache[tuple(type(value) for value in values), False]
        if recorded.block_dim != 1 or recorded.adjoint or len(fields) != len(values):
            return None
        arguments = structure(*values)
        return partial(recorded.hooks.forward, ctypes.byref(bounds), ctypes.byref(arguments))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


class Launch:
    """One kernel over `count` items, recorded once and run every frame on all threads of its device.

    `inputs` are the kernel's arguments after `first`. The arrays among them are fixed; their contents may change.
    `smallest` is how many items are worth waking another thread for: 1 where an item is a long walk of its own. `block`
    is how many threads a GPU starts together.
    """

    def __init__(
        self,
        kernel: Any,
        count: int,
        inputs: Sequence[Any],
        device: str,
        *,
        smallest: int = SMALLEST_RANGE,
        block: int = 256,
    ) -> None:
        wp = warp()
        load(kernel.module, device, block)
        self._whole = device != "cpu"
        ranges = [(0, count)] if self._whole else _ranges(count, threads(), smallest)
        recorded = [
            wp.launch(
                kernel, dim=stop - start, inputs=[start, *inputs], device=device, record_cmd=True, block_dim=block
            )
            for start, stop in ranges
            if stop > start
        ]
        self._inputs = tuple(inputs)  # what a recorded launch points to must not go away
        self._commands = recorded if self._whole else [_Command(command) for command in recorded]

    def __call__(self) -> None:
        """Run it; on the CPU, return when all ranges are done."""
        if len(self._commands) <= 1 or not _crew_busy.acquire(blocking=False):
            for command in self._commands:
                command.launch()
            return
        try:
            while len(_crew) < len(self._commands) - 1:
                _crew.append(_Worker())
            helping = _crew[: len(self._commands) - 1]
            for worker, command in zip(helping, self._commands[1:], strict=True):
                worker.start(command.launch)
            try:
                self._commands[0].launch()
            finally:
                for worker in helping:
                    worker.finish()
        finally:
            _crew_busy.release()


Calls = list[Callable[[], object]]  # that follow one another


class Chain:
    """Launches and other calls for one device that follow one another, handed to a GPU as one graph.

    What they work on is fixed; its contents may change. The first time they run one by one, so that all kernels are
    loaded; the second time the graph is made. None of them may wait for the device or bring anything to it.
    """

    def __init__(self, calls: Sequence[Callable[[], object]], device: str) -> None:
        self._calls, self._device = tuple(calls), device
        self._ran = device == "cpu"
        self._graph: Any = None

    def __call__(self) -> None:
        """Run them all."""
        if self._device == "cpu" or not self._ran:
            self._ran = True
            for call in self._calls:
                call()
            return
        wp = warp()
        if self._graph is None:
            with wp.ScopedCapture(device=self._device) as capture:
                for call in self._calls:
                    call()
            self._graph = capture.graph
        wp.capture_launch(self._graph)


def _ranges(count: int, parts: int, smallest: int = SMALLEST_RANGE) -> list[tuple[int, int]]:
    parts = max(1, min(parts, count // smallest))
    bounds = [count * part // parts for part in range(parts + 1)]
    return list(itertools.pairwise(bounds))
