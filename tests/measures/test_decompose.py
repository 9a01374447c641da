"""Smooth skinning decomposition: known bones come back, every step helps, and the result is a rig like any other."""

from __future__ import annotations

import functools
import json
import sys

import numpy as np
import pytest
from decompose_scenes import FPS, carried, made_by, rigid, sequence_of, waving_bake

import supple
from conftest import make_tube
from supple import LinearBlend, Motion, Pose, decompose
from supple.cli.main import main as run
from supple.decompose import PointSequence, read_sequence
from supple.decompose.frames import surroundings
from supple.errors import FormatError, InputError
from supple.geometry import quaternions
from supple.geometry.topology import unique_edges

rigid_bones = functools.partial(decompose, stretch=False, patches="few")


@pytest.fixture(scope="module")
def bake():
    return waving_bake()


@pytest.fixture(scope="module")
def found(bake):
    return rigid_bones(bake, bones=6)


# What is known comes back


@pytest.mark.parametrize("bones", [2, 3, 4])
def test_a_sequence_made_by_bones_is_given_back(bones):
    tube, _, points = made_by(bones)
    result = rigid_bones(sequence_of(tube, points), bones=bones, rounds=400)
    assert result.error.rms < 1e-6
    assert np.abs(result.points - points).max() < 2e-5


def test_a_rigid_sequence_is_one_bone_without_error():
    tube = make_tube(rings=9, sectors=8)
    points = carried(tube.points, np.ones((len(tube.points), 1)), rigid(np.random.default_rng(1), 5, move=3.0)[:, None])
    for bones in (1, 3):
        result = rigid_bones(sequence_of(tube, points), bones=bones)
        assert result.error.rms < 1e-6
        assert len(result.skeleton) == bones


def test_where_the_character_is_carried_changes_nothing(bake):
    """Another rigid motion of the whole in every frame moves the bones along and leaves weights and errors alone."""
    carry = rigid(np.random.default_rng(2), len(bake), rotation=2.0, move=2.0)
    there = np.einsum("fij,fvj->fvi", carry[:, :3, :3], bake.points) + carry[:, None, :3, 3]
    plain = PointSequence(bake.points, rest=bake.rest, triangles=bake.triangles)
    one = rigid_bones(plain, bones=4, rounds=10)
    two = rigid_bones(plain.replace(points=there), bones=4, rounds=10)
    assert two.error.rms == pytest.approx(one.error.rms, rel=1e-3)
    assert np.abs(two.weights.dense(4) - one.weights.dense(4)).max() < 1e-2
    bones = one.world_from_joint @ one.skeleton.joint_from_world
    moved = two.world_from_joint @ two.skeleton.joint_from_world
    assert np.abs(carried(bake.rest, one.weights.dense(4), carry[:, None] @ bones) - two.points).max() < 1e-3
    assert np.abs(moved - carry[:, None] @ bones).max() < 2e-2


def test_the_pivot_of_a_hinge_is_found():
    """Two halves that turn about a point between them: that point is where the second bone stands."""
    tube, random = make_tube(rings=21, sectors=10, bones=2), np.random.default_rng(3)
    hinge = np.array([0.05, 1.1, -0.1])
    swing = rigid(random, 12, rotation=0.7, move=0.0)
    swing[:, :3, 3] = hinge - swing[:, :3, :3] @ hinge
    transforms = np.stack([np.tile(np.eye(4), (12, 1, 1)), swing], axis=1)
    upper = (tube.points[:, 1] > 1.1).astype(float)
    points = carried(tube.points, np.stack([1.0 - upper, upper], axis=1), transforms)
    result = rigid_bones(sequence_of(tube, points), bones=2)
    assert result.error.rms < 1e-6
    child = int(np.argmax(result.skeleton.parents))
    assert np.linalg.norm(result.skeleton.heads[child] - hinge) < 0.01


# Every step helps


