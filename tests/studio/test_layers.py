"""Keys and layers in the studio: each command is one step, drafts are none, and what is shown is what layers say."""

import numpy as np
import pytest

import supple
from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.edits import Edits, Layer, PoseEdit, radial
from supple.edits.file import to_dict
from supple.errors import InputError
from supple.geometry.quaternions import quat_from_axis_angle
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import HANDLERS, perform
from supple.studio.frames import unpacked
from supple.studio.session import Session
from supple.studio.state import state_of

HERO = supple.character("hero", vertices=600)
BULGE = radial(HERO, "LeftArm", swell=0.5)
NOD = PoseEdit({"Head": quat_from_axis_angle([1.0, 0.0, 0.0], 0.4)}, {})


def drawn():
    """A bulge and a nod that no layer plays yet."""
    return Edits.of(HERO).with_shape("bulge", BULGE).with_pose("nod", NOD)


@pytest.fixture(scope="module")
def opened():
    document = Document(CharacterSource("hero", 600), skins=(Graph.of(skin_named("linear")),), edits=drawn())
    session = Session(document, lambda text: None)
    while session.views[0].preparing:
        session.take_over()
    yield session
    session.close()


@pytest.fixture
def session(opened):
    opened.travel(-1000)
    opened.transport.unloop()
    opened.transport.play()
    return opened


def do(session, kind, **what):
    perform(session, kind(seq=1, **what))


def layers(session):
    return {layer.name: layer for layer in session.document.edits.layers}


def keys(session, name):
    return [(key.time, key.use, key.amount, key.ease) for key in layers(session)[name].keys]


def test_keys_are_added_moved_copied_eased_and_deleted_a_step_each(session):
    do(session, say.AddKey, layer="", time=0.25, use="bulge")
    do(session, say.AddKey, layer="bulge", time=0.5, use="bulge", amount=0.0, ease="linear")
    do(session, say.ChangeKey, layer="bulge", time=0.5, to=0.75)
    do(session, say.ChangeKey, layer="bulge", time=0.25, to=1.0, copy=True)
    do(session, say.ChangeKey, layer="bulge", time=0.75, ease="hold")
    do(session, say.ChangeKey, layer="bulge", time=0.75, amount=0.2)
    assert keys(session, "bulge") == [
        (0.25, "bulge", 1.0, "smooth"),
        (0.75, "bulge", 0.2, "hold"),
        (1.0, "bulge", 1.0, "smooth"),
    ]
    do(session, say.DeleteKey, layer="bulge", time=0.75)
    assert len(keys(session, "bulge")) == 2
    state = state_of(session, 0)
    assert state.past == [
        "Key of bulge",
        "Key of bulge",
        "Move a key of bulge",
        "Copy a key of bulge",
        "Ease of a key of bulge",
        "Amount of a key of bulge",
        "Delete a key of bulge",
    ]
    do(session, say.Travel, steps=-6)
    assert keys(session, "bulge") == [(0.25, "bulge", 1.0, "smooth")]
    assert len(state_of(session, 0).future) == 6
    do(session, say.DeleteKey, layer="bulge", time=0.25)
    assert layers(session) == {}


def test_a_key_without_words_changes_nothing_where_it_stands(session):
    do(session, say.AddKey, layer="bulge", time=0.0, use="bulge", amount=0.0, ease="linear")
    do(session, say.AddKey, layer="bulge", time=1.0, use="bulge", amount=0.8)
    do(session, say.ChangeLayer, layer="bulge", amount=2.0)
    do(session, say.AddKey, layer="bulge", time=0.5)
    assert keys(session, "bulge")[1] == (0.5, "bulge", pytest.approx(0.4), "linear")
    with pytest.raises(InputError, match="layer 'nobody' was named"):
        do(session, say.AddKey, layer="nobody", time=0.5)


def test_layers_are_added_changed_ordered_and_deleted(session):
    do(session, say.AddLayer, use="bulge")
    do(session, say.AddLayer, use="nod", seconds=2.0)
    do(session, say.AddLayer, use="bulge")
    assert list(layers(session)) == ["bulge", "nod", "bulge 2"]
    assert layers(session)["nod"] == Layer.breathing("nod", "nod", seconds=2.0)
    do(session, say.ChangeLayer, layer="bulge 2", place=0)
    do(session, say.ChangeLayer, layer="nod", name="yes")
    for word, value in {"amount": 0.3, "mute": True, "solo": True, "repeat": True, "firmness": 4.0}.items():
        do(session, say.ChangeLayer, layer="bulge", **{word: value})
        assert getattr(layers(session)["bulge"], word) == value
    assert list(layers(session)) == ["bulge 2", "bulge", "yes"]
    do(session, say.DeleteLayer, layer="yes")
    assert list(layers(session)) == ["bulge 2", "bulge"]
    steps = state_of(session, 0).past
    assert steps[3:] == [
        "Order of bulge 2",
        "Rename nod",
        "Amount of bulge",
        "Mute bulge",
        "Solo bulge",
        "Repeat bulge",
        "Firmness of bulge 4",
        "Delete layer yes",
    ]


