"""Obstacles that are put in, thrown and taken away while a soft character plays."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.obstacles import Box, Capsule, Free, Plane, Sphere
from supple.skins.contact.placed_obstacles import SPARES

HERO = supple.character("hero", vertices=1500)
REST = Pose.rest(HERO.skeleton)
BELLY = int(np.linalg.norm(HERO.points - [0.0, 1.05, 0.2], axis=1).argmin())
FPS = 60.0


def player(**settings):
    made = supple.player(HERO, supple.ArticulatedContact(elements=1200, self_contact=False, **settings), fps=FPS)
    made.advance(REST)
    return made


def ball(place, velocity=(0.0, 0.0, 0.0), *, radius=0.09, mass=3.0):
    return Sphere(radius=radius, at=np.array(place), friction=0.3, free=Free(mass=mass, velocity=np.array(velocity)))


def frames(made, count):
    return np.array([made.advance(REST).copy() for _ in range(count)])


def test_a_thrown_ball_dents_the_belly_and_bounces_off():
    with_ball, alone = player(gravity=0.0, flesh="fat"), player(gravity=0.0, flesh="fat")
    start = HERO.points[BELLY] + [0.0, 0.0, 0.09 + 0.15]
    with_ball.place("ball", ball(start, (0.0, 0.0, -4.0)))
    hit, calm = frames(with_ball, 15), frames(alone, 15)
    dent = (hit - calm)[:, BELLY, 2]
    assert dent.min() < -0.005
    assert np.abs(hit[0] - calm[0]).max() < 1e-6  # nothing before it arrives
    body, place = with_ball.placed()["ball"]
    assert isinstance(body, Sphere)
    assert np.isfinite(place).all()
    state = with_ball._nodes[-1].state
    velocity = state.pipeline.dynamic_bodies.velocities[0]
    assert velocity[2] > -2.0  # it has lost its speed to the belly


def test_momentum_goes_from_the_ball_to_the_body():
    """Limp and without weight, ball and body have together what the ball had."""
    made = player(gravity=0.0, muscles={"strength": 0.0, "root_strength": 0.0, "gravity_compensation": False})
    made.place("ball", ball(HERO.points[BELLY] + [0.0, 0.0, 0.15], (0.0, 0.0, -5.0), mass=4.0))
    state = made._nodes[-1].state

    def momentum():
        body, free = state.memory.body, state.pipeline.dynamic_bodies
        links = float((state.mechanism.link_masses * body.velocities[:, 2]).sum())
        return links, float(free.masses[0] * free.velocities[0, 2])

    frames(made, 1)
    body_before, ball_before = momentum()
    frames(made, 12)
    body_after, ball_after = momentum()
    lost = ball_before - ball_after
    assert lost < -3.0
    assert body_after - body_before == pytest.approx(lost, rel=0.35)


def test_what_is_taken_away_leaves_no_trace():
    one, other = player(), player()
    start = HERO.points[BELLY] + [0.0, 0.0, 1.5]
    one.place("ball", ball(start))
    frames(one, 5)
    frames(other, 5)
    one.place("ball", None)
    assert one.placed() == {}
    np.testing.assert_allclose(frames(one, 10), frames(other, 10), atol=1e-6)
    one.place("ball", None)


def test_free_ones_fall_on_the_ground_and_others_stay():
    made = player()
    made.place("ball", ball((1.5, 0.6, 0.0), radius=0.1))
    made.place("box", Box(sides=np.array([0.2, 0.2, 0.2]), at=np.array([-1.5, 1.0, 0.0])))
    made.place("log", Capsule(radius=0.1, length=0.3, at=np.array([2.5, 0.8, 0.0]), free=Free(mass=2.0)))
    frames(made, 120)
    there = {name: place[:3, 3] for name, (_, place) in made.placed().items()}
    assert there["ball"][1] == pytest.approx(0.1, abs=0.02)
    np.testing.assert_allclose(there["box"], [-1.5, 1.0, 0.0], atol=1e-9)
    assert 0.05 < there["log"][1] < 0.3


def test_what_stands_still_is_not_moved_by_what_hits_it():
    made = player()
    made.place("wall", Box(sides=np.array([0.1, 1.0, 1.0]), at=np.array([2.0, 0.5, 0.0])))
    made.place("ball", ball((1.5, 0.5, 0.0), (6.0, 1.0, 0.0)))
    frames(made, 30)
    there = {name: place[:3, 3] for name, (_, place) in made.placed().items()}
    np.testing.assert_allclose(there["wall"], [2.0, 0.5, 0.0], atol=1e-3)
    assert there["ball"][0] < 1.95


def test_the_same_name_is_thrown_again():
    made = player()
    made.place("ball", ball((1.5, 1.0, 0.0)))
    frames(made, 10)
    made.place("ball", ball((1.5, 1.0, 0.0), (0.0, 5.0, 0.0)))
    frames(made, 10)
    assert made.placed()["ball"][1][1, 3] > 1.3
    assert len(made.placed()) == 1


def test_a_scene_goes_on_beside_what_is_put_in():
    settings = {"scene": "thrown-ball", "step": 1.0 / 60.0}
    one, other = player(**settings), player(**settings)
    one.place("far", ball((3.0, 1.0, 3.0)))
    np.testing.assert_allclose(frames(one, 10), frames(other, 10), atol=1e-5)


def test_what_cannot_be_put_in_is_refused():
    made = player()
    for number in range(SPARES):
        made.place(f"ball {number}", ball((1.5 + number, 1.0, 0.0)))
    with pytest.raises(InputError, match=f"room for {SPARES}"):
        made.place("one more", ball((0.0, 3.0, 0.0)))
    made.place("ball 3", None)
    made.place("one more", ball((0.0, 3.0, 0.0)))
    with pytest.raises(InputError, match="Plane"):
        made.place("floor", Plane())
    with pytest.raises(InputError, match="on a path"):
        made.place("led", Sphere(radius=0.1, at=lambda time: np.eye(4)))
    stiff = supple.player(HERO, supple.LinearBlend())
    stiff.advance(REST)
    with pytest.raises(InputError, match="meets nothing"):
        stiff.place("ball", ball((0.0, 3.0, 0.0)))
    waiting = supple.player(HERO, supple.ArticulatedContact(elements=1200))
    with pytest.raises(InputError, match="does not play yet"):
        waiting.place("ball", ball((0.0, 3.0, 0.0)))
