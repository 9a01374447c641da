"""Carry a motion over to another skeleton."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.humanoid import Anatomy, leg_length
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError, SuppleWarning
from supple.geometry import quaternions
from supple.motion.motion import Motion
from supple.motion.retarget.alignment import rest_alignments
from supple.motion.retarget.arms import held_off
from supple.motion.retarget.ground import Soles, fit_floor, lowest_skin, smooth
from supple.motion.retarget.matching import Follow, follows

_WHERE = "retarget"
_CALM = 0.05  # s; a lift that changed feet from one frame to the next would jolt the whole body


def retarget(
    motion: Motion,
    target: Character | Skeleton,
    *,
    table: Mapping[str, str] | None = None,
    ground: bool = True,
    arms: bool = True,
) -> Motion:
    """The same movement on another body: bones point where the source's point, lengths stay the target's.

    Joints are matched by `table` {target joint: source joint}, else by the parts of the body that names and shape
    tell, else by equal names. A matched joint, turned by D from rest at the source, is turned by D A from its own,
    where A aligns the two rests (`alignment`), so T-poses and A-poses and any joint axes mix. Spines and necks of
    other lengths share the turn along the chain. The way of the hips is scaled by the ratio of leg lengths; with
    `ground` the hips are then raised or lowered in every frame so that the lowest sole is as high over the floor, in
    leg lengths, as the source's, and no skin of the feet below it; the lift is smoothed over a few hundredths of a
    second, which costs millimetres. With `arms`, those of a body that is wider than the source's hang farther out, so
    that the trunk does not swallow them. Joints without a partner keep their rest on their parent; a `SuppleWarning`
    names them.

    Limits: no foot is pinned, so where the proportions of thigh and shin differ a planted foot can slide a little;
    hands do not keep contacts; scales and changing bone lengths of the source are left out.
    """
    skeleton = target.skeleton if isinstance(target, Character) else target
    if not isinstance(skeleton, Skeleton):
        raise InputError(
            _WHERE,
            f"the target is {type(target).__name__}",
            "a character or skeleton is needed",
            "pass the character that shall move",
        )
    source = motion.skeleton
    if table is None and _same(source, skeleton):
        return motion.replace(skeleton=skeleton)
    of, to = Anatomy(source), Anatomy(skeleton)
    pairs = follows(of, to, table)
    _report(of, to, pairs)
    source_rotations, source_positions = _from_rest(motion)
    rotations = _target_rotations(source_rotations, of, to, pairs)
    ratio = _ratio(of, to, pairs)
    root_positions = _root_positions(of, to, pairs, source_positions, rotations, ratio)
    positions = _positions(skeleton, rotations, root_positions)
    if arms and isinstance(target, Character):
        rotations = held_off(target, to, rotations, positions)
        positions = _positions(skeleton, rotations, root_positions)
    if ground and of.complete and to.complete:
        skin = target if isinstance(target, Character) else None
        lift = _lift(of, to, (source_rotations, source_positions), (rotations, positions), ratio, skin)
        positions[..., 1] += smooth(lift, _CALM * motion.fps, loop=motion.loop)[:, None]
    moves, quaternions, scales = _keys(skeleton, rotations, positions)
    stride = None if motion.stride is None else motion.stride * ratio
    return motion.replace(skeleton=skeleton, translations=moves, rotations=quaternions, scales=scales, stride=stride)


def _same(a: Skeleton, b: Skeleton) -> bool:
    return a is b or (
        a.names == b.names
        and np.array_equal(a.parents, b.parents)
        and np.allclose(a.world_from_joint, b.world_from_joint, atol=1e-9)
    )


def _report(of: Anatomy, to: Anatomy, pairs: dict[int, Follow]) -> None:
    """One warning for all joints that have no partner."""
    used = {follow.source for follow in pairs.values()} | {follow.beyond for follow in pairs.values()}
    still = [name for joint, name in enumerate(to.skeleton.names) if joint not in pairs]
    unused = [name for joint, name in enumerate(of.skeleton.names) if joint not in used]
    said = []
    if still:
        said.append(f"{len(still)} joints of the target follow nothing ({_list(still)})")
    if unused:
        said.append(f"{len(unused)} joints of the source move nothing ({_list(unused)})")
    if said:
        warnings.warn(f"{_WHERE}: {'; '.join(said)}.", SuppleWarning, stacklevel=4)


def _list(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def _from_rest(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Turns (F, J, 3, 3) from rest in world axes, and places (F, J, 3) of all joints."""
    skeleton = motion.skeleton
    local = quaternions.compose(motion.translations, motion.rotations, motion.scales)
    world = skeleton.world_from_locals(local).swapaxes(0, 1)
    rotations = world[..., :3, :3] @ skeleton.joint_from_world[:, None, :3, :3]
    if not np.allclose(rotations @ rotations.swapaxes(-1, -2), np.eye(3), atol=1e-9):
        rotations = quaternions.nearest_rotation(rotations)
    return rotations.swapaxes(0, 1), world[..., :3, 3].swapaxes(0, 1)


