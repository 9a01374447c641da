"""The published method by itself: its step, its soft control, its contacts, and what it does not share."""

from __future__ import annotations

import json
from functools import partialmethod

import numpy as np
import pytest

import supple
from supple import Pose, PositionBased
from supple.character.crowd import Crowd
from supple.errors import InputError
from supple.geometry.topology import unique_edges
from supple.motion import CrowdMotion
from supple.obstacles import Sphere
from supple.settings import ByName, settings_of
from supple.skins.position_based.published.projection import ProjectionSolver
from supple.skins.position_based.published.skin import PublishedPositionBased
from supple.skins.position_based.published.soft_control import soft_control

FEW = 1200


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=1500)


def _player(character, **settings):
    return supple.player(character, PublishedPositionBased(**{"tetrahedra": FEW, **settings}), fps=100.0)


def _state(player):
    return player._nodes[-1].state


def _binding(player):
    return player._nodes[-1].binding


def test_the_preset_is_a_skin_of_its_own_with_the_published_numbers():
    skin = PositionBased.preset("published", iterations=24)
    assert skin == PublishedPositionBased(iterations=24)
    assert not issubclass(PublishedPositionBased, PositionBased)
    assert (skin.step, skin.solve.volume, skin.solve.bone_stiffness, skin.solve.stretch) == (0.01, 1.0, 0.9, 0.9)
    assert skin.collision.contact_stiffness == 0.93
    assert {"scheme", "solve.formulation"}.isdisjoint(info.name for info in settings_of(PositionBased))


def test_it_is_found_by_name_and_kept_in_a_graph():
    from supple.skins.registry import skin_named

    skin = skin_named("position-based", {"preset": "published", "iterations": 6})
    assert skin == skin_named("position-based-published", {"iterations": 6})
    graph = supple.Graph.chain(skin)
    assert supple.Graph.from_dict(json.loads(json.dumps(graph.to_dict()))).to_dict() == graph.to_dict()


def _walk(batches):
    """Constraints in the order of their batches, each once: a batch that is not full repeats its first."""
    return [number for batch in batches.order for number in dict.fromkeys(batch.tolist())]


def _oracle_round(body, schedules, solve, p, anchors):
    """Alg. 5, lines 35 to 37: one constraint after another, in the order of the walk, with gradients written out."""
    constraints, (volumes, _, edges) = body.constraints, schedules
    for number in _walk(volumes):
        corner = constraints.corners[number]
        a, b, c, d = p[corner]
        g = np.array([np.zeros(3), np.cross(c - a, d - a), np.cross(d - a, b - a), np.cross(b - a, c - a)]) / 6.0
        g[0] = -g.sum(axis=0)
        error = np.dot(np.cross(b - a, c - a), d - a) / 6.0 - constraints.rest_volumes[number]
        p[corner] -= solve.volume * error / (g * g).sum() * g
    apart = p - anchors
    length = np.linalg.norm(apart, axis=1, keepdims=True)
    p -= solve.bone_stiffness * (length - body.bonds.lengths[:, None]) * apart / length
    for number in _walk(edges):
        i, j = constraints.ends[number]
        apart = p[i] - p[j]
        length = np.linalg.norm(apart)
        move = 0.5 * solve.stretch * (length - constraints.rest_lengths[number]) / length * apart
        p[i] -= move
        p[j] += move


def test_a_step_is_the_algorithm_line_by_line():
    arm = supple.character("arm", vertices=600)
    pose = supple.motion("bend", arm, angle=0.6).sample(0.5)
    player = _player(arm, tetrahedra=400, contact="off", iterations=3)
    player.advance(pose)
    body, state = _binding(player).body, _state(player)
    (table,) = state.tables.each
    kinematic = supple.linear_blend(body.constraints.points, body.weights, pose.skinning(arm.skeleton))
    expected, anchors = kinematic.astype(np.float64), state.solver.anchors.numpy().astype(np.float64)
    for _ in range(3):
        _oracle_round(body, table.schedules, PublishedPositionBased().solve, expected, anchors)
    assert np.abs(expected - kinematic).max() > 0.1 * body.constraints.size
    assert np.abs(state.memory.positions.numpy() - expected).max() < 1e-4 * body.constraints.size


