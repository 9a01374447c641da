"""Compiling kernels: told while it happens, and done beforehand by `supple warm-up`."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from supple import compiling
from supple.cli.main import main
from supple.compiling import compile_module, kernel_modules, load, told_of_compiling
from supple.device import warp


@pytest.fixture
def slow(monkeypatch):
    """Modules that take a while to compile, of which Warp is not asked."""
    monkeypatch.setattr(compiling, "_loaded", set())
    monkeypatch.setattr(compiling, "_PATIENCE", 0.02)
    asked = []

    def load_module(module, *, device, block_dim):
        asked.append((module.name, device, block_dim))
        time.sleep(0.1 if "slow" in module.name else 0.0)

    monkeypatch.setattr(warp(), "load_module", load_module)
    return asked


def test_what_takes_long_is_told_by_name_and_only_once(slow):
    told = []
    with told_of_compiling(told.append):
        for name in ("supple.slow", "supple.quick", "supple.slow"):
            load(SimpleNamespace(name=name), "cpu", 256)
    assert told == ["slow"]
    assert slow == [("supple.slow", "cpu", 1), ("supple.quick", "cpu", 1)]


def test_threads_that_want_one_module_load_it_once(slow):
    module = SimpleNamespace(name="supple.slow")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: load(module, "cpu", 256), range(4)))
    assert slow == [("supple.slow", "cpu", 1)]


def test_a_gpu_has_modules_of_its_own_for_every_block(slow):
    for block in (256, 32, 256):
        load(SimpleNamespace(name="supple.quick"), "cuda:0", block)
    assert slow == [("supple.quick", "cuda:0", 256), ("supple.quick", "cuda:0", 32)]


def test_every_file_of_kernels_is_known():
    names = kernel_modules()
    assert "skins.kinematic.kernels" in names
    assert "geometry.kernels.normals" in names
    assert len(names) == len(set(names)) > 40
    assert compile_module("graph.kernels", "cpu")
    assert not compile_module("geometry.kernels.oscillator", "cpu")


def test_the_command_says_what_is_ready(capsys, monkeypatch):
    monkeypatch.setattr("supple.cli.warm_up.kernel_modules", lambda: ["graph.kernels"])
    assert main(["warm-up"]) == 0
    assert "1 modules of kernels are ready on cpu" in capsys.readouterr().out
    assert main(["warm-up", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["device"] == "cpu"
    assert list(told["modules"]) == ["graph.kernels"]
