"""Retargeting by its laws: what stays the same, what scales, who follows whom, and where the feet are."""

import warnings

import numpy as np
import pytest

import supple
from supple.character.anatomy.humanoid import Anatomy
from supple.character.anatomy.names import is_auxiliary, named_part
from supple.geometry import quaternions
from supple.io.bvh import read_motion
from supple.motion.motion import Motion
from supple.motion.retarget.alignment import body_axes
from supple.motion.retarget.ground import Soles, lowest_skin, measured_floor, smoothed

QUIET = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
SIDES = ("left", "right")
LIMBS = [
    (f"{side} {a}", f"{side} {b}")
    for side in SIDES
    for a, b in (("upper arm", "lower arm"), ("lower arm", "hand"), ("upper leg", "lower leg"), ("lower leg", "foot"))
]


# Bodies


def limb_heads(side):
    x = 1.0 if side == "left" else -1.0
    return {
        f"{side} shoulder": (f"{side} chest", [0.04 * x, 1.42, 0.0]),
        f"{side} upper arm": (f"{side} shoulder", [0.18 * x, 1.42, 0.0]),
        f"{side} lower arm": (f"{side} upper arm", [0.46 * x, 1.42, -0.01]),
        f"{side} hand": (f"{side} lower arm", [0.72 * x, 1.42, 0.0]),
        f"{side} upper leg": ("hips", [0.1 * x, 0.92, 0.0]),
        f"{side} lower leg": (f"{side} upper leg", [0.11 * x, 0.5, 0.01]),
        f"{side} foot": (f"{side} lower leg", [0.12 * x, 0.09, -0.02]),
        f"{side} toes": (f"{side} foot", [0.13 * x, 0.02, 0.12]),
    }


def body(*, spine=3, neck=1, names=None, scale=1.0, arms=0.0, shoulders=True):
    """A T-pose standing on the floor, facing +z, or an A-pose with the arms lowered by `arms` [rad]."""
    heads = {"hips": (None, [0.0, 0.98, 0.0])}
    above = "hips"
    for index in range(spine):
        heads[f"spine {index}"] = (above, [0.0, 1.0 + 0.35 * (index + 1) / spine, -0.01])
        above = f"spine {index}"
    chest = above
    for index in range(neck):
        heads[f"neck {index}"] = (above, [0.0, 1.48 + 0.1 * index / neck, 0.0])
        above = f"neck {index}"
    heads["head"] = (above, [0.0, 1.6, 0.02])
    for side in SIDES:
        limbs = limb_heads(side)
        start = np.array(limbs[f"{side} upper arm"][1])
        about = quaternions.quat_from_axis_angle([0.0, 0.0, -1.0 if side == "left" else 1.0], arms)
        for part in ("lower arm", "hand"):
            parent, position = limbs[f"{side} {part}"]
            lowered = start + quaternions.matrix_from_quat(about) @ (np.array(position) - start)
            limbs[f"{side} {part}"] = (parent, lowered)
        if not shoulders:
            del limbs[f"{side} shoulder"]
            limbs[f"{side} upper arm"] = (f"{side} chest", limbs[f"{side} upper arm"][1])
        for part, (parent, position) in limbs.items():
            heads[part] = (chest if parent == f"{side} chest" else parent, position)
    parts = list(heads)
    parents = [-1 if parent is None else parts.index(parent) for parent, _ in heads.values()]
    positions = scale * np.array([position for _, position in heads.values()])
    words = [(names or camel)(part) for part in parts]
    return supple.Skeleton.from_heads(words, parents, positions)


def camel(part):
    """As Mixamo has them."""
    side, _, rest = part.partition(" ") if part.startswith(SIDES) else ("", "", part)
    word = {
        "shoulder": "Shoulder",
        "upper arm": "Arm",
        "lower arm": "ForeArm",
        "hand": "Hand",
        "upper leg": "UpLeg",
        "lower leg": "Leg",
        "foot": "Foot",
        "toes": "ToeBase",
    }.get(rest)
    if word:
        return side.title() + word
    kind, _, number = rest.partition(" ")
    return kind.title() + (number if number not in ("", "0") else "")


def vrm(part):
    side, _, rest = part.partition(" ") if part.startswith(SIDES) else ("", "", part)
    if side:
        return side + rest.title().replace(" ", "")
    return {"spine 0": "spine", "spine 1": "chest", "spine 2": "upperChest", "neck 0": "neck"}.get(rest, rest)


