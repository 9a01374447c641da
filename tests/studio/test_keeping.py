"""Documents on disk while they are made: saved soon after a change, under names that are no paths, and found again."""

import os
import time
from dataclasses import replace

import numpy as np
import pytest

from supple.document import Camera, CharacterSource, Document, load_document, save_document
from supple.document.file import to_dict
from supple.edits import SurfaceEdit
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.files.library import Library
from supple.studio.keeping import keeper as keeping
from supple.studio.keeping.keeper import Keeper, checked_name
from supple.studio.session import Session


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(keeping, "SOON", 0.05)


def until(true, seconds=120.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def step(document, vertices):
    return replace(document, character=CharacterSource("hero", vertices), step=f"{vertices}")


@pytest.fixture
def keeper(tmp_path):
    """Of a document without a name."""
    (tmp_path / "folder").mkdir()
    told = []
    made = Keeper(Document(), None, tmp_path / "folder", tell=told.append)
    made.told = told
    yield made
    made.close()


def test_changes_are_written_soon_and_the_last_one_counts(tmp_path):
    file = tmp_path / "hero.supple.json"
    document = Document()
    save_document(document, file)
    keeper = Keeper(document, file, tmp_path)
    assert keeper.saved
    for vertices in range(1000, 1020):
        keeper.follow(step(document, vertices))
    assert not keeper.saved
    until(lambda: keeper.saved)
    assert load_document(file).character.vertices == 1019
    keeper.close()


def test_someone_who_never_pauses_is_written_too(tmp_path):
    file = tmp_path / "hero.supple.json"
    keeper = Keeper(Document(), file, tmp_path)
    end, vertices = time.monotonic() + 10.0, 1000
    while not file.exists():
        assert time.monotonic() < end
        vertices += 1
        keeper.follow(step(Document(), vertices))
        time.sleep(0.01)
    assert load_document(file).character.vertices > 1000
    keeper.close()


def test_what_waits_is_written_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "SOON", 1000.0)
    file = tmp_path / "hero.supple.json"
    keeper = Keeper(Document(), file, tmp_path)
    keeper.follow(step(Document(), 1234))
    keeper.close()
    assert load_document(file).character.vertices == 1234


def test_a_name_makes_a_file_in_the_folder(keeper, tmp_path):
    with pytest.raises(InputError, match="no name"):
        keeper.save()
    keeper.save_as("my hero")
    until(lambda: keeper.saved)
    assert keeper.name == "my hero"
    assert to_dict(load_document(tmp_path / "folder" / "my hero.supple.json")) == to_dict(Document())
    keeper.follow(step(Document(), 2000))
    until(lambda: keeper.saved)
    assert load_document(tmp_path / "folder" / "my hero.supple.json").character.vertices == 2000
    keeper.save()


def test_another_document_is_replaced_only_where_that_is_said(keeper, tmp_path):
    save_document(step(Document(), 777), tmp_path / "folder" / "hero.supple.json")
    with pytest.raises(InputError, match="there already"):
        keeper.save_as("hero")
    assert keeper.name is None
    assert load_document(tmp_path / "folder" / "hero.supple.json").character.vertices == 777
    keeper.save_as("hero", replace_it=True)
    until(lambda: keeper.saved)
    assert load_document(tmp_path / "folder" / "hero.supple.json").character.vertices == 10_000


WRONG = [
    "",
    " ",
    "../hero",
    "/etc/hero",
    "a/b",
    "a\\b",
    ".hidden",
    "..",
    "a\0b",
    "a\nb",
    "x" * 101,
    "hero.",
    "C:x",
    "~x",
]


@pytest.mark.parametrize("name", WRONG)
def test_a_name_is_no_path(name):
    with pytest.raises(InputError, match="make a name"):
        checked_name(name)


@pytest.mark.parametrize("name", ["hero", "Hero 2 (new)", "hero.v2", "Ärmel_1", "hero.supple.json"])
def test_names_of_people_are_taken(name):
    assert checked_name(name) == name.removesuffix(".supple.json")


def test_what_cannot_be_written_is_told(keeper, tmp_path):
    keeper.save_as("hero")
    until(lambda: keeper.saved)
    (tmp_path / "folder" / "hero.supple.json").unlink()
    (tmp_path / "folder" / "hero.supple.json").mkdir()
    keeper.follow(step(Document(), 2000))
    until(lambda: keeper.told)
    assert "hero.supple.json could not be written" in keeper.told[0]
    assert not keeper.saved
    (tmp_path / "folder" / "hero.supple.json").rmdir()
    keeper.save()
    until(lambda: keeper.saved)


def test_what_has_no_name_is_found_by_the_next_studio(keeper, tmp_path):
    keeper.follow(step(Document(), 3333))
    until(lambda: keeper.saved)
    while_it_runs = Keeper(Document(), None, tmp_path)
    assert while_it_runs.recovery.offered is None
    while_it_runs.close()
    keeper.close()
    later = Keeper(Document(), None, tmp_path)
    assert later.recovery.offered_at == time.strftime("%H:%M", time.localtime(os.stat(later.recovery.offered).st_mtime))
    found = later.recover()
    assert found.character.vertices == 3333
    later.take(found, None)
    later.keep_recovered(found)
    until(lambda: later.saved)
    assert later.recovery.offered is None
    later.save_as("kept")
    until(lambda: later.saved)
    later.close()
    last = Keeper(Document(), None, tmp_path)
    assert last.recovery.offered is None
    with pytest.raises(InputError, match="nothing was left open"):
        last.recover()
    last.close()


