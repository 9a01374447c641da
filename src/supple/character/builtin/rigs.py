"""How each built-in body follows its skeleton: limbs, gates, names of parts, and how much of it is bone."""

from __future__ import annotations

import re

from supple.character.builtin.gates import Beyond, Both, Gate, Near
from supple.character.builtin.rig import Limb, Rig
from supple.geometry.implicit import ellipsoid, loft

_HERO_LABELS = {
    "Hips": "torso", "Spine": "torso", "Spine1": "torso", "Spine2": "torso", "Shoulder": "torso",
    "Neck": "neck", "Neck1": "neck", "Head": "head",
    "Arm": "arm", "ForeArm": "forearm", "Hand": "hand",
    "UpLeg": "thigh", "Leg": "shin", "Foot": "foot", "ToeBase": "foot",
}  # fmt: skip
# What is hard around the bone [m]: skull, ribs and pelvis are wide, limbs are thin where they are fleshy.
_HERO_CORES = {
    "Hips": 0.060, "Spine": 0.045, "Spine1": 0.050, "Spine2": 0.050, "Neck": 0.040, "Neck1": 0.042, "Head": 0.070,
    "Shoulder": 0.030, "Arm": 0.018, "ForeArm": 0.020, "Hand": 0.017,
    "UpLeg": 0.026, "Leg": 0.034, "Foot": 0.030, "ToeBase": 0.020,
}  # fmt: skip


def _sided(name: str, table: dict[str, str]) -> str:
    """A table of labels without sides, applied to a joint name with one."""
    side = re.match("Left|Right", name)
    base = name[side.end() :] if side else name
    base = "Hand" if base.startswith("Hand") else base
    label = table[base]
    return f"{side.group().lower()}_{label}" if side and label not in ("torso", "head") else label


def _hero_label(name: str) -> str:
    return _sided(name, _HERO_LABELS)


def _hero_core(name: str) -> float:
    base = re.sub("^(Left|Right)", "", name)
    if base.startswith("Hand") and base != "Hand":
        return 0.007 if re.search("[23]$|Thumb|Index|Ring|Pinky", base) else 0.012
    return _HERO_CORES[base]


_HERO_GATES: dict[str, Gate] = {
    # The chin belongs to the head, the nape to the neck: the border runs from under the chin up to the skull.
    "Head": Beyond((0.0, 1.597, 0.0), (0.0, 0.88, 0.47), 0.024),
    "Neck1": Beyond((0.0, 1.550, 0.0), (0.0, 0.95, 0.30), 0.030),
    "Neck": Beyond((0.0, 1.495, -0.01), (0.0, 1.0, 0.15), 0.030),
    "Spine": Beyond((0.0, 1.075, 0.0), (0.0, 1.0, 0.0), 0.085),
    "Spine1": Beyond((0.0, 1.195, 0.0), (0.0, 1.0, 0.0), 0.075),
    "Spine2": Beyond((0.0, 1.320, 0.0), (0.0, 1.0, 0.0), 0.075),
    "LeftShoulder": Both(
        Both(Beyond((0.090, 1.44, 0.0), (1.0, 0.0, 0.0), 0.055), Beyond((0.0, 1.395, 0.0), (0.25, 1.0, 0.0), 0.060)),
        Beyond((0.0, 1.535, 0.0), (0.0, -1.0, 0.0), 0.020),
    ),
    "LeftFoot": Beyond((0.148, 0.085, -0.03), (0.0, -0.95, 0.30), 0.034),
}
THUMB_BONE = loft((0.566, 1.032, 0.016), (0.610, 0.990, 0.070), [(0, 0.009), (1, 0.007)])
_RIBS = loft((0.0, 1.20, -0.012), (0.0, 1.43, -0.014), [(0, 0.110, 0.075), (0.5, 0.138, 0.088), (1, 0.090, 0.062)])
_AHEAD = Beyond((0.0, 1.0, 0.03), (0.0, 0.0, 1.0), 0.01)
HERO = Rig(
    limbs=(Limb("LeftUpLeg", 1, 0.065), Limb("LeftArm", 2, 0.055)),
    gates=_HERO_GATES,
    label=_hero_label,
    regions={"belly": ("torso", Both(Near((0.0, 1.085, 0.12), (0.0, 1.06, 0.12), 0.115, 0.135), _AHEAD))},
    core=_hero_core,
    hard=(
        ellipsoid((0.0, 1.695, -0.004), (0.072, 0.092, 0.099)),  # skull
        _RIBS,
        ellipsoid((0.0, 0.985, -0.020), (0.125, 0.060, 0.060)),  # pelvis
        THUMB_BONE,
    ),
)
LIMB = Rig(gates={"LeftFoot": _HERO_GATES["LeftFoot"]}, label=_hero_label, core=_hero_core, hard=(THUMB_BONE,))


