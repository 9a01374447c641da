"""Settings in groups, by name and in tables: one thing, however it is given, also as people write it."""

import json
import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supple.errors import InputError
from supple.settings import (
    ByName,
    Item,
    Number,
    Settings,
    Span,
    by_name,
    changed,
    flattened,
    group,
    maybe,
    path_of,
    setting,
    settings_of,
    table_of,
    to_data,
    value_of,
)


@dataclass(frozen=True, kw_only=True)
class Swing(Settings):
    frequency: float = setting(3.5, "Pace", unit="Hz", low=0.5, high=30.0)
    damping: float = setting(0.2, "Damping", low=0.0, high=0.99)


@dataclass(frozen=True, kw_only=True)
class Tissue(Settings):
    stiffness: float = setting(1e4, "Stiffness", unit="Pa", low=1.0)


@dataclass(frozen=True, kw_only=True)
class Layer(Settings):
    thickness: float | None = maybe(float, "Thickness", low=0.0, high=1e6)
    stiffness: float | None = maybe(float, "Stiffness", low=0.0, high=1.0)


ROWS = {
    "default": Layer(stiffness=0.6),
    "muscle": Layer(thickness=0.6, stiffness=0.9),
    "fat": Layer(thickness=0.4, stiffness=0.3),
}
TISSUES = {"fat": Tissue(stiffness=2e3), "muscle": Tissue()}


@dataclass(frozen=True, kw_only=True)
class Flesh(Settings):
    renamed: ClassVar = {"pace": "swing.frequency", "rounds": "iterations"}

    iterations: int = setting(8, "Rounds", low=0, high=100)
    swing: Swing = group(Swing, "How it swings")
    regions: ByName[float] = by_name({}, "Stiffness of regions", Number(0.0, 1.0), names="region")
    width: ByName[float | str] = by_name("auto", "Width", Number(0.0, 9.0, words=("auto",)), names="region")
    limits: ByName[tuple[float, float]] = by_name({}, "Limits", Span(words=("auto",)), names="joint")
    tissue: ByName[Tissue] = by_name("muscle", "Tissue", Item(Tissue, TISSUES), names="region")
    layers: ByName[Layer] = table_of(Layer, ROWS, "Layers", names="layer")
    damped: bool = setting(default=True, label="Whether it is damped")
    beside: int = 3  # no setting


def test_knobs_of_groups_and_tables_are_known_by_their_paths():
    assert [info.name for info in settings_of(Flesh)] == [
        "iterations", "swing.frequency", "swing.damping", "regions", "width", "limits", "tissue", "layers.thickness",
        "layers.stiffness", "damped",
    ]  # fmt: skip
    pace = settings_of(Flesh)[1]
    assert (pace.unit, pace.low, pace.group, pace.default) == ("Hz", 0.5, "How it swings", 3.5)


def test_a_setting_is_the_same_however_it_is_given():
    nested = Flesh(swing=Swing(frequency=2.0))
    assert nested == Flesh(swing={"frequency": 2.0}) == Flesh(frequency=2.0) == replace(Flesh(), frequency=2.0)
    assert nested == changed(Flesh(), {"swing.frequency": 2.0}) == changed(Flesh(), {"frequency": 2})
    assert nested.frequency == nested.swing.frequency == value_of(nested, "swing.frequency") == 2.0
    assert replace(nested, damping=0.5) == Flesh(swing=Swing(frequency=2.0, damping=0.5))
    assert hash(nested) == hash(Flesh(frequency=2.0))
    assert pickle.loads(pickle.dumps(nested)) == nested


def test_old_names_are_understood_with_a_word_about_the_new_ones():
    with pytest.warns(DeprecationWarning, match=r"'pace' is now 'swing.frequency'"):
        assert Flesh(pace=2.0) == Flesh(frequency=2.0)
    with pytest.warns(DeprecationWarning, match="rounds"):
        assert Flesh().rounds == 8
    with pytest.warns(DeprecationWarning, match="rounds"):
        assert changed(Flesh(), {"rounds": 3}).iterations == 3


def test_names_that_are_not_there_or_not_alone_are_refused():
    with pytest.raises(InputError, match=r"Flesh: there is no setting 'speed', but it has iterations, swing.frequency"):
        Flesh(speed=1.0)
    with pytest.raises(InputError, match=r"no setting 'swing\.frequencies'"):
        changed(Flesh(), {"swing.frequencies": 1.0})
    assert path_of(Flesh, "stiffness") == "layers.stiffness"
    with pytest.raises(AttributeError, match="speed"):
        _ = Flesh().speed
    with pytest.raises(InputError, match=r"Swing: frequency is 99"):
        Flesh(swing={"frequency": 99.0})
    with pytest.raises(InputError, match=r"swing is 3, but a Swing or a mapping"):
        Flesh(swing=3)
    with pytest.raises(InputError, match=r"no setting 'iterations\.many'"):
        changed(Flesh(), {"iterations.many": 3})


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("regions", "belly=0.2, ears = 0.7", {"belly": 0.2, "ears": 0.7}),
        ("regions", "", {}),
        ("width", "auto, belly=1", {"default": "auto", "belly": 1.0}),
        ("width", 2, {"default": 2.0}),
        ("limits", "1.2, LeftArm=-0.1:2.4", {"default": (-1.2, 1.2), "LeftArm": (-0.1, 2.4)}),
        ("limits", "Auto", {"default": "auto"}),
        ("limits", {"a": [-0.5, 0.5]}, {"a": (-0.5, 0.5)}),
        ("tissue", "muscle, belly=fat", {"default": "muscle", "belly": "fat"}),
        ("tissue", Tissue(stiffness=5.0), {"default": Tissue(stiffness=5.0)}),
        ("tissue", {"belly": {"stiffness": 5.0}}, {"belly": Tissue(stiffness=5.0)}),
    ],
)
def test_values_by_name_are_read_from_what_people_write(name, written, meant):
    made = Flesh(**{name: written})
    found = getattr(made, name)
    assert found == meant
    if not any(isinstance(value, Tissue) for value in found.values()):  # those have no short name
        assert getattr(Flesh(**{name: str(found)}), name) == found
    assert Flesh(**to_data(made)) == made


