"""Swelling and leaning along a bone: lengths and angles of scale vectors as functions of the place on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.character.character import Character
from supple.edits.easing import EASINGS
from supple.edits.region import vertices_within
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.cholesky.cholesky import factor_symmetric
from supple.geometry.laplacian import weighted_edges
from supple.geometry.topology import kept_edges, ring_areas
from supple.skins.springs.attachment.attachment import Attachment, attach

PROFILES: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {
        **EASINGS,
        "parabola": lambda t: 4.0 * t * (1.0 - t),
        "bell": lambda t: np.sin(np.pi * t) ** 2,
        "even": lambda t: np.ones_like(t),
    }
)
"""Functions along a bone: all easings, and those that are 0 at both ends (`parabola`, `bell`) or 1 throughout."""

WIDEST_FALLOFF = 3.0  # radii of a limb: beyond it nothing of the profile is left
_FADED = 4.0  # lengths of a falloff, beyond which next to nothing is left of it


def profile_named(name: str, where: str) -> Callable[[FloatArray], FloatArray]:
    """One of `PROFILES`; `where` asked for it."""
    return _look_up(PROFILES, name, where)


def radial(
    character: Character,
    joint: str,
    *,
    profile: str = "bell",
    swell: float = 0.0,
    lean: float = 0.0,
    part: tuple[float, float] = (0.0, 1.0),
    falloff: float = 0.0,
    attachment: Attachment | None = None,
) -> SurfaceEdit:
    """Swell the limb round the bones of `joint`, or lean its skin along them [Toothman2020, Eq. 24].

        |s'| = |s| (1 + swell f(t)),   angle to the bone grows by lean f(t) [rad]

    with t the place on the bone and f the `profile`; `swell=0.25` with `parabola` is the published bulge. Angles end at
    the bone's own direction. `part` is from where to where on the bone the profile goes, 0 to 1 for all of it; nothing
    changes outside.

    That ends with a step where skin of the joint borders on that of another one, and wherever its bones meet, unless f
    is 0 there: a trunk is wider than its bones are long. With a `falloff`, in radii of the limb, the change spreads
    about that far over the skin, also beyond that border, as heat does; then it is made as large as it was where it is
    largest.
    """
    where = "radial"
    shape = profile_named(profile, where)
    if not (np.isfinite([swell, lean]).all() and swell >= -1.0 and abs(lean) <= np.pi):
        raise InputError(
            where, f"swell is {swell} and lean {lean}", "-1 or more, and -pi to pi, are needed", "try 0.2 and 0.0"
        )
    low, high = part
    if not 0.0 <= low < high <= 1.0:
        raise InputError(
            where, f"part is {low} to {high}", "shares of the bone from 0 to 1 are needed, the end last", "try (0, 1)"
        )
    if not 0.0 <= falloff <= WIDEST_FALLOFF:
        needed = f"radii of the limb, 0 to {WIDEST_FALLOFF:g}, are needed"
        raise InputError(where, f"falloff is {falloff}", needed, "try 0.3")
    attached = attach(character) if attachment is None else attachment
    number = character.skeleton.index(joint)
    own = attached.segments.joints[attached.segment] == number
    if not own.any():
        raise InputError(where, f"no skin hangs on joint {joint!r}", "its bones must carry some", "choose another one")
    inside = own & (attached.along >= low) & (attached.along <= high)
    weight = np.where(inside, shape(np.clip((attached.along - low) / (high - low), 0.0, 1.0)), 0.0)
    vectors = attached.scale_vectors
    bone = attached.segments.directions[attached.segment]
    axis = np.cross(bone, vectors)
    angle = np.arctan2(np.linalg.norm(axis, axis=1), np.einsum("vi,vi->v", bone, vectors))
    rotation = np.clip(angle + lean * weight, 0.0, np.pi) - angle
    rotated = np.einsum(
        "vij,vj->vi", quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(axis, rotation)), vectors
    )
    grown = rotated * (1.0 + swell * weight)[:, None]
    offsets = np.where(own[:, None], grown - vectors, 0.0)
    if falloff > 0.0:
        offsets = _spread(character, offsets, own, falloff * float(np.median(np.linalg.norm(vectors[own], axis=1))))
    return SurfaceEdit.of(offsets)


def _spread(character: Character, offsets: FloatArray, own: BoolArray, length: float) -> FloatArray:
    """Offsets (V, 3) [m] of vertices `own` (V,) spread about as far as `length` [m] over the skin.

        (A + length^2 L) x = A b

    with A a third of the area round each vertex and L the cotangent Laplacian: a step of heat, taken twice. Farther
    off than `_FADED` lengths nothing changes.
    """
    from scipy.sparse import diags_array

    largest = float(np.linalg.norm(offsets, axis=1).max())
    if largest == 0.0:
        return offsets
    points, triangles = character.points, character.triangles
    near = vertices_within(_FADED * length, points, kept_edges(triangles), np.flatnonzero(own).astype(np.int32))
    thirds = ring_areas(points, triangles)[near] / 6.0
    areas = diags_array(np.maximum(thirds, 1e-9 * max(float(thirds.max()), 1e-300)))
    laplacian = weighted_edges(points, triangles).laplacian().tocsc()[near][:, near]
    factor = factor_symmetric((areas + length**2 * laplacian).tocsc())
    spread = factor.solve(areas @ factor.solve(areas @ offsets[near]))
    made = np.zeros_like(offsets)
    made[near] = spread * (largest / float(np.linalg.norm(spread, axis=1).max()))
    return made


def _look_up(
    table: Mapping[str, Callable[[FloatArray], FloatArray]], name: str, where: str
) -> Callable[[FloatArray], FloatArray]:
    if name not in table:
        raise InputError(where, f"{name!r} was asked for", f"there are {', '.join(table)}", "choose one of those")
    return table[name]