def _chain_label(name: str) -> str:
    return {"Head": "head", "Neck": "neck", "Tail": "tail"}.get(name, name.lower() if "Bone" in name else "body")


TUBE = Rig(label=_chain_label, core=lambda name: 0.02)
SNAKE = Rig(label=_chain_label, core=lambda name: 0.028 if name == "Head" else 0.012)

_QUADRUPED_LABELS = {
    "Hips": "rump", "Spine1": "barrel", "Spine2": "barrel", "Spine3": "chest",
    "Neck1": "neck", "Neck2": "neck", "Neck3": "neck", "Head": "head", "Jaw": "jaw", "Ear": "ear",
    "Tail1": "tail", "Tail2": "tail", "Tail3": "tail",
    "FrontShoulder": "front_thigh", "FrontUpperLeg": "front_thigh", "FrontLowerLeg": "front_shin",
    "FrontCannon": "front_cannon", "FrontFoot": "front_foot",
    "HindUpperLeg": "hind_thigh", "HindLowerLeg": "hind_shin",
    "HindCannon": "hind_cannon", "HindPastern": "hind_foot", "HindFoot": "hind_foot",
}  # fmt: skip
_QUADRUPED_CORES = {
    "Hips": 0.075, "Spine1": 0.070, "Spine2": 0.080, "Spine3": 0.080, "Neck1": 0.045, "Neck2": 0.040, "Neck3": 0.036,
    "Head": 0.045, "Jaw": 0.030, "Ear": 0.010, "Tail1": 0.014, "Tail2": 0.012, "Tail3": 0.010,
    "FrontShoulder": 0.045, "FrontUpperLeg": 0.035, "FrontLowerLeg": 0.028, "FrontCannon": 0.022, "FrontFoot": 0.024,
    "HindUpperLeg": 0.040, "HindLowerLeg": 0.028, "HindCannon": 0.022, "HindPastern": 0.024, "HindFoot": 0.024,
}  # fmt: skip
_BARREL = loft(
    (0.0, 1.0, -0.12), (0.0, 1.0, 0.42), [(0, 0.145, 0.12), (0.5, 0.16, 0.16), (1, 0.09, 0.13)], front=(0.0, 1.0, 0.0)
)
QUADRUPED = Rig(
    limbs=(Limb("LeftFrontShoulder", 2, 0.060), Limb("LeftHindUpperLeg", 3, 0.070), Limb("Tail1", 4, 0.030)),
    gates={
        "Spine1": Beyond((0.0, 1.0, -0.20), (0.0, 0.0, 1.0), 0.13),
        "Spine2": Beyond((0.0, 1.0, 0.02), (0.0, 0.0, 1.0), 0.13),
        "Spine3": Beyond((0.0, 1.0, 0.24), (0.0, 0.1, 1.0), 0.12),
        "Neck1": Beyond((0.0, 1.12, 0.45), (0.0, 0.65, 0.76), 0.11),
        "Jaw": Both(
            Beyond((0.0, 1.415, 0.830), (0.0, -0.86, -0.51), 0.022),
            Beyond((0.0, 1.44, 0.80), (0.0, -0.51, 0.86), 0.040),
        ),
        "LeftEar": Both(
            Near((0.048, 1.585, 0.705), (0.082, 1.715, 0.690), 0.030, 0.045),
            Beyond((0.050, 1.600, 0.700), (0.25, 1.0, -0.1), 0.016),
        ),
    },
    label=lambda name: _sided(name, _QUADRUPED_LABELS),
    core=lambda name: _QUADRUPED_CORES[re.sub("^(Left|Right)", "", name)],
    hard=(
        _BARREL,
        loft((0.0, 1.53, 0.73), (0.0, 1.345, 1.04), [(0, 0.05), (0.3, 0.055), (0.8, 0.033)]),  # skull
        ellipsoid((0.0, 1.06, -0.47), (0.10, 0.07, 0.12)),  # pelvis
    ),
    softness=0.9,
)


def _octopus_label(name: str) -> str:
    if name.startswith("Arm"):
        return f"arm_{name[3]}"
    return {"Body": "body", "Head": "head", "LeftEye": "left_eye", "RightEye": "right_eye"}.get(name, "mantle")


OCTOPUS = Rig(
    limbs=tuple(Limb(f"Arm{arm + 1}_1", arm + 1, 0.030) for arm in range(4)),
    gates={
        "LeftEye": Near((0.086, 0.244, 0.050), (0.090, 0.245, 0.053), 0.022, 0.042),
        "Mantle1": Beyond((0.0, 0.285, -0.01), (0.0, 1.0, -0.25), 0.045),
    },
    label=_octopus_label,
    core=lambda name: 0.0,
    softness=1.1,
)