def test_nothing_swings_that_is_not_marked(hero):
    """Without regions a frame is where the bones and constraints have it, whatever was before."""
    walk = supple.motion("walk", hero)
    one, other = (_player(hero, contact="off") for _ in range(2))
    one.play(walk, 0.0)
    for frame in range(1, 20):
        one.play(walk, frame / 100.0)
    other.advance(walk.sample(0.4), 0.01)
    assert np.abs(one.advance(walk.sample(0.4), 0.01) - other.advance(walk.sample(0.4), 0.01)).max() < 1e-6


def test_soft_control_frees_what_is_farther_from_the_bone_than_the_mean_of_its_region(hero):
    body = _binding(_player(hero)).body
    regions = ByName({"belly": 0.3, "left_thigh": 0.6})
    control = soft_control(hero, body, regions)
    marked = {name: body.sample_skin(np.isin(np.arange(len(hero.points)), hero.parts[name]) * 1.0) > 0.5
              for name in regions}  # fmt: skip
    for name, value in regions.items():
        distance = body.bone_distance[marked[name]]
        far = marked[name] & (body.bone_distance > distance.mean())
        assert (control.free[marked[name]] == far[marked[name]]).all()
        assert 0 < far.sum() < marked[name].sum()
        assert (control.bonds[far] == value).all()
    assert not control.free[~marked["belly"] & ~marked["left_thigh"]].any()
    touched = control.free[body.constraints.corners].any(axis=1)
    assert (control.volumes[touched] < 1.0).all()
    assert (control.volumes[~touched] == 1.0).all()
    touched = control.free[body.constraints.ends].any(axis=1)
    assert (control.edges[touched] < 1.0).all()
    assert (control.edges[~touched] == 1.0).all()


def _slid(skeleton, x):
    world = skeleton.world_from_joint.copy()
    world[:, 0, 3] += x
    return Pose(world)


def test_a_marked_belly_overshoots_a_stop_and_the_softer_the_farther(hero):
    """It slides at 2 m/s for 0.2 s, and stands."""
    far = []
    for regions in ("", "belly=0.3", "belly=0.05"):
        player = _player(hero, regions=regions, contact="off", gravity=0.0)
        away = []
        for frame in range(40):
            x = 2.0 * min(0.01 * frame, 0.2)
            points = player.advance(_slid(hero.skeleton, x), 0.01)
            away.append(float((points[hero.parts["belly"], 0] - hero.points[hero.parts["belly"], 0] - x).max()))
        far.append(max(away))
    assert far[0] < 1e-4 < far[1] < far[2] < 0.1
    player = _player(hero, contact="off")
    player.advance(_slid(hero.skeleton, 0.0))
    player.change(regions="belly=0.1")
    player.advance(_slid(hero.skeleton, 0.01))
    assert _state(player).free.numpy().any()


def test_contacts_are_searched_inside_the_loop_and_part_the_elbow():
    arm = supple.character("arm", vertices=900)
    bent = supple.motion("bend", arm, angle=np.radians(130.0), hold=True)
    sides = {}
    for contact in ("off", "full"):
        player = _player(arm, contact=contact)
        for t in np.arange(0.0, 1.3, 0.02):
            player.play(bent, t)
        state = _state(player)
        state.collision.set_options(full=True)
        state.collision.find(state.solver.particles)
        sides[contact] = state.collision.hash.pairs.found.numpy()[0]
        calls = []
        state.detect_contacts = lambda skin, calls=calls: calls.append(1)
        player.play(bent, 1.30)
    assert len(calls) == 2 * PublishedPositionBased().iterations  # two steps of 10 ms
    assert sides["full"] < 0.5 * sides["off"]


