"""Hands on the skin while it plays: hold a place, push it, and let go."""

import numpy as np

import supple

hero = supple.character("hero", vertices=3000)
player = supple.player(hero, supple.LayeredLattice(resolution=40), fps=60.0)
pose = supple.Pose.rest(hero.skeleton)
rest = player.advance(pose)

belly = hero.parts["belly"]
front = int(belly[np.argmax(hero.points[belly][:, 2])])


def shown(frames):
    """Go on for some frames; how far the front of the belly is from its rest [mm]."""
    for _ in range(frames):
        points = player.advance(pose)
    return 1000.0 * (points[front] - rest[front])


# A mouse that drags: every movement is a new pull of the same place, and the hand comes after it in a moment.
for step in range(1, 31):
    player.pull(supple.Pull(front, to=rest[front] + np.array([0.0, 0.0, 0.004 * step]), radius=0.15))
    away = shown(1)
print("dragged to 120 mm:", away.round(1))
print("a moment later:   ", shown(30).round(1))

player.let_go()
swing = [shown(1)[2] for _ in range(60)]
print(f"let go: from {min(swing):.1f} to {max(swing):.1f} mm, and after a second at {swing[-1]:.1f} mm")

for force in (10.0, 20.0, 40.0):  # N, sideways
    player.pull(supple.Pull(front, force=(force, 0.0, 0.0), radius=0.15), hand="pusher")
    print(f"pushed by {force:.0f} N: {shown(90)[0]:.1f} mm")
player.let_go("pusher")
