"""Twist, bend, shoulder and hip of the hero by skins that hang on bones, beside the plain ones; and how they hang."""

import numpy as np

import supple
from supple.geometry.quaternions import quat_from_axis_angle
from supple.render import Camera, Renderer, contact_sheet, picture
from supple.skins.springs import attach

SIZE = (300, 300)
hero = supple.character("hero", vertices=3000)
skins = {
    "LinearBlend": supple.LinearBlend(),
    "DualQuaternion": supple.DualQuaternion(),
    "IncrementalRotation": supple.IncrementalRotation(),
    "SpringRig": supple.SpringRig(),
    "SpringRig, as published": supple.SpringRig.preset("published"),
}


def pose(**degrees_and_axes):
    """Joints turned by degrees about axes."""
    turns = {joint: quat_from_axis_angle(axis, np.radians(angle)) for joint, (angle, axis) in degrees_and_axes.items()}
    return supple.Pose.from_rotations(hero.skeleton, turns)


def seen_from(target, direction, width):
    """A camera that sees `width` metres round a target."""
    away = np.array(direction) / np.linalg.norm(direction)
    return Camera(tuple(np.add(target, 2.35 * width * away)), target)


elbow = pose(LeftForeArm=(-110, (0, 1, -1)))
twist = pose(LeftHand=(135, (1, -1, 0)))
shoulder = pose(LeftShoulder=(15, (0, 0, 1)), LeftArm=(100, (0, 0, 1)))
hip = pose(LeftUpLeg=(-90, (1, 0, 0)), LeftLeg=(110, (1, 0, 0)))
scenes = [
    (elbow, seen_from((0.37, 1.24, 0.0), (0.6, 0.2, 1.0), 0.5)),
    (twist, seen_from((0.5, 1.1, 0.0), (0.3, 0.2, 1.0), 0.5)),
    (shoulder, seen_from((0.18, 1.4, 0.0), (0.2, 0.1, 1.0), 0.62)),
    (hip, seen_from((0.1, 0.85, 0.15), (0.9, 0.2, 0.6), 1.0)),
]
players = [supple.player(hero, skin) for skin in skins.values()]
rows = []
with Renderer(hero.points, hero.triangles, size=SIZE, ground=False) as renderer:
    for posed, camera in scenes:
        rows.append([renderer.draw(player.advance(posed), camera=camera) for player in players])
contact_sheet(rows, captions=list(skins), path="expressive.png")

attachment = attach(hero)
lengths = np.linalg.norm(attachment.scale_vectors, axis=1)
print(f"attachment: vertices hang {lengths.mean():.3f} m from their bones")
rest = supple.Pose.rest(hero.skeleton)
picture(hero.points, hero.triangles, values=lengths, skeleton=(hero.skeleton, rest), path="attachment.png", size=SIZE)
