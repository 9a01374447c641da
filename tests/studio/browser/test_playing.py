"""Changes while it plays: the motion, the skin and its settings, without a jump and without a pause."""

from itertools import pairwise

import numpy as np

import supple

GRAVITY, RESOLUTION = "dynamics.gravity", "voxels.resolution"


def test_gravity_changes_at_once_without_binding_and_without_a_jump(studio):
    belly, chest = studio.pick_on("belly"), studio.pick_on("chest")
    studio.pause()
    studio.flesh(1.0)
    studio.watch(belly, chest)
    studio.flesh(0.2)
    mesh = studio.state()["mesh"]["mesh"]
    seq = studio.ask("change", name=GRAVITY, value=2.0)
    studio.frame_with(seq)
    assert studio.state()["views"][0]["preparing"] is None
    studio.flesh(0.5)
    assert studio.setting(GRAVITY)["value"] == 2.0
    assert studio.state()["mesh"]["mesh"] == mesh
    seen = studio.seen()
    after = next(i for i, one in enumerate(seen) if one.command >= seq)
    steps = [np.linalg.norm(b.places - a.places, axis=1).max() for a, b in pairwise(seen)]
    assert steps[after - 1] < 5e-3
    assert max(steps) < 5e-3
    assert np.linalg.norm(seen[-1].places - seen[0].places, axis=1).max() > 1e-4  # it did do something


def test_a_setting_that_binds_again_leaves_the_old_skin_playing_until_then(studio):
    belly = studio.pick_on("belly")
    studio.pause()
    studio.flesh(1.0)
    studio.watch(belly)
    before = studio.frame()
    studio.ask("change", name=RESOLUTION, value=50)
    studio.until_state("preparing === 'lattice'")
    assert "Preparing lattice" in studio.notices()
    studio.until_bound()
    assert studio.setting(RESOLUTION)["value"] == 50
    studio.flesh(0.5)
    seen = studio.seen()
    assert len(seen) > 10
    assert seen[-1].flesh_time > before.flesh_time
    steps = [np.linalg.norm(b.places - a.places) for a, b in pairwise(seen)]
    assert max(steps) < 5e-3  # no flash when the new one takes over


def test_a_skin_that_binds_is_given_up_when_its_step_is_undone(studio):
    before = studio.state()
    studio.ask("choose-skin", skin="position-based")
    studio.until_state("preparing === 'position-based'")
    studio.ask("undo")
    state = studio.until_bound()
    assert state["views"] == before["views"]
    assert state["redo"] == "Skin position-based"


def test_scrubbed_to_and_fro_linear_blend_is_what_the_motion_says(studio):
    studio.choose_skin("linear")
    studio.pause()
    vertices = studio.state()["mesh"]["vertices"]
    hero = supple.character("hero", vertices=vertices)
    motion, player = supple.motion("walk", hero), supple.player(hero, supple.LinearBlend())
    track = studio.page.locator(".track").bounding_box()
    duration = studio.state()["transport"]["duration"]
    for share in (0.8, 0.1, 0.55):
        before = len(studio.commands("seek"))
        studio.page.mouse.click(track["x"] + share * track["width"], track["y"] + track["height"] / 2)
        studio.until("watched.commands.filter((one) => one.do === 'seek').length > it", before)
        asked = studio.commands("seek")[-1]
        assert abs(asked["time"] - share * duration) < 2.0 * duration / track["width"]
        studio.frame_with(asked["seq"])
        studio.flesh(1.0)  # a pose goes over to the one that was asked for
        assert abs(studio.frame().motion_time - asked["time"]) < 1e-9
        expected = player.advance(motion.sample(asked["time"]))
        off = np.abs(studio.points() - expected).max()
        assert off < 4e-5  # a frame is packed to 6e-5 m


def test_paused_the_flesh_comes_to_rest(studio):
    points = [studio.pick_on(place) for place in ("belly", "chest", "left thigh")]
    studio.flesh(1.0)
    standing = studio.pause()
    studio.watch(*points)
    studio.flesh(2.0)
    count = len(studio.seen())
    studio.flesh(0.5)
    seen = studio.seen()[count - 1 :]
    steps = [np.linalg.norm(b.places - a.places, axis=1).max() for a, b in pairwise(seen)]
    assert max(steps) < 1e-4
    assert studio.frame().motion_time == standing.motion_time
    assert studio.frame().flesh_time > standing.flesh_time


def test_scrubbed_to_and_fro_soft_flesh_stays_whole_and_is_calm_in_a_second(studio):
    studio.pause()
    points = [studio.pick_on(place) for place in ("belly", "chest", "left thigh")]
    duration = studio.state()["transport"]["duration"]
    for share in (0.5, 0.0, 0.9, 0.3):
        seq = studio.ask("seek", time=share * duration)
        shown = studio.frame_with(seq)
        assert np.isfinite(shown.points).all()
        assert np.linalg.norm(shown.points - shown.root, axis=1).max() < studio.state()["mesh"]["size"]
    studio.flesh(1.0)
    studio.watch(*points)
    studio.flesh(0.3)
    steps = [np.linalg.norm(b.places - a.places, axis=1).max() for a, b in pairwise(studio.seen())]
    assert max(steps) < 1e-3