def unreal(part):
    side, _, rest = part.partition(" ") if part.startswith(SIDES) else ("", "", part)
    word = {
        "shoulder": "clavicle",
        "upper arm": "upperarm",
        "lower arm": "lowerarm",
        "upper leg": "thigh",
        "lower leg": "calf",
        "toes": "ball",
    }.get(rest, rest)
    if side:
        return f"{word}_{side[0]}"
    kind, _, number = rest.partition(" ")
    return {"hips": "pelvis", "head": "head"}.get(kind, f"{kind}_{int(number or 0) + 1:02d}")


def rigify(part):
    side, _, rest = part.partition(" ") if part.startswith(SIDES) else ("", "", part)
    word = {"lower arm": "forearm", "upper leg": "thigh", "lower leg": "shin", "toes": "toe"}.get(rest, rest)
    if side:
        return f"DEF-{word.replace(' ', '_')}.{side[0].upper()}"
    # All of the trunk is called spine, from the hips to the head.
    order = ["hips", "spine 0", "spine 1", "spine 2", "neck 0", "head"].index(rest)
    return "DEF-spine" + (f".{order:03d}" if order else "")


def khronos(part):
    side, _, rest = part.partition(" ") if part.startswith(SIDES) else ("", "", part)
    numbered = {"upper arm": "arm_joint_{}__4_", "lower arm": "arm_joint_{}__3_", "hand": "arm_joint_{}__2_",
                "upper leg": "leg_joint_{}_1", "lower leg": "leg_joint_{}_2", "foot": "leg_joint_{}_3",
                "toes": "leg_joint_{}_5", "shoulder": "clavicle_{}"}  # fmt: skip
    if side:
        return numbered[rest].format(side[0].upper())
    return {
        "hips": "Skeleton_torso_joint_1",
        "spine 0": "Skeleton_torso_joint_2",
        "spine 1": "torso_joint_3",
        "spine 2": "torso_joint_4",
        "neck 0": "Skeleton_neck_joint_1",
    }.get(rest, "neck_joint_2")


def joints_old(part):
    """Joints instead of bones: collar, shoulder, elbow, wrist; hip, knee, ankle."""
    side, _, rest = part.partition(" ") if part.startswith(SIDES) else ("", "", part)
    word = {
        "shoulder": "Collar",
        "upper arm": "Shoulder",
        "lower arm": "Elbow",
        "hand": "Wrist",
        "upper leg": "Hip",
        "lower leg": "Knee",
        "foot": "Ankle",
        "toes": "Toe",
    }.get(rest)
    return (
        side.title() + word
        if word
        else {"spine 0": "Chest", "spine 1": "Chest2", "spine 2": "Chest3"}.get(rest, camel(part))
    )


SCHEMES = {
    "mixamo": camel,
    "mixamorig": lambda part: f"mixamorig:{camel(part)}",
    "mixamorig without colon": lambda part: f"mixamorig{camel(part)}",
    "vrm": vrm,
    "vroid": lambda part: (
        f"J_Bip_{(part[0].upper() + '_') if part.startswith(SIDES) else 'C_'}"
        + (vrm(part).removeprefix("left").removeprefix("right") if part.startswith(SIDES) else vrm(part).title())
    ),
    "unreal": unreal,
    "rigify": rigify,
    "khronos": khronos,
    "old": joints_old,
    "no words at all": lambda part: f"b{abs(hash_of(part))}",
}


def hash_of(part):
    return sum(ord(letter) * 31**position for position, letter in enumerate(part)) % 100_003


def worlds(motion):
    return np.stack([motion.sample(time).world_from_joint for time in motion.times])


def dance(skeleton, *, frames=8, seed=0, size=0.5):
    """Every joint turned at random, the hips also moved."""
    random = np.random.default_rng(seed)
    axes = random.normal(size=(frames, len(skeleton), 3))
    rotations = quaternions.quat_from_axis_angle(axes, random.uniform(-size, size, (frames, len(skeleton))))
    moves, rest, _ = quaternions.decompose(skeleton.parent_from_joint)
    moves = np.tile(moves, (frames, 1, 1))
    moves[:, skeleton.parents < 0] += random.uniform(-0.3, 0.3, (frames, 1, 3)) * size
    return Motion(skeleton, 24.0, moves, quaternions.quat_multiply(rest, rotations), name="dance")


