"""What follows from one character: its flesh and links, how flesh hangs at rest, and what its skin is at rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.errors import InputError
from supple.skins.contact.control.tracking import subtree_inertia
from supple.skins.contact.detection.collision_pipeline import make_detector
from supple.skins.contact.detection.detector import RestExclusions
from supple.skins.contact.dynamics.factor import FactorArrays, FleshFactor
from supple.skins.contact.dynamics.factored_system import SolverArrays, factorize
from supple.skins.contact.kinematic_base import BaseBinding
from supple.skins.contact.model.flesh import WHERE, FleshLayer, flesh_from_character
from supple.skins.contact.model.links import Links, joints_from_links, links_from_flesh
from supple.skins.contact.model.mechanism import Mechanism, MechanismState, blended_rotations, mechanism_from_flesh
from supple.skins.contact.response.skin_points import SkinEmbedding
from supple.skins.contact.settings import (
    JointBounds,
    hinge_axes,
    joint_limits,
    joint_springs,
    region_vertices,
    with_regions,
)
from supple.skins.contact.surface import SkinAttachment

if TYPE_CHECKING:
    from supple.skins.contact.skin import ArticulatedContact

_GRAVITY = 9.81  # [m/s²]: that of the earth, by which the friction of joints is measured
_NO_CORE = 1e9  # [m]: how deep flesh without a core is
_HANGS = 0.25  # of how deep flesh is: how far it may be modelled to hang


class Sag:
    """How flesh hangs when nothing moves: K u = R_W^T m g.

    Very soft flesh would hang farther than it is deep; it is taken to be modelled as hanging only as far as leaves it
    its shape: by part of gravity. `at_rest` (n, 3) [m] is how it hangs where it was modelled, `factor` that of K.
    """

    def __init__(self, binding: ContactBinding, gravity: FloatArray) -> None:
        self._mechanism, self._depths = binding.mechanism, binding.max_displacements
        self.factor = None if binding.stiffness_factor is None else FleshFactor(binding.stiffness_factor)
        self.set_gravity(gravity)

    def set_gravity(self, gravity: FloatArray) -> None:
        """Hang with this gravity (3,) [m/s²]."""
        rest, most = MechanismState.rest(self._mechanism), _HANGS * self._depths
        self._pull = gravity
        self.at_rest = self.at(rest)
        hangs = np.linalg.norm(self.at_rest, axis=1)
        if (hangs > most).any():
            self._pull = float((most[hangs > 0.0] / hangs[hangs > 0.0]).min()) * gravity
            self.at_rest = self.at(rest)

    def at(self, state: MechanismState) -> FloatArray:
        """Displacements (n, 3) [m] with the links as they are in a state."""
        if self.factor is None:
            return np.zeros((0, 3))
        rotations = blended_rotations(self._mechanism, state)
        weight = self._mechanism.masses[:, None] * np.einsum("nba,b->na", rotations, self._pull)
        return np.asarray(self.factor.solve(weight.ravel())).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class ContactBinding:
    """A character with a dynamic skeleton and elastic flesh of n free nodes.

    `mechanism` is as it was modelled: nothing hangs, and no joint has a limit or damping; `joint_inertia` (c,) [kg
    m²] is that of all that hangs on each joint, `joint_weights` (c,) [N m] about how hard gravity turns it.
    `max_displacements` (n,) [m] is how far flesh may go, `stiffness_factor` that of its stiffness, and `rest` what
    its skin is at rest, where it meets itself. `flesh_depths` (N + V,) [m] is how deep flesh is below nodes and
    vertices of the skin; `base` carries it on the bones.
    """

    character: Character
    flesh: FleshLayer
    links: Links
    mechanism: Mechanism
    joint_inertia: FloatArray
    joint_weights: FloatArray
    max_displacements: FloatArray
    stiffness_factor: FactorArrays | None
    solver: SolverArrays
    rest: RestExclusions | None
    attachment: SkinAttachment
    skin_embedding: SkinEmbedding
    flesh_depths: FloatArray
    base: BaseBinding
    constants: devices.Constants

    @classmethod
    def from_character(cls, character: Character, skin: ArticulatedContact, device: str) -> ContactBinding:
        """Fill a character with flesh that hangs on links; the slow part."""
        if isinstance(character, Crowd):
            raise InputError(
                WHERE,
                f"a crowd of {character.count} was given",
                "it moves one character at a time",
                "make a player for each",
            )
        base, skeleton = BaseBinding.from_character(skin.layer.base, character, device), character.skeleton
        tissue, parts = skin.tissues()
        marked = with_regions(character, parts)
        flesh = flesh_from_character(
            marked, count=skin.elements, core=skin.layer.core, depth=skin.layer.depth, tissue=tissue, parts=parts
        )
        links = links_from_flesh(skeleton, flesh)
        joints = joints_from_links(skeleton, links, hinges=hinge_axes(skin.joints, character))
        mechanism = mechanism_from_flesh(flesh, links, joints)
        rest_exclusions = make_detector(flesh, mechanism, (), self_collision=True, device="cpu").rest_exclusions
        inertia, load = subtree_inertia(mechanism)
        attachment = SkinAttachment.from_flesh(character, flesh)
        embedding, depths = _embed_skin(character, base, links, attachment, mechanism), _core_distances(mechanism)
        return cls(
            character,
            flesh,
            links,
            mechanism,
            inertia[joints.children],
            _GRAVITY * np.sqrt(inertia * load)[joints.children],
            _depths(mechanism),
            factorize(mechanism.stiffness.tocsc()),
            SolverArrays.from_mechanism(mechanism, skin.step),
            rest_exclusions,
            attachment,
            embedding,
            np.concatenate([depths, embedding.carried_values(depths)]),
            base,
            devices.Constants(device),
        )

    def reshaped(self, character: Character, regions: Iterable[str]) -> ContactBinding | None:
        """That of a character with other shapes and maps; None where these `regions` of its flesh differ by them.

        The slow part follows from nothing else: the tissue of regions is all that maps say.
        """
        ours, theirs = (region_vertices(each, regions) for each in (self.character, character))
        if any(not np.array_equal(ours[name], theirs[name]) for name in ours):
            return None
        base = self.base.reshaped(character, self.constants.device)
        return replace(self, character=character, base=base)

    def tuned_mechanism(self, bounds: JointBounds, rest_sag: FloatArray) -> Mechanism:
        """The mechanism with these limits, springs and damping of its joints, its flesh modelled as hanging so far."""
        skeleton = self.character.skeleton
        axes = hinge_axes(bounds, self.character)
        spans, cones = joint_limits(bounds.limits, self.character, axes)
        joints = joints_from_links(skeleton, self.links, hinges=axes, limits=spans, cones=cones)
        rest = self.mechanism.rest.copy()
        rest[: self.mechanism.node_count] -= rest_sag
        damping = bounds.joint_damping * self.joint_inertia
        turned = [int(self.links.joints[link]) for link in joints.children]
        stiffness = joint_springs(bounds.joint_stiffness, skeleton, turned) * self.joint_inertia
        friction = bounds.joint_friction * self.joint_weights
        return replace(
            self.mechanism,
            joints=joints,
            joint_damping=damping,
            joint_stiffness=stiffness,
            joint_friction=friction,
            rest=rest,
        )


def _embed_skin(
    character: Character, base: BaseBinding, links: Links, attachment: SkinAttachment, mechanism: Mechanism
) -> SkinEmbedding:
    """The skin's vertices as contact points: links carry as the base has it, and flesh what it does."""
    carried = base.influences(character, links.of_joint, len(links))
    shares = attachment.weights.astype(np.float64) * attachment.follow_weights[:, None]
    free, edge = mechanism.node_count, _mean_edge(mechanism)
    return SkinEmbedding.from_weights(
        character.points, carried.weights, attachment.nodes, shares, free=free, edge=edge, pivots=carried.pivots
    )


def _mean_edge(mechanism: Mechanism) -> float:
    """How long [m] edges of elements are; some length where there are none."""
    ends = mechanism.rest[mechanism.elements]
    return float(np.linalg.norm(ends[:, 1:] - ends[:, :1], axis=2).mean()) if len(ends) else 1.0


def _core_distances(mechanism: Mechanism) -> FloatArray:
    """How deep (N,) [m] flesh is below nodes: how far the core is; none below its own."""
    from scipy.spatial import cKDTree

    n, every = mechanism.node_count, len(mechanism.rest)
    found = np.zeros(every)
    if n == every:  # without a core there is nothing to be pressed on
        found[:] = _NO_CORE
    elif n:
        found[:n] = cKDTree(mechanism.rest[n:]).query(mechanism.rest[:n])[0]
    return found


def _depths(mechanism: Mechanism) -> FloatArray:
    """How far (n,) [m] free nodes may go: as far as the core is, and the length of an edge."""
    n = mechanism.node_count
    if n in (0, len(mechanism.rest)):
        return np.full(n, np.inf)
    return np.asarray(_core_distances(mechanism)[:n] + _mean_edge(mechanism))
