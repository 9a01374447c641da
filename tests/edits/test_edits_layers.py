"""Layers over time, poses on top of motions, characters that carry edits, undo and redo."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple.edits import Edits, History, Key, Layer, PoseEdit, SurfaceEdit, radial
from supple.edits.strokes import Stroke, SurfaceStroke, posed_by_strokes
from supple.errors import InputError
from supple.geometry.quaternions import quat_from_axis_angle, quat_multiply
from supple.motion.live import NoisyMotion
from supple.motion.motion import Motion
from supple.skins.springs.binding import EDIT_PREFIX

TUBE = make_tube(rings=17, sectors=12, bones=4)
SKELETON = TUBE.skeleton
COUNT = len(TUBE.points)
SWELL = radial(TUBE, "bone1", swell=0.3)
LEAN = radial(TUBE, "bone2", profile="even", lean=0.4)
BEND = PoseEdit({"bone2": quat_from_axis_angle([0, 0, 1], 0.7)}, {"bone0": [0.0, 0.1, 0.0]})
SKIN = supple.IncrementalRotation()


def waving(fps=30.0, seconds=2.0, loop=True):
    def pose(time):
        rotations = {
            name: quat_from_axis_angle([1, 0, 0.3], 0.3 * np.sin(np.pi * time + n))
            for n, name in enumerate(SKELETON.names)
        }
        return supple.Pose.from_rotations(SKELETON, rotations)

    return Motion.from_poses(SKELETON, pose, seconds=seconds, fps=fps, loop=loop)


def frame(character, motion, time, skin=SKIN):
    return supple.player(character, skin).play(motion, time).astype(np.float64)


# Layers


def test_keys_are_met_and_ways_between_are_eased():
    keys = [Key(time=1.0, use="x", amount=0.5, ease="linear"), Key(time=3.0, use="y", ease="cubic-in"), Key(time=4.0)]
    layer = Layer(name="a", keys=keys, amount=2.0)
    assert layer.amounts(0.0) == {"x": 1.0, "y": 0.0}
    assert layer.amounts(1.0) == {"x": 1.0, "y": 0.0}
    assert layer.amounts(1.5) == {"x": 0.75, "y": 0.5}
    assert layer.amounts(3.0) == {"x": 0.0, "y": 2.0}
    assert layer.amounts(3.5) == {"x": 0.0, "y": 2.0 * (1.0 - 0.125)}
    assert layer.amounts(9.0) == {"x": 0.0, "y": 0.0}
    assert layer.uses == ("x", "y")


@given(st.floats(-20.0, 20.0))
def test_breathing_repeats_and_stays_between_nothing_and_all(time):
    layer = Layer.breathing("breath", "in", seconds=4.0, amount=0.7)
    amount = layer.amounts(time)["in"]
    assert -1e-12 <= amount <= 0.7 + 1e-12
    assert amount == pytest.approx(layer.amounts(time + 4.0)["in"], abs=1e-9)
    assert layer.amounts(1.8)["in"] == pytest.approx(0.7)
    assert layer.amounts(4.0)["in"] == pytest.approx(0.0)


def test_hold_jumps():
    layer = Layer(name="a", keys=[Key(time=0.0, use="x", ease="hold"), Key(time=1.0, use="y")])
    assert layer.amounts(0.999)["x"] == 1.0
    assert layer.amounts(1.0) == {"x": 0.0, "y": 1.0}


@pytest.mark.parametrize(
    "make",
    [
        lambda: Key(time=np.nan),
        lambda: Key(time=0.0, amount=np.inf),
        lambda: Key(time=0.0, ease="zigzag"),
        lambda: Layer(name="a", keys=()),
        lambda: Layer(name="a", keys=(Key(time=1.0), Key(time=1.0))),
        lambda: Layer(name="a", keys=(Key(time=0.0),), amount=np.nan),
        lambda: Layer(name="a", keys=(Key(time=0.0),), firmness=-1.0),
    ],
)
def test_strange_keys_and_layers_are_refused(make):
    with pytest.raises(InputError):
        make()


# Edits on characters and motions


def test_without_layers_nothing_changes():
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_pose("bend", BEND)
    motion = waving()
    character, moved = edits.on(TUBE, motion)
    assert character is TUBE
    assert moved is motion
    rest = supple.Pose.rest(SKELETON)
    assert edits.on_pose(TUBE.skeleton, rest, 1.0) is rest
    assert np.abs(frame(TUBE, edits.on_motion(motion), 0.0) - frame(TUBE, motion, 0.0)).max() == 0.0


def test_a_layer_of_amount_zero_shows_nothing():
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_pose("bend", BEND)
    edits = edits.with_layer(Layer.still("a", "swell", amount=0.0)).with_layer(Layer.still("b", "bend", amount=0.0))
    character, motion = edits.on(TUBE, waving())
    assert np.abs(frame(character, motion, 0.7) - frame(TUBE, waving(), 0.7)).max() < 1e-6


@pytest.mark.parametrize("skin", [SKIN, supple.LinearBlend(), supple.DualQuaternion(), supple.SpringRig()])
def test_skeleton_and_surface_edits_commute(skin):
    """Layers in either order, and edits put on one after the other in either order, give the same skin."""
    base = Edits.of(TUBE)
    surface = base.with_shape("swell", SWELL).with_layer(Layer.breathing("s", "swell", seconds=1.0))
    skeleton = base.with_pose("bend", BEND).with_layer(Layer.still("p", "bend"))
    both = surface.with_pose("bend", BEND).with_layer(Layer.still("p", "bend"))
    swapped = skeleton.with_shape("swell", SWELL).with_layer(Layer.breathing("s", "swell", seconds=1.0))
    motion = waving()
    results = []
    for order in ((both,), (swapped,), (surface, skeleton), (skeleton, surface)):
        character, moved = TUBE, motion
        for edits in order:
            character, moved = edits.on(character, moved)
        results.append(frame(character, moved, 0.4, skin))
    assert max(np.abs(result - results[0]).max() for result in results) < 1e-6
    assert np.abs(results[0] - frame(TUBE, motion, 0.4, skin)).max() > 0.01


def test_two_layers_add_up_and_keys_morph():
    one = Edits.of(TUBE).with_shape("swell", SWELL).with_shape("lean", LEAN)
    both = one.with_layer(Layer.still("a", "swell")).with_layer(Layer.still("b", "lean", amount=0.5))
    character, motion = both.on(TUBE, waving(seconds=0.0, loop=False))
    rest = waving(seconds=0.0, loop=False)
    alone = [
        frame(*one.with_layer(Layer.still("x", use, amount=a)).on(TUBE, rest), 0.0)
        for use, a in (("swell", 1.0), ("lean", 0.5))
    ]
    plain = frame(TUBE, rest, 0.0)
    assert np.abs(frame(character, motion, 0.0) - plain - (alone[0] - plain) - (alone[1] - plain)).max() < 1e-6
    morph = one.with_layer(Layer(name="m", keys=(Key(time=0.0, use="swell", ease="linear"), Key(time=1.0, use="lean"))))
    assert morph.amounts(0.25) == {"swell": 0.75, "lean": 0.25}


def test_motions_play_layers_between_their_keys_too():
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_layer(Layer.breathing("s", "swell", seconds=2.0))
    slow = waving(fps=4.0)
    moved = edits.on_motion(slow)
    for time in np.linspace(0.0, 2.0, 23):
        share = moved.sample(float(time)).shapes[EDIT_PREFIX + "swell"]
        assert share == pytest.approx(edits.amounts(float(time))["swell"], abs=0.01)
        assert (
            np.abs(moved.sample(float(time)).world_from_joint - slow.sample(float(time)).world_from_joint).max() < 1e-9
        )


def test_layers_may_last_longer_than_the_motion():
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_layer(Layer.breathing("s", "swell", seconds=5.0))
    moved = edits.on_motion(waving(seconds=2.0), seconds=5.0)
    assert moved.duration == pytest.approx(5.0)
    assert moved.sample(2.25).shapes[EDIT_PREFIX + "swell"] == pytest.approx(1.0, abs=1e-3)
    assert np.abs(moved.sample(4.5).world_from_joint - waving().sample(0.5).world_from_joint).max() < 1e-6
    still = edits.on_motion(waving(seconds=0.0, loop=False), seconds=3.0)
    assert still.duration == pytest.approx(3.0)
    with pytest.raises(InputError, match="seconds"):
        edits.on_motion(waving(), seconds=-1.0)


def test_layers_start_over_with_a_motion_that_loops_unless_they_repeat():
    pulse = Layer(name="p", keys=(Key(time=0.5, use="swell"), Key(time=1.0, use="swell", amount=0.0)))
    breath = Layer.breathing("b", "lean", seconds=3.0)
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_shape("lean", LEAN).with_layer(pulse).with_layer(breath)
    motion = waving(seconds=2.0)
    source, long = edits.on_source(motion), edits.on_motion(motion, seconds=5.0)
    for time in (0.5, 0.75, 2.0, 2.5, 4.6):
        within = time if time <= 2.0 else time % 2.0
        wanted = {"swell": pulse.amounts(within)["swell"], "lean": breath.amounts(time)["lean"]}
        assert source.amounts(time) == pytest.approx(wanted)
        assert edits.amounts(time, period=2.0) == pytest.approx(wanted)
        for use, amount in wanted.items():
            assert source.sample(time).shapes[EDIT_PREFIX + use] == pytest.approx(amount)
            assert long.sample(time).shapes[EDIT_PREFIX + use] == pytest.approx(amount, abs=0.02)
    once = edits.on_source(waving(seconds=2.0, loop=False))
    assert once.amounts(2.6) == edits.amounts(2.6)


def test_it_is_known_whether_a_character_would_look_the_same():
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_shape("lean", LEAN)
    assert edits.dresses_as(None)
    one = edits.with_layer(Layer.still("a", "swell"))
    assert not one.dresses_as(edits)
    assert one.dresses_as(edits.with_layer(Layer.breathing("b", "swell", seconds=2.0, amount=0.1)))
    assert not one.dresses_as(edits.with_layer(Layer.still("a", "lean")))
    assert not one.dresses_as(edits.with_shape("swell", LEAN).with_layer(Layer.still("a", "swell")))
    firm = replace(Layer.still("a", "swell"), firmness=4.0)
    assert not one.dresses_as(edits.with_layer(firm))
    assert not edits.with_layer(firm).dresses_as(edits.with_layer(replace(firm, mute=True)))


def test_poses_on_top_of_motions_are_poses_on_top_of_poses():
    edits = Edits.of(TUBE).with_pose("bend", BEND).with_layer(Layer.breathing("p", "bend", seconds=2.0, amount=0.8))
    motion = waving()
    moved = edits.on_motion(motion)
    for time in motion.times[::7]:
        one = moved.sample(float(time)).world_from_joint
        other = edits.on_pose(TUBE.skeleton, motion.sample(float(time)), float(time)).world_from_joint
        assert np.abs(one - other).max() < 1e-9


def test_any_source_of_poses_may_be_edited():
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_layer(Layer.breathing("s", "swell", seconds=2.0))
    edits = edits.with_pose("bend", BEND).with_layer(Layer.still("p", "bend"))
    noisy = NoisyMotion(waving())
    source, character = edits.on_source(noisy), edits.on_character(TUBE)
    found = supple.player(character, SKIN).play(source, 0.9)
    wanted = supple.player(character, SKIN).advance(edits.on_pose(SKELETON, noisy.sample(0.9), 0.9))
    assert np.abs(found - wanted).max() < 1e-6
    assert np.abs(found - supple.player(TUBE, SKIN).play(noisy, 0.9)).max() > 0.05


def test_firm_layers_paint_maps_where_they_move_the_skin():
    layer = Layer(name="a", keys=(Key(time=0.0, use="swell"),), firmness=9.0)
    painted = Edits.of(TUBE).with_shape("swell", SWELL).with_layer(layer).on_character(TUBE).maps["firm edit swell"]
    size = np.linalg.norm(SWELL.dense(COUNT), axis=1)
    assert painted[np.argmax(size)] == pytest.approx(9.0)
    assert (painted[size == 0.0] == 1.0).all()


def test_edits_refuse_what_does_not_fit():
    edits = Edits.of(TUBE).with_shape("swell", SWELL)
    with pytest.raises(InputError, match="uses 'nothing'"):
        edits.with_layer(Layer.still("a", "nothing"))
    with pytest.raises(InputError, match="a shape and a pose"):
        edits.with_pose("swell", BEND)
    with pytest.raises(InputError, match="moves vertex"):
        edits.with_shape("large", SurfaceEdit([COUNT], [[1, 0, 0]]))
    with pytest.raises(InputError, match="drawn on"):
        edits.on_character(make_tube(rings=5, sectors=6))
    with pytest.raises(InputError, match="names must differ"):
        Edits(COUNT, {"x": SWELL}, layers=(Layer.still("a", "x"), Layer.still("a", "x")))
    with pytest.raises(InputError, match="layer 'b'"):
        edits.without_layer("b")
    played = edits.with_layer(Layer.still("a", "swell"))
    with pytest.raises(InputError, match="already"):
        played.on_character(played.on_character(TUBE))
    lost = Edits.of(TUBE).with_pose("p", PoseEdit({"tail": [0, 0, 0, 1]})).with_layer(Layer.still("a", "p"))
    with pytest.raises(InputError, match="tail"):
        lost.on_character(TUBE)
    far = Edits.of(TUBE).with_stroke("s", SurfaceStroke([10**6], [[1, 0, 0]], [0]))
    with pytest.raises(InputError, match="triangle"):
        far.on_character(TUBE)


def test_layers_are_replaced_by_name_and_taken_away():
    edits = Edits.of(TUBE).with_shape("swell", SWELL).with_layer(Layer.still("a", "swell"))
    edits = edits.with_layer(Layer.still("b", "swell")).with_layer(Layer.still("a", "swell", amount=0.5))
    assert [(layer.name, layer.amount) for layer in edits.layers] == [("a", 0.5), ("b", 1.0)]
    assert [layer.name for layer in edits.without_layer("a").layers] == ["b"]
    assert "swell" in edits.without_layer("a").shapes


# Poses


@given(st.integers(0, 10_000))
def test_a_pose_edit_takes_one_pose_to_the_other(seed):
    random = np.random.default_rng(seed)

    def pose():
        rotations = {name: random.standard_normal(4) for name in SKELETON.names}
        return supple.Pose.from_rotations(SKELETON, rotations, move=random.standard_normal(3))

    before, after = pose(), pose()
    edit = PoseEdit.between(SKELETON, before, after)
    assert np.abs(edit.on(SKELETON, before).world_from_joint - after.world_from_joint).max() < 1e-9
    assert np.abs(edit.on(SKELETON, before, amount=0.0).world_from_joint - before.world_from_joint).max() < 1e-9
    half = edit.on(SKELETON, before, amount=0.5)
    assert np.abs(edit.on(SKELETON, half, amount=0.5).world_from_joint - after.world_from_joint).max() < 1e-9


def test_a_pose_drawn_with_strokes_is_an_edit_for_every_pose():
    rest = supple.Pose.rest(SKELETON)
    base = Stroke([[0, 0, 0], [0, 2, 0]], [0, 1])
    side = Stroke([[0, 0, 0], [0.3, 1, 0], [1, 1.7, 0]], [0, 0.5, 1])
    drawn = posed_by_strokes(SKELETON, rest, base, offset=side)
    edit = PoseEdit.between(SKELETON, rest, drawn)
    assert "bone1" in edit.rotations
    assert np.abs(edit.on(SKELETON, rest).world_from_joint - drawn.world_from_joint).max() < 1e-9
    other = waving().sample(0.3)
    lengths = np.linalg.norm(np.diff(edit.on(SKELETON, other).world_from_joint[:, :3, 3], axis=0), axis=1)
    assert np.abs(lengths - 0.5).max() < 1e-9


def test_amounts_multiply_angles_the_short_way():
    rotation = quat_from_axis_angle([0, 1, 0], 0.8)
    edit = PoseEdit({"bone1": -rotation})
    twice = edit.on(SKELETON, supple.Pose.rest(SKELETON), amount=2.0)
    wanted = supple.Pose.from_rotations(SKELETON, {"bone1": quat_multiply(rotation, rotation)})
    assert np.abs(twice.world_from_joint - wanted.world_from_joint).max() < 1e-9


@pytest.mark.parametrize("rotation", [[0, 0, 0, 0], [1, 2, 3], [np.nan, 0, 0, 1]])
def test_strange_pose_edits_are_refused(rotation):
    with pytest.raises(InputError):
        PoseEdit({"bone1": rotation})


def test_poses_of_other_skeletons_are_refused():
    with pytest.raises(InputError, match="joints"):
        BEND.on(SKELETON, supple.Pose(np.tile(np.eye(4), (2, 1, 1))))


# Undo and redo


class Tape:
    """A model of undo and redo with lists that change."""

    def __init__(self, steps):
        self.states, self.position, self.steps = [0], 0, steps

    def do(self, value):
        self.states = [*self.states[: self.position + 1], value]
        self.states = self.states[-(self.steps + 1) :]
        self.position = len(self.states) - 1

    def undo(self):
        self.position = max(self.position - 1, 0)

    def redo(self):
        self.position = min(self.position + 1, len(self.states) - 1)


@given(st.lists(st.one_of(st.integers(), st.sampled_from(["undo", "redo"])), max_size=60), st.integers(1, 6))
def test_history_is_a_tape(actions, steps):
    history, tape = History(0, steps=steps), Tape(steps)
    for action in actions:
        before = history
        kept = (before.present, before.past, before.future)
        if isinstance(action, int):
            history = history.do(action)
            tape.do(action)
            assert history.future == ()
            assert history.undo().present == before.present
        else:
            history = getattr(history, action)()
            getattr(tape, action)()
        assert history.present == tape.states[tape.position]
        assert (before.present, before.past, before.future) == kept
        if history.past:
            assert history.undo().redo() == history
        if history.future:
            assert history.redo().undo() == history
        assert len(history.past) + len(history.future) <= steps


def test_history_holds_edits_and_refuses_no_room():
    edits = Edits.of(TUBE)
    history = History(edits).do(edits.with_shape("swell", SWELL))
    assert "swell" in history.present.shapes
    assert history.undo().present is edits
    with pytest.raises(InputError, match="steps"):
        History(edits, steps=0)
