"""Poses over the VMC protocol: what is sent is what is shown, on any body, and every message is used or counted."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vmc_packets import HERO, SPINE, SPINE_TABLE, UNTURNED, bone, clock, packet, world

import supple
from supple import Pose, Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.live.vmc.encoder import VmcEncoder
from supple.motion.live.vmc.humanoid import HumanoidPose, Puppet, avatar, bone_above
from supple.motion.live.vmc.osc import Message
from supple.motion.live.vmc.protocol import BONES, mirrored_position, mirrored_rotation, understood
from supple.motion.live.vmc.stream import DROPS, VmcStream

MIRROR = np.diag([-1.0, 1.0, 1.0])


def shown(character, *messages: Message, **options) -> Pose:
    """The character after one frame, when everything has settled."""
    stream = VmcStream(character, **options)
    stream.take(packet(*messages), 0.0)
    return stream.sample(10.0)


def direction(pose: Pose, skeleton: Skeleton, start: str, end: str) -> np.ndarray:
    here, there = (world(pose)[skeleton.index(name), :3, 3] for name in (start, end))
    return (there - here) / np.linalg.norm(there - here)


# Unity's axes and ours


@given(st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3), st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4))
def test_a_mirror_takes_turns_and_places_to_our_axes(position, rotation):
    """A rotation R seen in a mirror M is M R M; looking twice is not looking."""
    unit = quaternions.normalize(np.add(rotation, [0.0, 0.0, 0.0, 1e-3]))
    there = quaternions.matrix_from_quat(mirrored_rotation(unit))
    np.testing.assert_allclose(there, MIRROR @ quaternions.matrix_from_quat(unit) @ MIRROR, atol=1e-12)
    np.testing.assert_allclose(mirrored_position(np.array(position)), MIRROR @ position)
    np.testing.assert_array_equal(mirrored_rotation(mirrored_rotation(unit)), unit)


HALF = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("name", "rotation", "start", "end", "points"),
    [
        # In Unity the avatar looks along z, its right is x: the left arm lies along -x. A quarter turn about z takes x
        # to y and so -x to -y, whichever hand the axes are: the left arm hangs down and the right one points up.
        ("LeftUpperArm", (0.0, 0.0, HALF, HALF), "LeftArm", "LeftForeArm", [0.0, -1.0, 0.0]),
        ("RightUpperArm", (0.0, 0.0, HALF, HALF), "RightArm", "RightForeArm", [0.0, 1.0, 0.0]),
        # About y, z goes to x: -x goes to z, the left arm points ahead.
        ("LeftUpperArm", (0.0, HALF, 0.0, HALF), "LeftArm", "LeftForeArm", [0.0, 0.0, 1.0]),
        ("RightUpperArm", (0.0, -HALF, 0.0, HALF), "RightArm", "RightForeArm", [0.0, 0.0, 1.0]),
        # About x, y goes to z: -y goes to -z, a quarter turn takes the thigh back, and the opposite one ahead.
        ("LeftUpperLeg", (HALF, 0.0, 0.0, HALF), "LeftUpLeg", "LeftLeg", [0.0, 0.0, -1.0]),
        ("RightUpperLeg", (-HALF, 0.0, 0.0, HALF), "RightUpLeg", "RightLeg", [0.0, 0.0, 1.0]),
    ],
)
def test_limbs_go_where_unity_sends_them(name, rotation, start, end, points):
    pose = shown(HERO, bone(name, rotation=rotation))
    np.testing.assert_allclose(direction(pose, HERO.skeleton, start, end), points, atol=1e-6)


def test_a_t_pose_sent_is_a_t_pose_shown():
    """The hero rests with its arms lowered by 45 degrees; every bone unturned raises them."""
    pose = shown(HERO, *(bone(name) for name in BONES))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for start, end in (("Arm", "ForeArm"), ("ForeArm", "Hand")):
            np.testing.assert_allclose(
                direction(pose, HERO.skeleton, side + start, side + end), [sign, 0.0, 0.0], atol=1e-6
            )
        for start, end in (("UpLeg", "Leg"), ("Leg", "Foot")):
            np.testing.assert_allclose(
                direction(pose, HERO.skeleton, side + start, side + end), [0.0, -1.0, 0.0], atol=1e-6
            )
    head = HERO.skeleton.index("Head")
    np.testing.assert_allclose(world(pose)[head, :3, :3], HERO.skeleton.world_from_joint[head, :3, :3], atol=1e-6)


def random_avatar(seed: int, angle: float = 0.6) -> HumanoidPose:
    chance = np.random.default_rng(seed)
    sent = HumanoidPose()
    vectors = angle * chance.standard_normal((len(BONES), 3))
    sent.rotations = quaternions.quat_from_axis_angle(vectors, np.linalg.norm(vectors, axis=1))
    body = avatar()
    sent.positions = body.parent_from_joint[:, :3, 3] + 0.0
    sent.positions[0] += 0.2 * chance.standard_normal(3)
    sent.root_rotation = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], chance.uniform(-3.0, 3.0))
    sent.root_position = chance.standard_normal(3)
    return sent


def turned(skeleton: Skeleton, rotation: np.ndarray) -> Skeleton:
    carry = np.eye(4)
    carry[:3, :3] = rotation
    return Skeleton(skeleton.names, skeleton.parents, carry @ skeleton.world_from_joint)


@pytest.mark.parametrize("angle", [math.pi, math.pi / 2.0, -math.pi / 2.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_character_goes_on_facing_where_it_faces(angle, seed):
    """Models of VRM 0 look along -z: all that is sent happens in their own axes."""
    rotation = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], angle))
    sent = random_avatar(seed)
    plain = Puppet(HERO.skeleton, table=None, hip_height=None).pose(sent, {})
    other = Puppet(turned(HERO.skeleton, rotation), table=None, hip_height=None).pose(sent, {})
    carry = np.eye(4)
    carry[:3, :3] = rotation
    np.testing.assert_allclose(world(other), carry @ world(plain), atol=1e-9)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_mirrored_avatar_is_a_mirrored_character(seed):
    """The hero mirrors itself, so a pose with left and right exchanged must be its mirror image."""
    sent = random_avatar(seed)
    other = sent.copy()
    for number, name in enumerate(BONES):
        partner = name.replace("Left", "#").replace("Right", "Left").replace("#", "Right")
        other.rotations[BONES.index(partner)] = mirrored_rotation(sent.rotations[number])
        other.positions[BONES.index(partner)] = mirrored_position(sent.positions[number])
    other.root_rotation, other.root_position = (
        mirrored_rotation(sent.root_rotation),
        mirrored_position(sent.root_position),
    )
    puppet = Puppet(HERO.skeleton, table=None, hip_height=None)
    heads, mirrored = (world(puppet.pose(pose, {}))[:, :3, 3] for pose in (sent, other))
    for joint, name in enumerate(HERO.skeleton.names):
        partner = name.replace("Left", "#").replace("Right", "Left").replace("#", "Right")
        np.testing.assert_allclose(mirrored[HERO.skeleton.index(partner)], MIRROR @ heads[joint], atol=1e-6)


# There and back


@pytest.mark.parametrize(("name", "fingers"), [("walk", False), ("dance", True)])
def test_a_motion_comes_back_as_it_went(name, fingers):
    """Through 32-bit numbers: a few micrometres are lost."""
    hero = supple.character("hero", vertices=2000, fingers=True) if fingers else HERO
    motion = supple.motion(name, hero)
    encoder, puppet = VmcEncoder(hero), Puppet(hero.skeleton, table=None, hip_height=None)
    for time in (0.0, 0.4, 1.3):
        pose = motion.sample(time)
        back = puppet.pose(encoder.humanoid(pose), {})
        np.testing.assert_allclose(world(back), world(pose), atol=1e-9)
        stream = VmcStream(hero)
        for datagram in encoder.datagrams(pose, 5.0):
            assert len(datagram) <= 1400
            stream.take(datagram, 0.0)
        np.testing.assert_allclose(world(stream.sample(1.0)), world(pose), atol=2e-6)


@pytest.mark.parametrize("name", ["CesiumMan", "human_cmu_8clips", "RiggedFigure"])
def test_real_characters_come_back(name, data_file):
    """Where trunks have as many joints as an avatar's, exactly; else bends are shared out along them."""
    character = supple.load(data_file(f"gltf/{name}.glb"))
    motion = next(iter(character.motions.values()))
    encoder, puppet = VmcEncoder(character), Puppet(character.skeleton, table=None, hip_height=None)
    size = np.ptp(character.points, axis=0).max()
    for time in (0.0, 0.3, 0.9):
        pose = motion.sample(time)
        off = world(puppet.pose(encoder.humanoid(pose), {}))[:, :3, 3] - world(pose)[:, :3, 3]
        assert np.linalg.norm(off, axis=1)[list(puppet.pairs)].mean() < 0.03 * size