def directions(motion, pairs=LIMBS):
    anatomy, world = Anatomy(motion.skeleton), worlds(motion)
    return np.stack(
        [quaternions.normalize(world[:, anatomy.parts[b], :3, 3] - world[:, anatomy.parts[a], :3, 3]) for a, b in pairs]
    )


def with_rest_frames(skeleton, seed):
    """The same joints in the same places with other axes."""
    random = np.random.default_rng(seed)
    world = skeleton.world_from_joint.copy()
    world[:, :3, :3] = quaternions.matrix_from_quat(random.normal(size=(len(skeleton), 4)))
    return supple.Skeleton(skeleton.names, skeleton.parents, world, tails=skeleton.tails)


def renamed(skeleton, name):
    return supple.Skeleton(
        tuple(name(n) for n in skeleton.names), skeleton.parents, skeleton.world_from_joint, tails=skeleton.tails
    )


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero")


# Laws


def test_the_same_skeleton_gives_the_same_motion():
    skeleton = body()
    motion = dance(skeleton)
    again = motion.retarget(body())
    np.testing.assert_array_equal(again.rotations, motion.rotations)
    np.testing.assert_array_equal(again.translations, motion.translations)


def test_the_same_body_under_other_names_gives_the_same_motion():
    motion = dance(with_rest_frames(body(), 3))
    again = motion.retarget(renamed(motion.skeleton, lambda name: f"mixamorig:{name}"))
    np.testing.assert_allclose(worlds(again), worlds(motion), atol=1e-9)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_a_larger_body_takes_larger_steps_with_the_same_turns(scale):
    motion = dance(body()).replace(loop=True, stride=np.array([0.0, 0.0, 1.2]))
    larger = motion.retarget(body(scale=scale))
    alike = np.abs(np.sum(larger.rotations * motion.rotations, axis=-1))
    np.testing.assert_allclose(alike, 1.0, atol=1e-12)
    np.testing.assert_allclose(worlds(larger)[..., :3, 3], scale * worlds(motion)[..., :3, 3], atol=1e-9)
    np.testing.assert_allclose(larger.stride, [0.0, 0.0, 1.2 * scale])
    assert (larger.loop, larger.fps, larger.name) == (True, 24.0, "dance")


@pytest.mark.parametrize("seed", range(3))
def test_other_joint_axes_show_the_same_places(seed):
    motion = dance(body())
    other = motion.retarget(with_rest_frames(body(), seed))
    np.testing.assert_allclose(worlds(other)[..., :3, 3], worlds(motion)[..., :3, 3], atol=1e-9)
    back = other.retarget(motion.skeleton)
    np.testing.assert_allclose(worlds(back), worlds(motion), atol=1e-9)


