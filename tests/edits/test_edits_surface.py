"""Edits of the skin: regions, handles, swelling, encoding in any pose, outlines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple.edits import (
    EASINGS,
    PROFILES,
    Edits,
    Layer,
    Region,
    RegionEditing,
    SurfaceEdit,
    encoded,
    mix,
    outline,
    radial,
    redrawn_silhouette,
    region_round,
    silhouette_edges,
)
from supple.edits.strokes import SurfaceStroke, View, id_buffer, raised
from supple.errors import InputError, UnfinishedError
from supple.geometry.arap import Arap
from supple.geometry.laplacian import SmoothOffsets
from supple.geometry.quaternions import quat_from_axis_angle
from supple.geometry.topology import unique_edges
from supple.skins.springs.attachment.attachment import attach

TUBE = make_tube(rings=25, sectors=16, bones=3)
COUNT = len(TUBE.points)
HANDLES = np.flatnonzero(np.linalg.norm(TUBE.points - [0.25, 1.0, 0.0], axis=1) < 0.11)
PLAIN = supple.IncrementalRotation(correction=0.0)  # x = a' + R s and nothing else
SKINS = [supple.IncrementalRotation(), PLAIN, supple.LinearBlend(), supple.DualQuaternion(), supple.RotationCenters()]


def bent(angle=0.9, twist=0.5):
    rotations = {
        "bone1": quat_from_axis_angle([0.3, 0.0, 1.0], angle),
        "bone2": quat_from_axis_angle([0.0, 1.0, 0.2], twist),
    }
    return supple.Pose.from_rotations(TUBE.skeleton, rotations, move=[0.2, 0.1, 0.0])


def bump(seed=0, size=0.05):
    offsets = np.zeros((COUNT, 3))
    near = np.linalg.norm(TUBE.points - [0.25, 1.1, 0.0], axis=1) < 0.4
    offsets[near] = size * np.random.default_rng(seed).standard_normal((near.sum(), 3))
    return SurfaceEdit.of(offsets)


def shown(edit, pose, skin, *, amount=1.0):
    """The skin with an edit in a pose."""
    edits = Edits.of(TUBE).with_shape("drawn", edit).with_layer(Layer.still("layer", "drawn", amount=amount))
    character = edits.on_character(TUBE)
    return supple.player(character, skin).advance(edits.on_pose(TUBE.skeleton, pose, 0.0)).astype(np.float64)


# Regions


def rings_by_loops(handles, rings):
    """Breadth first, by sets."""
    around = {v: set() for v in range(COUNT)}
    for a, b in unique_edges(TUBE.triangles).tolist():
        around[a].add(b)
        around[b].add(a)
    levels = [set(handles)]
    known = set(handles)
    for _ in range(rings + 1):
        levels.append({n for v in levels[-1] for n in around[v]} - known)
        known |= levels[-1]
    return levels


@pytest.mark.parametrize("rings", [0, 1, 4])
def test_regions_are_rings(rings):
    region = region_round(TUBE.triangles, HANDLES, rings=rings)
    levels = rings_by_loops(HANDLES.tolist(), rings)
    assert set(region.handles) == levels[0]
    assert set(region.passive) == set().union(*levels[1 : rings + 1])
    assert set(region.static) == levels[rings + 1]
    assert np.array_equal(region.vertices, np.sort(np.concatenate([region.handles, region.passive, region.static])))


def test_regions_by_reach_are_disks():
    region = region_round(TUBE.triangles, [40], points=TUBE.points, reach=0.3)
    apart = np.linalg.norm(TUBE.points - TUBE.points[40], axis=1)
    assert apart[region.passive].max() <= 0.3
    assert 5 < len(region.passive) < 80
    assert not set(np.flatnonzero(apart < 0.15)) - set(region.vertices)


def test_a_region_that_is_everything_has_nothing_static():
    assert len(region_round(TUBE.triangles, [0], rings=1000).static) == 0


@pytest.mark.parametrize(
    "strange",
    [
        {"handles": []},
        {"handles": [-1]},
        {"handles": [10**6]},
        {"handles": [0], "rings": -1},
        {"handles": [0], "reach": 1.0},
        {"handles": [0], "reach": -1.0, "points": TUBE.points},
    ],
)
def test_strange_regions_are_refused(strange):
    with pytest.raises(InputError):
        region_round(TUBE.triangles, **strange)


# Handles


@pytest.mark.parametrize("method", ["smooth", "rigid", "laplacian"])
def test_handles_pull_the_region_and_leave_the_rest(method):
    region = region_round(TUBE.triangles, HANDLES, rings=4)
    editing = RegionEditing(TUBE.points, TUBE.triangles, region, method=method)
    targets = np.add(TUBE.points[region.handles], [0.1, 0.0, 0.0])
    found = editing.moved(targets)
    assert np.array_equal(found[region.handles], targets)
    outside = np.setdiff1d(np.arange(COUNT), np.concatenate([region.handles, region.passive]))
    assert np.array_equal(found[outside], TUBE.points[outside])
    pulled = (found - TUBE.points)[region.passive, 0]
    assert 0.01 < pulled.mean() < 0.1
    assert np.abs(editing.moved(TUBE.points[region.handles]) - TUBE.points).max() < 1e-9
    assert np.array_equal(editing.moved(targets), found)  # no memory


@pytest.mark.parametrize(("method", "solver"), [("rigid", Arap), ("smooth", SmoothOffsets)])
def test_a_region_is_solved_as_if_all_else_were_fixed(method, solver):
    region = region_round(TUBE.triangles, HANDLES, rings=3)
    targets = np.add(TUBE.points[region.handles], [0.08, 0.02, 0.0])
    fixed = np.concatenate([region.handles, np.setdiff1d(np.arange(COUNT), region.vertices), region.static])
    wanted = np.concatenate([targets, TUBE.points[fixed[len(targets) :]]])
    whole = solver(TUBE.points, TUBE.triangles, fixed).solve(wanted)
    part = RegionEditing(TUBE.points, TUBE.triangles, region, method=method).moved(targets)
    assert np.abs(whole - part).max() < 1e-9


def test_smooth_edits_leave_no_crease():
    """Beside handles under a line, a smooth edit turns the surface less from triangle to triangle than a rigid one."""
    line = np.flatnonzero((np.abs(TUBE.points[:, 0] - 0.25) < 1e-6) & (np.abs(TUBE.points[:, 1] - 1.0) < 0.3))
    region = region_round(TUBE.triangles, line, rings=4)
    targets = np.add(TUBE.points[region.handles], [0.06, 0.0, 0.0])
    sharpest = []
    for method in ("smooth", "rigid"):
        pulled = RegionEditing(TUBE.points, TUBE.triangles, region, method=method).moved(targets)
        ring = pulled[:-2].reshape(25, 16, 3)[12][[13, 14, 15, 0, 1, 2, 3]]
        ways = np.diff(ring, axis=0) / np.linalg.norm(np.diff(ring, axis=0), axis=1)[:, None]
        sharpest.append(np.arccos(np.einsum("ni,ni->n", ways[1:], ways[:-1])).max())
    assert sharpest[0] < 0.8 * sharpest[1]


def test_strange_editing_is_refused():
    region = region_round(TUBE.triangles, HANDLES)
    with pytest.raises(InputError, match="method"):
        RegionEditing(TUBE.points, TUBE.triangles, region, method="clay")
    with pytest.raises(InputError, match="targets"):
        RegionEditing(TUBE.points, TUBE.triangles, region).moved(TUBE.points)
    with pytest.raises(InputError, match="vertex"):
        RegionEditing(TUBE.points[:20], [[0, 1, 2]], region)


# Edits as values


def test_edits_are_sparse_and_mix():
    one, other = bump(1), bump(2)
    assert len(one.vertices) < COUNT
    assert (
        np.abs(mix([one, other], [0.5, -2.0]).dense(COUNT) - 0.5 * one.dense(COUNT) + 2.0 * other.dense(COUNT)).max()
        < 1e-9
    )
    assert len(mix([one, one], [1.0, -1.0]).vertices) == 0
    with pytest.raises(InputError, match="vertex"):
        one.dense(10)


@pytest.mark.parametrize("vertices", [[1, 1], [2, 1], [-1, 0]])
def test_strange_edits_are_refused(vertices):
    with pytest.raises(InputError, match="vertices"):
        SurfaceEdit(vertices, np.zeros((2, 3)))


@pytest.mark.parametrize("skin", SKINS, ids=lambda s: s.command_name)
def test_an_edit_made_in_one_pose_is_the_same_edit_in_every_pose(skin):
    """Encoding what is seen in a pose gives the edit back: posing and editing can be done in either order."""
    edit = bump()
    for pose in (supple.Pose.rest(TUBE.skeleton), bent(), bent(-0.6, 1.0)):
        seen = shown(edit, pose, skin)
        back = encoded(TUBE, pose, seen, skin=skin)
        assert np.abs(back.dense(COUNT) - edit.dense(COUNT)).max() < 2e-5
        assert np.abs(shown(back, pose, skin) - seen).max() < 5e-6


@pytest.mark.parametrize("skin", SKINS, ids=lambda s: s.command_name)
def test_an_edit_moves_rigidly_with_the_body_and_rest_gives_its_offsets(skin):
    edit, rest = bump(), supple.Pose.rest(TUBE.skeleton)
    assert np.abs(shown(edit, rest, skin) - TUBE.points - edit.dense(COUNT)).max() < 1e-6
    carry = np.eye(4)
    carry[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    carry[:3, 3] = [1, 2, 3]
    moved = shown(edit, rest.moved(carry), skin)
    assert np.abs(moved - (TUBE.points + edit.dense(COUNT)) @ carry[:3, :3].T - carry[:3, 3]).max() < 1e-5


def test_offsets_turn_with_the_scale_vectors():
    """v = a' + R (s + d): an edit keeps its size in any pose, and turns with the bone that it hangs on."""
    edit, pose, none = bump(), bent(1.2, 0.7), SurfaceEdit.of(np.zeros((COUNT, 3)))
    change = shown(edit, pose, PLAIN) - shown(none, pose, PLAIN)
    assert np.abs(np.linalg.norm(change, axis=1) - np.linalg.norm(edit.dense(COUNT), axis=1)).max() < 1e-5
    rigid = supple.IncrementalRotation.preset("rigid")
    change = shown(edit, pose, rigid) - shown(none, pose, rigid)
    attachment = attach(TUBE)
    rotations = pose.world_from_joint[attachment.segments.joints[attachment.segment], :3, :3]
    assert np.abs(change - np.einsum("vij,vj->vi", rotations, edit.dense(COUNT))).max() < 1e-6


