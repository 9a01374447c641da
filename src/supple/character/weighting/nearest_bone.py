"""Weights by the nearest bone: rigid along its middle, shared evenly at its ends."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Bones
from supple.character.weighting.bones import meeting
from supple.character.weights import Weights
from supple.geometry.segments import distances_to_segments

_MOST = 3  # bones that share a joint's skin
_RIGID = (1.0 / 6.0, 5.0 / 6.0)


def nearest_bone_weights(points: FloatArray, bones: Bones) -> Weights:
    """Tie every point (V, 3) [m] to its nearest bone, and share it at the joints [AbuRumman2016, Eq. 4.1].

    With the nearest bone from s to d and u = (v - s).(d - s) / |d - s|^2 a point is rigid with it where
    1/6 <= u <= 5/6; otherwise it is shared equally among the joints whose bones meet at the near end, three at most,
    the nearest ones. Several bones of one joint count once, since they move as one; at a free end the bone stays alone.

    Limits: the weights jump from bone to bone, and a finger may take its neighbour's bone. `geodesic` does neither.
    """
    distances, along = distances_to_segments(points, bones.starts, bones.ends)
    nearest = np.argmin(distances, axis=1)
    u = np.take_along_axis(along, nearest[:, None], axis=1)[:, 0]
    length = np.linalg.norm(bones.ends - bones.starts, axis=1)
    rigid = ((u >= _RIGID[0]) & (u <= _RIGID[1])) | (length[nearest] == 0.0)
    at_start, at_end = meeting(bones, bones.starts), meeting(bones, bones.ends)
    sharing = np.where((u < _RIGID[0])[:, None], at_start[nearest], at_end[nearest])
    own = np.arange(len(bones.joints)) == nearest[:, None]
    sharing = np.where(rigid[:, None], own, sharing | own)
    # One place per joint: its nearest bone among those that meet here.
    owners = np.unique(bones.joints)
    reach = np.stack(
        [np.where(sharing & (bones.joints == joint), distances, np.inf).min(axis=1) for joint in owners], axis=1
    )
    order = np.argsort(reach, axis=1, kind="stable")[:, :_MOST]
    counted = np.isfinite(np.take_along_axis(reach, order, axis=1))
    return Weights(np.where(counted, owners[order], 0), counted / counted.sum(axis=1, keepdims=True))
