"""Draws the pictures of docs/position-based.md anew: python docs/figures/make_position_based.py [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import supple
from supple.geometry import quaternions
from supple.render.camera import Camera
from supple.render.renderer import Renderer
from supple.render.sheet import contact_sheet, save_picture

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
SIZE = (400, 440)


def played(character, motion, skin, time, *, fps=60.0):
    """The skin (V, 3) [m] at a time of a motion that is played from its start."""
    player = supple.player(character, skin, fps=fps)
    for frame in range(round(time * fps)):
        player.play(motion, frame / fps)
    return player.play(motion, time)


def drawn(character, points, camera):
    with Renderer(character.points, character.triangles, size=SIZE, ground=False) as renderer:
        return renderer.draw(points, camera=camera)


def shoulders():
    """Raised arms, from the front and from behind."""
    hero = supple.character("hero")
    jump = supple.motion("jump", hero)
    skins = {
        "linear blend": supple.LinearBlend(),
        "dual quaternions": supple.DualQuaternion(),
        "position based": supple.PositionBased(),
    }
    posed = {name: played(hero, jump, skin, 1.0) for name, skin in skins.items()}
    joints = jump.sample(1.0).world_from_joint[:, :3, 3]
    middle = joints[[hero.skeleton.index(name) for name in ("LeftArm", "RightArm", "Head")]].mean(axis=0)
    around = middle + np.array([[x, y, z] for x in (-0.34, 0.34) for y in (-0.3, 0.32) for z in (-0.3, 0.3)])
    rows = []
    for direction in ((0.25, 0.12, 1.0), (-0.35, 0.25, -1.0)):
        camera = Camera.framing(around, size=SIZE, direction=direction)
        rows.append([drawn(hero, points, camera) for points in posed.values()])
    return contact_sheet(rows, captions=list(posed))


def elbow():
    """A deep bend, and the same cut open through both bones."""
    arm = supple.character("arm")
    bend = supple.motion("bend", arm, angle=np.radians(130.0), hold=True)
    skins = {
        "linear blend": supple.LinearBlend(),
        "without contact": supple.PositionBased(contact="off"),
        "with contact": supple.PositionBased(),
    }
    posed = [played(arm, bend, skin, bend.duration) for skin in skins.values()]
    shoulder, joint, hand = bend.sample(bend.duration).world_from_joint[:3, :3, 3]
    aside = quaternions.normalize(np.cross(shoulder - joint, hand - joint))
    camera = Camera.framing(
        np.stack([0.5 * (shoulder + joint), joint, hand]), size=SIZE, direction=tuple(aside), margin=1.9
    )
    frame = np.stack([joint, quaternions.normalize(shoulder + hand - 2.0 * joint), aside])
    return contact_sheet(
        [[drawn(arm, points, camera) for points in posed], [cut_open(arm, points, frame) for points in posed]],
        captions=list(skins),
    )


def cut_open(character, points, frame):
    """Where a plane cuts the skin: what the first joint carries in blue, the rest in red."""
    joint, up, aside = frame
    across = np.cross(up, aside)
    corners = points[character.triangles].astype(float) - joint
    high = corners @ aside
    image = Image.new("RGB", SIZE, "#f0f1f3")
    pen = ImageDraw.Draw(image)
    first = character.weights.joints[character.triangles][:, :, 0] == 0
    for triangle in np.flatnonzero((high.min(axis=1) < 0.0) & (high.max(axis=1) > 0.0)):
        ends = []
        for one, other in ((0, 1), (1, 2), (2, 0)):
            a, b = high[triangle, one], high[triangle, other]
            if (a < 0.0) != (b < 0.0):
                ends.append(corners[triangle, one] + a / (a - b) * (corners[triangle, other] - corners[triangle, one]))
        positions = [
            (SIZE[0] * (0.5 + 4.5 * float(end @ across)), SIZE[1] * (0.8 - 4.5 * float(end @ up))) for end in ends
        ]
        pen.line(positions, fill="#1f5499" if first[triangle].sum() > 1 else "#b04024", width=3)
    return np.asarray(image)


def twist_and_bend():
    """The tube one second after the motion has stopped."""
    tube = supple.character("tube")
    skins = {
        "linear blend": supple.LinearBlend(),
        "dual quaternions": supple.DualQuaternion(),
        "position based": supple.PositionBased(gravity=0.0),
    }
    rows = []
    for name in ("twist", "bend"):
        motion = supple.motion(name, tube, hold=True)
        posed = [played(tube, motion, skin, motion.duration + 1.0) for skin in skins.values()]
        camera = Camera.framing(np.concatenate(posed), size=SIZE, direction=(0.3, 0.35, 1.0))
        rows.append([drawn(tube, points, camera) for points in posed])
    return contact_sheet(rows, captions=list(skins))


def pull():
    """A belly drawn out and pressed in, and fingers lifted, below the same without a hand."""
    hero = supple.character("hero", vertices=10000)
    rest = supple.Pose.rest(hero.skeleton)
    belly = int(np.linalg.norm(hero.points - np.array([0.0, 1.04, 0.3]), axis=1).argmin())
    finger = int(hero.points[:, 0].argmax())
    hands = [
        (belly, (0.0, 0.0, 0.15), (1.0, 0.25, 0.35), 0.35),
        (belly, (0.0, 0.0, -0.08), (1.0, 0.3, 0.5), 0.35),
        (finger, (0.03, 0.04, 0.03), (0.2, 0.4, 1.0), 0.12),
    ]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    columns = []
    for vertex, way, direction, half in hands:
        player = supple.player(hero, supple.PositionBased())
        free = player.advance(rest)
        player.pull(supple.Pull(vertex, to=free[vertex] + np.array(way)))
        for _ in range(60):
            held = player.advance(rest)
        camera = Camera.framing(hero.points[vertex] + half * corners, size=SIZE, direction=direction)
        columns.append([drawn(hero, points, camera) for points in (free, held)])
    captions = ["drawn out by 15 cm", "pressed in by 8 cm", "lifted by 6 cm"]
    return contact_sheet([list(row) for row in zip(*columns, strict=True)], captions=captions)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    suffix = ".png" if len(sys.argv) > 1 else ".jpg"
    for make in (shoulders, elbow, twist_and_bend, pull):
        save_picture(make(), folder / f"position-based-{make.__name__.replace('_', '-')}{suffix}")
