"""Training: from a skin in some poses to curves that play it in all poses between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.fingerprint import mesh_digest
from supple.errors import InputError
from supple.skins.curves.learn.dataset import CurveDataset
from supple.skins.curves.learn.drivers import center_homes, find_drivers, joint_influences, select_drivers
from supple.skins.curves.learn.evaluation import evaluate, test_motions
from supple.skins.curves.learn.model import CurveModel, PartModel
from supple.skins.curves.learn.radial_space import Drivers
from supple.skins.curves.learn.sample_selection import SampleSelection, principal_axes
from supple.skins.curves.network.curve_network import Network, curve_network
from supple.skins.curves.network.transfer import Transfer
from supple.skins.examples import Baked, MotionErrors, SkinExamples, check_base

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
    examples: SkinExamples | Baked,
    *,
    below: str = "dual-quaternion",
    nodes_per_vertex: float = 0.5,
    most_frames: int = 12,
    exact: bool = False,
    between: str = "smooth",
    past: str = "ease",
    test: SkinExamples | Baked | None = None,
    network: Network | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> CurveModel:
    """Teach curves what another skin does, from some of its frames.

    `examples` are a bake, or meshes with their poses. The kinematic skin `below` is taken off, vertex by vertex and
    turned back to rest; what is left goes to the nodes of the curves by least squares. Every part then learns by
    itself, in the space of the turns of the joints that bend it: first frames far from each other, then those where it
    is furthest off, up to `most_frames` beside rest. It stops earlier where more frames do not help. What it keeps of
    them is such that all frames together are met best; with `exact` every example is one frame as it was, which its
    curves meet to rounding and the mesh as closely as curves can show it. Where there are no more frames than
    `most_frames` it is so anyway. `test` are whole motions that nothing is learnt from. There are at most
    `nodes_per_vertex` nodes for every vertex; a `network` that was laid already is taken as it is. `between` and `past`
    are `blend` and `beyond` of `RadialSpace`.

    Limits: curves know the pose and nothing else. A skin that swings is different in one and the same pose, and they
    go between.
    """
    if not isinstance(examples, SkinExamples):
        examples = SkinExamples.of(examples)
    examples.check_for(character, _WHERE)
    _check_count(most_frames)
    base = check_base(below, _WHERE)
    laid = network or curve_network(character, nodes_per_vertex=nodes_per_vertex)
    transfer = Transfer.from_network(laid)
    drivers = center_homes(find_drivers(character), examples.poses, character.skeleton)
    count = len(examples)

    def seen(frame: int) -> None:
        _report(watch, "frames", frame, count)

    dataset = CurveDataset.from_examples(character, examples, transfer, drivers, base=base, watch=seen)
    influence = joint_influences(laid, drivers)
    parts = []
    for number, part in enumerate(laid.parts):
        _report(watch, "parts", number, len(laid.parts))
        chosen = select_drivers(influence[number], most=len(drivers))
        rotations = dataset.rotations[:, chosen].reshape(len(examples), -1)
        scale = np.repeat(influence[number, chosen], 3)
        axes = scale[:, None] * principal_axes(rotations * scale, most_frames)
        nodes = dataset.nodes[:, laid.starts[number] : laid.starts[number + 1]].reshape(len(examples), -1)
        selection = SampleSelection(rotations @ axes, nodes, between, past, exact)
        frames = selection.select(most_frames)
        shapes = selection.fit_shapes(frames).reshape(len(frames), part.curves, part.nodes, 3)
        parts.append(
            make_part(part.name, chosen, axes, positions=selection.positions[frames], shapes=shapes, frames=frames)
        )
    model = make_model(character, transfer, drivers, parts, base=base, blend=between, beyond=past)
    tested = () if test is None else _test(model, character, test, transfer, drivers, base)
    return evaluate(model, dataset, laid, tested=tested)


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
        mesh_digest(character, _WHERE),
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


def _test(
    model: CurveModel,
    character: Character,
    given: SkinExamples | Baked,
    transfer: Transfer,
    drivers: Drivers,
    base: str,
) -> tuple[MotionErrors, ...]:
    """The errors of motions that were kept out."""
    examples = given if isinstance(given, SkinExamples) else SkinExamples.of(given)
    examples.check_for(character, _WHERE)
    dataset = CurveDataset.from_examples(character, examples, transfer, drivers, base=base)
    return test_motions(model, examples, dataset)


def _check_count(most_frames: int) -> None:
    if most_frames < 1:
        raise InputError(_WHERE, f"most_frames is {most_frames}", "at least one example is needed", "try 12")
