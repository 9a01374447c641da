"""What follows from one character: its flesh and links, how flesh hangs at rest, and what its skin is at rest."""

from __future__ import annotations

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
from supple.skins.contact.model.flesh import WHERE, FleshLayer, flesh_from_character
from supple.skins.contact.model.joints import named_hinges
from supple.skins.contact.model.links import Links, joints_from_links, links_from_flesh
from supple.skins.contact.model.mechanism import Mechanism, MechanismState, blended_rotations, mechanism_from_flesh
from supple.skins.contact.settings import joint_limits, with_regions
from supple.skins.contact.surface import SkinAttachment
from supple.skins.kinematic.blend import BlendWeights

if TYPE_CHECKING:
    from supple.skins.contact.skin import ArticulatedContact

_HANGS = 0.25  # of how deep flesh is: how far it may be modelled to hang


@dataclass(frozen=True, eq=False)
class Sag:
    """How flesh hangs when nothing moves: K u = R_W^T m g.

    Very soft flesh would hang farther than it is deep; it is taken to be modelled as hanging only as far as leaves it
    its shape: by `gravity_fraction` of gravity.
    """

    mechanism: Mechanism
    gravity: FloatArray
    factor: FactorArrays | None
    gravity_fraction: float = 1.0

    @classmethod
    def from_mechanism(cls, mechanism: Mechanism, gravity: FloatArray, depths: FloatArray) -> Sag:
        """`depths` (n,) [m] are how deep flesh is."""
        whole = cls(mechanism, gravity, factorize(mechanism.stiffness.tocsc()))
        hangs = np.linalg.norm(whole.at(MechanismState.rest(mechanism)), axis=1)
        if not (hangs > _HANGS * depths).any():
            return whole
        return replace(whole, gravity_fraction=float((_HANGS * depths[hangs > 0.0] / hangs[hangs > 0.0]).min()))

    def at(self, state: MechanismState) -> FloatArray:
        """Displacements (n, 3) [m] with the links as they are in a state."""
        if self.factor is None:
            return np.zeros((0, 3))
        rotations = blended_rotations(self.mechanism, state)
        weight = self.mechanism.masses[:, None] * np.einsum(
            "nba,b->na", rotations, self.gravity_fraction * self.gravity
        )
        return np.asarray(FleshFactor(self.factor).solve(weight.ravel())).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class ContactBinding:
    """A character with a dynamic skeleton and elastic flesh of n free nodes.

    `rest_sag` (n, 3) [m] is how the flesh hangs where it was modelled, `max_displacements` (n,) [m] how far it may go,
    `rest` what its skin is at rest, where it meets itself.
    """

    character: Character
    flesh: FleshLayer
    links: Links
    mechanism: Mechanism
    gravity: FloatArray
    max_displacements: FloatArray
    sag: Sag
    rest_sag: FloatArray
    solver: SolverArrays
    rest: RestExclusions | None
    attachment: SkinAttachment
    packed: BlendWeights
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
        packed, skeleton = BlendWeights.from_character(character, WHERE), character.skeleton
        tissue, parts = skin.tissues()
        marked = with_regions(character, parts)
        flesh = flesh_from_character(
            marked, count=skin.elements, core=skin.layer.core, depth=skin.layer.depth, tissue=tissue, parts=parts
        )
        links = links_from_flesh(skeleton, flesh)
        axes = named_hinges(skeleton) if skin.joints.hinges == "names" else {}
        joints = joints_from_links(
            skeleton, links, hinges=axes, limits=joint_limits(skin.joints.limits, skeleton, axes)
        )
        made = mechanism_from_flesh(flesh, links, joints)
        made = replace(made, joint_damping=skin.joints.joint_damping * subtree_inertia(made)[0][joints.children])
        gravity, max_displacements = np.array([0.0, -skin.gravity, 0.0]), _depths(made)
        sag = Sag.from_mechanism(made, gravity, max_displacements)
        rest_sag = sag.at(MechanismState.rest(made))
        rest = made.rest.copy()
        rest[: made.node_count] -= rest_sag
        mechanism = replace(made, rest=rest)
        rest_exclusions = make_detector(
            flesh, mechanism, (), self_collision=skin.self_contact, device="cpu"
        ).rest_exclusions
        return cls(
            character,
            flesh,
            links,
            mechanism,
            gravity,
            max_displacements,
            sag,
            rest_sag,
            SolverArrays.from_mechanism(mechanism, skin.step),
            rest_exclusions,
            SkinAttachment.from_flesh(character, flesh),
            packed,
            devices.Constants(device),
        )


def _depths(mechanism: Mechanism) -> FloatArray:
    """How far (n,) [m] free nodes may go: as far as the core is, and the length of an edge."""
    from scipy.spatial import cKDTree

    n = mechanism.node_count
    if n in (0, len(mechanism.rest)):
        return np.full(n, np.inf)
    deep = np.asarray(cKDTree(mechanism.rest[n:]).query(mechanism.rest[:n])[0])
    ends = mechanism.rest[mechanism.elements]
    return deep + float(np.linalg.norm(ends[:, 1:] - ends[:, :1], axis=2).mean())
