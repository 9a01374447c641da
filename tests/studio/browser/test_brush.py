"""Painting a map with the mouse: the flesh answers while the stroke is made, and the stroke is one step."""

import numpy as np


def test_a_stroke_over_the_belly_is_one_step_that_can_be_undone(wide_studio):
    studio = wide_studio
    studio.pause()
    studio.page.keyboard.press("u")
    panel = studio.page.get_by_role("region", name="Paint maps")
    panel.get_by_role("button", name="Subtract").click()
    x, y = studio.pixel(studio.pick_on("belly"))
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 30, y, steps=6)
    studio.until("watched.commands.filter(({do: what}) => what === 'paint').length > 0")
    assert studio.state()["undo"] is None
    studio.page.mouse.up()
    state = studio.until_state("state.undo === 'Paint jiggle'")
    assert [row["painted"] for row in state["views"][0]["maps"] if row["name"] == "jiggle"] == [True]
    strokes = studio.commands("paint")
    places = [place for stroke in strokes for place in stroke["places"]]
    assert len(places) >= 2
    assert all(np.isclose(sum(place["shares"]), 1.0, atol=1e-6) for place in places)
    assert studio.commands("paint-end")[-1]["keep"] is True
    studio.ask("undo")
    studio.until_state("state.undo === null && !state.views[0].maps[0].painted")
    studio.page.keyboard.press("g")


def test_a_skin_without_maps_offers_those_that_read_some(wide_studio):
    studio = wide_studio
    studio.choose_skin("linear")
    studio.page.keyboard.press("u")
    panel = studio.page.get_by_role("region", name="Paint maps")
    panel.get_by_text("reads no painted maps").wait_for()
    count = len(studio.commands("paint"))
    studio.page.mouse.click(*studio.pixel(studio.pick_on("belly")))
    assert len(studio.commands("paint")) == count
    panel.get_by_role("button", name="Lattice").click()
    studio.until_state("state.views[0].stages.at(-1).skin === 'lattice'")
    studio.page.keyboard.press("g")