def test_the_error_never_rises_and_is_what_is_left(bake):
    found = rigid_bones(bake, bones=6, patches="any", tries=1)
    history = np.array(found.history)
    assert len(history) > 3
    assert (np.diff(history) <= 1e-9).all()
    assert history[-1] < 0.99 * history[0]  # what came before, with more influences than stay, is not told
    distance = np.linalg.norm(found.points.astype(np.float64) - bake.points, axis=2)
    assert found.error.rms <= history[-1] + 1e-7
    assert found.error.rms == pytest.approx(np.sqrt(np.mean(distance**2)), rel=1e-3)
    radius = 0.5 * np.linalg.norm(np.ptp(bake.rest, axis=0))
    assert found.error.thousandths == pytest.approx(1000.0 * found.error.rms / np.sqrt(3.0) / radius)
    assert found.error.worst == pytest.approx(distance.max(), rel=1e-3)
    assert found.error.by_frame == pytest.approx(np.sqrt(np.mean(distance**2, axis=1)), rel=1e-2, abs=1e-6)
    assert found.error.by_vertex == pytest.approx(np.sqrt(np.mean(distance**2, axis=0)), rel=1e-2, abs=1e-6)
    low = np.sqrt(np.mean(distance[:, bake.character.parts["low"]] ** 2))
    assert set(found.error.by_part) == {"low", "high"}
    assert found.error.by_part["low"] == pytest.approx(low, rel=1e-2)


def test_more_bones_and_more_influences_leave_less_error(bake, found):
    assert rigid_bones(bake, bones=2).error.rms > 1.5 * found.error.rms
    assert rigid_bones(bake, bones=6, influences=1).error.rms > 1.5 * found.error.rms


def test_more_bones_than_patches_still_make_a_rig():
    """Bones without use are put elsewhere or stay idle; the rig is valid either way."""
    tube, _, points = made_by(2)
    result = rigid_bones(sequence_of(tube, points), bones=12, rounds=20)
    assert len(result.skeleton) == 12
    assert result.error.rms < 1e-3
    assert np.isfinite(result.world_from_joint).all()


def test_smoothness_evens_the_weights(bake, found):
    near = surroundings(np.asarray(bake.rest), bake.triangles)

    def rough(result):
        dense = result.weights.dense(len(result.skeleton))
        return np.linalg.norm(dense - near @ dense)

    smooth = rigid_bones(bake, bones=6, smoothness=1e-3)
    assert rough(smooth) < 0.9 * rough(found)
    assert smooth.error.rms > found.error.rms


def test_each_bone_keeps_to_one_patch_if_it_is_asked_to(bake, found):
    """Two tubes side by side that bend alike: free bones move both, and those with one patch do not."""
    tube, _, points = made_by(2)
    count = len(tube.points)
    aside = np.array([3.0, 0.0, 0.0])
    both = np.concatenate([points, points + aside], axis=1)
    rest = np.concatenate([tube.points, tube.points + aside])
    pair = PointSequence(both, rest=rest, triangles=np.concatenate([tube.triangles, tube.triangles + count]))
    one = rigid_bones(pair, bones=4, patches="one")
    dense = one.weights.dense(4) > 0.0
    assert one.strays == 0.0
    shared = dense[:count].any(axis=0) & dense[count:].any(axis=0)
    assert np.count_nonzero(shared) <= 1  # a patch may go over where the tubes are nearest
    few = rigid_bones(pair, bones=4)
    assert np.count_nonzero(np.diff(few.history) > 1e-9) <= 1
    free = rigid_bones(bake, bones=6, patches="any")
    assert found.strays < 0.02 < 0.2 < free.strays
    assert found.error.rms**2 < 1.1 * free.error.rms**2
    with pytest.raises(InputError, match="patches is 'two'"):
        rigid_bones(pair, bones=4, patches="two")


def test_large_meshes_begin_with_a_sample_of_their_vertices(monkeypatch, bake, found):
    monkeypatch.setattr(sys.modules["supple.decompose.decomposing"], "_SAMPLED", 80)
    result = rigid_bones(bake, bones=6)
    assert result.error.rms < 1.3 * found.error.rms