@pytest.mark.parametrize("rotation", [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
def test_which_way_the_source_looks_at_rest_does_not_matter(rotation):
    """A rest turned as a whole, to another facing or to z up, leaves what one sees in the world as it was."""
    angle = np.radians(120.0 if rotation == [1.0, 1.0, 1.0] else 90.0)
    whole = quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle(rotation, angle))
    motion = dance(body())
    old = motion.skeleton
    # Keys are relative to parents, so on the turned rest they show the same places.
    turned = motion.replace(skeleton=supple.Skeleton(old.names, old.parents, whole @ old.world_from_joint))
    np.testing.assert_array_equal(worlds(turned), worlds(motion))
    np.testing.assert_allclose(worlds(turned.retarget(body()))[..., :3, 3], worlds(motion)[..., :3, 3], atol=1e-9)


@pytest.mark.parametrize("shoulders", [True, False])
def test_t_pose_to_a_pose_keeps_what_one_sees(shoulders):
    motion = dance(body())
    target = body(arms=0.8, spine=2, neck=2, scale=1.3, shoulders=shoulders)
    result = motion.retarget(target) if shoulders else warned(motion, target)
    np.testing.assert_allclose(directions(result), directions(motion), atol=1e-9)
    back = result.retarget(motion.skeleton) if shoulders else warned(result, motion.skeleton)
    np.testing.assert_allclose(directions(back), directions(motion), atol=1e-9)


def warned(motion, target, match="follow nothing|move nothing", **options):
    with pytest.warns(supple.SuppleWarning, match=match):
        return motion.retarget(target, **options)


def test_a_rest_that_differs_is_not_copied_onto_the_hands_and_feet():
    """At the source's rest the hands go on from the forearms and the soles stay flat, whatever the target's rest is."""
    source, target = body(), body(arms=0.8)
    moves, rotations, _ = quaternions.decompose(source.parent_from_joint)
    result = Motion(source, 24.0, moves[None], rotations[None]).retarget(target)
    away = worlds(result)[0, :, :3, :3] @ target.joint_from_world[:, :3, :3]
    anatomy = Anatomy(target)
    for side in SIDES:
        np.testing.assert_allclose(
            away[anatomy.parts[f"{side} hand"]], away[anatomy.parts[f"{side} lower arm"]], atol=1e-12
        )
        np.testing.assert_allclose(away[anatomy.parts[f"{side} foot"]], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(away[anatomy.parts["head"]], np.eye(3), atol=1e-12)


@pytest.mark.parametrize(("spine", "neck"), [(1, 0), (2, 1), (5, 3)])
def test_bones_keep_the_length_of_the_target(spine, neck):
    source = with_rest_frames(body(spine=3, neck=1), 1)
    target = with_rest_frames(body(spine=spine, neck=neck, arms=0.5, scale=0.7), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", supple.SuppleWarning)
        result = dance(source).retarget(target)
    hanging = np.flatnonzero(target.parents >= 0)
    rest = np.linalg.norm(target.heads[hanging] - target.heads[target.parents[hanging]], axis=-1)
    positions = worlds(result)[..., :3, 3]
    lengths = np.linalg.norm(positions[:, hanging] - positions[:, target.parents[hanging]], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(rest, lengths.shape), atol=1e-9)


def test_a_bend_of_the_back_is_shared_along_longer_and_shorter_spines():
    source = body(spine=3)
    moves, rest, _ = quaternions.decompose(source.parent_from_joint)
    rotations = rest.copy()
    for index in range(3):
        rotations[source.index(f"Spine{index or ''}")] = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.2)
    motion = Motion(source, 24.0, moves[None], rotations[None])
    for count in (1, 2, 3, 6):
        target = body(spine=count)
        away = worlds(warned(motion, target) if count < 2 else motion.retarget(target))[0, :, :3, :3]
        angles = [np.arctan2(away[joint, 2, 1], away[joint, 1, 1]) for joint in Anatomy(target).spine]
        np.testing.assert_allclose(angles, 0.6 * np.arange(1, count + 1) / count, atol=1e-9)
        head = away[Anatomy(target).parts["head"]]
        np.testing.assert_allclose(np.arctan2(head[2, 1], head[1, 1]), 0.6, atol=1e-9)


# Who is who


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_tells_the_parts(scheme):
    plain, other = Anatomy(body()), Anatomy(body(names=SCHEMES[scheme]))
    shoulders = {f"{side} shoulder" for side in SIDES}
    assert {k: v for k, v in other.parts.items() if k not in shoulders} == {
        k: v for k, v in plain.parts.items() if k not in shoulders
    }
    assert (other.spine, other.neck) == (plain.spine, plain.neck)
    if scheme != "no words at all":
        assert other.parts == plain.parts


@QUIET
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_left_arm_of_one_moves_the_left_arm_of_the_other(scheme):
    source, target = body(), body(names=SCHEMES[scheme])
    moves, rotations, _ = quaternions.decompose(source.parent_from_joint)
    rotations[source.index("LeftForeArm")] = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 0.7)
    rotations[source.index("RightLeg")] = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.4)
    result = Motion(source, 24.0, moves[None], rotations[None]).retarget(target, ground=False)
    changed = np.abs(result.rotations[0] - [0.0, 0.0, 0.0, 1.0]).max(axis=-1) > 1e-6
    parts = Anatomy(source).parts
    assert set(np.flatnonzero(changed)) == {parts["left lower arm"], parts["right lower leg"]}


