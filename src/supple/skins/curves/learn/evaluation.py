"""How far a trained network is from what it was told, and from motions that it was not told, by cause."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.arrays import FloatArray
from supple.skins.curves.learn.dataset import CurveDataset
from supple.skins.curves.learn.model import CurveModel, FitErrors
from supple.skins.curves.network.curve_network import Network
from supple.skins.curves.network.transfer import part_weights
from supple.skins.examples import MotionErrors, SkinExamples, errors_by_motion


def evaluate(
    model: CurveModel, dataset: CurveDataset, network: Network, *, tested: tuple[MotionErrors, ...]
) -> CurveModel:
    """The model with how far it is from what it was told."""
    mesh = model.matrix
    shown = play(model, dataset.rotations)
    best = np.stack([mesh @ frame for frame in dataset.nodes])
    distances = np.linalg.norm(shown - dataset.offsets, axis=2)
    owner = np.argmax(part_weights(network), axis=1)
    below, least = np.linalg.norm(dataset.offsets, axis=2), np.linalg.norm(best - dataset.offsets, axis=2)
    kept = [
        distances[np.ix_(part.frames[1:], np.flatnonzero(owner == number))].ravel()
        for number, part in enumerate(model.parts)
    ]
    at_kept = np.concatenate([np.zeros(0), *kept])
    errors = FitErrors(
        height=network.character.height,
        rms=_rms(distances),
        worst=float(distances.max()),
        base_rms=_rms(below),
        base_worst=float(below.max()),
        mesh_rms=_rms(least),
        mesh_worst=float(least.max()),
        between_rms=_rms(np.linalg.norm(shown - best, axis=2)),
        kept_rms=_rms(at_kept) if at_kept.size else 0.0,
        kept_worst=float(at_kept.max(initial=0.0)),
        by_part={
            part.name: _rms(distances[:, owner == number])
            for number, part in enumerate(model.parts)
            if (owner == number).any()
        },
        by_frame=tuple(_rms(frame) for frame in distances),
        tested=tested,
    )
    return replace(model, errors=errors)


def test_motions(model: CurveModel, examples: SkinExamples, dataset: CurveDataset) -> tuple[MotionErrors, ...]:
    """How far a model is from whole motions, which it was not shown."""
    squares = np.square(play(model, dataset.rotations) - dataset.offsets).sum(axis=2)
    below = np.square(dataset.offsets).sum(axis=2).mean(axis=1)
    return errors_by_motion(examples, squares.mean(axis=1), below, np.sqrt(squares).mean(axis=1))


def play(model: CurveModel, rotations: FloatArray) -> FloatArray:
    """Offsets of all vertices (F, V, 3) [m] at rest, with joints turned this far (F, K, 3) [rad]."""
    nodes = np.concatenate(
        [
            np.tensordot(
                space.weights(rotations[:, part.joints].reshape(len(rotations), -1) @ part.axes), part.offsets, 1
            ).reshape(len(rotations), -1, 3)
            for part, space in zip(model.parts, model.spaces, strict=True)
        ],
        axis=1,
    )
    return np.stack([model.matrix @ frame for frame in nodes])


def _rms(distances: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.square(distances))))
