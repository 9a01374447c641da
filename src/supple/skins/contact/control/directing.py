"""Cues at work on one character: how strong its muscles should be at a time, and what pushes its skin then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.obstacles.shapes import Plane, RigidBody
from supple.skins.contact.control.cues import MOST_STRUCK, Cue, GoLimpWhenStruck, Hit, LeadRoot, Push, Strengthen
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.response.contact_set import ContactImpulses, ContactSet
from supple.skins.pull import Pull

HIT_SECONDS = 1.0 / 30.0  # how long a hit lasts: a fist or a ball does not take longer, and bones feel it whole
NEVER = -1e9  # [s]
_OFF = 2.0  # how much a vertex counts as farther from the hit for being beside its line


@dataclass(frozen=True, eq=False)
class Blow:
    """A force (3,) [N] on a vertex from one time [s] to another."""

    vertex: int
    force: FloatArray
    at: float
    until: float

    def pull(self, time: float, dt: float) -> Pull | None:
        """What it does in the step of `dt` [s] that ends at `time`: the part of the step that it lasts."""
        lasts = min(time, self.until) - max(time - dt, self.at)
        return Pull(self.vertex, force=(lasts / dt) * self.force) if lasts > 1e-9 * dt else None


def check_cues(cues: Sequence[Cue], character: Character) -> None:
    """Refuse joints, vertices and places that a character does not have."""
    for cue in cues:
        if isinstance(cue, Strengthen | GoLimpWhenStruck) and cue.joint:
            character.skeleton.index(cue.joint)
        if isinstance(cue, Hit | Push):
            find_vertex(cue.place, character, np.asarray(cue.impulse if isinstance(cue, Hit) else cue.force))


class Directing:
    """The cues of one character, k links of which some are `roots`; `joints` (k,) say of which joint each is."""

    def __init__(
        self, cues: Sequence[Cue], character: Character, *, joints: IntArray, roots: IntArray, met: Sequence[RigidBody]
    ) -> None:
        skeleton = character.skeleton
        self._roots = np.zeros(len(joints), dtype=bool)
        self._roots[roots] = True

        def links(joint: str) -> BoolArray:
            below = skeleton.descendants(skeleton.index(joint)) if joint else np.arange(len(skeleton))
            found: BoolArray = np.isin(joints, below) & ~self._roots
            if joint and not found.any():
                given = f"a cue names {joint!r}, which has no muscles of its own"
                raise InputError(WHERE, given, "it goes with what it hangs on", "name that joint")
            return found

        keyed = [cue for cue in cues if isinstance(cue, Strengthen | LeadRoot)]
        self._keys = [(cue, self._roots if isinstance(cue, LeadRoot) else links(cue.joint)) for cue in keyed]
        self._keys = [
            (cue, who | self._roots if isinstance(cue, Strengthen) and cue.root else who)
            for cue, who in sorted(self._keys, key=lambda key: key[0].at)
        ]
        struck = [cue for cue in cues if isinstance(cue, GoLimpWhenStruck)]
        self._struck = [
            (cue, links(cue.joint) if cue.joint else np.ones(len(joints), dtype=bool), _heard(cue, skeleton))
            for cue in struck
        ]
        self._blows = [_blow(cue, character) for cue in cues if isinstance(cue, Hit | Push)]
        self._blown = [_main_joint(blow.vertex, character) for blow in self._blows]
        self._floors = np.array([isinstance(body, Plane) for body in met], dtype=bool)

    @property
    def pushes(self) -> bool:
        """Whether it ever pushes the skin."""
        return bool(self._blows)

    def strengths(self, base: FloatArray, time: float, struck_at: FloatArray) -> FloatArray:
        """How strong every link (k,) should be at a time [s], where settings say `base`.

        Every key goes on from what those before it led to. `struck_at` (MOST_STRUCK,) [s] is when each cue for who is
        struck last was.
        """
        found = base.copy()
        for cue, who in self._keys:
            if time < cue.at:
                break
            target = base if cue.value is None else np.full_like(base, cue.value)
            part = 1.0 if cue.until is None else min((time - cue.at) / (cue.until - cue.at), 1.0)
            found[who] += part * (target - found)[who]
        for number, (trigger, who, _) in enumerate(self._struck):
            if time - struck_at[number] <= trigger.seconds:
                found[who] = 0.0
        return found

    def feel(
        self,
        touched: tuple[ContactSet, ContactImpulses],
        joint_of_node: IntArray,
        *,
        time: float,
        dt: float,
        struck_at: FloatArray,
    ) -> None:
        """Note who was struck in the step of `dt` [s] that ends at `time`; floors and walls strike nobody."""
        if not self._struck:
            return
        contacts, found = touched
        solid = contacts.obstacles >= 0
        solid[solid] = ~np.append(self._floors, np.zeros(1, dtype=bool))[
            np.minimum(contacts.obstacles[solid], len(self._floors))
        ]
        hit = joint_of_node[contacts.nodes[:, 0]]
        for number, (trigger, _, joints) in enumerate(self._struck):
            rows = solid & joints[hit]
            count = int(contacts.obstacles.max(initial=0)) + 1
            given = np.bincount(contacts.obstacles[rows], found.normal_impulses[rows], count)
            if given.max(initial=0.0) > trigger.force * dt:
                struck_at[number] = time

    def feel_blows(self, *, time: float, dt: float, struck_at: FloatArray) -> None:
        """Note who is struck by what cues themselves do in the step of `dt` [s] that ends at `time`."""
        for number, (trigger, _, joints) in enumerate(self._struck):
            for blow, joint in zip(self._blows, self._blown, strict=True):
                pull = blow.pull(time, dt)
                if pull is not None and joints[joint] and float(np.linalg.norm(pull.vector)) > trigger.force:
                    struck_at[number] = time

    def pulls(self, time: float, dt: float) -> list[Pull]:
        """What pushes the skin in the step of `dt` [s] that ends at `time`."""
        return [pull for blow in self._blows if (pull := blow.pull(time, dt)) is not None]

    def check_hardest(self, strongest: float) -> None:
        """Refuse forces that hands cannot give: more than `strongest` [N]."""
        for blow in self._blows:
            if float(np.linalg.norm(blow.force)) > strongest:
                given = f"a cue pushes with {np.linalg.norm(blow.force):.3g} N"
                needed = f"a character of this weight can be pushed with {strongest:.3g} N"
                raise InputError(WHERE, given, needed, f"hit softer (a hit lasts {HIT_SECONDS:.3f} s), or push longer")


def no_strikes() -> FloatArray:
    """Nobody was struck."""
    return np.full(MOST_STRUCK, NEVER)


def _heard(cue: GoLimpWhenStruck, skeleton: Skeleton) -> BoolArray:
    """The joints (J,) at which a cue hears of who is struck."""
    heard = np.full(len(skeleton), not cue.joint)
    if cue.joint:
        heard[skeleton.descendants(skeleton.index(cue.joint))] = True
    return heard


def _blow(cue: Hit | Push, character: Character) -> Blow:
    vector = np.asarray(cue.impulse if isinstance(cue, Hit) else cue.force, dtype=np.float64)
    vertex = find_vertex(cue.place, character, vector)
    if isinstance(cue, Hit):
        return Blow(vertex, vector / HIT_SECONDS, cue.at, cue.at + HIT_SECONDS)
    return Blow(vertex, vector, cue.at, cue.until)


def find_vertex(place: str, character: Character, way: FloatArray) -> int:
    """The vertex that a cue names: by number, by a place at rest, or where what comes that `way` meets a joint."""
    points = character.points
    if place.startswith("#"):
        number = place[1:]
        if not number.isdecimal() or int(number) >= len(points):
            raise InputError(WHERE, f"a cue names vertex {place!r}", f"there are #0 to #{len(points) - 1}", "name one")
        return int(number)
    if place.startswith("@"):
        try:
            at = np.array([float(part) for part in place[1:].split(",")])
        except ValueError:
            at = np.zeros(0)
        if at.shape != (3,) or not np.isfinite(at).all():
            raise InputError(WHERE, f"a cue names the place {place!r}", "three numbers are needed", "try @0,1.2,0.1")
        return int(np.linalg.norm(points - at, axis=1).argmin())
    joint = character.skeleton.index(place)
    return _of_joint(joint, character, way)


def _main_joint(vertex: int, character: Character) -> int:
    """The joint that carries most of a vertex."""
    weights = character.weights
    return 0 if weights is None else int(weights.joints[vertex, int(weights.values[vertex].argmax())])


def _of_joint(joint: int, character: Character, way: FloatArray) -> int:
    """The vertex of a joint's skin that what comes along `way` at the middle of its bone meets first, at rest."""
    skeleton, weights = character.skeleton, character.weights
    bones = skeleton.bones
    own = np.flatnonzero(bones.joints == joint)
    middle = skeleton.heads[joint] if not len(own) else 0.5 * (bones.starts[own[0]] + bones.ends[own[0]])
    of_joint = np.ones(len(character.points), dtype=bool)
    if weights is not None:
        hangs = np.where(weights.joints == joint, weights.values, 0.0).sum(axis=1)
        of_joint = hangs > 0.5 * float(hangs.max()) if hangs.max() > 0.0 else of_joint
    length = float(np.linalg.norm(way))
    toward = -way / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    off = character.points - middle
    along = off @ toward
    beside = np.linalg.norm(off - along[:, None] * toward, axis=1)
    return int(np.where(of_joint, along - _OFF * beside, -np.inf).argmax())