@pytest.mark.parametrize(
    ("name", "part", "side", "number"),
    [
        ("Hips", "hips", "", -1),
        ("pelvis", "hips", "", -1),
        ("mixamorig:Spine2", "spine", "", 2),
        ("LowerBack", "spine", "", -1),
        ("LThumb", "thumb", "left", -1),
        ("RightHandIndex1", "index", "right", 1),
        ("leftLittleIntermediate", "little", "left", 2),
        ("DEF-f_pinky.03.R", "little", "right", 3),
        ("thumb_02_l", "thumb", "left", 2),
        ("Bip01 R Forearm", "lower arm", "right", 1),
        ("Armature|clavicle_r", "shoulder", "right", -1),
        ("RightShoulder", "shoulder", "right", -1),
        ("Character1_LeftUpLeg", "upper leg", "left", 1),
        ("LEFT_FOOT", "foot", "left", -1),
        ("J_Bip_R_ToeBase", "toes", "right", -1),
        ("Neck1", "neck", "", 1),
        ("ns:sub:Head", "head", "", -1),
    ],
)
def test_names_say_part_side_and_number(name, part, side, number):
    said = named_part(name)
    assert (said.part, said.side, said.number) == (part, side, number)


@pytest.mark.parametrize(
    "name",
    [
        "root",
        "LHipJoint",
        "upperarm_twist_01_l",
        "HeadTop_End",
        "LeftEye",
        "ik_hand_l",
        "index_04_leaf_l",
        "foot",
        "",
        "LeftHead",
        "tail_01",
        "::",
        "123",
        "ball",
    ],
)
def test_names_that_say_no_part(name):
    assert named_part(name) is None


def test_joints_that_only_help_are_known():
    assert is_auxiliary("LeftArm_twist")
    assert not is_auxiliary("LeftArm")


def test_shape_does_not_mistake_an_animal_for_a_person():
    quadruped = supple.character("quadruped", vertices=1000).skeleton
    assert not Anatomy(quadruped).complete
    assert not Anatomy(renamed(quadruped, lambda name: f"b{hash_of(name)}{quadruped.index(name)}")).complete
    lying = body(names=lambda part: f"b{hash_of(part)}")
    turned = quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], np.pi / 2))
    lying = supple.Skeleton(lying.names, lying.parents, turned @ lying.world_from_joint)
    assert not Anatomy(lying).complete


def test_body_axes_are_those_of_the_body():
    np.testing.assert_array_equal(body_axes(Anatomy(body())), np.eye(3))
    tilted = quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], np.radians(45.0)))
    skeleton = supple.Skeleton(body().names, body().parents, tilted @ body().world_from_joint)
    np.testing.assert_allclose(body_axes(Anatomy(skeleton)), tilted[:3, :3], atol=0.05)
    stick = supple.Skeleton.from_heads(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(body_axes(Anatomy(stick)), np.eye(3))


# By table and by equal names


def snake(prefix, count=5, scale=1.0):
    heads = np.zeros((count, 3))
    heads[:, 2] = scale * np.arange(count)
    return supple.Skeleton.from_heads([f"{prefix}{i}" for i in range(count)], np.arange(count) - 1, heads)


def test_a_table_says_who_follows_whom():
    motion = dance(snake("a"))
    table = {f"b{i}": f"a{i}" for i in range(5)}
    result = motion.retarget(with_rest_frames(snake("b", scale=2.0), 0), table=table)
    np.testing.assert_allclose(worlds(result)[..., :3, 3], 2.0 * worlds(motion)[..., :3, 3], atol=1e-9)


def test_a_table_may_swap_sides_and_leave_the_rest():
    source, target = body(), body(names=unreal)
    motion = dance(source)
    result = warned(
        motion, target, "20 joints of the target follow nothing", table={"pelvis": "Hips", "upperarm_l": "RightArm"}
    )
    still = [j for j, name in enumerate(target.names) if name not in ("pelvis", "upperarm_l")]
    np.testing.assert_allclose(np.abs(result.rotations[:, still, 3]), 1.0, atol=1e-9)


def test_equal_names_are_enough_for_bodies_that_are_not_human():
    motion = dance(snake("bone."))
    result = motion.retarget(snake("Rig:Bone_", scale=0.5))
    np.testing.assert_allclose(worlds(result)[..., :3, 3], 0.5 * worlds(motion)[..., :3, 3], atol=1e-9)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, "empty"),
        ([("b0", "a0")], "no mapping"),
        ({"a0": "a0"}, "'a0' stands for a joint of the target"),
        ({"b0": "b0"}, "'b0' stands for a joint of the source"),
        ({"b0": 3}, "joint of the source"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table, words):
    with pytest.raises(supple.InputError, match=words):
        dance(snake("a")).retarget(snake("b"), table=table)


