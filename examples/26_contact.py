"""A ball hits the hero: the belly gives way, the bones answer, and the changed motion is kept with the skin."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import supple
from supple.obstacles import Free, Plane, Sphere

hero = supple.character("hero", vertices=1000)
motion = supple.motion("breathing", hero)

# What it meets: a floor, and a ball of 4 kg that is thrown at the chest and left to itself.
floor = Plane(name="floor", at=(0.0, -0.01, 0.0), friction=0.6)
ball = Sphere(name="ball", radius=0.1, at=(0.0, 1.2, 1.5), free=Free(mass=4.0, velocity=(0.0, 1.0, -6.0)))

# Muscles of a third of full strength follow the motion; the belly is soft.
skin = supple.ArticulatedContact(flesh="muscle, torso=fat", strength="0.3", elements=1500, obstacles=(floor, ball))

with TemporaryDirectory() as folder:
    path = Path(folder)
    cache = supple.bake(hero, motion, skin, path=path / "hit.supple", fps=30.0, end=0.8)
    pushed = np.abs(cache.bones - cache.poses)[:, :, :3, 3].max(axis=(1, 2))
    print(f"bones left the motion by up to {1000 * pushed.max():.0f} mm, {1000 * pushed[-1]:.0f} mm at the end")
    supple.save(cache.motion, path / "hit.bvh")  # the motion, as the ball changed it
    cache.save(path / "hit.glb")  # the skin, for other programs

# Built-in scenes are presets: a limp hero falls onto a floor.
fall = supple.ArticulatedContact.preset("fall", elements=800)
player = supple.player(hero, fall)
for frame in range(30):
    points = player.play(motion, frame / 30.0)
print(f"after {30 / 30:.1f} s the hero is {points[:, 1].max() - points[:, 1].min():.2f} m high")
print(f"and its hips are at {player.simulated_pose.world_from_joint[0, 1, 3]:.2f} m")
