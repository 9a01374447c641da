"""Every soft skin and every kind of input on a GPU, against the processor with the same way of solving.

Ten steps show whether the arithmetic is the same; after a second, in which rounding has had time to grow, both must
still show the same body. Where flesh meets itself, which particle is held off which other is a matter of yes or no, and
rounding decides some of them: a processor whose bones are shaken by a tenth of a micrometre is millimetres from itself.
There a GPU has to be no farther from it than one and a half times what ten shakes do, at the worst vertex and on the
mean. `_row` is what a table of all of them is made of, and runs on the processor too.
"""

import numpy as np
import pytest

import supple
from supple.character import Crowd
from supple.graph import Mask
from supple.graph.crowds import Group, Level
from supple.motion import Cast, CrowdMotion

RATE = 60.0
TEN, SECOND = 10, 60  # steps
SHAKES, SHAKEN = 10, 1e-7  # m
MEETS_ITSELF = "position-based that meets itself"
SKINS = {
    "springs": lambda **more: supple.SpringRig(solver="sweeps", **more),
    "spring-dynamics": supple.SpringDynamics,
    "position-based": lambda **more: supple.PositionBased(tetrahedra=1200, contact="off", **more),
    MEETS_ITSELF: lambda **more: supple.PositionBased(tetrahedra=1200, **more),
    "lattice": lambda **more: supple.LayeredLattice(resolution=20, **more),
    "contact": lambda **more: supple.ArticulatedContact(elements=600, **more),
}
MEETS = {"position-based": "bodies", MEETS_ITSELF: "bodies", "contact": "obstacles"}
CROWDS = ("springs", "spring-dynamics", "position-based", MEETS_ITSELF, "lattice")
INPUTS = ("plain", "pull", "obstacle", "mask", "edits", "crowd")
ROWS = [
    (name, given)
    for name in SKINS
    for given in INPUTS
    if (given != "obstacle" or name in MEETS) and (given != "crowd" or name in CROWDS)
]


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=1500)


def _belly(character):
    """A vertex at the front of the belly."""
    front = np.where(np.abs(character.points[:, 1] - 0.6 * character.height) < 0.05 * character.height)[0]
    return int(front[np.argmax(character.points[front, 2])])


def _shaken(motion, shake):
    """A motion whose joints are anywhere within a tenth of a micrometre, in one of many ways; 0 leaves them."""
    if shake == 0:
        return motion
    away = SHAKEN * np.random.default_rng(shake).uniform(-1.0, 1.0, motion.translations.shape)
    return supple.Motion(motion.skeleton, motion.fps, motion.translations + away, motion.rotations)


def _scene(hero, name, given, shake=0):
    """A character, what moves its skin, and a motion."""
    character, skin, motion = hero, SKINS[name](), _shaken(supple.motion("run-and-stop", hero), shake)
    if given == "obstacle":
        ball = supple.Sphere(radius=0.12, at=lambda time: hero.points[_belly(hero)] + [0.0, 0.0, 0.16 - 0.1 * time])
        skin, motion = SKINS[name](**{MEETS[name]: (ball,)}), _shaken(supple.motion("breathing", hero), shake)
    elif given == "mask":
        height = hero.points[:, 1] / hero.height
        character = hero.replace(maps={**hero.maps, "height": height})
        skin = supple.Graph.blend(supple.DualQuaternion(), skin, Mask(map="height", low=0.4, high=0.6))
    elif given == "edits":
        away = np.linalg.norm(hero.points - hero.points[_belly(hero)], axis=1)
        bump = np.exp(-((away / 0.1) ** 2))[:, None] * [0.0, 0.0, 0.04]
        character = hero.replace(shapes={**hero.shapes, "bump": bump})
        keys = {"bump": np.linspace(0.0, 1.0, motion.frames)}
        motion = supple.Motion(motion.skeleton, motion.fps, motion.translations, motion.rotations, shapes=keys)
    elif given == "crowd":
        character = Crowd.of(hero, 3)
        motion = CrowdMotion(character, [motion] * 3, [0.0, 0.2, 0.4])
    return character, skin, motion


def _play(hero, name, given, device, frames, shake=0):
    character, skin, motion = _scene(hero, name, given, shake)
    player = supple.player(character, skin, device=device, fps=RATE)
    shown, belly = [], _belly(hero)
    for frame in range(frames + 1):
        if given == "pull" and frame >= 3:
            player.pull(supple.Pull(belly, to=hero.points[belly] + [0.0, 0.01 * np.sin(0.3 * frame), 0.06]))
        shown.append(player.play(motion, frame / RATE))
    return np.array(shown)


def _apart(one, other):
    """How far [m] frames are apart: at the worst vertex in ten steps and in a second, and on the mean in a second."""
    apart = np.linalg.norm(one - other, axis=2)
    return np.array([apart[: TEN + 1].max(), apart.max(), apart.mean(axis=1).max()])


def _row(hero, name, given, device):
    """How far [m] a device is from the processor; see `_apart`."""
    return _apart(*(_play(hero, name, given, where, SECOND) for where in ("cpu", device)))


def _spread(hero, name, given):
    """How far [m] the processor is from itself at most when its bones are shaken."""
    still = _play(hero, name, given, "cpu", SECOND)
    shakes = range(1, SHAKES + 1)
    return np.max([_apart(still, _play(hero, name, given, "cpu", SECOND, shake)) for shake in shakes], axis=0)


