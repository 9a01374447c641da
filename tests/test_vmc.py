"""Poses over the VMC protocol: what is sent is what is shown, whatever the sender and the network do."""

import math
import socket
import sys
import threading
import time as clocks
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple import InputError, NoisyReplay, Pose, Skeleton, VmcReceiver, VmcSender
from supple.geometry import rotations
from supple.motion.relative import RelativePose, rotation_vectors
from supple.motion.vmc.clock import SenderClock
from supple.motion.vmc.encoder import VmcEncoder
from supple.motion.vmc.humanoid import HumanoidPose, Puppet, avatar, bone_above
from supple.motion.vmc.osc import Message, read_packet, write_bundle, write_message
from supple.motion.vmc.protocol import BONES, mirrored_place, mirrored_turn, understood
from supple.motion.vmc.stream import DROPS, VmcStream

HERO = supple.character("hero", vertices=2000)
WALK = supple.motion("walk", HERO)
UNTURNED = (0.0, 0.0, 0.0, 1.0)
MIRROR = np.diag([-1.0, 1.0, 1.0])
SPINE = Skeleton.from_heads(["a", "b", "c"], [-1, 0, 1], [[0.0, 1.0, 0.0], [0.0, 1.3, 0.0], [0.0, 1.6, 0.0]])
SPINE_TABLE = {"a": "Hips", "b": "Spine", "c": "Chest"}


def world(pose: Pose) -> np.ndarray:
    return pose.world_from_joint


def bone(name: str, place=(0.0, 0.0, 0.0), turn=UNTURNED) -> Message:
    return Message("/VMC/Ext/Bone/Pos", (name, *map(float, place), *map(float, turn)))


def clock(time: float) -> Message:
    return Message("/VMC/Ext/T", (float(time),))


def packet(*messages: Message) -> bytes:
    return write_bundle([write_message(message) for message in messages])


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
def test_a_mirror_takes_turns_and_places_to_our_axes(place, turn):
    """A rotation R seen in a mirror M is M R M; looking twice is not looking."""
    unit = rotations.normalised(np.add(turn, [0.0, 0.0, 0.0, 1e-3]))
    there = rotations.matrix_from_quaternion(mirrored_turn(unit))
    np.testing.assert_allclose(there, MIRROR @ rotations.matrix_from_quaternion(unit) @ MIRROR, atol=1e-12)
    np.testing.assert_allclose(mirrored_place(np.array(place)), MIRROR @ place)
    np.testing.assert_array_equal(mirrored_turn(mirrored_turn(unit)), unit)


HALF = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("name", "turn", "start", "end", "points"),
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
def test_limbs_go_where_unity_sends_them(name, turn, start, end, points):
    pose = shown(HERO, bone(name, turn=turn))
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
    sent.turns = rotations.quaternion_about(vectors, np.linalg.norm(vectors, axis=1))
    body = avatar()
    sent.places = body.parent_from_joint[:, :3, 3] + 0.0
    sent.places[0] += 0.2 * chance.standard_normal(3)
    sent.root_turn = rotations.quaternion_about([0.0, 1.0, 0.0], chance.uniform(-3.0, 3.0))
    sent.root_place = chance.standard_normal(3)
    return sent


def turned(skeleton: Skeleton, turn: np.ndarray) -> Skeleton:
    carry = np.eye(4)
    carry[:3, :3] = turn
    return Skeleton(skeleton.names, skeleton.parents, carry @ skeleton.world_from_joint)


