"""How the character is looked at: parallel rays and a rolled picture, in which hands and strokes still work."""

import numpy as np
import pytest

STUDIO = ("--skin", "linear", "--vertices", "1000")


def sizes(studio):
    """How many pixels a metre across has at the middle, and half a metre before and behind it."""
    return np.array(
        studio.js(
            """(() => {
              const {viewer: {camera, controls}, canvas} = supple.stage;
              const forward = camera.getWorldDirection(camera.position.clone());
              const right = camera.position.clone().setFromMatrixColumn(camera.matrixWorld, 0);
              return [0, -0.5, 0.5].map((along) => {
                const at = controls.target.clone().addScaledVector(forward, along);
                const other = at.clone().add(right);
                return 0.5 * canvas.clientWidth * (other.project(camera).x - at.project(camera).x);
              });
            })()"""
        )
    )


def still(studio):
    studio.pause()
    studio.flesh(0.6)  # the camera has come to rest too


def test_rays_become_parallel_and_the_character_stays_as_large(studio):
    still(studio)
    before = sizes(studio)
    assert before[1] > 1.1 * before[2]
    studio.page.keyboard.press("5")
    studio.frames(2)
    middle, near, far = sizes(studio)
    assert middle == pytest.approx(before[0], rel=1e-3)
    assert near == pytest.approx(far, rel=0.005)
    belly = studio.pick_on("belly")
    at = studio.pixel(belly)
    studio.drag("belly", right=30, up=0)
    studio.flesh(0.3)
    hand, place = studio.held()
    assert np.linalg.norm(hand - place) < 0.01
    assert studio.pixel(belly)[0] == pytest.approx(at[0] + 30, abs=6)
    studio.let_go()
    studio.page.keyboard.press("5")
    studio.frames(2)
    np.testing.assert_allclose(sizes(studio), before, rtol=1e-3)


def test_a_stroke_is_drawn_in_a_rolled_parallel_picture(studio):
    still(studio)
    upright = studio.js("supple.stage.viewer.camera.up.toArray()")
    for key in ("5", "6", "6"):
        studio.page.keyboard.press(key)
    studio.frames(2)
    aside = studio.js("[0, 1].map((i) => supple.stage.viewer.camera.matrixWorld.elements[4 + i])")
    assert abs(aside[1]) == pytest.approx(np.cos(np.pi / 6), abs=0.03)  # two steps of 15 degrees
    studio.page.keyboard.press("r")
    x, y = studio.pixel(studio.pick_on("belly"))
    studio.page.mouse.move(x - 6, y)
    studio.page.mouse.down()
    for i in range(8):
        studio.page.mouse.move(x - 6 + 2 * i, y)
        studio.frames(1)
    studio.page.mouse.up()
    state = studio.until_state("state.edits.skin_strokes.length === 1")
    assert state["edits"]["skin_strokes"][0]["height"] > 0.0
    studio.page.keyboard.press("1")
    studio.flesh(0.4)
    assert studio.js("supple.stage.viewer.camera.up.toArray()") == upright
    level = studio.js("supple.stage.viewer.camera.matrixWorld.elements[1]")  # what is to the right is not above
    assert level == pytest.approx(0.0, abs=1e-6)
