"""Bindings that are shared and kept: the same bytes as a new one, and no harm from whatever is found on disk."""

import dataclasses
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import supple
from supple import kept
from supple.character.anatomy import skin_anatomy
from supple.character.builtin import rig
from supple.cli.main import main
from supple.errors import InputError
from supple.graph.binding_codec import pack, unpack
from supple.skins.registry import SKINS

FEW = {"position-based": {"tetrahedra": 800}, "lattice": {"resolution": 24}, "contact": {"elements": 800}}
CACHED = [name for name, kind in SKINS.items() if kind.cached]


@pytest.fixture(scope="module")
def arm():
    return supple.character("arm", vertices=700)


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.delenv("SUPPLE_CACHE_LIMIT")
    return tmp_path / "kept"


def skin_of(name, **changes):
    return SKINS[name](**{**FEW.get(name, {}), **changes})


def frames(character, skin):
    """A few frames of a new player; nothing of it stays."""
    player, motion = supple.player(character, skin), supple.motion("bend", character)
    return np.array([player.play(motion, 0.3 + step / 60.0) for step in range(4)])


def forbid_binding(monkeypatch, name):
    monkeypatch.setattr(SKINS[name], "bind", lambda *_: pytest.fail("it was bound again"))


@pytest.mark.parametrize("name", CACHED)
def test_a_kept_binding_plays_the_same_bytes(arm, store, name, monkeypatch):
    first = frames(arm, skin_of(name))
    assert [one.of for one in kept.stored()].count(name) == 1
    with monkeypatch.context() as patch:
        forbid_binding(patch, name)
        np.testing.assert_array_equal(frames(arm, skin_of(name)), first)


def test_what_was_found_of_the_body_is_kept_with_it(arm, store, monkeypatch):
    """Whoever reads a binding need not look at the body again, which may take longer than to bind."""
    skin, (one, other) = skin_of("lattice"), (dataclasses.replace(arm, name=name) for name in "ab")
    supple.player(one, skin)
    monkeypatch.setattr(skin_anatomy, "find_body_shape", lambda _: pytest.fail("found again"))
    supple.player(other, skin)
    np.testing.assert_array_equal(other.body_shape.thickness, one.body_shape.thickness)
    np.testing.assert_array_equal(other.body_shape.shells.number, one.body_shape.shells.number)


def test_a_character_that_was_kept_is_the_one_that_was_made_to_the_bit(store, monkeypatch):
    made = supple.character("arm", vertices=900)
    assert [one.of for one in kept.stored()].count("arm") == 1
    with monkeypatch.context() as patch:
        for work in ("weights", "flesh"):
            patch.setattr(rig, work, lambda *_: pytest.fail("it was made again"))
        again = supple.character("arm", vertices=900)
    for one, other in (
        (made.points, again.points),
        (made.triangles, again.triangles),
        (made.weights.joints, again.weights.joints),
        (made.weights.values, again.weights.values),
        (made.maps["flesh"], again.maps["flesh"]),
    ):
        assert one.tobytes() == other.tobytes()
    assert made.parts.keys() == again.parts.keys()


def test_players_that_play_at_once_share_one_binding(arm):
    one, other = (supple.player(arm, skin_of("lattice", damping=damping)) for damping in ("0.2", "0.3"))
    assert one._nodes[-1].binding is other._nodes[-1].binding  # damping is live: states have it
    assert one._nodes[-1].binding is not supple.player(arm, skin_of("lattice", resolution=20))._nodes[-1].binding


def test_what_a_binding_follows_from_tells_it_apart(arm, store):
    skin = skin_of("incremental")
    frames(arm, skin)
    moved = dataclasses.replace(arm, points=arm.points + 1e-12)
    painted = dataclasses.replace(arm, maps={"flesh": np.ones(len(arm.points))})
    for character, other in ((arm, skin_of("incremental", binding="planar")), (moved, skin), (painted, skin)):
        before = len(kept.stored())
        frames(character, other)
        assert len(kept.stored()) == before + 1
    renamed = dataclasses.replace(arm, name="another")
    before = len(kept.stored())
    frames(renamed, skin)
    assert len(kept.stored()) == before


def test_other_code_finds_nothing(arm, store, monkeypatch):
    frames(arm, skin_of("incremental"))
    monkeypatch.setattr(kept, "code_version", lambda *_: "another")
    frames(arm, skin_of("incremental"))
    assert len(kept.stored()) == 2


@pytest.mark.parametrize("harm", ["cut", "flipped", "empty", "other", "folder"])
def test_damaged_files_are_made_again(arm, store, harm):
    first = frames(arm, skin_of("incremental"))
    path = kept.stored()[0].path
    data = path.read_bytes()
    path.unlink()
    if harm == "folder":
        path.mkdir()
    else:
        flipped = bytes([*data[:5000], data[5000] ^ 1]) + data[5001:]
        path.write_bytes({"cut": data[:-100], "flipped": flipped, "empty": b"", "other": b"x" * 4000}[harm])
    np.testing.assert_array_equal(frames(arm, skin_of("incremental")), first)
    if harm != "folder":
        assert path.read_bytes() == data


