"""Strokes, regions, picks and poses by hand: how long each takes as it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import supple
from supple.arrays import FloatArray
from supple.bench.rows import Row
from supple.bench.timing import timed
from supple.character.character import Character
from supple.edits import RegionEditing, encoded, outline, redrawn_silhouette, region_round
from supple.edits.strokes import Stroke, SurfaceStroke, View, pick, posed_by_strokes
from supple.geometry.collision.ray_casting import RayCaster
from supple.motion.pose import Pose
from supple.skins.base import Skin
from supple.skins.registry import SKINS

ROOM = "live"
FEW = 10_000
ENCODED = 13_000
RAYS = 100_000
REACH = 0.092  # of the height: a region of about 8 500 vertices of 100 000
_KINEMATIC = ("linear", "dual-quaternion", "rotation-centers", "delta-mush", "incremental", "springs")


def rows(progress: Callable[[str], None], *, many: int) -> Iterator[Row]:
    """All of it on a character of 10 000 vertices and on one of `many`."""
    for vertices in (FEW, many):
        progress(f"strokes on {vertices} vertices")
        yield from _stroke_rows(supple.character("hero", vertices=vertices))
    progress("poses by strokes")
    yield from _pose_rows(supple.character("hero", vertices=FEW))
    hero = supple.character("hero", vertices=ENCODED)
    for name in _KINEMATIC:
        progress(f"encoding an edit under {name}")
        yield _encoding_row(hero, name)


def _stroke_rows(hero: Character) -> Iterator[Row]:
    points, triangles, scene = hero.points, hero.triangles, f"hero-{len(hero.points)}"
    view, line = _seen(hero)

    def row(what: str, call: Callable[[], object], *, note: str = "", repeats: int = 15) -> Row:
        return Row.of(ROOM, scene, what, timing=timed(call, repeats=repeats, warm_up=2), note=note)

    moved = [points + 1e-4 * step for step in range(2)]
    turn = iter(range(10**9))
    yield row("pick one pixel, points moved", lambda: pick(moved[next(turn) % 2], triangles, view, pixels=line[:1]))
    yield row("draw a stroke on the skin", partial(SurfaceStroke.drawn, points, triangles, view, pixels=line))
    handles = SurfaceStroke.drawn(points, triangles, view, pixels=line).handles(triangles)
    find = partial(region_round, triangles, handles, points=points, reach=REACH * hero.height)
    yield row("find the region round it", find)
    region = find()
    free = f"{len(region.passive)} free vertices"
    yield row("prepare the region", partial(RegionEditing, points, triangles, region), note=free, repeats=5)
    editing = RegionEditing(points, triangles, region)
    targets = points[region.handles] + np.array([0.0, 0.0, 0.02])
    yield row("move its handles", partial(editing.moved, targets))
    yield row("outline", partial(outline, points, triangles, view))
    accent = _accent(hero, view)
    yield row("redraw the silhouette", partial(redrawn_silhouette, points, triangles, view, pixels=accent))
    caster = RayCaster(points, triangles)
    rng = np.random.default_rng(3)
    origins = rng.normal(size=(RAYS, 3)) * hero.size.max() + points.mean(axis=0)
    ways = points[rng.integers(0, len(points), RAYS)] + 0.05 * rng.normal(size=(RAYS, 3)) - origins
    yield row(f"cast {RAYS} rays, each from its own origin", partial(caster.cast, origins, ways), repeats=5)
    yield row("refit the hierarchy of boxes to moved points", partial(caster.refit, moved[1]))


def _pose_rows(hero: Character) -> Iterator[Row]:
    pose = Pose.rest(hero.skeleton)
    heads = pose.world_from_joint[:, :3, 3]
    arm = [hero.skeleton.index(name) for name in hero.skeleton.names if name.startswith("Left") and "Arm" in name]
    start, end = heads[arm[0]], heads[arm[-1]]
    along = np.linspace(0.0, 1.0, 20)[:, None]
    baseline = Stroke.from_samples(start + along * (end - start))
    raised = Stroke.from_samples(
        start + along * (end - start) + np.sin(np.pi * along / 2.0) * np.array([0.0, 0.2, 0.0])
    )
    call = partial(posed_by_strokes, hero.skeleton, pose, baseline, offset=raised)
    yield Row.of(ROOM, f"hero-{len(hero.points)}", "pose by strokes", timing=timed(call, repeats=40))


def _encoding_row(hero: Character, name: str) -> Row:
    walk, skin = supple.motion("walk", hero), SKINS[name]()
    pose = walk.sample(0.4)
    seen = supple.player(hero, skin).advance(pose).astype(np.float64)
    belly = hero.points.mean(axis=0) + np.array([0.0, 0.05, 0.1])
    near = np.exp(-((np.linalg.norm(hero.points - belly, axis=1) / 0.08) ** 2))
    wanted = seen + 0.02 * near[:, None] * np.array([0.0, 0.0, 1.0])
    assert isinstance(skin, Skin)
    timing = timed(lambda: encoded(hero, pose, wanted, skin=skin), repeats=7, warm_up=1)
    return Row.of(ROOM, f"hero-{len(hero.points)}", f"encode an edit under {name}", timing=timing)


def _seen(hero: Character) -> tuple[View, FloatArray]:
    """The hero from in front, and a line of pixels over its belly."""
    middle, size = 0.5 * (hero.points.max(axis=0) + hero.points.min(axis=0)), float(hero.size.max())
    view = View(tuple(middle + np.array([0.0, 0.0, 2.5 * size])), tuple(middle), 0.45, (720, 900))
    centre = hero.points.mean(axis=0)
    ends, _ = view.project(centre + np.array([[-0.17, 0.1, 0.0], [0.17, 0.12, 0.0]]))
    return view, np.linspace(ends[0], ends[1], 60)


def _accent(hero: Character, view: View) -> FloatArray:
    """A line of pixels a little outside the outline of the skull, from its top down one side."""
    edges = outline(hero.points, hero.triangles, view)
    pixels, _ = view.project(hero.points[edges].mean(axis=1))
    far = pixels[np.argmin(pixels[:, 1])]
    beside = pixels[(pixels[:, 0] > far[0]) & (pixels[:, 1] < far[1] + 0.05 * np.ptp(pixels[:, 1]))]
    near = beside[np.argmax(beside[:, 1])]
    return np.linspace(far, near, 30) + np.array([6.0, 0.0])
