"""A pose: where every joint is at one moment."""

import numpy as np

import supple
from supple.geometry import quaternions

hero = supple.character("hero", vertices=3000)
rest = supple.Pose.rest(hero.skeleton)

# Turn joints away from rest in world axes; all that hangs below goes along.
quarter = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.radians(45.0))
arms_out = supple.Pose.from_rotations(hero.skeleton, {"LeftArm": quarter})
hand = hero.skeleton.index("LeftHand")
print("left hand at rest:", rest.world_from_joint[hand, :3, 3].round(2))
print("arm turned by 45 degrees:", arms_out.world_from_joint[hand, :3, 3].round(2))