def test_what_is_declined_is_not_offered_again(keeper, tmp_path):
    keeper.follow(step(Document(), 3333))
    keeper.close()
    for offered in (True, False):
        later = Keeper(Document(), None, tmp_path)
        assert (later.recovery.offered is not None) is offered
        later.recovery.decline()
        later.close()


def test_a_document_that_was_never_changed_leaves_nothing(keeper, tmp_path):
    keeper.follow(keeper._known)
    keeper.close()
    assert not list((tmp_path / "cache" / "studio").glob("open-*.json"))


def test_documents_are_known_by_keys_from_run_to_run(keeper, tmp_path):
    for name in ("one", "two"):
        keeper.save_as(name)
    until(lambda: keeper.saved)
    save_document(Document(), tmp_path / "folder" / "other.supple.json")
    keeper.close()
    later = Keeper(Document(), None, tmp_path / "folder")
    assert [path.name.partition(".")[0] for path in later.known().values()] == ["two", "one", "other"]
    (tmp_path / "cache" / "studio" / "recent.json").write_text('[3, "relative", "\\u0000", {"a": 1}]')
    assert Keeper(Document(), None, tmp_path).remembered.paths == []
    later.close()


# In a session


def linear(vertices=800):
    return Document(CharacterSource("hero", vertices), skins=(Graph.of(skin_named("linear")),))


@pytest.fixture
def session(tmp_path):
    told = []
    made = Session(linear(), told.append, Library(tmp_path))
    made.told = told
    yield made
    made.close()


def key_named(session, name):
    return next(key for key, path in session.keeper.known().items() if path.name == f"{name}.supple.json")


def test_save_and_open_through_commands(session, tmp_path):
    perform(session, say.LookFrom(1, (1.0, 2.0, 3.0), (0.0, 0.5, 0.0)))
    perform(session, say.Save(2, "first"))
    perform(session, say.ChooseSkin(3, "dual-quaternion"))
    session.keeper.follow(session.document)
    until(lambda: session.keeper.saved)
    saved = load_document(tmp_path / "first.supple.json")
    assert saved.skins == session.document.skins
    assert saved.camera == Camera((1.0, 2.0, 3.0), (0.0, 0.5, 0.0))
    perform(session, say.Save(4, "second"))
    perform(session, say.ChooseSkin(5, "linear"))
    session.keeper.follow(session.document)
    opened = session.keeper.opened
    perform(session, say.OpenDocument(6, key_named(session, "first")))
    until(lambda: session.keeper.saved)
    assert to_dict(session.document) == to_dict(saved)
    assert session.keeper.opened == opened + 1
    assert not session.history.past
    second = tmp_path / "second.supple.json"
    until(lambda: second.exists() and load_document(second).skins == linear().skins)
    with pytest.raises(InputError, match="not in the list"):
        perform(session, say.OpenDocument(7, "/etc/passwd"))


def test_a_document_that_cannot_be_opened_leaves_all_as_it_was(session, tmp_path):
    (tmp_path / "broken.supple.json").write_text("{}")
    unfit = replace(linear(900), maps={"jiggle": np.ones(77)})
    save_document(unfit, tmp_path / "unfit.supple.json")
    perform(session, say.Save(1, "mine"))
    perform(session, say.ChooseSkin(2, "dual-quaternion"))
    session.keeper.follow(session.document)
    until(lambda: session.keeper.saved)
    before, bytes_before = session.history, (tmp_path / "unfit.supple.json").read_bytes()
    with pytest.raises(InputError, match="format"):
        perform(session, say.OpenDocument(3, key_named(session, "broken")))
    assert session.history is before
    perform(session, say.OpenDocument(4, key_named(session, "unfit")))
    until(lambda: (session.take_over(), session.told)[1])
    assert "77" in str(session.told[-1])
    assert session.history is before
    assert session.keeper.name == "mine"
    session.keeper.follow(session.document)
    until(lambda: session.keeper.saved)
    assert (tmp_path / "unfit.supple.json").read_bytes() == bytes_before
    assert load_document(tmp_path / "mine.supple.json").skins == session.document.skins


def test_the_page_names_no_file_in_settings(session, tmp_path):
    (tmp_path / "x.curves").write_bytes(b"")
    perform(session, say.ChooseSkin(1, "curves"))
    with pytest.raises(InputError, match="never by a page"):
        perform(session, say.Change(2, "model", str(tmp_path / "x.curves")))
    perform(session, say.Change(3, "detail", 0.3))


def test_fifty_steps_there_and_back_are_equal_by_value_and_by_name(session):
    documents = [to_dict(session.document)]
    for number in range(50):
        if number % 5 == 0:
            perform(session, say.ChooseMotion(number, "wave" if number % 2 else "walk"))
        elif number % 5 == 1:
            perform(session, say.ChooseSkin(number, ("dual-quaternion", "linear")[number % 2]))
        elif number % 5 == 2:
            session.do(session.document.with_map("jiggle", np.full(800, number / 50), f"Paint {number}"))
        else:
            shape = SurfaceEdit([number], [[0.0, 0.001, 0.0]])
            edits = session.document.edits_on(session.character).with_shape(f"shape {number}", shape)
            session.do(session.document.with_edits(edits, f"Shape {number}"))
        documents.append(to_dict(session.document))
    names = [one.step for one in (*session.history.past, session.document)]
    for number in reversed(range(50)):
        perform(session, say.Undo(0))
        assert to_dict(session.document) == documents[number]
        assert session.document.step == names[number]
    for number in range(50):
        perform(session, say.Redo(0))
        assert to_dict(session.document) == documents[number + 1]
        assert session.document.step == names[number + 1]