def test_smoothness_lets_vertices_beside_each_other_follow_the_same_bones(bake):
    """Where all bones of a vertex differ from those beside it, one exchange at a time does not help."""

    def torn(result):
        """The share of edges whose ends have less than half of their weights in common."""
        dense = result.weights.dense(len(result.skeleton))
        ends = dense[unique_edges(bake.triangles)]
        return float(np.mean(np.abs(ends[:, 0] - ends[:, 1]).sum(axis=1) > 1.0))

    rough, smooth = (rigid_bones(bake, bones=6, tries=1, smoothness=much) for much in (0.0, 0.01))
    assert torn(rough) > 0.02
    assert torn(smooth) < 0.5 * torn(rough)


def test_a_size_of_its_own_does_not_change_what_is_printed(bake, found):
    """The same motion in centimetres is as far off for its size."""
    large = PointSequence(100.0 * bake.points, rest=100.0 * np.asarray(bake.rest), triangles=bake.triangles)
    result = rigid_bones(large, bones=6)
    assert result.error.thousandths == pytest.approx(found.error.thousandths, rel=0.02)
    assert result.error.rms == pytest.approx(100.0 * found.error.rms, rel=0.02)


def test_the_shape_at_rest_can_be_chosen_or_found(bake):
    plain = PointSequence(bake.points, rest=np.asarray(bake.rest), triangles=bake.triangles)
    given, first, last, fitted = (
        rigid_bones(plain, bones=4, rounds=12, rest=rest) for rest in ("given", "first", len(plain) - 1, "fitted")
    )
    assert np.allclose(given.sequence.rest_points, bake.rest)
    assert np.allclose(first.sequence.rest_points, bake.points[0])
    assert np.allclose(last.sequence.rest_points, bake.points[-1])
    assert fitted.error.rms < 0.95 * given.error.rms
    moved = np.linalg.norm(fitted.sequence.rest_points - bake.rest, axis=1)
    assert 0.0 < moved.max() < 0.2 * np.ptp(bake.rest, axis=0).max()
    assert np.allclose(fitted.character().points, fitted.sequence.rest_points)
    for rest in ("other", len(plain), -1):
        with pytest.raises(InputError, match="rest is"):
            rigid_bones(plain, bones=4, rest=rest)
    with pytest.raises(InputError, match="keep_skeleton"):
        rigid_bones(bake, bones=2, keep_skeleton=True, rest="fitted")


def test_of_several_tries_the_best_goes_on(bake):
    alone = [rigid_bones(bake, bones=5, seed=seed, tries=1, rounds=1).history[0] for seed in range(3)]
    assert rigid_bones(bake, bones=5, seed=0, tries=3, rounds=1).history[0] == pytest.approx(min(alone))
    with pytest.raises(InputError, match="tries is 0"):
        rigid_bones(bake, bones=5, tries=0)


def test_arrays_by_other_names_are_read(bake, tmp_path):
    path = tmp_path / "horse.npz"
    np.savez(path, V=bake.points, F=bake.triangles, ref=np.asarray(bake.rest))
    found = supple.decompose.read_sequence(path)
    assert np.allclose(found.rest_points, bake.rest)
    assert np.array_equal(found.triangles, bake.triangles)
    np.savez(path, V=bake.points, faces=bake.triangles[:, :2])
    with pytest.raises(FormatError, match="faces has shape"):
        read_sequence(path)


def test_points_without_a_mesh_are_refused_before_any_work(bake, tmp_path, capsys):
    path = tmp_path / "bare.npz"
    np.savez(path, points=bake.points)
    assert run(["decompose", str(path), "--bones", "3", "-o", str(tmp_path / "bare.glb")]) == 2
    said = capsys.readouterr()
    assert "no triangles" in said.err
    assert "rounds" not in said.out


def test_the_same_seed_gives_the_same_bones(bake, found):
    again = rigid_bones(bake, bones=6)
    assert np.array_equal(again.world_from_joint, found.world_from_joint)
    assert np.array_equal(again.weights.values, found.weights.values)
    one, other = (rigid_bones(bake, bones=6, seed=seed, tries=1) for seed in (0, 1))
    assert not np.array_equal(other.world_from_joint, one.world_from_joint)


