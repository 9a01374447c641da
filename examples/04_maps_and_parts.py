"""Maps are painted values per vertex, parts are named sets of vertices; skins and masks ask for them by name."""

import numpy as np

import supple

hero = supple.character("hero", vertices=3000)
flesh = hero.map_of("flesh")  # how much flesh lies over the bone [m]
for part in ("belly", "left_thigh", "left_shin"):
    print(f"{part:>10}: {1000 * np.median(flesh[hero.vertices_of(part)]):5.1f} mm of flesh")

# Paint another map, and name another part.
soft = np.clip(flesh / 0.05, 0.0, 1.0)
left = np.flatnonzero(hero.points[:, 0] > 0.0)
painted = hero.replace(maps={**hero.maps, "jiggle": soft}, parts={**hero.parts, "left half": left})
print(painted)