def test_an_edit_of_a_bent_skin_by_handles_is_found_again():
    """The artist's way: pose, pull handles, encode, play."""
    pose, skin = bent(), supple.DualQuaternion()
    plain = supple.player(TUBE, skin).advance(pose).astype(np.float64)
    region = region_round(TUBE.triangles, HANDLES)
    pulled = RegionEditing(plain, TUBE.triangles, region).moved(np.add(plain[region.handles], [0.1, 0.05, 0.02]))
    edit = encoded(TUBE, pose, pulled, skin=skin)
    assert set(edit.vertices) <= set(region.vertices)
    assert np.abs(shown(edit, pose, skin) - pulled).max() < 1e-5


def test_skins_on_other_skins_take_the_change_of_their_first_stage():
    pose, skin = bent(), supple.DeltaMush()
    plain = supple.player(TUBE, skin).advance(pose).astype(np.float64)
    pulled = plain + bump().dense(COUNT)
    edit = encoded(TUBE, pose, pulled, skin=skin)
    first = supple.player(TUBE, supple.DualQuaternion()).advance(pose)
    assert np.abs(shown(edit, pose, supple.DualQuaternion()) - first - pulled + plain).max() < 1e-5


def test_nothing_edited_is_no_edit():
    pose = bent()
    skin = supple.IncrementalRotation()
    plain = supple.player(TUBE, skin).advance(pose)
    assert len(encoded(TUBE, pose, plain, skin=skin).vertices) == 0


