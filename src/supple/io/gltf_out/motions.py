"""Animations of a GLB: curves of nodes, one key a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.geometry import quaternions
from supple.io.gltf.materials import KEY
from supple.io.gltf_out.container import Glb
from supple.motion.motion import Motion

_SAME = 1e-7  # a channel that stays this close to rest is left to the node's own transform


def add_channels(glb: Glb, clip: dict[str, Any], node: int, times: int, curves: Mapping[str, FloatArray]) -> None:
    """Let an animation move a node: keys by what they move, at the moments of the accessor `times`."""
    for path, keys in curves.items():
        clip["channels"].append({"sampler": len(clip["samplers"]), "target": {"node": node, "path": path}})
        output = glb.add(keys.astype(np.float32))
        clip["samplers"].append({"input": times, "output": output, "interpolation": "LINEAR"})


def add_motion(glb: Glb, name: str, motion: Motion) -> None:
    """An animation of all that moves; what stays as it is at rest is left out."""
    rest_moves, rest_rotations, rest_scales = quaternions.decompose(motion.skeleton.parent_from_joint)
    scales = np.ones_like(motion.translations) if motion.scales is None else motion.scales
    rotations = shortest(motion.rotations)
    times = glb.add(motion.times.astype(np.float32), bounds=True)
    clip: dict[str, Any] = {"name": name, "samplers": [], "channels": []}
    for joint in range(len(motion.skeleton)):
        curves = {}
        if not np.allclose(motion.translations[:, joint], rest_moves[joint], atol=_SAME, rtol=0.0):
            curves["translation"] = motion.translations[:, joint]
        opposite = np.abs(rotations[:, joint] @ rest_rotations[joint])
        if (opposite < 1.0 - 1e-14).any():
            curves["rotation"] = rotations[:, joint]
        if not np.allclose(scales[:, joint], rest_scales[joint], atol=_SAME, rtol=0.0):
            curves["scale"] = scales[:, joint]
        add_channels(glb, clip, joint, times, curves)
    if not clip["channels"]:  # an animation needs one
        add_channels(glb, clip, 0, times, {"translation": motion.translations[:, 0]})
    if motion.loop and motion.stride is not None:
        clip["extras"] = {KEY: {"loop": True, "stride": motion.stride.tolist()}}
    glb.scene.setdefault("animations", []).append(clip)


def add_shape_weights(glb: Glb, node: int, weights: FloatArray) -> None:
    """Let the last animation blend the shapes too, by shares (F, S)."""
    clip = glb.scene["animations"][-1]
    add_channels(glb, clip, node, clip["samplers"][0]["input"], {"weights": weights.ravel()})


def shortest(rotations: FloatArray) -> FloatArray:
    """Unit quaternions (F, J, 4) with signs such that each key lies on the near side of the one before."""
    unit = quaternions.normalize(rotations)
    dots = np.einsum("fjq,fjq->fj", unit[1:], unit[:-1])
    signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    unit[1:] *= signs[..., None]
    return unit
