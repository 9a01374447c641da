"""Draws rooms.svg, the rooms of the source from the top down: python docs/figures/make_rooms.py

To move a room, move its line in FLOORS. A name that ends in a slash is a folder of src/supple, others are files.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

PICTURE = Path(__file__).with_name("rooms.svg")

FLOORS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("cli/", "one file per command"),),
    (("studio/", "a page in the browser: engine thread, frames, server"),),
    (("bench/", "fixed scenes, timed beside other programs"),),
    (("farm/", "many bakes, on cores or a Dask cluster"),),
    (("document/", "what is being made, as a value and a file"),),
    (("report/", "skins side by side on one page"),),
    (("render/", "pictures and films without a screen"),),
    (("io/", "files in and out, by suffix"),),
    (("measure/", "what a skin did"), ("decompose/", "a bake as bones and weights")),
    (("graph/", "graph, player, bake, cache: the only memory"),),
    (("edits/", "surface and pose edits, strokes, layers, their file"),),
    (
        ("skins/springs/", "hang on bones, springs"),
        ("skins/position_based/", "tetrahedra"),
        ("skins/lattice/", "voxels in layers"),
        ("skins/contact/", "dynamic bones in flesh"),
        ("skins/pose_space/", "what a slow skin does, learnt"),
        ("skins/curves/", "curves and beams"),
    ),
    (("skins/secondary/", "what any skin carries on top: hands that hold it, changes that do not jump"),),
    (("skins/kinematic/", "linear, dual quaternion, centres of rotation, delta mush: all others may stand on them"),),
    (("skins/base.py", "the doors that all skins have"),),
    (("motion/", "pose, motion, retargeting, live"),),
    (("character/", "mesh, skeleton, weights, maps"),),
    (("obstacles/", "bodies that a skin meets"),),
    (("geometry/", "pure functions on arrays"),),
    (
        ("settings/", ""),
        ("device.py", ""),
        ("compiling.py", ""),
        ("records.py", ""),
        ("machine.py", ""),
        ("memory.py", ""),
        ("kept.py", ""),
        ("files.py", ""),
        ("budget.py", ""),
        ("names.py", ""),
        ("turns.py", ""),
        ("arrays.py", ""),
        ("errors.py", ""),
    ),
)
WIDTH, FLOOR, GAP, EDGE = 960, 44, 7, 14  # [px]


def room(name: str, words: str, x: float, y: float, width: float) -> str:
    """One box with a name and, below it, what is in there."""
    middle = x + width / 2
    lines = [f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{FLOOR}" rx="5"/>']
    height = y + (18 if words else 27)
    lines.append(f'<text class="name" x="{middle:g}" y="{height:g}">{escape(name)}</text>')
    if words:
        lines.append(f'<text x="{middle:g}" y="{y + 35:g}">{escape(words)}</text>')
    return "\n".join(lines)


def drawing() -> str:
    """The whole picture."""
    height = 2 * EDGE + len(FLOORS) * (FLOOR + GAP) - GAP
    boxes = []
    for number, floor in enumerate(FLOORS):
        width = (WIDTH - 2 * EDGE - (len(floor) - 1) * GAP) / len(floor)
        y = EDGE + number * (FLOOR + GAP)
        boxes += [room(*one, EDGE + position * (width + GAP), y, width) for position, one in enumerate(floor)]
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"
  width="{WIDTH}" height="{height}">
<title>The rooms of the source; each may import what stands below it</title>
<style>
  .paper {{ fill: #ffffff; stroke: none }}
  rect {{ fill: #eef2f5; stroke: #54707f }}
  text {{ font: 12px sans-serif; fill: #33454f; text-anchor: middle }}
  .name {{ font: 600 13px monospace; fill: #10222c }}
</style>
<rect class="paper" width="{WIDTH}" height="{height}"/>
{chr(10).join(boxes)}
</svg>
"""


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8")
