"""Elastic flesh: linear finite elements on tetrahedra, in the pose in which the character was bound.

With u the displacement of the corners of an element, the strain is constant in it,

    e = 1/2 (grad u + grad u^T),   s = lambda tr(e) I + 2 mu e,   E = 1/2 V s : e,
    lambda = Y v / ((1 + v)(1 - 2 v)),   mu = Y / (2 (1 + v)),

with Young's modulus Y [Pa] and Poisson's ratio v. Because flesh is measured in pose space, before the bones carry it,
the stiffness never changes and turning bones stretch nothing.

Limits: the strain is linear, so that flesh that turns far against its bones grows. Bending a joint strains nothing;
springs at the joints stand for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.geometry.tetrahedra import Tetrahedra, volumes
from supple.settings import Settings, setting

MAX_POISSONS_RATIO = 0.499  # at 0.5 flesh cannot be pressed at all and the stiffness is infinite


@dataclass(frozen=True, kw_only=True)
class Tissue(Settings):
    """What flesh is made of, in physical units; muscle, where nothing is said.

    Damping is Rayleigh's: D = mass_damping M + stiffness_damping K. `mass_damping` slows every swing alike,
    `stiffness_damping` the quick ones most.
    """

    renamed: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"young": "youngs_modulus", "poisson": "poissons_ratio", "fading": "mass_damping", "lag": "stiffness_damping"}
    )

    youngs_modulus: float = setting(25e3, "Stiffness (Young's modulus)", unit="Pa", low=1.0, high=1e12)
    poissons_ratio: float = setting(
        0.45, "How much it bulges when pressed (Poisson's ratio)", low=0.0, high=MAX_POISSONS_RATIO
    )
    density: float = setting(1060.0, "Density", unit="kg/m³", low=1e-3, high=1e5)
    mass_damping: float = setting(0.5, "Damping of all swings", unit="1/s", low=0.0, high=1e3)
    stiffness_damping: float = setting(0.008, "Damping of quick swings", unit="s", low=0.0, high=10.0)


TISSUES: Mapping[str, Tissue] = MappingProxyType(
    {
        "fat": Tissue(youngs_modulus=4e3, poissons_ratio=0.46, density=920.0, stiffness_damping=0.012),
        "muscle": Tissue(),
        "rubber": Tissue(
            youngs_modulus=1e6, poissons_ratio=0.47, density=1100.0, mass_damping=0.2, stiffness_damping=0.001
        ),
    }
)
"""Tissues by name. Fat and muscle are of the order found in living, relaxed tissue; rubber is that of a firm toy."""


def named_tissue(tissue: Tissue | str, where: str) -> Tissue:
    """A tissue, or the one of that name."""
    if isinstance(tissue, Tissue):
        return tissue
    if tissue not in TISSUES:
        raise InputError(
            where,
            f"tissue {tissue!r} was asked for",
            f"there are {', '.join(TISSUES)}",
            "use one of those, or give a Tissue",
        )
    return TISSUES[tissue]


def shape_gradients(tetrahedra: Tetrahedra) -> FloatArray:
    """How the shape function of every corner rises in its element: (T, 4, 3) [1/m]."""
    corners = tetrahedra.points[tetrahedra.corners]
    edges = corners[:, 1:] - corners[:, :1]
    inner = np.linalg.inv(edges)  # column k is the gradient of corner k + 1
    gradients = np.empty((len(edges), 4, 3))
    gradients[:, 1:] = np.swapaxes(inner, 1, 2)
    gradients[:, 0] = -gradients[:, 1:].sum(axis=1)
    return gradients


def element_stiffness(tetrahedra: Tetrahedra, youngs_modulus: ArrayLike, poissons_ratio: ArrayLike) -> FloatArray:
    """The stiffness between corners a and b of every element: (T, 4, 4, 3, 3) [N/m].

    With g_a the gradients: K_ab = V (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I). `youngs_modulus` [Pa] and
    `poissons_ratio` are one number, or one for each element.
    """
    count = len(tetrahedra.corners)
    stiff, bulge = (
        _per_element(youngs_modulus, count, "youngs_modulus"),
        _per_element(poissons_ratio, count, "poissons_ratio"),
    )
    _check(
        stiff > 0.0, stiff, "youngs_modulus", "stiffness above zero", "use 4e3 for fat, 25e3 for muscle, 1e6 for rubber"
    )
    sound = (bulge > -1.0) & (bulge <= MAX_POISSONS_RATIO)
    _check(
        sound,
        bulge,
        "poissons_ratio",
        f"more than -1 and at most {MAX_POISSONS_RATIO}",
        "use 0.45; at 0.5 nothing can move",
    )
    volume = volumes(tetrahedra)
    gradients = shape_gradients(tetrahedra)
    first = volume * stiff * bulge / ((1.0 + bulge) * (1.0 - 2.0 * bulge))
    second = volume * stiff / (2.0 * (1.0 + bulge))
    outer = np.einsum("tai,tbj->tabij", gradients, gradients)
    inner = np.einsum("tai,tbi->tab", gradients, gradients)
    total = first[:, None, None, None, None] * outer
    total += second[:, None, None, None, None] * np.swapaxes(outer, 3, 4)
    total += (second[:, None, None] * inner)[..., None, None] * np.eye(3)
    return total


def assemble(tetrahedra: Tetrahedra, blocks: FloatArray) -> Any:
    """Blocks (T, 4, 4, 3, 3) between corners summed up: a sparse matrix (3 P, 3 P), place 3 p + axis."""
    from scipy.sparse import bsr_array, coo_array

    count = len(tetrahedra.points)
    rows = np.repeat(tetrahedra.corners, 4, axis=1).ravel().astype(np.int64)
    columns = np.tile(tetrahedra.corners, (1, 4)).ravel().astype(np.int64)
    keys, entry = np.unique(rows * count + columns, return_inverse=True)
    order = np.argsort(entry, kind="stable")
    starts = np.searchsorted(entry[order], np.arange(len(keys)))
    total = np.add.reduceat(blocks.reshape(-1, 3, 3)[order], starts) if len(keys) else np.empty((0, 3, 3))
    pattern = coo_array(
        (np.ones(len(keys)), (keys // max(count, 1), keys % max(count, 1))), shape=(count, count)
    ).tocsr()
    return bsr_array((total, pattern.indices, pattern.indptr), shape=(3 * count, 3 * count)).tocsr()


def stiffness(tetrahedra: Tetrahedra, youngs_modulus: ArrayLike, poissons_ratio: ArrayLike) -> Any:
    """The stiffness K (3 P, 3 P) [N/m] of a body: elastic energy u^T K u / 2 [J], elastic force -K u [N]."""
    return assemble(tetrahedra, element_stiffness(tetrahedra, youngs_modulus, poissons_ratio))


def lumped_masses(tetrahedra: Tetrahedra, density: ArrayLike) -> FloatArray:
    """A quarter of each element's mass at each of its corners: (P,) [kg]."""
    count = len(tetrahedra.corners)
    dense = _per_element(density, count, "density")
    _check(dense > 0.0, dense, "density", "density above zero", "use 1000 kg/m³ for flesh")
    quarter = 0.25 * dense * volumes(tetrahedra)
    total = np.bincount(tetrahedra.corners.ravel(), np.repeat(quarter, 4), len(tetrahedra.points))
    return total.astype(np.float64)


def consistent_mass(tetrahedra: Tetrahedra, density: ArrayLike) -> Any:
    """The mass matrix (3 P, 3 P) [kg] of the shape functions: m (1 + [a = b]) / 20 between corners of an element."""
    count = len(tetrahedra.corners)
    mass = _per_element(density, count, "density") * volumes(tetrahedra)
    blocks = np.einsum("t,ab,ij->tabij", mass / 20.0, np.ones((4, 4)) + np.eye(4), np.eye(3))
    return assemble(tetrahedra, blocks)


def _per_element(value: ArrayLike, count: int, what: str) -> FloatArray:
    given = np.asarray(value, dtype=np.float64)
    return frozen(
        np.broadcast_to(given, (count,)) if given.ndim == 0 else given, np.float64, (count,), "elasticity", what
    )


def _check(sound: Any, values: FloatArray, what: str, needed: str, advice: str) -> None:
    if not np.all(sound):
        element = int(np.argmin(sound))
        raise InputError(
            "elasticity", f"{what} of element {element} is {values[element]:g}", f"{needed} is needed", advice
        )
