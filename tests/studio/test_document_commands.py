"""Commands with `--document`: the same bytes as by hand, and the vertices that the studio showed."""

import json

import numpy as np
import pytest

import supple
from supple.cli.main import main
from supple.document import CharacterSource, Document, load_document, save_document
from supple.edits import Edits, Key, Layer, radial, save_edits
from supple.graph.cache import Cache
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio.session import Session


def drawn(character):
    """A layer that swells the arm."""
    return (
        Edits.of(character)
        .with_shape("swell", radial(character, character.skeleton.names[1], swell=0.3))
        .with_layer(Layer(name="grow", keys=(Key(time=0.0), Key(time=0.5, use="swell", amount=1.0))))
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a document of an arm: delta mush and linear blend, with edits."""
    folder = tmp_path_factory.mktemp("document")
    edits = drawn(supple.character("arm", vertices=600))
    skins = (Graph.of(skin_named("delta-mush", {"iterations": 7})), Graph.of(skin_named("linear")))
    save_document(Document(CharacterSource("arm", 600), "bend", skins, edits), folder / "arm.supple.json")
    save_edits(edits, folder / "by-hand.edits.json")
    return folder


BY_HAND = ["bake", "arm", "--vertices", "600", "--motion", "bend", "--end", "0.4"]


@pytest.mark.parametrize("kind", ["glb", "supple"])
def test_a_document_bakes_to_the_same_bytes_as_by_hand(folder, kind):
    one, other = folder / f"one.{kind}", folder / f"other.{kind}"
    hand = [*BY_HAND, "--skin", "delta-mush", "--iterations", "7", "--edits", str(folder / "by-hand.edits.json")]
    assert main([*hand, "-o", str(one)]) == 0
    assert main(["bake", "--document", str(folder / "arm.supple.json"), "--end", "0.4", "-o", str(other)]) == 0
    assert one.read_bytes() == other.read_bytes()


def test_a_document_bakes_what_the_studio_shows(folder):
    path = folder / "arm.supple.json"
    painted = load_document(path).with_map("jiggle", np.linspace(0, 1, 600), "")
    save_document(painted, folder / "painted.supple.json")
    words = ["bake", "--document", str(folder / "painted.supple.json"), "--number", "2", "-o", str(folder / "l.supple")]
    assert main(words) == 0
    cache = Cache(folder / "l.supple")
    session = Session(load_document(folder / "painted.supple.json"), print)
    try:
        while any(view.preparing for view in session.views):
            session.take_over()
        session.transport.pause()
        for frame in range(0, len(cache), 13):
            session.transport.seek(float(cache.times[frame]))
            for _ in range(20):  # until nothing of the pose before is left
                session.advance(0.1, 0)
            points = session.views[1].player.play(session.transport, session.transport.flesh_time)
            assert np.abs(np.asarray(points) - cache.points[frame]).max() < 1e-6
        assert np.abs(cache.points[-1] - cache.points[0]).max() > 0.01
    finally:
        session.close()


def test_all_skins_of_a_document_are_compared(folder, capsys):
    page = folder / "page.html"
    words = ["compare", "--document", str(folder / "arm.supple.json"), "--seconds", "0.2", "--fps", "10"]
    assert main([*words, "-o", str(page), "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["skins"]) == ["delta-mush", "linear"]
    assert page.stat().st_size > 1000


def test_a_document_is_drawn(folder):
    out = folder / "arm.png"
    assert main(["render", "--document", str(folder / "arm.supple.json"), "-o", str(out), "--size", "80x90"]) == 0
    assert out.read_bytes()[:4] == b"\x89PNG"
    assert not list(folder.glob("arm.png.supple*"))


WRONG = [
    (["bake"], "no character is named"),
    (["bake", "arm", "--document", "DOC"], "FILE is given beside it"),
    (["bake", "--document", "DOC", "--skin", "linear"], "--skin is given beside it"),
    (["bake", "--document", "DOC", "--skin=linear"], "--skin is given beside it"),
    (["bake", "--document", "DOC", "--motion", "bend"], "--motion is given beside it"),
    (["bake", "--document", "DOC", "--vertices", "500"], "--vertices is given beside it"),
    (["bake", "--document", "DOC", "--number", "3"], "the document has 2"),
    (["bake", "--document", "DOC", "--number", "0"], "the document has 2"),
    (["bake", "--document", "nowhere.supple.json"], "No such file"),
    (["compare"], "no character is named"),
    (["compare", "--document", "DOC", "--skins", "linear"], "--skins is given beside it"),
    (["render"], "a bake or a document is needed"),
    (["render", "some.supple", "--document", "DOC"], "a bake or a document is needed"),
    (["fit-curves"], "none is named"),
    (["fit-pose-space"], "none is named"),
    (["fit-curves", "arm", "--document", "DOC"], "is named beside it"),
]


@pytest.mark.parametrize(("words", "said"), WRONG, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_what_does_not_go_together_is_refused(folder, words, said, capsys):
    words = [str(folder / "arm.supple.json") if word == "DOC" else word for word in words]
    out = {"fit-curves": "o.curves", "fit-pose-space": "o.posespace", "render": "o.png", "compare": "o.html"}.get(
        words[0], "o.glb"
    )
    assert main([*words, "-o", str(folder / out)]) == 2
    assert said in capsys.readouterr().err
    assert not (folder / out).exists()


def test_progress_can_be_read_line_by_line(folder, capsys):
    words = ["bake", "--document", str(folder / "arm.supple.json"), "--end", "0.2", "-o", str(folder / "p.glb")]
    assert main([*words, "--json", "--progress-lines"]) == 0
    said = capsys.readouterr()
    lines = [json.loads(line) for line in said.err.splitlines()]
    told = [line["progress"] for line in lines if "progress" in line]
    assert told[-1]["what"] == "frames"
    assert told[-1]["done"] == told[-1]["total"] == json.loads(said.out)["frames"]
    assert all(set(line) <= {"note", "progress"} for line in lines)