def test_a_ball_is_met_and_a_shape_comes_out_whole(hero):
    ball = Sphere(radius=0.1, at=(0.0, 1.04, 0.2))
    free, met = (_player(hero, bodies=bodies).advance(Pose.rest(hero.skeleton)) for bodies in ((), (ball,)))
    dent = np.linalg.norm(met - free, axis=1)
    assert 0.005 < dent.max() < 0.1
    assert dent[hero.points[:, 1] < 0.5].max() < 1e-3
    offset = np.where(hero.points[:, 1:2] > 1.5, 0.02, 0.0) * np.array([0.0, 1.0, 0.0])
    shaped = hero.replace(shapes={"tall": offset})
    pose = Pose(shaped.skeleton.world_from_joint, shapes={"tall": 1.0})
    assert np.abs(_player(shaped).advance(pose) - (shaped.points + offset)).max() < 1e-4


def test_a_crowd_moves_as_its_members_do(hero):
    walk = supple.motion("walk", hero)
    crowd = Crowd.of(hero, 2)
    player, alone = _player(crowd), _player(hero)
    for t in (0.0, 0.05, 0.1):
        points, own = player.play(CrowdMotion(crowd, [walk] * 2), t), alone.play(walk, t)
    assert np.abs(points.reshape(2, -1, 3) - own).max() < 1e-4


@pytest.mark.parametrize("clip", ["02_04_jump_balance", "135_07_mawashigeri_kick"])
def test_a_real_face_is_not_torn(data_file, clip):
    """Edges of the CMU human's face were 344 times as long where Eq. 4.1 made it neck."""
    person = supple.load(data_file("gltf/human_cmu_8clips.glb"))
    motion, edges = person.motions[clip], unique_edges(person.triangles)
    frames = [
        supple.player(person, skin).play(motion, 0.6) for skin in (PublishedPositionBased(), supple.LinearBlend())
    ]
    rest, ours, linear = (np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1) for p in (person.points, *frames))
    whole = rest > 1e-6
    assert (ours[whole] <= 3.0 * np.maximum(rest, linear)[whole]).all()


@pytest.mark.parametrize("settings", [{"regions": "0.3"}, {"bodies": (3,)}, {"weights": "painted"}, {"iterations": -1}])
def test_what_makes_no_sense_is_refused(settings):
    with pytest.raises(InputError):
        PublishedPositionBased(**settings)


def test_a_region_that_is_not_there_is_refused(hero):
    with pytest.raises(InputError, match="tail"):
        _player(hero, regions="tail=0.3")


@pytest.mark.parametrize("extreme", [{"step": 0.1}, {"stretch": 1.0, "bone_stiffness": 1.0}, {"volume": 0.0},
                                     {"regions": "belly=0", "drag": 0.0}, {"base": "dual-quaternion"}])  # fmt: skip
def test_no_setting_makes_it_explode(hero, extreme):
    player, motion = _player(hero, **extreme), supple.motion("jump", hero)
    frames = [player.play(motion, t) for t in (0.0, 0.2, 0.4, 40.0)]
    linear = supple.player(hero, supple.LinearBlend()).play(motion, 40.0)
    assert np.isfinite(frames).all()
    assert np.abs(frames[-1] - linear).max() < 0.5


@pytest.mark.cuda
def test_cuda_does_what_a_processor_does_that_projects_colour_by_colour(hero, monkeypatch):
    """In slabs, as a processor usually goes, the published method has another answer: it depends on the order."""
    usual = ProjectionSolver.__init__
    monkeypatch.setattr(ProjectionSolver, "__init__", partialmethod(usual, by_color=True))
    walk, ends = supple.motion("walk", hero), []
    for device in ("cpu", "cuda:0"):
        player = supple.player(hero, PublishedPositionBased(tetrahedra=FEW), device=device, fps=100.0)
        for t in np.arange(0.0, 0.3, 0.02):
            points = player.play(walk, t)
        ends.append(points)
    assert np.abs(ends[0] - ends[1]).max() < 1e-4 * hero.height
