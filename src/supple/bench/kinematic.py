"""The plain skins on 100 000 vertices, beside Blender's modifiers on the same mesh, weights and poses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import supple
from supple import device as devices
from supple.bench.peers import blender
from supple.bench.rows import Row
from supple.bench.timing import Timing, once, timed
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.skins.base import AnySkin

VERTICES = 100_000
SMOOTHING = 5  # rounds, in delta mush and in Blender's corrective smooth alike


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """Two scenes: a tube whose every vertex has four influences, and the hero with its own weights.

    On a GPU there is no peer: Blender's modifiers run on the CPU.
    """
    devices.check_device(device)
    for scene, build in (("tube-100k-4-influences", _tube), ("hero-100k", _hero)):
        progress(f"{scene}: building")
        character, poses = build()
        peers = _blender_frames(character, poses, progress) if device == "cpu" else {}
        named = scene if device == "cpu" else f"{scene}-{device}"
        for what, skin in _skins():
            progress(f"{named}: {what}")
            yield from _skin_rows(
                named, what, partial(supple.player, character, skin, device=device), poses=poses, peers=peers
            )


def _skins() -> list[tuple[str, AnySkin]]:
    return [
        ("linear blend", supple.LinearBlend()),
        ("dual quaternion", supple.DualQuaternion()),
        ("rotation centers", supple.RotationCenters()),
        (f"delta mush, {SMOOTHING} rounds", supple.DeltaMush(iterations=SMOOTHING, base="linear")),
    ]


def _skin_rows(
    scene: str,
    what: str,
    bind: Callable[[], supple.Player],
    *,
    poses: list[Pose],
    peers: dict[str, tuple[Timing, float | None]],
) -> Iterator[Row]:
    made: list[supple.Player] = []
    yield Row.of("kinematic", scene, f"{what}: bind", timing=once(lambda: made.append(bind())))
    player = made[0]
    yield Row.of("kinematic", scene, f"{what}: first frame", timing=once(lambda: player.advance(poses[0])))
    rotation = iter(range(10**9))
    timing = timed(lambda: player.advance(poses[next(rotation) % len(poses)]), repeats=200)
    if what not in peers:
        yield Row.of("kinematic", scene, f"{what}: steady frame", timing=timing)
        return
    peer, apart = peers[what]
    note = f"the two results lie at most {apart:.1e} m apart" if apart is not None else ""
    yield Row.of(
        "kinematic",
        scene,
        f"{what}: steady frame",
        timing=timing,
        peer=blender.name(),
        peer_seconds=peer.seconds,
        note=note,
    )


def _blender_frames(
    character: Character, poses: list[Pose], progress: Callable[[str], None]
) -> dict[str, tuple[Timing, float | None]]:
    """Seconds per frame of Blender's modifiers, and how far its result lies from ours where the method is the same.

    What Blender needs for a change of pose without any modifier (the rig alone) is taken off.
    """
    if not blender.installed():
        progress("Blender is not installed: no peer; install supple[peers] to have it")
        return {}
    progress("Blender: building the same character")
    other = blender.BlenderCharacter(character)
    other.use(armature=False)
    idle = other.frame(poses).seconds
    found: dict[str, tuple[Timing, float | None]] = {}
    for what, skin in _skins():
        if what == "rotation centers":
            continue  # Blender has none
        progress(f"Blender: {what}")
        mush = isinstance(skin, supple.DeltaMush)
        other.use(armature=True, dual_quaternion=what == "dual quaternion", smoothing=SMOOTHING if mush else 0)
        timing = other.frame(poses)
        other.set_pose(poses[1])
        apart = None if mush else float(np.abs(other.points() - supple.player(character, skin).advance(poses[1])).max())
        found[what] = (Timing(timing.seconds - idle, timing.low - idle, timing.high - idle), apart)
    return found


def _hero() -> tuple[Character, list[Pose]]:
    hero = supple.character("hero", vertices=VERTICES)
    walk = supple.motion("walk", hero)
    return hero, [walk.sample(time) for time in np.linspace(0.0, walk.duration, 17)[:-1]]


def _tube() -> tuple[Character, list[Pose]]:
    """Every vertex blends its four nearest of 25 bones."""
    tube = supple.character("tube", vertices=VERTICES, bones=25)
    middles = 0.5 * (tube.skeleton.bones.starts + tube.skeleton.bones.ends)
    apart = np.linalg.norm(tube.points[:, None] - middles[None], axis=2)
    weights = supple.Weights.from_dense(1.0 / (1e-3 + apart**2), influences=4)
    bend = supple.motion("bend", tube)
    poses = [bend.sample(time) for time in np.linspace(0.0, bend.duration, 17)[:-1]]
    return tube.replace(weights=weights), poses
