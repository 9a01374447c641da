"""The anatomy of a skin: thickness, leaves, rigid parts and shells follow from the body, not from how it is written."""

import numpy as np
import pytest
from tests.conftest import SHARED

import supple
from supple.character.anatomy.shells import find_shells
from supple.character.anatomy.thickness import local_thickness
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry.subdivision import subdivide_long_edges


def tube(radius, length, *, around=24, along=40, center=(0.0, 0.0, 0.0)):
    """A closed tube along x."""
    angles = np.arange(around) * (2.0 * np.pi / around)
    rings = [
        np.column_stack([np.full(around, x), radius * np.cos(angles), radius * np.sin(angles)])
        for x in np.linspace(0.0, length, along)
    ]
    points = np.concatenate([*rings, [[0.0, 0.0, 0.0], [length, 0.0, 0.0]]]) + center
    faces = []
    for ring in range(along - 1):
        for k in range(around):
            a, b = ring * around + k, ring * around + (k + 1) % around
            faces += [(a, a + around, b), (b, a + around, b + around)]
    last = (along - 1) * around
    for k in range(around):
        n = (k + 1) % around
        faces += [(along * around, k, n), (along * around + 1, last + n, last + k)]
    return points, np.array(faces, dtype=np.int32)


def joined(*meshes):
    points = np.concatenate([mesh[0] for mesh in meshes])
    starts = np.cumsum([0, *(len(mesh[0]) for mesh in meshes)])
    return points, np.concatenate([mesh[1] + start for mesh, start in zip(meshes, starts[:-1], strict=True)])