def test_watching_hears_every_round(bake):
    heard = []
    result = rigid_bones(bake, bones=3, rounds=5, watch=heard.append)
    assert [step.rms for step in heard] == list(result.history)
    assert [step.round for step in heard] == list(range(1, len(heard) + 1))
    assert {step.rounds for step in heard} == {5}


@pytest.mark.parametrize("influences", [1, 2, 4])
def test_no_vertex_has_more_influences_than_asked_for(bake, influences):
    result = rigid_bones(bake, bones=5, influences=influences, rounds=5)
    assert result.weights.influences <= influences
    assert result.weights.values.sum(axis=1) == pytest.approx(1.0)


# The character's own skeleton


def test_a_kept_skeleton_moves_as_it_did_and_helpers_take_the_rest(bake):
    joints = len(bake.skeleton)
    result = rigid_bones(bake, bones=4, keep_skeleton=True)
    assert result.skeleton.names[:joints] == bake.skeleton.names
    assert np.array_equal(result.skeleton.parents[:joints], bake.skeleton.parents)
    assert result.world_from_joint[:, :joints] == pytest.approx(bake.poses, abs=1e-12)
    assert (result.skeleton.parents[joints:] >= 0).all()
    assert (result.skeleton.parents[joints:] < joints).all()
    on = [bake.skeleton.names[parent] for parent in result.skeleton.parents[joints:]]
    assert all(
        name.startswith(f"{joint}_helper") for name, joint in zip(result.skeleton.names[joints:], on, strict=True)
    )
    assert (np.diff(result.history) <= 1e-9).all()
    plain = supple.bake(bake.character, _motion_of(bake), LinearBlend())
    without = np.sqrt(np.mean(np.sum((plain.points - bake.points) ** 2, axis=2)))
    assert result.error.rms < 0.3 * without
    assert result.weights.influences <= 4


def _motion_of(bake):
    return Motion.from_poses(
        bake.skeleton, lambda at: bake.pose(round(at * FPS)), seconds=(len(bake) - 1) / FPS, fps=FPS
    )


def test_helpers_ride_on_the_joint_they_follow(bake):
    """At rest everything is at rest, and a turn of the whole rig turns the whole skin, helpers and all."""
    result = rigid_bones(bake, bones=3, keep_skeleton=True, rounds=5)
    body = result.character()
    player = supple.player(body, LinearBlend())
    assert player.advance(Pose.rest(body.skeleton)) == pytest.approx(body.points, abs=1e-5)
    quarter = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 2.0)
    turned = player.advance(Pose.from_rotations(body.skeleton, {"bone0": quarter}))
    about = body.skeleton.heads[0]
    assert turned == pytest.approx((body.points - about) @ quaternions.matrix_from_quat(quarter).T + about, abs=1e-5)


def test_vertices_follow_no_joint_that_is_far_from_theirs():
    """Two ends that swing alike do not borrow each other's joints: only neighbours in the skeleton may come in."""
    tube = make_tube(rings=33, sectors=8, bones=6)

    def pose(time):
        bend = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.sin(5.0 * time))
        return Pose.from_rotations(tube.skeleton, {"bone1": bend, "bone4": quaternions.conjugate(bend)})

    motion = Motion.from_poses(tube.skeleton, pose, seconds=0.5, fps=FPS)
    result = rigid_bones(supple.bake(tube, motion, supple.DualQuaternion()), bones=2, keep_skeleton=True, rounds=6)
    dense = result.weights.dense(8)[:, :6]
    own = tube.weights.dense(6) > 0.0
    near = own.copy()
    near[:, 1:] |= own[:, :-1]
    near[:, :-1] |= own[:, 1:]
    assert not (dense > 0.0)[~near].any()


# A rig like any other


def test_the_result_is_a_character_that_linear_blend_moves(bake, found):
    body = found.character()
    assert body.parts.keys() == bake.character.parts.keys()
    assert np.array_equal(body.triangles, bake.triangles)
    assert (body.skeleton.parents < 0).sum() == 1
    motion = body.motions["wave"]
    assert motion.frames == len(bake)
    shown = supple.bake(body, motion, LinearBlend(), fps=FPS)
    assert np.abs(shown.points - found.points).max() < 1e-5
    assert "6 bones" in repr(found)


