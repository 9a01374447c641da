"""Bodies under the names of many rigs, and dances for them."""

import numpy as np

import supple
from supple.character.anatomy.humanoid import Anatomy
from supple.geometry import quaternions
from supple.motion.motion import Motion

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
