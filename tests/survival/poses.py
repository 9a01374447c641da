"""Poses that ask too much: a full turn and back, poses that are none, jumps, and places far away."""

from __future__ import annotations

import numpy as np

import supple
from supple.errors import InputError, UnfinishedError
from supple.geometry.quaternions import quat_from_axis_angle
from supple.measure.volume import volume_ratio
from survival.flesh import FPS, NEAR, REST, TUBE, all_skins, away, held, soft_skins
from survival.rows import Said, Trial, simple

RECOVERY = 3.0  # [s]
ALLOWED = 8.0  # spacings of single precision


def twists() -> Trial:
    """A turn of 360 degrees about the bone in two seconds and back: half the volume at least, and all of it after."""
    skins = list(soft_skins().items())

    def attempt(number: int) -> Said:
        name, skin = skins[number]
        player, least = supple.player(TUBE, skin), 1.0
        start = held(player, REST, 1.0).copy()
        for turn in [*np.linspace(0.0, 2.0 * np.pi, 60), *np.linspace(2.0 * np.pi, 0.0, 60)]:
            rotation = quat_from_axis_angle([0.0, 1.0, 0.0], float(turn))
            points = player.advance(supple.Pose.from_rotations(TUBE.skeleton, {"bone1": rotation}), 1.0 / FPS)
            if not np.isfinite(points).all():
                return Said.of(f"{name}: not finite")
            least = min(least, float(volume_ratio(points[None], TUBE.points, TUBE.triangles)[0]))
        far = away(held(player, REST, RECOVERY), start)
        if least < 0.5:
            return Said.of(f"{name}: {least:.2f} of the volume at its least", least=least)
        lost = "" if far < NEAR else f"{name}: {far:.1%} of the size away after {RECOVERY:g} s"
        return Said.of(lost, least=least, left=far)

    told = lambda figures: f"least volume {min(figures['least']):.2f}"  # noqa: E731
    return Trial("a twist of 360 degrees and back, every soft skin", len(skins), simple(attempt), told=told)


def bad_poses() -> dict[str, np.ndarray]:
    """World transforms that no animator means, by name; the second joint's unless it says all."""
    rest = TUBE.skeleton.world_from_joint
    found = {}

    def case(label: str, where: object, value: object) -> None:
        found[label] = rest.copy()
        found[label][where] = value

    case("NaN", (1, 0, 3), np.nan)
    case("NaN in a turn", (1, 0, 0), np.nan)
    case("NaN everywhere", slice(None), np.nan)
    case("infinity", (1, 0, 3), np.inf)
    case("scale 0", (1, slice(3), slice(3)), 0.0)
    case("scale 1e6", (1, slice(3), slice(3)), 1e6 * np.eye(3))
    case("mirrored", (1, slice(3), slice(3)), np.diag([-1.0, 1.0, 1.0]))
    case("half a turn in a frame", (1, slice(3), slice(3)), np.diag([-1.0, 1.0, -1.0]))
    for distance in (100.0, 1e6):
        case(f"a jump of {distance:g} m", (slice(None), 0, 3), rest[:, 0, 3] + distance)
    return found


def nonsense() -> Trial:
    """A pose that is no pose: refused in words, or finite points; and three seconds after it all is as it was."""
    cases, skins = bad_poses(), all_skins()
    tried = [(name, case) for name in skins for case in cases]

    def attempt(number: int) -> Said:
        name, case = tried[number]
        player = supple.player(TUBE, skins[name])
        before = held(player, REST, 0.5).copy()
        try:
            points = player.advance(supple.Pose(cases[case]), 1.0 / FPS)
        except (InputError, UnfinishedError):
            points = TUBE.points  # refused in words
        try:
            after = held(player, REST, RECOVERY)
        except UnfinishedError as error:
            return Said.of(f"{name}, {case}: it does not go on ({error})")
        if not (np.isfinite(points).all() and np.isfinite(after).all()):
            return Said.of(f"{name}, {case}: not finite")
        far = away(after, before)
        return Said.of("" if far < NEAR else f"{name}, {case}: {far:.1%} of the size away after {RECOVERY:g} s")

    what = "poses with NaN, infinity, scale 0 and 1e6, mirrored, half turns and jumps, every skin: refused or finite, "
    return Trial(what + "and back after", len(tried), simple(attempt))


def teleports() -> Trial:
    """Thirty jumps to anywhere within a kilometre, one in each frame: finite all the while, and at home after."""
    skins = list(all_skins().items())

    def attempt(number: int) -> Said:
        name, skin = skins[number]
        rng, player = np.random.default_rng(number), supple.player(TUBE, skin)
        before = held(player, REST, 0.5).copy()
        for _ in range(30):
            moved = REST.world_from_joint.copy()
            moved[:, :3, 3] += rng.uniform(-1000.0, 1000.0, 3)
            if not np.isfinite(player.advance(supple.Pose(moved), 1.0 / FPS)).all():
                return Said.of(f"{name}: not finite")
        far = away(held(player, REST, RECOVERY), before)
        return Said.of("" if far < NEAR else f"{name}: {far:.1%} of the size away after {RECOVERY:g} s")

    return Trial("thirty jumps to anywhere within 1 km, every skin", len(skins), simple(attempt))


def far_away(distance: float) -> Trial:
    """A character far from the origin moves as it does at home, but for what single precision cannot hold there.

    Points are single precision, whose neighbours are `spacing` apart there: 7.6 micrometres at 100 m. A skin that loses
    nothing but the rounding of what it puts out is off by half of that; `ALLOWED` leaves it three of its 24 bits for
    what is rounded in between.
    """
    skins = list(all_skins().items())
    spacing = float(np.spacing(np.float32(distance)))

    def attempt(number: int) -> Said:
        name, skin = skins[number]
        bend = supple.motion("bend", TUBE)
        here, there = supple.player(TUBE, skin), supple.player(TUBE, skin)
        worst = 0.0
        for frame in range(16):
            pose = bend.sample(frame / FPS).world_from_joint
            moved = pose.copy()
            moved[:, 0, 3] += distance
            one = here.advance(supple.Pose(pose), 1.0 / FPS).astype(np.float64)
            other = there.advance(supple.Pose(moved), 1.0 / FPS).astype(np.float64)
            worst = max(worst, float(np.abs(other - one - [distance, 0.0, 0.0]).max()))
        lost = f"{name}: {worst:.2g} m off" if worst > ALLOWED * spacing else ""
        return Said.of(lost, spacings=worst / spacing)

    what = f"{distance:g} m from the origin, every skin, off by at most {ALLOWED:g} spacings of single precision there"
    told = lambda figures: f"{ALLOWED * spacing:.2g} m; worst {max(figures['spacings']):.2f}"  # noqa: E731
    return Trial(what, len(skins), simple(attempt), told=told)


def trials() -> list[Trial]:
    """All rows of this file."""
    return [twists(), nonsense(), teleports(), far_away(100.0), far_away(1e6)]
