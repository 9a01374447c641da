"""Finger joints where people have them: placed along a finger, and a rig held against what was measured."""

from pathlib import Path

import numpy as np

import supple
from supple.character.proportions import HANDS, Proportions, check_joints, limb_axis, place_joints

for finger in HANDS.limbs:
    shares = ", ".join(f"{s.mean:.3f} ({s.least:.3f} to {s.most:.3f})" for s in HANDS.statistics(finger))
    print(f"{finger}: {shares}")

# A finger with root and tip known: joints lie on the line between them.
knuckle, tip = np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.08])
joints = place_joints("index", [knuckle, tip])
print("index finger of 80 mm, joints at", np.round(1000.0 * joints[:, 2], 1), "mm")

# A finger of which only the skin is known: the axis is laid through the middle of its slices.
arm = supple.character("arm", vertices=3000)
axis = limb_axis(arm.points, arm.triangles, root=arm.skeleton.heads[0])
print(f"the arm's skin is {np.linalg.norm(np.diff(axis, axis=0), axis=1).sum():.3f} m long along its middle")

# Measurements of your own, for any limb: rows of lengths from root to tip, or a CSV file (these are made up).
Path("arms.csv").write_text("limb,upper arm,forearm,hand\narm,29.5,25.4,18.6\narm,31.0,26.8,19.3\narm,28.2,24.0,18.9\n")
mine = Proportions.read("arms.csv").with_rows("arm", [[30.1, 26.0, 19.0]])
report = check_joints(arm, {"arm": ["LeftArm", "LeftForeArm", "LeftHand"]}, measured=mine)
print(report)
