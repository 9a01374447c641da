"""Tetrahedra from fTetWild, for those who have it installed and can wait."""

from __future__ import annotations

from importlib import import_module

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import InputError
from supple.geometry.tetrahedra.ordering import reorder
from supple.geometry.tetrahedra.solid import check_surface
from supple.geometry.tetrahedra.tetrahedra import Tetrahedra

_WHERE = "fill_with_tetwild"


def fill_with_tetwild(points: ArrayLike, triangles: ArrayLike, *, edge_fraction: float = 0.05) -> Tetrahedra:
    """Fill a surface with tetrahedra that follow it closely, thin parts too, by fTetWild through `pytetwild`.

    `edge_fraction` is the length of an element's edges as a share of the diagonal of the box around the surface.

    Limits: takes tens of seconds for a character, gives no exact count, is not the same from run to run, and promises
    no smallest angle. Flat elements are left out.
    """
    try:
        tetwild = import_module("pytetwild")
    except ImportError:
        raise InputError(
            _WHERE, "pytetwild is not installed", "it does the work", "run 'pip install pytetwild', or use fill()"
        ) from None
    if not 0.0 < edge_fraction < 1.0:
        raise InputError(_WHERE, f"edge_fraction is {edge_fraction}", "a share between 0 and 1 is needed", "try 0.05")
    vertices, faces = check_surface(points, triangles, _WHERE)
    positions, corners = tetwild.tetrahedralize(vertices, faces, edge_length_fac=edge_fraction)
    positions, corners = np.asarray(positions, dtype=np.float64), np.asarray(corners, dtype=np.int32)[:, :4]
    a, b, c, d = (positions[corners[:, k]] for k in range(4))
    volume = np.einsum("ti,ti->t", np.cross(b - a, c - a), d - a)
    corners = np.where((volume < 0.0)[:, None], corners[:, [0, 1, 3, 2]], corners)[volume != 0.0]
    if not len(corners):
        raise InputError(_WHERE, "fTetWild found no inside", "a surface with an inside is needed", "close the surface")
    return reorder(positions, corners)
