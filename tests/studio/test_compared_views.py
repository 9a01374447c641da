"""What is shown besides one skin: joints, and further views."""

import numpy as np
import pytest
from test_engine import Ear, document

import supple
from supple.studio import messages as say
from supple.studio.engine import Engine
from supple.studio.frames import JOINTS, SKIN, FramePacker, kind_and_view, unpacked, unpacked_joints


@pytest.fixture
def played():
    engine, ear = Engine(document("linear")), Ear()
    engine.start()
    engine.listen(ear)
    ear.until(lambda: ear.frames and ear.state.views[0].preparing is None)
    yield engine, ear
    engine.stop()


def kinds(ear):
    return {kind_and_view(frame)[0] for frame in ear.frames}


def test_joints_come_only_while_they_are_wanted(played):
    engine, ear = played
    assert (kinds(ear), ear.state.shown.joints) == ({SKIN}, False)
    names, parents = ear.state.skeleton.names, ear.state.skeleton.parents
    assert parents[names.index("LeftForeArm")] == names.index("LeftArm")
    engine.tell(say.Show(1, joints=True))
    ear.until(lambda: JOINTS in kinds(ear))
    assert ear.state.shown.joints
    engine.tell(say.Show(2, joints=False))
    ear.until(lambda: not ear.state.shown.joints)
    ear.frames.clear()
    ear.until(lambda: len(ear.frames) > 3)
    assert kinds(ear) == {SKIN}


def test_joints_are_those_of_the_skin_that_follows(played):
    engine, ear = played
    engine.tell(say.Show(1, joints=True))
    ear.until(lambda: [kind_and_view(frame)[0] for frame in ear.frames[-2:]] == [JOINTS, SKIN])
    frames = list(ear.frames)
    at = next(i for i, frame in enumerate(frames) if kind_and_view(frame)[0] == JOINTS)
    head, joints = unpacked_joints(frames[at])
    skin, points, _ = unpacked(frames[at + 1])
    assert (head.frame, head.motion_time) == (skin.frame, skin.motion_time)
    tip = joints[ear.state.skeleton.names.index("LeftHand"), :, 3]
    assert np.linalg.norm(points - tip, axis=1).min() < 0.05


def settled(ear, *skins):
    def there():
        views = ear.state.views
        return [view.stages[-1].skin for view in views] == list(skins) and not any(view.preparing for view in views)

    ear.until(there)


def later(ear, flesh_time):
    ear.until(lambda: unpacked(ear.frames[-1])[0].flesh_time > flesh_time)


def last_frames(ear, count):
    """The newest skin of every view, of one frame."""
    ear.frames.clear()
    ear.until(lambda: len(ear.frames) > 2 * count)
    heads = [unpacked(frame) for frame in list(ear.frames)]
    newest = heads[-1][0].frame - 1
    return [one for one in heads if one[0].frame == newest]


def test_skins_are_compared_at_the_same_time(played):
    engine, ear = played
    engine.tell(say.AddView(1, "delta-mush"))
    engine.tell(say.AddView(2, "dual-quaternion"))
    settled(ear, "linear", "delta-mush", "dual-quaternion")
    heads, points, _ = zip(*last_frames(ear, 3), strict=True)
    assert [head.view for head in heads] == [0, 1, 2]
    assert len({(head.motion_time, head.flesh_time) for head in heads}) == 1
    apart = np.linalg.norm(points[1] - points[0], axis=1)
    assert 1e-3 < apart.max() < 0.1


def test_every_view_shows_what_it_would_show_alone(played):
    engine, ear = played
    engine.tell(say.AddView(1, "dual-quaternion"))
    settled(ear, "linear", "dual-quaternion")
    engine.tell(say.Pause(2))
    later(ear, ear.frame_with(2)[0].flesh_time + 0.6)  # until skins have gone over to each other and the pose stands
    heads, points, _ = zip(*last_frames(ear, 2), strict=True)
    hero = supple.character("hero", vertices=800)
    pose = supple.motion("walk", hero).sample(heads[0].motion_time)
    vertex = FramePacker(hero).creases.vertex_of_normal
    for skin, shown in zip([supple.LinearBlend(), supple.DualQuaternion()], points, strict=True):
        alone = supple.player(hero, skin).advance(pose)
        np.testing.assert_allclose(shown, alone[vertex], atol=2e-4)


def test_views_go_and_come_back_and_what_stays_is_not_bound_again(played):
    engine, ear = played
    engine.tell(say.AddView(1, "dual-quaternion"))
    settled(ear, "linear", "dual-quaternion")
    before = [view.player for view in engine._session.views]
    engine.tell(say.RemoveView(2, 0))
    settled(ear, "dual-quaternion")
    assert engine._session.views[0].player is before[1]
    assert {head.view for head, *_ in last_frames(ear, 1)} == {0}
    assert ear.state.undo == "Remove linear"
    engine.tell(say.Undo(3))
    settled(ear, "linear", "dual-quaternion")
    assert engine._session.views[1].player is before[1]
    engine.tell(say.Undo(4))
    settled(ear, "linear")
    assert ear.state.redo == "Compare dual-quaternion"


def test_hands_hold_the_skin_of_one_view(played):
    engine, ear = played
    engine.tell(say.AddView(1, "dual-quaternion"))
    settled(ear, "linear", "dual-quaternion")
    engine.tell(say.Pause(2))
    ear.frame_with(2)
    (_, first, _), (_, second, _) = last_frames(ear, 2)
    vertex = FramePacker(supple.character("hero", vertices=800)).creases.vertex_of_normal
    place = int(np.flatnonzero(vertex == 500)[0])
    engine.tell(say.Hold(3, "mouse", [500], [1.0], tuple(second[place] + [0.0, 0.0, 0.1]), view=1))
    later(ear, ear.frame_with(3)[0].flesh_time + 0.5)
    (_, still, _), (_, held, _) = last_frames(ear, 2)
    assert np.linalg.norm(held[place] - second[place]) > 0.09
    assert np.linalg.norm(still[place] - first[place]) < 1e-3


def test_views_that_cannot_be_are_refused(played):
    engine, ear = played
    for seq in range(1, 4):
        engine.tell(say.AddView(seq, "linear"))
    settled(ear, *["linear"] * 4)
    wrong = [say.AddView(4, "linear"), say.AddView(5, "velvet"), say.RemoveView(6, 3), say.RemoveView(7, 3)]
    for command in wrong:
        engine.tell(command, ear)
    ear.frame_with(7)
    refused = [event for event in ear.events if isinstance(event, say.Refused)]
    assert [event.seq for event in refused] == [4, 5, 7]
    assert all(event.given and event.needed and event.advice for event in refused)
    for seq in (8, 9, 10):
        engine.tell(say.RemoveView(seq, 0), ear)
    ear.until(lambda: [event for event in ear.events if isinstance(event, say.Refused) and event.seq == 10])
    assert len(ear.state.views) == 1
