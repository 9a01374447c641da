"""Edits as forces on the springs of a skin: handles are held, and the skin of a region follows by its own springs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.edits.region import Region
from supple.edits.region_editing import RegionEditing
from supple.edits.surface_edit import KINEMATIC, SurfaceEdit
from supple.geometry.topology import kept_edges
from supple.geometry.vectors import smoothstep

_WHERE = "spring_edit"
_LOOSEST = 0.01  # of its springs to the bone that skin beside the handles keeps
_LETS_GO = 0.5  # of the way from the border of the region to a handle: from here on no more is kept


def spring_edit(
    character: Character, region: Region, offsets: ArrayLike, *, stiffness: float = KINEMATIC, method: str = "smooth"
) -> SurfaceEdit:
    """Handles of a region moved by `offsets` (H, 3) [m], in the axes of the rest pose, as a force in spring rigs.

    F_e = k (target - x) draws at handles alone [Toothman2020, Sec. 5.2]: lengths and angles of bind stay what springs
    want, so that passive vertices follow, and static ones do not. Skins without springs show the region as `method`
    of `RegionEditing` would have it.
    """
    moves = frozen(offsets, np.float64, (len(region.handles), 3), _WHERE, "offsets")
    points = character.points
    moved = RegionEditing(points, character.triangles, region, method=method).moved(points[region.handles] + moves)
    inside = np.sort(np.concatenate([region.handles, region.passive])).astype(np.int32)
    return SurfaceEdit(inside, (moved - points)[inside], region.handles, stiffness)


def passive_firmness(character: Character, edit: SurfaceEdit) -> FloatArray:
    """What springs to the bone are multiplied by (V,) while an edit holds its handles.

    Beside the handles little is left of them, so that skin follows; towards the border of the region all of it.
    """
    assert edit.handles is not None
    firmness = np.ones(len(character.points))
    inside = np.zeros(len(firmness), dtype=bool)
    inside[edit.vertices] = True
    outside = np.flatnonzero(~inside).astype(np.int32)
    far = _distances(character, edit.handles)
    near = _distances(character, outside) if len(outside) else np.full(len(firmness), np.inf)
    share = np.where(np.isinf(near), 1.0, near / np.maximum(near + far, 1e-300))[edit.vertices]
    firmness[edit.vertices] = 1.0 - (1.0 - _LOOSEST) * smoothstep(share, 0.0, _LETS_GO)
    return firmness


def _distances(character: Character, sources: IntArray) -> FloatArray:
    """How far (V,) [m] vertices are from the nearest of the sources, along edges at rest."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    points, count = character.points, len(character.points)
    one, other = kept_edges(character.triangles).T
    lengths = np.maximum(np.linalg.norm(points[one] - points[other], axis=1), 1e-300)
    graph = coo_array((lengths, (one, other)), shape=(count, count)).tocsr()
    return np.asarray(dijkstra(graph, directed=False, indices=sources, min_only=True))
