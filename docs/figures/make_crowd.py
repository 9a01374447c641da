"""Draws docs/pictures/crowd-levels.jpg, and a film if it is told where to: python docs/figures/make_crowd.py [FILM].

Two hundred characters of four bodies walk, run and dance while an eye goes through them. On the left as they are, on
the right by level: flesh is dark red, what pose space has learnt from it orange, dual quaternion grey.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import supple
from supple.graph.crowds import Group, Level
from supple.motion import Cast
from supple.motion.crowd_field import crowd_field
from supple.render import Camera
from supple.render.crowds import CrowdRenderer
from supple.render.film import Film
from supple.render.sheet import contact_sheet, save_picture
from supple.skins.pose_space import SkinExamples, fit_pose_space

PICTURE = Path(__file__).resolve().parents[1] / "pictures" / "crowd-levels.jpg"
COUNT, VERTICES, RATE, SECONDS = 50, 1500, 24, 5.0  # members of a group, of which there are four
SIZE, SHOWN = (560, 420), (20, 72, 104)
BODIES = {"plain": (1.0, 1.0), "tall": (0.96, 1.12), "wide": (1.14, 0.97), "small": (0.85, 0.82)}
MATERIALS = {"plain": {}, "tall": {"jiggle": 0.5, "frequency": 5.0}, "wide": {"frequency": 2.2, "damping": 0.12}}
NEAR, MIDDLE = 5.0, 11.0  # m


def body(hero: supple.Character, wide: float, tall: float) -> supple.Character:
    """The same skin and joints with other proportions."""
    size, rest = np.array([wide, tall, wide]), hero.skeleton
    skeleton = supple.Skeleton.from_heads(rest.names, rest.parents, size * rest.heads, tails=size * rest.tails)
    return hero.replace(points=size * hero.points, skeleton=skeleton, maps={})


def levels(character: supple.Character, motions: list[supple.Motion], material: dict[str, float]) -> list[Level]:
    """Flesh for the six nearest, what is learnt from it for those behind, and dual quaternion."""
    flesh = supple.PositionBased(tetrahedra=1200, **material)
    bakes = [supple.bake(character, motion, flesh, fps=RATE) for motion in motions]
    learnt = supple.PoseSpace(trained=fit_pose_space(character, SkinExamples.of(*bakes)))
    return [Level(flesh, within=NEAR, most=6), Level(learnt, within=MIDDLE), Level(supple.DualQuaternion())]


def made() -> tuple[supple.Crowd, dict[str, Cast]]:
    """The crowd, and how everybody moves."""
    rng = np.random.default_rng(4)
    hero, groups, casts = supple.character("hero", vertices=VERTICES), {}, {}
    places = crowd_field(COUNT * len(BODIES), spacing=1.5, seed=4)
    for number, (name, size) in enumerate(BODIES.items()):
        character = body(hero, *size)
        motions = [supple.motion(what, hero).retarget(character) for what in ("walk", "dance", "wave")]
        groups[name] = Group(character, COUNT, levels(character, motions, MATERIALS.get(name, {})))
        sources = [motions[which] for which in rng.integers(0, len(motions), COUNT)]
        casts[name] = Cast(sources, rng.uniform(0.0, 3.0, COUNT), places[number :: len(BODIES)])
    return supple.Crowd(groups), casts


def main() -> None:
    crowd, casts = made()
    player = crowd.player(fps=RATE)
    film = Film(sys.argv[1], fps=RATE).__enter__() if len(sys.argv) > 1 else None
    rows, renderer = [], None
    for number in range(round(RATE * SECONDS)):
        time = number / RATE
        eye = np.array([0.0, 1.7, 5.0 - 2.2 * time])
        frame = player.play(casts, time, eye=eye)
        if film is None and number not in SHOWN:
            continue
        if renderer is None:
            renderer = CrowdRenderer(crowd, frame, size=SIZE)
        camera = Camera(tuple(eye), (0.0, 0.9, eye[2] - 6.0), view_angle=0.9)
        pair = [renderer.draw(frame, camera=camera, by_level=by_level) for by_level in (False, True)]
        if film is not None:
            film.add(np.concatenate(pair, axis=1))
        if number in SHOWN:
            rows.append(pair)
        counts = {name: np.bincount(frame.levels[name], minlength=3).tolist() for name in crowd.groups}
        changing = sum(int((frame.changes[name] < 1.0).sum()) for name in crowd.groups)
        sys.stdout.write(f"{time:.2f} s: {counts}, {changing} in a change\n")
        sys.stdout.flush()
    if film is not None:
        film.__exit__(None, None, None)
    save_picture(contact_sheet(rows), PICTURE)


if __name__ == "__main__":
    main()
