"""Skin weights for characters that bring none."""

from __future__ import annotations

from typing import Literal, get_args

from supple.character.character import Character
from supple.character.weights import Weights
from supple.errors import InputError

Method = Literal["geodesic", "nearest-bone"]

__all__ = ["automatic_weights"]

_WHERE = "automatic_weights"


def automatic_weights(
    character: Character, *, method: Method = "geodesic", influences: int = 4, resolution: int = 128
) -> Weights:
    """Guess which joints move which part of the skin, from mesh and skeleton at rest alone.

    `geodesic` measures how long the way is from each bone to each vertex through the flesh, on voxels, `resolution` of
    them along the longest side, and gives every joint the share

        w = [1 / ((1 - a) d + a d^2)]^3,  a = 1/2, rows of sum one [after Dionne2013, with 3 for 2].

    d is measured in 1/512 of the character's size, so weights depend neither on units nor on the resolution, and fall
    off with nearly the sixth power of the distance: softer ones let every joint move half the body. Bones in front of
    the skin instead of beneath it count as farther, and joints far off in the skeleton fade. Fingers, thighs, or an arm
    beside the belly do not take each other's bones, however close they are, because ways end where the skin is. Open,
    unwelded, crossing and many-shelled meshes will do; pieces that hang on nothing (buttons, hair) follow the nearest
    skin that does.

    `nearest-bone` ties every vertex to its nearest bone, in equal shares of three at most where bones meet
    [AbuRumman2016, Eq. 4.1]. It is quick and hard-edged.

    At most `influences` joints move a vertex. Joints that only carry the character (a root on the floor) and bones
    without length own no skin. A bone outside the mesh is tied to the nearest flesh, with a SuppleWarning.

    Limits: nothing is known about anatomy; clothes modelled as separate shells join what they enclose.
    """
    if method not in get_args(Method):
        raise InputError(
            _WHERE, f"method is {method!r}", f"one of {', '.join(get_args(Method))} is needed", "choose one"
        )
    _check_whole(influences, "influences", 1, 64)
    _check_whole(resolution, "resolution", 8, 512)
    return _weights(character, method=method, influences=influences, resolution=resolution)


def _weights(character: Character, *, method: Method, influences: int, resolution: int) -> Weights:
    from supple.character.weighting.bones import owning_bones
    from supple.character.weighting.geodesic import geodesic_weights
    from supple.character.weighting.nearest_bone import nearest_bone_weights
    from supple.geometry.flesh import Flesh

    flesh = Flesh(character.points, character.triangles)
    bones = owning_bones(character.skeleton, flesh)
    if method == "nearest-bone":
        return nearest_bone_weights(character.points, bones).limited(influences)
    weights, _ = geodesic_weights(character.skeleton, bones, flesh, resolution=resolution, influences=influences)
    return Weights(weights.joints[flesh.point_of], weights.values[flesh.point_of])


def _check_whole(value: int, what: str, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InputError(_WHERE, f"{what} is {value!r}", f"a whole number from {low} to {high} is needed", "change it")
