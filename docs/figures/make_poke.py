"""Draws docs/pictures/expressive-poke.jpg: a poke into a belly in `cartoon`, from in front and from behind.

Run it as `python docs/figures/make_poke.py PATH`.
"""

import sys

import numpy as np
from scipy.sparse.csgraph import dijkstra

import supple
from supple.render import Camera, Renderer, contact_sheet

SHOWN = (0, 4, 8, 14, 22, 32, 46, 64)  # frames of a hundred-and-twentieth of a second

hero = supple.character("hero", vertices=8000)
player = supple.player(hero, supple.SpringDynamics.preset("cartoon"), fps=120.0)
rest = supple.Pose.rest(hero.skeleton)
still = player.advance(rest).copy()
belly = int(np.abs(hero.points - [0.0, 1.05, 0.15]).sum(axis=1).argmin())
node = player._nodes[-1]
away = dijkstra(node.binding.edge_graph, indices=belly)
node.state.memory.velocities.numpy()[:, 2] -= 3.0 * np.clip(1.0 - away / 0.1, 0.0, 1.0)

size = (230, 300)
body = still[(still[:, 1] > 0.75) & (still[:, 1] < 1.5)]
cameras = [Camera.framing(body, size=size, direction=(x, 0.1, z), margin=1.0) for x, z in ((0.5, 1.0), (0.6, -1.0))]
rows = [[], []]
with Renderer(hero.points, hero.triangles, size=size, ground=False) as renderer:
    for frame in range(max(SHOWN) + 1):
        points = player.advance(rest)
        if frame in SHOWN:
            felt = np.linalg.norm(points - still, axis=1)
            for row, camera in zip(rows, cameras, strict=True):
                row.append(renderer.draw(points, camera=camera, values=felt, limits=(0.0, 0.008)))
contact_sheet(rows, labels=["in front", "behind"], path=sys.argv[1])
