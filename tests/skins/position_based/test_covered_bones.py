"""No bone comes out between the corners of large triangles that lie over it where the bones alone carry the skin."""

import numpy as np
import pytest

import supple
from supple import Character, Skeleton, Weights
from supple import device as devices
from supple.geometry import quaternions
from supple.geometry.flesh import Flesh
from supple.skins.position_based.body.covered_bones import CoveredBones

SIDE = 0.2


def bar(divisions=1):
    """A square bar along y, of triangles as long as it is, with a bone nearer to its front (z > 0) than to its back."""
    height = np.linspace(0.0, 1.0, divisions + 1)
    ring = SIDE * np.array([[-0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [0.5, 0.0, -0.5], [-0.5, 0.0, -0.5]])
    points = (ring[None] + height[:, None, None] * np.array([0.0, 1.0, 0.0])).reshape(-1, 3)
    faces = [[0, 2, 1], [0, 3, 2]]
    for k in range(divisions):
        for s in range(4):
            a, b = 4 * k + s, 4 * k + (s + 1) % 4
            faces += [[a, b, b + 4], [a, b + 4, a + 4]]
    top = 4 * divisions
    faces += [[top, top + 1, top + 2], [top, top + 2, top + 3]]
    skeleton = Skeleton.from_heads(
        ["bone"], np.array([-1]), np.array([[0.0, 0.05, 0.03]]), tails=np.array([[0.0, 0.95, 0.03]])
    )
    weights = Weights.from_dense(np.ones((len(points), 1)))
    return Character(points, np.array(faces), skeleton, weights, name="bar")


def covered(character, incoming, skin, pose=None, device="cpu", copies=1):
    bones = CoveredBones.from_character(character, np.ones(len(character.points))).stack(copies)
    wp, constants = devices.warp(), devices.Constants(device)
    pose = supple.Pose.rest(character.skeleton) if pose is None else pose
    transforms = np.tile(pose.skinning(character.skeleton)[:, :3, :], (copies, 1, 1)).astype(np.float32)
    mat34 = wp.types.matrix(shape=(3, 4), dtype=wp.float32)
    there = wp.array(transforms, dtype=mat34, device=device)
    before, after = (devices.to_device(x.astype(np.float32), wp.vec3f, device) for x in (incoming, skin))
    for stage in bones.record(there, before, after, constants):
        stage()
    return np.array(devices.to_host(after), dtype=float)


def pressed_in(character, depth):
    """The bar with its front pressed in by a depth [m], as flesh might be."""
    front = character.points[:, 2] > 0.0
    return character.points - depth * front[:, None] * np.array([0.0, 0.0, 1.0])


def test_a_front_that_was_pressed_behind_the_bone_comes_back_before_it():
    character = bar()
    front = character.points[:, 2] > 0.0
    along = np.array([[0.0, y, 0.03] for y in np.linspace(0.05, 0.95, 33)])
    pressed = pressed_in(character, 0.09)  # 2 cm behind the bone
    found = covered(character, character.points, pressed)
    assert Flesh(character.points, character.triangles).inside(along).all()
    assert not Flesh(pressed, character.triangles).inside(along).any()
    assert Flesh(found, character.triangles).inside(along).all()
    assert (found[front, 2] < character.points[front, 2]).all()
    np.testing.assert_allclose(found[~front], character.points[~front], atol=1e-7)


def test_it_is_the_same_wherever_the_bone_stands():
    character = bar()
    turn = quaternions.quat_from_axis_angle(np.array([0.3, 0.5, -0.8]) / np.linalg.norm([0.3, 0.5, -0.8]), 1.1)
    pose = supple.Pose.from_rotations(character.skeleton, {"bone": turn})
    matrix = pose.skinning(character.skeleton)[0]

    def moved(points):
        return points @ matrix[:3, :3].T + matrix[:3, 3]

    pressed = pressed_in(character, 0.09)
    plain = covered(character, character.points, pressed)
    turned = covered(character, moved(character.points), moved(pressed), pose)
    np.testing.assert_allclose(turned, moved(plain), atol=1e-6)


def test_skin_that_covers_its_bone_is_left_as_it_is():
    character = bar()
    skin = pressed_in(character, 0.02).astype(np.float32).astype(float)
    np.testing.assert_array_equal(covered(character, character.points, skin), skin)


def test_bones_may_come_out_where_they_do_without_flesh():
    character = bar()
    bared = pressed_in(character, 0.09).astype(np.float32).astype(float)
    np.testing.assert_allclose(covered(character, bared, bared), bared, atol=1e-7)


def test_small_triangles_are_left_to_their_corners():
    """Every vertex stays on its side of the bone below it already: see `cover_bones`."""
    assert len(CoveredBones.from_character(bar(), np.ones(8)).joints) > 0
    fine = supple.character("tube", vertices=8000)
    assert len(CoveredBones.from_character(fine, np.ones(len(fine.points))).joints) == 0


def test_skin_that_other_bones_carry_is_left_to_them():
    character = bar()
    assert len(CoveredBones.from_character(character, np.zeros(len(character.points))).joints) == 0


def test_a_crowd_is_as_each_of_it():
    character = bar(2)
    skins = [pressed_in(character, depth) for depth in (0.0, 0.09, 0.11)]
    together = covered(character, np.tile(character.points, (3, 1)), np.concatenate(skins), copies=3)
    each = [covered(character, character.points, skin) for skin in skins]
    np.testing.assert_array_equal(together, np.concatenate(each))


@pytest.mark.cuda
def test_a_gpu_does_the_same():
    character = bar(2)
    pressed = pressed_in(character, 0.09)
    on_cpu, on_gpu = (covered(character, character.points, pressed, device=device) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(on_gpu, on_cpu, atol=1e-6)
