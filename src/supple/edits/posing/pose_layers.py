"""A pose that was made by hand becomes part of edits: a pose edit, and the layer that plays it over the motion."""

from __future__ import annotations

from dataclasses import dataclass

from supple.character.skeleton import Skeleton
from supple.edits.arranging import free_name
from supple.edits.edits import Edits
from supple.edits.layers import Key, Layer
from supple.edits.pose_edit import PoseEdit
from supple.errors import InputError
from supple.motion.pose import Pose

_WHERE = "posing"
_FAINT = 1e-3  # amounts below this of a pose cannot be seen, and so not be posed
_SAME_TIME = 1e-3  # s


@dataclass(frozen=True)
class PoseSlot:
    """Where a hand's pose goes: edits in which layer `layer` plays the pose `use`, maybe still an empty one."""

    edits: Edits
    layer: str
    use: str

    def posed(self, skeleton: Skeleton, pose: Pose, posed: Pose, time: float, *, period: float | None = None) -> Edits:
        """Edits that make of `pose`, what the motion alone has at a time [s], a pose that is `posed`.

        Other layers stay as they are, before and behind. `period` is that of `Edits.amounts`.
        """
        edits = self.edits
        amounts = {name: amount for name, amount in edits.amounts(time, period=period).items() if name in edits.poses}
        if not abs(amounts[self.use]) > _FAINT:
            given = f"at {time:.2f} s layer {self.layer!r} has {amounts[self.use]:.3g} of its pose"
            raise InputError(_WHERE, given, "what does not show cannot be posed", "turn it up, or start another pose")
        names = list(amounts)
        for name in names[: names.index(self.use)]:
            pose = edits.poses[name].on(skeleton, pose, amount=amounts[name])
        for name in reversed(names[names.index(self.use) + 1 :]):
            posed = edits.poses[name].on(skeleton, posed, amount=-amounts[name])
        edit = PoseEdit.between(skeleton, pose, posed)
        return edits.with_pose(self.use, edit.scaled(1.0 / amounts[self.use]))


def new_slot(edits: Edits, word: str, *, time: float | None = None) -> PoseSlot:
    """A new layer for a pose, named by a word: there all the time, or keyed at a `time` [s]."""
    name = _free_name(edits, word)
    layer = Layer(name=name, keys=(Key(time=0.0 if time is None else time, use=name),))
    return PoseSlot(edits.with_pose(name, PoseEdit({})).with_layer(layer), name, name)


def keyed_slot(edits: Edits, layer: Layer, time: float) -> PoseSlot:
    """The key of a layer at a time [s], or a new one with a pose of its own."""
    key = next((key for key in layer.keys if abs(key.time - time) < _SAME_TIME), None)
    if key is not None and key.use in edits.poses:
        return PoseSlot(edits, layer.name, key.use)
    use = _free_name(edits, f"{layer.name} key")
    keyed = layer.with_key(Key(time=time if key is None else key.time, use=use))
    return PoseSlot(edits.with_pose(use, PoseEdit({})).with_layer(keyed), layer.name, use)


def _free_name(edits: Edits, word: str) -> str:
    """A name that no layer, pose or shape has."""
    return free_name(word, {*edits.poses, *edits.shapes, *(layer.name for layer in edits.layers)})
