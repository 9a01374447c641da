"""A skin: a way to move a character's surface. Settings have ranges, and know their units and labels."""

import numpy as np

import supple
from supple.settings import settings_of

hero = supple.character("hero", vertices=3000)
bend = supple.motion("bend", hero, joint="LeftForeArm", angle=np.radians(120.0), hold=True)

for skin in (supple.LinearBlend(), supple.DualQuaternion(), supple.RotationCenters(), supple.DeltaMush()):
    points = supple.player(hero, skin).play(bend, bend.duration)
    print(f"{type(skin).__name__:>16}: moved {np.linalg.norm(points - hero.points, axis=1).max():.3f} m at most")

for info in settings_of(supple.DeltaMush):
    print(f"{info.name:>16}: {info.label} (default {info.default!r})")

# The same arithmetic as a plain function on arrays.
transforms = bend.sample(bend.duration).skinning(hero.skeleton)
points = supple.linear_blend(hero.points, hero.weights, transforms)
print(points.shape, points.dtype)