def test_a_larger_sender_moves_the_same_character_the_same_way():
    sent = random_avatar(7)
    large = sent.copy()
    large.positions, large.root_position = 2.5 * sent.positions, 2.5 * sent.root_position
    puppet = Puppet(HERO.skeleton, table=None, hip_height=None)
    np.testing.assert_allclose(world(puppet.pose(large, {})), world(puppet.pose(sent, {})), atol=1e-9)


def test_the_height_of_the_hips_can_be_told():
    hips = HERO.skeleton.index("Hips")
    pose = shown(HERO, bone("Hips", (1.0, 0.5, 0.0)), hip_height=0.5)
    rest = HERO.skeleton.heads[hips]
    np.testing.assert_allclose(world(pose)[hips, :3, 3], [-rest[1] / 0.5, rest[1], 0.0], atol=1e-6)


def test_a_body_whose_hips_rest_at_the_origin_has_its_height_measured_down_to_its_soles():
    """Many captured skeletons rest like that."""
    low = HERO.skeleton.world_from_joint.copy()
    low[:, 1, 3] -= low[0, 1, 3]
    sunk = Skeleton(HERO.skeleton.names, HERO.skeleton.parents, low, tails=None)
    lowest = min(sunk.heads[:, 1].min(), sunk.bones.ends[:, 1].min())
    pose = shown(sunk, bone("Hips", (0.0, 0.5, 0.0)), hip_height=0.5)
    np.testing.assert_allclose(world(pose)[0, :3, 3], [0.0, -lowest, 0.0], atol=1e-6)


