"""Shapes, poses, strokes and layers called otherwise, moved, and taken away with all that used them."""

import pytest

from conftest import make_tube
from supple.edits import Edits, Key, Layer, PoseEdit, radial
from supple.edits.arranging import (
    delete_use,
    free_name,
    layer_named,
    move_layer,
    rename_layer,
    rename_stroke,
    rename_use,
)
from supple.edits.strokes import Stroke
from supple.errors import InputError

TUBE = make_tube(rings=9, sectors=8, bones=3)
SWELL = radial(TUBE, "bone1", swell=0.3)
MORPH = Layer(name="morph", keys=(Key(time=0.0, use="a"), Key(time=1.0, use="b"), Key(time=2.0)))
EDITS = (
    Edits.of(TUBE)
    .with_shape("a", SWELL)
    .with_shape("b", SWELL)
    .with_pose("bow", PoseEdit({"bone1": [0.0, 0.0, 0.1, 0.99]}, {}))
    .with_stroke("line", Stroke.from_samples([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    .with_layer(MORPH)
    .with_layer(Layer.still("only a", "a"))
    .with_layer(Layer.still("bowed", "bow"))
)


def names(edits):
    return [layer.name for layer in edits.layers]


def test_layers_are_renamed_in_their_place_and_moved():
    assert names(rename_layer(EDITS, "only a", "A")) == ["morph", "A", "bowed"]
    assert names(move_layer(EDITS, "morph", 2)) == ["only a", "bowed", "morph"]
    assert names(move_layer(EDITS, "bowed", 0)) == ["bowed", "morph", "only a"]
    assert layer_named(EDITS, "morph") is MORPH


def test_a_shape_or_pose_is_renamed_where_it_is_used_too():
    renamed = rename_use(EDITS, "a", "belly")
    assert list(renamed.shapes) == ["belly", "b"]
    assert [key.use for key in renamed.layers[0].keys] == ["belly", "b", ""]
    assert renamed.amounts(0.0) == {"belly": 2.0, "b": 0.0, "bow": 1.0}
    assert list(rename_use(EDITS, "bow", "nod").poses) == ["nod"]
    assert list(rename_stroke(EDITS, "line", "edge").strokes) == ["edge"]


def test_a_shape_goes_with_its_keys_and_with_layers_that_show_nothing_else():
    left = delete_use(EDITS, "a")
    assert list(left.shapes) == ["b"]
    assert names(left) == ["morph", "bowed"]
    assert [key.use for key in left.layers[0].keys] == ["b", ""]
    assert delete_use(EDITS, "bow").poses == {}


def test_free_names_are_new():
    assert free_name("c", EDITS.shapes) == "c"
    assert free_name("a", EDITS.shapes) == "a 2"
    assert free_name("a", ["a", "a 2", "a 4"]) == "a 3"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: rename_layer(EDITS, "nobody", "x"),
        lambda: rename_layer(EDITS, "morph", "  "),
        lambda: rename_layer(EDITS, "morph", "bowed"),
        lambda: move_layer(EDITS, "morph", 3),
        lambda: move_layer(EDITS, "nobody", 0),
        lambda: rename_use(EDITS, "nobody", "x"),
        lambda: rename_use(EDITS, "a", "bow"),
        lambda: rename_use(EDITS, "a", ""),
        lambda: rename_stroke(EDITS, "nobody", "x"),
        lambda: rename_stroke(EDITS.with_stroke("two", EDITS.strokes["line"]), "line", "two"),
        lambda: delete_use(EDITS, "line"),
    ],
)
def test_what_is_not_there_or_taken_is_refused(wrong):
    with pytest.raises(InputError):
        wrong()
