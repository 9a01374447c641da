"""What was drawn is touched up in a window: erased by a brush, timed by hand, given a knot; and a line is walked."""

import numpy as np
import pytest


def bulge(studio):
    """A bulge across the belly, while it stands."""
    studio.pause()
    studio.frame_with(studio.ask("seek", time=0.0))  # no arm is before the belly
    studio.flesh(0.6)  # the camera has come to rest too
    studio.page.keyboard.press("r")
    x, y = studio.pixel(studio.pick_on("belly"))
    line(studio, [(x - 6 + 2 * i, y) for i in range(13)])  # farther left lies the gap between arm and trunk
    studio.until_state("state.edits.shapes.length === 1")
    return x, y


def line(studio, pixels):
    studio.page.mouse.move(*pixels[0])
    studio.page.mouse.down()
    for pixel in pixels[1:]:
        studio.page.mouse.move(*pixel)
        studio.frames(1)
    studio.page.mouse.up()


@pytest.mark.parametrize("skins", [1, 2])
def test_a_bulge_lies_where_it_was_drawn(studio, skins):
    """In a small window the camera looks beside its middle, since tools stand there; or labels of compared skins."""
    if skins == 2:
        studio.ask("add-view", skin="linear")
        studio.until_state("state.views.length === 2 && preparing === null")
    x, y = bulge(studio)
    stroke = studio.state()["edits"]["skin_strokes"][0]
    studio.frame_with(studio.ask("undo"))
    studio.flesh(0.6)
    knots = np.array([knot_pixel(studio, knot, stroke) for knot in range(len(stroke["triangles"]))])
    assert np.abs(knots[:, 1] - y).max() < 2.0  # [px]
    assert np.allclose([knots[:, 0].min(), knots[:, 0].max()], [x - 6, x + 18], atol=2.0)


def test_a_bulge_is_erased_by_the_brush_and_given_a_knot(studio):
    bulge(studio)
    name = studio.state()["edits"]["shapes"][0]
    before = studio.state()["edits"]["skin_strokes"][0]
    studio.page.get_by_role("button", name=name, exact=True).first.click()
    studio.page.mouse.click(*knot_pixel(studio, 0))
    studio.page.get_by_role("button", name="Insert a knot after 1").click()
    studio.until_state("state.undo === 'Insert knot'")
    assert len(studio.state()["edits"]["skin_strokes"][0]["triangles"]) == len(before["triangles"]) + 1
    studio.page.keyboard.press("u")
    studio.page.locator(".brush select").first.select_option(f"shape {name}")
    assert studio.page.get_by_role("button", name="Erase").get_attribute("aria-pressed") == "true"
    for _ in range(2):
        count = len(studio.state()["edits"]["skin_strokes"][0]["triangles"])
        line(studio, [knot_pixel(studio, knot) for knot in range(count)])
    studio.until_state("state.past.some((step) => step.startsWith('Erase'))")
    left = 0.7 * abs(before["height"])  # the second stroke may find little: a slow hand erases more
    studio.until_state(f"Math.abs(state.edits.skin_strokes[0].height) < {left}")


def knot_pixel(studio, knot, stroke=None):
    """Where a knot of the first stroke is in the window, or of one that was there."""
    stroke = stroke or studio.state()["edits"]["skin_strokes"][0]
    first = 3 * stroke["triangles"][knot]
    corners = studio.js("Array.from(supple.stage.skin.data.triangles.slice(it, it + 3))", first)
    return tuple(np.array(stroke["shares"][knot]) @ np.array([studio.pixel(corner) for corner in corners]))


def test_a_shape_comes_and_goes_as_the_pointer_went(studio):
    x, y = bulge(studio)
    studio.page.keyboard.press(" ")
    studio.page.get_by_role("button", name="Time it by hand").click()
    line(studio, [(x, y - up) for up in (0, 10, 25, 40, 40, 30, 15, 0)])
    studio.until_state("state.undo.startsWith('Time')")
    (layer,) = studio.state()["edits"]["layers"]
    amounts = [key["amount"] for key in layer["keys"]]
    assert max(amounts) == 1.0
    assert min(amounts) == 0.0
    assert len(amounts) >= 3


def test_the_character_walks_along_a_line_on_the_floor(studio):
    studio.pause()
    box = studio.page.locator("canvas").bounding_box()
    studio.page.keyboard.press("a")
    floor = box["y"] + 0.93 * box["height"]
    line(studio, [(box["x"] + (0.2 + 0.05 * i) * box["width"], floor - 2 * i) for i in range(12)])
    studio.until_state("state.transport.motion.includes('along a line')")
    assert studio.state()["transport"]["playing"]
    assert studio.state()["undo"] == "Go along a line"
