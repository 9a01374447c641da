"""Position based skinning at the published sizes, its solve beside the C++ reference library, its search for contacts.

On the CPU a whole frame is one of a player: the kinematic skin, one step of the flesh, and the skin that follows it. On
a GPU the sweeps alone are timed, on a body that is worth one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import supple
from supple import device as devices
from supple.arrays import FloatArray
from supple.bench.peers import pypbd
from supple.bench.position_based_scenes import SCENES, Scene, actors
from supple.bench.rows import Row
from supple.bench.tables import position_based as tables
from supple.bench.timing import Timing, once, timed
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces, fill, volumes
from supple.skins.base import AnySkin
from supple.skins.position_based.body.constraints import Constraints, build_constraints
from supple.skins.position_based.body.tetrahedral_body import FleshBody, build_body
from supple.skins.position_based.published.projection import ProjectionSolver, Stiffness
from supple.skins.position_based.published.skin import PlaneContacts, PublishedPositionBased
from supple.skins.position_based.settings import Collision
from supple.skins.position_based.skin import PositionBased

ROOM = "position-based"
STEP = 0.01  # s, as published
ITERATIONS = 12
STRETCH = 0.1
SOLVES = {"5k": 5_000, "128k": 128_000}
SOLVE_ON_GPU = {"1M": 1_000_000}
TURNS = 3  # in which a frame and the peer's solve are timed one after the other; the least of each counts
NOISE = 0.05  # of a mean edge: how far particles stand from rest before a timed solve


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """Frames, solves and searches for contacts on the CPU; on a GPU solves alone."""
    if device != "cpu":
        yield from _solves_on_gpu(progress, devices.check_device(device))
        return
    for scene in SCENES:
        yield from _frames(scene, progress)
        if scene.detection is not None:
            yield _detection(scene, progress)
    yield from _solves(progress)
    if pypbd.installed():
        yield _frame_beside_solve(SCENES[0], progress)
    yield from tables.rows(progress)


# Whole frames


def _frames(scene: Scene, progress: Callable[[str], None]) -> Iterator[Row]:
    """Bind, first and steady frame: as published, with our settings alone, and with contacts, which come by default."""
    progress(f"{scene.name}: building")
    character, motion = actors(scene)
    size = _size(scene)
    for what, skin, published in _kinds(scene):
        progress(f"{scene.name}: {what}")
        made: list[supple.Player] = []
        times = (STEP * frame for frame in itertools.count())

        def bind(skin: AnySkin = skin, made: list[supple.Player] = made) -> None:
            made.append(supple.player(character, skin))

        def frame(times: Iterator[float] = times, made: list[supple.Player] = made) -> None:
            made[0].play(motion, next(times))

        yield Row.of(ROOM, scene.name, f"{what}: bind", timing=once(bind))
        yield Row.of(ROOM, scene.name, f"{what}: first frame", timing=once(frame))
        yield Row.of(
            ROOM,
            scene.name,
            f"{what}: steady frame",
            timing=timed(frame, repeats=200),
            published_seconds=published,
            note=size,
        )


def _kinds(scene: Scene) -> list[tuple[str, AnySkin, float | None]]:
    """What is timed, by which skin, and the published time for as much; published frames are without contacts."""
    size: dict[str, Any] = {"tetrahedra": scene.tetrahedra, "iterations": ITERATIONS, "step": STEP}
    both = None if scene.detection is None else scene.frame + scene.detection
    return [
        ("published order", PublishedPositionBased(**size, collision=PlaneContacts(contact="off")), scene.frame),
        ("default order", PositionBased(**size, collision=Collision(contact="off")), scene.frame),
        ("default order with contacts", PositionBased(**size), both),
    ]


def _size(scene: Scene) -> str:
    character, _ = actors(scene)
    body = _body(scene).constraints
    return (
        f"{len(character.points)} vertices, {len(body.corners)} tetrahedra, {len(body.ends)} edges, "
        f"{len(body.points)} particles, {len(character.skeleton)} bones"
    )


def _body(scene: Scene) -> FleshBody:
    character, _ = actors(scene)
    return build_body(character, count=scene.tetrahedra, weights="carried")


# Solves alone


def _solves(progress: Callable[[str], None]) -> Iterator[Row]:
    """The same volumes and edges, as often, here and in the reference library."""
    if not pypbd.installed():
        progress("pypbd is not installed: no peer; install supple[peers] to have it")
    for label, count in SOLVES.items():
        progress(f"solve, {label} tetrahedra")
        body = _hero_body(count)
        start = _shaken(body)
        ours, points = _solve(body, start)
        what = f"{ITERATIONS} iterations of {len(body.corners)} volumes and {len(body.ends)} edges"
        if not pypbd.installed():
            yield Row.of(ROOM, f"solve-{label}", what, timing=ours)
            continue
        progress(f"solve, {label} tetrahedra: pypbd")
        other = pypbd.ReferenceSolver(body, volume=1.0, stretch=STRETCH, iterations=ITERATIONS)
        theirs = other.frame(start)
        left = [_volume_error(body, found) for found in (points, other.solve(start))]
        note = (
            f"mean error of volume from {_volume_error(body, start):.1%} to {left[0]:.2%} here and {left[1]:.2%} there"
        )
        yield Row.of(
            ROOM, f"solve-{label}", what, timing=ours, peer=pypbd.name(), peer_seconds=theirs.seconds, note=note
        )


def _frame_beside_solve(scene: Scene, progress: Callable[[str], None]) -> Row:
    """A whole frame with default settings, contacts among them, beside the peer's bare solve of as many elements."""
    progress(f"{scene.name}: a whole frame beside the bare solve of pypbd")
    character, motion = actors(scene)
    player = supple.player(character, PositionBased(tetrahedra=scene.tetrahedra))
    times = (k / player.fps for k in itertools.count())
    body = _body(scene).constraints
    start = _shaken(body)
    other = pypbd.ReferenceSolver(body, volume=1.0, stretch=STRETCH, iterations=ITERATIONS)

    def frame() -> None:
        player.play(motion, next(times))

    turns = [(timed(frame, repeats=100), other.frame(start)) for _ in range(TURNS)]
    ours, theirs = (min(each, key=lambda timing: timing.seconds) for each in zip(*turns, strict=True))
    what = "whole default frame with contacts, beside volumes and edges alone"
    note = f"{_size(scene)}; there {ITERATIONS} iterations, the least of {TURNS} turns"
    return Row.of(ROOM, scene.name, what, timing=ours, peer=pypbd.name(), peer_seconds=theirs.seconds, note=note)


