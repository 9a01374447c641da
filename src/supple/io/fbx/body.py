"""From the meshes of an FBX file to the one mesh of a character."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.weights import Weights
from supple.io.fbx.pieces import Piece
from supple.io.rigs.rig import Rig
from supple.io.surfaces.surface import Surface, concatenate
from supple.io.surfaces.welding import rotate_and_scale, weld


@dataclass(frozen=True, eq=False)
class Body:
    """The mesh at rest and what belongs to its points."""

    points: FloatArray
    surface: Surface
    weights: Weights
    parts: dict[str, IntArray]
    shapes: dict[str, FloatArray]


def build_body(pieces: list[Piece], rig: Rig) -> Body:
    """Put all pieces down in the world and join them; each becomes a part.

    The points of a mesh that agree in place, weights and shapes become one, because game engines split meshes at
    texture seams and a soft skin would come apart there. Points of different meshes stay apart.
    """
    counts = [len(piece.points) for piece in pieces]
    total, wide = sum(counts), max(piece.slots.shape[1] for piece in pieces)
    owner = np.repeat(np.arange(len(pieces), dtype=np.int32), counts)[:, None]
    points = np.empty((total, 3))
    joints, values = np.zeros((total, wide), dtype=np.int32), np.zeros((total, wide))
    shapes = {name: np.zeros((total, 3)) for piece in pieces for name in piece.shapes}
    surfaces = []
    first = 0
    for number, piece in enumerate(pieces):
        numbers, placement = rig.slots[number], rig.placements[number]
        rows = slice(first, first + len(piece.points))
        influences = piece.slots.shape[1]
        points[rows] = rotate_and_scale(placement, piece.points) + placement[:3, 3]
        joints[rows, :influences] = np.where(piece.values > 0.0, numbers[piece.slots], 0)
        values[rows, :influences] = piece.values
        for name, offsets in piece.shapes.items():
            shapes[name][rows] = rotate_and_scale(placement, offsets)
        mirrored = np.linalg.det(placement[:3, :3]) < 0.0
        surface = piece.surface.placed(placement)
        surfaces.append((surface.reversed() if mirrored else surface, len(piece.points)))
        first += len(piece.points)
    first_of, control = weld([owner, points, values, joints, *shapes.values()])
    parts = {piece.name: np.unique(control[owner[:, 0] == number]) for number, piece in enumerate(pieces)}
    return Body(
        points[first_of],
        _without_repeats(concatenate(surfaces), control),
        Weights(joints[first_of], values[first_of]),
        parts,
        {name: offsets[first_of] for name, offsets in shapes.items()},
    )


def _without_repeats(surface: Surface, control: IntArray) -> Surface:
    """The faces on welded points; corners that meet the next one are dropped, and faces left with two."""
    corners = control[surface.corners]
    face = np.repeat(np.arange(len(surface.counts)), surface.counts)
    starts = np.cumsum(surface.counts) - surface.counts
    following = np.arange(1, len(corners) + 1)
    following[starts + surface.counts - 1] = starts
    stays = corners != corners[following]
    counts = np.bincount(face[stays], minlength=len(surface.counts))
    stays &= counts[face] >= 3
    looks = surface.material_indices
    kept = None if looks is None else looks[counts >= 3]
    welded = replace(surface, corners=corners.astype(np.int32), material_indices=kept)
    return welded.with_corners(np.flatnonzero(stays).astype(np.int32), counts[counts >= 3].astype(np.int32))
