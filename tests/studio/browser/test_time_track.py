"""Keys and layers over time (scenario 17), and fifty steps back and forth (scenario 18), in a real browser."""

import pytest

from supple.edits import Key, Layer
from supple.edits.layers import total_amounts

STUDIO = ("--skin", "linear", "--vertices", "1000")


def layers(state):
    """The layers as the page was told of them."""
    return [
        Layer(
            name=one["name"],
            keys=tuple(Key(**key) for key in one["keys"]),
            amount=one["amount"],
            repeat=one["repeat"],
            mute=one["mute"],
            solo=one["solo"],
        )
        for one in state["edits"]["layers"]
    ]


def swollen(studio, name="belly", joint="Spine"):
    studio.frame_with(studio.ask("radial", name=name, joint=joint, swell=0.4))
    return studio.until_state(f"state.edits.layers.some(({{name}}) => name === {name!r})")


def test_two_keys_are_added_and_every_frame_shows_what_they_say(studio):
    swollen(studio)
    studio.ask("change-key", layer="belly", time=0.0, amount=0.0)
    studio.frame_with(studio.ask("add-key", layer="belly", time=0.75, use="belly", ease="linear"))
    state = studio.until_state("state.edits.layers[0].keys.length === 2")
    seen = set()
    for _ in range(12):
        studio.frames(3)
        time, shown = studio.js("[supple.stage.skin.frame.motionTime, supple.amounts.value.belly]")
        wanted = total_amounts(layers(state), time, period=state["transport"]["duration"])
        assert shown == pytest.approx(wanted["belly"], abs=1e-6)
        seen.add(round(shown, 3))
    assert len(seen) > 4


def test_a_key_is_dragged_to_a_frame_moved_by_arrows_and_deleted(studio):
    swollen(studio)
    studio.pause()
    studio.frame_with(studio.ask("add-key", layer="belly", time=0.5, use="belly"))
    studio.until_state("state.edits.layers[0].keys.length === 2")
    steps = len(studio.state()["past"])
    fps, duration = studio.state()["transport"]["fps"], studio.state()["transport"]["duration"]
    key = studio.page.locator(".key").nth(1)
    box, row = key.bounding_box(), studio.page.locator(".key-row").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 0.2 * row["width"], y, steps=4)
    studio.page.mouse.up()
    state = studio.until_state("state.edits.layers[0].keys[1].time > 0.55")
    time = state["edits"]["layers"][0]["keys"][1]["time"]
    assert time == pytest.approx(0.5 + 0.2 * duration, abs=1.0 / fps)
    assert time * fps == pytest.approx(round(time * fps), abs=1e-6)
    assert len(state["past"]) == steps + 1
    studio.page.keyboard.press("ArrowRight")
    state = studio.until_state("state.edits.layers[0].keys[1].time > it", time + 1e-6)
    assert state["edits"]["layers"][0]["keys"][1]["time"] == pytest.approx(time + 1.0 / fps)
    studio.until("document.activeElement?.classList.contains('key')")
    studio.page.keyboard.press("Delete")
    state = studio.until_state("state.edits.layers[0].keys.length === 1")
    assert state["undo"] == "Delete a key of belly"


def test_fifty_steps_are_undone_and_redone_by_name(studio):
    swollen(studio)
    for step in range(49):
        if step % 3 == 0:
            studio.ask("add-key", layer="belly", time=0.01 * (step + 1), use="belly", amount=0.02 * step)
        elif step % 3 == 1:
            studio.ask("change-layer", layer="belly", amount=0.3 + 0.01 * step)
        else:
            studio.ask("choose-skin", skin="dual-quaternion" if step % 2 else "linear")
    state = studio.until_state("state.past.length === 50")
    made = state["edits"], [view["stages"] for view in state["views"]]
    for _ in range(50):
        studio.ask("undo")
    state = studio.until_state("state.past.length === 0")
    assert state["edits"]["layers"] == []
    assert len(state["future"]) == 50
    studio.ask("travel", steps=50)
    state = studio.until_state("state.past.length === 50")
    assert (state["edits"], [view["stages"] for view in state["views"]]) == made


def test_a_curve_of_ones_own_leads_to_the_next_key(studio):
    """Its handles are dragged, and moved by arrow keys; every frame is as far as the curve says."""
    swollen(studio)
    studio.pause()
    studio.frame_with(studio.ask("change-key", layer="belly", time=0.0, amount=0.0))
    studio.frame_with(studio.ask("add-key", layer="belly", time=0.75, use="belly"))
    studio.until_state("state.edits.layers[0].keys.length === 2")
    studio.page.get_by_role("button", name="Key of belly at 0.00 seconds").click()
    studio.page.get_by_role("radio", name="a curve of your own").click()
    studio.until_state("state.edits.layers[0].keys[0].ease === 'cubic-bezier(0.3, 0, 0.2, 1)'")
    handle = studio.page.get_by_role("button", name="First handle")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 20, y - 10)
    studio.page.mouse.move(x + 48, y - 24)
    studio.page.mouse.up()
    state = studio.until_state("state.edits.layers[0].keys[0].ease.startsWith('cubic-bezier(0.8, 0.25,')")
    assert state["undo"] == "Ease of a key of belly"
    studio.page.get_by_role("button", name="Second handle").press("ArrowUp")
    state = studio.until_state("state.edits.layers[0].keys[0].ease === 'cubic-bezier(0.8, 0.25, 0.2, 1.05)'")
    for time in (0.2, 0.5):
        studio.frame_with(studio.ask("seek", time=time))
        wanted = total_amounts(layers(state), time, period=state["transport"]["duration"])["belly"]
        studio.until("Math.abs(supple.amounts.value.belly - it) < 1e-3", wanted)
