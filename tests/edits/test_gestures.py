"""Timing by gesture, planes to draw on, and shapes that are mirrored, erased and smoothed by brush."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.edits import SurfaceEdit
from supple.edits.painting import Brush, Canvas, Place, erase_edit, mirror_edit, smooth_edit
from supple.edits.strokes import Plane, Stroke, View, layer_by_gesture, travel_along
from supple.errors import InputError
from supple.geometry import quaternions


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=2000)


# Keys


def height(time):
    """Up slowly for two seconds, slower for one, and down in half a second [m]."""
    return np.interp(time, [0.0, 2.0, 3.0, 3.5], [0.0, 0.25, 0.3, 0.1])


def rise():
    """A hand that goes up and down as `height` says while it goes evenly to the right."""
    clock = np.linspace(0.0, 3.5, 400)
    samples = np.stack([0.4 * clock, height(clock), np.zeros(400)], axis=1)
    return Stroke.from_samples(samples, times=5.0 + clock, tolerance=1e-4, keep_times=True)


def test_keys_come_when_the_hand_was_there():
    layer = layer_by_gesture("rise", "chest out", rise(), along=[0.0, 1.0, 0.0], start=1.0)
    for time in np.linspace(0.0, 3.5, 15):
        assert layer.amounts(1.0 + time)["chest out"] == pytest.approx(height(time) / 0.3, abs=0.06)
    assert layer.keys[0].time == pytest.approx(1.0)
    assert layer.keys[-1].time == pytest.approx(4.5)
    assert len(layer.keys) < 20


def test_a_hand_that_waits_and_hurries_is_followed():
    """All on one straight line, so that only the times tell it."""
    clock = np.linspace(0.0, 2.0, 200)
    way = np.interp(clock, [0.0, 1.2, 1.4, 2.0], [0.0, 0.1, 0.9, 1.0])
    samples = np.stack([way, np.zeros(200), np.zeros(200)], axis=1)
    followed, plain = (
        layer_by_gesture("go", "shape", stroke, along=[1.0, 0.0, 0.0])
        for stroke in (Stroke.from_samples(samples, times=clock, keep_times=keep) for keep in (True, False))
    )
    for time in (0.6, 1.2, 1.3, 1.4, 1.7):
        assert followed.amounts(time)["shape"] == pytest.approx(np.interp(time, clock, way), abs=0.04)
    assert abs(plain.amounts(1.2)["shape"] - 0.1) > 0.3  # a line drawn evenly


def test_a_gesture_needs_time_and_a_way():
    still = Stroke(np.array([[0.0, 0, 0], [1.0, 0, 0]]), np.array([2.0, 2.0]))
    with pytest.raises(InputError, match="took no time"):
        layer_by_gesture("a", "b", still, along=[1.0, 0.0, 0.0])
    with pytest.raises(InputError, match="does not go along"):
        layer_by_gesture("a", "b", rise(), along=[0.0, 0.0, 1.0])


# Ways to go


def test_a_character_goes_along_a_path_as_fast_as_it_was_drawn(hero):
    walk = supple.motion("walk", hero)
    angle = np.linspace(0.0, np.pi / 2.0, 60)
    places = np.stack([2.0 - 2.0 * np.cos(angle), np.zeros(60), 2.0 * np.sin(angle)], axis=1)
    times = 3.0 * np.linspace(0.0, 1.0, 60) ** 2  # faster and faster
    path = Stroke.from_samples(places, times=times, tolerance=1e-4, keep_times=True)
    went = travel_along(walk, path)
    start = walk.sample(0.0).world_from_joint[0, :3, 3]
    assert went.duration == pytest.approx(3.0)
    for time in (0.3, 1.2, 3.0):
        share = np.sqrt(time / 3.0)
        where = went.sample(time).world_from_joint[0, :3, 3] - start
        expected = [2.0 - 2.0 * np.cos(share * np.pi / 2.0), 2.0 * np.sin(share * np.pi / 2.0)]
        assert np.allclose(where[[0, 2]], expected, atol=0.03)
    turned = went.sample(3.0).world_from_joint[0, :3, :3] @ went.sample(0.0).world_from_joint[0, :3, :3].T
    front = turned @ [0.0, 0.0, 1.0]
    assert front[0] > 0.9  # it set off along z and goes along x now
    straight = travel_along(walk, path, turn=False).sample(3.0).world_from_joint[0, :3, :3]
    assert np.allclose(straight, walk.sample(3.0 % walk.duration).world_from_joint[0, :3, :3], atol=1e-6)


# Planes


def test_planes_are_values_to_draw_on(hero):
    view = View(position=(0.0, 1.0, 4.0), target=(0.0, 1.0, 0.0), view_angle=0.5, size=(400, 400))
    pose = supple.Pose.rest(hero.skeleton)
    plane = Plane.through_joint(pose, view=view)
    pixels = [[150.0, 180.0], [220.0, 210.0]]
    assert np.allclose((plane.places(view, pixels) - plane.point) @ plane.normal, 0.0, atol=1e-9)
    assert np.allclose(view.project(plane.places(view, pixels))[0], pixels)
    further = plane.moved([0.0, 0.0, -1.0])
    assert np.allclose(further.places(view, pixels)[:, 2], plane.places(view, pixels)[:, 2] - 1.0)
    leaning = plane.rotated(quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 0.5))
    assert np.allclose((leaning.places(view, pixels) - plane.point) @ leaning.normal, 0.0, atol=1e-9)
    edge_on = plane.rotated(quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], np.pi / 2.0)).moved([9.0, 0.0, 0.0])
    with pytest.raises(InputError, match="misses the plane"):
        edge_on.places(view, [[150.0, 180.0]])
    with pytest.raises(InputError, match="normal is zero"):
        Plane([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    with pytest.raises(InputError, match="joint 999"):
        Plane.through_joint(pose, 999, view=view)


# Touching up


@pytest.fixture(scope="module")
def shoulder(hero):
    """A lump on the left shoulder, pushed up and outward."""
    joint = hero.skeleton.heads[hero.skeleton.index("LeftArm")]
    far = np.linalg.norm(hero.points - joint, axis=1)
    return SurfaceEdit.of(np.clip(1.0 - far / 0.15, 0.0, None)[:, None] * np.array([0.03, 0.04, 0.0]))


def test_a_mirrored_edit_is_its_image(hero, shoulder):
    canvas = Canvas(hero)
    image = mirror_edit(canvas, shoulder)
    offsets, mirrored = shoulder.dense(len(hero.points)), image.dense(len(hero.points))
    x = hero.points[:, 0]
    assert x[np.argmax(np.abs(offsets[:, 1]))] * x[np.argmax(np.abs(mirrored[:, 1]))] < 0.0
    assert np.allclose(mirrored[:, 1].max(), offsets[:, 1].max(), rtol=0.1)
    assert np.allclose(mirrored[:, 0].min(), -offsets[:, 0].max(), rtol=0.1)
    twice = mirror_edit(canvas, image).dense(len(hero.points))
    assert np.abs(twice - offsets).max() < 0.25 * np.abs(offsets).max()  # vertices of both sides differ a little
    both = mirror_edit(canvas, shoulder, both=True).dense(len(hero.points))
    assert np.allclose(both[np.abs(offsets[:, 1]) > 0.02], offsets[np.abs(offsets[:, 1]) > 0.02])
    assert np.allclose(both[np.abs(mirrored[:, 1]) > 0.02], mirrored[np.abs(mirrored[:, 1]) > 0.02])


def test_what_is_no_image_of_itself_is_not_mirrored():
    tube = make_tube(bones=2)
    lean = tube.replace(points=tube.points + np.outer(tube.points[:, 1] ** 2, [0.6, 0.0, 0.3]))
    with pytest.raises(InputError, match="mirror image"):
        mirror_edit(Canvas(lean), SurfaceEdit.of(np.ones_like(lean.points)))


def test_the_eraser_takes_away_what_lies_under_it(hero, shoulder):
    canvas, offsets = Canvas(hero), shoulder.dense(len(hero.points))
    top = int(np.argmax(offsets[:, 1]))
    brush = Brush(radius=0.08, strength=1.0)
    erased = erase_edit(canvas, shoulder, brush, [Place((top,), (1.0,))]).dense(len(hero.points))
    away = np.linalg.norm(hero.points - hero.points[top], axis=1)
    assert np.abs(erased[top]).max() < 1e-12
    assert np.array_equal(erased[away > 0.081], offsets[away > 0.081])
    half = erase_edit(canvas, shoulder, Brush(radius=0.08, strength=0.5), [Place((top,), (1.0,))])
    assert np.allclose(half.dense(len(hero.points))[top], 0.5 * offsets[top])


def test_smoothing_levels_a_spike_and_leaves_the_rest(hero):
    canvas, top = Canvas(hero), int(np.argmax(hero.points[:, 1]))
    spike = np.zeros_like(hero.points)
    spike[top] = [0.0, 0.05, 0.0]
    smooth = smooth_edit(canvas, SurfaceEdit.of(spike), Brush(radius=0.1, strength=1.0), [Place((top,), (1.0,))])
    found = smooth.dense(len(hero.points))
    assert 0.0 < found[top, 1] < 0.02
    away = np.linalg.norm(hero.points - hero.points[top], axis=1)
    assert np.array_equal(found[away > 0.101], spike[away > 0.101])