@pytest.mark.parametrize("position", [(0.0, 0.0, 0.0), (0.3, 4.0, 0.1)])
def test_hips_whose_size_is_not_known_stay_where_they_are(position):
    """Some programs send turns only, and places of zero."""
    pose = shown(HERO, bone("Hips", position), bone("LeftLowerLeg"), bone("LeftFoot"))
    hips = HERO.skeleton.index("Hips")
    np.testing.assert_allclose(world(pose)[hips, :3, 3], HERO.skeleton.heads[hips], atol=1e-9)


def test_hips_at_the_origin_were_not_sent():
    """The legs are known, but a body whose hips are exactly at the origin would lie in the floor."""
    positions = mirrored_position(random_avatar(1).positions)
    positions[0] = 0.0
    pose = shown(HERO, *(bone(name, position) for name, position in zip(BONES, positions, strict=True)))
    hips = HERO.skeleton.index("Hips")
    np.testing.assert_allclose(world(pose)[hips, :3, 3], HERO.skeleton.heads[hips], atol=1e-9)


@pytest.mark.parametrize("more", [(), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)])
def test_the_root_carries_everything(more):
    """With 8 and with 14 arguments; the scale for mixed reality is ignored."""
    rotation = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 0.7)
    root = Message("/VMC/Ext/Root/Pos", ("root", 1.0, 0.0, 2.0, *rotation, *more))
    body = [
        bone(name, position)
        for name, position in zip(BONES, mirrored_position(random_avatar(1).positions), strict=True)
    ]
    still, moved = shown(HERO, *body), shown(HERO, *body, root)
    carry = np.eye(4)
    carry[:3, :3] = quaternions.matrix_from_quat(mirrored_rotation(rotation))
    leg = 0.5 * sum(
        np.linalg.norm(np.diff(HERO.skeleton.heads[[a, b, c]], axis=0), axis=1).sum()
        for a, b, c in ((12, 13, 14), (21, 22, 23))
    )
    carry[:3, 3] = np.array([-1.0, 0.0, 2.0]) * leg / 0.82  # an avatar's leg is 0.82 m
    np.testing.assert_allclose(world(moved), carry @ world(still), atol=1e-5)


