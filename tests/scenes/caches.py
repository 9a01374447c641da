"""A small cache with everything in it, made byte by byte, and forgeries of it whose checksums are right."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
from fuzzing import damaged_bytes, damaged_document, damaged_floats

import supple
from supple.character import packing
from supple.character.character import Display
from supple.character.materials import Material, Texture
from supple.character.weights import Weights
from supple.graph import container
from supple.graph.cache import Cache
from supple.graph.graph import Graph
from supple.graph.header import aligned

FRAMES = 3
_PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(9)


def small_character() -> supple.Character:
    """Four points on two joints, with a map, a part, a shape, a seam and a material with a picture."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    skeleton = supple.Skeleton.from_heads(["root", "tip"], [-1, 0], [[0.0, 0, 0], [0, 1, 0]])
    return supple.Character(
        points,
        triangles,
        skeleton,
        Weights(np.array([[0, 1]] * 4), np.array([[0.75, 0.25]] * 4)),
        name="patch",
        maps={"flesh": np.linspace(0.0, 1.0, 4)},
        parts={"edge": np.array([0, 1])},
        shapes={"smile": np.full((4, 3), 0.125)},
        polygons=np.array([[0, 1, 2, 3]]),
        display=Display(np.arange(4), triangles, points[:, :2]),
        materials=(Material("cloth", textures={"color": Texture("weave", _PICTURE)}),),
    )


def write_cache(path: Path) -> None:
    """A finished cache of `small_character` whose frames have bones too."""
    character = small_character()
    arrays = packing.pack(character) | packing.pack_display(character)
    arrays["poses"] = np.tile(np.eye(4), (FRAMES, 2, 1, 1))
    arrays["shape_shares"] = np.linspace(0.0, 1.0, FRAMES)[:, None]
    info = {
        "supple": "0", "character": "0", "motion": "0", "motion_name": "nod", "fps": 24.0, "start": 0.0,
        "frames": FRAMES, "device": "cpu", "made_on": "here", "graph": Graph.of(supple.LinearBlend()).to_dict(),
        **packing.describe(character), "display": None, "bodies": ["crate"],
    }  # fmt: skip
    arrays["body 0 points"], arrays["body 0 triangles"] = np.eye(3), np.array([[0, 1, 2]], dtype=np.int32)
    layout = container.plan(info, arrays, frames=FRAMES, vertices=4, joints=2, bodies=1)
    container.start(path, layout, arrays)
    with path.open("r+b", buffering=0) as file:
        for frame in range(FRAMES):
            points = (character.points + frame).astype(np.float32)
            made_on = container.kind_mark("here")
            moving = {"points": points, "bones": arrays["poses"][frame], "bodies": np.eye(4)[None]}
            container.write_frame(file, layout, frame, **moving, status=1, made_on=made_on)


def used(path: Path) -> Cache:
    """Open a cache and look at all there is in it."""
    cache = Cache(path)
    assert float(np.asarray(cache.points, dtype=np.float64).sum()) is not None
    for look in ("character", "skeleton", "motion", "graph", "bones", "bodies", "poses", "times", "rest", "triangles"):
        getattr(cache, look)
    assert cache.pose(len(cache) - 1) is not None
    assert repr(cache)
    return cache


def forged(data: bytes, luck: random.Random) -> bytes:
    """The file with a change in its header, in its arrays or in its frames, and every checksum made to fit again."""
    length = int.from_bytes(data[8:16], "little")
    document, base = json.loads(data[16 : 16 + length]), aligned(32 + length)
    rest = bytearray(data[base:])
    for _ in range(luck.choice([1, 1, 1, 2, 4])):
        if luck.random() < 0.7:
            document = damaged_document(document, luck)
        else:
            harm = damaged_floats if luck.random() < 0.7 else damaged_bytes
            rest = bytearray(harm(bytes(rest), luck))
    _sum_up(document, rest)
    text = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    head = data[:8] + len(text).to_bytes(8, "little") + text + container.digest(text)
    return head + bytes(aligned(len(head)) - len(head)) + bytes(rest)


def _sum_up(document, rest: bytearray) -> None:
    """Right checksums for arrays and frames, as far as the header still says where they lie."""
    try:
        for entry in document["arrays"].values():
            size = int(np.prod(entry["shape"], dtype=np.int64)) * np.dtype(entry["dtype"]).itemsize
            entry["sum"] = container.digest(bytes(rest[entry["at"] : entry["at"] + size])).hex()
        size = document["vertices"] * 12 + (document.get("joints", 0) + document.get("bodies", 0)) * container.BONE
        for frame in range(min(document["count"], 100)):
            start, row = document["frames"] + frame * aligned(size), document["table"] + frame * container.ROW
            check = container.digest(bytes(rest[start : start + size]))
            rest[row + 16 : row + 32] = check
    except Exception:  # the header is past knowing where anything lies: checksums are the least of its faults
        return
