"""Draws the pictures of docs/edits.md: `edits-tools.jpg` of strokes and `edits-forces.jpg` of edits as forces.

Run it as `python docs/figures/make_edits.py FOLDER`. The third, `edits-breathing.jpg`, is made by
`examples/19_surface_edits.py`.
"""

import sys
from pathlib import Path

import numpy as np

import supple
from supple.edits import Edits, Layer, RegionEditing, drive_wave, region_round, spring_edit
from supple.edits.silhouette import outline, redrawn_outline
from supple.edits.strokes import Stroke, SurfaceStroke, View, posed_by_strokes, raised
from supple.render import Camera, Renderer, contact_sheet

SIZE = (300, 340)
FPS = 60.0
hero = supple.character("hero", vertices=6000)
points, triangles, skeleton = hero.points, hero.triangles, hero.skeleton
rest = supple.Pose.rest(skeleton)
trunk = points[(points[:, 1] > 0.8) & (points[:, 1] < 1.7) & (np.abs(points[:, 0]) < 0.45)]
front = Camera.framing(trunk, size=SIZE, direction=(0.5, 0.1, 1.0), margin=1.0)
straight = Camera.framing(trunk, size=SIZE, direction=(0.0, 0.1, 1.0), margin=1.0)
side = Camera.framing(trunk, size=SIZE, direction=(-1.0, 0.05, 0.0), margin=1.0)


def draw_on_skin(places):
    """A stroke on the skin through what is seen from in front at some places."""
    view = View.of(straight, SIZE)
    pixels = [view.project(place)[0] for place in places]
    return SurfaceStroke.drawn(points, triangles, view, pixels=pixels, tolerance=0.5)


def draw_tools(renderer):
    """Regions, ways to follow, an outline drawn anew and an arm that goes, and grows, along a stroke."""
    stroke = draw_on_skin([(x, 1.32, 0.12) for x in (-0.1, 0.0, 0.1)])
    region = region_round(triangles, stroke.handles(triangles), points=points, reach=0.2)
    marks = np.zeros(len(points))
    marks[region.passive], marks[region.static], marks[region.handles] = 0.35, 0.6, 1.0
    targets = raised(points, triangles, region.handles, heights=np.full(len(region.handles), 0.05))
    ways = [
        RegionEditing(points, triangles, region, method=method).moved(targets)
        for method in ("smooth", "rigid", "laplacian")
    ]
    first = [renderer.draw(points, camera=front, values=marks, limits=(0.0, 1.0))]
    first += [renderer.draw(way, camera=front) for way in ways]

    view = View.of(side, SIZE)
    belly = points[np.abs(points[:, 0]) < 0.05]
    line = []
    for height, bulge in zip(np.linspace(0.92, 1.2, 12), np.sin(np.linspace(0.0, np.pi, 12)), strict=True):
        outermost = belly[np.abs(belly[:, 1] - height) < 0.02][:, 2].max()
        line.append(view.project((0.0, height, outermost + 0.06 * bulge))[0])
    seen = np.zeros(len(points))
    seen[outline(points, triangles, view)] = 1.0
    redrawn, _ = redrawn_outline(points, triangles, view, pixels=line, reach=0.2)
    arm = np.array([skeleton.heads[skeleton.index(name)] for name in ("LeftArm", "LeftForeArm", "LeftHand")])
    raised_arm = Stroke.from_samples([arm[0], arm[0] + [0.24, 0.14, 0.1], arm[0] + [0.32, 0.44, 0.15]])
    longer = Stroke.from_samples([arm[0], arm[0] + [0.34, 0.2, 0.12], arm[0] + [0.46, 0.64, 0.2]])
    poses = [
        posed_by_strokes(skeleton, rest, Stroke.from_samples(arm), offset=offset, radius=0.06, stretch=stretch)
        for offset, stretch in ((raised_arm, 1.0), (longer, 1.5))
    ]
    player = supple.player(hero, supple.SpringRig())
    second = [renderer.draw(points, camera=side, values=seen, limits=(0.0, 1.0)), renderer.draw(redrawn, camera=side)]
    wide = Camera.framing(np.concatenate([trunk, [[0.6, 2.15, 0.0]]]), size=SIZE, direction=(0.0, 0.1, 1.0), margin=1.0)
    second += [renderer.draw(player.advance(pose), camera=wide, skeleton=(skeleton, pose)) for pose in poses]
    return [first, second]


def draw_forces(renderer):
    """A line pulled out: its handles alone, as a force, softer, two at once; then a wave that forces drive."""
    across = draw_on_skin([(x, 1.1, 0.14) for x in (-0.08, 0.0, 0.08)])
    above = draw_on_skin([(x, 1.36, 0.12) for x in (-0.08, 0.0, 0.08)])
    regions = [
        region_round(triangles, stroke.handles(triangles), points=points, reach=0.18) for stroke in (across, above)
    ]
    handles = regions[0].handles
    alone = points.copy()
    alone[handles] += [0.0, 0.0, 0.06]

    def pulled(*stiffness):
        edits = Edits.of(hero)
        for number, (region, hard) in enumerate(zip(regions, stiffness, strict=False)):
            edit = spring_edit(hero, region, np.tile([0.0, 0.0, 0.06], (len(region.handles), 1)), stiffness=hard)
            edits = edits.with_shape(f"e{number}", edit).with_layer(Layer.still(f"l{number}", f"e{number}"))
        player = supple.player(edits.on_character(hero), supple.SpringRig(iterations=200))
        return player.advance(edits.on_pose(skeleton, rest, 0.0))

    shapes = [alone, pulled(100.0), pulled(0.1), pulled(100.0, 100.0)]
    first = [renderer.draw(shape, camera=front) for shape in shapes]

    loose = hero.replace(maps={**hero.maps, "jiggle": np.ones(len(points))})
    upwards = draw_on_skin([(0.0, y, 0.14) for y in (0.95, 1.1, 1.3)])
    edits = drive_wave(
        Edits.of(loose), loose, upwards, name="wave", height=0.05, length=0.14, speed=0.6, width=0.1, stiffness=8.0
    )
    player = supple.player(edits.on_character(loose), supple.SpringDynamics.preset("cartoon"), fps=FPS)
    shown, second = (14, 26, 38, 52), []
    for frame in range(max(shown) + 1):
        posed = player.advance(edits.on_pose(skeleton, rest, frame / FPS))
        if frame in shown:
            felt = np.linalg.norm(posed - points, axis=1)
            second.append(renderer.draw(posed, camera=front, values=felt, limits=(0.0, 0.03)))
    return [first, second]


folder = Path(sys.argv[1])
with Renderer(points, triangles, size=SIZE, ground=False) as renderer:
    labels = [
        "A stroke on the chest: its region, and three ways to follow (smooth, rigid, laplacian)",
        "The outline from the side, redrawn by a stroke; an arm along a stroke, and one that may grow by half",
    ]
    contact_sheet(draw_tools(renderer), labels=labels, path=folder / "edits-tools.jpg")
    labels = [
        "A line pulled out by 6 cm: handles alone; as a force; a thousand times softer; two forces at once",
        "A wave that forces drive up the belly, and its wake, after 0.23, 0.43, 0.63 and 0.87 s",
    ]
    contact_sheet(draw_forces(renderer), labels=labels, path=folder / "edits-forces.jpg")
