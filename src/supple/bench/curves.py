"""Curves at the published sizes, thirty frames at a time, and the hero under skins that learnt, beside their teacher.

The published figures are for solving the curves of thirty frames from examples that are known; so are those here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

import supple
from supple import device as devices
from supple.arrays import FloatArray
from supple.bench.rows import Row
from supple.bench.timing import Timing, once, timed
from supple.skins.base import AnySkin
from supple.skins.curves import CurveModel, fit_curves
from supple.skins.curves.beam.batch import CurveLoad, DynamicCurves, StaticCurves, dynamic_curves, static_curves
from supple.skins.curves.beam.dynamic import DynamicBeam
from supple.skins.curves.beam.finite_differences import Clamps
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.pose_space import PoseSpaceModel, fit_pose_space

ROOM = "curves"
FRAMES = 30
PUBLISHED: tuple[tuple[str, tuple[tuple[int, int], ...], float, float | None], ...] = (
    ("arm", ((22, 34),), 0.0169, 0.0155),
    ("horse-leg", ((32, 68),), 0.0949, 0.0864),
    ("horse-neck", ((32, 21),), 0.0095, None),
    ("horse-torso", ((32, 17),), 0.0064, None),
    ("horse-tail", ((32, 28),), 0.0162, None),
    ("horse", ((32, 68),) * 4 + ((32, 21), (32, 17), (32, 28), (33, 25)), 0.30, None),
)
"""Scene, curves and nodes of its parts, and seconds for thirty frames, dynamic and static [Chaudhry2015].

The horse has 11 641 nodes; what its other parts leave is given to the head."""
MASS = 0.01
HERO_VERTICES = 10_000


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """The published sizes on one device, and the hero's frame there."""
    found = devices.check_device(device)
    for name, parts, moving, still in PUBLISHED:
        progress(f"{name}: {FRAMES} frames")
        yield from _published(name, parts, moving, still, found)
    yield from _hero(progress, found)


def _published(
    name: str, parts: tuple[tuple[int, int], ...], moving: float, still: float | None, device: str
) -> Iterator[Row]:
    """Curves led from one example to another in thirty frames, at rest and in motion."""
    shapes = [shape for curves, nodes in parts for shape in _shapes(curves, nodes)]
    scene = f"{name}-{sum(len(shape) for shape in shapes)}-nodes" + ("" if device == "cpu" else f"-{device}")
    alpha = np.arange(1, FRAMES + 1) / FRAMES
    weights = np.stack([1.0 - alpha, alpha], axis=1)
    kinds = (("static", still, _static(shapes, device)), ("dynamic", moving, _dynamic(shapes, device)))
    for kind, published, curves in kinds:

        def play(curves: StaticCurves | DynamicCurves = curves) -> None:
            if isinstance(curves, DynamicCurves):
                curves.rest()
            curves.solve(weights)
            devices.warp().synchronize_device(device)

        timing = timed(play, repeats=200)
        last = devices.to_host(curves.shapes)[-curves.nodes :]
        whole = np.concatenate(shapes)
        off = np.abs(last - whole).max() / np.ptp(whole, axis=0).max()
        yield Row.of(
            ROOM,
            scene,
            f"{kind}: {FRAMES} frames",
            timing=timing,
            published_seconds=published,
            note=_note(published, timing, f"the last example is met to {off:.0e} of its height"),
        )


def _note(published: float | None, timing: Timing, off: str) -> str:
    return off if published is None else f"{published / timing.seconds:.0f} times as fast as published; {off}"


def _static(shapes: list[FloatArray], device: str) -> StaticCurves:
    beams = [StaticBeam(len(shape)) for shape in shapes]
    loads = [CurveLoad(beam.force(shape), Clamps.from_shape(shape)) for beam, shape in zip(beams, shapes, strict=True)]
    return static_curves(beams, [_nothing(shapes), loads], frames=FRAMES, device=device)


