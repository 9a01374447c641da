"""Volume limb by limb: what a limb is, and that its volume is told right where the whole is known."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.character.anatomy.enclosure import enclosing_triangles
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry.quaternions import matrix_from_quat
from supple.geometry.topology import signed_volume
from supple.measure import LimbVolumes, limb_volume_ratio, limbs_of

_RADIUS, _AROUND = 0.1, 24
_SECTION = 0.5 * _AROUND * _RADIUS**2 * np.sin(2.0 * np.pi / _AROUND)  # of the polygon around the tube


def _blend(x):
    """How much of the second bone, which begins at x = 1, moves skin there."""
    return np.clip(0.5 + (x - 1.0) / 0.6, 0.0, 1.0)


def _tube(places, *, joints=(0.0, 1.0, 2.0), capped=True):
    """A tube along x from 0 to 2 with rings at `places`; joints stand on its axis, the last has no bone of its own."""
    places = np.asarray(places, dtype=float)
    angle = 2.0 * np.pi * np.arange(_AROUND) / _AROUND
    ring = _RADIUS * np.stack([np.zeros(_AROUND), np.cos(angle), np.sin(angle)], axis=1)
    points = (ring[None] + np.stack([places, 0 * places, 0 * places], axis=1)[:, None]).reshape(-1, 3)
    a = np.arange(len(points) - _AROUND)
    b = np.where(a % _AROUND == _AROUND - 1, a - _AROUND + 1, a + 1)
    faces = np.concatenate([np.stack([a, b, a + _AROUND], axis=1), np.stack([b, b + _AROUND, a + _AROUND], axis=1)])
    if capped:
        ends = np.array([[places[0], 0, 0], [places[-1], 0, 0]])
        k, last = np.arange(_AROUND), len(points) - _AROUND
        turned = (k + 1) % _AROUND
        near = np.stack([np.full(_AROUND, len(points)), turned, k], axis=1)
        far = np.stack([np.full(_AROUND, len(points) + 1), last + k, last + turned], axis=1)
        points, faces = np.concatenate([points, ends]), np.concatenate([faces, near, far])
    names = [f"j{number}" for number in range(len(joints))]
    heads = np.array([[x, 0.0, 0.0] for x in joints])
    skeleton = Skeleton.from_heads(names, np.arange(len(joints)) - 1, heads)
    w = _blend(points[:, 0])
    weights = Weights(np.tile([[0, 1]], (len(points), 1)), np.stack([1.0 - w, w], axis=1))
    return Character(points, faces.astype(np.int32), skeleton, weights)


def test_limbs_reach_from_the_middle_of_a_bone_to_the_middle_of_the_next_however_coarse_the_mesh():
    for places in (np.linspace(0.0, 2.0, 41), (0.0, 1.0, 2.0), (0.0, 0.31, 0.77, 1.0, 1.4, 2.0)):
        meter = LimbVolumes.from_character(_tube(places))
        volumes = dict(zip(meter.names, meter(_tube(places).points[None])[0], strict=True))
        assert volumes == pytest.approx({"j0": 0.5 * _SECTION, "j1": _SECTION, "j2": 0.5 * _SECTION}, rel=1e-9)


def test_rigid_motions_change_no_limb_and_a_scale_changes_all_by_its_cube():
    hero = supple.character("hero", vertices=2000)
    turn = matrix_from_quat(np.array([0.3, -0.5, 0.2, 0.787]))
    frames = np.stack([hero.points @ turn.T + (3.0, -40.0, 7.0), 1.3 * hero.points])
    ratios = limb_volume_ratio(frames, hero)
    assert len(ratios) >= 6
    for ratio in ratios.values():
        assert ratio == pytest.approx([1.0, 1.3**3], rel=1e-4)  # frames are single precision


def test_limbs_add_up_to_the_whole_whatever_a_body_does():
    hero = supple.character("hero", vertices=2000)
    points = np.array(supple.player(hero, supple.LinearBlend()).play(supple.motion("jump", hero), 0.4))
    meter = LimbVolumes.from_character(hero)
    surface, _ = enclosing_triangles(hero.points, hero.triangles)
    assert meter(points[None])[0].sum() == pytest.approx(signed_volume(points, surface), rel=1e-6)
    every = np.concatenate(list(limbs_of(hero).values()))
    assert len(every) == len(set(every.tolist())) == len(hero.points)


def test_the_collapse_of_a_twisted_tube_is_that_of_the_formula():
    tube = _tube(np.linspace(0.0, 2.0, 201))
    for degrees in (60.0, 120.0, 180.0):
        angle, w = np.radians(degrees), _blend(tube.points[:, 0])
        y, z = tube.points[:, 1], tube.points[:, 2]
        turned = np.stack([np.cos(angle) * y - np.sin(angle) * z, np.sin(angle) * y + np.cos(angle) * z], axis=1)
        blended = (1.0 - w)[:, None] * tube.points[:, 1:] + w[:, None] * turned
        points = np.concatenate([tube.points[:, :1], blended], axis=1)
        x = np.linspace(0.5, 1.5, 20001)
        radius = np.abs(1.0 - _blend(x) + _blend(x) * np.exp(1j * angle))
        ratios = limb_volume_ratio(points[None], tube)
        assert ratios["j1"][0] == pytest.approx(np.mean(radius**2), abs=2e-3)
        assert [ratios["j0"][0], ratios["j2"][0]] == pytest.approx([1.0, 1.0], abs=1e-5)


def test_a_bend_that_keeps_every_section_moves_no_volume_between_limbs():
    """Pappus: what is swept by a section about an axis outside has the section's area times the way of its middle."""
    tube = _tube(np.linspace(0.0, 2.0, 201))
    x, y, z = tube.points.T
    radius = 0.6 / np.radians(150.0)  # the middle 0.6 of the axis is bent by 150 degrees
    turn = np.radians(150.0) * _blend(x)
    straight = np.stack([np.minimum(x, 0.7), np.zeros_like(x)], axis=1)
    arc = radius * np.stack([np.sin(turn), 1.0 - np.cos(turn)], axis=1)
    after = np.maximum(x - 1.3, 0.0)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    side = y[:, None] * np.stack([-np.sin(turn), np.cos(turn)], axis=1)
    points = np.concatenate([straight + arc + after + side, z[:, None]], axis=1)
    for ratio in limb_volume_ratio(points[None], tube).values():
        assert ratio[0] == pytest.approx(1.0, abs=2e-3)


