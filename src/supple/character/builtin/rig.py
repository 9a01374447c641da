"""Tie a built-in body to its skeleton: skin weights, named parts and the flesh over the bones, all by formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.builtin.gates import Beyond, Gate, distance_to_segment, rise
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights, largest_first
from supple.geometry.implicit import Body, Loft, smooth_minimum

_INFLUENCES = 4
_CHUNK = 1 << 16
_LEAST = 1e-9  # weights below this are left out: what rounding leaves of nothing
_ENTRIES = 1 << 22  # of the dense matrix of weights that is held at a time
_SIDES = 0.02  # over how many metres on both sides of the middle left turns into right


@dataclass(frozen=True)
class Limb:
    """A part of the body that moves with `root` and what hangs below it; its skin melts into the rest over `width` [m].

    In a mirrored body the limb is the left one, and the right one is its mirror image.
    """

    root: str
    part: int
    width: float


@dataclass(frozen=True)
class Rig:
    """How a character's skin follows its skeleton.

    A point belongs to a limb as far as it is nearer to that limb's part of the body than to the others, and to the
    trunk for the rest. Inside a limb, a joint takes over from its parent across a plane through the joint that halves
    the bend; `gates` replace that plane where a joint needs something else. `label` names the part of a joint, and
    `regions` are named pieces of such parts (name: part and gate). `core` is the thickness [m] of what is hard around
    the bone of a joint, `hard` are skull, ribs and pelvis. What is given for the left holds mirrored for the right.
    """

    limbs: tuple[Limb, ...] = ()
    gates: Mapping[str, Gate] = field(default_factory=dict)
    label: Callable[[str], str] = str
    regions: Mapping[str, tuple[str, Gate]] = field(default_factory=dict)
    core: Callable[[str], float] = lambda name: 0.0
    hard: tuple[Loft, ...] = ()
    softness: float = 1.0  # width of a joint's rise, in radii of the body there
    closeness: float = 0.0025  # over how many metres branches of one joint share the skin between them


def weights(points: FloatArray, body: Body, skeleton: Skeleton, rig: Rig) -> Weights:
    """Up to four influences per vertex, smooth across every joint and confined to the limb the vertex is on."""
    radii = -body.distance(skeleton.heads)
    joints, values = [], []
    chunk = max(_ENTRIES // len(skeleton), 1)
    for i in range(0, len(points), chunk):
        dense = _dense(points[i : i + chunk], body, skeleton, rig, radii)
        count = min(_INFLUENCES, dense.shape[1])
        dense[dense < _LEAST] = 0.0
        top = largest_first(dense)[:, :count]
        value = np.take_along_axis(dense, top, axis=1)
        joints.append(top)
        values.append(value / value.sum(axis=1, keepdims=True))
    return Weights(np.concatenate(joints), np.concatenate(values))


def parts(points: FloatArray, vertex_weights: Weights, skeleton: Skeleton, rig: Rig) -> dict[str, IntArray]:
    """Every vertex under one name: that of the joint that moves it most, or of the region it lies in."""
    labels = [rig.label(name) for name in skeleton.names]
    names = list(dict.fromkeys(labels))
    number = np.array([names.index(label) for label in labels])[vertex_weights.joints[:, 0]]
    for name, (within, gate) in rig.regions.items():
        number[(number == names.index(within)) & (gate(points) > 0.5)] = len(names)
        names.append(name)
    found = {name: np.flatnonzero(number == i).astype(np.int32) for i, name in enumerate(names)}
    return {name: vertices for name, vertices in found.items() if len(vertices)}


def flesh(points: FloatArray, skeleton: Skeleton, rig: Rig) -> FloatArray:
    """Depth (V,) [m] of soft flesh between the skin and what is hard below it; never negative.

    The smallest, over all bones and hard shapes, of the distance to them, rounded off where two are equally near.
    """
    bones = skeleton.bones
    cores = [rig.core(skeleton.names[joint]) for joint in bones.joints]
    result = np.empty(len(points))
    for i in range(0, len(points), _CHUNK):
        some = points[i : i + _CHUNK]
        depth = np.full(len(some), 1.0)
        for start, end, core in zip(bones.starts, bones.ends, cores, strict=True):
            depth = smooth_minimum(depth, distance_to_segment(some, start, end) - core, 0.02)
        folded = some * np.where(some[:, :1] < 0.0, [-1.0, 1.0, 1.0], 1.0)
        for shape in rig.hard:
            depth = smooth_minimum(depth, shape.distance(folded), 0.02)
        result[i : i + _CHUNK] = np.maximum(depth, 0.0)
    return result


def _dense(points: FloatArray, body: Body, skeleton: Skeleton, rig: Rig, radii: FloatArray) -> FloatArray:
    """All weights (N, J): every joint hands on its share to its children as far as their gates are open."""
    roots, limb_weights = _limb_weights(points, body, skeleton, rig)
    result = np.zeros((len(points), len(skeleton)))
    trunk = 1.0 - sum(limb_weights, np.zeros(len(points)))
    starts = [(int(joint), trunk) for joint in np.flatnonzero(skeleton.parents < 0)]
    waiting = [
        (joint, np.flatnonzero(weight > 0.0), weight[weight > 0.0])
        for joint, weight in [*starts, *zip(roots, limb_weights, strict=True)]
    ]
    while waiting:
        joint, who, weight = waiting.pop()
        children = [int(child) for child in skeleton.children(joint) if int(child) not in roots]
        passed = _passed_on(points[who], children, skeleton, rig, radii)
        result[who, joint] += weight * (1.0 - sum(passed, np.zeros(len(who))))
        for child, gate in zip(children, passed, strict=True):
            through = weight * gate
            some = through > 0.0
            if some.any():
                waiting.append((child, who[some], through[some]))
    return result


def _passed_on(
    points: FloatArray, children: list[int], skeleton: Skeleton, rig: Rig, radii: FloatArray
) -> list[FloatArray]:
    """How much of every point each child takes over from its parent; together at most 1.

    Children without a gate of their own branch like fingers: each takes only what is nearest to it.
    """
    passed = [_gate(child, skeleton, rig, float(radii[child]))(points) for child in children]
    branches = [i for i, child in enumerate(children) if _own_gate(skeleton.names[child], rig) is None]
    if len(branches) > 1:
        near = _nearness(points, [children[i] for i in branches], skeleton, rig.closeness)
        for i, closest in zip(branches, near, strict=True):
            passed[i] = passed[i] * closest
    total = np.maximum(sum(passed, np.zeros(len(points))), 1.0)
    return [weight / total for weight in passed]


def _limb_weights(points: FloatArray, body: Body, skeleton: Skeleton, rig: Rig) -> tuple[list[int], list[FloatArray]]:
    """Root joints of all limbs, left and right, and how much of every point belongs to each; together at most 1."""
    if not rig.limbs:
        return [], []
    folded = points.copy()
    if body.mirrored:
        folded[:, 0] = np.abs(points[:, 0])
    distances = [part.distance(folded, body.beyond) for part in body.parts]
    roots: list[int] = []
    limb_weights: list[FloatArray] = []
    for limb in rig.limbs:
        own = distances[limb.part]
        others = np.min([d for i, d in enumerate(distances) if i != limb.part], axis=0)
        weight = rise(others - own, limb.width)
        if mirror_name(limb.root) == limb.root:  # a tail
            roots.append(skeleton.index(limb.root))
            limb_weights.append(weight)
            continue
        left = rise(points[:, 0], _SIDES)
        for name, side in ((limb.root, left), (mirror_name(limb.root), 1.0 - left)):
            roots.append(skeleton.index(name))
            limb_weights.append(weight * side)
    total = np.maximum(sum(limb_weights, np.zeros(len(points))), 1.0)
    return roots, [weight / total for weight in limb_weights]


def _nearness(points: FloatArray, children: list[int], skeleton: Skeleton, width: float) -> list[FloatArray]:
    """How much each of several branches is the nearest; shares of sum one, exp(-d / width) normalised."""
    away = np.stack([distance_to_segment(points, skeleton.heads[c], _tip(c, skeleton)) for c in children])
    weight = np.exp(-(away - away.min(axis=0)) / width)
    return list(weight / weight.sum(axis=0))


def _tip(joint: int, skeleton: Skeleton) -> FloatArray:
    """Where the chain that starts at a joint ends."""
    assert skeleton.tails is not None  # built-in skeletons have them
    below = skeleton.children(joint)
    return _tip(int(below[0]), skeleton) if len(below) else skeleton.tails[joint]


def _gate(joint: int, skeleton: Skeleton, rig: Rig, radius: float) -> Gate:
    own = _own_gate(skeleton.names[joint], rig)
    if own is not None:
        return own
    assert skeleton.tails is not None  # built-in skeletons have them
    head, parent = skeleton.heads[joint], int(skeleton.parents[joint])
    before, after = head - skeleton.heads[parent], skeleton.tails[joint] - head
    normal = before / np.linalg.norm(before) + after / np.linalg.norm(after)
    # No wider than the bones it joins, so that few joints overlap.
    width = min(rig.softness * max(radius, 0.004), float(np.linalg.norm(before)), float(np.linalg.norm(after)))
    return Beyond(_point(head), _point(normal), width)


def _own_gate(name: str, rig: Rig) -> Gate | None:
    if name in rig.gates:
        return rig.gates[name]
    if mirror_name(name) in rig.gates:
        return _Mirrored(rig.gates[mirror_name(name)])
    return None


@dataclass(frozen=True)
class _Mirrored:
    """The gate of the other side."""

    gate: Gate

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.gate(points * np.array([-1.0, 1.0, 1.0]))


def mirror_name(name: str) -> str:
    """The joint on the other side: Left and Right change places, and octopus arm 1 becomes arm 8."""
    if "Left" in name:
        return name.replace("Left", "Right")
    if "Right" in name:
        return name.replace("Right", "Left")
    if name.startswith("Arm") and "_" in name:
        arm, bone = name[3:].split("_")
        return f"Arm{9 - int(arm)}_{bone}"
    return name


def _point(values: FloatArray) -> tuple[float, float, float]:
    return (float(values[0]), float(values[1]), float(values[2]))
