"""Scenario 22: a person compares three skins, at the same time and through the same camera."""

import numpy as np

STUDIO = ("--skin", "linear")
SKINS = ["linear", "delta-mush", "lattice"]


def chooser(window, name):
    """A list of the panel by what stands beside it."""
    return window.page.locator(f'.chooser:has(> span:text-is("{name}")) select')


def shown(window):
    """Of every pane: its view, its frame and its time, and where its skin is."""
    return window.js(
        """supple.stage.panes.map(({number, skin}) => ({
            number, frame: skin.frame.frame, time: skin.frame.motionTime, packed: skin.frame.packed[400],
            box: supple.stage.boxOf(supple.stage.panes[number])}))"""
    )


def compare_three(window):
    for skin in SKINS[1:]:
        chooser(window, "Compare").select_option(skin)
    window.until("supple.session.state.value.views.length === 3")
    window.until("supple.session.state.value.views.every(({preparing}) => !preparing)")
    window.until("supple.stage.panes.every(({skin}) => skin?.frame)")


def test_three_skins_stand_side_by_side_at_one_time(wide_studio):
    compare_three(wide_studio)
    labels = wide_studio.page.locator(".pane-label")
    assert [label.split("\n")[0] for label in labels.all_inner_texts()] == ["Linear", "Delta mush", "Lattice"]
    wide_studio.until("document.querySelectorAll('.pane-label .figure').length === 3")
    wide_studio.page.keyboard.press("Space")
    wide_studio.until("!supple.session.state.value.transport.playing")
    wide_studio.until("new Set(supple.stage.panes.map(({skin}) => skin.frame.motionTime)).size === 1")
    panes = shown(wide_studio)
    assert [pane["number"] for pane in panes] == [0, 1, 2]
    boxes = [pane["box"] for pane in panes]
    assert len({(box["width"], box["height"]) for box in boxes}) == 1
    assert len({(box["left"], box["top"]) for box in boxes}) == 3


def test_the_pane_that_is_pressed_is_the_one_that_the_panel_is_of(wide_studio):
    compare_three(wide_studio)
    box = shown(wide_studio)[2]["box"]
    canvas = wide_studio.page.locator("canvas").bounding_box()
    wide_studio.page.mouse.click(canvas["x"] + box["left"] + 12, canvas["y"] + box["top"] + box["height"] - 12)
    wide_studio.until("supple.session.activeView.value === 2")
    assert chooser(wide_studio, "Skin").input_value() == "lattice"
    wide_studio.page.get_by_label("Remove Lattice").click()
    wide_studio.until("supple.session.state.value.views.length === 2")
    assert wide_studio.js("supple.session.state.value.undo") == "Remove lattice"


def test_a_measure_is_shown_as_colours_with_what_they_stand_for(wide_studio):
    compare_three(wide_studio)
    chooser(wide_studio, "Colours").select_option("difference")
    wide_studio.until("document.querySelector('.legend')?.innerText.includes('mm')")
    wide_studio.until("supple.stage.panes[2].skin.mesh.material.uniforms.measured.value === 1")
    measured = wide_studio.js("supple.stage.panes.map(({skin}) => skin.mesh.material.uniforms.measured.value)")
    assert measured == [0, 1, 1]  # nothing differs from itself
    ends = wide_studio.page.locator(".legend .ends span").all_inner_texts()
    assert float(ends[0]) == 0.0
    assert float(ends[-1]) > 0.0
    chooser(wide_studio, "Colours").select_option("")
    wide_studio.until("supple.stage.panes.every(({skin}) => skin.mesh.material.uniforms.measured.value === 0)")


def test_curves_are_drawn_for_every_view(wide_studio):
    compare_three(wide_studio)
    wide_studio.page.locator("#action-curves").click()
    wide_studio.until("document.querySelectorAll('.curve path').length === 9")
    wide_studio.until(
        "[...document.querySelectorAll('.curve path')].every((path) => path.getAttribute('d').length > 40)"
    )
    wide_studio.until("!document.querySelector('.curve-values').innerText.includes('–')")
    volumes = wide_studio.page.locator(".curve-values").first.inner_text().split()
    assert np.all(np.abs(np.array(volumes, dtype=float) - 100.0) < 20.0)
    wide_studio.page.locator("#action-curves").click()
    wide_studio.until("!supple.session.state.value.shown.curves")
