"""Blender's armature and corrective smooth modifiers on the same mesh, weights and pose, through its Python module."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.bench.timing import Timing
from supple.character.character import Character
from supple.motion.pose import Pose


def installed() -> bool:
    """Whether Blender's module can be imported here."""
    from importlib.util import find_spec

    return find_spec("bpy") is not None


def name() -> str:
    """What to call it in a table."""
    import bpy

    return f"Blender {bpy.app.version_string}"


class BlenderCharacter:
    """A character rebuilt in Blender, with one bone per joint and one vertex group per bone."""

    def __init__(self, character: Character) -> None:
        import bpy

        bpy.ops.wm.read_factory_settings(use_empty=True)
        self._character = character
        self._rig = self._build_rig(bpy)
        self._object = self._build_mesh(bpy)
        self._rotation = 0

    def _build_rig(self, bpy: Any) -> Any:
        """Bones without parents: each then takes its joint's skinning transform directly."""
        rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
        bpy.context.collection.objects.link(rig)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        for joint, head in zip(self._character.skeleton.names, self._character.skeleton.heads, strict=True):
            bone = rig.data.edit_bones.new(joint)
            bone.head, bone.tail = head, head + np.array([0.0, 0.05, 0.0])
        bpy.ops.object.mode_set(mode="OBJECT")
        return rig

    def _build_mesh(self, bpy: Any) -> Any:
        character = self._character
        mesh = bpy.data.meshes.new("skin")
        mesh.from_pydata(character.points.tolist(), [], character.triangles.tolist())
        skin = bpy.data.objects.new("skin", mesh)
        bpy.context.collection.objects.link(skin)
        weights = character.require_weights("BlenderCharacter")
        for joint, label in enumerate(character.skeleton.names):
            group = skin.vertex_groups.new(name=label)
            vertex, position = np.nonzero((weights.joints == joint) & (weights.values > 0.0))
            for index, value in zip(vertex.tolist(), weights.values[vertex, position].tolist(), strict=True):
                group.add([index], value, "REPLACE")
        return skin

    def use(self, *, armature: bool, dual_quaternion: bool = False, smoothing: int = 0) -> None:
        """Choose the modifiers."""
        self._object.modifiers.clear()
        if armature:
            modifier = self._object.modifiers.new("armature", "ARMATURE")
            modifier.object = self._rig
            modifier.use_deform_preserve_volume = dual_quaternion
        if smoothing:
            modifier = self._object.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
            modifier.iterations, modifier.factor, modifier.smooth_type = smoothing, 0.5, "SIMPLE"

    def set_pose(self, pose: Pose) -> None:
        """Pose the bones; the mesh follows at the next evaluation."""
        from mathutils import Matrix

        for bone, transform in zip(self._rig.pose.bones, pose.skinning(self._character.skeleton), strict=True):
            rest = bone.bone.matrix_local
            bone.matrix_basis = rest.inverted() @ Matrix(transform.tolist()) @ rest

    def points(self) -> FloatArray:
        """The evaluated mesh (V, 3)."""
        import bpy

        mesh = self._object.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        found = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", found)
        return found.reshape(-1, 3).astype(np.float64)

    def frame(self, poses: list[Pose], *, repeats: int = 40) -> Timing:
        """Seconds to evaluate the scene after a change of pose; the pose itself is set outside the clock."""
        import bpy

        taken = []
        for rotation in range(repeats + 5):
            self.set_pose(poses[rotation % len(poses)])
            start = time.perf_counter()
            bpy.context.view_layer.update()
            taken.append(time.perf_counter() - start)
        low, middle, high = np.percentile(taken[5:], [25.0, 50.0, 75.0])
        return Timing(float(middle), float(low), float(high))
