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
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.network.curve_network import curve_network
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


def beams(folder: Path) -> None:
    """An arm's curves in a bend: as learnt, under a wind that no example has, and stiffer under the same wind."""
    arm = supple.character("arm", vertices=3000)
    network = curve_network(arm, nodes_per_vertex=0.25)
    transfer = Transfer.from_network(network)
    pose = supple.Pose.from_rotations(arm.skeleton, {arm.skeleton.names[1]: quat_from_axis_angle([0, 0, 1], 0.9)})
    bent = HostSkin(supple.DualQuaternion(), arm)(pose)
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
    learnt(where)