def turned(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def test_a_tube_is_as_thick_as_it_is_wide_all_along_and_at_its_ends():
    points, triangles = tube(0.1, 2.0)
    thickness = local_thickness(points, triangles)
    rim = np.isin(points[:, 0], (0.0, 2.0)) & (np.hypot(points[:, 1], points[:, 2]) > 0.05)
    assert np.allclose(thickness[~rim], 0.2, rtol=0.1)
    assert (thickness[rim] > 0.1).all(), "a sharp rim sticks out of every ball, by less than half a radius"


def test_a_finger_on_a_body_is_thin_to_its_tip():
    body, finger = tube(0.5, 2.0), tube(0.04, 1.0, center=(1.5, 0.0, 0.0))
    points, triangles = joined(body, finger)
    thickness = local_thickness(points, triangles)
    outside = np.flatnonzero(points[:, 0] > 2.4)
    assert len(outside) > 50
    assert np.median(thickness[outside]) == pytest.approx(0.08, rel=0.1)
    assert (thickness[outside] < 0.09).all()
    middle = np.flatnonzero((points[: len(body[0]), 0] > 0.3) & (points[: len(body[0]), 0] < 1.7))
    assert np.allclose(thickness[middle], 1.0, rtol=0.12), "what runs into the body makes it no thinner"


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_thickness_does_not_depend_on_units(scale):
    hero = supple.character("hero", vertices=1500)
    expected = local_thickness(hero.points, hero.triangles)
    assert np.allclose(local_thickness(scale * hero.points, hero.triangles), scale * expected, rtol=1e-3)


def test_thickness_turns_with_the_body_and_does_not_depend_on_resolution():
    hero = supple.character("hero", vertices=2500)
    expected = local_thickness(hero.points, hero.triangles)
    trunk = expected.max()
    around = local_thickness(hero.points @ turned(0.7).T, hero.triangles)
    assert np.abs(around - expected).max() < 0.1 * trunk
    assert np.abs(around - expected).mean() < 0.01 * trunk
    fine, faces = subdivide_long_edges(hero.points, hero.triangles, longest=0.02)
    again = local_thickness(fine, faces)[: len(hero.points)]
    assert np.abs(again - expected).max() < 0.15 * trunk
    assert np.abs(again - expected).mean() < 0.01 * trunk


def test_numbering_changes_nothing():
    hero = supple.character("hero", vertices=1500)
    order = np.random.default_rng(3).permutation(len(hero.points))
    back = np.argsort(order)
    weights = hero.weights
    other = Character(
        hero.points[order],
        back[hero.triangles][::-1].astype(np.int32),
        hero.skeleton,
        Weights(weights.joints[order], weights.values[order]),
    )
    plain = hero.replace(maps={}).anatomy
    for name in ("thickness", "leaf", "rigid", "firmness", "softness"):
        assert np.allclose(getattr(other.anatomy, name), getattr(plain, name)[order], atol=1e-6), name


def test_holes_and_flipped_shells_change_little():
    points, triangles = tube(0.1, 2.0)
    expected = local_thickness(points, triangles)
    torn = np.delete(triangles, np.arange(400, 420), axis=0)
    assert np.allclose(local_thickness(points, torn), expected, rtol=0.15)
    assert np.allclose(local_thickness(points, triangles[:, ::-1]), expected, rtol=1e-6)


def test_a_sheet_has_no_thickness():
    grid = np.array([(x, y, 0.0) for x in np.linspace(0, 1, 9) for y in np.linspace(0, 1, 9)])
    faces = []
    for i in range(8):
        for j in range(8):
            a = 9 * i + j
            faces += [(a, a + 9, a + 1), (a + 1, a + 9, a + 10)]
    assert local_thickness(grid, np.array(faces, dtype=np.int32)).max() < 0.05


def test_fingers_and_toes_are_leaves_and_the_trunk_is_not():
    hero = supple.character("hero", vertices=3000).replace(maps={})
    anatomy, names = hero.anatomy, hero.skeleton.names
    finger, trunk = (
        (hero.weights.values * np.array([word in name for name in names])[hero.weights.joints]).sum(axis=1) > 0.95
        for word in ("HandMiddle", "Spine")
    )
    assert finger.any()
    assert (anatomy.leaf[finger] > 0.9).all()
    assert (anatomy.softness[finger] < 0.01).all()
    assert (anatomy.leaf[trunk] < 0.1).all()
    assert anatomy.softness[trunk].mean() > 0.2


def test_names_are_not_needed():
    hero = supple.character("hero", vertices=3000).replace(maps={})
    skeleton = hero.skeleton
    nameless = Skeleton(
        tuple(f"node{k}" for k in range(len(skeleton))),
        skeleton.parents,
        skeleton.world_from_joint,
        tails=skeleton.tails,
    )
    blind = Character(hero.points, hero.triangles, nameless, hero.weights).anatomy
    fingers = np.array(["handmiddle" in n.lower() for n in skeleton.names])
    own = (hero.weights.values * fingers[hero.weights.joints]).sum(axis=1) > 0.9
    assert (blind.leaf[own] > 0.9).all()
    assert (blind.firmness[own] > 0.9).all()
    head = np.array(["head" in n.lower() for n in skeleton.names])
    skull = (hero.weights.values * head[hero.weights.joints]).sum(axis=1) > 0.9
    assert blind.rigid[skull].mean() > 0.9


def body_with_belt_and_sword():
    """A body of two bones, a belt round it, a buckle of one bone on the belt, and a sword far off."""
    body = tube(0.2, 2.0)
    belt = tube(0.215, 0.2, along=5, center=(0.9, 0.0, 0.0))
    buckle = tube(0.02, 0.05, around=8, along=3, center=(0.97, 0.23, 0.0))
    sword = tube(0.03, 1.0, around=8, along=9, center=(0.5, 2.0, 0.0))
    points, triangles = joined(body, belt, buckle, sword)
    skeleton = Skeleton.from_heads(
        ["a", "b"], [-1, 0], [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], tails=[(1, 0, 0), (2, 0, 0)]
    )
    share = np.clip((points[:, 0] - 0.8) / 0.4, 0.0, 1.0)
    sizes = np.cumsum([len(mesh[0]) for mesh in (body, belt, buckle, sword)])
    share[sizes[1] :] = 0.5
    share[sizes[2] :] = 1.0
    weights = Weights.from_dense(np.column_stack([1.0 - share, share]))
    return Character(points, triangles, skeleton, weights), sizes


def test_shells_lie_on_what_is_below_them_and_hard_ones_are_told():
    character, sizes = body_with_belt_and_sword()
    shells = character.anatomy.shells
    belt, buckle, sword = (shells.number[first] for first in sizes[:3])
    body = shells.number[0]
    assert shells.lying[belt]
    assert shells.lying[buckle]
    assert not shells.lying[body]
    assert not shells.lying[sword]
    assert shells.hard[buckle]
    assert shells.hard[sword]
    assert not shells.hard[body]
    assert not shells.hard[belt]
    hung = shells.host_weights.any(axis=1)
    assert np.allclose(shells.host_weights[hung].sum(axis=1), 1.0)
    assert (shells.number[shells.hosts[hung]][shells.host_weights[hung] > 0.0] == body).all()
    place = np.einsum("vk,vki->vi", shells.host_weights, character.points[shells.hosts])
    gap = np.linalg.norm(place - character.points, axis=1)[hung]
    assert np.median(gap) < 0.05
    assert (character.anatomy.rigid[sizes[2] :] == 1.0).all()


def test_a_body_on_one_bone_stays_flesh():
    points, triangles = tube(0.2, 1.0)
    skeleton = Skeleton.from_heads(["a"], [-1], [(0.0, 0.0, 0.0)], tails=[(1.0, 0.0, 0.0)])
    shells = find_shells(points, triangles, skeleton, Weights.from_dense(np.ones((len(points), 1))))
    assert not shells.hard.any()
    assert not shells.lying.any()
    assert (
        Character(points, triangles, skeleton, Weights.from_dense(np.ones((len(points), 1)))).anatomy.softness.max()
        > 0.3
    )


def test_what_hangs_on_one_bone_of_a_rig_with_limbs_that_move_nothing_is_firm():
    points, triangles = tube(0.2, 1.0)
    heads = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, 1.0, 0.0)]

    def softness(names, shares):
        skeleton = Skeleton.from_heads(
            names, [-1, 0, 0], heads, tails=[(1.0, 0.0, 0.0), (0.2, 1.0, 0.0), (0.6, 1.0, 0.0)]
        )
        weights = np.tile(shares, (len(points), 1))
        if np.count_nonzero(shares) > 1:
            weights[:, 0] = np.clip(points[:, 0], 0.2, 0.8)
            weights[:, 1] = 1.0 - weights[:, 0]
        return Character(points, triangles, skeleton, Weights.from_dense(weights)).anatomy.softness.max()

    assert softness(["thing", "upper_leg.L", "upper_arm.L"], (1.0, 0.0, 0.0)) == 0.0
    assert softness(["thing", "eye.L", "eye.R"], (1.0, 0.0, 0.0)) > 0.3  # a jelly with eyes
    assert softness(["thing", "upper_leg.L", "upper_arm.L"], (0.5, 0.5, 0.0)) > 0.3


