"""What is read off flesh while it plays: what draws it back, and what presses it."""

import numpy as np
import pytest

import supple
from supple import Pose, PositionBased, Pull
from supple.errors import InputError
from supple.obstacles import Sphere

FEW = 2000


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


def _stand(player, seconds=0.2):
    for _ in range(round(seconds * 60.0)):
        points = player.advance(Pose.rest(player.character.skeleton), 1.0 / 60.0)
    return points


def _belly(hero):
    return int(np.linalg.norm(hero.points - np.array([0.0, 1.04, 0.3]), axis=1).argmin())


def test_nothing_is_drawn_or_pressed_at_rest(hero):
    player = supple.player(hero, PositionBased(tetrahedra=FEW))
    _stand(player)
    assert np.abs(player.forces()).max() < 1e-3
    assert np.abs(player.contact_pressure()).max() < 1e-3


def test_held_flesh_is_drawn_back_where_it_is_held_and_nowhere_else(hero):
    belly = _belly(hero)
    player = supple.player(hero, PositionBased(tetrahedra=FEW))
    before = _stand(player)
    player.pull(Pull(belly, to=before[belly] + [0.0, 0.0, 0.05]))
    _stand(player, 0.5)
    near = player.forces()
    player.pull(Pull(belly, to=before[belly] + [0.0, 0.0, 0.1]))
    _stand(player, 0.5)
    far = player.forces()
    assert far[belly, 2] < near[belly, 2] < 0.0
    assert -100.0 < far[:, 2].sum() < -5.0
    away = np.linalg.norm(hero.points - hero.points[belly], axis=1) > 0.4
    assert np.abs(far[away]).max() < 0.05 * np.abs(far).max()


def test_flesh_that_swings_is_drawn_to_where_it_settles(hero):
    player = supple.player(hero, PositionBased(tetrahedra=FEW))
    jump = supple.motion("jump", hero)
    for frame in range(60):
        player.play(jump, frame / 60.0)
    state = player._nodes[-1].state
    off = state.memory.positions.numpy() - state.settled.numpy()
    off = player._nodes[-1].binding.body.embedding.carry(off)
    forces = player.forces()
    loose = np.linalg.norm(off, axis=1) > 5e-3
    assert loose.sum() > 50
    against = np.einsum("vi,vi->v", forces[loose], off[loose])
    assert (against < 0.0).mean() > 0.95


def test_a_ball_presses_where_it_is_and_harder_the_deeper(hero):
    belly = _belly(hero)

    def pressed(depth):
        ball = Sphere(radius=0.1, at=tuple(hero.points[belly] + [0.0, 0.0, 0.1 - depth]))
        player = supple.player(hero, PositionBased(tetrahedra=FEW, bodies=(ball,)))
        _stand(player)
        return player.contact_pressure()

    shallow, deep = pressed(0.02), pressed(0.04)
    away = np.linalg.norm(hero.points - hero.points[belly], axis=1)
    assert shallow[away < 0.03].max() > 50.0
    assert deep[away < 0.03].max() > 1.3 * shallow[away < 0.03].max()
    assert deep[away > 0.3].max() == 0.0
    assert deep.max() < 1e5


def test_skin_that_meets_skin_is_pressed_in_the_crease():
    arm = supple.character("arm", vertices=1500)
    bend = supple.motion("bend", arm, angle=np.radians(130.0), hold=True)
    player = supple.player(arm, PositionBased(tetrahedra=FEW))
    for frame in range(130):
        player.play(bend, frame / 60.0)
    pressure = player.contact_pressure()
    assert pressure.max() > 100.0
    elbow = arm.skeleton.world_from_joint[1, :3, 3]
    away = np.linalg.norm(arm.points - elbow, axis=1)
    assert away[pressure > 0.2 * pressure.max()].max() < 0.35 * arm.size.max()
    player.change(contact="off")
    player.play(bend, 131 / 60.0)
    with pytest.raises(InputError, match="knows none"):
        player.contact_pressure()
