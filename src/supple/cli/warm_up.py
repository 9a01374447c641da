"""`supple warm-up`: compile all kernels now, so that nothing has to wait for it later."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from supple import device as devices
from supple.cli.console import Console
from supple.compiling import compile_module, kernel_modules, told_of_compiling

_SLOW = 0.5  # s: what takes longer was compiled, not only loaded


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """No options of its own."""


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Go through all modules of kernels, naming each, and return how long each took."""
    device = devices.check_device(arguments.device)
    devices.warp()
    taken: dict[str, float] = {}
    names = kernel_modules()
    begun = perf_counter()
    with told_of_compiling(lambda name: console.note(f"compiling {name} ({len(taken) + 1} of {len(names)})")):
        for name in names:
            start = perf_counter()
            compile_module(name, device)
            taken[name] = perf_counter() - start
    compiled = [name for name, seconds in taken.items() if seconds > _SLOW]
    total = perf_counter() - begun
    console.say(f"{len(names)} modules of kernels are ready on {device}: {len(compiled)} compiled in {total:.0f} s")
    return {"device": device, "seconds": total, "compiled": compiled, "modules": taken}
