"""What a joint's name says about the human part it moves, whichever tool wrote it.

Mixamo, CMU and other BVH libraries, VRM and Unity, Unreal, Rigify and Blender spell the same few words differently:
with namespaces and prefixes, in camel case or with underscores, with the side first, last or as one letter. So a name
is cut into words, the side and the number are taken out, and what is left is looked up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TRUNK = ("hips", "spine", "neck", "head")
LIMBS = {"arm": ("shoulder", "upper arm", "lower arm", "hand"), "leg": ("upper leg", "lower leg", "foot", "toes")}
FINGERS = ("thumb", "index", "middle", "ring", "little")

_WORDS = {
    "hips": "hips pelvis",
    "spine": "spine lowerback back chest upperchest lowerspine upperspine middlespine abdomen torso waist ribcage",
    "neck": "neck lowerneck upperneck",
    "head": "head",
    "shoulder": "shoulder clavicle collar collarbone clav",
    "upper arm": "arm uparm upperarm",
    "lower arm": "forearm lowerarm lowarm elbow",
    "hand": "hand wrist palm",
    "upper leg": "upleg upperleg thigh hip",
    "lower leg": "leg lowerleg lowleg calf shin knee",
    "foot": "foot ankle",
    "toes": "toe toes toebase ball",
    "thumb": "thumb",
    "index": "index indexfinger",
    "middle": "middle middlefinger",
    "ring": "ring ringfinger",
    "little": "little pinky pinkie littlefinger pinkyfinger",
}
_PART_OF_WORD = {word: part for part, words in _WORDS.items() for word in words.split()}
_SIDED = {part for parts in LIMBS.values() for part in parts} | set(FINGERS)
_SIDES = {"left": "left", "l": "left", "lft": "left", "right": "right", "r": "right", "rgt": "right"}
# Words that tell which tool or rig it was, not which part.
_NOISE = {"mixamorig", "bip", "bip001", "bip01", "j", "c", "def", "org", "mch", "valvebiped", "skeleton", "joint",
          "jnt", "bone", "b", "armature", "character", "rig", "sim", "bn", "f", "cc", "base", "finger"}  # fmt: skip
_FINGER_JOINTS = {"metacarpal": 0, "proximal": 1, "intermediate": 2, "distal": 3}
# Bones that only share a turn, steer others, or end a chain.
_AUXILIARY = {"twist", "roll", "ik", "pole", "target", "end", "nub", "tip", "site", "ctrl", "control", "helper",
              "hipjoint", "leaf", "eye", "jaw", "breast", "heel", "weapon", "attach"}  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class NamedPart:
    """What a name says: the part, the side ("left", "right" or ""), the number in it (-1 for none).

    `limb` is "arm" or "leg" where the name says only that much and the place in the chain has to say the rest.
    """

    part: str
    side: str
    number: int
    limb: str = ""


def named_part(name: str) -> NamedPart | None:
    """The part that a joint's name speaks of, or None."""
    words = words_of(name)
    side = next((_SIDES[word] for word in (*words[:4], *words[::-1]) if word in _SIDES), "")
    numbers = [int(word) for word in words if word.isdigit() and len(word) < 6]
    number = numbers[-1] if numbers else -1
    plain = [word for word in words if word not in _SIDES and not word.isdigit()]
    if is_auxiliary(name):
        return None
    depth = next((_FINGER_JOINTS[word] for word in plain if word in _FINGER_JOINTS), None)
    if depth is not None:
        number = depth
    telling = [word for word in plain if word not in _NOISE and word not in _FINGER_JOINTS]
    finger = next((_PART_OF_WORD[word] for word in telling if _PART_OF_WORD.get(word) in FINGERS), None)
    if finger and "toe" not in plain and "foot" not in plain:
        return NamedPart(finger, side, number) if side else None
    key = "".join(telling)
    if key.endswith("s") and key[:-1] in _PART_OF_WORD and key not in _PART_OF_WORD:
        key = key[:-1]
    if key == "hip" and not side:
        return NamedPart("hips", "", number)
    part = _PART_OF_WORD.get(key)
    if part is None or (part in _SIDED) != bool(side):
        return None
    # "arm 1, arm 2, ..." and "leg 1, leg 2, ..." number the joints of a limb instead of naming them.
    limb = key if key in LIMBS and number >= 0 else ""
    return NamedPart(part, side, number, limb)


def finger_of(name: str) -> tuple[str, str] | None:
    """The side ("left", "right" or "") and the finger that a joint's name speaks of, tips and metacarpals too."""
    words = words_of(name)
    side = next((_SIDES[word] for word in (*words[:4], *words[::-1]) if word in _SIDES), "")
    if "toe" in words or "foot" in words or "toes" in words or {"twist", "ik", "ctrl", "pole", "target"} & set(words):
        return None
    found = next((_PART_OF_WORD[word] for word in words if _PART_OF_WORD.get(word) in FINGERS), None)
    return None if found is None else (side, found)


def is_auxiliary(name: str) -> bool:
    """Whether a joint only shares a turn, steers others or ends a chain: a twist bone, a target, a tip."""
    plain = [word for word in words_of(name) if word not in _SIDES and not word.isdigit()]
    return any(word in _AUXILIARY for word in (*plain, "".join(plain)))


def words_of(name: str) -> list[str]:
    """The words of a name in lower case, without namespace: those of "mixamorig:LeftEar_02" are left, ear and 02."""
    return [word.lower() for word in _WORD.findall(_without_namespace(name))]


def _without_namespace(name: str) -> str:
    """What stands after the last ':' or '|', unless nothing does."""
    return re.split(r"[:|]", name.rstrip(":|"))[-1]


def plain_key(name: str) -> str:
    """A name without namespace, case and punctuation, to compare names that no table knows."""
    return re.sub(r"[^a-z0-9]", "", _without_namespace(name).lower())
