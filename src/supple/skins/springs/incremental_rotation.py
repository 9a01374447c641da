"""Incremental rotation: vertices hang on bones, and near a joint they turn by a growing share of its turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, Skin
from supple.skins.painted_map import MapInfo
from supple.skins.springs.attachment.attachment import METHODS
from supple.skins.springs.attachment.packed import USUAL, AttachmentOptions
from supple.skins.springs.binding import REACH_MAPS, AttachedSkin
from supple.skins.springs.state import AttachedState
from supple.skins.springs.step import rotate_incrementally


@dataclass(frozen=True, kw_only=True)
class IncrementalRotation(Skin[AttachedSkin, AttachedState]):
    """Carry every vertex with the bone it hangs on, and turn it towards the next bone near a joint [Toothman2020].

    x = a' + R s: the attachment point a' lies between the posed ends of the bone, so a bone that grows longer stretches
    the limb along it and not across it; the scale vector s turns with the bone and, within `reach` of a joint, by up to
    half of the joint's turn. No weights are needed. Twists neither collapse nor bulge.

    `correction` restores the distance from the skeleton where a bend would come to a point; `squash` thins a limb whose
    bone grows longer (1 keeps its volume). `soften` blends attachments and turns over the skin where bones branch;
    0 is the published method, which tears shoulders and hips. The preset `rigid` moves every vertex with its own bone
    alone: the first stage of published spring rigs.

    Where limbs branch off, a character with skin weights hangs on all bones that they name (`binding`); a `reach` of
    one half then turns skin as the weights say, and `rounds` and `firm_ends` are of no account.

    Limits: a bend may press into itself on the inside; a twist of more than half a turn flips to the other way round.
    """

    command_name: ClassVar[str] = "incremental"
    live: ClassVar[frozenset[str]] = frozenset({"reach", "correction", "squash", "soften", "firm_ends", "rounds"})
    cached: ClassVar[bool] = True
    maps: ClassVar[Mapping[str, MapInfo]] = REACH_MAPS
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2017, Attachment-based character deformation",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "published": {"soften": 0.0, "firm_ends": False, "rounds": 12, "binding": "single"},
            "rigid": {"reach": 0.0, "correction": 0.0, "soften": 0.0, "binding": "single"},
        }
    )

    reach: float = setting(USUAL.reach, "How far a joint's turn spreads, as a share of the bone", low=0.0, high=1.0)
    correction: float = setting(1.0, "How much of the distance from the skeleton is restored", low=0.0, high=1.0)
    squash: float = setting(0.0, "How much a limb thins as its bone grows longer", low=0.0, high=2.0)
    soften: float = setting(
        USUAL.soften, "How far branches are blended over the skin, in limb radii", low=0.0, high=4.0
    )
    firm_ends: bool = setting(USUAL.firm_ends, "Keep short last bones, such as heads, in shape")
    binding: str = setting("automatic", "How vertices are hung on bones", choices=METHODS)
    rounds: int = setting(USUAL.rounds, "Rounds of smoothing of the attachment", low=0, high=100)

    def bind(self, character: Character, device: str) -> AttachedSkin:
        return AttachedSkin.from_character(character, method=self.binding, device=device)

    def rebind(self, binding: AttachedSkin, character: Character, device: str) -> AttachedSkin:
        return binding.rebind(character)

    def usual_map(self, binding: AttachedSkin, character: Character, name: str) -> FloatArray:
        own = binding.usual_map(name, self.options)
        return super().usual_map(binding, character, name) if own is None else own

    @property
    def options(self) -> AttachmentOptions:
        """Those settings that say how vertices hang and what they turn with."""
        return AttachmentOptions(self.rounds, self.soften, self.reach, self.firm_ends)

    def allocate(self, binding: AttachedSkin) -> AttachedState:
        state = AttachedState(binding, options=self.options)
        state.tune(self)
        return state

    def reshape(self, binding: AttachedSkin, state: AttachedState) -> AttachedState:
        state.reshape(binding)
        return state

    def deform(
        self, binding: AttachedSkin, state: AttachedState, pose: Pose, incoming: DevicePoints | None
    ) -> DevicePoints:
        state.tune(self)
        return rotate_incrementally(state, pose)