def test_nothing_but_our_dataclasses_comes_out_of_a_file():
    data = pack(np.arange(3), {})
    assert unpack(data, {}, device="cpu").tolist() == [0, 1, 2]
    for name in ("os:system", "supple.kept:clear", "builtins:eval", "supple.device:Constants"):
        with pytest.raises((InputError, AttributeError)):
            unpack(_forged({"dataclass": name, "fields": {}}), {}, device="cpu")
    with pytest.raises(InputError, match="it holds a set"):
        pack({"a": {1}}, {})
    with pytest.raises(InputError, match="array of object"):
        pack(np.array([None]), {})


def _forged(tree):
    import hashlib
    import struct

    text = json.dumps(tree).encode()
    body = b"supple binding 1\n" + struct.pack("<Q", len(text)) + text
    return body + hashlib.blake2b(body, digest_size=16).digest()


def test_values_come_back_as_they_were():
    from scipy.sparse import random_array

    matrix = random_array((9, 7), density=0.4, rng=np.random.default_rng(1)).tocsr()
    whole = {
        "numbers": (1, 0.1, np.pi, -np.inf, True, None, "word"),
        "arrays": [np.eye(3), np.zeros((0, 4), np.int32), np.array(3.5), np.array([True, False])],
        "single": np.float32(1.5),
        "matrix": matrix,
    }
    back = unpack(pack(whole, {}), {}, device="cpu")
    assert back["numbers"] == whole["numbers"]
    for one, other in zip(back["arrays"], whole["arrays"], strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
        assert not one.flags.writeable
    assert back["single"] == np.float32(1.5)
    assert isinstance(back["single"], np.float32)
    assert (back["matrix"] != matrix).nnz == 0
    assert pack(back, {}) == pack(whole, {})


def test_what_was_used_last_stays_when_room_runs_out(arm, store, monkeypatch):
    skins = [skin_of("incremental", binding=method) for method in ("automatic", "direct", "planar")]
    frames(arm, skins[0])
    size = kept.stored()[0].size
    monkeypatch.setenv("SUPPLE_CACHE_LIMIT", str(int(2.5 * size)))
    frames(arm, skins[1])
    first = next(one.path for one in kept.stored() if one.used == min(each.used for each in kept.stored()))
    os.utime(first, (1.0, 1.0))
    frames(arm, skins[0])  # used again
    names = {one.path.name for one in kept.stored()}
    frames(arm, skins[2])
    left = {one.path.name for one in kept.stored()}
    assert sum(one.size for one in kept.stored()) <= 2.5 * size
    assert first.name in names & left
    monkeypatch.setenv("SUPPLE_CACHE_LIMIT", "10")
    frames(arm, skin_of("incremental", binding="weights"))
    assert len(kept.stored()) == 2  # too large for so little room: nothing is removed for it


def test_a_limit_of_zero_keeps_nothing(arm, store, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_LIMIT", "0")
    frames(arm, skin_of("incremental"))
    assert not store.exists()


def test_a_folder_that_cannot_be_written_costs_only_time(arm, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.delenv("SUPPLE_CACHE_LIMIT")
    assert np.isfinite(frames(arm, skin_of("incremental"))).all()


def test_two_processes_and_many_threads_do_no_harm(arm, store):
    program = (
        "import supple, numpy as np\n"
        "arm = supple.character('arm', vertices=700)\n"
        "for method in ('automatic', 'direct', 'planar'):\n"
        "    supple.player(arm, supple.IncrementalRotation(binding=method))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program], env=dict(os.environ)) for _ in range(2)]
    threads = [
        threading.Thread(target=frames, args=(arm, skin_of("incremental", binding=method)))
        for method in ("automatic", "direct", "planar")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in running] == [0, 0]
    assert len(kept.stored(kept.BINDING)) == 3
    assert {path.suffix for path in store.iterdir()} == {kept.BINDING, kept.MESH}


def test_a_bake_that_is_there_binds_nothing(arm, tmp_path, monkeypatch):
    motion = supple.motion("bend", arm)
    skin = skin_of("position-based")
    first = supple.bake(arm, motion, skin, path=tmp_path / "a.supple", end=0.1)
    forbid_binding(monkeypatch, "position-based")
    monkeypatch.setattr(SKINS["linear"], "bind", lambda *_: pytest.fail("it was bound again"))
    again = supple.bake(arm, motion, skin, path=tmp_path / "a.supple", end=0.1)
    np.testing.assert_array_equal(again.points, first.points)


def test_the_command_shows_and_clears(arm, store, capsys):
    frames(arm, skin_of("incremental"))
    assert main(["cache"]) == 0
    shown = capsys.readouterr().out
    assert str(store) in shown
    assert "incremental" in shown
    assert "just now" in shown
    assert main(["cache", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["bytes"] == sum(one["bytes"] for one in data["bindings"]) > 0
    assert main(["cache", "--clear"]) == 0
    assert "removed" in capsys.readouterr().out
    assert kept.stored() == []


@pytest.mark.parametrize(
    ("system", "variables", "part"),
    [
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/supple"),
        ("darwin", {}, "Library/Caches/supple"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/supple/cache"),
    ],
)
def test_caches_are_where_the_system_has_them(system, variables, part, monkeypatch):
    monkeypatch.delenv("SUPPLE_CACHE_DIR", raising=False)
    monkeypatch.setattr(kept.sys, "platform", system)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert part in kept.folder().as_posix()
