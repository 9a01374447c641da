"""Training: from a skin in some poses to curves that play it in all poses between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Floats, Ints
from supple.character.character import Character
from supple.errors import InputError
from supple.skins.curves.drivers import Drivers, driving, worths
from supple.skins.curves.judging import judged
from supple.skins.curves.lessons import Baked, CurveExamples, Lessons, checked_base
from supple.skins.curves.model import CurveModel, PartModel, character_digest
from supple.skins.curves.network import Network, curve_network
from supple.skins.curves.pose_space import PoseSpace
from supple.skins.curves.transfer import Transfer

_WHERE = "fit_curves"
_SPREAD = 0.05  # of the widest direction: poses spread less than this in a direction are not told apart by it
_NEAR = 0.08  # of the size of the examples' box: frames nearer to an example than this are not learnt beside it
_STILL = 1e-4  # rad: joints that turn less than this do not move
_SPARSE = 1e-5  # shares of nodes below this are left out of the mesh's matrix


@dataclass(frozen=True)
class Progress:
    """Told to whoever watches training: what is being done, and how far it is."""

    what: str
    done: int
    total: int


def fit_curves(
    character: Character,
    examples: CurveExamples | Baked,
    *,
    base: str = "dual-quaternion",
    detail: float = 0.25,
    most: int = 12,
    blend: str = "smooth",
    beyond: str = "hold",
    kept_out: int = 5,
    network: Network | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> CurveModel:
    """Teach curves what another skin does, from some of its frames.

    `examples` are a bake, or meshes with their poses. The kinematic skin `base` is taken off, vertex by vertex and
    turned back to rest; what is left goes to the nodes of the curves by least squares. Every part then learns by
    itself, in the space of the turns of the joints that bend it: first frames far from each other, then those where it
    is furthest off, up to `most` beside rest. It stops earlier where more frames do not help the others. One frame in
    `kept_out` is never learnt, to see how it does in poses that it does not know (0 keeps none out; so do fewer than
    ten frames). `detail` is about how many nodes there are for every vertex; a `network` that was laid already is taken
    as it is. `blend` and `beyond` are those of `PoseSpace`.

    Limits: curves know the pose and nothing else. What a skin does by momentum is learnt as it was in the frames
    that were chosen, and a skin that is different in one and the same pose cannot be followed.
    """
    if not isinstance(examples, CurveExamples):
        examples = CurveExamples.of(examples)
    _check(character, examples, most, kept_out)
    checked_base(base)
    laid = network or curve_network(character, detail=detail)
    transfer = Transfer.of(laid)
    drivers = Drivers.of(character).at_home_among(examples.poses, character.skeleton)
    count = len(examples)

    def seen(frame: int) -> None:
        _tell(watch, "frames", frame, count)

    told = Lessons.of(character, examples, transfer, drivers, base=base, watch=seen)
    unseen = np.zeros(len(examples), dtype=bool)
    if kept_out and len(examples) >= 10:
        unseen[kept_out // 2 :: kept_out] = True
    worth = worths(laid, drivers)
    parts = []
    for number, part in enumerate(laid.parts):
        _tell(watch, "parts", number, len(laid.parts))
        chosen = driving(worth[number], most=len(drivers))
        turns = (told.turns[:, chosen] * worth[number, chosen, None]).reshape(len(examples), -1)
        scale = np.repeat(worth[number, chosen], 3)
        axes = scale[:, None] * _axes(turns, most)
        places = told.turns[:, chosen].reshape(len(examples), -1) @ axes
        nodes = told.nodes[:, laid.starts[number] : laid.starts[number + 1]]
        frames = _chosen(places, nodes, ~unseen, most=most, blend=blend, beyond=beyond)
        parts.append(part_of(part.name, chosen, axes, places, nodes, frames, (part.curves, part.nodes)))
    model = model_of(character, transfer, drivers, parts, base=base, blend=blend, beyond=beyond)
    return judged(model, told, laid, unseen=np.flatnonzero(unseen).astype(np.int32))


def _axes(turns: Floats, most: int) -> Floats:
    """The directions (3 K, d) in which the joints of a part move, widest first; narrow ones are left out.

    Rest counts as a pose. There are never more than half as many directions as examples: with as many, a straight
    function would go through all of them, and poses off the way would send it anywhere.
    """
    if not turns.size or np.abs(turns).max() < _STILL:
        return np.zeros((turns.shape[1], 1))
    every = np.concatenate([np.zeros((1, turns.shape[1])), turns])
    _, extents, directions = np.linalg.svd(every - every.mean(axis=0), full_matrices=False)
    wide = int((extents > _SPREAD * extents[0]).sum())
    return np.asarray(directions[: max(1, min(wide, max(most, 2) // 2))].T)


def _chosen(places: Floats, nodes: Floats, free: NDArray[np.bool_], *, most: int, blend: str, beyond: str) -> Ints:
    """Which frames a part learns: half of them far apart, the others where it is worst, as long as that helps.

    `places` (F, d) are poses, `nodes` (F, n_p, 3) [m] the shapes there; only `free` frames may be learnt.
    """
    size = float(np.linalg.norm(np.ptp(np.concatenate([places, np.zeros((1, places.shape[1]))]), axis=0)))
    if size <= 0.0:
        return np.zeros(0, dtype=np.int32)
    flat = nodes.reshape(len(nodes), -1)
    apart = np.linalg.norm(places, axis=1)
    chosen: list[int] = []
    best, best_error = 0, math.inf
    while len(chosen) < most:
        open_ = free & (apart > _NEAR * size)
        if not open_.any():
            break
        spreading = len(chosen) < max(1, most // 2)
        measure = apart if spreading else _off(places, flat, chosen, blend=blend, beyond=beyond)
        frame = int(np.argmax(np.where(open_, measure, -1.0)))
        chosen.append(frame)
        apart = np.minimum(apart, np.linalg.norm(places - places[frame], axis=1))
        others = free.copy()
        others[chosen] = False
        if not others.any():
            return np.array(chosen, dtype=np.int32)
        error = float(np.mean(_off(places, flat, chosen, blend=blend, beyond=beyond)[others] ** 2))
        if error < best_error:
            best, best_error = len(chosen), error
    return np.array(chosen[:best], dtype=np.int32)


def _off(places: Floats, flat: Floats, chosen: Sequence[int], *, blend: str, beyond: str) -> Floats:
    """How far (F,) a part is off in every frame when these are learnt, as a length over all its nodes."""
    known = np.concatenate([np.zeros((1, places.shape[1])), places[list(chosen)]])
    weights = PoseSpace(known, blend, beyond).weights(places)[:, 1:]
    return np.asarray(np.linalg.norm(weights @ flat[list(chosen)] - flat, axis=1))


def part_of(name: str, joints: Ints, axes: Floats, places: Floats, nodes: Floats, frames: Ints,
          size: tuple[int, int]) -> PartModel:  # fmt: skip
    offsets = nodes[frames].reshape(len(frames), *size, 3)
    return PartModel(
        name,
        joints,
        axes,
        np.concatenate([np.zeros((1, axes.shape[1])), places[frames]]),
        np.concatenate([np.zeros((1, *size, 3)), offsets]),
        np.concatenate([[-1], frames]),
    )


def model_of(character: Character, transfer: Transfer, drivers: Drivers, parts: Sequence[PartModel], *, base: str,
           blend: str, beyond: str) -> CurveModel:  # fmt: skip
    matrix = transfer.matrix.copy()
    matrix.data[np.abs(matrix.data) < _SPARSE] = 0.0
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return CurveModel(
        character_digest(character), base, blend, beyond, drivers, tuple(parts),
        matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), np.asarray(matrix.data),
    )  # fmt: skip


def _tell(watch: Callable[[Progress], None] | None, what: str, done: int, total: int) -> None:
    if watch is not None:
        watch(Progress(what, done + 1, total))


def _check(character: Character, examples: CurveExamples, most: int, kept_out: int) -> None:
    if examples.points.shape[1] != len(character.points):
        given = f"the examples have {examples.points.shape[1]} vertices"
        needed = f"{character.name} has {len(character.points)}"
        raise InputError(_WHERE, given, needed, "use meshes of the character's own topology")
    if any(len(pose) != len(character.skeleton) for pose in examples.poses):
        given = "a pose has another number of joints"
        needed = f"{character.name} has {len(character.skeleton)}"
        raise InputError(_WHERE, given, needed, "use poses of this character")
    if most < 1:
        raise InputError(_WHERE, f"most is {most}", "at least one example is needed", "try 12")
    if kept_out < 0 or kept_out == 1:
        given = f"kept_out is {kept_out}"
        raise InputError(_WHERE, given, "it is 0, or 2 and more", "use 5 to keep out every fifth frame")
