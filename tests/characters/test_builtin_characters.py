"""The built-in characters: sound meshes, bones inside the flesh, weights that stay where they belong."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from supple.arrays import FloatArray
from supple.character.builtin import CHARACTERS, catalogue, character, meshing, skeletons
from supple.character.builtin.lenses import EndLens, RadialLens, through
from supple.character.builtin.rig import mirror_name
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import topology
from supple.geometry.quaternions import quat_from_axis_angle
from supple.motion.pose import Pose

CASES = [
    *((name, 3000, ()) for name in CHARACTERS),
    ("hero", 20_000, ()),
    ("hero", 6000, (("fingers", True),)),
    ("tube", 2000, (("bones", 5), ("length", 3.0), ("radius", 0.2))),
    ("tube", 1000, (("length", 1.0), ("radius", 0.005))),
]
LOOPED = [(name, 3000, (("quads", True),)) for name in ("tube", "arm", "leg", "snake")]
Case = tuple[str, int, tuple[tuple[str, object], ...]]


@cache
def made(name: str, vertices: int, options: tuple[tuple[str, object], ...] = ()) -> Character:
    return character(name, vertices=vertices, **dict(options))


def smallest_angles(found: Character) -> FloatArray:
    return np.degrees(topology.corner_angles(found.points, found.triangles)).min(axis=1)


@pytest.mark.parametrize("case", [*CASES, *LOOPED], ids=str)
def test_the_skin_is_one_closed_shell_without_handles_facing_outward(case: Case) -> None:
    found = made(*case)
    census = topology.census(found.triangles)
    assert census.is_closed
    assert (census.shells, census.euler) == (1, 2)
    assert len(np.unique(found.triangles)) == len(found.points)
    assert topology.signed_volume(found.points, found.triangles) > 0.0


@pytest.mark.parametrize(
    ("name", "options"), [("hero", {}), ("hero", {"fingers": True}), ("snake", {}), ("quadruped", {}), ("octopus", {})]
)
def test_what_a_first_try_gives_is_what_is_noted(name: str, options: dict[str, bool]) -> None:
    """A number that is off makes no wrong mesh, but another one than would be found without it."""
    model = catalogue._MODELS[name][0](**options)
    assert model.coarse == meshing.first_try(model.body, model.lenses)


@pytest.mark.parametrize("case", [*CASES, *LOOPED], ids=str)
def test_the_skin_does_not_cross_itself(case: Case) -> None:
    import igl.predicates

    found = made(*case)
    crossing, pairs, _ = igl.predicates.find_self_intersections(
        np.ascontiguousarray(found.points), np.ascontiguousarray(found.triangles, dtype=np.int64)
    )
    assert not crossing, pairs


@pytest.mark.parametrize("case", CASES, ids=str)
def test_triangles_are_well_shaped_and_the_vertex_count_is_met(case: Case) -> None:
    found = made(*case)
    assert len(found.points) == case[1]
    assert smallest_angles(found).min() > 18.0
    assert smallest_angles(found).mean() > 45.0


@pytest.mark.parametrize("case", LOOPED, ids=str)
def test_loops_are_quads_that_meet_the_vertex_count_closely(case: Case) -> None:
    found = made(*case)
    assert found.polygons is not None
    assert (found.polygons >= 0).all()
    np.testing.assert_array_equal(found.triangles, topology.triangulate(found.polygons))
    assert abs(len(found.points) - case[1]) <= 0.01 * case[1]
    # All but the eight corners of the caps are crossed by two loops.
    valences = topology.neighbors(found.polygons, len(found.points)).valences
    assert sorted(valences[valences != 4]) == [3] * 8
    assert smallest_angles(found).min() > 12.0


@pytest.mark.parametrize("case", CASES, ids=str)
def test_joints_stand_inside_the_body(case: Case) -> None:
    import igl

    found = made(*case)
    winding = igl.fast_winding_number(found.points, found.triangles.astype(np.int64), found.skeleton.heads)
    assert winding.min() > 0.5


@pytest.mark.parametrize("case", [*CASES, *LOOPED], ids=str)
def test_every_vertex_is_in_exactly_one_part(case: Case) -> None:
    found = made(*case)
    counted = np.bincount(np.concatenate(list(found.parts.values())), minlength=len(found.points))
    assert (counted == 1).all()


@pytest.mark.parametrize("case", [*CASES, *LOOPED], ids=str)
def test_weights_are_few_and_sum_to_one(case: Case) -> None:
    weights = made(*case).require_weights("test")
    assert weights.influences <= 4
    assert weights.values.min() >= 0.0
    np.testing.assert_allclose(weights.values.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize(("name", "joints"), [("hero", 25), ("snake", 16), ("quadruped", 34), ("octopus", 63)])
def test_joint_counts(name: str, joints: int) -> None:
    assert len(made(name, 3000).skeleton) == joints


@pytest.mark.parametrize("bones", [1, 2, 9])
def test_a_tube_has_as_many_bones_as_asked_for_and_its_own_size(bones: int) -> None:
    found = character("tube", vertices=1000, bones=bones, length=0.02, radius=0.004)
    assert len(found.skeleton) == bones
    np.testing.assert_allclose(found.size, [0.02, 0.008, 0.008], rtol=0.03)


def test_fingers_add_28_joints_and_real_fingers() -> None:
    found = made("hero", 6000, (("fingers", True),))
    assert len(found.skeleton) == 53
    # Every finger tip has its own vertices, moved by that finger alone.
    dense = found.require_weights("test").dense(53)
    for finger in ("Thumb", "Index", "Middle", "Ring", "Pinky"):
        joints = [found.skeleton.index(f"LeftHand{finger}{i}") for i in (1, 2, 3)]
        assert (dense[:, joints[2]] > 0.9).sum() >= 5
        moved = dense[dense[:, joints[2]] > 0.5]
        assert (moved[:, joints].sum(axis=1) > 0.95).all()


@pytest.mark.parametrize("name", CHARACTERS)
def test_the_same_bytes_come_out_twice(name: str) -> None:
    first, second = made(name, 3000), character(name, vertices=3000)
    assert first.points.tobytes() == second.points.tobytes()
    assert first.triangles.tobytes() == second.triangles.tobytes()
    assert first.maps["flesh"].tobytes() == second.maps["flesh"].tobytes()
    one, other = first.require_weights("test"), second.require_weights("test")
    assert one.values.tobytes() == other.values.tobytes()


@pytest.mark.parametrize(
    "skeleton",
    [
        skeletons.hero_skeleton(),
        skeletons.hero_skeleton(fingers=True),
        skeletons.quadruped_skeleton(),
        skeletons.octopus_skeleton(),
    ],
)
def test_left_and_right_mirror_each_other(skeleton: Skeleton) -> None:
    other = [skeleton.index(mirror_name(name)) for name in skeleton.names]
    flip = np.array([-1.0, 1.0, 1.0])
    assert skeleton.tails is not None
    np.testing.assert_allclose(skeleton.heads[other], skeleton.heads * flip, atol=1e-12)
    np.testing.assert_allclose(skeleton.tails[other], skeleton.tails * flip, atol=1e-12)
    parents = [p if p < 0 else other[p] for p in skeleton.parents.tolist()]
    np.testing.assert_array_equal(skeleton.parents[other], parents)


def test_limbs_stand_where_they_stand_in_the_hero() -> None:
    hero = skeletons.hero_skeleton()
    for limb in (skeletons.arm_skeleton(), skeletons.leg_skeleton()):
        for joint, name in enumerate(limb.names):
            np.testing.assert_array_equal(limb.heads[joint], hero.heads[hero.index(name)])


def test_flesh_is_deep_where_people_are_soft_and_thin_where_bones_show() -> None:
    hero = made("hero", 20_000)
    flesh = hero.map_of("flesh")
    depth = {part: float(np.median(flesh[vertices])) for part, vertices in hero.parts.items()}
    assert flesh.min() >= 0.0
    assert depth["belly"] > 0.06
    assert depth["left_thigh"] > 2.0 * depth["left_shin"]
    assert depth["belly"] > depth["torso"] > depth["head"]
    assert depth["head"] < 0.01
    assert depth["left_arm"] > depth["left_hand"]
    seat = np.linalg.norm(np.abs(hero.points) - [0.08, 0.92, 0.12], axis=1) < 0.04
    seat &= hero.points[:, 2] < 0.0
    wrist = np.linalg.norm(hero.points - hero.skeleton.heads[hero.skeleton.index("LeftHand")], axis=1) < 0.04
    assert flesh[seat].min() > 0.05
    assert flesh[wrist].max() < 0.015


def test_flesh_is_smooth_along_edges() -> None:
    hero = made("hero", 20_000)
    a, b = topology.unique_edges(hero.triangles).T
    steps = np.abs(hero.map_of("flesh")[a] - hero.map_of("flesh")[b])
    lengths = np.linalg.norm(hero.points[a] - hero.points[b], axis=1)
    assert (steps <= 1.6 * lengths + 1e-9).all()  # a distance cannot change faster than one walks, blends aside


def used_joints(found: Character, part: str) -> set[str]:
    weights = found.require_weights("test")
    rows = found.vertices_of(part)
    used = weights.joints[rows][weights.values[rows] > 1e-9]
    return {found.skeleton.names[joint] for joint in np.unique(used)}


def test_an_arm_is_moved_by_its_own_side_only() -> None:
    hero = made("hero", 20_000)
    for part in ("left_arm", "left_forearm", "left_hand"):
        for name in used_joints(hero, part):
            assert not name.startswith("Right"), (part, name)
            assert "Leg" not in name, (part, name)
            assert "Foot" not in name, (part, name)
    assert used_joints(hero, "left_hand") <= {"LeftForeArm", "LeftHand", "LeftHandMiddle1"}
    assert used_joints(hero, "left_foot") <= {"LeftLeg", "LeftFoot", "LeftToeBase"}
    assert used_joints(hero, "head") <= {"Neck", "Neck1", "Head"}


def test_the_belly_follows_the_trunk_and_never_an_arm() -> None:
    for name in used_joints(made("hero", 20_000), "belly"):
        assert name in ("Hips", "Spine", "Spine1", "Spine2", "LeftUpLeg", "RightUpLeg")


def test_each_octopus_arm_is_moved_by_itself_and_the_body() -> None:
    octopus = made("octopus", 3000)
    for arm in range(1, 9):
        names = used_joints(octopus, f"arm_{arm}")
        assert {name for name in names if name.startswith("Arm")} >= {f"Arm{arm}_{i}" for i in range(2, 8)}
        far = octopus.vertices_of(f"arm_{arm}")
        far = far[np.hypot(octopus.points[far, 0], octopus.points[far, 2]) > 0.3]
        weights = octopus.require_weights("test")
        used = weights.joints[far][weights.values[far] > 1e-9]
        assert all(octopus.skeleton.names[j].startswith(f"Arm{arm}_") for j in np.unique(used))


def jumps_along_edges(found: Character) -> FloatArray:
    """How much of the weight changes hands from one end of every edge to the other, 0 to 1."""
    dense = found.require_weights("test").dense(len(found.skeleton))
    a, b = topology.unique_edges(found.triangles).T
    return np.abs(dense[a] - dense[b]).sum(axis=1) / 2.0


@pytest.mark.parametrize(("name", "vertices"), [("hero", 20_000), ("quadruped", 9000), ("octopus", 9000)])
def test_weights_are_continuous(name: str, vertices: int) -> None:
    """Edges of a finer mesh are shorter by the root of the vertex ratio, and so must be what changes along them."""
    coarse, fine = jumps_along_edges(made(name, 3000)), jumps_along_edges(made(name, vertices))
    ratio = np.sqrt(vertices / 3000)
    for share in (90, 99, 99.9):
        assert np.percentile(fine, share) < 1.35 * np.percentile(coarse, share) / ratio


@pytest.mark.parametrize("name", CHARACTERS)
def test_every_joint_moves_some_skin(name: str) -> None:
    found = made(name, 3000)
    dense = found.require_weights("test").dense(len(found.skeleton))
    idle = [found.skeleton.names[j] for j in np.flatnonzero(dense.max(axis=0) < 0.2)]
    assert idle == []


def linear_blend(found: Character, pose: Pose) -> FloatArray:
    """Linear blend skinning written out: v' = sum_j w_j M_j v."""
    matrices = pose.skinning(found.skeleton)
    dense = found.require_weights("test").dense(len(found.skeleton))
    homogeneous = np.concatenate([found.points, np.ones((len(found.points), 1))], axis=1)
    return np.einsum("vj,jab,vb->va", dense, matrices, homogeneous)[:, :3]