@pytest.mark.parametrize("angle", [math.pi, math.pi / 2.0, -math.pi / 2.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_character_goes_on_facing_where_it_faces(angle, seed):
    """Models of VRM 0 look along -z: all that is sent happens in their own axes."""
    turn = rotations.matrix_from_quaternion(rotations.quaternion_about([0.0, 1.0, 0.0], angle))
    sent = random_avatar(seed)
    plain = Puppet(HERO.skeleton, table=None, hip_height=None).pose(sent, {})
    other = Puppet(turned(HERO.skeleton, turn), table=None, hip_height=None).pose(sent, {})
    carry = np.eye(4)
    carry[:3, :3] = turn
    np.testing.assert_allclose(world(other), carry @ world(plain), atol=1e-9)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_mirrored_avatar_is_a_mirrored_character(seed):
    """The hero mirrors itself, so a pose with left and right exchanged must be its mirror image."""
    sent = random_avatar(seed)
    other = sent.copy()
    for number, name in enumerate(BONES):
        partner = name.replace("Left", "#").replace("Right", "Left").replace("#", "Right")
        other.turns[BONES.index(partner)] = mirrored_turn(sent.turns[number])
        other.places[BONES.index(partner)] = mirrored_place(sent.places[number])
    other.root_turn, other.root_place = mirrored_turn(sent.root_turn), mirrored_place(sent.root_place)
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
    large.places, large.root_place = 2.5 * sent.places, 2.5 * sent.root_place
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


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (0.3, 4.0, 0.1)])
def test_hips_whose_size_is_not_known_stay_where_they_are(place):
    """Some programs send turns only, and places of zero."""
    pose = shown(HERO, bone("Hips", place), bone("LeftLowerLeg"), bone("LeftFoot"))
    hips = HERO.skeleton.index("Hips")
    np.testing.assert_allclose(world(pose)[hips, :3, 3], HERO.skeleton.heads[hips], atol=1e-9)


@pytest.mark.parametrize("more", [(), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)])
def test_the_root_carries_everything(more):
    """With 8 and with 14 arguments; the scale for mixed reality is ignored."""
    turn = rotations.quaternion_about([0.0, 1.0, 0.0], 0.7)
    root = Message("/VMC/Ext/Root/Pos", ("root", 1.0, 0.0, 2.0, *turn, *more))
    body = [bone(name, place) for name, place in zip(BONES, mirrored_place(random_avatar(1).places), strict=True)]
    still, moved = shown(HERO, *body), shown(HERO, *body, root)
    carry = np.eye(4)
    carry[:3, :3] = rotations.matrix_from_quaternion(mirrored_turn(turn))
    leg = 0.5 * sum(np.linalg.norm(np.diff(HERO.skeleton.heads[[a, b, c]], axis=0), axis=1).sum()
                    for a, b, c in ((12, 13, 14), (21, 22, 23)))  # fmt: skip
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
    pose = shown(SPINE, bone("Spine", turn=(HALF, 0.0, 0.0, HALF)), table=SPINE_TABLE)
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
        (bone("Hips", turn=(0.0, 0.0, 0.0, 0.0)), "not a number"),
        (bone("Hips", turn=(0.0, 0.0, 1e-9, 0.0)), "not a number"),
        (bone("Hips", turn=(0.0, math.nan, 0.0, 1.0)), "not a number"),
        (bone("Hips", turn=(1.7e308, 1.7e308, 0.0, 1e308)), "not a number"),
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
    stream.take(packet(bone("Hips", (math.nan,) * 3), bone("LeftUpperArm", turn=quarter)), 0.0)
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


# Frames


def bent(angle: float) -> tuple[float, ...]:
    return (math.sin(angle / 2.0), 0.0, 0.0, math.cos(angle / 2.0))


def bends(pose: Pose) -> tuple[float, float]:
    """By how much the spine of three joints is bent at its second and at its third."""
    vectors = rotation_vectors(RelativePose.of(SPINE, pose).turns)
    return float(vectors[1, 0]), float(vectors[2, 0])


def test_bones_that_are_not_sent_stay_as_they_were():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    stream.take(packet(clock(0.0), bone("Spine", turn=bent(0.3)), bone("Chest", turn=bent(0.4))), 0.0)
    stream.take(packet(clock(0.1), bone("Spine", turn=bent(0.5))), 0.1)
    assert bends(stream.sample(0.1)) == pytest.approx((0.5, 0.4), abs=1e-6)


