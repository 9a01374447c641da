"""The dynamic skeleton: which joints of a character become links, how heavy they are, and how they hang together.

Each node of the flesh belongs to the links by its weights. So a link's mass, centre and inertia are those of its share
of the flesh,

    m_i = sum_j w_ij m_j,   c_i = sum_j w_ij m_j p_j / m_i,   S_i = sum_j w_ij m_j (p_j - c_i)(p_j - c_i)^T,

and its inertia about its centre is tr(S_i) I - S_i. A joint without flesh of its own (a helper, a twist, an end) is
part of the link that it hangs on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.anatomy.joint_limits import JointLimit
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.skins.contact.model.flesh import WHERE, FleshLayer
from supple.skins.contact.model.joints import BALL, FREE, HINGE, JointCones, Joints, check_axes

_LEAST = 1e-4  # share of the whole mass below which a joint has no flesh of its own


@dataclass(frozen=True, eq=False)
class Links:
    """The rigid parts of a character; k of them.

    `joints` (k,) is the joint of the skeleton that each turns with, `of_joint` (J,) the link that every joint is part
    of, `parents` (k,) the link that each hangs on, -1 for a root. `centers` (k, 3) [m] are the centres of mass at rest;
    a link's own frame stands there, with the axes of the world.
    """

    joints: IntArray
    of_joint: IntArray
    parents: IntArray
    centers: FloatArray

    def __len__(self) -> int:
        return len(self.joints)

    def pose(self, skeleton: Skeleton, pose: Pose) -> tuple[FloatArray, FloatArray]:
        """Where the links are when the bones take a pose: centres (k, 3) [m] and turns from rest (k, 3, 3)."""
        carry = pose.skinning(skeleton)[self.joints]
        positions = np.einsum("kab,kb->ka", carry[:, :3, :3], self.centers) + carry[:, :3, 3]
        return positions, quaternions.nearest_rotation(carry[:, :3, :3])


def links_from_flesh(skeleton: Skeleton, flesh: FleshLayer, *, fixed: Sequence[str] = ()) -> Links:
    """The links of a character whose flesh hangs on this skeleton; joints in `fixed` do not move by themselves."""
    weighted_masses = flesh.weights.dense(len(skeleton)) * flesh.masses[:, None]
    own = weighted_masses.sum(axis=0)
    if not own.sum() > 0.0:
        raise InputError(WHERE, "the flesh has no mass", "a body to move is needed", "give its tissue a density")
    heavy = own > _LEAST * own.sum()
    for name in fixed:
        joint = skeleton.index(name)
        if skeleton.parents[joint] >= 0:
            heavy[joint] = False
    link_of, joints = _merge(skeleton, heavy)
    parents = np.full(len(joints), -1, dtype=np.int32)
    for link, joint in enumerate(joints):
        above = skeleton.parents[joint]
        while above >= 0 and link_of[above] == link:
            above = skeleton.parents[above]
        parents[link] = link_of[above] if above >= 0 else -1
    mass = np.zeros((len(joints), len(flesh.masses)))
    np.add.at(mass, link_of, weighted_masses.T)
    centers = mass @ flesh.solid.points / mass.sum(axis=1, keepdims=True)
    return Links(joints, link_of, parents, centers)


def _merge(skeleton: Skeleton, heavy: BoolArray) -> tuple[IntArray, IntArray]:
    """The link (J,) of every joint, and the joint (k,) that each link turns with.

    What has no flesh goes with what is above it, and at the top with the first that has some below it.
    """
    link_of = np.full(len(heavy), -1, dtype=np.int32)
    joints: list[int] = []
    order = [int(joint) for level in skeleton.levels for joint in level]
    for joint in order:
        above = skeleton.parents[joint]
        if heavy[joint]:
            link_of[joint] = len(joints)
            joints.append(joint)
        elif above >= 0:
            link_of[joint] = link_of[above]
    unset = link_of < 0
    for joint in reversed(order):
        above = skeleton.parents[joint]
        if above >= 0 and unset[above] and link_of[joint] >= 0:
            link_of[above] = link_of[joint]
    for joint in order:  # a branch without any flesh under a root without any
        above = skeleton.parents[joint]
        if link_of[joint] < 0:
            link_of[joint] = link_of[above] if above >= 0 else 0
    return link_of, np.array(joints, dtype=np.int32)


def joints_from_links(
    skeleton: Skeleton,
    links: Links,
    *,
    hinges: Mapping[str, ArrayLike] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    cones: Mapping[str, JointLimit] | None = None,
) -> Joints:
    """The joints between links: balls, and hinges where an axis is given by the joint's name.

    `hinges` are axes at rest in the world; `named_hinges` and `hinges_in_motion` find some. `limits` [rad] from rest
    are the lowest and the highest angle of a hinge; a ball turns at most by the second. `cones` are limits by anatomy,
    as swing and twist.
    """
    axes = check_axes(skeleton, hinges or {})
    bounds = {skeleton.index(name): pair for name, pair in (limits or {}).items()}
    children = np.flatnonzero(links.parents >= 0).astype(np.int32)
    moving = links.joints[children]
    low, high = (np.array([bounds.get(int(j), (-FREE, FREE))[side] for j in moving]) for side in (0, 1))
    return Joints(
        children,
        links.parents[children],
        skeleton.heads[moving],
        np.array([HINGE if int(j) in axes else BALL for j in moving], dtype=np.int32),
        np.array([axes.get(int(j), np.zeros(3)) for j in moving]).reshape(-1, 3),
        low.astype(np.float64),
        high.astype(np.float64),
        _cones(skeleton, moving, cones or {}),
    )


def _cones(skeleton: Skeleton, moving: IntArray, cones: Mapping[str, JointLimit]) -> JointCones:
    """Swing and twist of joints (c,), where there are any."""
    found = JointCones.none(len(moving))
    axes, middles = found.axes.copy(), found.middles.copy()
    for row, joint in enumerate(moving.tolist()):
        limit = cones.get(skeleton.names[joint])
        if limit is not None:
            axes[row], middles[row] = limit.axis, limit.middle
            found.swings[row], found.lows[row], found.highs[row] = limit.swing, limit.low, limit.high
    return JointCones(axes, middles, found.swings, found.lows, found.highs)
