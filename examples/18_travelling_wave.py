"""A knock at one end of a tube runs along its skin: the bone there jerks once, and what the skin feels is painted."""

import numpy as np

import supple
from supple.render import Camera, Renderer, contact_sheet

tube = supple.character("tube", vertices=2500, bones=6)
tube = tube.replace(maps={"jiggle": np.ones(len(tube.points))})  # loose all over
skin = supple.SpringDynamics(frequency=6.0, damping=0.03, stiffness={"radius": 2.0, "twist": 0.05, "bones": 0.0})
player = supple.player(tube, skin, fps=120.0)
still = supple.player(tube, supple.SpringRig())
along = tube.skeleton.heads[-1] - tube.skeleton.heads[-2]


def knocked(time):
    """The last joint goes out along the tube by a tenth of its bone's length and back, within a tenth of a second."""
    world = tube.skeleton.world_from_joint.copy()
    world[-1, :3, 3] += 0.1 * np.sin(np.pi * np.clip(time / 0.1, 0.0, 1.0)) * along
    return supple.Pose(world)


size = (700, 170)
camera = Camera.framing(tube.points, size=size, direction=(0.0, 0.3, 1.0), margin=1.25)
rows, labels = [], []
with Renderer(tube.points, tube.triangles, size=size, ground=False) as renderer:
    for frame in range(61):
        pose = knocked(frame / 120.0)
        points = player.advance(pose)
        felt = np.linalg.norm(points - still.advance(pose), axis=1)
        if frame % 12 == 0:
            rows.append([renderer.draw(points, camera=camera, values=felt, limits=(0.0, 0.006))])
            labels.append(f"{1000 * frame // 120} ms")
contact_sheet(rows, labels=labels, path="travelling-wave.png")