def test_a_collapsed_skin_cannot_be_edited_and_says_so():
    flat = supple.Pose.from_rotations(TUBE.skeleton, {"bone1": quat_from_axis_angle([0, 1, 0], np.pi)})
    skin = supple.LinearBlend()
    seen = supple.player(TUBE, skin).advance(flat).astype(np.float64)
    seen[np.abs(TUBE.points[:, 1] - 2 / 3) < 0.05] += [0.2, 0.0, 0.2]
    with pytest.raises(UnfinishedError, match="stays"):
        encoded(TUBE, flat, seen, skin=skin)


@pytest.mark.parametrize(
    ("soft", "first"),
    [
        (supple.SpringDynamics(), supple.IncrementalRotation()),
        (supple.SpringDynamics(base="linear"), supple.LinearBlend()),
        (supple.PositionBased(), supple.LinearBlend()),
    ],
)
def test_skins_with_a_memory_are_edited_by_their_first_stage(soft, first):
    pose = bent()
    assert soft.first_kinematic() == first
    pulled = supple.player(TUBE, first).advance(pose).astype(np.float64) + bump().dense(COUNT)
    edit = encoded(TUBE, pose, pulled, skin=soft)
    assert np.array_equal(edit.dense(COUNT), encoded(TUBE, pose, pulled, skin=first).dense(COUNT))
    assert np.abs(shown(edit, pose, first) - pulled).max() < 1e-5


