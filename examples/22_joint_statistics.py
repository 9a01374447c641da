"""Finger joints where people have them: placed along a finger, and a rig held against what was measured."""

from pathlib import Path

import numpy as np

import supple
from supple.character.character import Character
from supple.character.proportions import HANDS, Proportions, check_joints, limb_axis, place_finger_joints, place_joints
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import quat_from_axis_angle
from supple.measure.proportions import finger_report

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


# A rigged finger set right. Its knuckles were modelled where people have them; its joints were put at thirds.
def make_finger(length: float = 0.08, sectors: int = 24) -> Character:
    """A finger along x with a knuckle at each joint of the mean finger, and joints at thirds of it."""
    along = np.linspace(-0.01, length, 90)
    knuckles = place_joints("index", [[0.0, 0.0, 0.0], [length, 0.0, 0.0]])[1:, 0]
    radius = 0.0075 + 0.0012 * np.exp(-(((along[:, None] - knuckles) / 0.004) ** 2)).sum(axis=1)
    radius *= np.sqrt(np.clip((length + 0.001 - along) / 0.008, 0.0, 1.0))
    angles = np.linspace(0.0, 2.0 * np.pi, sectors, endpoint=False)
    rings = np.stack([np.cos(angles), np.sin(angles)], axis=1)[None] * radius[:, None, None]
    points = np.concatenate([np.repeat(along, sectors)[:, None], rings.reshape(-1, 2)], axis=1)
    ring, sector = np.divmod(np.arange((len(along) - 1) * sectors), sectors)
    a, b = ring * sectors + sector, ring * sectors + (sector + 1) % sectors
    triangles = np.concatenate([np.stack([a, a + sectors, b], 1), np.stack([b, a + sectors, b + sectors], 1)])
    names = ["hand", "index_01", "index_02", "index_03", "index_04_tip"]
    heads = np.array([[-0.05, 0.0, 0.0], *([share * length, 0.0, 0.0] for share in (0.0, 1 / 3, 2 / 3, 1.0))])
    skeleton = Skeleton.from_heads(names, [-1, 0, 1, 2, 3], heads)
    # Weights that go from one bone to the next over 12 mm.
    passed = np.clip(0.5 + (points[:, :1] - heads[1:4, 0]) / 0.012, 0.0, 1.0)
    dense = np.concatenate([1.0 - passed[:, :1], passed - np.append(passed[:, 1:], np.zeros_like(passed[:, :1]), 1)], 1)
    weights = supple.Weights.from_dense(np.append(dense, np.zeros((len(points), 1)), axis=1))
    return Character(name="finger", points=points, triangles=triangles, skeleton=skeleton, weights=weights)


def sharpest_fold(finger: Character, joint: str) -> tuple[float, np.ndarray]:
    """Where along the finger [m] its inside folds most when one joint is bent by 80 degrees, and the bent skin."""
    pose = supple.Pose.from_rotations(finger.skeleton, {joint: quat_from_axis_angle([0.0, 0.0, 1.0], np.radians(80.0))})
    bent = supple.player(finger, supple.LinearBlend()).advance(pose)
    inside = bent.reshape(90, -1, 3)[:, 0]  # the line along the finger on the side that it bends to
    steps = np.diff(inside, axis=0)
    turns = np.degrees(np.arctan2(np.cross(steps[:-1, :2], steps[1:, :2]), (steps[:-1] * steps[1:]).sum(axis=1)))
    turns = np.convolve(turns, np.ones(5), mode="same")
    return float(finger.points.reshape(90, -1, 3)[1:-1, 0, 0][np.argmax(turns[3:-6]) + 3]), bent


finger = make_finger()
right = place_finger_joints(finger)  # as a command: supple place-joints finger.glb -o right.glb
print(
    f"outside what was measured: {len(finger_report(finger).outside)} segments, {len(finger_report(right).outside)} now"
)
knuckle = place_joints("index", [[0.0, 0.0, 0.0], [0.08, 0.0, 0.0]])[1, 0]
for name, rig in (("joints at thirds", finger), ("joints of people", right)):
    fold, bent = sharpest_fold(rig, "index_02")
    print(f"{name}: the skin folds {1000 * abs(fold - knuckle):.1f} mm from the knuckle")
