"""What pose-space deformation has learnt for one character, as plain arrays: all that a skin needs to play it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, IntArray, digest_of, frozen
from supple.character.character import Character
from supple.character.fingerprint import mesh_digest
from supple.errors import InputError
from supple.skins.examples import MotionErrors, check_base
from supple.skins.pose_space.components import BLOCK, PackedShapes
from supple.skins.pose_space.inputs import INPUTS, KINDS, JointFrame

_WHERE = "PoseSpaceModel"


@dataclass(frozen=True)
class FitErrors:
    """How far the learnt skin is off on the mesh.

    `learnt` are the motions that it learnt from; `left_out` the same motions, each by what is learnt from all others;
    `tested` motions that it was never shown. `shapes_rms` [m] is what the components cannot show.
    """

    learnt: tuple[MotionErrors, ...]
    left_out: tuple[MotionErrors, ...]
    tested: tuple[MotionErrors, ...]
    shapes_rms: float

    def __str__(self) -> str:
        lines = [f"learnt motion {number}: {one}" for number, one in enumerate(self.learnt, 1)]
        lines += [f"motion {number}, learnt from the others: {one}" for number, one in enumerate(self.left_out, 1)]
        lines += [f"never shown {number}: {one}" for number, one in enumerate(self.tested, 1)]
        lines.append(f"components that were left out: {1000 * self.shapes_rms:.2f} mm RMS")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FitErrors:
        """What `to_json` wrote."""
        lists = {key: tuple(MotionErrors(**one) for one in data[key]) for key in ("learnt", "left_out", "tested")}
        return cls(**lists, shapes_rms=float(data["shapes_rms"]))


@dataclass(frozen=True, eq=False)
class PoseSpaceModel:
    """Parts of a skin, each a function of a few joints, and the shapes that they mix; P parts, V vertices.

    Part p looks at the numbers `entries[p]` (D,) of the joints, times `scales[p]`; `centers` (P, M, D) are poses that
    it learnt, in the same scale, and `coefficients` (B, M, 4) what each centre adds to the four components of a block.
    `shapes` are those components. `base` is the kinematic skin, and `interval` [s] the time between two frames of what
    it learnt from, 0 if speeds are not looked at. `character` is the digest of the mesh, skeleton and weights.
    """

    character: str
    base: str
    inputs: str
    interval: float
    frame: JointFrame
    joints: IntArray
    entries: IntArray
    scales: Float32Array
    centers: Float32Array
    coefficients: Float32Array
    shapes: PackedShapes
    errors: FitErrors | None = None

    def __post_init__(self) -> None:
        check_base(self.base, _WHERE)
        if self.inputs not in KINDS:
            given = f"inputs is {self.inputs!r}"
            raise InputError(_WHERE, given, f"it is one of {', '.join(KINDS)}", "choose one")
        if not 0.0 <= self.interval < 10.0:
            raise InputError(_WHERE, f"interval is {self.interval}", "0 to 10 s is needed", "train it again")
        joints = frozen(self.joints, np.int32, (-1,), _WHERE, "joints")
        entries = frozen(self.entries, np.int32, (len(joints), -1), _WHERE, "entries")
        scales = frozen(self.scales, np.float32, entries.shape, _WHERE, "scales")
        if entries.shape[1] % BLOCK:
            given = f"a part looks at {entries.shape[1]} numbers"
            raise InputError(_WHERE, given, f"a multiple of {BLOCK} is needed", "train it again")
        centers = frozen(self.centers, np.float32, (len(joints), -1, entries.shape[1]), _WHERE, "centers")
        shapes = _checked(self.shapes)
        blocks = len(shapes.part_of)
        shape = (blocks, centers.shape[1], BLOCK)
        coefficients = frozen(self.coefficients, np.float32, shape, _WHERE, "coefficients")
        limit = INPUTS * len(self.frame.references)
        in_range = (
            _below(entries, limit)
            and _below(shapes.part_of, len(joints))
            and _below(joints, len(self.frame.references))
            and _below(self.frame.references + 1, len(self.frame.references) + 1)
        )
        if not in_range:
            raise InputError(_WHERE, "it names joints or parts that are not there", "all are there", "train it again")
        fixed = {"joints": joints, "entries": entries, "scales": scales, "centers": centers}
        for name, value in {**fixed, "coefficients": coefficients, "shapes": shapes}.items():
            object.__setattr__(self, name, value)

    @property
    def vertex_count(self) -> int:
        """How many vertices the mesh has."""
        return len(self.shapes.rows) - 1

    @cached_property
    def digest(self) -> str:
        """Tells two models apart."""
        return digest_of(self.arrays()).hex()

    def arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """All numbers by name, in a fixed order."""
        words = "\0".join([self.character, self.base, self.inputs, repr(self.interval)])
        yield "words", np.frombuffer(words.encode(), np.uint8)
        yield from (("references", self.frame.references), ("homes", self.frame.homes))
        for name in ("joints", "entries", "scales", "centers", "coefficients"):
            yield name, getattr(self, name)
        for name in ("rows", "blocks", "levels", "units", "part_of"):
            yield name, getattr(self.shapes, name)

    def check_fits(self, character: Character) -> None:
        """Refuse a character that this was not trained for."""
        where, again = "PoseSpace", "train it for this character with supple fit-pose-space"
        if len(character.points) != self.vertex_count:
            given = f"the model is for {self.vertex_count} vertices"
            raise InputError(where, given, f"{character.name} has {len(character.points)}", again)
        if mesh_digest(character, where) != self.character or len(character.skeleton) != len(self.frame.references):
            given = "the model was trained for another character"
            needed = f"mesh, skeleton and weights of {character.name} must be the same as then"
            raise InputError(where, given, needed, again)


def _checked(shapes: PackedShapes) -> PackedShapes:
    rows = frozen(shapes.rows, np.int32, (-1,), _WHERE, "rows")
    blocks = frozen(shapes.blocks, np.int32, (-1,), _WHERE, "blocks")
    levels = frozen(shapes.levels, np.int8, (len(blocks), 3, BLOCK), _WHERE, "levels")
    part_of = frozen(shapes.part_of, np.int32, (-1,), _WHERE, "part_of")
    units = frozen(shapes.units, np.float32, (len(part_of), BLOCK), _WHERE, "units")
    in_order = len(rows) > 1 and rows[0] == 0 and rows[-1] == len(blocks) and bool((np.diff(rows) >= 0).all())
    if not in_order or not _below(blocks, len(part_of)):
        raise InputError(_WHERE, "the rows of its shapes do not fit", "every entry names a block", "train it again")
    return PackedShapes(rows, blocks, levels, units, part_of)


def _below(numbers: NDArray[Any], limit: int) -> bool:
    return not numbers.size or (int(numbers.min()) >= 0 and int(numbers.max()) < limit)
