"""Which part of a body each joint turns: of people by the names of the usual rigs, of animals by theirs, else by shape.

What names do not say, the skeleton does: a run of joints that has a mirror image is a limb, one in the middle of the
body is a spine, a neck or a tail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.humanoid import Anatomy, body_axes
from supple.character.anatomy.names import FINGERS, is_auxiliary, named_part
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import normalize

# What words of animals' rigs stand for; the first that is found in a name counts.
_WORDS = (
    ("tail", r"tail"),
    ("ear", r"(?<![a-z])ears?(?![a-z])"),
    ("jaw", r"jaw|chin|mouth(?!_upper)|mandible"),
    ("feather", r"feather"),
    ("wing", r"wing"),
    ("trunk", r"belly|stomach|ribcage|ribs|breast|abdomen"),
    ("girdle", r"scapula|legs?_?anchor|leg_pelvis|leg_shoulder|coxa"),
    ("thigh", r"humerus|femur|leg_?upper|upper_?leg|upleg|thigh|stifle"),
    ("shank", r"leg_?lower|lower_?leg|tibia|radius|shin|calf|knee|elbow|forearm"),
    ("hock", r"hock|ankle|cannon|carpus|carpal|tarsus|fetlock|metatars|metacarp|pastern"),
    ("paw", r"paw|hoof|foot|toes?(?![a-z])|claw"),
    ("neck", r"neck"),
    ("head", r"head|skull"),
    ("spine", r"spine|back(?!_?leg)|chest|thorax"),
)
_PATTERNS = tuple((part, re.compile(pattern)) for part, pattern in _WORDS)
_HUMAN = {
    "shoulder": "clavicle",
    "upper arm": "upper arm",
    "lower arm": "elbow",
    "hand": "hand",
    "upper leg": "upper leg",
    "lower leg": "knee",
    "foot": "foot",
    "toes": "toes",
    "spine": "spine",
    "neck": "neck",
    "head": "head",
}
_HELD = {"head": "skull", "skull": "skull", "hand": "tip", "tip": "tip"}  # what hangs on these and has no name
_LIMBS = ("clavicle", "upper arm", "girdle", "thigh", "limb", "wing")
_END = re.compile(r"leaf|(?<![a-z])tips?(?![a-z])|(?<![a-z])end(?![a-z])|nub|slot")
_UPRIGHT = 0.6  # of the way from hips to head that leads up: who has less goes on all fours
_MIRRORED = 0.08  # of the body's size: how near to a mirror image another joint stands
_MIDDLE = 0.03  # of the body's size: how near to the middle plane the trunk is


@dataclass(frozen=True, eq=False)
class JointParts:
    """The part of every joint (J,) and where it was told from: "names", "shape", or "" for a root.

    `left`, `up` and `forward` (3,) are those of the body at rest. `upright` says that it goes on two legs. `runs` are
    the joints that share one bend: spine, neck and head, tails and snakes, by the first of each.
    """

    skeleton: Skeleton
    parts: tuple[str, ...]
    sources: tuple[str, ...]
    runs: tuple[int, ...]
    left: FloatArray
    up: FloatArray
    forward: FloatArray
    upright: bool

    def shared(self, joint: int) -> int:
        """How many joints share the bend that this one is part of."""
        return self.runs.count(self.runs[joint])


def find_joint_parts(skeleton: Skeleton) -> JointParts:
    """Name the joints of a skeleton."""
    anatomy = Anatomy(skeleton)
    axes, upright = _axes(skeleton, anatomy)
    left, up, forward = axes.T
    count = len(skeleton)
    parts, sources = [""] * count, [""] * count
    human = anatomy.part_of() if anatomy.complete and upright else {}
    for joint, name in enumerate(skeleton.names):
        if skeleton.parents[joint] < 0 or joint == anatomy.parts.get("hips", -1):
            continue
        said = _human_part(human.get(joint), name, upright)
        if said == "" and (named := _animal_part(name)):
            said = named
        if said:
            parts[joint], sources[joint] = said, "names"
    by_shape = _by_shape(skeleton, left)
    for joint in (int(one) for level in skeleton.levels[1:] for one in level):
        above = parts[skeleton.parents[joint]]
        if _is_end(skeleton.names[joint]) or (not parts[joint] and above in _HELD):
            parts[joint], sources[joint] = _HELD.get(above, "tip"), "names"
        elif not parts[joint] and joint != anatomy.parts.get("hips", -1):
            parts[joint], sources[joint] = by_shape[joint], "shape"
    _tell_necks(skeleton, parts)
    return JointParts(skeleton, tuple(parts), tuple(sources), _runs(skeleton, parts), left, up, forward, upright)


def _tell_necks(skeleton: Skeleton, parts: list[str]) -> None:
    """What is called a spine beyond the last pair of limbs, on the way to the head, is a neck."""
    for head in (joint for joint, part in enumerate(parts) if part == "head"):
        way: list[int] = []
        joint = int(skeleton.parents[head])
        while joint >= 0 and parts[joint] in ("spine", "neck"):
            if any(parts[child] in _LIMBS for child in skeleton.children(joint).tolist()):
                for one in way:
                    parts[one] = "neck"
                return
            way.append(joint)
            joint = int(skeleton.parents[joint])


def _human_part(found: str | None, name: str, upright: bool) -> str:
    """Of a person: what its anatomy says, or else what the name alone does; of an animal nothing."""
    plain = "" if found is None else found.removeprefix("left ").removeprefix("right ")
    if plain.split(" ")[0] in FINGERS:
        return "thumb" if plain.startswith("thumb") else "finger"
    if plain in _HUMAN:
        return _HUMAN[plain]
    said = named_part(name) if upright else None
    if said is not None and said.part in FINGERS:
        return "thumb" if said.part == "thumb" else "finger"
    return _HUMAN.get(said.part, "") if said is not None else ("finger" if upright and "finger" in name.lower() else "")


def _animal_part(name: str) -> str:
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.split(":")[-1]).lower().replace(".", "_").replace(" ", "_")
    return next((part for part, pattern in _PATTERNS if pattern.search(plain)), "")


def _is_end(name: str) -> bool:
    """Whether a joint only ends a chain, steers others or holds things."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return (is_auxiliary(name) and "jaw" not in plain) or bool(_END.search(plain))


