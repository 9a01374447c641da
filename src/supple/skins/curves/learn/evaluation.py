"""How far a trained network is from what it was told, told apart by cause."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.learn.dataset import CurveDataset
from supple.skins.curves.learn.example_loads import ExampleSpace
from supple.skins.curves.learn.model import CurveModel, FitErrors, PartModel
from supple.skins.curves.learn.pose_space import PoseSpace
from supple.skins.curves.network.curve_network import Network
from supple.skins.curves.network.transfer import part_weights


def evaluate(model: CurveModel, dataset: CurveDataset, network: Network, *, unseen: IntArray) -> CurveModel:
    """The model with how far it is from what it was told."""
    played = np.concatenate(
        [
            np.tensordot(
                space.weights(dataset.rotations[:, part.joints].reshape(len(dataset.rotations), -1) @ part.axes),
                part.offsets,
                1,
            ).reshape(len(dataset.rotations), -1, 3)
            for part, space in zip(model.parts, model.spaces, strict=True)
        ],
        axis=1,
    )
    mesh = model.matrix
    shown, best = (np.stack([mesh @ frame for frame in nodes]) for nodes in (played, dataset.nodes))
    distances = np.linalg.norm(shown - dataset.offsets, axis=2)
    owner = np.argmax(part_weights(network), axis=1)
    below, least = np.linalg.norm(dataset.offsets, axis=2), np.linalg.norm(best - dataset.offsets, axis=2)
    errors = FitErrors(
        height=network.character.height,
        rms=_rms(distances),
        worst=float(distances.max()),
        base_rms=_rms(below),
        base_worst=float(below.max()),
        mesh_rms=_rms(least),
        mesh_worst=float(least.max()),
        between_rms=_rms(np.linalg.norm(shown - best, axis=2)),
        at_examples=max(_at_examples(part, space) for part, space in zip(model.parts, model.spaces, strict=True)),
        unseen_rms=_rms(distances[unseen]) if len(unseen) else math.nan,
        by_part={
            part.name: _rms(distances[:, owner == number])
            for number, part in enumerate(model.parts)
            if (owner == number).any()
        },
        by_frame=tuple(_rms(frame) for frame in distances),
        unseen=tuple(int(frame) for frame in unseen),
    )
    return replace(model, errors=errors)


def _at_examples(part: PartModel, space: PoseSpace) -> float:
    """The largest distance [m] of a node from its place in an example, when the beam is solved there."""
    shapes = np.moveaxis(part.offsets, 2, 1)  # (E, nodes, curves, 3)
    curves = ExampleSpace(StaticBeam(part.nodes), shapes, space)
    errors = [curves.at(position) - shape for position, shape in zip(part.positions, shapes, strict=True)]
    return float(np.linalg.norm(np.stack(errors), axis=-1).max())


def _rms(distances: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.square(distances))))
