"""A character or a motion from FBX, binary or text, through the package ufbx in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.errors import FormatError, InputError
from supple.io import sandbox
from supple.io.fbx import isolated_reader
from supple.io.fbx.body import build_body
from supple.io.fbx.materials import Materials
from supple.io.fbx.pieces import Meshes, Piece
from supple.io.fbx.rig import Nodes, build_rig, motion_of, moving
from supple.io.gltf.faults import Faults
from supple.io.rigs.rig import Rig, rests
from supple.motion.motion import Motion
from supple.names import unique


def read_character(path: Path, *, repair: bool) -> Character:
    """All that the file shows, as one character, in metres and y up.

    The rest pose is the one the skins were bound in. Bones shared by several meshes are one joint; meshes that no skin
    bends ride on their node, which becomes a joint. Every animation stack is a motion, sampled at the frame rate of
    the file; a file without any that opens in another pose than it was bound in has the motion "default pose". Quads,
    texture coordinates and blend shapes are kept, and shapes move with the clips.

    Materials come with the pictures that are embedded or lie beside the file, as far as they have a place here.
    Cameras, lights, constraints, subdivision and shapes in between are not read. Polygons with more than four corners
    are cut into fans.
    """
    faults = Faults(path.name, repair=repair)
    read = _read(path, faults, looks=True)
    if not read.pieces:
        raise InputError(
            path.name,
            "the file is well formed and holds no mesh that is shown",
            "a character needs a mesh",
            "export the mesh together with its skeleton, or load it with supple.load_motion",
        )
    try:
        body = build_body(read.pieces, read.rig)
        body.surface.check(len(body.points), path.name)
        character = Character(
            body.points,
            body.surface.triangles(),
            read.rig.skeleton,
            body.weights,
            name=path.stem,
            parts=body.parts,
            motions=read.motions(),
            polygons=body.surface.polygons(),
            display=body.surface.display(),
            shapes=body.shapes,
            materials=read.materials.found,
            material_of_triangle=body.surface.materials_of_triangles(),
        )
    except InputError as error:
        raise _refuse(path, error) from None
    faults.tell()
    return character


def read_motion(path: Path) -> Motion:
    """The first clip of a file, on the file's own skeleton; the file may hold bones alone."""
    faults = Faults(path.name, repair=True)
    read = _read(path, faults, looks=False)
    try:
        motions = read.motions()
    except InputError as error:
        raise _refuse(path, error) from None
    if not motions:
        raise InputError(
            path.name, "the file is well formed and holds no clip", "a motion needs one", "export the animation too"
        )
    faults.tell()
    return next(iter(motions.values()))


@dataclass(frozen=True, eq=False)
class _Read:
    """What a file holds: its nodes, its meshes, the skeleton of both, and its clips as keys of nodes."""

    nodes: Nodes
    pieces: list[Piece]
    rig: Rig
    clips: list[FloatArray]
    shape_weights: list[FloatArray]
    words: dict[str, Any]
    materials: Materials

    def motions(self) -> dict[str, Motion]:
        """The clips by name, without those that only stand at rest."""
        names = unique([_plain(clip["name"], self.nodes.names) for clip in self.words["clips"]])
        made = {}
        for keys, shape_weights, name, clip in zip(
            self.clips, self.shape_weights, names, self.words["clips"], strict=True
        ):
            motion = motion_of(self.rig, keys, clip["fps"], name, shapes=self._shapes(shape_weights, clip["channels"]))
            if not rests(motion):
                made[name] = motion
        if not made:
            opening = motion_of(self.rig, self.nodes.keys[None], 30.0, "default pose")
            return {} if rests(opening) else {opening.name: opening}
        return made

    def _shapes(self, shape_weights: FloatArray, channels: list[int]) -> dict[str, FloatArray]:
        """Shares (F,) of the shapes that a clip moves, by name; meshes that name a shape alike move it together."""
        column = {channel: index for index, channel in enumerate(channels)}
        known = {name: (channel, full) for piece in self.pieces for channel, (name, full) in piece.channels.items()}
        return {
            name: shape_weights[:, column[channel]] / (full if full > 0.0 else 1.0)
            for name, (channel, full) in known.items()
            if channel in column
        }


def _read(path: Path, faults: Faults, *, looks: bool) -> _Read:
    arrays, words = isolated_reader.read_in_subprocess(path)
    if not looks:  # a motion has no need of pictures, and no fault where they are missing
        words["materials"] = []
    for said in words["notes"]:
        faults.note("the reader says", said)
    try:
        bind_pose = dict(zip(arrays["posed_nodes"].tolist(), arrays["posed"], strict=True))
        nodes = Nodes.from_arrays(
            words["names"], arrays["parents"], arrays["locals"], arrays["bones"], bind_pose, file=path.name
        )
        room = isolated_reader.MEMORY + sandbox.GROWTH * path.stat().st_size
        materials = Materials(path, arrays, words, faults)
        meshes = Meshes(arrays, words, nodes.world, faults, file=path.name, room=room, materials=materials)
        pieces = meshes.pieces()
        clips, shape_weights = (_clips(arrays, words, path, ending) for ending in ("", " shape weights"))
        rig = build_rig(nodes, pieces, moving(nodes, clips), file=path.name)
    except FormatError:
        raise
    except InputError as error:
        raise _refuse(path, error) from None
    return _Read(nodes, pieces, rig, clips, shape_weights, words, materials)


def _clips(arrays: dict[str, NDArray[Any]], words: dict[str, Any], path: Path, ending: str) -> list[FloatArray]:
    clips = [arrays[f"clip {number}{ending}"] for number in range(len(words["clips"]))]
    for keys, clip in zip(clips, words["clips"], strict=True):
        if not (np.abs(keys) < 1e30).all():
            raise FormatError(
                f"{path.name}: clip {clip['name']!r}",
                "some keys are not finite",
                "finite keys are needed",
                "export it again",
            )
    return clips


def _plain(name: str, nodes: list[str]) -> str:
    """The name of a clip without the object that Blender puts before it ('Armature|walk')."""
    owner, bar, rest = name.partition("|")
    return rest if bar and rest and owner in nodes else name or "clip"


def _refuse(path: Path, error: InputError) -> FormatError:
    """What a character, skeleton or motion refused, said of the file that it came from."""
    return FormatError(f"{path.name}: {error.where}", error.given, error.needed, "export it again")
