"""A drawn shape on another bone: from arm to leg, or from one finger to the next."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError
from supple.skins.springs.attachment.attachment import Attachment, attach
from supple.skins.springs.attachment.segments import Segments

_WHERE = "copy_edit"
_FRONT, _UP = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
_ALONG = 0.95  # of a bone's direction towards the front: such bones are seen from above instead
_NEAREST = 3  # vertices among which an offset is blended


def copy_edit(character: Character, edit: SurfaceEdit, to: str, *, attachment: Attachment | None = None) -> SurfaceEdit:
    """What an edit does to the bone that it changes most, done to the bone of the joint `to` instead.

    A place there takes what the place at the same share of the first bone's length has, on the same side of it, as much
    larger as the limb is thicker there. Sides are told by the front of the character (+z, for bones that point there
    +y); from one side of the root (x) to the other they are as in a mirror. What the edit does to bones before and
    after it goes to those before and after the other one, as far as both go on. Offsets are blended between the three
    nearest places.
    """
    attached = attach(character) if attachment is None else attachment
    segments, offsets = attached.segments, edit.dense(len(character.points))
    if not offsets.any():
        raise InputError(_WHERE, "the edit moves nothing", "something has to be copied", "draw it first")
    own = np.bincount(attached.segment, np.linalg.norm(offsets, axis=1), len(segments)).astype(np.float64)
    skin = np.bincount(attached.segment, minlength=len(segments))
    source = int(own.argmax())
    number = character.skeleton.index(to)
    others = np.flatnonzero((segments.joints == number) & (skin > 0))
    if not len(others):
        raise InputError(_WHERE, f"no skin hangs on joint {to!r}", "its bones must carry some", "choose another one")
    target = int(others[skin[others].argmax()])
    if target == source:
        given = f"it was to be copied to {to!r}"
        raise InputError(_WHERE, given, "that is the bone that it was drawn on", "choose another one")
    copied, handles = np.zeros_like(offsets), []
    for one, other in _pairs(segments, own, source, target):
        there, taken, moved = _carried(attached, offsets, one, other)
        copied[there] = moved
        if edit.handles is not None:
            handles.append(there[np.isin(taken, edit.handles)])
    made = SurfaceEdit.of(copied)
    held = np.intersect1d(np.concatenate(handles), made.vertices) if handles else np.zeros(0, dtype=np.int32)
    return made.hold(held, stiffness=edit.stiffness) if len(held) else made


def _pairs(segments: Segments, own: FloatArray, source: int, target: int) -> list[tuple[int, int]]:
    """Which bone's part of an edit goes to which: source to target, and neighbours as far as the edit goes."""
    found = [(source, target)]
    for neighbours in (segments.before, segments.after):
        one, other = int(neighbours[source]), int(neighbours[target])
        taken = {source, target}
        while one >= 0 and other >= 0 and one != other and own[one] > 0.0 and not {one, other} & taken:
            found.append((one, other))
            taken |= {one, other}
            one, other = int(neighbours[one]), int(neighbours[other])
    return found


def _carried(
    attached: Attachment, offsets: FloatArray, source: int, target: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """The skin (N,) of the target, which vertex (N,) of the source each is nearest to, and its offsets (N, 3) [m]."""
    from scipy.spatial import cKDTree

    segments = attached.segments
    here, there = (np.flatnonzero(attached.segment == one).astype(np.int32) for one in (source, target))
    middles = 0.5 * (segments.starts + segments.ends)[[source, target]] - segments.starts[0]
    mirrored = bool(middles[0, 0] * middles[1, 0] < 0.0)
    frames = [_axes(segments.directions[one]) for one in (source, target)]
    frames[1][:, 2] *= -1.0 if mirrored else 1.0
    reach = [np.linalg.norm(attached.scale_vectors[skin], axis=1) for skin in (here, there)]
    thickness = [max(float(np.median(each)), 1e-9) for each in reach]
    length = max(float(segments.lengths[source]), 1e-9)
    places = []  # along the source, and round it as if it were as thick as it is in the middle
    for skin, frame, far in zip((here, there), frames, reach, strict=True):
        round_it = (attached.scale_vectors[skin] @ frame) / np.maximum(far, 1e-12)[:, None]
        places.append(np.column_stack([length * attached.along[skin], thickness[0] * round_it]))
    count = min(_NEAREST, len(here))
    away, nearest = cKDTree(places[0]).query(places[1], k=count)
    away, nearest = np.reshape(away, (-1, count)), np.reshape(nearest, (-1, count))
    close = 1.0 / np.maximum(away, 1e-6 * thickness[0])
    weights = close / close.sum(axis=1, keepdims=True)
    blended = np.einsum("nk,nki->ni", weights, offsets[here[nearest]])
    moved = (blended @ frames[0]) @ frames[1].T * (thickness[1] / thickness[0])
    return there, here[nearest[:, 0]], moved


def _axes(direction: FloatArray) -> FloatArray:
    """Axes (3, 3) of a bone, as columns: along it, to its front, and aside."""
    along = direction if np.linalg.norm(direction) > 0.5 else _UP
    towards = _UP if abs(along @ _FRONT) > _ALONG else _FRONT
    front = towards - (towards @ along) * along
    front /= np.linalg.norm(front)
    return np.column_stack([along, front, np.cross(along, front)])