@pytest.mark.parametrize("name", ["body.glb", "body.usda"])
def test_it_is_written_and_read_back(found, name, tmp_path):
    if name.endswith("usda"):
        pytest.importorskip("pxr")
    supple.save(found.character(), tmp_path / name)
    body = supple.load(tmp_path / name)
    motion = next(iter(body.motions.values()))
    shown = supple.bake(body, motion, LinearBlend(), fps=FPS)
    assert np.abs(shown.points - found.points).max() < 1e-4


def test_plain_points_need_a_mesh_only_for_a_character(bake):
    result = rigid_bones(bake.points, bones=3, rounds=5)
    assert result.error.rms < 0.1
    with pytest.raises(InputError, match="no triangles"):
        result.character()


def test_captured_frames_of_another_program(data_file):
    """Dem Bones' own example with as many bones: 0.0099 there, cut to four influences."""
    with np.load(data_file("sequences/dembones_bone_anim.npz")) as file:
        sequence = PointSequence(file["V"], polygons=file["quads"])
    result = rigid_bones(sequence, bones=20, rounds=12)
    assert result.error.rms < 0.006
    assert result.weights.influences <= 4
    assert len(result.skeleton) == 20


# The door


def test_what_cannot_be_taken_apart_is_refused(bake):
    points = np.array(bake.points)
    broken = points.copy()
    broken[3, 5, 1] = np.nan
    for given_, words in [
        (points[:1], "there is 1 frame"),
        (points[:0], "no frames"),
        (points[:, :0], "no points"),
        (points[0], "shape"),
        (broken, "not finite"),
    ]:
        with pytest.raises(InputError, match=words):
            rigid_bones(given_, bones=1)
    for options, words in [
        ({"bones": 0}, "0 bones"),
        ({"bones": points.shape[1] + 1}, "bones were asked for"),
        ({"bones": 2, "influences": 0}, "influences is 0"),
        ({"bones": 2, "influences": 17}, "influences is 17"),
        ({"bones": 2, "rounds": 0}, "rounds is 0"),
        ({"bones": 2, "smoothness": -1.0}, "smoothness"),
        ({"bones": 2, "smoothness": np.nan}, "smoothness"),
        ({"bones": 2, "seed": -1}, "seed"),
        ({"bones": 2, "keep_skeleton": True}, "without a skeleton"),
    ]:
        with pytest.raises(InputError, match=words):
            rigid_bones(points, **options)
    bare = bake.character.replace(weights=None)
    with pytest.raises(InputError, match="no skin weights"):
        rigid_bones(PointSequence(points, character=bare, poses=bake.poses), bones=2, keep_skeleton=True)
    with pytest.raises(InputError, match="triangles name point"):
        PointSequence(points, triangles=[[0, 1, 999]])
    with pytest.raises(InputError, match="triangles name point -1"):
        PointSequence(points, triangles=[[0, 1, -1]])
    with pytest.raises(InputError, match="fps"):
        PointSequence(points, fps=0.0)
    with pytest.raises(InputError, match="rest"):
        PointSequence(points, rest=points[0, 1:])
    with pytest.raises(InputError, match="poses"):
        PointSequence(points, character=bake.character, poses=bake.poses[1:])
    assert repr(PointSequence(points, name="run")).startswith("PointSequence('run'")


def test_as_many_bones_as_vertices_is_the_limit():
    random = np.random.default_rng(13)
    result = rigid_bones(random.normal(size=(4, 5, 3)), bones=5, rounds=3)
    assert len(result.skeleton) == 5
    assert result.weights.values.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("suffix", [".supple", ".npz", ".pc2", ".mdd"])
