"""Caches that are cut, changed or forged end in a sentence: at every byte, and for ten thousand forgeries."""

from __future__ import annotations

import json
import random

import caches
import numpy as np
import pytest

from supple.cli.main import main
from supple.errors import FormatError, SuppleError
from supple.graph import container
from supple.graph.cache import Cache
from supple.graph.header import aligned

FORGERIES = 10_000


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("caches") / "whole.supple"
    caches.write_cache(path)
    return path.read_bytes()


def test_the_small_cache_is_sound(whole, tmp_path):
    path = tmp_path / "a.supple"
    path.write_bytes(whole)
    cache = caches.used(path)
    assert cache.finished
    assert len(cache) == caches.FRAMES
    np.testing.assert_array_equal(cache.points[2], caches.small_character().points + 2)
    assert cache.character.materials[0].textures["color"].name == "weave"


def test_a_file_cut_at_any_byte_is_refused(whole, tmp_path):
    path = tmp_path / "cut.supple"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError, match=r"cut\.supple"):
            Cache(path)


def test_a_file_changed_at_any_byte_is_refused(whole, tmp_path):
    """But for the marks of machines, which no checksum guards: there the frame is said to be from elsewhere."""
    path = tmp_path / "changed.supple"
    path.write_bytes(whole)
    table = Cache(path)._layout.table
    marks = {table + f * container.ROW + 1 + n for f in range(caches.FRAMES) for n in range(container.MARK)}
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= (0x01, 0xFF)[place % 2]
        path.write_bytes(changed)
        if place in marks:
            assert Cache(path).made_elsewhere
        else:
            with pytest.raises(FormatError, match=r"changed\.supple"):
                Cache(path)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numbers that overflow on their way to being refused
@pytest.mark.parametrize("part", range(4))
def test_a_forgery_whose_checksums_fit_is_refused_in_a_sentence_or_sound(whole, tmp_path, part):
    path = tmp_path / "forged.supple"
    luck = random.Random(part)
    refused = sound = 0
    for _ in range(FORGERIES // 4):
        path.write_bytes(caches.forged(whole, luck))
        try:
            caches.used(path)
        except SuppleError as error:
            refused += "forged.supple" in error.where and len(str(error)) < 1000
        else:
            sound += 1
    assert refused + sound == FORGERIES // 4
    assert min(refused, sound) > 50


def _with(whole: bytes, change) -> bytes:
    length = int.from_bytes(whole[8:16], "little")
    document, base = json.loads(whole[16 : 16 + length]), aligned(32 + length)
    change(document)
    text = json.dumps(document).encode()
    head = whole[:8] + len(text).to_bytes(8, "little") + text + container.digest(text)
    return head + bytes(aligned(len(head)) - len(head)) + whole[base:]


def _set(key, value):
    return lambda data: data.__setitem__(key, value)


def _tell(key, value):
    return lambda data: data["info"].__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (_set("joints", -124999), "joints is -124999"),
        (_set("joints", 1), "joints is 1, and 2 are named"),
        (_set("vertices", 2**63), "vertices is"),
        (_set("vertices", "4"), "vertices is '4'"),
        (_set("count", -1), "count is -1"),
        (_set("count", 10**30), "count is"),
        (_set("table", 64), "table and frames"),
        (_set("frames", 0.5), "frames is 0.5"),
        (_set("arrays", []), "arrays is"),
        (_set("info", None), "info is None"),
        (lambda data: data["arrays"]["rest"].update(dtype="|O"), "of the kind"),
        (lambda data: data["arrays"]["rest"].update(shape=[2**62, 2**62]), "has the shape"),
        (lambda data: data["arrays"]["rest"].update(at=-64), "at is -64"),
        (lambda data: data["arrays"]["rest"].update(sum="zz"), "checksum"),
        (lambda data: data["arrays"].pop("triangles"), "begins at|is missing"),
        (_tell("fps", 0), "fps is 0"),
        (_tell("fps", 10**400), "fps is"),
        (_tell("start", "now"), "start is 'now'"),
        (_tell("joints", ["root", "root"]), "one name"),
        (_tell("joints", ["root", "\ud800"]), "no text"),
        (_tell("made_on", 7), "made_on is 7"),
        (_tell("graph", {"stages": [1]}), "graph has no list of stages"),
        (_set("bodies", -1), "bodies is -1"),
        (_tell("bodies", ["one", "two"]), "bodies is 1, and 2 are named"),
        (_tell("bodies", [7]), "bodies is 7"),
        (lambda data: data["arrays"]["body 0 triangles"].update(dtype="<f4"), "'body 0 triangles' is missing, or"),
        (_tell("parts", ["edge", "none"]), "'part none' is missing"),
    ],
)
def test_every_field_of_the_header_is_checked(whole, tmp_path, change, word):
    path = tmp_path / "field.supple"
    path.write_bytes(_with(whole, change))
    with pytest.raises(FormatError, match=word):
        caches.used(path)


def test_a_body_whose_corners_are_not_there_is_refused(whole, tmp_path):
    path = tmp_path / "body.supple"
    path.write_bytes(whole)
    cache = Cache(path)
    vars(cache)["arrays"] = {**cache.arrays, "body 0 triangles": np.array([[0, 1, 3]])}
    with pytest.raises(FormatError, match="body crate: its mesh or its path is broken"):
        cache.bodies  # noqa: B018


def test_a_header_of_nothing_but_brackets_is_refused(whole, tmp_path):
    path = tmp_path / "deep.supple"
    text = b"[" * 100_000
    path.write_bytes(whole[:8] + len(text).to_bytes(8, "little") + text + container.digest(text) + bytes(64))
    with pytest.raises(FormatError, match="not JSON"):
        Cache(path)


def test_the_command_line_ends_with_code_two(whole, tmp_path, capsys):
    path = tmp_path / "field.supple"
    path.write_bytes(_with(whole, _set("joints", -124999)))
    assert main(["decompose", str(path), "--bones", "2", "-o", str(tmp_path / "out.glb")]) == 2
    assert "joints is -124999" in capsys.readouterr().err