@pytest.mark.parametrize(
    ("joint", "axis", "degrees"),
    [
        ("LeftArm", (0.0, 0.0, 1.0), 45.0),
        ("LeftForeArm", (0.0, 1.0, 0.0), -60.0),
        ("LeftUpLeg", (1.0, 0.0, 0.0), -45.0),
        ("LeftLeg", (1.0, 0.0, 0.0), 60.0),
        ("Spine1", (1.0, 0.0, 0.0), 25.0),
        ("Head", (0.0, 1.0, 0.0), 40.0),
    ],
)
def test_moderate_turns_keep_volume_and_move_only_what_hangs_below(
    joint: str, axis: tuple[float, float, float], degrees: float
) -> None:
    hero = made("hero", 3000)
    x, y, z, w = (float(q) for q in quat_from_axis_angle(axis, np.radians(degrees)))
    moved = linear_blend(hero, Pose.from_rotations(hero.skeleton, {joint: (x, y, z, w)}))
    before, after = (topology.signed_volume(points, hero.triangles) for points in (hero.points, moved))
    assert after == pytest.approx(before, rel=0.05)
    still = np.linalg.norm(moved - hero.points, axis=1) < 1e-9
    assert still[hero.vertices_of("right_foot")].all() or joint.startswith("Spine")
    assert not still[hero.vertices_of("head")].all() or joint not in ("Head", "Spine1")
    # Edges stretch and shrink at the joint, but nothing is torn.
    a, b = topology.unique_edges(hero.triangles).T
    rest, now = (np.linalg.norm(p[a] - p[b], axis=1) for p in (hero.points, moved))
    assert (now / rest).max() < 3.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "dragon"}, "hero, arm, leg, tube, snake, quadruped, octopus"),
        ({"name": "hero", "vertices": 10}, "500"),
        ({"name": "hero", "vertices": 3_000_000}, "2000000"),
        ({"name": "hero", "vertices": 3000.5}, "whole number"),
        ({"name": "hero", "vertices": True}, "whole number"),
        ({"name": "hero", "quads": True}, "takes fingers"),
        ({"name": "octopus", "arms": 9}, "no options"),
        ({"name": "hero", "fingers": "yes"}, "True or False"),
        ({"name": "leg", "quads": 1}, "True or False"),
        ({"name": "tube", "bones": 0}, "from 1 up"),
        ({"name": "tube", "bones": 2.5}, "from 1 up"),
        ({"name": "tube", "length": -1.0}, "metres"),
        ({"name": "tube", "radius": float("nan")}, "metres"),
        ({"name": "tube", "length": 1.0, "radius": 0.9}, "0.005 to 0.4"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said.replace(".", r"\.")):
        character(**arguments)  # type: ignore[arg-type]


