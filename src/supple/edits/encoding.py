"""From a skin that was edited in some pose to the edit that gives it there, and lives on in every other pose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, frozen
from supple.character.character import Character
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError, UnfinishedError
from supple.motion.pose import Pose
from supple.skins.base import AnySkin, Skin

_WHERE = "encoded"
_PROBE = "edit in hand"
_ROUNDS = 12
_EXACT = 2e-6  # of the character's size: what single precision leaves
_LOST = 1e-3  # of it: more than this cannot be left over


def encoded(character: Character, pose: Pose, points: ArrayLike, *, skin: Skin[Any, Any]) -> SurfaceEdit:
    """The edit with which `skin` puts every vertex at `points` (V, 3) [m] in `pose`.

    The skin is asked where a vertex goes when its scale vector changes a little, and the change is found by Newton's
    method, for all vertices at once; in any pose and for any skin that moves vertices one by one. A skin that stands on
    another one (springs, delta mush) takes the change as its first stage would, and has its own say about the result.

    Limits: where a skin folds the surface flat (the middle of a linear blend's twist) there may be no such edit; then
    it says so.
    """
    wanted = frozen(points, np.float64, character.points.shape, _WHERE, "points")
    seen = pose_skin(character, pose, skin)
    moved = np.linalg.norm(wanted - seen, axis=1) > _EXACT * float(character.size.max())
    if not moved.any():
        return SurfaceEdit.of(np.zeros_like(wanted))
    base: AnySkin = skin
    while (below := base.base_skin()) is not None:
        base = below
    target = wanted if base is skin else wanted - seen + pose_skin(character, pose, base)
    return SurfaceEdit.of(np.where(moved[:, None], _solve_offsets(character, pose, target, base, moved), 0.0))


def pose_skin(character: Character, pose: Pose, skin: AnySkin) -> FloatArray:
    """The skin (V, 3) [m] of a character in a pose, by a skin that has no memory."""
    return _run_stages(_bind_stages(character, skin), pose)


def _bind_stages(character: Character, skin: AnySkin) -> list[tuple[Skin[Any, Any], Any, Any]]:
    """The skin and all it stands on, first stage first, each with its binding and its state."""
    if not isinstance(skin, Skin):
        raise InputError(
            _WHERE,
            f"{type(skin).__name__} has a memory",
            "an edit belongs to a pose alone",
            "encode it with the skin it stands on; it can be played with any",
        )
    below, binding = skin.base_skin(), skin.bind(character, "cpu")
    first = _bind_stages(character, below) if below is not None else []
    return [*first, (skin, binding, skin.allocate(binding))]


def _run_stages(stages: list[tuple[Skin[Any, Any], Any, Any]], pose: Pose) -> FloatArray:
    shape: Any = None
    for skin, binding, state in stages:
        shape = skin.deform(binding, state, pose, shape)
    return devices.to_host(shape).astype(np.float64)


def _solve_offsets(character: Character, pose: Pose, target: FloatArray, skin: AnySkin, moved: Any) -> FloatArray:
    """Offsets (V, 3) with skin(pose; offsets) = target, by Newton's method for each vertex with its best kept."""
    size = float(character.size.max())
    step = 0.01 * size
    axes = {f"{_PROBE} {axis}": np.tile(np.eye(3)[axis], (len(target), 1)) for axis in range(3)}
    offsets, best = np.zeros_like(target), np.full(len(target), np.inf)
    guess = offsets.copy()
    for _ in range(_ROUNDS):
        held = character.replace(shapes={**character.shapes, _PROBE: guess, **axes})
        stages = _bind_stages(held, skin)
        here = _run_stages(stages, _with_shapes(pose, {_PROBE: 1.0}))
        left = np.linalg.norm(target - here, axis=1)
        better = left < best
        offsets[better], best = guess[better], np.minimum(left, best)
        if best[moved].max() <= _EXACT * size:
            break
        columns = [_run_stages(stages, _with_shapes(pose, {_PROBE: 1.0, name: step})) - here for name in axes]
        jacobian = np.stack(columns, axis=2) / step
        change = np.einsum("vij,vj->vi", np.linalg.pinv(jacobian, rcond=1e-3), target - here)
        guess = np.where(better[:, None], guess + change, 0.5 * (guess + offsets))
        step = max(0.3 * step, 1e-3 * size)
    if best[moved].max() > _LOST * size:
        vertex = int(np.argmax(np.where(moved, best, 0.0)))
        raise UnfinishedError(
            _WHERE,
            f"vertex {vertex} stays {best[vertex]:.2g} m from where it was put",
            f"{type(skin).__name__} must be able to bring it there",
            "edit in a pose that is folded less, or by another skin",
        )
    return offsets


def _with_shapes(pose: Pose, amounts: dict[str, float]) -> Pose:
    return Pose(pose.world_from_joint, shapes={**pose.shapes, **amounts})
