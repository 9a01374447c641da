"""Delta mush: smooth the posed skin, then give back the detail that smoothing takes from the rest skin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.character.morph_targets import MorphTargets
from supple.geometry.rings import Rings, rings
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, Skin
from supple.skins.kinematic.blend import host_copy
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters
from supple.skins.kinematic.shrinkage_guard import RestSmoothing

_BASES: dict[str, type[Skin[Any, Any]]] = {
    kind.command_name: kind for kind in (DualQuaternion, LinearBlend, RotationCenters)
}


@dataclass(frozen=True, kw_only=True)
class DeltaMush(Skin["MushBinding", "Mush"]):
    """Smooth the incoming skin and restore its rest detail in the smoothed surface's own frames [Mancewicz2014].

    Rough weights become good enough: creases and bulges of the incoming skin are smoothed away, detail stays.
    Stands on dual quaternions unless told otherwise, because smoothing cannot bring back what linear blend collapses;
    published on linear blend (`base="linear"`). A graph may give it any other skin.

    Smoothing would melt thin parts such as fingertips to points, whose frames mean nothing; with `guard` such parts are
    smoothed only as far as their rest shape keeps a quarter of its area.

    Limits: smoothing takes a little volume at bends.
    """

    command_name: ClassVar[str] = "delta-mush"
    papers: ClassVar[tuple[str, ...]] = (
        "Mancewicz, Derksen, Rijpkema and Wilson 2014, Delta mush: smoothing deformations while preserving detail",
    )
    live: ClassVar[frozenset[str]] = frozenset({"iterations", "strength", "guard"})

    iterations: int = setting(10, "Rounds of smoothing", low=1, high=500)
    strength: float = setting(0.5, "Smoothing per round", low=0.0, high=1.0)
    guard: bool = setting(True, "Smooth thin parts less, so that they do not melt")
    base: str = setting("dual-quaternion", "The skin it smooths, where a graph gives it none", choices=tuple(_BASES))

    def base_skin(self) -> Skin[Any, Any]:
        return _BASES[self.base]()

    def bind(self, character: Character, device: str) -> MushBinding:
        return MushBinding.from_mesh(character.points, character.triangles, device, shapes=character.shapes)

    def allocate(self, binding: MushBinding) -> Mush:
        return Mush(binding, self)

    def rebind(self, binding: MushBinding, character: Character, device: str) -> MushBinding:
        return replace(binding, shapes=character.shapes)

    def reshape(self, binding: MushBinding, state: Mush) -> Mush:
        state.exchange(binding.shapes)
        return state

    def deform(self, binding: MushBinding, state: Mush, pose: Pose, incoming: DevicePoints | None) -> DevicePoints:
        state.tune(self)
        state.set(pose.shapes)
        return state.run(incoming)


@dataclass(frozen=True, eq=False)
class MushBinding:
    """What smoothing knows of one mesh: its rest points and shapes, the rings of its vertices, what thin parts bear.

    `points` (V, 3) [m]; `irregular` are the vertices whose neighbours make no ring.
    """

    points: FloatArray
    shapes: Mapping[str, FloatArray]
    rings: Rings
    irregular: IntArray
    rest: RestSmoothing
    constants: devices.Constants

    @classmethod
    def from_mesh(
        cls, points: FloatArray, triangles: IntArray, device: str, *, shapes: Mapping[str, FloatArray]
    ) -> MushBinding:
        """Find the rings and neighbours of all vertices."""
        around = rings(triangles, len(points))
        irregular = np.flatnonzero(around.counts == 0).astype(np.int32)
        rest = RestSmoothing.from_mesh(points, triangles)
        return cls(points, shapes, around, irregular, rest, devices.Constants(device))

    def strengths(self, settings: DeltaMush) -> FloatArray:
        """How much every vertex gives way in a round (V,): thin parts less, where `settings` guard them."""
        strengths = np.full(len(self.points), settings.strength)
        return self.rest.limit(settings.iterations, strengths) if settings.guard else strengths


class Mush:
    """Smoothing over one mesh, and the detail it takes away at rest.

    Shapes (morph targets) change the rest shape, and with it the detail.
    """

    def __init__(self, binding: MushBinding, settings: DeltaMush) -> None:
        from supple.skins.kinematic import mush_kernels as kernels

        wp = devices.warp()
        put, around = binding.constants.put, binding.rings
        device, self._count, self._binding = binding.constants.device, len(binding.points), binding
        self._device = device
        self._strengths = wp.empty(self._count, dtype=wp.float32, device=device)
        self._rings = put(around.ordered, kernels.vec8i)
        self._counts = put(around.counts, wp.int32)
        self._irregular = put(binding.irregular, wp.int32) if len(binding.irregular) else None
        self._others = [put(array, wp.int32) for array in (around.other_starts, around.others)]
        self._fans = [*self._others, put(around.fan_starts, wp.int32), put(around.fans, wp.vec2i)]
        self._buffers = [wp.empty(self._count, dtype=wp.vec3f, device=device) for _ in range(2)]
        self._posed = wp.empty(self._count, dtype=wp.vec3f, device=device)
        self._deltas = wp.empty(self._count, dtype=wp.vec3f, device=device)
        self._recorded: tuple[Any, list[devices.Launch]] | None = None
        self._encoding: list[devices.Launch] = []
        self._tuned: tuple[int, float, bool] | None = None
        self._iterations = 0
        self._morph_targets = MorphTargets(binding.points, binding.shapes)
        self._rest = devices.to_device(binding.points.astype(np.float32), wp.vec3f, device)
        self.tune(settings)

    def tune(self, settings: DeltaMush) -> None:
        """Smooth as these settings say from now on; the detail is measured again where they changed."""
        wanted = settings.iterations, settings.strength, settings.guard
        if wanted == self._tuned:
            return
        devices.write(self._strengths, self._binding.strengths(settings))
        if settings.iterations != self._iterations:
            self._iterations, self._recorded = settings.iterations, None
            self._encoding = self._record_encoding()
        self._tuned = wanted
        self._encode()

    def exchange(self, shapes: Mapping[str, FloatArray]) -> None:
        """Take other shapes from the next frame on."""
        self._morph_targets.exchange(shapes)

    def _record_encoding(self) -> list[devices.Launch]:
        from supple.skins.kinematic import mush_kernels as kernels

        detail = [self._rest, self._smoothed, self._deltas]
        encoding = self._step((kernels.encode, [self._rings]), (kernels.encode_irregular, self._fans), detail)
        return [*self._smoothing(self._rest), *encoding]

    def _encode(self) -> None:
        for stage in self._encoding:
            stage()

    def set(self, weights: Mapping[str, float]) -> None:
        """Take this frame's shares of the shapes; the detail is measured again where they changed."""
        rest = self._morph_targets.update(weights)
        if rest is not None:
            devices.write(self._rest, rest)
            self._encode()

    @property
    def _smoothed(self) -> Any:
        return self._buffers[(self._iterations + 1) % 2]

    def _step(
        self, regular: tuple[Any, list[Any]], irregular: tuple[Any, list[Any]], shapes: list[Any]
    ) -> list[devices.Launch]:
        """One kernel over all vertices and its twin over the irregular ones, if there are any."""
        kernel, layout = regular
        launches = [devices.Launch(kernel, self._count, [*layout, *shapes], self._device)]
        if self._irregular is not None:
            kernel, layout = irregular
            inputs = [self._irregular, *layout, *shapes]
            launches.append(devices.Launch(kernel, len(self._irregular), inputs, self._device))
        return launches

    def _smoothing(self, source: Any) -> list[devices.Launch]:
        from supple.skins.kinematic import mush_kernels as kernels

        stages: list[devices.Launch] = []
        for iteration in range(self._iterations):
            target = self._buffers[iteration % 2]
            regular, irregular = (kernels.smooth, [self._rings, self._counts]), (kernels.smooth_irregular, self._others)
            stages += self._step(regular, irregular, [self._strengths, source, target])
            source = target
        return stages

    def run(self, incoming: Any) -> Any:
        """Smooth the incoming points and give the detail back."""
        from supple.skins.kinematic import mush_kernels as kernels

        if self._recorded is None or self._recorded[0] is not incoming:  # recorded for one array, contents may change
            shapes = [self._smoothed, self._deltas, self._posed]
            last = self._step((kernels.decode, [self._rings]), (kernels.decode_irregular, self._fans), shapes)
            self._recorded = incoming, [*self._smoothing(incoming), *last]
        for stage in self._recorded[1]:
            stage()
        return self._posed


def delta_mush(
    rest_points: ArrayLike,
    triangles: ArrayLike,
    posed_points: ArrayLike,
    *,
    iterations: int = 10,
    strength: float = 0.5,
    guard: bool = True,
    device: str = "cpu",
) -> Float32Array:
    """Smooth `posed_points` (V, 3) and restore the detail of `rest_points` (V, 3); returns (V, 3)."""
    where = "delta_mush"
    settings = DeltaMush(iterations=iterations, strength=strength, guard=guard)
    rest = frozen(rest_points, np.float64, (-1, 3), where, "rest_points")
    posed = frozen(posed_points, np.float64, rest.shape, where, "posed_points")
    faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
    name = devices.check_device(device)
    mush = Mush(MushBinding.from_mesh(rest, faces, name, shapes={}), settings)
    return host_copy(mush.run(devices.to_device(posed.astype(np.float32), devices.warp().vec3f, name)))
