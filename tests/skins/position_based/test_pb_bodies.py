"""Rigid bodies that soft ones meet: nobody stays inside, friction holds, paths are followed."""

from __future__ import annotations

import numpy as np
import pytest
from soft_bodies import BALL, BODIES, EXACT, arm, bent, depth_in, particles_at

from supple.errors import InputError
from supple.geometry import quaternions
from supple.obstacles import Capsule, Keys, MovingMesh, Plane, RigidBody, Sphere


@pytest.mark.parametrize("name", BODIES)
def test_nobody_stays_inside_a_rigid_body(name):
    flesh, body = arm(), BODIES[name]
    contacts = flesh.contacts(bodies=[body])
    particles = particles_at(flesh.rest)
    before = particles.numpy().copy()
    contacts.detect(particles, flesh.skeleton.world_from_joint, contacts.start())
    assert depth_in(body, before[:, :3]).max() > 0.05
    contacts.project(particles)
    after = particles.numpy()
    assert depth_in(body, after[:, :3]).max() < EXACT
    outside = depth_in(body, before[:, :3]) < 0.0
    assert np.array_equal(after[outside], before[outside])
    assert np.isfinite(after).all()
    assert (after[:, 3] == 1.0).all()


def test_two_bodies_and_pinned_particles():
    flesh = arm()
    bodies = [Sphere(radius=0.2, at=(0.2, 0.0, 0.0)), Sphere(radius=0.2, at=(1.0, 0.0, 0.0))]
    contacts = flesh.contacts(bodies=bodies)
    masses = np.where(flesh.rest[:, 0] < 0.6, np.inf, 1.0)
    particles = particles_at(flesh.rest, masses=masses)
    contacts.detect(particles, flesh.skeleton.world_from_joint, contacts.start())
    contacts.project(particles)
    after = particles.numpy()[:, :3]
    assert np.allclose(after[np.isinf(masses)], flesh.rest[np.isinf(masses)], atol=1e-6)
    assert depth_in(bodies[1], after).max() < EXACT


def test_a_body_may_pass_through_itself_and_still_meet_others():
    flesh, ball = arm(), Sphere(radius=0.2, at=(0.2, 0.0, 0.0))
    contacts = flesh.contacts(bodies=[ball])
    state = contacts.start()
    pose = bent(flesh, 2.3)
    for itself in (True, False, True):
        contacts.set_options(itself=itself, full=True)
        particles = particles_at(flesh.carried(pose))
        before = particles.numpy()[:, :3].copy()
        contacts.detect(particles, pose.world_from_joint, state)
        contacts.project(particles)
        moved = (particles.numpy()[:, :3] != before).any(axis=1)
        by_ball = depth_in(ball, before) > 0.0
        assert moved[by_ball].all()
        assert bool(moved[~by_ball].any()) is itself


def test_a_body_that_moves_is_met_where_it_is():
    flesh = arm()
    path = Keys(np.array([0.0, 1.0]), np.array([[0.0, 5.0, 0.0], [0.6, 0.0, 0.0]]))
    body = Sphere(radius=0.25, at=path)
    assert np.allclose(path(0.5)[:3, 3], [0.3, 2.5, 0.0])
    assert np.allclose(path(-3.0)[:3, 3], [0.0, 5.0, 0.0])
    assert np.allclose(path(3.0)[:3, 3], [0.6, 0.0, 0.0])
    contacts = flesh.contacts(bodies=[body])
    state = contacts.start()
    for time, moved in ((0.0, False), (1.0, True)):
        particles = particles_at(flesh.rest)
        contacts.detect(particles, flesh.skeleton.world_from_joint, state, time=time, dt=0.01)
        contacts.project(particles)
        assert bool(np.abs(particles.numpy()[:, :3] - flesh.rest).max() > 0.01) is moved
    assert depth_in(body, particles.numpy()[:, :3], 1.0).max() < EXACT


def test_keys_turn_evenly():
    quarter = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 2.0)
    path = Keys(np.array([0.0, 2.0]), np.zeros((2, 3)), np.array([[0.0, 0.0, 0.0, 1.0], quarter]))
    half = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 4.0))
    assert np.allclose(path(1.0)[:3, :3], half)
    assert np.allclose(Keys(np.array([1.0]), np.ones((1, 3)))(7.0)[:3, 3], 1.0)


@pytest.mark.parametrize("moves", [False, True])
def test_friction_holds_skin_on_what_it_touches(moves):
    """On a floor that drifts along x, skin goes along as far as friction reaches; without friction it slides."""
    flesh = arm()
    drift = 0.01 if moves else 0.0
    left = {}
    for friction in (0.0, 0.5, 100.0):
        floor = Plane(at=lambda time: (drift * time, -0.09, 0.0), friction=friction)
        contacts = flesh.contacts(bodies=[floor])
        before = particles_at(flesh.rest)
        slid = flesh.rest + np.array([0.004, 0.0, 0.0])
        particles = particles_at(slid)
        contacts.detect(particles, flesh.skeleton.world_from_joint, contacts.start(), time=1.0, dt=1.0)
        contacts.project(particles, before=before)
        sole = flesh.rest[:, 1] < -0.09
        left[friction] = (particles.numpy()[sole, 0] - flesh.rest[sole, 0]).mean() - drift
    assert np.isclose(left[0.0], 0.004 - drift, atol=EXACT)
    assert np.isclose(left[100.0], 0.0, atol=EXACT)
    # The push is 1 cm, so friction takes back up to 0.5 cm.
    assert np.isclose(abs(left[0.5]), max(abs(0.004 - drift) - 0.005, 0.0), atol=EXACT)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sphere(radius=0.0), "radius is 0"),
        (lambda: Sphere(radius=np.nan), "radius is nan"),
        (lambda: Capsule(radius=0.1, length=-1.0), "length is -1"),
        (lambda: Plane(friction=-0.1), "friction is -0.1"),
        (lambda: Plane(at=np.diag([2.0, 1.0, 1.0, 1.0])), "no rotation and translation"),
        (lambda: Plane(at=(1.0, 2.0)), "shape"),
        (lambda: Plane(at=(np.nan, 0.0, 0.0)), "not finite"),
        (lambda: MovingMesh(points=BALL[0], triangles=BALL[1][1:]), "open edges"),
        (lambda: MovingMesh(points=BALL[0], triangles=BALL[1][:, ::-1]), "face inward"),
        (lambda: MovingMesh(points=BALL[0][:5], triangles=BALL[1]), "there are 5 points"),
        (lambda: Keys(np.array([1.0, 0.0]), np.zeros((2, 3))), "do not rise"),
        (lambda: Keys(np.zeros(0), np.zeros((0, 3))), "no times"),
        (lambda: Keys(np.zeros(1), np.zeros((1, 3)), np.zeros((1, 4))), "a rotation is zero"),
    ],
)
def test_strange_bodies_are_refused_in_words(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_path_that_goes_wrong_is_noticed_when_it_does():
    body = Sphere(radius=0.1, at=lambda time: (np.inf if time > 1.0 else 0.0, 0.0, 0.0))
    assert np.allclose(body.world_from_body(0.5), np.eye(4))
    with pytest.raises(InputError, match="not finite"):
        body.world_from_body(2.0)
    assert isinstance(body, RigidBody)
