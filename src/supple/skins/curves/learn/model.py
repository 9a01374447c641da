"""A trained network of curves as plain arrays: what a skin needs to play it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray, digest_of, frozen
from supple.character.character import Character
from supple.character.fingerprint import mesh_digest
from supple.errors import InputError
from supple.skins.curves.beam.finite_differences import FEWEST_NODES
from supple.skins.curves.learn.radial_space import Drivers, ExampleInterpolator, RadialSpace
from supple.skins.examples import MotionErrors, check_base

_WHERE = "CurveModel"


@dataclass(frozen=True)
class FitErrors:
    """Distances of the played skin from the taught one on the mesh, over all vertices and frames [m].

    `base_rms` is what the kinematic skin below leaves open, and so what there was to learn. `mesh_rms` is what the
    curves cannot show, whatever their shape: they have fewer nodes than the mesh has vertices. `between_rms` is what
    comes from frames that were not learnt: the played curves against the curves of those frames. `kept_rms` and
    `kept_worst` are for the frames that parts keep as examples, each part in its own. `tested` are whole motions that
    it was never shown.
    """

    height: float
    rms: float
    worst: float
    base_rms: float
    base_worst: float
    mesh_rms: float
    mesh_worst: float
    between_rms: float
    kept_rms: float
    kept_worst: float
    by_part: Mapping[str, float] = field(default_factory=dict)
    by_frame: tuple[float, ...] = ()
    tested: tuple[MotionErrors, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FitErrors:
        """What `to_json` wrote."""
        tested = tuple(MotionErrors(**one) for one in data["tested"])
        return cls(**{**data, "by_frame": tuple(data["by_frame"]), "tested": tested})

    def __str__(self) -> str:
        share = 100.0 / self.height
        lines = [
            f"off by {1000 * self.rms:.3g} mm RMS ({self.rms * share:.3g} % of the height), "
            f"{1000 * self.worst:.3g} mm at worst; the skin below is off by {1000 * self.base_rms:.3g} mm RMS",
            f"of which the mesh between the curves {1000 * self.mesh_rms:.3g} mm RMS, "
            f"frames between the examples {1000 * self.between_rms:.3g} mm RMS",
            f"in the frames that it keeps {1000 * self.kept_rms:.3g} mm RMS, {1000 * self.kept_worst:.3g} mm at worst",
        ]
        lines += [f"never shown {number}: {one}" for number, one in enumerate(self.tested, 1)]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class PartModel:
    """What one limb has learnt.

    A pose is a place in its space: the turns of `joints` (K,), numbers into the model's list of driving joints, one
    after another (3 K,), times `axes` (3 K, d). The examples lie at `positions` (E, d), and there the nodes have the
    `offsets` (E, curves, nodes, 3) [m] from the kinematic skin, as seen at rest. `frames` (E,) are the frames they were
    learnt from; -1 is the rest pose, which is always there, first, with no offset.
    """

    name: str
    joints: IntArray
    axes: FloatArray
    positions: FloatArray
    offsets: FloatArray
    frames: IntArray

    def __post_init__(self) -> None:
        where = f"{_WHERE} part {self.name!r}"
        joints = frozen(self.joints, np.int32, (-1,), where, "joints")
        axes = frozen(self.axes, np.float64, (3 * len(joints), -1), where, "axes")
        positions = frozen(self.positions, np.float64, (-1, axes.shape[1]), where, "positions")
        offsets = frozen(self.offsets, np.float64, (len(positions), -1, -1, 3), where, "offsets")
        frames = frozen(self.frames, np.int32, (len(positions),), where, "frames")
        if not len(positions) or frames[0] != -1 or positions[0].any() or offsets[0].any():
            given = "its first example is not the rest pose with no offset"
            raise InputError(where, given, "rest comes first", "train it with fit_curves")
        if offsets.shape[1] < 1 or offsets.shape[2] < FEWEST_NODES:
            given = f"it has {offsets.shape[1]} curves of {offsets.shape[2]} nodes"
            raise InputError(where, given, f"{FEWEST_NODES} nodes are the fewest", "train it with more detail")
        for name, value in (
            ("joints", joints),
            ("axes", axes),
            ("positions", positions),
            ("offsets", offsets),
            ("frames", frames),
        ):
            object.__setattr__(self, name, value)

    @property
    def curves(self) -> int:
        """How many curves run along it."""
        return int(self.offsets.shape[1])

    @property
    def nodes(self) -> int:
        """How many nodes each curve has."""
        return int(self.offsets.shape[2])


@dataclass(frozen=True, eq=False)
class CurveModel:
    """All that was learnt for one character.

    The curves carry offsets from the kinematic skin `base`. `drivers` are the joints whose turns lead from example to
    example, by `blend` between them and by `beyond` past them (see `RadialSpace`). The mesh goes along by a sparse
    matrix (V, n) over all nodes, part after part: row v has `columns` and `values` from `rows[v]` to `rows[v + 1]`.
    `character` is the digest of the mesh, skeleton and weights that it was made for. `errors` are those of training.
    """

    character: str
    base: str
    blend: str
    beyond: str
    drivers: Drivers
    parts: tuple[PartModel, ...]
    rows: IntArray
    columns: IntArray
    values: FloatArray
    errors: FitErrors | None = None

    def __post_init__(self) -> None:
        rows = frozen(self.rows, np.int32, (-1,), _WHERE, "rows")
        columns = frozen(self.columns, np.int32, (-1,), _WHERE, "columns")
        values = frozen(self.values, np.float64, (len(columns),), _WHERE, "values")
        for name, value in (("rows", rows), ("columns", columns), ("values", values)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "parts", tuple(self.parts))
        check_base(self.base, _WHERE)
        if not self.parts:
            raise InputError(_WHERE, "it has no parts", "at least one is needed", "train it with fit_curves")
        in_order = len(rows) > 1 and rows[0] == 0 and rows[-1] == len(columns) and (np.diff(rows) >= 0).all()
        if not in_order or columns.min(initial=0) < 0 or columns.max(initial=0) >= self.node_count:
            given = "the rows of its matrix do not fit its nodes"
            raise InputError(_WHERE, given, "every entry names a node", "train it with fit_curves")
        for part in self.parts:
            if part.joints.min(initial=0) < 0 or part.joints.max(initial=-1) >= len(self.drivers):
                given = f"part {part.name!r} is driven by a joint that is not in its list"
                raise InputError(_WHERE, given, f"there are {len(self.drivers)}", "train it with fit_curves")
        _ = self.spaces  # refuses twins and unknown blends at the door

    @property
    def node_count(self) -> int:
        """How many nodes all curves have together."""
        return sum(part.curves * part.nodes for part in self.parts)

    @property
    def vertex_count(self) -> int:
        """How many vertices the mesh has."""
        return len(self.rows) - 1

    @cached_property
    def spaces(self) -> tuple[RadialSpace, ...]:
        """The poses of every part and where its examples lie among them."""
        return tuple(RadialSpace(part.positions, self.blend, self.beyond) for part in self.parts)

    def interpolator(self) -> ExampleInterpolator:
        """From poses to weights of examples, for all parts at once."""
        joints, axes = [part.joints for part in self.parts], [part.axes for part in self.parts]
        return ExampleInterpolator(self.drivers, self.spaces, joints, axes)

    @cached_property
    def matrix(self) -> Any:
        """How much every node counts for every vertex, as a sparse matrix (V, n)."""
        from scipy.sparse import csr_array

        return csr_array((self.values, self.columns, self.rows), shape=(self.vertex_count, self.node_count))

    @cached_property
    def digest(self) -> str:
        """Tells two models apart."""
        return digest_of(self.arrays()).hex()

    def arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """All numbers by name, in a fixed order."""
        yield "words", np.frombuffer("\0".join([self.character, self.base, self.blend, self.beyond]).encode(), np.uint8)
        for name in ("joints", "references", "homes"):
            yield f"drivers {name}", getattr(self.drivers, name)
        yield from (("rows", self.rows), ("columns", self.columns), ("values", self.values))
        for number, part in enumerate(self.parts):
            for name in ("joints", "axes", "positions", "offsets", "frames"):
                yield f"{number} {name}", getattr(part, name)

    def check_fits(self, character: Character) -> None:
        """Refuse a character that this was not trained for."""
        if len(character.points) != self.vertex_count:
            given = f"the model is for {self.vertex_count} vertices"
            needed = f"{character.name} has {len(character.points)}"
            raise InputError("CurveNetwork", given, needed, "train it for this character with supple fit-curves")
        if mesh_digest(character, _WHERE) != self.character:
            given = "the model was trained for another character"
            needed = f"mesh, skeleton and weights of {character.name} must be the same as then"
            raise InputError("CurveNetwork", given, needed, "train it again with supple fit-curves")
