"""Files of the studio: which are listed, what a page may send, and what becomes of one that is opened."""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import replace

import numpy as np
import pytest
from starlette.testclient import TestClient

import supple
from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.engine import Engine, Listener
from supple.studio.files import library as library_room
from supple.studio.files import listing
from supple.studio.files.library import Library
from supple.studio.files.listing import checked_folder, files_in
from supple.studio.server import uploads
from supple.studio.server.app import application
from supple.studio.server.guard import Guard

OURS = "127.0.0.1:8470"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A hero with a wave of its own, a kick, a broken file, and what must not be listed."""
    made = tmp_path_factory.mktemp("folder")
    hero = supple.character("hero", vertices=500)
    (made / "motions" / "deep" / "deeper" / "deepest").mkdir(parents=True)
    supple.save(hero.replace(motions={"Wave": supple.motion("wave", hero)}), made / "Hero.glb")
    supple.save(supple.motion("kick", hero), made / "motions" / "kick.bvh")
    (made / "broken.glb").write_bytes((made / "Hero.glb").read_bytes()[:4000])
    (made / "notes.txt").write_text("no character")
    (made / ".hidden.glb").write_bytes(b"")
    (made / "motions" / "deep" / "deeper" / "deepest" / "too deep.bvh").write_text("HIERARCHY")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "secret.glb").write_bytes(b"secret")
    (made / "link.glb").symlink_to(elsewhere / "secret.glb")
    (made / "link").symlink_to(elsewhere)
    (made / "loop").symlink_to(made)
    return made


# Listing


def test_files_below_the_folder_are_listed_and_nothing_else(folder):
    assert [path.relative_to(folder).as_posix() for path in files_in(folder)] == [
        "broken.glb",
        "Hero.glb",
        "motions/kick.bvh",
    ]


def test_a_large_folder_is_not_gone_through(folder, monkeypatch):
    monkeypatch.setattr(listing, "MOST", 2)
    assert len(files_in(folder)) == 2
    monkeypatch.setattr(listing, "MOST_LOOKED_AT", 1)
    assert len(files_in(folder)) <= 1


def test_a_folder_that_is_none_is_refused(folder):
    for wrong in (folder / "Hero.glb", folder / "nowhere"):
        with pytest.raises(InputError, match="--folder"):
            checked_folder(str(wrong))
    assert checked_folder(str(folder / "motions" / "..")) == folder.resolve()


def test_numbers_stay_when_files_come_and_go(tmp_path):
    library = Library(tmp_path)
    (tmp_path / "b.bvh").write_text("")
    (first,) = library.entries()
    (tmp_path / "a.glb").write_text("")
    assert [(entry.name, entry.kind, entry.number) for entry in library.entries()] == [
        ("a.glb", "either", 2),
        ("b.bvh", "motion", first.number),
    ]
    (tmp_path / "b.bvh").unlink()
    assert [entry.name for entry in library.entries()] == ["a.glb"]
    with pytest.raises(InputError, match="not there any more"):
        library.entry(first.number)
    with pytest.raises(InputError, match="not there any more"):
        library.entry(77)


def test_a_file_that_has_become_a_link_elsewhere_is_not_opened(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "secret.glb"
    inside.mkdir()
    outside.write_text("secret")
    (inside / "a.glb").write_text("")
    library = Library(inside.resolve())
    (entry,) = library.entries()
    assert library.entry(entry.number) == entry
    entry.path.unlink()
    entry.path.symlink_to(outside)
    with pytest.raises(InputError, match="not there any more"):
        library.entry(entry.number)


# What pages send


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("hero.glb", "hero.glb"),
        ("../../etc/Hero.GLB", "Hero.GLB"),
        ("C:\\Users\\me\\walk.bvh", "walk.bvh"),
        ("line\nbreak\x00\x1b[31m.bvh", "linebreak[31m.bvh"),
        ("Held Müller.fbx", "Held Müller.fbx"),
        ("x" * 500 + ".glb", "x" * 117 + ".glb"),
    ],
)
def test_of_a_name_only_the_suffix_is_on_the_disk(given, shown):
    library = Library()
    entry = library.expect(given, 10)
    assert entry.name == shown
    assert entry.path.suffix == entry.path.suffix.lower() in listing.SUFFIXES
    assert len(entry.path.stem) == len(entry.path.parent.name) == 16
    assert entry.path.parent.parent.stat().st_mode & 0o777 == 0o700
    assert library.entries() == []  # it has not come yet
    library.close()
    assert not entry.path.parent.parent.exists()


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("hero.exe", 10, "suffix"),
        ("hero", 10, "suffix"),
        ("", 10, "suffix"),
        (".glb", 10, "suffix"),
        ("hero.glb/", 10, "suffix"),
        ("hero.glb", 0, "empty"),
        ("hero.glb", library_room.LARGEST + 1, "537 MB"),
    ],
)
def test_what_cannot_be_opened_is_refused_before_it_comes(name, size, words):
    library = Library()
    with pytest.raises(InputError, match=words):
        library.expect(name, size)
    assert library._sent is None  # nothing was made for it


def test_there_is_room_for_so_many(monkeypatch):
    monkeypatch.setattr(library_room, "MOST_FILES", 2)
    library = Library()
    one, _ = library.expect("a.glb", 5), library.expect("b.glb", 5)
    with pytest.raises(InputError, match="no room"):
        library.expect("c.glb", 5)
    library.forget(one)
    library.expect("c.glb", 5)
    library.close()


def test_there_is_room_for_so_much(monkeypatch):
    monkeypatch.setattr(library_room, "MOST_BYTES", 20)
    library = Library()
    library.expect("a.glb", 15).path.write_bytes(b"x" * 15)
    with pytest.raises(InputError, match="no room"):
        library.expect("b.glb", 6)
    library.expect("b.glb", 5)
    library.close()


def test_what_was_sent_lasts_beside_a_document_that_names_it(tmp_path):
    library = Library()
    entry, other = library.expect("He/ro: 1.GLB", 4), library.expect("walk.bvh", 4)
    entry.path.write_bytes(b"hero")
    other.path.write_bytes(b"walk")
    (tmp_path / "walk.bvh").write_bytes(b"another walk")
    document = Document(CharacterSource(str(entry.path), repair=True), str(other.path))
    for _ in range(2):
        settled = library.settled(document, tmp_path)
    assert (settled.character.name, settled.motion) == (str(tmp_path / "ro_ 1.glb"), str(tmp_path / "walk-2.bvh"))
    assert settled.character.repair
    library.close()
    assert (tmp_path / "ro_ 1.glb").read_bytes() == b"hero"
    assert (tmp_path / "walk-2.bvh").read_bytes() == b"walk"
    assert (tmp_path / "walk.bvh").read_bytes() == b"another walk"
    assert len(list(tmp_path.iterdir())) == 3
    built_in = Document()
    assert library.settled(built_in, tmp_path).character == built_in.character


# Through the server


class Ear(Listener):
    """Keeps the events that it hears."""

    def __init__(self):
        self.events = []

    def event(self, event):
        self.events.append(event)

    @property
    def state(self):
        return [event for event in self.events if isinstance(event, say.State)][-1]

    def until(self, true, seconds=100.0):
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, "it never came"
            time.sleep(0.01)


@pytest.fixture(scope="module")
def engine(folder):
    document = Document(CharacterSource(vertices=600), skins=(Graph.of(skin_named("linear")),))
    made = Engine(document, Library(folder.resolve()))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def ear(engine):
    made = Ear()
    engine.listen(made)
    yield made
    engine.leave(made)


@pytest.fixture
def client(engine):
    made = TestClient(Guard(application(engine), port=8470, token="t"), base_url=f"http://{OURS}")
    made.get("/", params={"token": "t"})
    made.headers["origin"] = f"http://{OURS}"
    return made


def _post(client, name, content, kind="either", **more):
    return client.post(f"/upload/{kind}", params={"name": name}, content=content, **more)


def _sent(engine):
    """Files that lie in the folder of what was sent."""
    sent = engine.library._sent
    return [] if sent is None else [path for path in sent.rglob("*") if path.is_file()]


def test_a_sent_character_is_read_numbered_and_opened_with_its_own_motion(client, engine, ear, folder):
    answer = _post(client, "My Hero.glb", (folder / "Hero.glb").read_bytes())
    assert answer.status_code == 200
    info = answer.json()
    assert (info["name"], info["kind"], info["sent"]) == ("My Hero.glb", "character", True)
    listed = {file["number"]: file["name"] for file in client.get("/files").json()["files"]}
    assert listed[info["number"]] == "My Hero.glb"
    engine.tell(say.OpenFile(1, info["number"]), ear)
    ear.until(lambda: ear.state.character == "My Hero.glb" and ear.state.opening is None)
    assert ear.state.transport.motion == "Wave"
    assert ear.state.mesh.vertices == 500
    assert ear.state.undo == "Character My Hero.glb"
    assert str(engine.library._sent) not in say.write_event(ear.state).decode()  # no path reaches a page
    engine.tell(say.Undo(2))
    ear.until(lambda: ear.state.character == "hero" and ear.state.opening is None)


def test_a_file_of_the_folder_moves_the_character_that_plays(client, engine, ear):
    files = client.get("/files").json()
    assert files["folder"] == engine.library.folder.name
    kick = next(file for file in files["files"] if file["name"] == "motions/kick.bvh")
    engine.tell(say.OpenFile(1, kick["number"]), ear)
    ear.until(lambda: ear.state.transport.motion == "motions/kick.bvh")
    assert ear.state.character == "hero"
    engine.tell(say.ChooseMotion(2, "walk"), ear)
    ear.until(lambda: ear.state.transport.motion == "walk")
    engine.tell(say.ChooseMotion(3, "motions/kick.bvh"), ear)  # it stays among the motions
    ear.until(lambda: ear.state.transport.motion == "motions/kick.bvh")
    for seq in (4, 5, 6):
        engine.tell(say.Undo(seq))
    ear.until(lambda: ear.state.transport.motion == "walk" and ear.state.undo is None)


def test_of_a_character_only_its_motion_can_be_taken(client, engine, ear):
    hero = next(file for file in client.get("/files").json()["files"] if file["name"] == "Hero.glb")
    engine.tell(say.OpenFile(1, hero["number"], motion=True), ear)
    ear.until(lambda: ear.state.transport.motion == "Hero.glb")
    assert (ear.state.character, ear.state.mesh.vertices) == ("hero", 600)
    engine.tell(say.Undo(2))
    ear.until(lambda: ear.state.transport.motion == "walk")


def test_a_broken_file_is_refused_in_four_parts_by_its_own_name_and_nothing_stays(client, engine, ear, folder):
    before = _sent(engine)
    answer = _post(client, "half.glb", (folder / "broken.glb").read_bytes())
    assert answer.status_code == 422
    refused = answer.json()
    assert refused["where"].startswith("half.glb")
    assert all(refused[part] for part in ("given", "needed", "advice"))
    assert _sent(engine) == before
    number = next(file["number"] for file in client.get("/files").json()["files"] if file["name"] == "broken.glb")
    revision = ear.state.revision
    engine.tell(say.OpenFile(1, number), ear)
    ear.until(lambda: any(isinstance(event, say.Refused) for event in ear.events))
    (told,) = [event for event in ear.events if isinstance(event, say.Refused)]
    assert told.where.startswith("broken.glb")
    ear.until(lambda: ear.state.revision > revision and ear.state.opening is None)
    assert ear.state.character == "hero"


def test_a_number_that_is_none_is_refused(engine, ear):
    engine.tell(say.OpenFile(9, 12345), ear)
    ear.until(lambda: any(isinstance(event, say.Refused) and event.seq == 9 for event in ear.events))


def test_what_is_too_large_is_refused_before_a_byte_is_read(engine):
    before = _sent(engine)
    answer = _asked(engine, "huge.glb", 2 << 30)
    assert answer == (413, ["huge.glb", "it has 2,147 MB"])
    assert _sent(engine) == before


def _asked(engine, name, length, chunks=()):
    """The status and the first two parts of the refusal of a request that is given byte by byte."""
    told = []
    waiting = list(chunks)

    async def receive():
        assert waiting, "more was read than was sent"
        chunk = waiting.pop(0)
        if chunk is None:
            return {"type": "http.disconnect"}
        if chunk == "wait":
            await asyncio.sleep(60)
        return {"type": "http.request", "body": chunk, "more_body": True}

    async def send(message):
        told.append(message)

    headers = [(b"host", OURS.encode()), (b"origin", f"http://{OURS}".encode()), (b"cookie", b"supple-studio-8470=t")]
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    scope = {"type": "http", "method": "POST", "path": "/upload/either", "raw_path": b"/upload/either"}
    scope |= {
        "headers": headers,
        "query_string": f"name={name}".encode(),
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
    }
    asyncio.run(Guard(application(engine), port=8470, token="t")(scope, receive, send))
    body = json.loads(told[1]["body"])
    return told[0]["status"], [body["where"], body["given"]]


def test_without_a_length_nothing_is_read(engine):
    assert _asked(engine, "a.glb", None)[0] == 411


def test_more_than_was_said_is_not_kept(engine):
    before = _sent(engine)
    assert _asked(engine, "a.glb", 10, [b"x" * 8, b"x" * 8]) == (422, ["a.glb", "16 bytes came"])
    assert _sent(engine) == before


def test_one_who_goes_away_or_falls_silent_leaves_nothing(engine, monkeypatch):
    before = _sent(engine)
    assert _asked(engine, "a.glb", 10, [b"x" * 8, None]) == (408, ["a.glb", "no more of it came"])
    monkeypatch.setattr(uploads, "PATIENCE", 0.05)
    assert _asked(engine, "a.glb", 10, [b"x" * 8, "wait"]) == (408, ["a.glb", "no more of it came"])
    assert _sent(engine) == before


@pytest.mark.parametrize(
    ("path", "name", "status"),
    [
        ("/upload/either", "virus.exe", 413),
        ("/upload/either", "", 413),
        ("/upload/folder", "a.glb", 404),
        ("/upload/character", "walk.bvh", 422),
        ("/upload", "a.glb", 404),
    ],
)
def test_what_is_no_file_of_ours_is_refused(client, path, name, status):
    assert client.post(path, params={"name": name}, content=b"xyz").status_code == status


def test_files_come_only_from_our_own_page(client):
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert _post(client, "a.glb", b"x", headers=headers).status_code == 403
    del client.headers["origin"]
    assert _post(client, "a.glb", b"x").status_code == 403
    client.cookies.clear()
    assert _post(client, "a.glb", b"x", headers={"origin": f"http://{OURS}"}).status_code == 401
    assert client.get("/files").status_code == 401


def test_one_file_comes_after_another(engine):
    taking = uploads.Uploads(engine.library)
    taking._busy = True
    answer = asyncio.run(taking.receive(None))
    assert answer.status_code == 409
    assert "one by one" in json.loads(answer.body)["needed"]


def test_what_was_sent_is_gone_at_the_end(folder):
    document = Document(CharacterSource(vertices=600), skins=(Graph.of(skin_named("linear")),))
    engine = Engine(document)
    engine.start()
    client = TestClient(Guard(application(engine), port=8470, token="t"), base_url=f"http://{OURS}")
    client.get("/", params={"token": "t"})
    answer = _post(client, "a.glb", (folder / "Hero.glb").read_bytes(), headers={"origin": f"http://{OURS}"})
    assert answer.status_code == 200
    sent = engine.library._sent
    assert sent is not None
    assert os.listdir(sent)
    engine.stop()
    assert not sent.exists()


@pytest.mark.parametrize(("factor", "units"), [(1.0, "m"), (100.0, "cm"), (1000.0, "mm")])
def test_a_file_is_opened_in_the_units_that_its_size_tells(tmp_path, factor, units):
    hero = supple.character("hero", vertices=500)
    supple.save(_grown(hero, factor), tmp_path / "hero.glb")
    library = Library(tmp_path)
    source = library.source_of(tmp_path / "hero.glb")
    assert source.units == units
    assert library.character(source).height == pytest.approx(hero.height, rel=1e-5)


def _grown(hero, factor):
    joints = np.array(hero.skeleton.world_from_joint)
    joints[:, :3, 3] *= factor
    return hero.replace(points=factor * hero.points, skeleton=replace(hero.skeleton, world_from_joint=joints))
