"""Fifty steps of all kinds are undone and done again, each by its name."""

from itertools import cycle, islice

STUDIO = ("--skin", "delta-mush", "--vertices", "800")


def steps():
    """Settings, skins, motions and characters, one after another, none of them what was there before."""
    motions, skins = cycle(["kick", "wave", "walk"]), cycle(["linear", "dual-quaternion", "delta-mush"])
    strengths, characters = cycle([0.1, 0.7, 0.3, 0.9]), cycle(["tube", "hero"])
    while True:
        for _ in range(4):
            yield "change", {"name": "strength", "value": next(strengths)}, "strength"
        yield "change", {"name": "guard", "value": False}, "guard"
        yield "choose-motion", {"motion": (motion := next(motions))}, f"Motion {motion}"
        for _ in range(3):
            yield "choose-skin", {"skin": (skin := next(skins))}, f"Skin {skin}"
        for _ in range(2):
            character = next(characters)
            yield "choose-character", {"character": character, "vertices": 800}, f"Character {character}"


def document(state):
    """What of a state is made, and not how it is shown."""
    stages = [
        (stage["name"], stage["skin"], stage["inputs"], {row["name"]: row["value"] for row in stage["settings"]})
        for view in state["views"]
        for stage in view["stages"]
    ]
    mesh = (state["mesh"]["vertices"], state["mesh"]["triangles"])
    return state["character"], mesh, state["transport"]["motion"], stages, state["edits"]


def test_fifty_steps_are_undone_and_done_again_by_name(studio):
    documents, names = [document(studio.state())], []
    for do, what, name in islice(steps(), 50):
        state = after(studio, do, **what)
        assert name in state["undo"]
        documents.append(document(state))
        names.append(state["undo"])
    for step in reversed(range(50)):
        assert studio.page.locator("#action-undo").get_attribute("aria-label") == f"Undo: {names[step]}"
        state = after(studio, "undo")
        assert document(state) == documents[step]
        assert state["redo"] == names[step]
    assert state["undo"] is None
    for step in range(50):
        state = after(studio, "redo")
        assert document(state) == documents[step + 1]
        assert state["undo"] == names[step]
    assert state["redo"] is None
    assert studio.messages() == ""


def after(studio, do, **what):
    """The state when a command was done."""
    seq = studio.ask(do, **what)
    studio.until("supple.stage.skin?.frame?.lastCommand >= it", seq)
    studio.until_state("!state.opening")
    return studio.state()