def test_painted_maps_win():
    hero = supple.character("hero", vertices=1500).replace(maps={})
    everywhere = np.ones(len(hero.points))
    assert (hero.replace(maps={"rigid": everywhere}).anatomy.softness == 0.0).all()
    assert (hero.replace(maps={"leaf": everywhere}).anatomy.firmness == 1.0).all()
    assert (hero.replace(maps={"thickness": 0.0 * everywhere}).anatomy.firmness == 1.0).all()
    assert (hero.replace(maps={"jiggle": 0.3 * everywhere}).anatomy.softness == 0.3).all()
    flesh = hero.replace(maps={"flesh": everywhere}).anatomy
    assert np.allclose(flesh.softness, 1.0 - flesh.rigid)


def test_it_is_found_once_for_all_that_shares_the_mesh():
    hero = supple.character("hero", vertices=1500)
    shape = hero.body_shape
    assert hero.anatomy is hero.anatomy
    assert hero.replace(maps={"jiggle": np.zeros(len(hero.points))}).body_shape is shape
    assert hero.replace(points=2.0 * hero.points).body_shape is not shape


def test_a_crowd_has_the_anatomy_of_its_members():
    character, _ = body_with_belt_and_sword()
    crowd = Crowd.of(character, 2)
    one, both = character.anatomy, crowd.anatomy
    count = len(character.points)
    assert np.array_equal(both.softness[count:], one.softness)
    assert np.array_equal(both.firmness[:count], one.firmness)
    hosts = both.shells.hosts[count:][one.shells.host_weights > 0.0]
    assert np.array_equal(hosts - count, one.shells.hosts[one.shells.host_weights > 0.0])


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the characters of the shared data")
def test_real_rigs_are_understood():
    spider = supple.load(SHARED / "gltf" / "spider-animations.glb")
    legs = np.array([name.startswith("leg_") and not name.endswith("_1_l") for name in spider.skeleton.names])
    own = (spider.weights.values * legs[spider.weights.joints]).sum(axis=1) > 0.99
    assert (spider.anatomy.firmness[own] > 0.9).mean() > 0.9
    knight = supple.load(SHARED / "gltf" / "Knight.glb").anatomy
    assert knight.shells.hard.sum() >= 25
    assert (knight.softness[knight.shells.hard[knight.shells.number]] < 0.2).mean() > 0.9
    human = supple.load(SHARED / "gltf" / "human_cmu_8clips.glb").anatomy
    assert 0.18 < human.trunk.max() < 0.25
    assert 0.3 < human.softness.max() < 0.6