@pytest.mark.cuda
@pytest.mark.parametrize(("name", "given"), ROWS)
def test_a_gpu_plays_what_the_processor_plays(hero, name, given, record_property):
    apart = _row(hero, name, given, "cuda:0")
    most = np.array([1e-5, 1e-3, 1e-3]) * hero.height
    if name == MEETS_ITSELF:
        spread = _spread(hero, name, given)
        record_property("spread", spread.tolist())
        most = np.maximum(most * [1.0, 1.0, 0.1], 1.5 * spread)
    record_property("metres", apart.tolist())
    assert (apart < most).all(), (apart, most)


def _crowd_with_levels(hero, device, frames):
    """An eye that goes through members in three levels, who change."""
    levels = [
        Level(supple.PositionBased(tetrahedra=800, contact="off"), within=4.0, most=3),
        Level(supple.DeltaMush(), within=8.0),
        Level(supple.DualQuaternion()),
    ]
    places = np.tile(np.eye(4), (8, 1, 1))
    places[:, 2, 3] = -1.6 * np.arange(8)
    cast = Cast([supple.motion("walk", hero)] * 8, 0.1 * np.arange(8), places)
    player = supple.Crowd({"all": Group(hero, 8, levels)}, fade=0.2).player(device=device, fps=RATE)
    eyes = np.linspace(6.0, -4.0, frames)
    return [player.play({"all": cast}, frame / RATE, eye=(0.5, 1.5, z)) for frame, z in enumerate(eyes)]


@pytest.mark.cuda
def test_a_gpu_plays_a_crowd_with_levels_as_the_processor_does(hero, record_property):
    one, other = (_crowd_with_levels(hero, device, SECOND) for device in ("cpu", "cuda:0"))
    for here, there in zip(one, other, strict=True):
        np.testing.assert_array_equal(here.levels["all"], there.levels["all"])
        np.testing.assert_allclose(here.changes["all"], there.changes["all"], atol=1e-6)
    apart = max(np.abs(here.points["all"] - there.points["all"]).max() for here, there in zip(one, other, strict=True))
    record_property("metres", apart)
    assert apart < 1e-3 * hero.height


LEARNT = [supple.PoseSpace(), supple.PoseSpace(base="dual-quaternion"), supple.PoseSpaceDynamics()]


def _learnt_crowd(hero, skin, device):
    """Three members in one player, whose poses a GPU makes itself."""
    crowd, walk = Crowd.of(hero, 3), supple.motion("walk", hero)
    motion, player = CrowdMotion(crowd, [walk] * 3, [0.0, 0.2, 0.4]), supple.player(crowd, skin, device=device)
    return np.array([player.play(motion, frame / RATE) for frame in range(TEN + 1)])


@pytest.mark.cuda
@pytest.mark.parametrize("skin", LEARNT, ids=("pose-space", "on-dual-quaternion", "in-time"))
def test_a_gpu_plays_members_of_pose_space_as_the_processor_does(hero, skin, record_property):
    one, other = (_learnt_crowd(hero, skin, device) for device in ("cpu", "cuda:0"))
    apart = np.abs(one - other).max()
    record_property("metres", apart)
    assert apart < 1e-4 * hero.height


def test_the_crowd_that_is_compared_changes(hero):
    frames = _crowd_with_levels(hero, "cpu", TEN)
    assert len({tuple(frame.levels["all"]) for frame in frames}) > 1


def test_a_shake_is_small_and_flesh_that_meets_nothing_stays_where_it_is(hero):
    """So that what a shake does to flesh that meets itself says something of that, and not of the shake."""
    motion = supple.motion("run-and-stop", hero)
    moved = _shaken(motion, 1).sample(0.3).world_from_joint - motion.sample(0.3).world_from_joint
    assert 0.0 < np.abs(moved).max() < 10.0 * SHAKEN
    ways = [_play(hero, "position-based", "plain", "cpu", TEN, shake) for shake in (0, 1)]
    assert _apart(*ways)[0] < 1e-5 * hero.height


@pytest.mark.parametrize(("name", "given"), [("spring-dynamics", "edits"), ("lattice", "crowd"), ("lattice", "mask")])
def test_what_is_compared_moves_by_itself(hero, name, given):
    """The rows show flesh in motion: a table of bodies at rest would prove nothing."""
    soft = _play(hero, name, given, "cpu", TEN)
    character, _, motion = _scene(hero, name, given)
    stiff = supple.player(character, supple.LinearBlend(), fps=RATE)
    bones = np.array([stiff.play(motion, frame / RATE) for frame in range(TEN + 1)])
    assert np.linalg.norm(soft - bones, axis=2).max() > 1e-3 * hero.height


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_results_can_stay_on_the_device(hero, device):
    motion = supple.motion("walk", hero)
    kept, copied = (supple.player(hero, supple.DualQuaternion(), device=device) for _ in range(2))
    for frame in range(3):
        there = kept.play(motion, frame / RATE, on_device=True)
        np.testing.assert_array_equal(there.numpy(), copied.play(motion, frame / RATE))
    assert str(there.device) == device
    assert hasattr(there, "__cuda_array_interface__") == (device != "cpu")
    if device == "cpu":
        np.testing.assert_array_equal(np.from_dlpack(there), there.numpy())
    assert kept.advance(motion.sample(0.5), on_device=True).ptr == there.ptr  # no copy was made


@pytest.mark.cuda
def test_pytorch_takes_results_where_they_are(hero):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    player = supple.player(hero, supple.DualQuaternion(), device="cuda:0")
    there = player.play(supple.motion("walk", hero), 0.2, on_device=True)
    for tensor in (torch.from_dlpack(there), torch.as_tensor(there, device="cuda")):
        assert tensor.data_ptr() == there.ptr
        np.testing.assert_array_equal(tensor.cpu().numpy(), there.numpy())
