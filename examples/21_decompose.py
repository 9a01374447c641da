"""A soft skin for a game engine: bake it, find bones that move the skin alike, and write a plain skinned mesh."""

import numpy as np

import supple
from supple.render import Camera, Renderer, contact_sheet

hero = supple.character("hero", vertices=1000)
walk = supple.motion("walk", hero)
bake = supple.bake(hero, walk, supple.PositionBased(tetrahedra=1500), fps=24.0)

alone = supple.decompose(bake, bones=30, rounds=8)
riding = supple.decompose(bake, bones=15, rounds=8, keep_skeleton=True)  # helpers on the hero's own skeleton
plain = supple.bake(hero, walk, supple.LinearBlend(), fps=24.0)
without = np.sqrt(np.mean(np.sum((plain.points - bake.points) ** 2, axis=2)))
print(f"linear blend on the hero's joints alone is off by {1000 * without:.1f} mm RMS")
for found in (alone, riding):
    print(found)
    worst = max(found.error.by_part, key=found.error.by_part.__getitem__)
    print(f"  worst part: {worst}, {1000 * found.error.by_part[worst]:.1f} mm RMS")

supple.save(alone.character(), "hero-bones.glb")  # skin and animation: opens in any engine
supple.save(riding.character(), "hero-helpers.glb")

size, frames = (260, 380), [0, 8, 16, 24]
rows = []
with Renderer(hero.points, hero.triangles, size=size) as renderer:
    for points in (bake.points, alone.points, riding.points):
        cameras = [Camera.framing(bake.points[frame], size=size, direction=(0.5, 0.15, 1.0)) for frame in frames]
        rows.append([renderer.draw(points[frame], camera=at) for frame, at in zip(frames, cameras, strict=True)])
contact_sheet(rows, labels=["bake", "30 bones", "own joints and 15 helpers"], path="decompose.png")
