"""Spring rigs at the published sizes, beside Blender's corrective smooth, and their growth up to a million vertices.

The scenes are tubes made by arithmetic alone, so that they need neither a mesher nor files, and the hero, who folds at
hips and shoulders as he runs. Dragged handles come last (`expressive_edits`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

import supple
from supple import device as devices
from supple.bench.peers import blender
from supple.bench.rows import Row
from supple.bench.timing import Timing, once, timed
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry import quaternions
from supple.geometry.topology import triangulate
from supple.graph.player import Player
from supple.motion.pose import Pose
from supple.skins.springs.incremental_rotation import IncrementalRotation
from supple.skins.springs.spring_dynamics import SpringDynamics
from supple.skins.springs.spring_rig import SpringRig

ROOM = "expressive"
ITERATIONS = (1, 25, 50, 100)
PUBLISHED: tuple[tuple[str, int, int, tuple[float, ...]], ...] = (
    ("box", 4, 1802, (0.01, 0.28, 0.54, 1.10)),
    ("plus", 17, 5634, (0.01, 0.34, 0.59, 1.27)),
    ("human", 85, 10774, (0.02, 0.42, 0.84, 1.50)),
    ("chibi", 36, 16314, (0.02, 0.53, 0.91, 1.78)),
    ("armadillo", 19, 90000, (0.03, 0.77, 1.59, 3.04)),
)
"""Mesh, bones, vertices and milliseconds of 1, 25, 50 and 100 iterations by compute shaders [Toothman2020]."""
GROWTH = (2_000, 10_000, 50_000, 200_000, 1_000_000)
SOLVED = (("factored", 25), ("factored", 50), ("factored", 68), ("factored", 100), ("sweeps", 25), ("sweeps", 50))
HERO = 10_774  # vertices, as many as the published human has
SMOOTHING = 5  # rounds of Blender's corrective smooth
PEER_SCENE = "human"


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """The published sizes and the growth on one device, and dragged handles on the CPU, where they are solved."""
    from supple.bench import expressive_edits  # which builds its regions from the limbs of this file

    devices.check_device(device)
    for name, bones, vertices, published in PUBLISHED:
        scene = f"{name}-{vertices}-{bones}-bones" + ("" if device == "cpu" else f"-{device}")
        progress(f"{scene}: building")
        character, poses = limb(vertices, bones)
        peer = _smoothing_in_blender(character, poses, progress) if name == PEER_SCENE and device == "cpu" else None
        yield from _scene_rows(scene, character, poses, published=published, peer=peer, device=device)
    if device == "cpu":
        yield from _hero_rows(progress)
    for vertices in GROWTH:
        progress(f"growth: {vertices} vertices")
        yield _growth_row(vertices, device)
    if device == "cpu":
        yield from expressive_edits.rows(progress)


def _scene_rows(
    scene: str,
    character: Character,
    poses: list[Pose],
    *,
    published: tuple[float, ...],
    peer: Timing | None,
    device: str,
) -> Iterator[Row]:
    made: list[Player] = []
    bind = once(lambda: made.append(Player(character, IncrementalRotation(), device=device)))
    yield Row.of(ROOM, scene, "incremental rotation: bind", timing=bind)
    yield Row.of(ROOM, scene, "incremental rotation: steady frame", timing=_steady(made[0], poses))
    for iterations, milliseconds in zip(ITERATIONS, published, strict=True):
        skin = SpringRig(iterations=iterations, solver="sweeps", base="rigid")
        what, known = f"springs, {iterations} sweeps", 1e-3 * milliseconds
        timing = _steady(Player(character, skin, device=device), poses)
        beside = peer if iterations == 50 else None
        note, name = "", None
        if beside is not None:
            note = f"{timing.seconds / beside.seconds:.1f} times the cost of {SMOOTHING} rounds of corrective smooth"
            name = f"{blender.name()}, corrective smooth"
        yield Row.of(
            ROOM,
            scene,
            f"{what}: steady frame",
            timing=timing,
            published_seconds=known,
            note=note,
            peer=name,
            peer_seconds=None if beside is None else beside.seconds,
        )
        alone = _sweeps_alone(skin, character, poses[3], device)
        yield Row.of(ROOM, scene, f"{what}: the sweeps alone", timing=alone, published_seconds=known)
    if device == "cpu":
        yield from _solver_rows(scene, character, poses, peer=peer)
    yield _dynamics_row(scene, character, poses, peer=peer, device=device)


def _solver_rows(scene: str, character: Character, poses: list[Pose], *, peer: Timing | None) -> Iterator[Row]:
    """Both ways to the balance of the usual springs: how long each takes, and how far from it all is then."""
    for solver, iterations in SOLVED:
        skin = SpringRig(solver=solver, iterations=iterations)
        timing = _steady(Player(character, skin), poses)
        rms, most = _residual(skin, character, poses[3::3])
        note, seconds = f"residual {1e6 * rms:.2f} um rms, {1e6 * most:.1f} um at most", None
        if peer is not None:
            note += f"; {timing.seconds / peer.seconds:.1f} times the cost of {SMOOTHING} rounds of corrective smooth"
            seconds = peer.seconds
        name = None if peer is None else f"{blender.name()}, corrective smooth"
        what = f"springs, {solver}, {iterations} iterations: steady frame"
        yield Row.of(ROOM, scene, what, timing=timing, note=note, peer=name, peer_seconds=seconds)


def _residual(skin: SpringRig, character: Character, poses: list[Pose]) -> tuple[float, float]:
    """What pulls are left per stiffness of all springs [m], by root mean square and at most."""
    binding = skin.bind(character, "cpu")
    state = skin.allocate(binding)
    off = []
    for pose in poses:
        skin.deform(binding, state, pose, None)
        forces = devices.to_host(skin.forces(binding, state))
        off.append(np.linalg.norm(forces, axis=1) / np.maximum(state.springs.tuned.total, 1e-12))
    return float(np.sqrt(np.square(off).mean())), float(np.max(off))


def _hero_rows(progress: Callable[[str], None]) -> Iterator[Row]:
    """A body that runs and stops: its folds are what solvers find hard."""
    progress("hero: building")
    hero = supple.character("hero", vertices=HERO)
    motion = supple.motion("run-and-stop", hero)
    poses = [motion.sample(float(time)) for time in np.linspace(0.05, 1.2, 12)]
    scene, peer = f"hero-{len(hero.points)}", _smoothing_in_blender(hero, poses, progress)
    yield from _solver_rows(scene, hero, poses, peer=peer)
    yield _dynamics_row(scene, hero, poses, peer=peer, device="cpu")


def _dynamics_row(scene: str, character: Character, poses: list[Pose], *, peer: Timing | None, device: str) -> Row:
    """A frame of a sixtieth of a second, which is two steps, of skin that is loose everywhere."""
    loose = character.replace(maps={"jiggle": np.ones(len(character.points))})
    timing = _steady(Player(loose, SpringDynamics(), device=device), poses)
    note, name = "", None
    if peer is not None:
        note = f"{timing.seconds / peer.seconds:.1f} times the cost of {SMOOTHING} rounds of corrective smooth"
        name = f"{blender.name()}, corrective smooth"
    seconds = None if peer is None else peer.seconds
    what = "spring dynamics: steady frame"
    return Row.of(ROOM, scene, what, timing=timing, note=note, peer=name, peer_seconds=seconds)


def _sweeps_alone(skin: SpringRig, character: Character, pose: Pose, device: str) -> Timing:
    """The sweeps of a frame without posing the bones and without bringing the points back, as published figures are."""
    wp = devices.warp()
    binding = skin.bind(character, device)
    state = skin.allocate(binding)
    skin.deform(binding, state, pose, None)

    def sweep() -> None:
        state.sweeps.run(skin.iterations)
        wp.synchronize_device(device)

    return timed(sweep)


def _growth_row(vertices: int, device: str) -> Row:
    character, poses = limb(vertices, 19)
    timing = _steady(Player(character, SpringRig(solver="sweeps", base="rigid"), device=device), poses)
    each = timing.seconds / (50 * len(character.points))
    scene = "growth" if device == "cpu" else f"growth-{device}"
    what = f"springs, 50 sweeps, {vertices} vertices"
    return Row.of(ROOM, scene, what, timing=timing, note=f"{1e9 * each:.1f} ns per vertex and sweep")


def _steady(player: Player, poses: list[Pose]) -> Timing:
    """A frame as a user gets it: pose in, points out on the host."""
    frames = iter(range(10**9))
    return timed(lambda: player.advance(poses[next(frames) % len(poses)]), repeats=60, warm_up=3)


def _smoothing_in_blender(character: Character, poses: list[Pose], progress: Callable[[str], None]) -> Timing | None:
    """Seconds that corrective smooth alone takes: a frame with it, less the same frame without."""
    if not blender.installed():
        progress("Blender is not installed: no peer; install supple[peers] to have it")
        return None
    progress("Blender: building the same character")
    other = blender.BlenderCharacter(character)
    other.use(armature=True)
    plain = other.frame(poses).seconds
    other.use(armature=True, smoothing=SMOOTHING)
    both = other.frame(poses)
    return Timing(both.seconds - plain, both.low - plain, both.high - plain)


def limb(vertices: int, bones: int) -> tuple[Character, list[Pose]]:
    """A closed tube of about `vertices` vertices over a chain of `bones`, and a dozen poses that wave it."""
    radius, length = 0.1, 0.25 * bones
    sectors = max(8, round(math.sqrt(vertices * 2.0 * math.pi * radius / length)))
    rings = max(2, vertices // sectors)
    height, angle = np.linspace(0.0, length, rings), np.arange(sectors) * 2.0 * np.pi / sectors
    side = np.stack([radius * np.cos(angle), np.zeros(sectors), -radius * np.sin(angle)], axis=1)
    points = (side[None] + height[:, None, None] * [0.0, 1.0, 0.0]).reshape(-1, 3)
    ring, sector = (index.ravel() for index in np.meshgrid(np.arange(rings - 1), np.arange(sectors), indexing="ij"))
    across = (sector + 1) % sectors
    here, there = ring * sectors, (ring + 1) * sectors
    sides = triangulate(np.stack([here + sector, here + across, there + across, there + sector], axis=1))
    # Caps as strips to and fro: a fan would have a vertex with a hundred neighbours, which no character has.
    strip = np.stack([np.arange(sectors), sectors - 1 - np.arange(sectors)], axis=1).reshape(-1)[:sectors]
    low = np.stack([strip[:-2], strip[1:-1], strip[2:]], axis=1)
    low[1::2] = low[1::2, ::-1]
    caps = [low, low[:, ::-1] + (rings - 1) * sectors]
    heads = np.zeros((bones, 3))
    heads[:, 1] = 0.25 * np.arange(bones)
    names = [f"bone{bone}" for bone in range(bones)]
    skeleton = Skeleton.from_heads(names, np.arange(bones) - 1, heads, tails=heads + np.array([0.0, 0.25, 0.0]))
    own = np.clip((points[:, 1] / 0.25).astype(np.int32), 0, bones - 1)
    beyond = points[:, 1] / 0.25 - own - 0.5
    other = np.clip(own + np.where(beyond > 0.0, 1, -1), 0, bones - 1)
    weight = np.where(other == own, 0.0, np.abs(beyond))
    weights = Weights(np.stack([own, other], axis=1), np.stack([1.0 - weight, weight], axis=1))
    character = Character(points, np.concatenate([sides, *caps]).astype(np.int32), skeleton, weights, name="limb")
    return character, [_waving(skeleton, phase) for phase in np.linspace(0.0, 2.0 * np.pi, 13)[:-1]]


def _waving(skeleton: Skeleton, phase: float) -> Pose:
    rotations = {
        name: quaternions.quat_from_axis_angle([1.0, 0.6, 0.3], 0.35 * math.sin(phase + 0.7 * joint))
        for joint, name in enumerate(skeleton.names)
    }
    return Pose.from_rotations(skeleton, rotations)