def test_while_a_hand_changes_it_all_is_shown_and_nothing_is_done(session):
    do(session, say.AddLayer, use="bulge")
    before = session.document
    full = shown(session)
    for amount in (0.9, 0.5, 0.0):
        do(session, say.ChangeLayer, layer="bulge", amount=amount, done=False)
    assert session.document is before
    assert np.abs(shown(session) - full).max() > 0.01
    do(session, say.ChangeLayer, layer="bulge", amount=1.0)
    assert session.document is before
    np.testing.assert_allclose(shown(session), full, atol=1e-4)
    do(session, say.ChangeKey, layer="bulge", time=0.0, to=0.5, done=False)
    do(session, say.ChangeKey, layer="bulge", time=0.0, to=0.25)
    assert [key.time for key in layers(session)["bulge"].keys] == [0.25]
    assert len(session.history.past) == 2


def shown(session):
    """The points of the character, still, with all that was eased gone by."""
    session.transport.pause()
    session.transport.seek(0.3)
    for _ in range(60):
        frames = session.advance(1.0 / 60.0, 0)
    return unpacked(frames[-1])[1]


def test_a_layer_that_changes_only_in_time_needs_no_new_shapes(session):
    do(session, say.AddLayer, use="bulge")
    character = session.views[0].player.character
    do(session, say.ChangeLayer, layer="bulge", amount=0.2)
    do(session, say.AddKey, layer="bulge", time=1.0, use="bulge")
    assert session.views[0].player.character is character
    do(session, say.ChangeLayer, layer="bulge", firmness=3.0)
    assert session.views[0].player.character is not character
    do(session, say.DeleteLayer, layer="bulge")
    assert not any("bulge" in name for name in session.views[0].player.character.shapes)


def test_every_frame_shows_what_the_layers_say(session):
    """Two keys on a walk that loops: in every frame the skin is the one that `Edits.amounts` asks for."""
    do(session, say.AddKey, layer="bulge", time=0.2, use="bulge", amount=0.0)
    do(session, say.AddKey, layer="bulge", time=0.7, use="bulge", ease="linear")
    do(session, say.AddKey, layer="nod", time=0.1, use="nod", amount=0.0)
    do(session, say.AddKey, layer="nod", time=0.9, use="nod")
    session.transport.seek(0.0)
    session.advance(1.0, 0)  # what was eased has gone by
    edits, motion = session.document.edits, session.motion
    vertices = session.packer.creases.vertex_of_normal
    plain = supple.player(session.document.on_character(HERO), supple.LinearBlend())
    seen = set()
    for _ in range(100):
        head, points, _ = unpacked(session.advance(1.0 / 60.0, 0)[-1])
        time = head.motion_time
        within = time if time <= motion.duration else time % motion.duration
        amounts = edits.amounts(within)
        seen.add(round(amounts["bulge"], 2))
        pose = NOD.on(HERO.skeleton, motion.sample(time), amount=amounts["nod"])
        pose = supple.Pose(pose.world_from_joint, shapes={"edit bulge": amounts["bulge"]})
        np.testing.assert_allclose(points, plain.advance(pose)[vertices], atol=2e-4)
    assert len(seen) > 20


def test_amounts_of_what_nothing_keys_are_set_directly(session):
    do(session, say.SetAmount, use="bulge", amount=0.4, done=False)
    assert layers(session) == {}
    do(session, say.SetAmount, use="bulge", amount=0.4)
    assert layers(session)["bulge"] == Layer.still("bulge", "bulge", amount=0.4)
    do(session, say.SetAmount, use="bulge", amount=0.6)
    assert layers(session)["bulge"].amount == 0.6
    do(session, say.AddKey, layer="bulge", time=1.0, use="bulge")
    with pytest.raises(InputError, match="layer 'bulge' says it"):
        do(session, say.SetAmount, use="bulge", amount=0.1)


def test_what_was_drawn_is_renamed_and_deleted_with_its_layers(session):
    do(session, say.AddLayer, use="bulge")
    do(session, say.AddLayer, use="nod")
    do(session, say.RenameEdit, name="bulge", to="biceps")
    assert list(session.document.edits.shapes) == ["biceps"]
    assert layers(session)["bulge"].uses == ("biceps",)
    do(session, say.DeleteEdit, name="biceps")
    assert list(session.document.edits.shapes) == []
    assert list(layers(session)) == ["nod"]
    do(session, say.Undo)
    assert list(layers(session)) == ["bulge", "nod"]


