"""Kernels are compiled for this machine when they are first used: who is told so, and how to have it done before."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Lock, Timer
from typing import Any

_PATIENCE = 0.3  # s: what is compiled already is loaded faster than that
_loaded: set[tuple[str, str, int]] = set()
_loading: dict[tuple[str, str, int], Lock] = {}
_tell: Callable[[str], None] | None = None
_telling = Lock()


@contextlib.contextmanager
def told_of_compiling(tell: Callable[[str], None]) -> Iterator[None]:
    """Inside a `with` block `tell` hears the name of every module of kernels that takes a while to compile."""
    global _tell
    before, _tell = _tell, tell
    try:
        yield
    finally:
        _tell = before


def load(module: Any, device: str, block: int) -> None:
    """Have a Warp module ready on a device for launches of `block` threads; compiled the first time on a machine."""
    threads = 1 if device == "cpu" else block
    key = module.name, device, threads
    if key in _loaded:
        return
    with _telling:
        lock = _loading.setdefault(key, Lock())
    with lock:  # two threads that load one module leave the first with machine code that is gone
        if key not in _loaded:
            _load_now(module, device, threads)
            _loaded.add(key)


def _load_now(module: Any, device: str, threads: int) -> None:
    import warp as wp

    timer = Timer(_PATIENCE, _say, [module.name])
    timer.daemon = True
    timer.start()
    try:
        wp.load_module(module, device=device, block_dim=threads)
    finally:
        timer.cancel()


def _say(name: str) -> None:
    with _telling:
        if _tell is not None:
            _tell(name.removeprefix("supple."))
        elif sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"compiling {name} for this machine, once\n")


def kernel_modules() -> list[str]:
    """The names below `supple` of all modules of kernels, in the order in which skins are likely to want them."""
    root = Path(__file__).resolve().parent
    found = [
        path.relative_to(root).with_suffix("")
        for path in root.rglob("*.py")
        if path.stem != "__init__" and (path.stem.endswith("kernels") or path.parent.name == "kernels")
    ]
    ranks = ("geometry", "graph", "kinematic", "secondary")
    names = sorted(".".join(path.parts) for path in found)
    return sorted(names, key=lambda name: not any(f".{rank}." in f".{name}." for rank in ranks))


def compile_module(name: str, device: str, block: int = 256) -> bool:
    """Have the kernels of one module of `kernel_modules` ready; says whether it has any."""
    import warp as wp

    module = wp.get_module(import_module(f"supple.{name}").__name__)
    if not module.kernels:
        return False
    load(module, device, block)
    return True
