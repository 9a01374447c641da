"""A shape on another bone: the same place along it, on the same side of it, as large as the limb is thick."""

import numpy as np
import pytest

import supple
from supple.edits import SurfaceEdit, copy_edit, radial
from supple.errors import InputError
from supple.skins.springs.attachment.attachment import attach


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


@pytest.fixture(scope="module")
def attached(hero):
    return attach(hero)


def bump(attached, segment, side, *, height=0.02):
    """Skin on one side of the middle of a bone, lifted off it."""
    own = attached.segment == segment
    out = attached.scale_vectors / np.maximum(np.linalg.norm(attached.scale_vectors, axis=1), 1e-9)[:, None]
    weight = own * np.exp(-(((attached.along - 0.5) / 0.15) ** 2)) * np.clip(out @ side, 0.0, 1.0) ** 2
    return SurfaceEdit.of(height * weight[:, None] * out)


def segment_of(attached, hero, joint):
    number = hero.skeleton.index(joint)
    mine = np.flatnonzero(attached.segments.joints == number)
    return int(mine[np.bincount(attached.segment, minlength=len(attached.segments))[mine].argmax()])


def middle(hero, attached, edit):
    """Where on its bone an edit is, mean of `along`, and to which side it lifts the skin."""
    size = np.linalg.norm(edit.offsets, axis=1)
    way = edit.offsets.sum(axis=0)
    return np.average(attached.along[edit.vertices], weights=size), way / np.linalg.norm(way), size.max()


@pytest.mark.parametrize("to", ["LeftUpLeg", "RightArm", "RightLeg"])
def test_the_front_of_an_arm_goes_to_the_front_of_other_limbs(hero, attached, to):
    edit = bump(attached, segment_of(attached, hero, "LeftArm"), np.array([0.0, 0.0, 1.0]))
    copied = copy_edit(hero, edit, to, attachment=attached)
    assert set(attached.segment[copied.vertices]) == {segment_of(attached, hero, to)}
    at, way, _ = middle(hero, attached, copied)
    assert at == pytest.approx(0.5, abs=0.08)
    assert way[2] > 0.9


def test_from_left_to_right_it_is_as_in_a_mirror(hero, attached):
    """What is above on one arm is above on the other, and as large."""
    edit = bump(attached, segment_of(attached, hero, "LeftArm"), np.array([0.0, 1.0, 0.0]))
    copied = copy_edit(hero, edit, "RightArm", attachment=attached)
    (at, way, size), (there, other, its) = (middle(hero, attached, one) for one in (edit, copied))
    assert there == pytest.approx(at, abs=0.03)
    np.testing.assert_allclose(other, way * [-1.0, 1.0, 1.0], atol=0.1)
    assert its == pytest.approx(size, rel=0.2)  # the few vertices of an arm do not lie alike left and right


@pytest.mark.parametrize(("to", "inner"), [("LeftUpLeg", -1.0), ("RightUpLeg", 1.0)])
def test_the_inner_side_of_an_arm_goes_to_the_inner_side_of_legs(hero, attached, to, inner):
    edit = bump(attached, segment_of(attached, hero, "LeftArm"), np.array([-0.7, -0.7, 0.0]))
    assert middle(hero, attached, copy_edit(hero, edit, to, attachment=attached))[1][0] * inner > 0.8


def test_a_thicker_limb_gets_more_of_it(hero, attached):
    edit = radial(hero, "LeftArm", swell=0.3, profile="bell", attachment=attached)
    copied = copy_edit(hero, edit, "LeftUpLeg", attachment=attached)
    wanted = radial(hero, "LeftUpLeg", swell=0.3, profile="bell", attachment=attached)
    assert middle(hero, attached, copied)[2] == pytest.approx(middle(hero, attached, wanted)[2], rel=0.3)


def test_what_goes_on_over_a_joint_goes_on_there(hero, attached):
    arm, fore = (
        radial(hero, joint, swell=0.2, profile="even", attachment=attached) for joint in ("LeftArm", "LeftForeArm")
    )
    both = SurfaceEdit.of(arm.dense(len(hero.points)) + fore.dense(len(hero.points)))
    copied = copy_edit(hero, both, "RightArm", attachment=attached)
    reached = set(attached.segment[copied.vertices])
    assert {segment_of(attached, hero, joint) for joint in ("RightArm", "RightForeArm")} <= reached
    assert segment_of(attached, hero, "LeftArm") not in reached


def test_a_force_stays_one(hero, attached):
    edit = bump(attached, segment_of(attached, hero, "LeftArm"), np.array([0.0, 0.0, 1.0]))
    held = edit.hold(edit.vertices[np.linalg.norm(edit.offsets, axis=1) > 0.01], stiffness=30.0)
    copied = copy_edit(hero, held, "RightArm", attachment=attached)
    assert copied.stiffness == 30.0
    assert 0 < len(copied.handles) < len(copied.vertices)


def test_what_cannot_be_copied_is_refused(hero, attached):
    edit = bump(attached, segment_of(attached, hero, "LeftArm"), np.array([0.0, 0.0, 1.0]))
    with pytest.raises(InputError, match="drawn on"):
        copy_edit(hero, edit, "LeftArm", attachment=attached)
    with pytest.raises(InputError, match="moves nothing"):
        copy_edit(hero, SurfaceEdit.of(np.zeros((3, 3))), "LeftArm", attachment=attached)
    with pytest.raises(InputError, match="tail"):
        copy_edit(hero, edit, "tail", attachment=attached)
