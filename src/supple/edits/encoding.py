"""From a skin that was edited in some pose to the edit that gives it there, and lives on in every other pose."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError, UnfinishedError
from supple.motion.pose import Pose
from supple.skins.base import AnySkin, Skin
from supple.skins.kinematic.linear_blend import LinearBlend

_WHERE = "encoded"
_PROBE = "edit in hand"
_AXES = tuple(f"{_PROBE} {axis}" for axis in range(3))
_STEP = 0.01  # of the character's size: how far a vertex is moved to see where that takes it
_ROUNDS = 12
_EXACT = 2e-6  # of the character's size: what single precision leaves
_LOST = 1e-3  # of it: more than this cannot be left over
_FLAT = 1e-3  # of the largest stretch of a vertex's change: a smaller one cannot be inverted
_SURE = 1e-2  # a determinant above this share of the norm's cube says that nothing is as flat as that
_KEPT = 4  # bindings that are kept from call to call


def encoded(character: Character, pose: Pose, points: ArrayLike, *, skin: AnySkin) -> SurfaceEdit:
    """The edit with which `skin` puts every vertex at `points` (V, 3) [m] in `pose`.

    The skin is asked where a vertex goes when its scale vector changes a little, and the change is found by Newton's
    method, for all vertices at once; in any pose and for any skin that moves vertices one by one. A skin that stands on
    another one (springs, delta mush) takes the change as its first stage would, and has its own say about the result. A
    skin with a memory has no shape that belongs to a pose alone: there it is the first stage that is edited.

    It is bound once; edits of the same character by the same skin that follow do not bind it again.

    Limits: where a skin folds the surface flat (the middle of a linear blend's twist) there may be no such edit; then
    it says so.
    """
    wanted = frozen(points, np.float64, character.points.shape, _WHERE, "points")
    first = _first_stage(skin)
    posed = _Stage(first, character)
    below = posed.show(pose)
    seen = pose_skin(character, pose, skin) if isinstance(skin, Skin) and skin != first else below
    moved = np.linalg.norm(wanted - seen, axis=1) > _EXACT * float(character.size.max())
    if not moved.any():
        return SurfaceEdit.of(np.zeros_like(wanted))
    target = wanted if seen is below else wanted - seen + below
    return SurfaceEdit.of(np.where(moved[:, None], _solve_offsets(posed, pose, target, moved), 0.0))


def encoded_moves(character: Character, pose: Pose, moves: ArrayLike, *, skin: AnySkin) -> SurfaceEdit:
    """The edit that moves every vertex by `moves` (V, 3) [m] in `pose`, wherever the skin has it.

    For a skin with a memory, where it is does not belong to a pose; how far an edit moves its first stage does.
    """
    first = _first_stage(skin)
    wanted = frozen(moves, np.float64, character.points.shape, _WHERE, "moves")
    if type(first) is LinearBlend:
        found = _moved_linearly(character, pose, wanted)
        if found is not None:
            return found
    below = _Stage(first, character).show(pose)
    return encoded(character, pose, below + wanted, skin=first)


def rest_from_posed(character: Character, pose: Pose, vertices: ArrayLike, *, skin: AnySkin) -> FloatArray:
    """Matrices (N, 3, 3) that take a small move of `vertices` (N,) in `pose` to the offset of an edit that makes it."""
    chosen = frozen(vertices, np.int32, (-1,), _WHERE, "vertices")
    first = _first_stage(skin)
    if type(first) is LinearBlend:
        return _inverse(_linear_matrices(character, pose, chosen))
    stage = _probed(first, character)
    step = _STEP * float(character.size.max())
    here = stage.show(pose)[chosen]
    columns = [stage.show(_with_shapes(pose, {name: step}))[chosen] for name in _AXES]
    return _inverse((np.stack(columns, axis=2) - here[:, :, None]) / step)


def _linear_matrices(character: Character, pose: Pose, vertices: IntArray) -> FloatArray:
    """What linear blend makes of a move of vertices at rest (N, 3, 3): sum_j w_j M_j, without what it shifts."""
    weights = character.weights
    if weights is None:
        raise InputError(_WHERE, f"{character.name} has no skin weights", "linear blend needs them", "give it some")
    turns = pose.skinning(character.skeleton)[:, :3, :3]
    return np.asarray(np.einsum("nk,nkij->nij", weights.values[vertices], turns[weights.joints[vertices]]))


def _moved_linearly(character: Character, pose: Pose, moves: FloatArray) -> SurfaceEdit | None:
    """The edit that moves a linear blend so, at once; None where it is folded too flat for one step."""
    size = float(character.size.max())
    moved = np.flatnonzero(np.einsum("vi,vi->v", moves, moves) > (_EXACT * size) ** 2).astype(np.int32)
    matrices = _linear_matrices(character, pose, moved)
    offsets = np.einsum("nij,nj->ni", _inverse(matrices), moves[moved])
    left = np.einsum("nij,nj->ni", matrices, offsets) - moves[moved]
    return None if np.abs(left).max(initial=0.0) > _EXACT * size else SurfaceEdit(moved, offsets)


def _first_stage(skin: AnySkin) -> Skin[Any, Any]:
    first = skin.first_kinematic()
    if first is None:
        raise InputError(
            _WHERE,
            f"{type(skin).__name__} has a memory",
            "an edit belongs to a pose alone",
            "encode it with a skin that has none; it can be played with any",
        )
    return first


def pose_skin(character: Character, pose: Pose, skin: Skin[Any, Any]) -> FloatArray:
    """The skin (V, 3) [m] of a character in a pose, with all that it stands on."""
    below = skin.base_skin()
    assert below is None or isinstance(below, Skin)
    incoming = None if below is None else pose_skin(character, pose, below)
    return _Stage(skin, character).show(pose, incoming)


class _Stage:
    """One skin of one character, whose shapes may be exchanged without binding it again."""

    def __init__(self, skin: Skin[Any, Any], character: Character) -> None:
        self.skin, self.character, self._binding = skin, character, _bind(skin, character)
        self._state = skin.allocate(self._binding)

    def exchange(self, shapes: dict[str, FloatArray]) -> None:
        """Have these shapes beside those of the character."""
        other = self.character.replace(shapes={**self.character.shapes, **shapes})
        self._binding = self.skin.rebind(self._binding, other, "cpu")
        self._state = self.skin.reshape(self._binding, self._state)

    def show(self, pose: Pose, incoming: FloatArray | None = None) -> FloatArray:
        """The skin (V, 3) [m] in a pose."""
        shape = None
        if incoming is not None:
            shape = devices.to_device(incoming.astype(np.float32), devices.warp().vec3f, "cpu")
        return devices.to_host(self.skin.deform(self._binding, self._state, pose, shape)).astype(np.float64)


@lru_cache(maxsize=_KEPT)
def _bind(skin: Skin[Any, Any], character: Character) -> Any:
    return skin.bind(character, "cpu")


@lru_cache(maxsize=_KEPT)
def _probed(skin: Skin[Any, Any], character: Character) -> _Stage:
    """A stage with a shape along each axis."""
    stage = _Stage(skin, character)
    stage.exchange(_axes(len(character.points)))
    return stage


def _axes(count: int) -> dict[str, FloatArray]:
    return {name: np.tile(np.eye(3)[axis], (count, 1)) for axis, name in enumerate(_AXES)}


def _solve_offsets(stage: _Stage, pose: Pose, target: FloatArray, moved: BoolArray) -> FloatArray:
    """Offsets (V, 3) with skin(pose; offsets) = target, by Newton's method for each vertex with its best kept."""
    size = float(stage.character.size.max())
    step = _STEP * size
    axes = _axes(len(target))
    offsets, best = np.zeros_like(target), np.full(len(target), np.inf)
    guess = offsets.copy()
    for _ in range(_ROUNDS):
        stage.exchange({_PROBE: guess, **axes})
        here = stage.show(_with_shapes(pose, {_PROBE: 1.0}))
        left = np.linalg.norm(target - here, axis=1)
        better = left < best
        offsets[better], best = guess[better], np.minimum(left, best)
        if best[moved].max() <= _EXACT * size:
            break
        columns = [stage.show(_with_shapes(pose, {_PROBE: 1.0, name: step}))[moved] for name in axes]
        jacobian = (np.stack(columns, axis=2) - here[moved][:, :, None]) / step
        change = np.zeros_like(guess)
        change[moved] = np.einsum("vij,vj->vi", _inverse(jacobian), (target - here)[moved])
        guess = np.where(better[:, None], guess + change, 0.5 * (guess + offsets))
        step = max(0.3 * step, 1e-3 * size)
    if best[moved].max() > _LOST * size:
        vertex = int(np.argmax(np.where(moved, best, 0.0)))
        raise UnfinishedError(
            _WHERE,
            f"vertex {vertex} stays {best[vertex]:.2g} m from where it was put",
            f"{type(stage.skin).__name__} must be able to bring it there",
            "edit in a pose that is folded less, or by another skin",
        )
    return offsets


def _inverse(matrices: FloatArray) -> FloatArray:
    """Inverses of matrices (N, 3, 3), of those that are nearly flat as far as they are not."""
    rows = [matrices[:, k] for k in range(3)]
    cofactors = np.stack([np.cross(rows[1], rows[2]), np.cross(rows[2], rows[0]), np.cross(rows[0], rows[1])], axis=2)
    determinants = np.einsum("ni,ni->n", rows[0], cofactors[:, :, 0])
    flat = np.abs(determinants) <= _SURE * np.linalg.norm(matrices, axis=(1, 2)) ** 3
    inverses = cofactors / np.where(flat, 1.0, determinants)[:, None, None]
    if flat.any():
        inverses[flat] = np.linalg.pinv(matrices[flat], rcond=_FLAT)
    return np.asarray(inverses)


def _with_shapes(pose: Pose, amounts: dict[str, float]) -> Pose:
    return Pose(pose.world_from_joint, shapes={**pose.shapes, **amounts})
