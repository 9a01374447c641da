"""One stage of a graph, bound to a character: what it is doing, and its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.character.character import Character
from supple.errors import InputError
from supple.graph import bindings
from supple.graph.graph import Stage
from supple.graph.mask import Mask
from supple.motion.pose import Pose
from supple.obstacles.shapes import RigidBody
from supple.skins.base import BoundSkin, DevicePoints, PullableSkin, Skin, SoftSkin
from supple.skins.contact_events import Records
from supple.skins.memory import Arrays, capture_arrays, copy_rows, restore_arrays
from supple.skins.pull import Pull
from supple.skins.secondary.layer import SecondaryLayer


class StageNode:
    """One stage of a graph, bound to the character, with its state."""

    def __init__(self, stage: Stage, character: Character, device: str, binding: Any = None) -> None:
        self.stage = stage
        self.state: Any = None
        self.bones: tuple[FloatArray, FloatArray] | None = None
        self.bodies: tuple[FloatArray, FloatArray] | None = None
        self.touched: list[Records] = []
        """What it touched in every step of the frame."""
        self.pulls: dict[str, Pull] = {}
        self.binding = binding
        self.layer = SecondaryLayer(character, device)
        self._device, self._count = device, len(character.points)
        self._recorded: tuple[list[DevicePoints], devices.Launch] | None = None
        self._shown: DevicePoints = None
        self._former: tuple[Any, Any] | None = None
        wp = devices.warp()
        if isinstance(stage.work, Mask):
            weights = stage.work.weights(character).astype(np.float32)
            self._weights = devices.to_device(weights, wp.float32, device)
        else:
            stage.work.check_for(character)
            if binding is None:
                self.binding = bindings.bind(stage.work, character, device)
        if isinstance(stage.work, Skin):
            self.state = stage.work.allocate(self.binding)
        else:
            self._result = wp.zeros(self._count, dtype=wp.vec3f, device=device)
        if isinstance(stage.work, SoftSkin):
            self._weights = wp.zeros(1, dtype=wp.float32, device=device)
            self._steps = [wp.zeros(self._count, dtype=wp.vec3f, device=device) for _ in range(2)]

    def forget(self) -> None:
        """Have no history, and be held by nobody."""
        if isinstance(self.stage.work, SoftSkin) and self.state is not None:
            self._former = self.stage.work, self.state
        if not isinstance(self.stage.work, Skin):
            self.state = None
        self.bones = self.bodies = None
        self.touched, self.pulls = [], {}
        self.layer.forget()

    def take_hold(self, pulls: dict[str, Pull]) -> None:
        """Be held by these hands from now on; a skin that knows no hands is held on top of its shape."""
        if not isinstance(self.stage.work, PullableSkin):
            self.layer.hold(tuple(pulls.values()))
        elif self.state is not None:
            self.stage.work.hold(self.binding, self.state, tuple(pulls.values()))
        self.pulls = pulls

    def place(self, name: str, body: RigidBody | None) -> None:
        """Put an obstacle in the way, or take it away; one that has not begun yet is refused."""
        work = self.stage.work
        if not isinstance(work, SoftSkin):
            given = f"{name!r} was to be put in the way"
            raise InputError(self.stage.name, given, "it meets nothing", "choose ArticulatedContact")
        if self.state is None:
            raise InputError(self.stage.name, f"{name!r} was to be put in the way", "it does not play yet", "play it")
        work.place(self.binding, self.state, name, body)

    def placed(self) -> dict[str, tuple[RigidBody, FloatArray]]:
        """What is in the way, and where, by name."""
        work = self.stage.work
        return work.placed(self.binding, self.state) if isinstance(work, SoftSkin) and self.state is not None else {}

    def take_after(self, other: StageNode) -> None:
        """Be held as another node of the same stage is, which has the same memory."""
        self.layer.take_after(other.layer)
        if isinstance(self.stage.work, PullableSkin):
            self.take_hold(dict(other.pulls))
        self.pulls = dict(other.pulls)

    def rebind(self, character: Character) -> Any:
        """What this stage will need for a character that differs in shapes and maps alone; see `reshape`."""
        work = self.stage.work
        if isinstance(work, Mask):
            return work.weights(character).astype(np.float32)
        assert isinstance(work, BoundSkin)
        work.check_for(character)
        return work.rebind(self.binding, character, self._device)

    def reshape(self, prepared: Any) -> None:
        """Go on, with its history, with what `rebind` prepared."""
        work = self.stage.work
        if isinstance(work, Mask):
            devices.write(self._weights, prepared)
            return
        assert isinstance(work, BoundSkin)
        self.binding, self._former = prepared, None
        before = self.state
        if before is not None:
            self.state = work.reshape(self.binding, before)
        if self.pulls and self.state is not before:  # hands go on holding what has taken its place
            self.take_hold(self.pulls)

    def simulate(
        self, pose: Pose, inputs: list[DevicePoints], step: float | None, *, seen: bool = True
    ) -> DevicePoints:
        """This stage at a simulation step; soft skins move on by `step` [s], or start where it is None."""
        work = self.stage.work
        if not isinstance(work, SoftSkin):
            return self.show(pose, inputs, 1.0, 0.0 if step is None else step)
        wp = devices.warp()
        incoming = inputs[0] if inputs else None
        if step is None:
            known, former = self._former or (None, None)
            self._former = None
            # A state that was made for other settings is not looked at again.
            self.state = work.begin(self.binding, former if known is work else None, pose, incoming, seen=seen)
            points = self.layer.show(self.state.points, 0.0)
            wp.copy(self._steps[0], points)
            self.bones = self.bodies = None
            if self.pulls:
                self.take_hold(self.pulls)
        else:
            points = self.layer.show(work.advance(self.binding, self.state, pose, step, incoming=incoming), step)
            wp.copy(self._steps[0], self._steps[1])
            if work.records_contacts:
                self.touched.append(work.contact_records(self.binding, self.state))
        wp.copy(self._steps[1], points)
        bones = work.simulated_joints(self.binding, self.state)
        if bones is not None:
            self.bones = (bones.copy() if self.bones is None else self.bones[1], bones.copy())
        bodies = work.body_transforms(self.binding, self.state)
        if len(bodies):
            self.bodies = (bodies if self.bodies is None else self.bodies[1], bodies)
        return self._steps[1]

    def snapshot(self, prefix: str) -> Arrays:
        """The memory of a stage as plain arrays: that of a soft skin, and of what is on top of any."""
        on_top = self.layer.snapshot(f"{prefix}.layer")
        if self.state is None or not isinstance(self.stage.work, SoftSkin):
            return on_top
        steps = {f"{prefix}.step{rotation}": points.numpy().copy() for rotation, points in enumerate(self._steps)}
        bones = {f"{prefix}.bones{rotation}": joints for rotation, joints in enumerate(self.bones or ())}
        bodies = {f"{prefix}.bodies{rotation}": places for rotation, places in enumerate(self.bodies or ())}
        return {**on_top, **steps, **bones, **bodies, **capture_arrays(self.state.memory, f"{prefix}.state")}

    def restore(self, prefix: str, kept: Arrays) -> None:
        """Overwrite the memory of a stage, without starting it; nobody holds it then."""
        work = self.stage.work
        self.pulls = {}
        self.layer.restore(f"{prefix}.layer", kept)
        if not isinstance(work, SoftSkin):
            return
        if self.state is None:
            self.state = work.allocate(self.binding)
        for rotation, points in enumerate(self._steps):
            points.assign(kept[f"{prefix}.step{rotation}"])
        self.bones = (kept[f"{prefix}.bones0"], kept[f"{prefix}.bones1"]) if f"{prefix}.bones0" in kept else None
        self.bodies = (kept[f"{prefix}.bodies0"], kept[f"{prefix}.bodies1"]) if f"{prefix}.bodies0" in kept else None
        restore_arrays(self.state.memory, f"{prefix}.state", kept)
        self.state.recall()
        if isinstance(work, PullableSkin):
            work.hold(self.binding, self.state, ())

    def take_in(self, copy: int, copies: int, alone: StageNode) -> None:
        """Let one copy of a crowd be as the same stage of a member is that plays alone."""
        if not isinstance(self.stage.work, SoftSkin) or self.state is None:
            return
        copy_rows(self.state.memory, alone.state.memory, copy, copies)
        self.state.recall()
        for step, other in zip(self._steps, alone._steps, strict=True):
            devices.warp().copy(step, other, dest_offset=copy * len(other), count=len(other))

    def show(self, pose: Pose, inputs: list[DevicePoints], alpha: float, dt: float) -> DevicePoints:
        """This stage in the frame that is shown, `dt` [s] after the last one for what is on top of it.

        Soft skins are `alpha` of the way from their last step but one to their last, which has all that is on top.
        """
        from supple.graph import kernels

        work = self.stage.work
        if isinstance(work, Skin):
            self._shown = self.layer.show(
                work.deform(self.binding, self.state, pose, inputs[0] if inputs else None), dt
            )
            return self._shown
        if isinstance(work, SoftSkin):
            if alpha == 1.0:  # on a step: a copy costs less than a blend
                devices.warp().copy(self._result, self._steps[1])
                return self._result
            devices.write(self._weights, np.array([alpha]))
            return self._blend(kernels.interpolate, self._steps)
        self._shown = self.layer.show(self._blend(kernels.blend, inputs), dt)
        return self._shown

    def reading(self, what: str) -> Any | None:
        """Forces or contact pressure of the last frame, on the device, where its skin knows them."""
        work = self.stage.work
        return getattr(work, what)(self.binding, self.state) if isinstance(work, BoundSkin) else None

    def continue_from(self, points: DevicePoints, shown: DevicePoints) -> None:
        """Show the skin as `points` at first, where it is `shown` now, and go over to its own shape from there."""
        if isinstance(self.stage.work, SoftSkin):
            self.layer.take_up(points, self._steps[1])
            for step in self._steps:
                devices.warp().copy(step, points)
        else:
            self.layer.take_up(points, shown)

    def change_gently(
        self, change: Callable[[], None], pose: Pose, inputs: list[DevicePoints], step: float | None
    ) -> DevicePoints:
        """Make a change, after which the skin in `pose` is shown as before, and goes over to what it is by itself.

        Of a soft skin it is one `step` on from here that is compared, with and without the change; without any soft
        skin in the graph (`step` is None) the last frame is still there. Returns the shape with which later stages see
        this one.
        """
        if isinstance(self.stage.work, SoftSkin) and not self.stage.work.jumps:
            change()
            return self._steps[1]
        here = self._shown if step is None else self.layer.show(self._try_step(pose, inputs, step), 0.0)
        before = devices.warp().clone(here)
        change()
        now = self._try_step(pose, inputs, step)
        self.layer.take_up(before, self.layer.hold_still(now, 0.0))
        return self._steps[1] if isinstance(self.stage.work, SoftSkin) else self.layer.show(now, 0.0)

    def output(self, pose: Pose, inputs: list[DevicePoints], step: float | None) -> DevicePoints:
        """The shape with which later stages see this one in a pose, which is that of the last step or frame."""
        if isinstance(self.stage.work, SoftSkin):
            return self._steps[1]
        return self._shown if step is None else self.show(pose, inputs, 1.0, 0.0)

    def _try_step(self, pose: Pose, inputs: list[DevicePoints], step: float | None) -> DevicePoints:
        """The skin by itself in a pose, or a soft one a step on, as if that had not been asked."""
        from supple.graph import kernels

        work, incoming = self.stage.work, inputs[0] if inputs else None
        if isinstance(work, Skin):
            return work.deform(self.binding, self.state, pose, incoming)
        if isinstance(work, Mask):
            return self._blend(kernels.blend, inputs)
        assert isinstance(work, SoftSkin)
        assert step is not None
        kept = capture_arrays(self.state.memory, "")
        points = devices.warp().clone(work.advance(self.binding, self.state, pose, step, incoming=incoming))
        restore_arrays(self.state.memory, "", kept)
        self.state.recall()
        if self.pulls:
            self.take_hold(self.pulls)
        return points

    def _blend(self, kernel: Any, pair: list[DevicePoints]) -> DevicePoints:
        if self._recorded is None or any(a is not b for a, b in zip(self._recorded[0], pair, strict=True)):
            inputs = [*pair, self._weights, self._result]
            self._recorded = list(pair), devices.Launch(kernel, self._count, inputs, self._device)
        self._recorded[1]()
        return self._result