def _dynamic(shapes: list[FloatArray], device: str) -> DynamicCurves:
    beams = [DynamicBeam(len(shape), FRAMES, mass=MASS) for shape in shapes]
    loads = [CurveLoad(beam.force(shape), Clamps.from_shape(shape)) for beam, shape in zip(beams, shapes, strict=True)]
    return dynamic_curves(beams, [_nothing(shapes), loads], frames=FRAMES, device=device)


def _nothing(shapes: list[FloatArray]) -> list[CurveLoad]:
    return [CurveLoad(np.zeros((len(shape) - 2, 3)), Clamps.zero((3,))) for shape in shapes]


def _shapes(curves: int, nodes: int) -> list[FloatArray]:
    """Smooth bends (nodes, 3), another for every curve."""
    along = np.linspace(0.0, 1.0, nodes)[:, None]
    angles = 2.0 * np.pi * np.arange(curves) / curves
    aside = np.stack([np.cos(angles), np.sin(angles), 0.3 * np.cos(3.0 * angles)], axis=1)
    return [np.sin(np.pi * along + angle) * side * (1.0 + along) for angle, side in zip(angles, aside, strict=True)]


def _hero(progress: Callable[[str], None], device: str) -> Iterator[Row]:
    """The hero's walk: the skin that teaches, training, and the curves that play it."""
    progress("hero: baking the teacher")
    hero = supple.character("hero", vertices=HERO_VERTICES)
    walk = supple.motion("walk", hero)
    scene = f"hero-{HERO_VERTICES}" + ("" if device == "cpu" else f"-{device}")
    teacher = supple.PositionBased()
    bake = supple.bake(hero, walk, teacher, fps=30.0, device=device)
    progress("hero: training")
    trained: list[CurveModel] = []
    training = once(lambda: trained.append(fit_curves(hero, bake)))
    model = trained[0]
    assert model.errors is not None
    size = f"{sum(part.curves for part in model.parts)} curves, {model.node_count} nodes"
    off = f"off by {1000 * model.errors.rms:.2f} mm RMS where the skin below is by {1000 * model.errors.base_rms:.2f}"
    yield Row.of(ROOM, scene, f"training from {len(bake)} frames", timing=training, note=f"{size}; {off}")
    learnt: list[PoseSpaceModel] = []
    training = once(lambda: learnt.append(fit_pose_space(hero, bake)))
    yield Row.of(ROOM, scene, f"pose space: training from {len(bake)} frames", timing=training, note=_told(learnt[0]))
    skins: tuple[tuple[str, AnySkin], ...] = (
        ("pose space", supple.PoseSpace(trained=learnt[0])),
        ("pose space in time", supple.PoseSpaceDynamics(trained=learnt[0], step=teacher.step)),
        ("curves", supple.CurveNetwork(trained=model)),
        ("curves with mass", supple.CurveDynamics(trained=model, step=teacher.step)),
    )
    for what, skin in skins:
        progress(f"hero: {what}")
        made: list[supple.Player] = []

        def bind(skin: AnySkin = skin, made: list[supple.Player] = made) -> None:
            made.append(supple.player(hero, skin, device=device))

        def first(made: list[supple.Player] = made) -> None:
            made[0].play(walk, 0.0)

        yield Row.of(ROOM, scene, f"{what}: bind", timing=once(bind))
        yield Row.of(ROOM, scene, f"{what}: first frame", timing=once(first))
        slow = _steady(supple.player(hero, teacher, device=device), walk, teacher.step)
        yield Row.of(
            ROOM,
            scene,
            f"{what}: steady frame",
            timing=_steady(made[0], walk, teacher.step),
            peer="position-based, which taught it",
            peer_seconds=slow.seconds,
        )


def _told(model: PoseSpaceModel) -> str:
    """How far off it is where quarters of the motion were left out."""
    assert model.errors is not None
    (left,) = model.errors.left_out
    return (
        f"quarters left out are off by {1000 * left.rms:.2f} mm RMS where the skin below is by {1000 * left.below:.2f}"
    )


def _steady(player: supple.Player, motion: supple.Motion, step: float) -> Timing:
    """A frame as a user gets it, one step of the teacher after the one before."""
    times = (step * frame for frame in itertools.count(1))
    return timed(lambda: player.play(motion, next(times)), repeats=100)
