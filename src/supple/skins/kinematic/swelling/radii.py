"""Where limbs swell, and how far: outwards, most around joints, not at all where they are cut off."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.limbs.division import Limbs
from supple.character.limbs.volumes import LimbVolumes
from supple.geometry import topology
from supple.geometry.vectors import smoothstep

_FALLOFF = 0.6  # of how thick flesh is: how far from a cut it swells in full
_INSIDE = 0.5  # of the way from the cuts to what is farthest from them: the same, where limbs are short
_EVENLY = 0.2  # of what swells at a joint: what swells between joints
_SMOOTHED = 4  # times over the mesh


def swelling_radii(character: Character, limbs: LimbVolumes) -> FloatArray:
    """How far (V, 3) [m] every vertex goes outwards when its limb grows to twice its girth, at rest."""
    points, thickness = character.points, character.body_shape.thickness
    rows = topology.neighbors(character.triangles, len(points))
    distance = _distance_from_cuts(points, limbs)
    reach = np.minimum(_FALLOFF * thickness, _INSIDE * _farthest(distance, limbs.limbs))
    inside = distance / np.maximum(reach, 1e-300)
    share = smoothstep(inside, 0.0, 1.0) * (_EVENLY + (1.0 - _EVENLY) * _at_joints(points, limbs.limbs))
    share = np.where(character.body_shape.shells.is_flesh, share, 0.0)
    share = _smoothed(share, rows) * smoothstep(inside, 0.0, 0.5)
    normals = np.zeros_like(points)
    areas = topology.area_vectors(points, limbs.triangles)
    for corner in range(3):
        np.add.at(normals, limbs.triangles[:, corner], areas)
    normals = _smoothed(_unit(normals), rows)
    return np.asarray((0.5 * share * _smoothed(thickness, rows))[:, None] * _unit(normals))


def _distance_from_cuts(points: FloatArray, limbs: LimbVolumes) -> FloatArray:
    """How far (V,) [m] a vertex is from the nearest cut of its limb; without end where it has none."""
    from scipy.spatial import cKDTree

    corners, found = limbs.mixed @ points, np.full(len(points), np.inf)
    for limb in range(len(limbs.names)):
        own = np.flatnonzero(limbs.limbs.limb_of == limb)
        cuts = np.unique(limbs.segments[(limbs.beside == limb).any(axis=1)])
        if len(own) and len(cuts):
            found[own] = cKDTree(corners[cuts]).query(points[own])[0]
    return found


def _farthest(distance: FloatArray, limbs: Limbs) -> FloatArray:
    """The largest distance within the limb of every vertex (V,)."""
    most = np.zeros(len(limbs.names))
    np.maximum.at(most, limbs.limb_of, distance)
    return np.asarray(most[limbs.limb_of])


def _at_joints(points: FloatArray, limbs: Limbs) -> FloatArray:
    """How near (V,) a vertex is to its joint: 1 there, 0 in the middle of a bone that leads to another limb."""
    found = np.ones(len(points))
    on = np.flatnonzero(limbs.bone_of >= 0)
    bone = limbs.bone_of[on]
    t = limbs.position(points[on], bone)
    away = np.clip(np.where(t > 0.5, 1.0 - t, t), 0.0, 0.5)
    found[on] = np.where(limbs.limits[bone, 0] == limbs.limits[bone, 1], 1.0, np.cos(np.pi * away) ** 2)
    return found


def _smoothed(values: FloatArray, rows: topology.Neighbors) -> FloatArray:
    """Means over the neighbours of every vertex, several times."""
    count = np.diff(rows.starts)
    owner = np.repeat(np.arange(len(count)), count)
    columns = values.reshape(len(values), -1)
    for _ in range(_SMOOTHED):
        sums = np.stack([np.bincount(owner, column[rows.indices], len(count)) for column in columns.T], axis=1)
        means = np.where(count[:, None] > 0, sums / np.maximum(count, 1)[:, None], columns)
        columns = 0.5 * (columns + means)
    return columns.reshape(values.shape)


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)[:, None])
