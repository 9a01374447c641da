"""What is shown besides one skin: joints, and further views."""

import numpy as np
import pytest
from test_engine import Ear, document

from supple.studio import messages as say
from supple.studio.engine import Engine
from supple.studio.frames import JOINTS, SKIN, kind_and_view, unpacked, unpacked_joints


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
