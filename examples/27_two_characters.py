"""Two characters in one simulation: limp tubes that fly at each other tangle; a bake, and a film of it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import supple
from supple.geometry import quaternions
from supple.motion import combine_motions
from supple.render.bakes import BakeRenderer, View
from supple.render.film import Film, playable_suffix
from supple.render.quality import FILM

# One lies along x, the other one across, above it. Joined, they are one character on two roots.
tube = supple.character("tube", vertices=800, bones=6, radius=0.06)
across = quaternions.compose([0.05, 0.25, 0.1], quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], np.pi / 2.0))
both = supple.combine([tube, tube], names=["low", "high"], moves=[np.zeros(3), across])
print(both)


def flying(speed: float) -> supple.Motion:
    """A motion of the whole tube straight up [m/s]."""
    rest, straight = supple.Pose.rest(tube.skeleton), [0.0, 0.0, 0.0, 1.0]
    return supple.Motion.from_poses(
        tube.skeleton, lambda time: rest.moved(quaternions.compose([0.0, speed * time, 0.0], straight)), seconds=1.5
    )


# Who is limp and free (`strength` and `root_strength` 0) follows no motion: it is thrown as the motion begins.
motion = combine_motions([flying(1.0), flying(-1.0)], both)
skin = supple.ArticulatedContact(
    flesh="fat", strength="0", root_strength=0.0, gravity=0.0, limits="1.3", elements=2000, step=1.0 / 120.0
)

with TemporaryDirectory() as folder:
    cache = supple.bake(both, motion, skin, path=Path(folder) / "tangle.supple", fps=30.0)
    alone = supple.bake(both, motion, supple.LinearBlend(), fps=30.0)  # where the motion has them, through each other
    for name in ("low", "high"):
        own = both.parts[name]  # its own share of the skin
        heights = [float(one.points[-1, own, 1].mean()) for one in (alone, cache)]
        print(f"{name} would end at {heights[0]:+.2f} m, and was caught at {heights[1]:+.2f} m")
    film = Path(folder) / f"tangle{playable_suffix()}"
    view = View(size=(320, 240), camera="whole", ground=False, quality=FILM)
    who = np.zeros(len(both.points))
    who[both.parts["high"]] = 1.0  # each in a colour of its own
    with Film(film, fps=15.0) as reel, BakeRenderer(cache, view, values=who) as renderer:
        for picture in renderer.frames(range(0, cache.ready, 2)):
            reel.add(picture)
    print(f"{film.name}: {film.stat().st_size // 1024} kB")