def test_a_frame_may_come_in_pieces_and_a_late_piece_belongs_to_its_own_frame():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    stream.take(packet(clock(0.0), bone("Spine", turn=bent(0.0)), bone("Chest", turn=bent(0.0))), 0.0)
    stream.take(packet(clock(0.1), bone("Spine", turn=bent(0.1))), 0.1)
    stream.take(packet(clock(0.2), bone("Spine", turn=bent(0.2)), bone("Chest", turn=bent(0.2))), 0.2)
    stream.take(packet(clock(0.1), bone("Chest", turn=bent(0.7))), 0.21)
    assert stream.latest == pytest.approx(0.2)
    found = [bends(stream._buffer.sample(time)) for time in (0.1, 0.2)]
    assert found[0] == pytest.approx((0.1, 0.7), abs=1e-2)
    assert found[1] == pytest.approx((0.2, 0.2), abs=1e-2)
    assert len(stream._buffer) == 3


def test_datagrams_without_a_time_go_with_the_last_that_was_named():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    stream.take(packet(clock(50.0)), 0.0)
    stream.take(packet(bone("Spine", turn=bent(0.1))), 0.01)
    stream.take(packet(bone("Chest", turn=bent(0.2))), 0.02)
    assert stream.latest == 0.0
    assert bends(stream.sample(0.03)) == pytest.approx((0.1, 0.2), abs=1e-6)


def test_a_sender_without_a_clock_is_followed_by_arrival():
    stream = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0)
    for step in range(100):
        stream.take(packet(bone("Spine", turn=bent(step / 100.0))), step / 50.0)
        stream.take(packet(bone("Chest", turn=bent(0.2))), step / 50.0 + 0.001)  # of the same frame
        assert bends(stream.sample(step / 50.0 + 0.002))[0] == pytest.approx(step / 100.0, abs=0.02)
    assert stream.counts["poses"] == 100
    assert len(stream._buffer) == 100


# The sender's clock


def test_a_clock_is_read_through_jitter():
    """The median of exponential delays of mean 10 ms is 7 ms behind; the clock stays within that and never hurries."""
    chance = np.random.default_rng(1)
    reading = SenderClock()
    found = []
    for step in range(2000):
        sent = 1000.0 + step / 60.0
        found.append(reading.local(sent, step / 60.0 + chance.exponential(0.01)) - step / 60.0)
    assert np.abs(np.array(found[200:]) - 0.01 * math.log(2.0)).max() < 0.003
    assert np.abs(np.diff(found[200:])).max() < 0.001
    assert reading.restarts == 0


def test_a_clock_that_runs_fast_is_followed():
    reading = SenderClock()
    found = [reading.local(1.0001 * step / 60.0, step / 60.0) - step / 60.0 for step in range(60 * 600)]
    assert np.abs(found).max() < 0.001


def test_a_clock_that_starts_over_is_found_out_and_single_strangers_are_not():
    reading = SenderClock()
    for step in range(100):
        assert reading.local(500.0 + step / 50.0, step / 50.0) == pytest.approx(step / 50.0)
        assert reading.local(9.0, step / 50.0) is None  # somebody else, or something very old
        assert reading.local(1e9, step / 50.0) is None
    assert reading.restarts == 0
    found = [reading.local(step / 50.0, 3.0 + step / 50.0) for step in range(20)]
    known = [time for time in found if time is not None]
    assert 0 < found.count(None) <= 6
    assert known == pytest.approx([3.0 + step / 50.0 for step in range(20)][-len(known) :])
    assert reading.restarts == 1


def test_what_was_held_up_and_comes_all_at_once_is_late_and_no_new_clock():
    reading = SenderClock()
    for step in range(60):
        reading.local(step / 60.0, step / 60.0)
    burst = [reading.local(1.0 + step / 60.0, 3.0) for step in range(120)]
    assert burst[:80] == [None] * 80
    assert reading.restarts == 0
    assert reading.local(3.1, 3.1) == pytest.approx(3.1, abs=0.01)


# Late, lost, stopped, back again


def followed_over(line: NoisyReplay, stream: VmcStream, seconds: float, *, until: float, silent=(0.0, 0.0)):
    """Send a replay to a stream, sample it at 60 Hz, and return times, shown places and what they should be."""
    encoder = VmcEncoder(HERO)
    arrivals = iter([*line.arrivals(seconds)])
    coming = next(arrivals, None)
    times, places, known = np.arange(0.0, until, 1.0 / 60.0), [], []
    for time in times:
        while coming is not None and coming.time <= time:
            if not silent[0] <= coming.sent < silent[1]:
                for datagram in encoder.datagrams(coming.pose, 300.0 + coming.sent):
                    stream.take(datagram, coming.time)
            coming = next(arrivals, None)
        places.append(world(stream.sample(time))[:, :3, 3])
        known.append(world(WALK.sample(time - stream.delay))[:, :3, 3])
    return times, np.array(places), np.array(known)


