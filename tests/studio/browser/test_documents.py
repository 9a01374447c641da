"""Saving, opening, and going on after the engine was killed."""

import numpy as np

from supple.cli.main import main
from supple.document import CharacterSource, Document, load_document, save_document
from supple.graph.cache import Cache
from supple.graph.graph import Graph
from supple.skins.registry import skin_named


def make_document(folder):
    skins = (Graph.of(skin_named("dual-quaternion")),)
    save_document(Document(CharacterSource("hero", 1000), "wave", skins), folder / "hero.supple.json")
    return folder / "hero.supple.json"


def named(name):
    return f"state.saving.name === '{name}' && state.saving.saved"


def test_a_document_is_saved_closed_and_opened_as_it_was(serve, open_window, tmp_path):
    file = make_document(tmp_path)
    window = open_window(serve(str(file)))
    window.until_state(named("hero"))
    window.choose_skin("delta-mush")
    window.page.keyboard.press("3")
    window.page.keyboard.press("Control+Shift+S")
    window.page.get_by_label("Name").fill("other")
    window.page.keyboard.press("Enter")
    window.until_state(named("other"))
    saved = load_document(tmp_path / "other.supple.json")
    assert saved.skins[0].stages[-1].name == "delta-mush"
    assert load_document(file).skins[0].stages[-1].name in ("dual-quaternion", "delta-mush")
    window.until("watched.commands.some(({do: what, position}) => what === 'look-from' && Math.abs(position[2]) < 0.3)")
    window.ask("change", name="iterations", value=9)
    changed = "state.views[0].stages.at(-1).settings.find(({name}) => name === 'iterations').value === 9"
    window.until_state(f"{changed} && {named('other')}")
    looked = window.js("supple.stage.looked()")
    again = open_window(serve(str(tmp_path / "other.supple.json")))
    again.until_state(named("other"))
    again.until_bound()
    assert again.skin() == "delta-mush"
    assert again.setting("iterations")["value"] == 9
    assert again.state()["transport"]["motion"] == "wave"
    again.until("Math.abs(supple.stage.looked()[2]) < 0.4")
    shown = again.js("supple.stage.looked()")
    assert max(abs(a - b) for a, b in zip(looked[:3], shown[:3], strict=True)) < 0.3


def test_a_bake_of_a_document_has_the_vertices_that_were_seen(serve, open_window, tmp_path):
    window = open_window(serve("--skin", "linear", "--folder", str(tmp_path)))
    window.pause()
    window.frame_with(window.ask("radial", name="belly", joint="Spine", swell=0.3))
    window.frame_with(window.ask("add-key", layer="belly", time=0.6, use="belly", amount=0.2))
    window.page.keyboard.press("Control+s")
    window.page.get_by_label("Name").fill("seen")
    window.page.keyboard.press("Enter")
    window.until_state(named("seen"))
    words = ["bake", "--document", str(tmp_path / "seen.supple.json"), "-o", str(tmp_path / "seen.supple")]
    assert main(words) == 0
    cache = Cache(tmp_path / "seen.supple")
    for frame in (7, 30, 51):
        window.frame_with(window.ask("seek", time=float(cache.times[frame])))
        window.flesh(1.0)  # a pose goes over to the one that was asked for
        assert np.abs(window.points() - cache.points[frame]).max() < 4e-5  # a frame is packed to 6e-5 m
    assert np.abs(cache.points[7] - cache.points[51]).max() > 0.05


def test_documents_are_opened_from_the_list(serve, open_window, tmp_path):
    file = make_document(tmp_path)
    save_document(Document(CharacterSource("arm", 1000), "bend"), tmp_path / "limb.supple.json")
    window = open_window(serve(str(file)))
    window.page.keyboard.press("Control+Shift+O")
    window.page.locator("dialog").get_by_role("button", name="limb").click()
    window.until_state("state.character === 'arm' && preparing === null")
    assert window.state()["saving"]["name"] == "limb"
    assert window.state()["undo"] is None


def test_little_is_lost_when_the_engine_is_killed(serve, open_window):
    server = serve("--skin", "linear")
    window = open_window(server)
    assert window.state()["saving"]["left_open"] is None
    window.choose_skin("dual-quaternion")
    window.until_state("state.saving.saved")
    window.take("belly")
    server.kill()
    window.page.get_by_text("The engine is out of reach").wait_for()
    window.errors.clear()
    window.page.close()
    server.start_again()
    again = open_window(server)
    assert again.skin() == "linear"
    again.page.get_by_role("button", name="Go on with it").click()
    again.until_state("state.views[0].stages.at(-1).skin === 'dual-quaternion' && preparing === null")
    again.until_state("state.saving.left_open === null")
    window.errors.clear()
