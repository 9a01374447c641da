"""Skeletons and clips of a USD stage as one skeleton and its motions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import FormatError
from supple.io.usd.character_writer import LOOP, STRIDE, TAILS
from supple.io.usd.library import from_matrices, usd
from supple.io.usd.stage_reader import OpenStage
from supple.motion.motion import Motion
from supple.motion.pose import Pose
from supple.names import UNDERLINED, unique

_MOST_FRAMES = 200_000


@dataclass(eq=False)
class UsdSkeleton:
    """One skeleton prim: its joints by path, where they stand among all joints, and its rest."""

    prim: Any
    paths: list[str]
    names: list[str]
    parents: FloatArray
    bind: FloatArray
    rest: FloatArray
    tails: FloatArray | None = None
    first: int = 0
    scale: float = 1.0
    number: dict[str, int] = field(default_factory=dict)

    def skeleton_space(self, local: FloatArray) -> FloatArray:
        """Forward kinematics (J, 4, 4) in the space of the skeleton; parents stand before their children."""
        world = local.copy()
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                world[joint] = world[parent] @ world[joint]
        return world


class UsdRig:
    """All skeletons of a stage as one; joints whose names clash are told apart by their skeleton's name."""

    def __init__(self, opened: OpenStage) -> None:
        UsdSkel = usd("UsdSkel", opened.where)
        self.opened = opened
        self.skeletons: dict[str, UsdSkeleton] = {}
        self.clips: list[Any] = []
        for prim in opened.prims():
            if prim.IsA(UsdSkel.Skeleton):
                found = _read_skeleton(prim, opened.where)
                if found is not None:
                    self.skeletons[str(prim.GetPath())] = found
            elif prim.IsA(UsdSkel.Animation):
                self.clips.append(UsdSkel.Animation(prim))
        if self.skeletons:
            self.skeleton = self._merged()

    def _merged(self) -> Skeleton:
        names: list[str] = []
        taken: set[str] = set()
        parents: list[int] = []
        world: list[FloatArray] = []
        tails: list[FloatArray] = []
        for one in self.skeletons.values():
            one.first = len(names)
            placed = self.opened.ours_from_prim(one.prim)
            one.scale = _scale_of(placed, str(one.prim.GetPath()), self.opened.where)
            for name in one.names:
                names.append(_fresh(name, one.prim.GetName(), taken))
                taken.add(names[-1])
            parents += [int(parent) + one.first if parent >= 0 else -1 for parent in one.parents]
            world.append(placed @ one.bind @ np.diag([1 / one.scale] * 3 + [1.0]))
            if one.tails is not None:
                tails.append(one.tails @ placed[:3, :3].T + placed[:3, 3])
        ends = np.concatenate(tails) if len(tails) == len(self.skeletons) else None
        return Skeleton(tuple(names), np.array(parents), np.concatenate(world), tails=ends)

    def motions(self) -> dict[str, Motion]:
        """Every clip that moves some of the joints, on the merged skeleton; the one that plays comes first."""
        UsdSkel = usd("UsdSkel", self.opened.where)
        playing = []
        for one in self.skeletons.values():
            source = UsdSkel.BindingAPI(one.prim).GetInheritedAnimationSource()
            if source:
                playing.append(str(source.GetPath()))
        clips = sorted(self.clips, key=lambda clip: str(clip.GetPath()) not in playing)
        found: dict[str, Motion] = {}
        for clip in clips:
            title = clip.GetPrim().GetDisplayName() or clip.GetPrim().GetName()
            motion = self._motion(clip, _fresh(title, clip.GetPrim().GetParent().GetName(), set(found)))
            if motion is not None:
                found[motion.name] = motion
        return found

    def _motion(self, clip: Any, name: str) -> Motion | None:
        UsdSkel = usd("UsdSkel", self.opened.where)
        query = UsdSkel.Cache().GetAnimQuery(clip)
        if not query:
            return None
        order = [str(token) for token in query.GetJointOrder()]
        owners = [one for one in self.skeletons.values() if any(path in one.number for path in order)]
        if not owners:
            return None
        samples = [*query.GetJointTransformTimeSamples(), *query.GetBlendShapeWeightTimeSamples()]
        codes, fps = _time_codes(samples, self.opened.rate, name, self.opened.where)
        poses = [
            Pose(self._world(query, order, owners, code), shapes=self._shape_weights(query, code))
            for code in codes.tolist()
        ]
        motion = Motion.from_poses(
            self.skeleton, lambda at: poses[round(at * fps)], seconds=(len(poses) - 1) / fps, fps=fps, name=name
        )
        stride = _custom(clip.GetPrim(), STRIDE, (3,))
        if stride is None or clip.GetPrim().GetAttribute(LOOP).Get() is not True:
            return motion
        return motion.replace(loop=True, stride=self.opened.ours_from_prim(owners[0].prim)[:3, :3] @ stride)

    def _shape_weights(self, query: Any, code: float) -> dict[str, float]:
        """How much of every blend shape there is at one time."""
        names = [str(token) for token in query.GetBlendShapeOrder()]
        weights = query.ComputeBlendShapeWeights(code) if names else None
        if weights is None or len(weights) != len(names):
            return {}
        return {name: float(weight) for name, weight in zip(names, weights, strict=True)}

    def _world(self, query: Any, order: list[str], owners: list[UsdSkeleton], code: float) -> FloatArray:
        """All joints at one time; joints that the clip does not name stay at rest."""
        world = self.skeleton.world_from_joint.copy()
        keys = from_matrices(query.ComputeJointLocalTransforms(code))
        if len(keys) != len(order):
            given = f"clip {query.GetPrim().GetName()} has {len(keys)} transforms at time code {code:g}"
            raise FormatError(self.opened.where, given, f"it names {len(order)} joints", "export it again")
        for one in owners:
            local = one.rest.copy()
            for key, path in zip(keys, order, strict=True):
                if path in one.number:
                    local[one.number[path]] = key
            placed = self.opened.ours_from_prim(one.prim, code)
            straight = np.diag([1 / one.scale] * 3 + [1.0])
            world[one.first : one.first + len(one.paths)] = placed @ one.skeleton_space(local) @ straight
        return world