def _target_rotations(source: FloatArray, of: Anatomy, to: Anatomy, pairs: dict[int, Follow]) -> FloatArray:
    """Turns (F, J, 3, 3) of the target from its rest, in world axes."""
    skeleton = to.skeleton
    alignments = rest_alignments(of, to, pairs)
    rotations = np.tile(np.eye(3), (len(source), len(skeleton), 1, 1))
    for level in skeleton.levels:
        for joint in level.tolist():
            parent = int(skeleton.parents[joint])
            if joint in pairs:
                rotations[:, joint] = _follow(source, pairs[joint]) @ alignments[joint]
            elif parent >= 0:
                rotations[:, joint] = rotations[:, parent]
    return rotations


def _follow(source: FloatArray, follow: Follow) -> FloatArray:
    here = source[:, follow.source]
    if follow.fraction == 0.0:
        return here
    a, b = (quaternions.quat_from_matrix(m) for m in (here, source[:, follow.beyond]))
    return quaternions.matrix_from_quat(quaternions.slerp(a, b, np.full(len(a), follow.fraction)))


def _ratio(of: Anatomy, to: Anatomy, pairs: dict[int, Follow]) -> float:
    """How much longer the target's steps are: by its legs, else by the spread of the matched joints."""
    legs = leg_length(of), leg_length(to)
    if min(legs) > 0.0:
        return legs[1] / legs[0]
    spread_to = np.ptp(to.skeleton.heads[list(pairs)], axis=0)
    spread_of = np.ptp(of.skeleton.heads[[follow.source for follow in pairs.values()]], axis=0)
    sizes = float(np.linalg.norm(spread_of)), float(np.linalg.norm(spread_to))
    return sizes[1] / sizes[0] if min(sizes) > 1e-9 else 1.0


def _root_positions(
    of: Anatomy,
    to: Anatomy,
    pairs: dict[int, Follow],
    source_positions: FloatArray,
    rotations: FloatArray,
    ratio: float,
) -> dict[int, FloatArray]:
    """Places (F, 3) of the matched joints with no matched joint above them.

    Hips are placed by the middle of the hip sockets, which the legs hang on, because rigs put the hip joint itself
    at various heights.
    """
    root_positions = {}
    for joint, follow in pairs.items():
        if any(above in pairs for above in to.path(-1, joint)[:-1]):
            continue
        root_position = ratio * source_positions[:, follow.source]
        if follow.part == "hips" and to.parts.get("hips") == joint:
            sockets_of = [of.parts[f"{side} upper leg"] for side in ("left", "right")]
            sockets_to = [to.parts[f"{side} upper leg"] for side in ("left", "right")]
            middle = to.skeleton.heads[sockets_to].mean(axis=0) - to.skeleton.heads[joint]
            root_position = ratio * source_positions[:, sockets_of].mean(axis=1) - np.einsum(
                "fij,j->fi", rotations[:, joint], middle
            )
        root_positions[joint] = root_position
    return root_positions


def _positions(skeleton: Skeleton, rotations: FloatArray, root_positions: dict[int, FloatArray]) -> FloatArray:
    """Places (F, J, 3): bones of the target's own lengths, set end to end."""
    heads = skeleton.heads
    positions = np.tile(heads, (len(rotations), 1, 1))
    for level in skeleton.levels:
        for joint in level.tolist():
            parent = int(skeleton.parents[joint])
            if joint in root_positions:
                positions[:, joint] = root_positions[joint]
            elif parent >= 0:
                reach = np.einsum("fij,j->fi", rotations[:, parent], heads[joint] - heads[parent])
                positions[:, joint] = positions[:, parent] + reach
    return positions


def _lift(
    of: Anatomy,
    to: Anatomy,
    source: tuple[FloatArray, FloatArray],
    result: tuple[FloatArray, FloatArray],
    ratio: float,
    skin: Character | None,
) -> FloatArray:
    """By how much (F,) [m] to raise the target so that its lowest sole is where the source's is, in leg lengths.

    Where there is a skin, none of it may then be below the floor, unless the source's soles are.
    """
    soles_of, soles_to = Soles(of), Soles(to)
    if not (len(soles_of) and len(soles_to)):
        return np.zeros(len(result[1]))
    over, spots = soles_of.lowest(*source)
    if soles_to.stands and not soles_of.stands:
        over, _ = soles_of.lowest(*source, floor=fit_floor(over, spots, soles_of.leg))
    rotations, positions = result
    lift = ratio * over - soles_to.lowest(rotations, positions)[0]
    lowest = None if skin is None else lowest_skin(skin, to, rotations, positions)
    if lowest is not None:
        lift = np.maximum(lift, np.minimum(0.0, ratio * over) - lowest)
    return lift


def _keys(
    skeleton: Skeleton, rotations: FloatArray, positions: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Keys relative to the parents."""
    rest = skeleton.world_from_joint[:, :3, :3]
    world = np.zeros((*positions.shape[:2], 4, 4))
    world[..., :3, :3] = rotations @ rest
    world[..., :3, 3] = positions
    world[..., 3, 3] = 1.0
    has_parent = skeleton.parents >= 0
    parents = skeleton.parents[has_parent]
    local = world.copy()
    if np.allclose(rest @ rest.swapaxes(-1, -2), np.eye(3), atol=1e-9):
        local[:, has_parent] = quaternions.rigid_inverse(world[:, parents]) @ world[:, has_parent]
        return local[..., :3, 3].copy(), quaternions.quat_from_matrix(local[..., :3, :3]), None
    local[:, has_parent] = np.linalg.solve(world[:, parents], world[:, has_parent])
    return quaternions.decompose(local)
