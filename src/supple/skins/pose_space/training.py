"""Training: from another skin in many frames to what its shape is as a function of the joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.character.fingerprint import mesh_digest
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.skins.examples import (
    BASE_SKINS,
    Baked,
    HostSkin,
    MotionErrors,
    SkinExamples,
    blend_rotations,
    check_base,
    errors_by_motion,
)
from supple.skins.pose_space.components import (
    BLOCK,
    PackedShapes,
    PartShapes,
    choose_counts,
    find_components,
    pack_components,
)
from supple.skins.pose_space.inputs import KINDS, JointFrame, farthest_turns, read_inputs, select_inputs
from supple.skins.pose_space.model import FitErrors, PoseSpaceModel
from supple.skins.pose_space.parts import find_parts
from supple.skins.pose_space.regression import FEW, PartFit, fit_part

_WHERE = "fit_pose_space"
_BLOCKS = 4  # pieces of a single motion, each left out once
_HELD = 1e4  # frames that rest counts as, among examples that do not move
_DAMPING = 0.01  # of squared stretch: where linear blend collapses, offsets at rest stay small


@dataclass(frozen=True)
class Progress:
    """Told to whoever watches training: what is being done, and how far it is."""

    what: str
    done: int
    total: int


Watch = Callable[[Progress], None] | None


def fit_pose_space(
    character: Character,
    examples: SkinExamples | Baked,
    *,
    below: str = "linear",
    inputs: str = "motion",
    centers: int = 128,
    tolerance: float = 0.0006,
    test: SkinExamples | Baked | None = None,
    watch: Watch = None,
) -> PoseSpaceModel:
    """Teach pose-space deformation what another skin does, from its frames   [Lewis2000].

    The kinematic skin `below` is undone, vertex by vertex, so that what the other skin adds is seen at rest. Every part
    of the skin keeps principal components of it, as many as all parts need to be off by no more than `tolerance` [m],
    root mean square. How much there is of each is learnt by kernel ridge regression on at most `centers` frames a part,
    from `inputs`: "pose", the rotations of the joints near it; "gravity", its direction as well; "motion", also how
    fast its joint turns and how it speeds up. How wide the kernel is and how strong the ridge is what is best in
    motions that are left out, one after another (of a single motion, quarters of it). `test` are motions that nothing
    is learnt from. Rest is always among the examples, without any offset.

    Limits: it meets nothing, and remembers no more than the last two frames.
    """
    given = examples if isinstance(examples, SkinExamples) else SkinExamples.of(examples)
    tested = SkinExamples.of(test) if test is not None and not isinstance(test, SkinExamples) else test
    for one in (given, tested):
        if one is not None:
            one.check_for(character, _WHERE)
    base = check_base(below, _WHERE)
    _check(inputs, centers, tolerance)
    kind = inputs if given.interval > 0.0 or inputs != "motion" else "gravity"
    rest = Pose.rest(character.skeleton)
    poses = (rest, *given.poses)
    frame = JointFrame.from_poses(character, poses)
    parts = find_parts(character, frame.references, farthest_turns(character.skeleton, poses))
    entries, scales = select_inputs(parts, kind)
    offsets = rest_offsets(character, given, base, watch)
    still = SkinExamples((rest,), character.points[None])
    numbers = np.concatenate([read_inputs(character, frame, each) for each in (given, still)])
    shapes = []
    for number in range(len(parts.joints)):
        _report(watch, "shapes", number, len(parts.joints))
        shapes.append(find_components(offsets, parts.weights[:, number]))
    counts = choose_counts(shapes, tolerance, len(character.points))
    moved = [number for number, count in enumerate(counts) if count] or [0]  # the others are as the skin below is
    shapes, counts = [shapes[number] for number in moved], [counts[number] for number in moved]
    joints, entries, scales = parts.joints[moved], entries[moved], scales[moved]
    folds = np.concatenate([_folds(given), [-1]]).astype(np.int32)
    frame_counts = np.ones(len(folds))
    frame_counts[-1] = 1.0 if given.interval > 0.0 else _HELD  # flesh in motion may sag at rest, drawn shapes may not
    fits = []
    for number, (part, count) in enumerate(zip(shapes, counts, strict=True)):
        _report(watch, "parts", number, len(joints))
        targets = np.concatenate([part.amounts[:, :count], np.zeros((1, count))])
        seen = scales[number] * numbers[:, entries[number]]
        fits.append(fit_part(seen, targets, folds, centers=centers, counts=frame_counts))
    packed = pack_components(shapes, counts, len(character.points), tolerance=tolerance)
    model = _assemble(character, base, kind, given.interval, frame, joints, entries, scales, fits, packed)
    errors = _errors(character, model, given, tested, offsets, shapes, counts, fits)
    return replace(model, errors=errors)


def rest_offsets(character: Character, examples: SkinExamples, base: str, watch: Watch = None) -> Float32Array:
    """What a skin adds (F, V, 3) [m] to the skin `base`, as it would have to be added at rest."""
    found = np.empty(examples.points.shape, dtype=np.float32)
    below = HostSkin(BASE_SKINS[base](), character)
    for number, (pose, points) in enumerate(zip(examples.poses, examples.points, strict=True)):
        _report(watch, "frames", number, len(examples))
        linear = blended_transforms(character, pose, base)
        added = np.einsum("vji,vj->vi", linear, points - below(pose))
        if base == "linear":
            normal = np.swapaxes(linear, 1, 2) @ linear + _DAMPING * np.eye(3)
            added = (1.0 + _DAMPING) * np.linalg.solve(normal, added[..., None])[..., 0]
        found[number] = added
    return found


def blended_transforms(character: Character, pose: Pose, base: str) -> FloatArray:
    """What takes offsets at rest to a pose (V, 3, 3): blended transforms of linear blend, rotations of the other."""
    weights, skinning = character.require_weights(_WHERE), pose.skinning(character.skeleton)
    if base == "linear":
        used = weights.influences
        linear = skinning[weights.joints[:, :used], :3, :3]
        return np.einsum("vk,vkij->vij", weights.values[:, :used], linear)
    return blend_rotations(skinning, weights)


def _assemble(
    character: Character,
    base: str,
    kind: str,
    interval: float,
    frame: JointFrame,
    joints: IntArray,
    entries: IntArray,
    scales: Float32Array,
    fits: list[PartFit],
    packed: PackedShapes,
) -> PoseSpaceModel:
    """All parts in arrays of one size; centres that a part does not have are its first one and count nothing."""
    most = max(1, max(len(fit.centers) for fit in fits))
    centers = np.zeros((len(fits), most, entries.shape[1]), dtype=np.float32)
    coefficients = np.zeros((len(packed.part_of), most, BLOCK), dtype=np.float32)
    widths = np.array([fit.width for fit in fits], dtype=np.float32)
    first_blocks = np.searchsorted(packed.part_of, np.arange(len(fits)))
    for number, fit in enumerate(fits):
        used, count = fit.coefficients.shape
        centers[number, :used] = fit.centers
        for start in range(0, count, BLOCK):
            block = first_blocks[number] + start // BLOCK
            own = fit.coefficients[:, start : start + BLOCK]
            coefficients[block, :used, : own.shape[1]] = own
    return PoseSpaceModel(
        mesh_digest(character, _WHERE),
        base,
        kind,
        interval if kind == "motion" else 0.0,
        frame,
        joints,
        entries,
        scales / widths[:, None],
        centers,
        coefficients,
        packed,
    )


def _errors(
    character: Character,
    model: PoseSpaceModel,
    given: SkinExamples,
    tested: SkinExamples | None,
    offsets: Float32Array,
    shapes: list[PartShapes],
    counts: list[int],
    fits: list[PartFit],
) -> FitErrors:
    left = np.zeros_like(offsets)
    kept = np.zeros_like(offsets)
    for part, count, fit in zip(shapes, counts, fits, strict=True):
        flat = part.shapes[:, :, :count].reshape(3 * len(part.vertices), count).T.astype(np.float32)
        for total, amounts in ((left, fit.left_out[:-1]), (kept, part.amounts[:, :count])):
            total[:, part.vertices] += (amounts.astype(np.float32) @ flat).reshape(len(offsets), -1, 3)
    judged = len(given) > FEW
    return FitErrors(
        motion_errors(character, given, model.base, predict_offsets(character, model, given)),
        motion_errors(character, given, model.base, left) if judged else (),
        ()
        if tested is None
        else motion_errors(character, tested, model.base, predict_offsets(character, model, tested)),
        float(np.sqrt(np.square(kept - offsets).sum(axis=2).mean())),
    )


def predict_offsets(character: Character, model: PoseSpaceModel, examples: SkinExamples) -> Float32Array:
    """Offsets at rest (F, V, 3) [m] that a model gives in all frames of some examples, by plain arrays."""
    from scipy.sparse import csr_array

    numbers = read_inputs(character, model.frame, examples)
    scaled = model.scales * numbers[:, model.entries]
    packed, frames = model.shapes, len(examples)
    amounts = np.zeros((len(packed.part_of), BLOCK, frames), dtype=np.float32)
    for number in range(len(model.joints)):
        apart = np.square(scaled[:, number, None] - model.centers[number]).sum(axis=2)
        weights = np.exp(-0.5 * apart)
        for block in np.flatnonzero(packed.part_of == number):
            amounts[block] = (weights @ model.coefficients[block]).T
    columns = (BLOCK * packed.blocks[:, None] + np.arange(BLOCK)).ravel()
    found = np.empty((frames, model.vertex_count, 3), dtype=np.float32)
    for axis in range(3):
        values = (packed.levels[:, axis] * packed.units[packed.blocks]).ravel()
        matrix = csr_array((values, columns, BLOCK * packed.rows), shape=(model.vertex_count, amounts[:, :, 0].size))
        found[:, :, axis] = (matrix @ amounts.reshape(-1, frames)).T
    return found


def motion_errors(
    character: Character, examples: SkinExamples, base: str, offsets: Float32Array
) -> tuple[MotionErrors, ...]:
    """How far skins with these offsets at rest are from the examples, motion by motion."""
    below = HostSkin(BASE_SKINS[base](), character)
    mine, its, means = (np.zeros(len(examples)) for _ in range(3))
    for number, (pose, points) in enumerate(zip(examples.poses, examples.points, strict=True)):
        open_ = points - below(pose)
        added = np.einsum("vij,vj->vi", blended_transforms(character, pose, base), offsets[number])
        mine[number], its[number] = (np.square(each).sum(axis=1).mean() for each in (added - open_, open_))
        means[number] = np.linalg.norm(added - open_, axis=1).mean()
    return errors_by_motion(examples, mine, its, means)


def _folds(examples: SkinExamples) -> IntArray:
    """Which frames are left out together: motions, or pieces of the only one."""
    if len(examples.lengths) > 1:
        return examples.motions
    return np.minimum(np.arange(len(examples)) * _BLOCKS // len(examples), _BLOCKS - 1).astype(np.int32)


def _report(watch: Watch, what: str, done: int, total: int) -> None:
    if watch is not None:
        watch(Progress(what, done + 1, total))


def _check(inputs: str, centers: int, tolerance: float) -> None:
    if inputs not in KINDS:
        raise InputError(_WHERE, f"inputs is {inputs!r}", f"it is one of {', '.join(KINDS)}", "choose one")
    if not 1 <= centers <= 4096:
        raise InputError(_WHERE, f"centers is {centers}", "1 to 4096 is needed", "try 128")
    if not 0.0 < tolerance < 1.0:
        raise InputError(_WHERE, f"tolerance is {tolerance:g} m", "more than 0 is needed", "try 0.0006")
