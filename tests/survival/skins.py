"""What soft skins survive: random starts, a twist and back, poses that make no sense, jumps, and places far away."""

from __future__ import annotations

import warnings

import numpy as np

import supple
from conftest import make_tube
from supple.errors import InputError, UnfinishedError
from supple.geometry import quaternions
from supple.skins.base import AnySkin, SoftSkin
from survival.rows import Row, counted

SMALL = {"position-based": {"tetrahedra": 300}, "contact": {"elements": 300}, "lattice": {"resolution": 16}}
TRAINED = ("curves", "curve-dynamics")  # which play what they were trained on
FLESH = ("points", "positions", "displacements", "velocities", "node_velocities")
BONES = (".body.positions", ".body.velocities")  # of contact, whose skeleton moves
_RECOVERY, _FPS, _NEAR = 3.0, 30.0, 0.01  # [s], [1/s], of the size


def soft_skins() -> dict[str, AnySkin]:
    """Every skin with a memory that needs no training, small."""
    kinds = {name: kind for name, kind in supple.SKINS.items() if name not in TRAINED and issubclass(kind, SoftSkin)}
    return {name: kind(**SMALL.get(name, {})) for name, kind in kinds.items()}


def settled(player: supple.Player, pose: supple.Pose, seconds: float) -> np.ndarray:
    """The points after a pose was held."""
    points = np.zeros(0)
    for _ in range(round(seconds * _FPS)):
        points = player.advance(pose, 1.0 / _FPS)
    return points


def random_starts(tries: int) -> list[Row]:
    """Flesh thrown about at random, to half the size of the body and as fast in a second, in a pose that is held."""
    tube = make_tube(rings=17, sectors=10)
    rest = supple.Pose(tube.skeleton.world_from_joint)
    size = float(np.linalg.norm(np.ptp(tube.points, axis=0)))
    found = []
    for name, skin in soft_skins().items():
        player = supple.player(tube, skin)
        wanted = settled(player, rest, 1.0).copy()
        kept = player.snapshot()

        def attempt(number: int, player=player, kept=kept, wanted=wanted) -> str:
            rng = np.random.default_rng(number)
            thrown = dict(kept)
            for key, values in kept.items():
                flesh = ".state." in key and key.rpartition(".")[2] in FLESH and ".handles." not in key
                if flesh and not key.endswith(BONES) and values.ndim == 2 and values.shape[1] == 3:
                    thrown[key] = (values + rng.uniform(-0.5, 0.5, values.shape) * size).astype(values.dtype)
            player.restore(thrown)
            points = settled(player, rest, _RECOVERY)
            if not np.isfinite(points).all():
                return "not finite"
            far = float(np.abs(points - wanted).max()) / size
            return "" if far < _NEAR else f"not back within 1 % after {_RECOVERY:g} s"

        found.append(counted(f"random start, {name}", tries, attempt))
    return found


def twists() -> Row:
    """A turn of 360 degrees about the bone in two seconds and back: half the volume at least, and all of it after."""
    from supple.measure.volume import volume_ratio

    tube = make_tube(rings=17, sectors=10)
    skins = soft_skins()
    names = list(skins)
    size = float(np.linalg.norm(np.ptp(tube.points, axis=0)))

    def attempt(number: int) -> str:
        player, least = supple.player(tube, skins[names[number]]), 1.0
        start = settled(player, supple.Pose(tube.skeleton.world_from_joint), 1.0).copy()
        for turn in [*np.linspace(0.0, 2.0 * np.pi, 60), *np.linspace(2.0 * np.pi, 0.0, 60)]:
            rotation = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], float(turn))
            points = player.advance(supple.Pose.from_rotations(tube.skeleton, {"bone1": rotation}), 1.0 / _FPS)
            if not np.isfinite(points).all():
                return f"{names[number]}: not finite"
            least = min(least, float(volume_ratio(points[None], tube.points, tube.triangles)[0]))
        points = settled(player, supple.Pose(tube.skeleton.world_from_joint), _RECOVERY)
        if least < 0.5:
            return f"{names[number]}: {least:.2f} of the volume at its least"
        far = float(np.abs(points - start).max()) / size
        return "" if far < _NEAR else f"{names[number]}: {far:.1%} of the size away after {_RECOVERY:g} s"

    return counted("a twist of 360 degrees and back, every soft skin", len(names), attempt)


def bad_poses() -> Row:
    """A pose that is no pose: refused in words, or the skin stays finite and goes on with the next good one."""
    tube = make_tube(rings=17, sectors=10)
    rest = tube.skeleton.world_from_joint
    cases = {}
    for label, value in (("NaN", np.nan), ("infinity", np.inf)):
        cases[label] = rest.copy()
        cases[label][1, 0, 3] = value
    cases["scale 0"] = rest.copy()
    cases["scale 0"][1, :3, :3] = 0.0
    cases["a jump of 100 m"] = rest.copy()
    cases["a jump of 100 m"][:, 0, 3] += 100.0
    cases["a turn of 180 degrees in a frame"] = rest.copy()
    cases["a turn of 180 degrees in a frame"][1, :3, :3] = np.diag([-1.0, 1.0, -1.0])
    skins = {name: kind(**SMALL.get(name, {})) for name, kind in supple.SKINS.items() if name not in TRAINED}
    tried = [(name, case) for name in skins for case in cases]

    def attempt(number: int) -> str:
        name, case = tried[number]
        player = supple.player(tube, skins[name])
        player.advance(supple.Pose(rest), 1.0 / _FPS)
        try:
            points = player.advance(supple.Pose(cases[case]), 1.0 / _FPS)
        except (InputError, UnfinishedError):
            points = tube.points  # refused in words
        after = settled(player, supple.Pose(rest), 0.5)
        return "" if np.isfinite(points).all() and np.isfinite(after).all() else f"{name}, {case}: not finite"

    return counted("poses with NaN, infinity, scale 0, jumps and half turns, every skin", len(tried), attempt)


def far_away(distance: float) -> Row:
    """A character far from the origin moves as it does at home, to what single precision has there."""
    tube = make_tube(rings=17, sectors=10)
    skins = {name: kind(**SMALL.get(name, {})) for name, kind in supple.SKINS.items() if name not in TRAINED}
    names = list(skins)
    bend = supple.motion("bend", tube)
    allowed = 16.0 * float(np.spacing(np.float32(distance)))

    def attempt(number: int) -> str:
        name = names[number]
        here, there = supple.player(tube, skins[name]), supple.player(tube, skins[name])
        worst = 0.0
        for frame in range(8):
            pose = bend.sample(frame / _FPS).world_from_joint
            moved = pose.copy()
            moved[:, 0, 3] += distance
            one = here.advance(supple.Pose(pose), 1.0 / _FPS).astype(np.float64)
            other = there.advance(supple.Pose(moved), 1.0 / _FPS).astype(np.float64)
            worst = max(worst, float(np.abs(other - one - [distance, 0.0, 0.0]).max()))
        return "" if worst <= allowed else f"{name}: {worst:.2g} m off"

    return counted(f"{distance:g} m from the origin (allowed {allowed:.2g} m), every skin", len(names), attempt)


def all_rows(tries: int) -> list[Row]:
    """All rows of this file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*random_starts(tries), twists(), bad_poses(), far_away(100.0), far_away(1e6)]
