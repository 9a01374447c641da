"""A picture of the layers inside a body: the lattice cut open, coloured from bone to skin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from diagram import diagram, surface
from supple.arrays import IntArray
from supple.character.character import Character
from supple.errors import InputError
from supple.render.camera import Camera
from supple.render.sheet import Picture
from supple.skins.lattice.voxelize.cells import Lattice

_BONE, _OUTER, _SKIN = "#f3ecd9", "#f2c14e", "#c98b6b"
_INNER = ("#cf4238", "#d8604f", "#e58b6a")  # muscle, and more layers of it
_GLASS, _EDGE, _SLATE = "#dcb8a2", "#6b5a50", "#2b3137"
_AXES = {"x": 0, "y": 1, "z": 2}


def layers_picture(
    character: Character,
    lattice: Lattice,
    numbers: IntArray,
    *,
    names: Sequence[str] = ("bone", "muscle", "fat", "skin"),
    cut: str = "z",
    at: float | None = None,
    path: str | Path | None = None,
    size: tuple[int, int] = (900, 900),
    camera: Camera | None = None,
) -> Picture:
    """One picture (height, width, 3), bytes, of the layers at rest; written to `path` too if one is given.

    The lattice is cut across axis `cut` where most of the bone is, or at `at` [m], and the half towards the camera is
    taken away; the skin stands around the rest like glass. `numbers` (N,) are the layers of the nodes and `names`
    theirs, bone first. Where several nodes lie in one cell the outermost layer is shown.
    """
    if cut not in _AXES:
        raise InputError("layers_picture", f"cut is {cut!r}", "one of x, y, z is needed", "use z to see the front")
    if len(numbers) != len(lattice) or int(numbers.max(initial=0)) >= len(names):
        raise InputError(
            "layers_picture",
            f"numbers name {len(numbers)} nodes in {int(numbers.max(initial=0)) + 1} layers",
            f"the lattice has {len(lattice)} nodes and names has {len(names)} layers",
            "pass what belongs together",
        )
    axis, colors = _AXES[cut], _colors(len(names))

    def draw(pv: Any, plotter: Any) -> None:
        blocks = _blocks(pv, lattice, numbers, axis, at)
        blocks.cell_data["color"] = colors[blocks.cell_data["layer"].astype(int)]
        plotter.add_mesh(
            blocks, scalars="color", rgb=True, show_edges=True, edge_color=_EDGE, line_width=0.5, ambient=0.4
        )
        skin = surface(pv, character.points, character.triangles)
        plotter.add_mesh(skin, color=_GLASS, opacity=0.15, smooth_shading=True)
        legend = [[name, color / 255.0] for name, color in zip(names, colors, strict=True)]
        plotter.add_legend(legend, bcolor=_SLATE, face="rectangle", size=(0.16, 0.04 * len(names)), loc="lower right")

    direction = [(1.0, 0.12, 0.3), (0.25, 1.0, 0.35), (0.3, 0.12, 1.0)][axis]
    eye = Camera.framing(character.points, size=size, direction=direction) if camera is None else camera
    return diagram(draw, camera=eye, size=size, path=path)


def _colors(count: int) -> Any:
    """One colour (3,), bytes, for bone, each inner layer, and the skin if there is one."""
    inner = [_INNER[min(k, len(_INNER) - 1)] for k in range(max(count - 3, 0))]
    named = [_BONE, *inner, _OUTER, _SKIN][:count]
    return np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in named], dtype=np.uint8)


def _blocks(pv: Any, lattice: Lattice, numbers: IntArray, axis: int, at: float | None) -> Any:
    """The cells behind the cut as small cubes, each with its layer."""
    bone = lattice.cells[numbers == 0]
    middle = float(np.median((bone if len(bone) else lattice.cells)[:, axis]))
    last = middle if at is None else (at - lattice.grid.origin[axis]) / lattice.side
    behind = lattice.cells[:, axis] <= last
    if not behind.any():
        raise InputError("layers_picture", f"at is {at} m", "the cut must leave some of the body", "move it")
    layer = np.full(lattice.grid.shape, -1, dtype=np.int32)
    cells = lattice.cells[behind]
    np.maximum.at(layer, (cells[:, 0], cells[:, 1], cells[:, 2]), numbers[behind])
    spacing, shape = (lattice.side,) * 3, tuple(side + 1 for side in lattice.grid.shape)
    image = pv.ImageData(dimensions=shape, spacing=spacing, origin=tuple(lattice.grid.origin))
    image.cell_data["layer"] = layer.ravel(order="F")
    return image.extract_cells(np.flatnonzero(layer.ravel(order="F") >= 0))