def test_a_part_is_played_over_and_over(session):
    do(session, say.Loop, start=0.2, end=0.5)
    assert state_of(session, 0).transport.span == (0.2, 0.5)
    for _ in range(60):
        session.advance(1.0 / 60.0, 0)
        assert 0.2 <= session.transport.time < 0.5
    do(session, say.Unloop)
    assert state_of(session, 0).transport.span is None


def test_a_limb_swells_as_a_shape_with_a_layer(session):
    do(session, say.Radial, name="arm", joint="LeftArm", swell=0.3, done=False)
    assert "arm" not in session.document.edits.shapes
    do(session, say.Radial, name="arm", joint="LeftArm", swell=0.5)
    assert np.array_equal(session.document.edits.shapes["arm"].offsets, BULGE.offsets)
    assert layers(session)["arm"] == Layer.still("arm", "arm")
    do(session, say.ChangeLayer, layer="arm", amount=0.5)
    do(session, say.Radial, name="arm", joint="LeftArm", swell=0.1, lean=0.2, profile="even", low=0.2, high=0.8)
    assert len(session.document.edits.shapes["arm"].vertices) > 0
    assert layers(session)["arm"].amount == 0.5
    assert len(session.history.past) == 3


def test_a_wave_runs_along_a_line_that_was_drawn(session):
    figures = {"height": 0.02, "wavelength": 0.3, "speed": 0.5, "width": 0.1}
    spine = np.flatnonzero(HERO.weights.joints[:, 0] == HERO.skeleton.index("Spine1"))
    chosen = [int(np.flatnonzero((HERO.triangles == vertex).any(axis=1))[0]) for vertex in spine[:12]]
    do(session, say.Wave, stroke="ripple", triangles=chosen, shares=[0.2, 0.3, 0.5] * 12, **figures)
    edits = session.document.edits
    assert list(edits.surface_strokes) == ["ripple"]
    assert list(edits.shapes)[1:] == ["ripple crest", "ripple flank"]
    assert layers(session)["ripple crest"].keys[-1].time == pytest.approx(0.6)
    do(session, say.Wave, stroke="ripple", **{**figures, "speed": 1.0})
    assert layers(session)["ripple crest"].keys[-1].time == pytest.approx(0.3)
    with pytest.raises(InputError, match="three shares"):
        do(session, say.Wave, stroke="x", triangles=chosen, shares=[1.0], **figures)
    with pytest.raises(InputError, match="there are ripple"):
        do(session, say.Wave, stroke="x", **figures)


def test_firmness_is_offered_where_springs_pull(session):
    assert not state_of(session, 0).edits.firm
    do(session, say.ChooseSkin, skin="springs")
    assert state_of(session, 0).edits.firm


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (say.AddLayer, {"use": "nothing"}),
        (say.ChangeLayer, {"layer": "nobody", "amount": 1.0}),
        (say.ChangeLayer, {"layer": "bulge", "amount": float("nan")}),
        (say.ChangeLayer, {"layer": "bulge", "place": 7}),
        (say.ChangeLayer, {"layer": "bulge", "name": " "}),
        (say.DeleteLayer, {"layer": "nobody"}),
        (say.AddKey, {"layer": "bulge", "time": 1.0, "use": "nothing"}),
        (say.AddKey, {"layer": "bulge", "time": 1.0, "use": "bulge", "ease": "zigzag"}),
        (say.ChangeKey, {"layer": "bulge", "time": 0.7, "to": 1.0}),
        (say.DeleteKey, {"layer": "bulge", "time": 0.7}),
        (say.SetAmount, {"use": "nothing", "amount": 1.0}),
        (say.RenameEdit, {"name": "bulge", "to": "nod"}),
        (say.RenameEdit, {"name": "bulge", "to": "line", "stroke": True}),
        (say.DeleteEdit, {"name": "nothing"}),
        (say.Loop, {"start": 0.5, "end": 0.5}),
        (say.Radial, {"name": "arm", "joint": "nobody", "swell": 0.3}),
        (say.Radial, {"name": " ", "joint": "LeftArm", "swell": 0.3}),
        (say.Radial, {"name": "nod", "joint": "LeftArm", "swell": 0.3}),
        (say.Radial, {"name": "arm", "joint": "LeftArm", "swell": 0.3, "low": 0.8, "high": 0.2}),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(session, kind, what):
    do(session, say.AddLayer, use="bulge")
    before = session.document
    with pytest.raises(InputError):
        do(session, kind, **what)
    assert session.document is before