def test_points_are_read_as_they_were_written(bake, suffix, tmp_path):
    path = tmp_path / f"wave{suffix}"
    if suffix == ".supple":
        path.write_bytes(bake.path.read_bytes())
    else:
        bake.save(path)
    mesh = bake.character if suffix in (".pc2", ".mdd") else None
    sequence = read_sequence(path, mesh=mesh)
    assert np.array_equal(sequence.points, bake.points)
    assert sequence.rest_points == pytest.approx(bake.rest)
    assert np.array_equal(sequence.triangles, bake.triangles)
    assert sequence.fps == pytest.approx(30.0 if suffix == ".pc2" else FPS)
    assert read_sequence(path, mesh=mesh, fps=50.0).fps == 50.0
    with pytest.raises(InputError, match="use the mesh that was baked"):
        read_sequence(path, mesh=make_tube(rings=4))


def test_an_archive_may_call_its_arrays_as_others_do(tmp_path):
    tube = make_tube(rings=4, sectors=4, closed=False)
    points = np.stack([tube.points, tube.points + 0.1])
    np.savez(tmp_path / "a.npz", V=points, quads=np.array([[0, 1, 5, 4], [4, 5, 9, -1]]), fps=25)
    sequence = read_sequence(tmp_path / "a.npz")
    assert sequence.points == pytest.approx(points)
    assert sequence.triangles.tolist() == [[0, 1, 5], [0, 5, 4], [4, 5, 9]]
    assert sequence.fps == 25.0


def test_files_that_are_no_sequence_are_refused(bake, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_sequence(tmp_path / "none.npz")
    with pytest.raises(InputError, match="suffix"):
        read_sequence(tmp_path / "points.txt")
    for name in ("a.npz", "a.pc2", "a.mdd"):
        (tmp_path / name).write_bytes(b"no")
        with pytest.raises(FormatError):
            read_sequence(tmp_path / name)
    for name in ("b.pc2", "b.mdd"):
        bake.save(tmp_path / name)
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-1])
        with pytest.raises(FormatError, match="bytes"):
            read_sequence(tmp_path / name)
    np.savez(tmp_path / "c.npz", other=np.zeros(3))
    with pytest.raises(FormatError, match="holds other"):
        read_sequence(tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", points=bake.points, fps=np.zeros(2))
    with pytest.raises(FormatError, match="fps"):
        read_sequence(tmp_path / "d.npz")


def test_the_command_writes_a_rig_and_says_how_far_off_it_is(bake, found, tmp_path, capsys):
    path = tmp_path / "wave.supple"
    path.write_bytes(bake.path.read_bytes())
    output, plain = tmp_path / "wave.glb", ["--no-stretch", "--patches", "few"]
    assert run(["decompose", str(path), "--bones", "6", *plain, "-o", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["error"]["rms"] == pytest.approx(found.error.rms)
    assert set(told["error"]["by_part"]) == {"low", "high"}
    assert told["joints"] == list(found.skeleton.names)
    assert len(supple.load(output).skeleton) == 6
    words = ["--bones", "2", "--influences", "3", "--keep-skeleton", "--rounds", "4", "--smoothness", "1e-4"]
    assert run(["decompose", str(path), *words, "-o", str(output)]) == 0
    said = capsys.readouterr().out
    assert "5 joints (2 found), 3 influences" in said
    assert "low:" in said
    assert "mm RMS" in said


def test_the_command_ends_with_2_on_bad_input(bake, tmp_path, capsys):
    bake.save(tmp_path / "wave.pc2")
    supple.save(bake.character, tmp_path / "tube.glb")
    points, mesh = str(tmp_path / "wave.pc2"), str(tmp_path / "tube.glb")
    out = ["-o", str(tmp_path / "out.glb")]
    for words in (
        [str(tmp_path / "none.supple"), "--bones", "3", *out],
        [points, "--bones", "0", "--mesh", mesh, *out],
        [points, "--bones", "2", "--mesh", mesh, "-o", str(tmp_path / "out.bvh")],
        [points, "--bones", "2", *out],  # no mesh
        [points, *out],
    ):
        assert run(["decompose", *words]) == 2, words
        assert not (tmp_path / "out.glb").exists()
        assert capsys.readouterr().err
    assert run(["decompose", points, "--bones", "2", "--rounds", "2", "--mesh", mesh, "--fps", "24", *out]) == 0
    assert next(iter(supple.load(tmp_path / "out.glb").motions.values())).fps == pytest.approx(24.0)
