"""VRM animations (.vrma): a motion of the bones that VRM names, and shares of expressions over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.io.gltf import animation
from supple.io.gltf.accessors import Accessors
from supple.io.gltf.document import Document
from supple.io.kept import vrm
from supple.io.rigs.rig import Rig
from supple.motion.motion import Motion
from supple.names import unique

EXTENSION = "VRMC_vrm_animation"


def expression_nodes(document: Document) -> dict[int, str]:
    """Nodes whose way along x is the share of an expression, and its name; none where the file is no VRM animation."""
    extensions = document.mapping(document.root, "extensions", "the file")
    groups: Any = extensions.get(EXTENSION)
    groups = groups.get("expressions") if isinstance(groups, dict) else None
    found = {}
    for group in ("preset", "custom"):
        listed = groups.get(group) if isinstance(groups, dict) else None
        for name, fields in (listed if isinstance(listed, dict) else {}).items():
            node = fields.get("node") if isinstance(fields, dict) else None
            if type(node) is int and 0 <= node < len(document.items("nodes")):
                found[node] = str(name)
    return found


def named_by_bones(document: Document, motion: Motion, rig: Rig) -> Motion:
    """The motion on joints that are called as VRM calls its bones; other joints keep their names."""
    names = list(motion.skeleton.names)
    for bone, node in vrm.bones(document).items():
        if node in rig.joint_of:
            names[rig.joint_of[node]] = bone
    skeleton = motion.skeleton
    renamed = Skeleton(unique(names), skeleton.parents, skeleton.world_from_joint, tails=skeleton.tails)
    return motion.replace(skeleton=renamed)


def with_shares(document: Document, accessors: Accessors, motion: Motion, clip: animation.Clip, rig: Rig) -> Motion:
    """The motion with the shares of the expressions that its clip moves."""
    nodes = expression_nodes(document)
    start = min(
        float(animation.read_curve(document, accessors, clip, channel).times[0])
        for channel in clip.channels
        if channel.node in rig.joint_of
    )
    shares: dict[str, FloatArray] = {}
    for channel in clip.channels:
        if channel.node in nodes and channel.path == "translation":
            document.spend(64 * motion.frames, channel.where)
            curve = animation.read_curve(document, accessors, clip, channel)
            shares[nodes[channel.node]] = np.clip(curve.sample(motion.times + start)[:, 0], 0.0, 1.0)
    return motion.replace(shapes=shares) if shares else motion
