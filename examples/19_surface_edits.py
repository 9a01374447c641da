"""A chest that breathes: drawn by hand on a walking hero, kept as a layer, played on; and a line of action."""

import numpy as np

import supple
from supple.edits import PROFILES, Edits, Layer, PoseEdit, RegionEditing, encoded, load_edits, region_round, save_edits
from supple.edits.strokes import Stroke, SurfaceStroke, View, posed_by_strokes, raised
from supple.render import Camera, Renderer, contact_sheet

SIZE = (300, 380)
hero = supple.character("hero", vertices=5000)
skin = supple.DualQuaternion()
walk = supple.motion("walk", hero)

# A stroke on the chest of the walking hero, seen from the front: what it crosses are handles.
pose = walk.sample(0.3)
seen = supple.player(hero, skin).advance(pose).astype(np.float64)
camera = Camera.framing(seen, size=SIZE, direction=(0.0, 0.1, 1.0))
view = View.of(camera, SIZE)
spine = pose.world_from_joint[hero.skeleton.index("Spine2"), :3, 3]
across = [view.project(np.add(spine, [x, 0.06, 0.0]))[0] for x in (-0.11, 0.0, 0.11)]
stroke = SurfaceStroke.drawn(seen, hero.triangles, view, pixels=across)
region = region_round(hero.triangles, stroke.handles(hero.triangles), points=seen, reach=0.2)
print(f"region: {len(region.handles)} handles, {len(region.passive)} that follow, {len(region.static)} that stay")

# Handles go out along the normals, most in the middle of the stroke; the region follows smoothly.
t, _ = stroke.stroke(seen, hero.triangles).nearest(seen[region.handles])
targets = raised(seen, hero.triangles, region.handles, heights=0.03 + 0.01 * PROFILES["bell"](t))
breathed = RegionEditing(seen, hero.triangles, region).moved(targets)
breath = encoded(hero, pose, breathed, skin=skin)

# A line of action: the hero leans along a curve.
rest = supple.Pose.rest(hero.skeleton)
heads = {name: hero.skeleton.heads[hero.skeleton.index(name)] for name in ("Hips", "Spine1", "Neck", "Head")}
baseline = Stroke.from_samples(list(heads.values()), tolerance=0.001)
lean = Stroke.from_samples([heads["Hips"], heads["Spine1"] + [0.03, 0, 0], heads["Neck"] + [0.14, -0.02, 0],
                            heads["Head"] + [0.2, -0.04, 0]], tolerance=0.001)  # fmt: skip
leaning = posed_by_strokes(hero.skeleton, rest, baseline, offset=lean, radius=0.06)

edits = (
    Edits.of(hero)
    .with_stroke("across the chest", stroke)
    .with_shape("chest out", breath)
    .with_pose("lean", PoseEdit.between(hero.skeleton, rest, leaning))
    .with_layer(Layer.breathing("breath", "chest out", seconds=4.0 * walk.duration))
)
save_edits(edits, "hero.edits.json")  # beside the character: supple bake hero --vertices 5000 --edits hero.edits.json
edits = load_edits("hero.edits.json")
slanted = edits.with_layer(Layer.still("slant", "lean"))

times = [turn * walk.duration for turn in range(5)]  # the same step again and again, another moment of the breath
rows = []
with Renderer(hero.points, hero.triangles, size=SIZE, ground=False) as renderer:
    for played in (edits, slanted):
        character, motion = played.on(hero, walk, seconds=times[-1])
        player = supple.player(character, skin)
        frames = [player.play(motion, time) for time in times]
        row = []
        for time, points in zip(times, frames, strict=True):
            hips = motion.sample(time).world_from_joint[0, :3, 3]
            close = Camera(tuple(np.add(hips, [1.9, 0.35, 0.5])), tuple(np.add(hips, [0.0, 0.38, 0.0])))
            row.append(renderer.draw(points, camera=close))
        rows.append(row)
labels = ["Breathing while he walks", "The same breath, leaning along a stroke"]
captions = [f"{edits.amounts(time)['chest out']:.0%} of the breath" for time in times]
contact_sheet(rows, labels=labels, captions=captions, path="breathing.png")