def test_springs_take_the_change_of_the_skin_that_they_pose_for_themselves():
    pose, skin = bent(), supple.SpringRig()
    plain = supple.player(TUBE, skin).advance(pose).astype(np.float64)
    change = bump(size=0.01).dense(COUNT)
    edit = encoded(TUBE, pose, plain + change, skin=skin)
    first = supple.IncrementalRotation()
    before = supple.player(TUBE, first).advance(pose)
    assert np.abs(shown(edit, pose, first) - before - change).max() < 1e-5


def test_a_memory_without_a_first_stage_cannot_be_edited_and_says_so():
    with pytest.raises(InputError, match="memory"):
        encoded(TUBE, bent(), TUBE.points, skin=supple.LayeredLattice(steady=1.0))


def test_a_skin_is_bound_once_for_many_edits(monkeypatch):
    """Edits while a hand moves do not wait for bindings; what one found leaves no trace in the next."""
    pose, skin, times = bent(), supple.IncrementalRotation(), []
    bind = supple.IncrementalRotation.bind
    monkeypatch.setattr(supple.IncrementalRotation, "bind", lambda *given: (times.append(1), bind(*given))[1])
    character = TUBE.replace(name="bound once")
    plain = supple.player(character, supple.IncrementalRotation(binding="direct")).advance(pose)  # binds something else
    times.clear()
    first, other, again = (
        encoded(character, pose, plain + bump(seed).dense(COUNT), skin=skin).dense(COUNT) for seed in (0, 1, 0)
    )
    assert len(times) == 1
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_springs_are_pulled_towards_an_edit_and_more_by_a_firm_layer():
    """A spring rig takes an edit as a wish: the skin goes towards it, and farther where the layer is firm."""
    angle = 0.5 * PROFILES["bell"](np.clip(TUBE.points[:, 1] / 2.0, 0.0, 1.0))
    edit = SurfaceEdit.of(
        np.cross(np.sin(angle)[:, None] * [0.0, 1.0, 0.0], TUBE.points)
        + (np.cos(angle) - 1.0)[:, None] * TUBE.points * [1.0, 0.0, 1.0]
    )
    rest, skin = supple.Pose.rest(TUBE.skeleton), supple.SpringRig(iterations=300)
    moved = []
    for firmness in (0.0, 1.0, 100.0):
        layer = Layer(name="layer", keys=Layer.still("a", "drawn").keys, firmness=firmness)
        edits = Edits.of(TUBE).with_shape("drawn", edit).with_layer(layer)
        character = edits.on_character(TUBE)
        found = supple.player(character, skin).advance(edits.on_pose(TUBE.skeleton, rest, 0.0))
        along = np.einsum("vi,vi->v", found - TUBE.points, edit.dense(COUNT)).sum()
        moved.append(along / np.sum(edit.dense(COUNT) ** 2))
    assert moved[0] < moved[1] < moved[2]
    assert moved[1] > 0.3
    assert moved[2] > 0.9