def test_a_walk_over_a_bad_line_is_the_walk():
    line = NoisyReplay(WALK, rate=60.0, jitter=0.01, loss=0.1, doubled=0.1, late=0.03, lateness=0.15, seed=4)
    times, places, known = followed_over(line, stream := VmcStream(HERO, delay=0.25), 2.5, until=2.5)
    inside = (times > 1.0) & (times < 2.5)
    # The clock is known to the few milliseconds of its jitter, and a foot goes at 4 m/s.
    assert np.linalg.norm(places - known, axis=-1)[inside].max() < 0.05
    assert (
        np.linalg.norm(np.diff(places[inside], axis=0), axis=-1).max()
        < 1.3 * np.linalg.norm(np.diff(known[inside], axis=0), axis=-1).max()
    )
    assert stream.counts["restarts"] == 0
    assert stream.counts["wrong time"] == 0


def test_a_sender_that_stops_and_returns_is_bridged():
    times, places, known = followed_over(
        NoisyReplay(WALK, rate=60.0), VmcStream(HERO, delay=0.05), 4.0, until=4.0, silent=(1.0, 3.0)
    )
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1).max(axis=1) * 60.0  # fastest joint [m/s]
    own = np.linalg.norm(np.diff(known, axis=0), axis=-1).max() * 60.0
    held = (times > 1.6) & (times < 2.95)
    assert np.abs(np.diff(places[held], axis=0)).max() < 1e-4  # it stands
    stopping = steps[(times[1:] > 1.05) & (times[1:] < 1.6)]
    assert (np.diff(stopping[2:]) < 0.02).all()  # it slows down and does not freeze
    missed = np.linalg.norm(WALK.sample(3.0).world_from_joint - WALK.sample(1.0).world_from_joint, axis=(1, 2)).max()
    assert steps.max() < own + 10.0 * missed  # a spring that takes the way made meanwhile in a fifth of a second
    assert np.linalg.norm(places - known, axis=-1)[times > 3.6].max() < 0.02


def test_smoothing_is_taken_over():
    noisy = supple.NoisyMotion(WALK, angle=0.1, rate=60.0, seed=1)
    line = NoisyReplay(noisy, rate=60.0)
    _, rough, known = followed_over(line, VmcStream(HERO, delay=0.15), 1.5, until=1.5)
    _, calm, _ = followed_over(line, VmcStream(HERO, delay=0.15, smoothing=0.15), 1.5, until=1.5)
    shake = [np.abs(np.diff((places - known)[40:], n=2, axis=0)).mean() for places in (rough, calm)]
    assert shake[1] < shake[0] / 5.0


# Ten minutes of abuse


ADDRESSES = st.sampled_from([
    "/VMC/Ext/Bone/Pos", "/VMC/Ext/Root/Pos", "/VMC/Ext/T", "/VMC/Ext/OK", "/VMC/Ext/Blend/Val", "/VMC/Ext/Blend/Apply",
    "/VMC/Ext/Bone/Pos/Local", "/",
])  # fmt: skip
ANYTHING = st.one_of(
    st.floats(width=32), st.sampled_from(["Hips", "Spine", "Chest", "", "Tail"]), st.integers(-5, 5), st.booleans(),
    st.none(), st.binary(max_size=5), st.sampled_from([0.0, 1.0, -1.0, 999.0, 1e-30, 3e38]),
)  # fmt: skip
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 999.0, -1000.0, 1e-30, 3e38, math.nan, math.inf, 0.5])
LIKELY = st.builds(
    lambda name, numbers: Message("/VMC/Ext/Bone/Pos", (name, *numbers)),
    st.sampled_from(BONES),
    st.lists(NUMBERS, min_size=7, max_size=7),
)


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.lists(
                st.one_of(LIKELY, st.builds(Message, ADDRESSES, st.lists(ANYTHING, max_size=9).map(tuple))), max_size=5
            ),
            st.floats(0.0, 1.0),
        ),
        max_size=8,
    )
)
def test_no_message_breaks_a_stream(sent):
    stream, time = VmcStream(SPINE, table=SPINE_TABLE, delay=0.0), 0.0
    for messages, gap in sent:
        time += gap
        stream.take(packet(*messages), time)
        assert np.isfinite(world(stream.sample(time))).all()
    stream.take(packet(clock(5.0), GOOD), time)  # and it goes on