# Fifty mixed steps


def value(document):
    """All that a document says, as plain data."""
    return to_dict(document.edits), document.character, document.motion, document.skins, document.step


def random_step(session, rng):
    """One command of a person who tries everything: keys, layers, settings, skins, motions, names."""
    edits = session.document.edits
    time, amount = float(rng.uniform(0.0, 2.0)), float(rng.uniform(-1.0, 2.0))
    use = str(rng.choice([*edits.shapes, *edits.poses]))
    layer = edits.layers[int(rng.integers(len(edits.layers)))] if edits.layers else None
    key = layer.keys[int(rng.integers(len(layer.keys)))] if layer else None
    fresh = f"name {rng.integers(10**9)}"
    steps = [
        (say.AddLayer, {"use": use, "seconds": 1.0 + time}),
        (say.AddKey, {"layer": layer.name if layer else "", "time": time, "use": use, "amount": amount}),
        (say.ChooseSkin, {"skin": str(rng.choice(["linear", "dual-quaternion"]))}),
        (say.ChooseMotion, {"motion": str(rng.choice(["walk", "kick"]))}),
        (say.RenameEdit, {"name": use, "to": fresh}),
    ]
    if layer and key:
        steps += [
            (say.ChangeLayer, {"layer": layer.name, "amount": amount}),
            (say.ChangeLayer, {"layer": layer.name, "mute": not layer.mute}),
            (say.ChangeLayer, {"layer": layer.name, "solo": not layer.solo}),
            (say.ChangeLayer, {"layer": layer.name, "firmness": 1.0 + abs(amount)}),
            (say.ChangeLayer, {"layer": layer.name, "place": int(rng.integers(len(edits.layers)))}),
            (say.ChangeLayer, {"layer": layer.name, "name": fresh}),
            (say.ChangeKey, {"layer": layer.name, "time": key.time, "to": time, "copy": bool(rng.integers(2))}),
            (say.ChangeKey, {"layer": layer.name, "time": key.time, "ease": str(rng.choice(["hold", "sine"]))}),
            (say.DeleteKey, {"layer": layer.name, "time": key.time}),
        ]
    kind, what = steps[int(rng.integers(len(steps)))]
    do(session, kind, **what)


@pytest.mark.parametrize("seed", range(3))
def test_fifty_steps_undone_and_redone_are_the_same_by_value(session, seed):
    rng = np.random.default_rng(seed)
    values = [value(session.document)]
    while len(values) <= 50:
        steps = len(session.history.past)
        random_step(session, rng)
        if len(session.history.past) > steps:
            values.append(value(session.document))
    names = [one[-1] for one in values]
    assert state_of(session, 0).past == names[1:]
    for wanted in reversed(values[:-1]):
        do(session, say.Undo)
        assert value(session.document) == wanted
    assert state_of(session, 0).future == names[1:]
    for wanted in values[1:]:
        do(session, say.Redo)
        assert value(session.document) == wanted
    session.advance(1.0 / 60.0, 0)
    do(session, say.Travel, steps=-20)
    assert value(session.document) == values[30]


def test_one_history_holds_edits_poses_and_settings(session):
    """Steps of all kinds between one another: each is undone alone, the last one first, and comes back."""
    steps = [
        (say.AddLayer, {"use": "bulge", "seconds": 1.0}),
        (say.ChooseSkin, {"skin": "incremental"}),
        (say.TurnJoint, {"time": 0.0, "joint": 4, "axis": (0.0, 0.0, 1.0), "angle": 0.3}),
        (say.Change, {"name": "squash", "value": 0.7}),
        (say.ChangeLayer, {"layer": "bulge", "mute": True}),
        (say.MoveJoint, {"time": 0.5, "joint": 7, "by": (0.0, 0.05, 0.0), "key": True}),
        (say.Change, {"name": "correction", "value": 0.5}),
        (say.DeleteLayer, {"layer": "bulge"}),
    ]
    values = [value(session.document)]
    for kind, what in steps:
        do(session, kind, **what)
        while session.views[0].preparing:
            session.take_over()
        assert value(session.document) != values[-1]
        values.append(value(session.document))
    for wanted in reversed(values[:-1]):
        do(session, say.Undo)
        assert value(session.document) == wanted
    for wanted in values[1:]:
        do(session, say.Redo)
        assert value(session.document) == wanted
    do(session, say.Travel, steps=-4)
    assert value(session.document) == values[4]


def test_every_command_has_a_handler():
    kinds = set(say.AnyCommand.__args__) - {say.Drawn}
    assert kinds <= set(HANDLERS)
