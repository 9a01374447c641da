"""Settings that describe themselves, and refuse what does not fit."""

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

from supple.errors import InputError
from supple.settings import Settings, setting, settings_of


@dataclass(frozen=True, kw_only=True)
class Spring(Settings):
    stiffness: float = setting(0.5, "How stiff", low=0.0, high=1.0)
    sweeps: int = setting(12, "Sweeps per step", low=1, high=200)
    step: float = setting(0.01, "Step", unit="s", low=1e-4)
    quick: bool = setting(default=False, label="Skip the last sweep")
    mode: str = setting("soft", "Kind", choices=("soft", "hard"))
    note: int = 3  # a field that is no knob


def test_knobs_come_in_order_with_their_kind_and_range():
    knobs = settings_of(Spring)
    assert [knob.name for knob in knobs] == ["stiffness", "sweeps", "step", "quick", "mode"]
    assert [knob.kind for knob in knobs] == [float, int, float, bool, str]
    assert [knob.default for knob in knobs] == [0.5, 12, 0.01, False, "soft"]
    assert knobs[2].unit == "s"
    assert (knobs[2].low, knobs[2].high) == (1e-4, None)
    assert knobs[4].choices == ("soft", "hard")
    assert knobs[0].label == "How stiff"


def test_defaults_pass():
    for knob in settings_of(Spring):
        assert knob.check(knob.default, "Spring") == knob.default
    assert Spring() == Spring(stiffness=0.5)


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("stiffness", 1, 1.0),
        ("stiffness", 0.0, 0.0),
        ("sweeps", 4.0, 4),
        ("sweeps", 200, 200),
        ("stiffness", np.float64(0.25), 0.25),
        ("step", 1e6, 1e6),  # no upper end
        ("quick", True, True),
        ("mode", "hard", "hard"),
    ],
)
def test_what_fits_is_kept_as_the_settings_type(name, given, kept):
    value = getattr(Spring(**{name: given}), name)
    assert value == kept
    assert type(value) is type(kept)


@pytest.mark.parametrize(
    ("name", "given", "needed"),
    [
        ("stiffness", 1.5, "the range is 0 to 1"),
        ("stiffness", -1e-9, "the range is 0 to 1"),
        ("stiffness", float("nan"), "a finite number is needed"),
        ("stiffness", float("inf"), "a finite number is needed"),
        ("stiffness", "stiff", "a finite number is needed"),
        ("stiffness", True, "a finite number is needed"),
        ("stiffness", None, "a finite number is needed"),
        ("sweeps", 0, "the range is 1 to 200"),
        ("sweeps", 2.5, "a whole number is needed"),
        ("sweeps", True, "a whole number is needed"),
        ("step", 0.0, "the range is 0.0001 to inf s"),
        ("quick", 1, "true or false is needed"),
        ("quick", "yes", "true or false is needed"),
        ("mode", "medium", "one of soft, hard is needed"),
        ("mode", 3, "a word is needed"),
    ],
)
def test_what_does_not_fit_is_refused_in_four_parts(name, given, needed):
    with pytest.raises(InputError) as caught:
        Spring(**{name: given})
    error = caught.value
    assert error.where == "Spring"
    assert error.given.startswith(f"{name} is ")
    assert error.needed == needed
    assert error.advice
    assert str(error) == f"Spring: {error.given}, but {needed}; {error.advice}."


def test_settings_are_frozen_and_replaced_with_the_same_checks():
    spring = Spring()
    with pytest.raises(dataclasses.FrozenInstanceError):
        spring.sweeps = 3
    assert dataclasses.replace(spring, sweeps=3).sweeps == 3
    with pytest.raises(InputError, match="sweeps is 0"):
        dataclasses.replace(spring, sweeps=0)
