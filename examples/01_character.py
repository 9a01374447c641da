"""A character: a mesh, the skeleton inside it, and what ties the two together."""

import supple
from supple.errors import InputError

# Built-in characters are made by code, at any size; no file is needed.
hero = supple.character("hero", vertices=3000)
print(hero)
print(f"{hero.height:.2f} m tall, parts: {', '.join(hero.parts)}")

# A character is frozen. Derive another one; what did not change is shared.
giant = hero.replace(name="giant", points=hero.points * 2.0)
print(giant, f"{giant.height:.2f} m tall")
assert giant.triangles is hero.triangles

# What does not fit is refused at the door, in a sentence that says what to do.
try:
    hero.replace(triangles=[[0, 1, 999_999]])
except InputError as error:
    print(error)
