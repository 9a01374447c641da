"""The character, the motion and the skin of a shot, opened as `supple bake` opens them."""

from __future__ import annotations

import contextlib
import hashlib
from collections import OrderedDict
from pathlib import Path

from supple.character.character import Character
from supple.document.file import load_document
from supple.document.skin_files import graph_with_files
from supple.document.sources import character_from, motion_from, swinging
from supple.edits.file import load_edits
from supple.errors import InputError
from supple.farm.places import fetched, is_address
from supple.farm.shot import Shot
from supple.graph.graph import Graph
from supple.motion.motion import Motion

_KEPT = 4  # characters, for the shots that follow: a sweep has the same one again and again
_ONE_FILE = (
    "",
    ".glb",
    ".vrm",
    ".usdz",
)  # whose files hold all of them; others may change beside the one that is named
_characters: OrderedDict[tuple[object, ...], Character] = OrderedDict()


def opened(shot: Shot) -> tuple[Character, Motion, Graph]:
    """What a shot bakes."""
    if shot.document is not None:
        return _document(shot, shot.document)
    if shot.graph is None:
        raise InputError(f"shot {shot.name}", "it has no graph", "one is needed", "read the list again")
    graph = graph_with_files(Graph.from_dict(shot.graph))
    character = _character(shot)
    if shot.motion is not None and is_address(shot.motion):
        with fetched(shot.motion) as path:
            clip = motion_from(path, character)
    else:
        clip = motion_from(shot.motion, character)
    if shot.spring_bones:
        clip = swinging(character, clip)
    if shot.edits is None:
        return character, clip, graph
    with fetched(shot.edits) as path:
        edits = load_edits(path)
    longer = shot.end if shot.end is not None and shot.end > clip.duration else None
    return *edits.on(character, clip, seconds=longer), graph


def _document(shot: Shot, path: str) -> tuple[Character, Motion, Graph]:
    if is_address(path):
        given = "a document is named by an address"
        raise InputError(f"shot {shot.name}", given, "it names files beside it", "copy its folder to every machine")
    document = load_document(path)
    if not 1 <= shot.number <= len(document.skins):
        there = f"the document has {len(document.skins)}"
        raise InputError(f"shot {shot.name}", f"skin {shot.number} was asked for", there, "choose one of those")
    return *document.opened(end=shot.end), graph_with_files(document.skins[shot.number - 1])


def _character(shot: Shot) -> Character:
    """The character, read once for the shots that follow each other, as long as its file stays as it is."""
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(fetched(shot.character))
        if Path(path).suffix.lower() not in _ONE_FILE:
            return character_from(path, vertices=shot.vertices, repair=shot.repair, units=shot.units)
        key = (shot.character, shot.vertices, shot.repair, shot.units, _mark(path))
        if key not in _characters:
            _characters[key] = character_from(path, vertices=shot.vertices, repair=shot.repair, units=shot.units)
            while len(_characters) > _KEPT:
                _characters.popitem(last=False)
        _characters.move_to_end(key)
        return _characters[key]


def _mark(path: str) -> str:
    file = Path(path)
    if not file.is_file():
        return ""
    with file.open("rb") as open_file:
        return hashlib.file_digest(open_file, "blake2b").hexdigest()
