"""What every skin keeps to while it is changed as it plays: shapes, maps and settings come and go, history stays."""

import numpy as np
import pytest

import supple
from supple import Pose
from supple.errors import InputError
from supple.settings import settings_of, value_of
from supple.skins.registry import SKINS

FEW = {
    "position-based": {"tetrahedra": 1000},
    "lattice": {"resolution": 24},
    "contact": {"elements": 1000, "self_contact": False},
}
SETTLED = 4.0  # s
CLOSE = 1e-4  # of the size: what is left after that time
BUMP = "bump"


@pytest.fixture(scope="module")
def arm():
    return supple.character("arm", vertices=900)


@pytest.fixture(scope="module")
def bent(arm):
    return supple.motion("bend", arm, angle=np.radians(60.0)).sample(0.5)


@pytest.fixture(scope="module")
def bumped(arm):
    """The arm with a bump of a centimetre that comes in where a pose asks for it."""
    middle = arm.points[len(arm.points) // 2]
    near = np.exp(-(np.linalg.norm(arm.points - middle, axis=1) ** 2) / (0.1 * arm.size.max()) ** 2)
    return arm.replace(shapes={**arm.shapes, BUMP: 0.01 * near[:, None] * np.array([0.0, 0.0, 1.0])})


@pytest.fixture(scope="module")
def players(arm):
    """Players for every skin, of which the first has bound it for all."""
    made = {}

    def player(name):
        if name not in made:
            made[name] = supple.player(arm, SKINS[name](**FEW.get(name, {})))
        return made[name].copy()

    return player


def _settle(player, pose, seconds=SETTLED):
    for _ in range(round(seconds * 60.0)):
        points = player.advance(pose, 1.0 / 60.0)
    return points


def _bend(arm, player, frames=20):
    motion = supple.motion("bend", arm, angle=np.radians(60.0))
    for frame in range(frames):
        points = player.advance(motion.sample(0.25 + frame / 60.0), 1.0 / 60.0)
    return points


@pytest.mark.parametrize("name", SKINS)
def test_a_shape_that_nobody_uses_changes_nothing(arm, bumped, bent, players, name):
    """History goes on to the bit when a character with one more shape takes over."""
    one, other = players(name), players(name)
    for player in (one, other):
        _bend(arm, player)
    other.reshape(bumped)
    for _ in range(5):
        assert np.array_equal(one.advance(bent), other.advance(bent))
    assert other.character is bumped


@pytest.mark.parametrize("name", SKINS)
def test_a_reshape_equals_a_new_binding_once_settled(arm, bumped, bent, players, name):
    pose = Pose(bent.world_from_joint, shapes={BUMP: 1.0})
    bound_so = supple.player(bumped, SKINS[name](**FEW.get(name, {})))
    player = players(name)
    _bend(arm, player)
    player.reshape(bumped)
    assert np.abs(_settle(player, pose) - _settle(bound_so, pose)).max() < CLOSE * arm.size.max()


@pytest.mark.parametrize("name", SKINS)
@pytest.mark.parametrize("painted", ["jiggle", "flesh", "stiffness", "stiffness_edges", "reach_start"])
def test_a_painted_map_equals_a_new_binding_once_settled(arm, bent, players, name, painted):
    along = (arm.points[:, 0] - arm.points[:, 0].min()) / arm.size[0]
    values = (0.1 if painted == "flesh" else 1.0) * (0.2 + 0.6 * along)
    bound_so = supple.player(arm.replace(maps={**arm.maps, painted: values}), SKINS[name](**FEW.get(name, {})))
    player = players(name)
    for one in (player, bound_so):  # flesh may come to rest elsewhere after another motion
        _bend(arm, one)
    player.paint(painted, values)
    assert np.abs(_settle(player, bent) - _settle(bound_so, bent)).max() < CLOSE * arm.size.max()


@pytest.mark.parametrize("name", ["position-based"])
@pytest.mark.parametrize("painted", ["thickness", "leaf", "rigid"])
def test_painted_anatomy_equals_a_new_binding_and_touches_no_copy(arm, bent, players, name, painted):
    """Some flesh becomes firm that was not: what settles is found anew, for the player that was painted alone."""
    tip = (arm.points[:, 0] > np.median(arm.points[:, 0])).astype(float)
    values = 0.002 + 0.1 * (1.0 - tip) if painted == "thickness" else tip
    bound_so = supple.player(arm.replace(maps={**arm.maps, painted: values}), SKINS[name](**FEW[name]))
    player, copy, untouched = players(name), players(name), players(name)
    for one in (player, copy, untouched, bound_so):
        _bend(arm, one)
    player.paint(painted, values)
    assert np.array_equal(copy.advance(bent), untouched.advance(bent))
    settled = _settle(player, bent)
    assert np.abs(settled - _settle(bound_so, bent)).max() < CLOSE * arm.size.max()
    assert np.abs(settled - _settle(untouched, bent)).max() > CLOSE * arm.size.max()


def _other_value(info, value):
    """Another value that a setting may have; None where none is known."""
    if isinstance(value, bool):
        return not value
    if info.choices:
        return next(choice for choice in info.choices if choice != value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        other = type(value)(value * 1.5 + (1 if isinstance(value, int) else 0.05 * max(abs(value), 1e-3)))
        if info.high is not None and other > info.high:
            other = type(value)(0.5 * (value + (info.low or 0.0)))
        return other
    return None


@pytest.mark.parametrize("name", SKINS)
def test_a_setting_changed_and_changed_back_leaves_no_trace_once_settled(arm, bent, players, name):
    kind = SKINS[name]
    one, other = players(name), players(name)
    for player in (one, other):
        _bend(arm, player)
    for info in settings_of(kind):
        value = value_of(other.graph.stages[-1].work, info.name)
        changed = _other_value(info, value)
        if info.name not in kind.live or changed is None:
            continue
        other.change(**{info.name: changed})
        other.advance(bent)
        other.change(**{info.name: value})
        other.advance(bent)
    assert np.abs(_settle(one, bent) - _settle(other, bent)).max() < CLOSE * arm.size.max()


@pytest.mark.parametrize("name", ["linear", "delta-mush", "lattice"])
def test_what_cannot_be_is_refused_and_it_plays_on(arm, bent, players, name):
    player, other = players(name), players(name)
    for one in (player, other):
        _bend(arm, one)
    count = len(arm.points)
    with pytest.raises(InputError, match="map 'jiggle' has shape"):
        player.paint("jiggle", np.ones(count - 1))
    with pytest.raises(InputError, match="not finite"):
        player.paint("jiggle", np.full(count, np.nan))
    with pytest.raises(InputError, match="other points"):
        player.reshape(arm.replace(points=arm.points + 1.0))
    with pytest.raises(InputError, match="other triangles"):
        player.reshape(arm.replace(triangles=arm.triangles[::-1], polygons=None, display=None))
    assert np.array_equal(player.advance(bent), other.advance(bent))


TOUCHED = {
    "delta-mush": {"strength": 0.4},
    "incremental": {"squash": 0.5},
    "springs": {"stiffness.bend": 2.0},
    "spring-dynamics": {"damping": 0.5},
    "position-based": {"damping": 0.4},
    "lattice": {"gravity": 5.0},
    "contact": {"friction": 0.5},
    "curve-dynamics": {"damping": 0.4},
}


SAME_WAY = {**FEW, "springs": {"solver": "sweeps"}}  # which a GPU always takes


def _touched(arm, bumped, name, device):
    """Frames of a skin that is held, changed, painted, reshaped and let go while it bends."""
    motion = supple.motion("bend", arm, angle=np.radians(60.0))
    player = supple.player(arm, SKINS[name](**SAME_WAY.get(name, {})), device=device)
    frames, place = [], len(arm.points) // 2
    for frame in range(40):
        if frame == 5:
            player.pull(supple.Pull(place, to=frames[-1][place] + [0.0, 0.0, 0.05]))
        elif frame == 12 and name in TOUCHED:
            player.change(**TOUCHED[name])
        elif frame == 18:
            player.paint("jiggle", np.full(len(arm.points), 0.5))
        elif frame == 22:
            player.reshape(bumped.replace(maps=player.character.maps))
        elif frame == 28:
            player.let_go()
        frames.append(player.play(motion, 0.25 + frame / 60.0))
    return np.array(frames)


@pytest.mark.cuda
@pytest.mark.parametrize("name", SKINS)
def test_a_gpu_is_touched_as_the_processor_is(arm, bumped, name):
    apart = np.linalg.norm(_touched(arm, bumped, name, "cpu") - _touched(arm, bumped, name, "cuda:0"), axis=2)
    assert apart.max() < 2e-4 * arm.size.max()


@pytest.mark.parametrize("name", SKINS)
def test_whatever_is_done_to_it_stays_finite_and_nothing_flies_off(arm, bumped, name):
    frames = _touched(arm, bumped, name, "cpu")
    assert np.isfinite(frames).all()
    assert np.linalg.norm(np.diff(frames, axis=0), axis=2).max() < 0.1 * arm.size.max()
