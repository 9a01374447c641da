"""A motion: joint transforms over time, sampled at any moment."""

import numpy as np

import supple
from supple.geometry import quaternions
from supple.motion.live import NoisyMotion

hero = supple.character("hero", vertices=3000)

# Built-in motions are made for the character's own proportions.
walk = supple.motion("walk", hero)
print(walk)
head = hero.skeleton.index("Head")
for time in (0.0, 0.25, 10.0):  # it loops, and walks on
    print(f"head at {time:5.2f} s:", walk.sample(time).world_from_joint[head, :3, 3].round(2))

# Record your own from a function of time.
nod = supple.Motion.from_poses(
    hero.skeleton,
    lambda t: supple.Pose.from_rotations(
        hero.skeleton, {"Head": quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.3 * np.sin(6.0 * t))}
    ),
    seconds=2.0,
    name="nod",
)
print(nod, nod.resampled(24.0))

# Noise for testing: five centimetres on every joint, thirty times a second, the same every time.
noisy = NoisyMotion(walk, position=0.05, rate=30.0, seed=1)
print("head with noise:", noisy.sample(0.25).world_from_joint[head, :3, 3].round(2))