def hostile(chance: np.random.Generator, time: float) -> bytes:
    """A datagram that means no good: noise, half a packet, huge numbers, other clocks, turns from anywhere."""
    kind = chance.integers(6)
    if kind == 0:
        return chance.bytes(int(chance.integers(1, 80)))
    good = packet(clock(time), bone("Hips", chance.uniform(-999.0, 999.0, 3), chance.standard_normal(4)),
                  *(bone(name, turn=chance.standard_normal(4)) for name in ("Spine", "Chest")))  # fmt: skip
    if kind == 1:
        return good[: int(chance.integers(1, len(good)))]
    if kind == 2:
        damaged = bytearray(good)
        damaged[int(chance.integers(len(good)))] = int(chance.integers(256))
        return bytes(damaged)
    if kind == 3:
        return packet(clock(chance.uniform(-1e6, 1e6)), bone("Spine", turn=chance.standard_normal(4)))
    if kind == 4:
        return packet(bone("Hips", (math.nan, 1e30, -math.inf)), bone("x" * 60), clock(math.inf))
    return good


def test_ten_minutes_of_hostile_packets_and_pauses():
    """A good sender, an enemy beside it, pauses of both, clocks that start over: calm, finite, and no memory."""
    chance = np.random.default_rng(9)
    stream = VmcStream(SPINE, table=SPINE_TABLE, hip_height=1.0, delay=0.1)
    step, last, sizes = 1.0 / 8.0, None, []
    fastest, sharpest = 0.0, 0.0
    for tick in range(600 * 8):
        time = tick * step
        minute = int(time // 60.0)
        if minute not in (3, 7):  # in the fourth and the eighth minute it is gone
            sent = time if minute < 5 else time - 310.0  # and in the sixth it was started again
            angle = 0.4 * math.sin(time)
            stream.take(packet(clock(sent), bone("Hips", (0.1 * angle, 1.0, 0.0)), bone("Spine", turn=bent(angle))),
                        time)  # fmt: skip
        if minute % 2 == 1:
            stream.take(hostile(chance, time), time + 0.01)
        pose = stream.sample(time + 0.02)
        apart = RelativePose.of(SPINE, pose)
        assert np.isfinite(world(pose)).all()
        if last is not None:
            fastest = max(fastest, float(np.linalg.norm(apart.moves - last.moves, axis=1).max()) / step)
            turn = rotation_vectors(rotations.multiply(rotations.conjugate(last.turns), apart.turns))
            sharpest = max(sharpest, float(np.linalg.norm(turn, axis=1).max()) / step)
        last = apart
        if tick % 800 == 799:
            sizes.append(sys.getallocatedblocks())
    assert fastest <= 20.0 + 1e-6  # m/s, as SteadyMotion promises; the enemy sent jumps of a kilometre
    assert sharpest <= 50.0 + 1e-6  # rad/s
    assert fastest > 5.0  # it did see the enemy
    assert max(sizes[2:]) < sizes[1] + 5000  # blocks of memory, where every pose has dozens: full after two minutes
    counts = stream.counts
    assert counts["datagrams"] == 600 * 8 - 2 * 60 * 8 + 5 * 60 * 8
    assert counts["restarts"] >= 1
    assert all(counts[reason] > 0 for reason in ("malformed", "not a number", "unknown bone", "wrong time"))
    # In the last minutes' odd one the enemy sends too, so calm is looked for after it: the sender alone is followed.
    for tick in range(60):
        time = 600.0 + tick * step
        angle = 0.4 * math.sin(time)
        stream.take(packet(clock(time - 310.0), bone("Hips", (0.0, 1.0, 0.0)), bone("Spine", turn=bent(angle)),
                           bone("Chest")), time)  # fmt: skip
        pose = stream.sample(time + 0.02)
    assert bends(pose)[0] == pytest.approx(0.4 * math.sin(time - 0.08), abs=0.05)


# Over a real socket


def wait_for(condition, seconds: float = 5.0) -> bool:
    end = clocks.monotonic() + seconds
    while clocks.monotonic() < end:
        if condition():
            return True
        clocks.sleep(0.005)
    return False


def test_a_pose_goes_over_the_loopback():
    with VmcReceiver(HERO, port=0, delay=0.0) as receiver, VmcSender(HERO, port=receiver.port) as sender:
        assert receiver.skeleton is HERO.skeleton
        assert receiver.delay == 0.0
        assert receiver.latest is None
        assert receiver.followed["Head"] == "Head"
        np.testing.assert_array_equal(world(receiver.sample()), HERO.skeleton.world_from_joint)
        sender.send(WALK.sample(0.4), 0.0)
        assert wait_for(lambda: receiver.counts["datagrams"] == 4)
        later = receiver.now() + 5.0
        np.testing.assert_allclose(world(receiver.sample(later)), world(WALK.sample(0.4)), atol=1e-5)
        points = supple.player(HERO, supple.LinearBlend()).play(receiver, later)
        assert np.isfinite(points).all()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            for junk in (b"", b"junk", bytes(3000)):
                other.sendto(junk, ("127.0.0.1", receiver.port))
        assert wait_for(lambda: receiver.counts["malformed"] == 3)
        sender.send(WALK.sample(0.8), 0.1)
        assert wait_for(lambda: receiver.counts["datagrams"] == 11)  # still there
        assert receiver.latest is not None


def test_closing_frees_the_port_and_ends_the_thread_also_after_an_error():
    before = threading.active_count()
    receiver = VmcReceiver(SPINE, port=0, table=SPINE_TABLE)
    port = receiver.port
    assert threading.active_count() == before + 1
    with pytest.raises(InputError, match=f"port {port} of 127.0.0.1 cannot be listened on"):
        VmcReceiver(SPINE, port=port, table=SPINE_TABLE)
    receiver.close()
    receiver.close()
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="elsewhere"), VmcReceiver(SPINE, port=port, table=SPINE_TABLE):
        raise RuntimeError("elsewhere")
    assert threading.active_count() == before
    with VmcReceiver(SPINE, port=port, table=SPINE_TABLE) as again:
        assert again.port == port
    np.testing.assert_array_equal(world(receiver.sample()), SPINE.world_from_joint)  # poses outlive the socket


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"port": -1}, "port is -1"),
        ({"port": 65536}, "port is 65536"),
        ({"port": 1.5}, "port is 1.5"),
        ({"port": True}, "port is True"),
        ({"port": 0, "host": "no such host.invalid"}, "host is 'no such host.invalid'"),
    ],
)
@pytest.mark.parametrize("kind", [VmcReceiver, VmcSender])
def test_addresses_are_checked(kind, options, says):
    before = threading.active_count()
    with pytest.raises(InputError, match=f"{kind.__name__}: {says}"):
        kind(SPINE, table=SPINE_TABLE, **options)
    assert threading.active_count() == before


def test_a_sender_needs_a_port_and_a_time():
    with pytest.raises(InputError, match="VmcSender: port is 0"):
        VmcSender(HERO, port=0)
    with pytest.raises(InputError, match="VmcEncoder: time is nan"):
        VmcEncoder(HERO).datagrams(WALK.sample(0.0), math.nan)
    said = [message.address for datagram in VmcEncoder(HERO).datagrams(WALK.sample(0.0), 0.0)
            for message in read_packet(datagram)]  # fmt: skip
    assert said.count("/VMC/Ext/Bone/Pos") == 55


def test_only_this_machine_is_listened_to_unless_told_otherwise():
    with VmcReceiver(SPINE, port=0, table=SPINE_TABLE) as receiver:
        assert receiver._socket.getsockname()[0] == "127.0.0.1"
