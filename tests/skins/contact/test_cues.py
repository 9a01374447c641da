"""Cues: muscles that go limp and come back, hits and pushes at their times, and who is struck."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import supple
from conftest import make_tube
from oracles import soft_body
from supple import ArticulatedContact, Pose
from supple.cli.main import main
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.obstacles import Free, Plane, Sphere
from supple.skins.contact.control.cues import GoLimpWhenStruck, Hit, LeadRoot, Push, Strengthen, read_cues, write_cues
from supple.skins.contact.control.directing import HIT_SECONDS, Directing, find_vertex, no_strikes

pytestmark = pytest.mark.filterwarnings("ignore:.*no closer count")

TUBE = make_tube(rings=13, sectors=8, bones=4, closed=True)
NAMES = TUBE.skeleton.names
FPS = 60.0
REST = supple.Motion.from_poses(TUBE.skeleton, lambda at: Pose.rest(TUBE.skeleton), seconds=1.5, fps=FPS, name="rest")
FLOATING = {"elements": 250, "self_contact": False, "gravity": 0.0, "strength": 0.0, "root_strength": 0.0}
LED = {"elements": 250, "self_contact": False, "strength": 0.6, "root_strength": 1.0}
CUES = (
    Strengthen(1.2, 0.0, root=True),
    Strengthen(1.2, 0.0, "Left; Arm"),
    Strengthen(1.5, 0.3, "Spine", until=2.0),
    LeadRoot(1.5, 0.5, until=2.0),
    Strengthen(2.5, None, until=3.0, root=True),
    Strengthen(2.5, None, "Spine"),
    Hit(0.8, "Spine", (0.0, 0.0, -30.0)),
    Hit(0.8, "#12", (1.0, 2.0, 3.0)),
    Hit(0.8, "@0.1,1.2,0.15", (1.0, 2.0, 3.0)),
    Push(0.8, 1.3, "Spine", (0.0, 0.0, -200.0)),
    GoLimpWhenStruck(400.0, 1.5),
    GoLimpWhenStruck(400.0, 1.5, "Left; Arm"),
)


def test_cues_are_read_as_they_are_written():
    text = write_cues(CUES)
    assert read_cues(text) == CUES
    assert read_cues("\n\n".join(map(str, CUES))) == CUES
    assert read_cues("") == read_cues(" ;\n; ") == ()
    assert (
        write_cues(read_cues("1.20 limp  'Left; Arm' ;0.8 hit Spine 0 0 -30.0"))
        == "1.2 limp 'Left; Arm'; 0.8 hit Spine 0 0 -30"
    )


@given(st.text(alphabet="0123456789. ;'\n-limpbackhtrugesoSpin#@,", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_in_a_sentence(text):
    try:
        cues = read_cues(text)
    except InputError:
        return
    assert read_cues(write_cues(cues)) == cues


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("limp", "'limp' should be a number"),
        ("1.2", "a time and then limp, back"),
        ("1.2 fall", "a time and then limp, back"),
        ("-1 limp", "from 0 to"),
        ("nan limp", "from 0 to"),
        ("2..1 limp", "comes after the first"),
        ("1 strength 1.5", "from 0 to 1"),
        ("1 root", "a time and then"),
        ("1 limp A B", "a time and then"),
        ("1 hit Spine 0 0", "a place and three numbers"),
        ("1 hit Spine 0 0 x", "'x' should be a number"),
        ("1..2 hit Spine 0 0 1", "a hit has one time"),
        ("1 push Spine 0 0 1", "a hit has one time"),
        ("struck limp 1", "struck needs a force"),
        ("struck 400 limp -1", "from 0 to"),
        ("1 limp 'Spine", "every quote"),
        ("; ".join(["struck 400 limp 1"] * 9), "8 can be"),
        ("; ".join(["1 limp"] * 1001), "at most 1000"),
    ],
)
def test_cues_that_make_no_sense_are_refused_when_the_skin_is_made(text, part):
    with pytest.raises(InputError, match=part):
        ArticulatedContact(cues=text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1 limp Nobody", "Nobody"),
        ("1 hit Nobody 0 0 1", "Nobody"),
        ("struck 4 limp 1 Nobody", "Nobody"),
        ("1 hit #999999 0 0 1", "there are #0"),
        ("1 hit #-1 0 0 1", "there are #0"),
        ("1 hit @1,2 0 0 1", "three numbers"),
        ("1 hit @a,b,c 0 0 1", "three numbers"),
    ],
)
def test_cues_that_a_character_cannot_have_are_refused_before_it_is_bound(text, part):
    with pytest.raises(InputError, match=part):
        ArticulatedContact(cues=text).check_for(TUBE)


def test_a_hit_that_is_too_hard_is_refused():
    with pytest.raises(InputError, match="can be pushed with"):
        supple.player(TUBE, ArticulatedContact(cues=f"1 hit {NAMES[1]} 0 0 900000", **FLOATING)).advance(
            Pose.rest(TUBE.skeleton)
        )


def test_strengths_go_from_key_to_key():
    joints, roots = np.arange(4), np.array([0])
    text = f"1..2 strength 0.2; 3 limp {NAMES[2]}; 4..5 back; 6 limp; 7 root 0.5"
    directing = Directing(read_cues(text), TUBE, joints=joints, roots=roots, met=())
    base = np.array([0.9, 0.6, 0.6, 0.6])

    def at(time):
        return directing.strengths(base, time, no_strikes())

    assert_allclose(at(0.99), base)
    assert_allclose(at(1.5), [0.9, 0.4, 0.4, 0.4])
    assert_allclose(at(2.5), [0.9, 0.2, 0.2, 0.2])
    assert_allclose(at(3.0), [0.9, 0.2, 0.0, 0.0])
    assert_allclose(at(4.5), [0.9, 0.4, 0.3, 0.3])
    assert_allclose(at(5.5), base)
    assert_allclose(at(6.0), 0.0)
    assert_allclose(at(8.0), [0.5, 0.0, 0.0, 0.0])


def test_who_is_struck_is_limp_for_a_while():
    directing = Directing(
        read_cues(f"struck 5 limp 1 {NAMES[2]}"), TUBE, joints=np.arange(4), roots=np.array([0]), met=()
    )
    struck = no_strikes()
    base = np.full(4, 0.6)
    assert_allclose(directing.strengths(base, 2.0, struck), base)
    struck[0] = 2.0
    assert_allclose(directing.strengths(base, 2.9, struck), [0.6, 0.6, 0.0, 0.0])
    assert_allclose(directing.strengths(base, 3.1, struck), base)


def test_a_hit_meets_the_side_that_it_comes_to():
    for way in np.array([[1.0, 0, 0], [0, 0, -2.0], [-1.0, 0, 1.0]]):
        vertex = find_vertex(NAMES[1], TUBE, way)
        off = TUBE.points[vertex, [0, 2]]
        assert off @ way[[0, 2]] < -0.9 * 0.25 * np.linalg.norm(way)
    place = TUBE.points[17]
    assert find_vertex("@{},{},{}".format(*place), TUBE, way) == 17
    assert find_vertex("#17", TUBE, way) == 17


@pytest.mark.parametrize("step", [1.0 / 60.0, 1.0 / 130.0])
def test_hits_and_pushes_give_their_momentum_at_their_time(step):
    """What floats freely has the impulse of a hit, and that of a push, whatever the step."""
    cues = f"0.1 hit {NAMES[2]} 0 0 6; 0.4..0.6 push #20 20 0 0"
    player = supple.player(TUBE, ArticulatedContact(cues=cues, step=step, **FLOATING))
    found = {}
    for time in (0.0, 0.09, 0.3, 0.5, 0.7):
        player.play(REST, time)
        state = player._nodes[-1].state
        found[time] = soft_body.momentum(state.mechanism, state.memory.body)[0]
    assert_allclose(found[0.09], 0.0, atol=1e-9)
    assert_allclose(found[0.3], [0.0, 0.0, 6.0], atol=1e-6)
    assert_allclose(found[0.5], [2.0, 0.0, 6.0], atol=20.0 * step)
    assert_allclose(found[0.7], [4.0, 0.0, 6.0], atol=1e-6)


def test_a_body_goes_limp_and_comes_back():
    tip = int(TUBE.points[:, 1].argmax())
    player = supple.player(
        TUBE, ArticulatedContact(cues=f"0.2 limp {NAMES[1]}; 0.25 hit {NAMES[3]} 0 0 -300; 0.6 back", **LED)
    )
    firm = supple.player(TUBE, ArticulatedContact(cues=f"0.25 hit {NAMES[3]} 0 0 -300", **LED))
    away = {}
    for time in (0.0, 0.19, 0.6, 1.45):
        away[time] = [np.linalg.norm(one.play(REST, time)[tip] - TUBE.points[tip]) for one in (player, firm)]
    assert away[0.19][0] < 0.02
    assert away[0.6][0] > 0.15
    assert away[0.6][0] > 3.0 * away[0.6][1]  # muscles would have held it
    assert away[1.45][0] < 0.02


def test_a_ball_makes_a_body_limp_and_the_floor_does_not():
    ball = Sphere(name="ball", radius=0.2, at=(0.0, 1.8, 1.0), free=Free(mass=6.0, velocity=(0.0, 1.0, -5.0)))
    player = supple.player(
        TUBE,
        ArticulatedContact(
            cues="struck 200 limp 0.3", obstacles=(Plane(at=(0.0, 0.05, 0.0)), ball), **{**LED, "elements": 400}
        ),
    )
    strengths = {}
    for frame in range(40):
        player.play(REST, frame / FPS)
        touched = {event.other for event in player.contact_events()}
        strengths[frame] = player._nodes[-1].state.memory.strengths.copy(), touched
    first = next(frame for frame, (_, touched) in strengths.items() if "ball" in touched)
    assert any("plane" in touched for _, touched in strengths.values())
    assert strengths[first - 1][0].min() > 0.5
    assert strengths[first + 3][0].max() == 0.0
    assert strengths[39][0].min() > 0.2  # on the way back


def test_a_bake_with_cues_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    """Stopped in the middle of a push, and of being limp."""
    monkeypatch.setattr("supple.graph.bake.CHECKPOINT_EVERY", 4)
    cues = f"0.05..0.4 push {NAMES[2]} 0 0 60; struck 50 limp 0.2; 0.1 hit {NAMES[3]} 3 0 0"
    skin = ArticulatedContact(cues=cues, **LED)
    whole = supple.bake(TUBE, REST, skin, path=tmp_path / "whole.supple", end=0.5)

    def stop(progress):
        if progress.frame == 14:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supple.bake(TUBE, REST, skin, path=tmp_path / "again.supple", end=0.5, watch=stop)
    again = supple.bake(TUBE, REST, skin, path=tmp_path / "again.supple", end=0.5)
    assert again.path.read_bytes() == whole.path.read_bytes()
    player = supple.player(TUBE, skin, fps=FPS)
    for frame in range(15):
        points = player.play(REST, frame / FPS)
    kept = player.snapshot()
    player.play(REST, 20 / FPS)
    player.restore(kept)  # in the same player: what cues did since is forgotten
    for frame in range(15, 31):
        points = player.play(REST, frame / FPS)
    assert_allclose(points, whole.points[30], atol=1e-7)


def test_cues_change_while_it_plays():
    player = supple.player(TUBE, ArticulatedContact(**LED))
    player.play(REST, 0.0)
    player.change(cues="0.2 limp")
    player.play(REST, 0.3)
    assert player._nodes[-1].state.memory.strengths.max() == 0.0
    player.change(cues="")
    player.play(REST, 0.9)
    assert player._nodes[-1].state.memory.strengths.min() > 0.5


def test_cues_are_saved_and_given_on_the_command_line(tmp_path, capsys, monkeypatch):
    text = "0.1 limp; 0.2 hit #5 0 0 -3"
    graph = Graph.of(ArticulatedContact(cues=text))
    assert Graph.from_dict(graph.to_dict()).stages[-1].work.muscles.cues == text
    monkeypatch.chdir(tmp_path)
    words = ["bake", "tube", "--vertices", "500", "--motion", "bend", "--end", "0.1", "--skin", "contact"]
    words += ["--elements", "200", "-o", "a.supple"]
    assert main([*words, "--cues", text]) == 0, capsys.readouterr().err
    assert supple.Cache("a.supple").graph.stages[-1].work.muscles.cues == text
    capsys.readouterr()
    assert main([*words, "--overwrite", "--cues", "0.1 limb"]) == 2
    assert "0.1 limb" in capsys.readouterr().err


def test_a_hit_lasts_as_long_as_it_says():
    directing = Directing(read_cues("1 hit #3 0 0 3"), TUBE, joints=np.arange(4), roots=np.array([0]), met=())
    dt = 0.004
    given = sum(pull.vector * dt for step in range(600) for pull in directing.pulls((step + 1) * dt, dt))
    assert_allclose(given, [0.0, 0.0, 3.0], rtol=1e-9)
    assert not directing.pulls(1.0 + HIT_SECONDS + 2.0 * dt, dt)
