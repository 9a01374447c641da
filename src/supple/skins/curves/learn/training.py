"""Training: from a skin in some poses to curves that play it in all poses between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.errors import InputError
from supple.skins.curves.learn.dataset import Baked, CurveDataset, CurveExamples, check_base
from supple.skins.curves.learn.drivers import center_homes, find_drivers, joint_influences, select_drivers
from supple.skins.curves.learn.evaluation import evaluate
from supple.skins.curves.learn.model import CurveModel, PartModel, character_digest
from supple.skins.curves.learn.pose_space import Drivers
from supple.skins.curves.learn.sample_selection import SampleSelection, principal_axes
from supple.skins.curves.network.curve_network import Network, curve_network
from supple.skins.curves.network.transfer import Transfer

_WHERE = "fit_curves"
_SPARSE = 1e-3  # shares of nodes below this are left out of the mesh's matrix; the others make up for them


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
    detail: float = 0.5,
    most: int = 12,
    exact: bool = False,
    blend: str = "smooth",
    beyond: str = "ease",
    kept_out: int = 5,
    network: Network | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> CurveModel:
    """Teach curves what another skin does, from some of its frames.

    `examples` are a bake, or meshes with their poses. The kinematic skin `base` is taken off, vertex by vertex and
    turned back to rest; what is left goes to the nodes of the curves by least squares. Every part then learns by
    itself, in the space of the turns of the joints that bend it: first frames far from each other, then those where it
    is furthest off, up to `most` beside rest. It stops earlier where more frames do not help. What it keeps of them is
    such that all frames together are met best; with `exact` every example is one frame as it was, and is met to
    rounding. Where there are no more frames than `most` it is so anyway. One frame in `kept_out` is never learnt, to
    see how it does in poses that it does not know (0 keeps none out; so do fewer than ten frames). `detail` is about
    how many nodes there are for every vertex; a `network` that was laid already is taken as it is. `blend` and
    `beyond` are those of `PoseSpace`.

    Limits: curves know the pose and nothing else. A skin that swings is different in one and the same pose, and they
    go between.
    """
    if not isinstance(examples, CurveExamples):
        examples = CurveExamples.of(examples)
    _check(character, examples, most, kept_out)
    check_base(base)
    laid = network or curve_network(character, detail=detail)
    transfer = Transfer.from_network(laid)
    drivers = center_homes(find_drivers(character), examples.poses, character.skeleton)
    count = len(examples)

    def seen(frame: int) -> None:
        _report(watch, "frames", frame, count)

    dataset = CurveDataset.from_examples(character, examples, transfer, drivers, base=base, watch=seen)
    unseen = np.zeros(len(examples), dtype=bool)
    if kept_out and len(examples) >= 10:
        unseen[kept_out // 2 :: kept_out] = True
    influence = joint_influences(laid, drivers)
    parts = []
    for number, part in enumerate(laid.parts):
        _report(watch, "parts", number, len(laid.parts))
        chosen = select_drivers(influence[number], most=len(drivers))
        rotations = dataset.rotations[:, chosen].reshape(len(examples), -1)
        scale = np.repeat(influence[number, chosen], 3)
        axes = scale[:, None] * principal_axes(rotations * scale, most)
        nodes = dataset.nodes[:, laid.starts[number] : laid.starts[number + 1]].reshape(len(examples), -1)
        selection = SampleSelection(rotations @ axes, nodes, ~unseen, blend, beyond, exact)
        frames = selection.select(most)
        shapes = selection.fit_shapes(frames).reshape(len(frames), part.curves, part.nodes, 3)
        parts.append(
            make_part(part.name, chosen, axes, positions=selection.positions[frames], shapes=shapes, frames=frames)
        )
    model = make_model(character, transfer, drivers, parts, base=base, blend=blend, beyond=beyond)
    return evaluate(model, dataset, laid, unseen=np.flatnonzero(unseen).astype(np.int32))


def make_part(
    name: str, joints: IntArray, axes: FloatArray, *, positions: FloatArray, shapes: FloatArray, frames: IntArray
) -> PartModel:
    """A part with examples at `positions` (E, d) and with `shapes` (E, curves, nodes, 3) [m], and rest before them."""
    return PartModel(
        name,
        joints,
        axes,
        np.concatenate([np.zeros((1, axes.shape[1])), positions]),
        np.concatenate([np.zeros((1, *shapes.shape[1:])), shapes]),
        np.concatenate([[-1], frames]),
    )


def make_model(
    character: Character,
    transfer: Transfer,
    drivers: Drivers,
    parts: Sequence[PartModel],
    *,
    base: str,
    blend: str,
    beyond: str,
) -> CurveModel:
    matrix = transfer.matrix.copy()
    matrix.data[np.abs(matrix.data) < _SPARSE] = 0.0
    matrix.eliminate_zeros()
    matrix.sort_indices()
    matrix.data /= np.repeat(matrix.sum(axis=1), np.diff(matrix.indptr))
    return CurveModel(
        character_digest(character),
        base,
        blend,
        beyond,
        drivers,
        tuple(parts),
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        np.asarray(matrix.data),
    )


def _report(watch: Callable[[Progress], None] | None, what: str, done: int, total: int) -> None:
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