def test_springs_with_an_edit_do_not_jump_where_a_bone_begins_to_grow():
    pose, skin, edit = bent(), supple.SpringRig(), radial(TUBE, "bone1", swell=0.5)
    grown = pose.world_from_joint.copy()
    grown[2, :3, 3] += 1e-5 * (grown[2, :3, 3] - grown[1, :3, 3])
    assert np.abs(shown(edit, supple.Pose(grown), skin) - shown(edit, pose, skin)).max() < 1e-4


# Along a bone


@pytest.mark.parametrize("name", EASINGS)
def test_easings_go_from_zero_to_one_and_never_back(name):
    values = EASINGS[name](np.linspace(0.0, 1.0, 101))
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert (np.diff(values) >= -1e-12).all()


@pytest.mark.parametrize("name", ["parabola", "bell"])
def test_profiles_vanish_at_both_ends(name):
    assert np.abs(PROFILES[name](np.array([0.0, 0.5, 1.0])) - [0.0, 1.0, 0.0]).max() < 1e-12


def test_swelling_is_the_published_bulge():
    attachment = attach(TUBE)
    edit = radial(TUBE, "bone1", profile="parabola", swell=0.25)
    grown = attachment.scale_vectors + edit.dense(COUNT)
    own = attachment.segments.joints[attachment.segment] == 1
    t = attachment.along
    wanted = np.where(own, 1.25 - (0.5 - t) ** 2, 1.0)
    lengths = np.linalg.norm(attachment.scale_vectors, axis=1)
    assert np.abs(np.linalg.norm(grown, axis=1) - wanted * lengths).max() < 1e-9
    assert np.linalg.norm(np.cross(grown, attachment.scale_vectors), axis=1).max() < 1e-12


def test_a_swelling_may_be_of_a_part_of_the_bone():
    attachment = attach(TUBE)
    edit = radial(TUBE, "bone1", profile="parabola", swell=0.25, part=(0.2, 0.6))
    grown = np.linalg.norm(attachment.scale_vectors + edit.dense(COUNT), axis=1)
    lengths = np.linalg.norm(attachment.scale_vectors, axis=1)
    own = attachment.segments.joints[attachment.segment] == 1
    t = (attachment.along - 0.2) / 0.4
    wanted = np.where(own & (t >= 0.0) & (t <= 1.0), 1.25 - (0.5 - t) ** 2, 1.0)
    assert np.abs(grown - wanted * lengths).max() < 1e-9
    assert wanted.max() > 1.1


def steepest(edit, character):
    """How much more one end of an edge is moved than the other, at most, per length of the edge."""
    ends, offsets = unique_edges(character.triangles), edit.dense(len(character.points))
    lengths = np.linalg.norm(np.subtract(*character.points[ends.T]), axis=1)
    return float((np.linalg.norm(np.subtract(*offsets[ends.T]), axis=1) / lengths).max())


@pytest.mark.parametrize("profile", ["bell", "even"])
@pytest.mark.parametrize("joint", ["Hips", "Spine2", "LeftForeArm"])
def test_a_falloff_leaves_no_step_and_the_swelling_as_large_as_it_was(joint, profile):
    hero = supple.character("hero", vertices=3000)
    hard, soft, softer = (
        radial(hero, joint, swell=0.3, profile=profile, falloff=falloff) for falloff in (0.0, 0.3, 0.6)
    )
    assert steepest(soft, hero) <= 1.01 * steepest(hard, hero)
    assert steepest(softer, hero) <= steepest(soft, hero)
    assert steepest(softer, hero) < 0.5  # less than 27 degrees against the skin
    largest = [np.linalg.norm(edit.offsets, axis=1).max() for edit in (hard, soft, softer)]
    np.testing.assert_allclose(largest, largest[0], rtol=1e-12)
    if joint != "LeftForeArm":
        assert steepest(hard, hero) > 1.5  # on a trunk there is a step to be lost


