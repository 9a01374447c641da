"""A player: steps a skin by hand, frame by frame; the only thing in Supple with a memory."""

import supple

hero = supple.character("hero", vertices=3000)
walk = supple.motion("walk", hero)
player = supple.player(hero, supple.DualQuaternion(), fps=60.0)

# Poses one by one, as they come from anywhere ...
for frame in range(3):
    points = player.advance(walk.sample(frame / 60.0))
    print(f"frame {frame}: nose at {points[points[:, 2].argmax()].round(3)}")

# ... or any time of a motion. Skins that need only the pose may be scrubbed.
later = player.play(walk, 2.0)
normals, creases = player.normals()
print(later.shape, normals.shape, len(creases))
player.reset()