def _read_skeleton(prim: Any, where: str) -> UsdSkeleton | None:
    UsdSkel = usd("UsdSkel", where)
    schema = UsdSkel.Skeleton(prim)
    paths = [str(token) for token in schema.GetJointsAttr().Get() or []]
    if not paths:
        return None
    at = f"{where} {prim.GetPath()}"
    topology = UsdSkel.Topology(schema.GetJointsAttr().Get())
    valid, reason = topology.Validate()
    if not valid or len(set(paths)) != len(paths):
        raise FormatError(
            at,
            f"its joints are in no order ({reason or 'a path stands twice'})",
            "parents must come before children",
            "export it again",
        )
    parents = np.array([topology.GetParent(joint) for joint in range(len(paths))])
    bind = from_matrices(schema.GetBindTransformsAttr().Get() or [])
    rest = from_matrices(schema.GetRestTransformsAttr().Get() or [])
    if len(bind) != len(paths) and len(rest) != len(paths):
        given = f"it has {len(bind)} bind and {len(rest)} rest transforms"
        raise FormatError(at, given, f"{len(paths)} of either are needed", "export it again")
    made = UsdSkeleton(prim, paths, _names(schema, paths), parents, bind, rest)
    made.number = {path: joint for joint, path in enumerate(paths)}
    made.tails = _custom(prim, TAILS, (len(paths), 3))
    for transforms in (bind, rest):
        if not np.isfinite(transforms).all():
            raise FormatError(at, "a transform is not finite", "finite numbers are needed", "export it again")
    if len(bind) != len(paths):
        made.bind = made.skeleton_space(rest)
    if np.any(np.abs(np.linalg.det(made.bind[:, :3, :3])) < 1e-18):
        raise FormatError(at, "a bind transform cannot be inverted", "every joint needs a scale", "export it again")
    if len(rest) != len(paths):
        made.rest = made.bind.copy()
        hanging = parents >= 0
        made.rest[hanging] = np.linalg.solve(made.bind[parents[hanging]], made.bind[hanging])
    return made


def _custom(prim: Any, name: str, shape: tuple[int, ...]) -> FloatArray | None:
    """The finite numbers of an attribute of our own; None where it is missing or of another shape."""
    given = prim.GetAttribute(name).Get() if prim.HasAttribute(name) else None
    if given is None:
        return None
    found = np.array(given, dtype=np.float64)
    return found if found.shape == shape and np.isfinite(found).all() else None


def _names(schema: Any, paths: list[str]) -> list[str]:
    """Names as the artist gave them, or the last part of each path where that tells joints apart."""
    given = [str(name) for name in schema.GetJointNamesAttr().Get() or []]
    if len(given) == len(paths) == len(set(given)):
        return given
    last = [path.rsplit("/", 1)[-1] for path in paths]
    return last if len(set(last)) == len(last) else paths


def _fresh(name: str, owner: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return unique([f"{owner}_{name}"], taken=taken, form=UNDERLINED)[0]


def _scale_of(placed: FloatArray, prim: str, where: str) -> float:
    """How much bigger things become on their way to our space; joints are freed of it."""
    volume = float(abs(np.linalg.det(placed[:3, :3])))
    if not (np.isfinite(volume) and volume > 0.0):
        raise FormatError(
            f"{where} {prim}",
            "its transform cannot be inverted",
            "a scale other than zero",
            "apply the transform and export it again",
        )
    return float(np.cbrt(volume))


def _time_codes(samples: list[float], rate: float, name: str, where: str) -> tuple[FloatArray, float]:
    """Even times that meet the samples, and how many there are a second."""
    times = np.array(sorted(set(samples)) or [0.0], dtype=np.float64)
    if not (np.isfinite(times).all() and np.isfinite(rate) and rate > 0.0):
        raise FormatError(where, f"clip {name} has times that are not finite", "finite times", "export it again")
    if len(times) == 1:
        return times, rate
    span = float(times[-1] - times[0])
    step = float(np.diff(times).min())
    count = round(span / step) + 1 if step > 0.0 and span / step < _MOST_FRAMES else 0
    if not 0 < count <= 4 * len(times):  # samples here and there: take every whole time code
        step = 1.0
        count = int(span) + 1
    if count > _MOST_FRAMES:
        raise FormatError(
            where, f"clip {name} lasts {span:g} time codes", f"at most {_MOST_FRAMES} are read", "cut the clip"
        )
    return times[0] + step * np.arange(count), rate / step