def test_open_meshes_shells_and_patches_turned_inside_out_are_measured_alike():
    whole, opened = _tube(np.linspace(0.0, 2.0, 41)), _tube(np.linspace(0.0, 2.0, 41), capped=False)
    inner = opened.points * (1.0, 0.8, 0.8)
    faces = np.concatenate([opened.triangles, opened.triangles[:, ::-1] + len(opened.points)])
    weights = Weights(*(np.tile(each, (2, 1)) for each in (opened.weights.joints, opened.weights.values)))
    shells = Character(np.concatenate([opened.points, inner]), faces, opened.skeleton, weights)
    wanted = limb_volume_ratio((whole.points * (1.0, 0.5, 0.7))[None], whole)
    for body in (opened, shells):
        ratios = limb_volume_ratio((body.points * (1.0, 0.5, 0.7))[None], body)
        assert {name: ratio[0] for name, ratio in ratios.items()} == pytest.approx(
            {name: ratio[0] for name, ratio in wanted.items()}, rel=1e-5
        )


def test_joints_that_only_twist_and_what_is_too_flat_make_no_limbs():
    heads = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0], [0.5, 0, 0]])
    body = _tube(np.linspace(0.0, 2.0, 41))
    twisting = Skeleton.from_heads(["arm", "elbow", "hand", "twist"], [-1, 0, 1, 0], heads)
    own = (body.points[:, 0] > 0.4) & (body.points[:, 0] < 0.8)
    w = _blend(body.points[:, 0])
    weights = Weights(np.where(own[:, None], [[3, 1]], [[0, 1]]), np.stack([1.0 - w, w], axis=1))
    character = body.replace(skeleton=twisting, weights=weights)
    assert sorted(limbs_of(character)) == ["arm", "elbow", "hand"]
    dense = _tube(np.linspace(0.0, 2.0, 41), joints=(0.0, 1.0, 1.02, 1.04, 2.0))
    assert len(limbs_of(dense)) == 3
    assert limbs_of(body.replace(weights=None)) == {}
    assert limb_volume_ratio(body.points[None], body.replace(weights=None)) == {}


def test_what_flesh_keeps_by_itself_is_that_of_the_same_skin_without_its_keeper():
    arm = supple.character("arm", vertices=800)
    bend = supple.motion("bend", arm, seconds=0.2)
    step = supple.LayeredLattice().step  # a frame: the bake knows poses of frames alone
    kept, bare = (
        supple.measure(arm, supple.bake(arm, bend, skin, fps=1.0 / step), by_itself=True)
        for skin in (supple.LayeredLattice(resolution=16), supple.LayeredLattice(resolution=16, keep_volume=False))
    )
    assert bare.volume_by_itself is None
    np.testing.assert_allclose(kept.volume_by_itself.whole, bare.volume_ratio, atol=1e-4)  # a bake is rounded
    for limb, ratio in kept.volume_by_itself.limbs.items():
        np.testing.assert_allclose(ratio, bare.limb_volume_ratio[limb], atol=1e-4)
    assert {"least volume", "least volume before the keeper"} <= {row.name for row in kept.rows()}
    assert "before the keeper" not in bare.summary()