def test_a_falloff_ends():
    """Four lengths away nothing changes any more, and up to there skin swells outward alone."""
    soft, hung = radial(TUBE, "bone1", profile="even", swell=0.2, falloff=0.3), attach(TUBE)
    own = hung.segments.joints[hung.segment] == 1
    reach = 4.0 * 0.3 * np.median(np.linalg.norm(hung.scale_vectors[own], axis=1))
    away = np.linalg.norm(TUBE.points[:, None] - TUBE.points[own], axis=2).min(axis=1)
    beside = np.setdiff1d(soft.vertices, np.flatnonzero(own))
    assert len(beside) > 0
    assert away[beside].max() <= reach < away.max()
    assert (np.einsum("vi,vi->v", soft.dense(COUNT), hung.scale_vectors) >= -1e-12).all()


def test_leaning_changes_the_angle_and_not_the_length():
    attachment = attach(TUBE)
    edit = radial(TUBE, "bone1", profile="even", lean=-0.3)
    grown, before = attachment.scale_vectors + edit.dense(COUNT), attachment.scale_vectors
    own = (attachment.segments.joints[attachment.segment] == 1) & (np.linalg.norm(before, axis=1) > 0.1)
    bone = attachment.segments.directions[attachment.segment]

    def angle(vectors):
        cosine = np.einsum("vi,vi->v", vectors, bone) / np.linalg.norm(vectors, axis=1)
        return np.arccos(np.clip(cosine, -1, 1))

    assert np.abs(np.linalg.norm(grown, axis=1) - np.linalg.norm(before, axis=1)).max() < 1e-9
    assert np.abs(angle(grown)[own] - angle(before)[own] + 0.3).max() < 1e-6


@pytest.mark.parametrize(
    "strange",
    [
        {"profile": "zigzag"},
        {"swell": -2.0},
        {"swell": np.nan},
        {"lean": 9.0},
        {"joint": "nobody"},
        {"part": (0.6, 0.6)},
        {"part": (-0.1, 0.6)},
        {"falloff": -0.1},
        {"falloff": 3.1},
        {"falloff": np.nan},
    ],
)
def test_strange_swellings_are_refused(strange):
    with pytest.raises(InputError):
        radial(TUBE, **{"joint": "bone1", **strange})


# Outlines


VIEW = View((0.3, 1.2, 6.0), (0.0, 1.0, 0.0), 0.45, (240, 320))


def test_the_silhouette_of_a_tube_runs_along_its_sides():
    edges = silhouette_edges(TUBE.points, TUBE.triangles, VIEW.position)
    middle = TUBE.points[edges].mean(axis=1)
    sides = middle[(middle[:, 1] > 0.1) & (middle[:, 1] < 1.9)]
    assert len(sides) >= 40
    assert np.abs(sides[:, 0]).min() > 0.2