@pytest.mark.parametrize(
    ("name", "written", "needed"),
    [
        ("regions", "belly=2", "a number from 0 to 1"),
        ("regions", "=0.5", "a name is needed"),
        ("regions", "belly=soft", "a number from 0 to 1"),
        ("regions", {"belly": True}, "a number from 0 to 1"),
        ("regions", {"belly": float("nan")}, "a number from 0 to 1"),
        ("width", "big", "auto or a number from 0 to 9"),
        ("limits", "a=0.1:0.4", "LOW:HIGH"),
        ("limits", "a=9", "LOW:HIGH"),
        ("limits", "a=1:2:3", "LOW:HIGH"),
        ("tissue", "stone", "fat, muscle or a Tissue"),
        ("layers", "muscle=soft", "a number from 0"),
        ("layers", 3, "a mapping from layer to Layer"),
        ("layers", {"muscle": 3}, "Layer is needed"),
    ],
)
def test_what_does_not_fit_is_refused(name, written, needed):
    with pytest.raises(InputError, match=needed) as caught:
        Flesh(**{name: written})
    assert caught.value.where == "Flesh"
    assert caught.value.given.startswith(name)


def test_rows_of_a_table_keep_what_is_not_said():
    firm = Flesh(layers={"muscle": Layer(stiffness=1.0)})
    assert value_of(firm, "layers.stiffness") == {"default": 0.6, "muscle": 1.0, "fat": 0.3}
    assert value_of(firm, "layers.thickness") == {"muscle": 0.6, "fat": 0.4}
    other = Flesh(layers={"inner": Layer(thickness=0.5), "fat": Layer(thickness=0.5)})
    assert [name for name, row in other.layers.items() if row.thickness] == ["inner", "fat"]
    assert other.layers["inner"].stiffness is None
    assert Flesh(layers="inner=0.5, fat=0.5") == other
    assert replace(other, iterations=2).layers == other.layers  # rows that are gone stay gone


def test_the_order_of_rows_outlives_programs_that_sort():
    made = Flesh(layers="zebra=1, muscle=2, apple=3")
    again = Flesh(**json.loads(json.dumps(to_data(made), sort_keys=True)))
    assert again == made
    assert list(again.layers)[:3] == ["zebra", "muscle", "apple"]
    turned = Flesh(layers="apple=3, muscle=2, zebra=1")
    assert to_data(turned) != to_data(made)  # so that two bakes are told apart


def test_a_column_of_a_table_is_values_by_name():
    even = Flesh(stiffness=0.5)
    assert set(value_of(even, "layers.stiffness").values()) == {0.5}
    uneven = changed(Flesh(), {"layers.stiffness": "0.5, fat=0.1"})
    assert dict(value_of(uneven, "layers.stiffness")) == {"fat": 0.1, "default": 0.5, "muscle": 0.5}
    assert changed(Flesh(), {"layers.thickness": "fat=1"}).layers["muscle"].thickness == 0.0
    with pytest.raises(InputError, match="stiffness has 'fat=7'"):
        Flesh(stiffness="fat=7")


@given(st.dictionaries(st.sampled_from(["default", "a", "b", "c-d"]), st.floats(0.0, 1.0)))
def test_values_by_name_come_back_from_text_and_from_data(values):
    made = Flesh(regions=values)
    assert made.regions == values
    assert Flesh(**to_data(made)) == made
    again = Flesh(regions=str(made.regions)).regions
    assert list(again) == list(values)
    assert all(abs(again[name] - value) <= 1e-5 * value for name, value in values.items())


def test_the_order_of_names_survives_a_program_that_sorts_objects():
    made = Flesh(regions={"z": 0.1, "a": 0.2}, tissue="muscle, z=fat, a=muscle", limits={"b": (-0.1, 0.2), "a": 0.3})
    assert Flesh(**json.loads(json.dumps(to_data(made), sort_keys=True))) == made
    assert Flesh(regions={"a": 0.2, "z": 0.1}) != Flesh(regions={"z": 0.1, "a": 0.2})  # later ones win


def test_all_settings_by_path():
    assert flattened(Flesh())["swing.damping"] == 0.2
    assert list(flattened(Flesh())) == [info.name for info in settings_of(Flesh)]
    assert "beside" not in flattened(Flesh())
