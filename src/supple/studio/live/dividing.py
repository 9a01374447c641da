"""Planes that divide the skin of bones from each other, moved by hand; what they give is painted on the character."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.document.document import Document
from supple.errors import InputError
from supple.geometry import quaternions
from supple.skins.springs.attachment.attachment import ATTACHMENT_MAPS, attach
from supple.skins.springs.attachment.dividers import Divider, dividers_of
from supple.skins.springs.attachment.segments import Segments, find_segments
from supple.studio import messages as say

_WHERE = "studio"
Move = tuple[tuple[float, float, float], tuple[float, float, float]]


class Dividing:
    """Where the planes of a character stand, for every document of its history.

    A document knows what they gave, two maps; by those it is found again how they stood then.
    """

    def __init__(self, character: Character) -> None:
        self._character = character
        self._moved: dict[int, tuple[FloatArray, dict[int, Move]]] = {}
        self._known: tuple[Segments, tuple[Divider, ...]] | None = None

    def infos(self, document: Document) -> list[say.DividerInfo]:
        """All planes as they stand in a document, each in the axes of the joint that it goes along with."""
        segments, planes = self._planes()
        moves = self._moves(document)
        return [self._info(segments, plane, moves.get(number)) for number, plane in enumerate(planes)]

    def moved(self, document: Document, number: int, move: Move) -> Document:
        """A document in which a plane stands elsewhere, and skin hangs on bones accordingly."""
        segments, planes = self._planes()
        if number >= len(planes):
            raise InputError(_WHERE, f"plane {number} was named", f"there are {len(planes)}", "pick one that is shown")
        moves = {**self._moves(document), number: move}
        wanted = [self._at(segments, plane, moves.get(one)) for one, plane in enumerate(planes)]
        hung = attach(self._character, method="planar", dividers=wanted)
        step = f"Move the plane at {self._character.skeleton.names[self._joint(segments, planes[number])]}"
        for name, values in zip(ATTACHMENT_MAPS, (hung.segment.astype(np.float64), hung.along), strict=True):
            document = document.with_map(name, values, step)
        kept = document.maps[ATTACHMENT_MAPS[0]]
        self._moved[id(kept)] = kept, moves
        return document

    def _planes(self) -> tuple[Segments, tuple[Divider, ...]]:
        if self._known is None:
            self._known = find_segments(self._character), dividers_of(self._character)
        return self._known

    def _moves(self, document: Document) -> dict[int, Move]:
        painted = document.maps.get(ATTACHMENT_MAPS[0])
        known = None if painted is None else self._moved.get(id(painted))
        return {} if known is None else known[1]

    def _joint(self, segments: Segments, plane: Divider) -> int:
        return int(segments.joints[plane.other])

    def _at(self, segments: Segments, plane: Divider, move: Move | None) -> Divider:
        """A plane where it was moved to."""
        if move is None:
            return plane
        axes = self._character.skeleton.world_from_joint[self._joint(segments, plane), :3, :3]
        by, turn = (axes @ np.array(one) for one in move)
        angle = float(np.linalg.norm(turn))
        if angle > 0.0:
            plane = plane.rotated(quaternions.quat_from_axis_angle(turn, angle))
        return plane.moved(by)

    def _info(self, segments: Segments, plane: Divider, move: Move | None) -> say.DividerInfo:
        joint, names = self._joint(segments, plane), self._character.skeleton.names
        stands, own = self._at(segments, plane, move), self._character.skeleton.joint_from_world[joint]
        point = own[:3, :3] @ stands.point + own[:3, 3]
        normal = own[:3, :3] @ stands.normal
        length = float(min(segments.lengths[plane.one], segments.lengths[plane.other]))
        by, turn = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) if move is None else move
        return say.DividerInfo(
            joint=joint,
            label=f"{names[segments.joints[plane.one]]} | {names[segments.joints[plane.other]]}",
            point=_triple(point),
            normal=_triple(normal),
            size=length,
            by=by,
            turn=turn,
        )


def _triple(values: FloatArray) -> tuple[float, float, float]:
    x, y, z = (round(float(value), 6) for value in values)
    return x, y, z