@given(st.integers(0, 1000))
def test_silhouette_edges_part_front_from_back(seed):
    eye = np.array([0.0, 1.0, 0.0]) + 4.0 * np.random.default_rng(seed).standard_normal(3)
    corners = TUBE.points[TUBE.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    front = np.einsum("ti,ti->t", normal, eye - corners[:, 0]) > 0.0
    sides = {}
    for t, (a, b, c) in enumerate(TUBE.triangles.tolist()):
        for one, other in ((a, b), (b, c), (c, a)):
            sides.setdefault((min(one, other), max(one, other)), []).append(bool(front[t]))
    wanted = {edge for edge, facing in sides.items() if len(set(facing)) == 2}
    assert {tuple(edge) for edge in silhouette_edges(TUBE.points, TUBE.triangles, eye).tolist()} == wanted


def test_what_is_hidden_is_not_in_the_outline():
    points = np.concatenate([TUBE.points, np.subtract(TUBE.points, [0.0, 0.0, 2.0]) * [0.5, 0.5, 1.0] + [0, 0.5, 0]])
    faces = np.concatenate([TUBE.triangles, TUBE.triangles + COUNT])
    level = View((0.0, 1.0, 6.0), (0.0, 1.0, 0.0), 0.45, (240, 320))
    assert (silhouette_edges(points, faces, level.position) >= COUNT).any()
    assert (outline(points, faces, level) < COUNT).all()
    assert len(outline(points, faces, level)) > 40


def test_a_border_that_is_seen_is_outline():
    sheet = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    faces = [[0, 1, 2], [1, 3, 2]]
    assert len(silhouette_edges(sheet, faces, [0.5, 0.5, 3.0])) == 4
    assert len(silhouette_edges(sheet, faces, [0.5, 0.5, -3.0])) == 0


def test_an_outline_is_drawn_anew():
    edge = VIEW.project(TUBE.points[np.argmax(TUBE.points @ VIEW.axes[0])])[0][0]
    low, high = (VIEW.project([0.25, y, 0.0])[0][1] for y in (0.6, 1.4))
    drawn = np.stack([edge + 20.0 * np.sin(np.linspace(0, np.pi, 30)), np.linspace(low, high, 30)], axis=1)
    handles, targets = redrawn_silhouette(TUBE.points, TUBE.triangles, VIEW, pixels=drawn)
    assert len(handles) >= 8
    assert (np.diff(handles) > 0).all()
    seen, depth = VIEW.project(targets)
    assert np.abs(depth - VIEW.project(TUBE.points[handles])[1]).max() < 1e-9
    assert all(np.linalg.norm(drawn - pixel, axis=1).min() < 2.0 for pixel in seen)
    before = id_buffer(TUBE.points, TUBE.triangles, VIEW) >= 0
    region = region_round(TUBE.triangles, handles)
    pulled = RegionEditing(TUBE.points, TUBE.triangles, region).moved(targets)
    after = id_buffer(pulled, TUBE.triangles, VIEW) >= 0
    row, column = round((low + high) / 2), int(edge + 12)
    assert after[row, column]
    assert not before[row, column]


def test_strange_outlines_are_refused():
    with pytest.raises(InputError, match="same vertex"):
        redrawn_silhouette(TUBE.points, TUBE.triangles, VIEW, pixels=[[10.0, 10.0], [10.0, 10.5]])
    two = np.vstack([TUBE.points, np.add(TUBE.points, [0.8, 0.0, 0.0])])
    faces = np.concatenate([TUBE.triangles, TUBE.triangles + COUNT])
    ends = [VIEW.project([x, 1.0, 0.0])[0] for x in (-0.25, 1.05)]
    with pytest.raises(InputError, match="different pieces"):
        redrawn_silhouette(two, faces, VIEW, pixels=ends)
    away = View((0.0, 1.0, 6.0), (0.0, 1.0, 12.0), 0.45, (40, 30))
    with pytest.raises(InputError, match="no outline"):
        redrawn_silhouette(TUBE.points, TUBE.triangles, away, pixels=[[1.0, 1.0], [9.0, 9.0]])


def test_a_bulge_under_a_stroke_on_the_skin():
    """A line on the skin becomes handles; raised along the normals, the region swells along the line."""
    pixels = [[VIEW.project([0.0, y, 0.25])[0][0], VIEW.project([0.0, y, 0.25])[0][1]] for y in (0.6, 1.4)]
    stroke = SurfaceStroke.drawn(TUBE.points, TUBE.triangles, VIEW, pixels=pixels)
    region = region_round(TUBE.triangles, stroke.handles(TUBE.triangles), rings=3)
    t, _ = stroke.stroke(TUBE.points, TUBE.triangles).nearest(TUBE.points[region.handles])
    targets = raised(TUBE.points, TUBE.triangles, region.handles, heights=0.1 * PROFILES["bell"](t))
    pulled = RegionEditing(TUBE.points, TUBE.triangles, region).moved(targets)
    radius = np.linalg.norm(pulled * [1, 0, 1], axis=1)
    assert radius.max() == pytest.approx(0.35, abs=0.01)
    assert abs(pulled[np.argmax(radius), 1] - 1.0) < 0.15
    assert isinstance(region, Region)