# Who follows whom


def test_the_avatar_is_a_body_that_mirrors_itself():
    body = avatar()
    assert body.names == BONES
    assert len(BONES) == 55
    for joint, name in enumerate(BONES):
        partner = body.index(name.replace("Left", "#").replace("Right", "Left").replace("#", "Right"))
        np.testing.assert_allclose(body.heads[partner], MIRROR @ body.heads[joint])
    with pytest.raises(InputError, match="a bone is called 'Tail'"):
        bone_above("Tail")


def test_joints_follow_by_name_and_by_table():
    followed = VmcStream(HERO).followed
    assert followed["LeftForeArm"] == "LeftLowerArm"
    assert followed["Spine2"] == "UpperChest"
    assert VmcStream(HERO, table={"Head": "Jaw"}).followed == {**followed, "Head": "Jaw"}
    assert VmcStream(SPINE, table=SPINE_TABLE).followed == SPINE_TABLE
    pose = shown(SPINE, bone("Spine", rotation=(HALF, 0.0, 0.0, HALF)), table=SPINE_TABLE)
    np.testing.assert_allclose(direction(pose, SPINE, "b", "c"), [0.0, 0.0, 1.0], atol=1e-6)


@pytest.mark.parametrize(
    ("character", "options", "says"),
    [
        (SPINE, {}, "pass table="),
        (SPINE, {"table": {"a": "Tail"}}, "'Tail' stands for a joint of the source"),
        (SPINE, {"table": {"z": "Hips"}}, "'z' stands for a joint of the target"),
        ("hero", {}, "the character is str"),
        (HERO, {"hip_height": 0.0}, "hip_height is 0.0"),
        (HERO, {"hip_height": np.nan}, "hip_height is nan"),
        (HERO, {"shapes": {"Joy": "smile"}}, "'smile' stands for a shape of the character, but it has none"),
        (HERO, {"delay": -1.0}, "delay is -1.0"),
        (HERO, {"smoothing": -1.0}, "smoothing is -1.0"),
        (HERO, {"ease": 0.0}, "ease is 0.0"),
    ],
)
def test_streams_refuse(character, options, says):
    with pytest.raises(InputError, match=says):
        VmcStream(character, **options)


# Messages


