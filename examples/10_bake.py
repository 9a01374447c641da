"""A bake: every frame on disk. It survives a crash, is the same every time, and can be read while it is written."""

import supple
from supple.errors import InputError

hero = supple.character("hero", vertices=3000)
walk = supple.motion("walk", hero)

cache = supple.bake(hero, walk, supple.DualQuaternion(), path="hero.supple", fps=30.0)
print(cache)
print("points:", cache.points.shape, cache.points.dtype)

# Baking the same again takes no time: it is there. Killed half way, it would go on from where it was.
again = supple.bake(hero, walk, supple.DualQuaternion(), path="hero.supple", fps=30.0)
assert again.points.tobytes() == cache.points.tobytes()

# Something else under the same name is refused, in words.
try:
    supple.bake(hero, walk, supple.LinearBlend(), path="hero.supple", fps=30.0)
except InputError as error:
    print(error)