def _axes(skeleton: Skeleton, anatomy: Anatomy) -> tuple[FloatArray, bool]:
    """Left, up and forward as columns (3, 3), and whether the body stands on two legs."""
    heads = skeleton.heads
    top = next((j for j, name in enumerate(skeleton.names) if _animal_part(name) == "head"), None)
    seats = [j for j, name in enumerate(skeleton.names) if re.search(r"hips?(?![a-z])|pelvis", name.lower())]
    hips = seats[0] if seats else int(np.argmin(skeleton.parents))
    way = np.zeros(3) if top is None else heads[top] - heads[hips]
    long = float(np.linalg.norm(way))
    if anatomy.complete and (long < 1e-9 or way[1] > _UPRIGHT * long):
        return body_axes(anatomy), True
    flat = way * np.array([1.0, 0.0, 1.0])
    forward = normalize(flat) if np.linalg.norm(flat) > 1e-6 else np.array([0.0, 0.0, 1.0])
    if long > 1e-9 and way[1] > 0.95 * long:
        forward = np.array([0.0, 0.0, 1.0])
    up = np.array([0.0, 1.0, 0.0])
    return np.stack([np.cross(up, forward), up, forward], axis=1), False


def _by_shape(skeleton: Skeleton, left: FloatArray) -> list[str]:
    """The first joint of a limb is a "limb", those after it are a "bend"; what lies in the middle plane is "spine"."""
    heads = skeleton.heads
    size = float(np.ptp(heads, axis=0).max()) or 1.0
    middle = float(np.median(heads @ left))
    off = heads @ left - middle
    mirrored = heads - 2.0 * off[:, None] * left
    apart = np.linalg.norm(heads[None] - mirrored[:, None], axis=2)
    paired = (np.abs(off) > _MIDDLE * size) & (apart.min(axis=1) < _MIRRORED * size)
    found = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if not paired[joint]:
            found.append("spine" if abs(off[joint]) < _MIDDLE * size else "")
        else:
            found.append("bend" if parent >= 0 and paired[parent] else "limb")
    return found


def _runs(skeleton: Skeleton, parts: list[str]) -> tuple[int, ...]:
    """By joint: the first of those in a row that share a bend, else itself."""
    alike = {"spine": "spine", "neck": "neck", "head": "neck", "tail": "tail"}
    runs = list(range(len(parts)))
    for level in skeleton.levels:
        for joint in level.tolist():
            parent = int(skeleton.parents[joint])
            kind = alike.get(parts[joint])
            if parent >= 0 and kind is not None and alike.get(parts[parent]) == kind:
                runs[joint] = runs[parent]
    return tuple(runs)
