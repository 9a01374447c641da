"""All measures of one bake."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray, frozen
from supple.character.anatomy.enclosure import enclosing_triangles
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.graph.cache import Cache
from supple.measure.errors import Distance, of_deviation, sequence_error
from supple.measure.flesh.keeper import volume_by_itself
from supple.measure.flesh.limb_volume import limb_volume_ratio
from supple.measure.frames import chunks, frames_of, room_for
from supple.measure.inversion import Tetrahedra, inverted
from supple.measure.jitter import CUTOFF, Vibration, vibration
from supple.measure.kinematic import deviation_from_kinematic
from supple.measure.penetration import penetration
from supple.measure.report import Report
from supple.measure.sections import SECTIONS, section_radius
from supple.measure.settling import settling
from supple.measure.stretch import area_stretch, edge_stretch
from supple.measure.volume import part_volume_ratio, volume_ratio

SHORTEST_BONE = 0.02  # of the body's size: shorter bones have no sections worth the name
HIGHEST_CUTOFF = 0.4  # of the frame rate


def measure(
    character: Character,
    cache: Cache,
    *,
    reference: Cache | ArrayLike | None = None,
    ignore_rest_crossings: bool = False,
    cutoff: float | None = None,
    tetrahedra: Tetrahedra | None = None,
    seconds: Mapping[str, ArrayLike] | None = None,
    by_itself: bool = False,
) -> Report:
    """Say what a baked skin did to a character: volume, stretch, penetration, jitter, settling, thickness, error.

    `reference` is another bake, or points (F, V, 3) [m], of the same mesh and frames. With `ignore_rest_crossings`,
    triangles that cross in the rest pose do not count as penetrations. `cutoff` [Hz] parts jiggle from jitter: 10 Hz,
    or 0.4 of a low frame rate, if not given. `tetrahedra` are the flesh of methods that have some, `seconds` (F,) the
    time each frame took, by stage, where somebody kept it. `by_itself` plays flesh once more without the last help of
    its skin (`keep_volume`), for both figures. Every measure is a function of its own in `supple.measure`.

    Frames of an unfinished bake are measured as far as they are there. Distance from the kinematic skin and jitter
    need skin weights, and are None without.
    """
    _check_same(character, cache)
    points = frames_of(cache.points, str(cache.path), what="the bake")
    rest, faces, poses = character.points, character.triangles, cache.poses[: len(points)]
    enclosed, _ = enclosing_triangles(rest, faces)  # so that limbs add up to the whole
    moved, shaken = _against_kinematic(character, points, cache, cutoff)
    return Report(
        character=character.name,
        motion=str(cache.info["motion_name"]),
        skin=" + ".join(stage.name for stage in cache.graph.stages),
        fps=cache.fps,
        times=cache.times[: len(points)],
        volume_ratio=volume_ratio(points, rest, enclosed if len(enclosed) else faces),
        part_volume_ratio=part_volume_ratio(points, rest, faces, parts=character.parts),
        edge_stretch=edge_stretch(points, rest, faces),
        area_stretch=area_stretch(points, rest, faces),
        crossing=penetration(points, rest, faces, ignore_rest=ignore_rest_crossings),
        sections=section_radius(points, rest, faces, bones=bones_of(character.skeleton, rest), sections=SECTIONS),
        settling=settling(points, poses, fps=cache.fps),
        distance_from_kinematic=moved,
        vibration=shaken,
        error=None if reference is None else sequence_error(points, _frames_of_reference(reference, points)),
        inverted=None if tetrahedra is None else inverted(tetrahedra),
        seconds=_stages(seconds or {}, len(points)),
        fell_back=cache.fell_back,
        limb_volume_ratio=limb_volume_ratio(points, character),
        volume_by_itself=volume_by_itself(character, cache) if by_itself else None,
    )


def bones_of(skeleton: Skeleton, rest_points: FloatArray) -> dict[str, tuple[FloatArray, FloatArray]]:
    """The longest bone of every joint by the joint's name; those too short to have a thickness are left out."""
    least = SHORTEST_BONE * float(np.linalg.norm(np.ptp(rest_points, axis=0)))
    lengths = np.linalg.norm(skeleton.bones.ends - skeleton.bones.starts, axis=1)
    found = {}
    for bone in np.argsort(lengths, kind="stable"):
        if lengths[bone] > least:
            name = skeleton.names[int(skeleton.bones.joints[bone])]
            found[name] = (skeleton.bones.starts[bone], skeleton.bones.ends[bone])
    return {name: found[name] for name in skeleton.names if name in found}


def _against_kinematic(
    character: Character, points: Float32Array, cache: Cache, cutoff: float | None
) -> tuple[Distance | None, Vibration | None]:
    if character.weights is None:
        return None, None
    fps, poses = cache.fps, (cache.pose(frame) for frame in range(len(points)))
    deviation = deviation_from_kinematic(character, points, poses, into=room_for(points.shape))
    rms, worst = np.empty(len(points)), np.empty(len(points))
    for rows in chunks(len(points)):
        rms[rows], worst[rows] = of_deviation(deviation[rows])
    parting = min(CUTOFF, HIGHEST_CUTOFF * fps) if cutoff is None else cutoff
    return Distance(rms, worst), vibration(deviation, fps=fps, cutoff=parting)


def _frames_of_reference(reference: Cache | ArrayLike, points: Float32Array) -> ArrayLike:
    given = reference.points if isinstance(reference, Cache) else np.asarray(reference)
    if given.shape != points.shape:
        raise InputError(
            "measure",
            f"the reference has shape {given.shape}",
            f"the bake has {points.shape}",
            "bake both with the same character, motion and fps",
        )
    return given


def _stages(seconds: Mapping[str, ArrayLike], frames: int) -> dict[str, FloatArray]:
    return {
        str(name): frozen(taken, np.float64, (frames,), "measure", f"seconds of {name!r}")
        for name, taken in seconds.items()
    }


def _check_same(character: Character, cache: Cache) -> None:
    same = (
        cache.rest.shape == character.points.shape
        and np.array_equal(cache.rest, character.points)
        and np.array_equal(cache.triangles, character.triangles)
        and list(cache.info["joints"]) == list(character.skeleton.names)
    )
    if not same:
        raise InputError(
            "measure",
            f"{cache.path} holds {cache.info['character_name']} with {len(cache.rest)} points",
            f"it is not the mesh and skeleton of {character.name} with {len(character.points)} points",
            "measure a bake with the character that was baked",
        )
    if cache.ready == 0:
        raise InputError("measure", f"{cache.path} has no frame yet", "at least one is needed", "wait for the bake")