GOOD = bone("Hips", (0.0, 0.9, 0.0))


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (GOOD, ""),
        (bone("hips", (0.0, 0.9, 0.0)), ""),
        (Message("/VMC/Ext/Bone/Pos", (*GOOD.arguments, 7, "more")), ""),
        (Message("/VMC/Ext/Bone/Pos", ("Hips", 0, 1, 0, 0, 0, 0, 1)), ""),
        (Message("/VMC/Ext/Bone/Pos", GOOD.arguments[:7]), "arguments"),
        (Message("/VMC/Ext/Bone/Pos", ()), "arguments"),
        (Message("/VMC/Ext/Bone/Pos", (3, *GOOD.arguments[1:])), "arguments"),
        (Message("/VMC/Ext/Bone/Pos", ("Hips", "0", 0.9, 0.0, *UNTURNED)), "arguments"),
        (Message("/VMC/Ext/Bone/Pos", ("Hips", True, 0.9, 0.0, *UNTURNED)), "arguments"),
        (bone("Tail"), "unknown bone"),
        (bone("Hips", (math.nan, 0.0, 0.0)), "not a number"),
        (bone("Hips", (0.0, math.inf, 0.0)), "not a number"),
        (bone("Hips", rotation=(0.0, 0.0, 0.0, 0.0)), "not a number"),
        (bone("Hips", rotation=(0.0, 0.0, 1e-9, 0.0)), "not a number"),
        (bone("Hips", rotation=(0.0, math.nan, 0.0, 1.0)), "not a number"),
        (bone("Hips", rotation=(1.7e308, 1.7e308, 0.0, 1e308)), "not a number"),
        (bone("Hips", (0.0, 0.0, 1001.0)), "too far"),
        (bone("Hips", (0.0, 0.0, -1000.0)), ""),
        (Message("/VMC/Ext/Root/Pos", ("root", 0.0, 0.0, 0.0, *UNTURNED)), ""),
        (Message("/VMC/Ext/Root/Pos", ("root", 0.0, 0.0)), "arguments"),
        (clock(1.0), ""),
        (Message("/VMC/Ext/T", ()), "arguments"),
        (Message("/VMC/Ext/T", ("now",)), "arguments"),
        (clock(math.nan), "not a number"),
        (Message("/VMC/Ext/OK", (1, 3, 0, 1)), ""),
        (Message("/VMC/Ext/Blend/Apply"), ""),
        (Message("/VMC/Ext/Blend/Val", ("Joy", 0.5)), ""),
        (Message("/VMC/Ext/Blend/Val", ("Joy",)), "arguments"),
        (Message("/VMC/Ext/Blend/Val", (0.5, "Joy")), "arguments"),
        (Message("/VMC/Ext/Blend/Val", ("Joy", math.inf)), "not a number"),
        (Message("/VMC/Ext/Blend/Val", ("Joy", 101.0)), "too far"),
        (Message("/VMC/Ext/Light", ("Light", 0.0)), "unknown address"),
    ],
)
def test_every_message_is_used_or_counted(message, reason):
    dropped: Counter[str] = Counter()
    understood([message], dropped)
    assert dict(dropped) == ({reason: 1} if reason else {})
    assert reason == "" or reason in DROPS


def test_turns_need_not_be_unit_and_the_rest_of_a_bad_datagram_counts():
    stream = VmcStream(HERO)
    quarter = (0.0, 0.0, 3.0, 3.0)
    stream.take(packet(bone("Hips", (math.nan,) * 3), bone("LeftUpperArm", rotation=quarter)), 0.0)
    assert stream.counts["not a number"] == 1
    found = direction(stream.sample(1.0), HERO.skeleton, "LeftArm", "LeftForeArm")
    np.testing.assert_allclose(found, [0.0, -1.0, 0.0], atol=1e-6)


def test_shapes_wait_until_they_are_applied():
    offsets = np.zeros_like(HERO.points)
    hero = HERO.replace(shapes={"smile": offsets, "Blink_L": offsets})
    stream = VmcStream(hero, delay=0.0, shapes={"Joy": "smile"})
    values = [Message("/VMC/Ext/Blend/Val", (name, 0.5)) for name in ("joy", "blinkL", "Angry")]
    stream.take(packet(clock(0.0), *values), 0.0)
    assert stream.counts["unknown shape"] == 1
    assert dict(stream.sample(0.0).shapes) == {}
    stream.take(packet(clock(0.1), Message("/VMC/Ext/Blend/Apply")), 0.1)
    assert dict(stream.sample(0.1).shapes) == {"smile": 0.5, "Blink_L": 0.5}
    sent = VmcEncoder(hero).datagrams(Pose(HERO.skeleton.world_from_joint, shapes={"smile": 0.25}), 0.2)
    for datagram in sent:
        stream.take(datagram, 0.2)
    assert dict(stream.sample(0.2).shapes) == pytest.approx({"smile": 0.25, "Blink_L": 0.5})
