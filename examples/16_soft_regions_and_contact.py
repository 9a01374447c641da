"""Regions that go soft while the character plays, and a ball that presses the belly."""

import numpy as np

import supple
from supple.obstacles import Keys, Sphere

hero = supple.character("hero", vertices=2000)
jump = supple.motion("jump", hero)
belly = hero.parts["belly"]


def swing(start, end):
    """How far the belly swings between two times of the jump [mm]: flesh that may, against flesh that only settles."""
    times = np.arange(start, end, 1.0 / 30.0)
    away = [np.subtract(*(player.play(jump, time)[belly].mean(axis=0) for player in (lively, calm))) for time in times]
    return 1000.0 * np.linalg.norm(away, axis=1).max()


# One player, firm in the take-off and soft in the landing; nothing is bound again and the flesh does not jump.
lively = supple.player(hero, supple.PositionBased(tetrahedra=1500, regions="belly=1"))
calm = supple.player(hero, supple.PositionBased(tetrahedra=1500, jiggle=0.0))
print(f"belly=1, driven by the bones: swings by {swing(0.0, 1.2):.1f} mm")
lively.change(regions="belly=0", frequency=2.5)
print(f"belly=0, as soft as it gets:  swings by {swing(1.2, 2.6):.1f} mm")

# A ball comes from the front, presses the belly and goes away again. Time is counted from the first frame.
front = hero.points[belly][hero.points[belly][:, 2].argmax()]
near, far = np.add(front, (0.0, 0.0, 0.05)), np.add(front, (0.0, 0.0, 0.4))  # of the centre of a ball of 0.1 m
ball = Sphere(radius=0.1, at=Keys(times=[0.0, 0.5, 1.0, 1.5], places=[far, near, near, far]))
still = supple.Pose.rest(hero.skeleton)
player = supple.player(hero, supple.PositionBased(tetrahedra=1500, bodies=(ball,)), fps=30.0)
for frame in range(75):
    points = player.advance(still)
    if frame % 15 == 0:
        gap = np.linalg.norm(points - ball.world_from_body(frame / 30.0)[:3, 3], axis=1).min() - ball.radius
        pressed = 1000.0 * np.linalg.norm(points[belly] - hero.points[belly], axis=1).max()
        print(f"{frame / 30.0:.1f} s: belly pressed by {pressed:.1f} mm, ball {1000.0 * gap:+.1f} mm from the skin")
