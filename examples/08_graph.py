"""A graph: skins chained, and branches blended by a mask; saved as a file that people can read."""

import supple
from supple.graph import Mask

# Dual quaternions on the arms, linear blend elsewhere, and delta mush over both.
arms = Mask(part="left_arm", soften=8)
graph = supple.Graph.blend(supple.LinearBlend(), supple.DualQuaternion(), arms).then(supple.DeltaMush(iterations=6))
print(graph)

graph.save("arms.json")
assert supple.Graph.load("arms.json") == graph

hero = supple.character("hero", vertices=3000)
walk = supple.motion("walk", hero)
points = supple.player(hero, graph).play(walk, 0.5)
print(points.shape)