def test_bodies_with_nothing_in_common_are_refused():
    with pytest.raises(supple.InputError, match="pass table"):
        dance(snake("a")).retarget(snake("b"))
    with pytest.raises(supple.InputError, match="a character or skeleton"):
        dance(snake("a")).retarget("hero")


def test_joints_without_a_partner_are_named_once():
    target = body()
    extra = supple.Skeleton.from_heads(
        [*target.names, "Tail"], [*target.parents, 0], np.vstack([target.heads, [[0.0, 0.9, -0.3]]])
    )
    with pytest.warns(supple.SuppleWarning) as said:
        dance(body()).retarget(extra)
    assert len(said) == 1
    assert "Tail" in str(said[0].message)
    with pytest.warns(supple.SuppleWarning, match=r"source move nothing \(Tail\)"):
        dance(extra).retarget(target)


# Feet


def soles(motion):
    anatomy = Anatomy(motion.skeleton)
    world = worlds(motion)
    rotations = world[..., :3, :3] @ motion.skeleton.joint_from_world[:, :3, :3]
    return Soles(anatomy).lowest(rotations, world[..., :3, 3])


def test_longer_shins_stand_on_the_same_floor():
    target = body()
    heads = target.heads.copy()
    below = np.isin(
        np.arange(len(target)), [Anatomy(target).parts[f"{s} {p}"] for s in SIDES for p in ("foot", "toes")]
    )
    heads[~below, 1] += 0.2  # longer shins
    longer = supple.Skeleton.from_heads(target.names, target.parents, heads)
    ratio = Soles(Anatomy(longer)).leg / Soles(Anatomy(target)).leg
    changed = []
    for seed in range(4):
        pose = dance(body(), size=0.3, frames=1, seed=seed)  # one frame, so nothing is smoothed
        np.testing.assert_allclose(soles(pose.retarget(longer))[0], ratio * soles(pose)[0], atol=1e-9)
        changed.append(soles(pose.retarget(longer, ground=False))[0] - ratio * soles(pose)[0])
    assert np.abs(changed).max() > 1e-3  # the law is not empty


def test_lifts_are_smoothed_and_a_loop_stays_a_loop():
    values = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    once, around = smoothed(values, 1.0, loop=False), smoothed(values, 1.0, loop=True)
    assert np.abs(np.diff(once)).max() < 0.5
    assert around[0] == around[-1]
    assert around[:-1].sum() == pytest.approx(1.0)
    np.testing.assert_allclose(smoothed(np.full(5, 0.3), 2.0, loop=False), 0.3)
    np.testing.assert_array_equal(smoothed(np.array([0.3]), 2.0, loop=True), [0.3])


def at(floor, spots):
    return floor[0] + spots[:, [0, 2]] @ floor[1:]


def test_the_floor_of_a_capture_is_found_under_its_steps():
    way = np.linspace(0.0, 4.0, 200)
    spots = np.stack([0.3 * way, 0.0 * way, way], axis=1)
    over = 0.05 + 0.02 * way + np.maximum(0.0, 0.3 * np.sin(way * 9.0) - 0.1)  # a tilted floor, and leaps
    on_floor = over - at(measured_floor(over, spots, 0.9), spots)
    assert np.abs(np.percentile(on_floor, 25.0)) < 0.01
    assert on_floor.max() > 0.15
    stairs = 0.05 + 0.5 * way
    assert np.ptp(stairs - at(measured_floor(stairs, spots, 0.9), spots)) > 1.5  # stairs stay stairs
    np.testing.assert_array_equal(measured_floor(over + 1.0, spots, 0.9), 0.0)  # on a table: left there


@QUIET
@pytest.mark.parametrize("clip", ["cmu_02_01", "cmu_02_04", "cmu_10_01", "cmu_16_01"])
def test_captured_people_keep_their_feet_on_the_floor_of_the_hero(data_file, hero, clip):
    motion = read_motion(data_file(f"bvh/{clip}.bvh"))
    result = motion.retarget(hero)
    over = soles(result)[0][1:]  # the first frame is an added T-pose
    assert over.min() > -0.03
    assert np.percentile(over, 40.0) < 0.02
    np.testing.assert_allclose(directions(motion.retarget(hero, arms=False)), directions(motion), atol=1e-6)


