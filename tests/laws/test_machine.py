"""Kinds of machines: what kernels are compiled for, what a bake says of it, and how it goes on elsewhere."""

import subprocess
import sys

import numpy as np
import pytest

import supple
from supple import machine
from supple.character.fingerprint import fingerprint
from supple.errors import SuppleWarning
from supple.graph import bake as bakes

OWN = "-march=native -mllvm=-inline-threshold=9000"


@pytest.fixture
def asked(monkeypatch):
    """Ask for a target as the environment would."""

    def ask(target):
        monkeypatch.setenv("SUPPLE_CPU_TARGET", target)
        machine.cpu_target.cache_clear()

    yield ask
    machine.cpu_target.cache_clear()


@pytest.mark.parametrize(
    ("target", "flags"),
    [
        ("x86-64-v3", "-target-cpu x86-64-v3 -mllvm=-inline-threshold=9000"),
        ("generic", "-mllvm=-inline-threshold=9000"),
        ("native", OWN),
    ],
)
def test_flags_are_turned_to_the_target(asked, target, flags):
    asked(target)
    assert machine.cpu_target() == target
    assert machine.compiler_flags(OWN) == flags


def test_a_target_that_is_none_is_passed_over(asked):
    asked("")
    usual = machine.cpu_target()
    asked("z80")
    assert machine.cpu_target() == usual


def test_flags_that_somebody_chose_stay():
    told = "import warp as wp; wp.config.cpu_compiler_flags = '-O1'; from supple import device; device.warp(); "
    said = subprocess.run(
        [sys.executable, "-c", told + "print(wp.config.cpu_compiler_flags)"], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "-O1"


def test_the_kind_names_what_can_change_the_last_bits():
    assert machine.cpu_target() in machine.kind()
    assert f"NumPy {np.__version__}" in machine.kind()


# Bakes


@pytest.fixture(scope="module")
def arm():
    return supple.character("arm", vertices=600)


def stopped_after(frames):
    def watch(progress):
        if progress.frame + 1 == frames:
            raise KeyboardInterrupt

    return watch


def test_a_bake_says_what_made_it(arm, tmp_path):
    cache = supple.bake(arm, supple.motion("bend", arm), supple.LinearBlend(), path=tmp_path / "arm.supple", fps=8.0)
    assert cache.made_on == machine.kind()
    assert cache.made_elsewhere == ()


def test_a_bake_goes_on_elsewhere_and_says_so(arm, tmp_path, monkeypatch):
    path, motion, skin = tmp_path / "arm.supple", supple.motion("bend", arm), supple.LinearBlend()
    with pytest.raises(KeyboardInterrupt):
        supple.bake(arm, motion, skin, path=path, fps=8.0, watch=stopped_after(6))
    here = machine.kind()
    monkeypatch.setattr(bakes.machine, "kind", lambda: "another kind")
    with pytest.warns(SuppleWarning, match="begun on another kind of machine"):
        cache = supple.bake(arm, motion, skin, path=path, fps=8.0)
    assert cache.made_on == here
    assert cache.made_elsewhere == tuple(range(6, len(cache)))
    # It is known again, on either.
    monkeypatch.undo()
    assert supple.bake(arm, motion, skin, path=path, fps=8.0).made_elsewhere == cache.made_elsewhere


def test_a_bake_that_goes_on_where_it_began_says_nothing(arm, tmp_path):
    path, motion, skin = tmp_path / "arm.supple", supple.motion("bend", arm), supple.LinearBlend()
    with pytest.raises(KeyboardInterrupt):
        supple.bake(arm, motion, skin, path=path, fps=8.0, watch=stopped_after(6))
    assert supple.bake(arm, motion, skin, path=path, fps=8.0).made_elsewhere == ()


def test_the_last_bits_of_double_precision_do_not_tell_characters_or_motions_apart(arm, tmp_path):
    signs = np.where(np.arange(arm.points.size) % 2, 1.0, -1.0).reshape(arm.points.shape)
    other = arm.replace(points=arm.points * (1.0 + signs * 2.0**-52))
    assert not np.array_equal(other.points, arm.points)
    assert fingerprint(other) == fingerprint(arm)
    assert fingerprint(arm.replace(points=arm.points * (1.0 + 1e-5))) != fingerprint(arm)
    motion = supple.motion("bend", arm)
    path = tmp_path / "arm.supple"
    supple.bake(arm, motion, supple.LinearBlend(), path=path, fps=8.0)
    supple.bake(other, motion, supple.LinearBlend(), path=path, fps=8.0)  # known again
    with pytest.raises(supple.errors.InputError, match="the motion differs"):
        supple.bake(arm, supple.motion("bend", arm, angle=1.0), supple.LinearBlend(), path=path, fps=8.0)
