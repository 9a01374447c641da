"""Muscles at work: in every step, what a motion asks of joints and roots, written where the solver reads it.

Muscles that bear weight know what gravity will do and meet it before it shows. With m and b the mass and the centre of
all that hangs on a joint at p, the joint needs the torque

    t = -(b - p) x m g,

which control gives when it is asked for the further speed t / d, d its damping. A limp joint (d = 0) bears nothing.
Roots bear the whole body in the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.skins.contact.control.tracking import Tracking
from supple.skins.contact.dynamics.device_arrays import LinkArrays, fill_struct
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.mechanism import Mechanism


class PoseController:
    """Draws the links of a solver towards poses, step by step of `dt` [s].

    `gravity` (3,) [m/s²] is what muscles bear; without it they bear nothing. `set_gains` changes both how strong they
    are and what they bear. `set_animated` says where the motion had
    the joints before, `set_pose` where it has them at the end of the next step; `compute_targets` then tells the
    solver's arrays, which have the links as they are at the beginning of that step.
    """

    def __init__(
        self, tracking: Tracking, arrays: LinkArrays, *, dt: float, gravity: FloatArray | None, device: str
    ) -> None:
        from supple.skins.contact.control import control_kernels as kernels

        wp = devices.warp()
        mechanism, links, self._skeleton = tracking.mechanism, tracking.links, tracking.skeleton
        k, c, r = mechanism.link_count, len(mechanism.joints), len(mechanism.roots)

        def put(values: Any, kind: Any) -> Any:
            return devices.to_device(np.asarray(values), kind, device)

        starts, descendants = link_subtrees(mechanism)
        self._gains, self._root_gains = (wp.zeros(size, dtype=wp.float64, device=device) for size in (2 * c, 4 * r))
        self._borne = wp.zeros(1, dtype=wp.vec3d, device=device)
        self.set_gains(*tracking.gains(dt), gravity=gravity)
        self.previous_positions, self.positions = (wp.zeros(k, dtype=wp.vec3d, device=device) for _ in range(2))
        self.previous_rotations, self.rotations = (wp.zeros(k, dtype=wp.mat33d, device=device) for _ in range(2))
        self.world_from_joint = wp.zeros(len(self._skeleton), dtype=wp.mat44d, device=device)
        self._given = devices.HostSide(self.world_from_joint)
        animation, subtrees = fill_struct(kernels.Animation, self), kernels.Subtrees()
        subtrees.starts, subtrees.descendants = put(starts, wp.int32), put(descendants, wp.int32)
        subtrees.masses = put(np.add.reduceat(mechanism.link_masses[descendants], starts[:-1]), wp.float64)
        posing = [
            put(links.joints, wp.int32),
            put(self._skeleton.joint_from_world[links.joints], wp.mat44d),
            put(links.centers, wp.vec3d),
            self.world_from_joint,
            animation,
        ]
        asking = [
            c,
            dt,
            self._borne,
            subtrees,
            self._gains,
            self._root_gains,
            animation,
            arrays.struct,
            arrays.joint_struct,
            arrays.root_struct,
        ]
        self._pose_links = devices.Launch(kernels.pose_links, k, posing, device)
        self.compute_targets = devices.Launch(kernels.compute_targets, c + r, asking, device)

    def set_gains(self, gains: FloatArray, root_gains: FloatArray, *, gravity: FloatArray | None) -> None:
        """Draw joints (c, 2) and roots (r, 4) so strongly, as `Tracking.gains` has it, and bear this gravity [m/s²]."""
        self.supported = bool((root_gains > 0.0).any())
        self.driven = self.supported or bool((gains > 0.0).any())
        devices.write(self._gains, gains.ravel())
        devices.write(self._root_gains, root_gains.ravel())
        devices.write(self._borne, np.zeros((1, 3)) if gravity is None else np.reshape(gravity, (1, 3)))

    def set_animated(self, animated: FloatArray) -> None:
        """Take where (J, 4, 4) the motion had the joints when the step begins."""
        self._given.write(animated)
        self._pose_links()

    def set_pose(self, pose: Pose) -> None:
        """Take the pose at the end of the next step; the last one is where it begins."""
        if len(pose) != len(self._skeleton):
            raise InputError(
                WHERE,
                f"a pose has {len(pose)} joints",
                f"the skeleton has {len(self._skeleton)}",
                "use a motion made for this character",
            )
        self.set_animated(pose.world_from_joint)


def link_subtrees(mechanism: Mechanism) -> tuple[IntArray, IntArray]:
    """All links that hang on each link, itself too: those of link i stand from `starts[i]` to `starts[i + 1]`."""
    parents = np.full(mechanism.link_count, -1)
    parents[mechanism.joints.children] = mechanism.joints.parents
    below: list[list[int]] = [[] for _ in parents]
    for link in range(len(parents)):
        above = link
        while above >= 0:
            below[above].append(link)
            above = int(parents[above])
    starts = np.cumsum([0, *(len(row) for row in below)]).astype(np.int32)
    return starts, np.concatenate(below).astype(np.int32)
