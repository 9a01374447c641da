"""Draws the pictures of docs/pose-space.md, curves.md and joint-statistics.md: python make_learnt.py [FOLDER]."""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from pathlib import Path

import numpy as np

import supple
from curves_diagram import curves_picture
from supple.geometry.quaternions import quat_from_axis_angle
from supple.render.camera import Camera
from supple.render.renderer import Renderer
from supple.render.sheet import contact_sheet, save_picture
from supple.skins.curves.beam.meeting import meet
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.network.curve_network import Network, curve_network
from supple.skins.curves.network.transfer import Transfer
from supple.skins.curves.published import sag
from supple.skins.examples import HostSkin
from supple.skins.pose_space import SkinExamples, fit_pose_space

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
SIZE = (400, 440)
FPS = 24.0
NAMES = ("linear blend", "learnt from other motions", "the flesh itself")
WIND = (0.0, 12.0, 0.0)
FINGERS = ("joints at thirds of the finger", "joints where people have them")
WINDS = ("no wind", "in a wind, a1 = 1", "in a wind, a1 = 4")
BALL = 0.045  # m
DEEP = 0.02  # m: how far the ball comes into the arm
TOUCHED = ("nothing in the way", "a ball: nodes alone are pushed out", "a ball: curves bend as beams")


def learnt(folder: Path) -> None:
    """The hero's jump, which was never shown: linear blend, what was learnt from four other motions, and the flesh."""
    hero = supple.character("hero", vertices=6000)
    bakes = [
        supple.bake(hero, supple.motion(name, hero), supple.PositionBased(), fps=FPS)
        for name in ("walk", "run-and-stop", "kick", "wave")
    ]
    jump = supple.motion("jump", hero)
    flesh = supple.bake(hero, jump, supple.PositionBased(), fps=FPS)
    model = fit_pose_space(hero, SkinExamples.of(*bakes), test=flesh)
    sys.stdout.write(f"{model.errors}\n")
    skins = (supple.LinearBlend(), supple.PoseSpaceDynamics(trained=model))
    shown = [*(supple.bake(hero, jump, skin, fps=FPS).points for skin in skins), flesh.points]
    rows = []
    for frame in (round(0.35 * len(flesh)), round(0.55 * len(flesh))):
        camera = Camera.framing(flesh.points[frame], size=SIZE, direction=(0.9, 0.2, 1.0))
        with Renderer(hero.points, hero.triangles, size=SIZE, ground=False) as renderer:
            rows.append([renderer.draw(points[frame], camera=camera).copy() for points in shown])
    save_picture(contact_sheet(rows, captions=NAMES), folder / "pose-space-jump.jpg")


def bent_arm() -> tuple[Network, Transfer, np.ndarray]:
    """The curves of an arm, how its skin follows them, and its skin where the elbow is bent."""
    arm = supple.character("arm", vertices=3000)
    network = curve_network(arm, nodes_per_vertex=0.25)
    pose = supple.Pose.from_rotations(arm.skeleton, {arm.skeleton.names[1]: quat_from_axis_angle([0, 0, 1], 0.9)})
    return network, Transfer.from_network(network), HostSkin(supple.DualQuaternion(), arm)(pose)


def beams(folder: Path) -> None:
    """An arm's curves in a bend: as learnt, under a wind that no example has, and stiffer under the same wind."""
    network, transfer, bent = bent_arm()
    pictures = []
    camera = Camera.framing(bent, size=SIZE, direction=(0.3, 0.3, 1.0))
    for bending in (None, 1.0, 4.0):
        blown = np.zeros((len(network), 3))
        for number, part in enumerate(network.parts if bending is not None else ()):
            load = sag(StaticBeam(part.nodes, bending), WIND)
            blown[network.starts[number] : network.starts[number + 1]] = np.tile(load, (part.curves, 1))
        moved = transfer.apply_to_base(bent, network.nodes(bent) + blown)
        sys.stdout.write(f"bending {bending}: {1000 * np.linalg.norm(moved - bent, axis=1).max():.1f} mm\n")
        pictures.append(curves_picture(network, points=moved, size=SIZE, camera=camera))
    save_picture(contact_sheet([pictures], captions=WINDS), folder / "curves-wind.jpg")


def meetings(folder: Path) -> None:
    """A ball in an arm's curves: nodes that are merely pushed out of it, and curves that meet it as beams."""
    network, transfer, bent = bent_arm()
    nodes = network.nodes(bent)
    longest = int(np.argmax([part.nodes * part.curves for part in network.parts]))
    own = nodes[network.starts[longest] : network.starts[longest + 1]]
    middle = own.mean(axis=0)
    front = own[np.argmax(((own - middle) * (0.0, 0.0, 1.0)).sum(axis=1) - np.abs(own[:, 0] - middle[0]))]
    center = front + np.array([0.0, 0.0, BALL - DEEP])

    def outside(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        away = points - center
        far = np.linalg.norm(away, axis=1)
        return far - BALL, away / far[:, None]

    pictures, camera = [], Camera.framing(bent, size=SIZE, direction=(0.9, 0.5, 0.6))
    for shown in TOUCHED:
        moved = np.zeros_like(nodes)
        for number, part in enumerate(network.parts if shown != TOUCHED[0] else ()):
            curves = nodes[network.starts[number] : network.starts[number + 1]].reshape(part.curves, part.nodes, 3)
            offsets = np.zeros_like(curves)
            for curve, offset in zip(curves, offsets, strict=True):
                if shown == TOUCHED[1]:
                    distances, normals = outside(curve)
                    offset[:] = np.maximum(-distances, 0.0)[:, None] * normals
                else:
                    offset[:] = meet(StaticBeam(part.nodes), curve, outside).offsets
            moved[network.starts[number] : network.starts[number + 1]] = offsets.reshape(-1, 3)
        skin = transfer.apply_to_base(bent, nodes + moved)
        far = np.linalg.norm(skin - bent, axis=1)
        inside = np.maximum(BALL - np.linalg.norm(skin - center, axis=1), 0.0)
        sys.stdout.write(f"{shown}: {(far > 1e-3).sum()} vertices give way, deepest in {1000 * inside.max():.1f} mm\n")
        pictures.append(curves_picture(network, points=skin, size=SIZE, camera=camera))
    save_picture(contact_sheet([pictures], captions=TOUCHED), folder / "curves-ball.jpg")


def fingers(folder: Path) -> None:
    """A finger whose knuckles are where people have them, bent with its joints at thirds and with people's joints."""
    example = Path(__file__).resolve().parents[2] / "examples" / "22_joint_statistics.py"
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:  # the example writes a file where it stands
        os.chdir(place)
        try:
            made = runpy.run_path(str(example))
        finally:
            os.chdir(before)
    rigs, shown = (made["finger"], made["right"]), []
    for rig in rigs:
        turn = quat_from_axis_angle([0.0, 0.0, 1.0], np.radians(80.0))
        pose = supple.Pose.from_rotations(rig.skeleton, {"index_02": turn})
        shown.append(supple.player(rig, supple.LinearBlend()).advance(pose).copy())
    camera = Camera.framing(np.concatenate(shown), size=SIZE, direction=(-0.35, -0.1, 1.0))
    pictures = []
    for rig, bent in zip(rigs, shown, strict=True):
        with Renderer(rig.points, rig.triangles, size=SIZE, ground=False) as renderer:
            pictures.append(renderer.draw(bent, camera=camera).copy())
    save_picture(contact_sheet([pictures], captions=FINGERS), folder / "joint-statistics-finger.jpg")


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    fingers(where)
    beams(where)
    meetings(where)
    learnt(where)
