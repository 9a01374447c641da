"""The joints at which flesh can fold, brought to a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.skins.position_based.contact.joint_planes import JointPlanes


def bones_on_device(planes: JointPlanes, device: str) -> Any:
    """Directions at rest and what carries them, as the kernels take them."""
    from supple.skins.position_based.contact.plane_kernels import Bones

    wp = devices.warp()
    carriers, directions = planes.at_rest()
    own, limbs = len(planes), len(planes.limb_joints)

    def put(values: FloatArray | IntArray, kind: Any) -> Any:
        return devices.to_device(values.astype(np.int32 if kind is wp.int32 else np.float32), kind, device)

    return devices.fill_struct(
        Bones(),
        joints=put(planes.joints, wp.int32),
        parents=put(planes.parents, wp.int32),
        heads=put(planes.skeleton.heads[planes.joints], wp.vec3f),
        backs=put(directions[:own], wp.vec3f),
        owns=put(directions[own : 2 * own], wp.vec3f),
        axes=put(directions[2 * own : 3 * own], wp.vec3f),
        hinges=put(planes.freedoms == 1, wp.int32),
        limb_carriers=put(carriers[3 * own : 3 * own + limbs], wp.int32),
        limbs=put(directions[3 * own : 3 * own + limbs], wp.vec3f),
        trunk=int(planes.trunk),
        midline=wp.vec3f(*directions[-1].tolist()),
        joint_count=len(planes.skeleton),
    )