@QUIET
def test_the_skin_of_the_feet_stays_above_the_floor(hero):
    """In thick shoes, which the joints know nothing of, the hero stands higher by their soles."""
    points = hero.points.copy()
    points[points[:, 1] < 0.03, 1] -= 0.05
    shod, anatomy = hero.replace(points=points), Anatomy(hero.skeleton)
    feet = np.flatnonzero(points[:, 1] < 0.1)
    gaps = []
    for seed in range(6):
        pose = dance(body(), size=0.4, frames=1, seed=seed)
        result, barefoot = pose.retarget(shod), pose.retarget(hero.skeleton)
        allowed = min(0.0, soles(pose)[0][0] * Soles(anatomy).leg / Soles(Anatomy(pose.skeleton)).leg)
        skin = supple.player(shod, supple.LinearBlend()).play(result, 0.0)[feet, 1].min()
        assert skin > allowed - 0.01
        world = worlds(result)
        rotations = world[..., :3, :3] @ hero.skeleton.joint_from_world[:, :3, :3]
        assert lowest_skin(shod, anatomy, rotations, world[..., :3, 3])[0] == pytest.approx(skin, abs=0.01)
        gaps.append(result.translations[0, 0, 1] - barefoot.translations[0, 0, 1])
    assert min(gaps) >= 0.0
    assert max(gaps) > 0.03
    assert lowest_skin(hero.replace(weights=None), anatomy, rotations, world[..., :3, 3]) is None


@QUIET
def test_the_hero_walks_the_same_after_a_visit_to_another_body(data_file, hero):
    walk = supple.motion("walk", hero)
    other = read_motion(data_file("bvh/cmu_02_01.bvh")).skeleton
    back = walk.retarget(other).retarget(hero)
    assert (back.loop, back.fps, back.name) == (walk.loop, walk.fps, walk.name)
    np.testing.assert_allclose(back.stride, walk.stride, atol=1e-9)
    np.testing.assert_allclose(directions(back), directions(walk), atol=1e-6)
    gap = np.linalg.norm(worlds(back)[..., :3, 3] - worlds(walk)[..., :3, 3], axis=-1)
    assert gap.max() < 0.03


def test_a_wide_body_holds_its_arms_out_and_a_slim_one_does_not():
    """One angle for the whole motion: arms move as they did, and come out of a trunk that swallowed them."""
    from supple.motion.retarget.arms import _Trunk

    slim = supple.character("hero")
    walk = supple.motion("walk", slim)
    trunk = np.isin(slim.weights.joints[:, 0], [slim.skeleton.names.index(n) for n in ("Hips", "Spine", "Spine1")])
    points = slim.points.copy()
    points[trunk] *= [2.4, 1.0, 1.6]
    wide = slim.replace(points=points, motions={})
    renamed = supple.Skeleton(
        tuple(f"mixamorig:{name}" for name in slim.skeleton.names),
        slim.skeleton.parents,
        slim.skeleton.world_from_joint,
        tails=slim.skeleton.tails,
    )
    source = walk.replace(skeleton=renamed)

    def swallowed(body, motion):
        anatomy = Anatomy(body.skeleton)
        hand = anatomy.parts["left hand"]
        poses = [motion.sample(time) for time in np.linspace(0.0, motion.duration, 12)]
        positions = np.array([pose.world_from_joint[:, :3, 3] for pose in poses])
        rotations = np.array([pose.skinning(body.skeleton)[:, :3, :3] for pose in poses])
        return (_Trunk(body, anatomy).distance(positions[:, [hand]], rotations, positions) < 0.0).mean()

    def spread(body):
        plain, held = source.retarget(body, arms=False), source.retarget(body)
        shoulder = Anatomy(body.skeleton).parts["left upper arm"]
        rotations = [
            (
                plain.sample(time).world_from_joint[shoulder, :3, :3],
                held.sample(time).world_from_joint[shoulder, :3, :3],
            )
            for time in np.linspace(0.0, walk.duration, 7)
        ]
        return np.array([np.arccos(np.clip((np.trace(a.T @ b) - 1.0) / 2.0, -1.0, 1.0)) for a, b in rotations])

    assert swallowed(wide, source.retarget(wide, arms=False)) > 0.3
    assert swallowed(wide, source.retarget(wide)) <= 0.1
    assert np.ptp(spread(wide)) < 1e-5
    assert spread(slim).max() < 1e-6
