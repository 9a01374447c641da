"""Draws docs/pictures/contact-base.jpg: a bent knee and a bent elbow of the contact skin on each kinematic skin below.

Run it as `python docs/figures/make_contact_base.py PATH`; it also prints what volume each bend loses.
"""

import sys

import numpy as np

import supple
from supple.geometry import quaternions
from supple.render import Camera, Renderer, contact_sheet
from supple.skins.contact.kinematic_base import BASES

FRAMES, BEND, SIZE = 45, np.radians(130.0), (300, 260)
JOINTS = {
    "LeftLeg": ((1.0, 0.0, 0.0), (1.0, 0.15, 0.2)),
    "LeftForeArm": ((0.0, -1.0, 0.0), (0.1, 1.0, 0.35)),
}  # axis, and from where it is seen

hero = supple.character("hero", vertices=8000)


def volume(points):
    a, b, c = np.moveaxis(points[hero.triangles], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


rows = []
with Renderer(hero.points, hero.triangles, size=SIZE, ground=False) as renderer:
    for joint, (axis, seen_from) in JOINTS.items():
        row = []
        near = np.linalg.norm(hero.points - hero.skeleton.heads[hero.skeleton.index(joint)], axis=1) < 0.13
        for base in BASES:
            skin = supple.ArticulatedContact(base=base, elements=4000, strength=1.0, root_strength=1.0, gravity=0.0)
            player = supple.player(hero, skin)
            for frame in range(FRAMES):
                turned = quaternions.quat_from_axis_angle(np.array(axis), BEND * min(frame / 30.0, 1.0))
                points = player.advance(supple.Pose.from_rotations(hero.skeleton, {joint: turned}))
            lost = 1e3 * (volume(hero.points) - volume(points.astype(float)))
            sys.stdout.write(f"{joint} on {base} loses {lost:.2f} l\n")
            camera = Camera.framing(points[near], size=SIZE, direction=seen_from, margin=1.05)
            row.append(renderer.draw(points, camera=camera))
        rows.append(row)
contact_sheet(rows, captions=list(BASES), path=sys.argv[1])