def _solve(body: Constraints, start: FloatArray) -> tuple[Timing, FloatArray]:
    """How long all iterations take from `start`, and where they end."""
    solver = ProjectionSolver(body, np.zeros(len(body.points)), devices.Constants("cpu"))
    sweeps = solver.sweeps(solver.tables())
    sweeps.set_stiffness(Stiffness(volume=1.0, bind=0.0, stretch=STRETCH))
    particles = _particles(start)

    def solve() -> None:
        devices.write(solver.particles, particles)
        for _ in range(ITERATIONS):
            sweeps.sweep()

    timing = timed(solve, repeats=200)
    return timing, devices.to_host(solver.particles)[:, :3].astype(np.float64)


def _solves_on_gpu(progress: Callable[[str], None], device: str) -> Iterator[Row]:
    """All iterations as one CUDA graph."""
    wp = devices.warp()
    for label, count in SOLVE_ON_GPU.items():
        progress(f"solve, {label} tetrahedra on {device}: filling the body")
        body = _hero_body(count)
        solver = ProjectionSolver(body, np.zeros(len(body.points)), devices.Constants(device))
        sweeps = solver.sweeps(solver.tables())
        sweeps.set_stiffness(Stiffness(volume=1.0, bind=0.0, stretch=STRETCH))
        start = _shaken(body)
        devices.write(solver.particles, _particles(start))
        sweeps.sweep()  # compiles and loads what the graph will hold
        with wp.ScopedCapture(device=device) as capture:
            for _ in range(ITERATIONS):
                sweeps.sweep()
        devices.write(solver.particles, _particles(start))
        wp.capture_launch(capture.graph)
        left = _volume_error(body, devices.to_host(solver.particles)[:, :3].astype(np.float64))

        def solve(graph: object = capture.graph) -> None:
            wp.capture_launch(graph)
            wp.synchronize_device(device)

        progress(f"solve, {label} tetrahedra on {device}")
        what = f"{ITERATIONS} iterations of {len(body.corners)} volumes and {len(body.ends)} edges"
        note = f"{wp.get_device(device).name}; mean error of volume from {_volume_error(body, start):.1%} to {left:.2%}"
        yield Row.of(ROOM, f"solve-{label}-gpu", what, timing=timed(solve, repeats=200), note=note)


def _hero_body(count: int) -> Constraints:
    hero, _ = actors(SCENES[0])
    return build_constraints(fill(hero.points, hero.triangles, count=count))


def _shaken(body: Constraints) -> FloatArray:
    noise = np.random.default_rng(0).standard_normal(body.points.shape)
    return np.asarray(body.points + NOISE * body.size * noise)


def _particles(points: FloatArray) -> FloatArray:
    return np.concatenate([points, np.ones((len(points), 1))], axis=1)


def _volume_error(body: Constraints, points: FloatArray) -> float:
    found = volumes(Tetrahedra(body.points, body.corners), points)
    return float(np.abs(found / body.rest_volumes - 1.0).mean())


# Contacts


def _detection(scene: Scene, progress: Callable[[str], None]) -> Row:
    """Finding what touches through a cycle of the motion, on demand, beside entering everything in every step."""
    from supple.skins.position_based.contact.collision import build_collision

    progress(f"{scene.name}: contacts")
    character, motion = actors(scene)
    body = _body(scene)
    solid = Tetrahedra(body.constraints.points, body.constraints.corners)
    contacts = build_collision(
        solid.points,
        solid.corners,
        boundary_faces(solid),
        joints=body.weights.joints[:, 0],
        skeleton=character.skeleton,
        motion=motion,
    )
    poses = [motion.sample(time) for time in np.arange(0.0, motion.duration, STEP)]
    positions = [
        _particles(np.asarray(supple.linear_blend(solid.points, body.weights, transforms), dtype=np.float64))
        for transforms in (pose.skinning(character.skeleton) for pose in poses)
    ]
    wp = devices.warp()
    particles = devices.to_device(positions[0], wp.vec4f, "cpu")

    def cycle() -> None:
        state = contacts.start()
        for position, pose in zip(positions, poses, strict=True):
            devices.write(particles, position)
            contacts.detect(particles, pose.world_from_joint, state)

    found = {}
    for full in (True, False):
        contacts.set_options(full=full)
        found[full] = _each(timed(cycle, repeats=20, warm_up=1), len(poses))
    return Row.of(
        ROOM,
        scene.name,
        "contacts found on demand",
        timing=found[False],
        peer="full hash",
        peer_seconds=found[True].seconds,
        published_seconds=scene.detection,
        note=f"mean of {len(poses)} steps of the {motion.name}",
    )


def _each(timing: Timing, count: int) -> Timing:
    """The time of one of `count` equal parts."""
    return Timing(timing.seconds / count, timing.low / count, timing.high / count)