def test_lenses_are_the_identity_before_their_plane_and_shrink_by_their_power_beyond() -> None:
    lens = EndLens((0.4, 1.0, 0.0), 0, (1.0, -1.0, 0.0), 2.0, 0.1, mirrored=True)
    before = np.array([[0.3, 2.0, 1.0], [-0.3, 0.0, 5.0]])
    np.testing.assert_array_equal(through((lens,), before), before)
    far = np.array([[1.0, 0.4, 0.2], [1.0, 0.4, 0.4], [-1.0, 0.4, 0.2]])
    shrunk = through((lens,), far)
    assert np.linalg.norm(shrunk[1] - shrunk[0]) == pytest.approx(0.1)
    np.testing.assert_allclose(shrunk[2], shrunk[0] * [-1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    "lens", [EndLens((0.0, 0.5, 0.1), 1, (0.0, 1.0, 0.3), 2.5, 0.2), RadialLens(0.1, 0.2, 2.0, 0.3)]
)
def test_lenses_never_fold_space(lens: EndLens | RadialLens) -> None:
    points = np.random.default_rng(5).uniform(-0.6, 0.6, (2000, 3)) + np.array([0.0, 0.5, 0.0])
    step = 1e-6
    columns = [(lens(points + step * axis) - lens(points - step * axis)) / (2.0 * step) for axis in np.eye(3)]
    assert np.linalg.det(np.stack(columns, axis=2)).min() > 0.0


def test_importing_the_characters_loads_nothing_heavy() -> None:
    code = (
        "import sys, supple.character.builtin; "
        "print([m for m in ('scipy', 'igl', 'warp', 'pyvista') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
