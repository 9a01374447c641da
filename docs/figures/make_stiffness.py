"""Draws docs/pictures/expressive-stiffness.jpg: what stiffness does to a hip, a shoulder, an elbow and a twisted hand.

Run it as `python docs/figures/make_stiffness.py PATH`.
"""

import math
import sys

import supple
from supple import IncrementalRotation, Pose, SpringRig
from supple.geometry import quaternions
from supple.render import Camera, Renderer, contact_sheet

SKINS = {
    "incremental rotation": IncrementalRotation(),
    "springs, firm: radius 20, twist 20": SpringRig(stiffness={"radius": 20.0, "twist": 20.0}),
    "springs": SpringRig(),
    "springs, taut": SpringRig.preset("taut"),
    "springs, published": SpringRig.preset("published"),
}
TURNS = {
    "LeftUpLeg": ([1.0, 0.0, 0.0], -100.0, (0.5, 0.1, 1.0), 0.34),
    "LeftArm": ([0.0, 0.0, 1.0], 70.0, (0.3, 0.1, 1.0), 0.3),
    "LeftForeArm": ([0.0, -1.0, 0.0], 110.0, (0.2, 0.5, 1.0), 0.22),
    "LeftHand": ([1.0, 0.0, 0.0], 150.0, (0.2, 0.4, 1.0), 0.22),
}
"""Joint: axis, angle [degree], from where it is seen, and how far [m] around the joint."""

hero = supple.character("hero", vertices=10000)
size = (300, 300)
rows = []
with Renderer(hero.points, hero.triangles, size=size, ground=False) as renderer:
    for skin in SKINS.values():
        player, row = supple.player(hero, skin), []
        for joint, (axis, degrees, direction, radius) in TURNS.items():
            turn = quaternions.quat_from_axis_angle(axis, math.radians(degrees))
            pose = Pose.from_rotations(hero.skeleton, {joint: turn})
            middle = pose.world_from_joint[hero.skeleton.index(joint), :3, 3]
            shown = middle + [[sign * radius * (axis == k) for k in range(3)] for axis in range(3) for sign in (-1, 1)]
            camera = Camera.framing(shown, size=size, direction=direction, margin=1.0)
            row.append(renderer.draw(player.advance(pose), camera=camera))
        rows.append(row)
contact_sheet(rows, labels=list(SKINS), path=sys.argv[1])
