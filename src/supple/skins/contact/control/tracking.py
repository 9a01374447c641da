"""Muscles: control that turns the joints towards an animated pose, from limp to rigid.

Every joint is a damped spring whose rest is the pose at the end of the step,

    torque = -k f(t + dt) - d (o(t + dt) - o*),   k = (2 pi F)^2 J,   d = 2 z (2 pi F) J,

with f how far the joint is from its pose, o its angular velocity, o* that of the animation, J the inertia of all that
hangs on the joint, F [Hz] how fast it answers and z its damping. Both are taken at the end of the step (stable PD
control), so no strength and no step makes it shake. Roots are drawn towards their place in the world in the same way:
only that pushes against nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.arrays import FloatArray, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.skins.contact.model.links import Links
from supple.skins.contact.model.mechanism import Mechanism

_FREQUENCY = 4.0  # [Hz]: how fast a joint of strength 1/2 answers
_RIGID = 300.0  # over the step: angular frequency beyond which an answer is as good as immediate
_DAMPING = 1.0  # 1 is critical


@dataclass(frozen=True, eq=False)
class Targets:
    """What control wants at the end of a step, as plain arrays; c joints and r roots.

    `rotations` (c, 3, 3) of the child seen from its parent; `angular_velocities` (c, 3) [rad/s] of the child against
    its parent, in the child's axes; `stiffness` (c,) [N m/rad], `damping` (c,) [N m s/rad]. Of the roots:
    `root_positions` (r, 3) [m], `root_rotations` (r, 3, 3), `root_velocities` (r, 3) [m/s] and
    `root_angular_velocities` (r, 3) [rad/s] in the world; `root_gains` (r, 4): stiffness and damping against moving
    [N/m, N s/m] and against turning [N m/rad, N m s/rad].
    """

    rotations: FloatArray
    angular_velocities: FloatArray
    stiffness: FloatArray
    damping: FloatArray
    root_positions: FloatArray
    root_rotations: FloatArray
    root_velocities: FloatArray
    root_angular_velocities: FloatArray
    root_gains: FloatArray

    @classmethod
    def none(cls, mechanism: Mechanism) -> Targets:
        """No control at all."""
        c, r = len(mechanism.joints), len(mechanism.roots)
        return cls(
            np.tile(np.eye(3), (c, 1, 1)),
            np.zeros((c, 3)),
            np.zeros(c),
            np.zeros(c),
            np.zeros((r, 3)),
            np.tile(np.eye(3), (r, 1, 1)),
            np.zeros((r, 3)),
            np.zeros((r, 3)),
            np.zeros((r, 4)),
        )


class Tracking:
    """How strongly a character's links are drawn towards poses, each joint with its own strength: 0 limp, 1 rigid.

    `strength` holds for all joints and roots; `strengths` by the names of joints change it for some. `per_link` (k,) is
    what every link has of it.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        links: Links,
        skeleton: Skeleton,
        *,
        strength: float = 0.5,
        strengths: Mapping[str, float] | None = None,
    ) -> None:
        self.mechanism, self.links, self.skeleton = mechanism, links, skeleton
        per_link = np.full(len(links), _check(strength, "strength"))
        for name, own in (strengths or {}).items():
            per_link[links.of_joint[skeleton.index(name)]] = _check(own, f"the strength of {name!r}")
        self.per_link = per_link

    @cached_property
    def _carried(self) -> tuple[FloatArray, FloatArray]:
        return subtree_inertia(self.mechanism)

    def gains(self, dt: float, per_link: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Stiffness and damping in steps of `dt` [s]: of joints (c, 2), and of roots (r, 4) as in `Targets`.

        `per_link` (k,) are other strengths than its own.
        """
        strengths = self.per_link if per_link is None else per_link
        with np.errstate(divide="ignore"):
            frequencies = 2.0 * np.pi * _FREQUENCY * strengths / (1.0 - strengths)  # [rad/s]
        frequency = np.minimum(frequencies, _RIGID / dt)
        inertia, load = self._carried
        children, roots = self.mechanism.joints.children, self.mechanism.roots
        parts = [
            (frequency[children], inertia[children]),
            (frequency[roots], load[roots]),
            (frequency[roots], inertia[roots]),
        ]
        joints, *root_parts = (
            np.stack([omega**2 * weight, 2.0 * _DAMPING * omega * weight], axis=1) for omega, weight in parts
        )
        return joints, np.concatenate(root_parts, axis=1)


def subtree_inertia(mechanism: Mechanism) -> tuple[FloatArray, FloatArray]:
    """Of every link and all that hangs on it, at rest: mean inertia (k,) [kg m²] about its joint, and mass (k,) [kg].

    Of a root it is about its own centre.
    """
    joints, k = mechanism.joints, mechanism.link_count
    pivots = mechanism.centers.copy()
    pivots[joints.children] = joints.pivots
    parents = np.full(k, -1)
    parents[joints.children] = joints.parents
    free = mechanism.free_links
    arms = mechanism.rest[: len(free), None] - mechanism.centers[free]
    weighted_masses = (mechanism.masses[:, None] * mechanism.free_weights).ravel()
    square = np.bincount(free.ravel(), weighted_masses * np.sum(arms**2, axis=2).ravel(), k)
    square = square + np.trace(mechanism.core_second_moments, axis1=1, axis2=2)
    inertia, load = np.zeros(k), np.zeros(k)
    for link in range(k):  # every link adds to all above it; once, when bound
        above = link
        while above >= 0:
            apart = float(np.sum((mechanism.centers[link] - pivots[above]) ** 2))
            inertia[above] += 2.0 / 3.0 * (square[link] + mechanism.link_masses[link] * apart)
            load[above] += mechanism.link_masses[link]
            above = int(parents[above])
    return inertia, load


def _check(strength: float, what: str) -> float:
    value = float(frozen(np.array(strength), np.float64, (), "Tracking", what))
    if not 0.0 <= value <= 1.0:
        raise InputError("Tracking", f"{what} is {value:g}", "0 (limp) to 1 (rigid) is needed", "try 0.5")
    return value
