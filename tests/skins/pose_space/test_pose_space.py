"""Pose-space deformation: whole motions that were kept out, and what it does where it knows nothing."""

from dataclasses import replace

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.character import Crowd
from supple.errors import FormatError, InputError
from supple.geometry.quaternions import quat_from_axis_angle
from supple.motion import Cast, CrowdMotion
from supple.motion.motion import Motion
from supple.motion.pose import Pose
from supple.skins.examples import HostSkin
from supple.skins.pose_space import SkinExamples, fit_pose_space, load_pose_space, save_pose_space
from supple.skins.pose_space.components import find_components, pack_components
from supple.skins.pose_space.inputs import INPUTS, JointFrame, read_inputs
from supple.skins.pose_space.parts import find_parts
from supple.skins.pose_space.regression import choose_centers, fit_part, leave_out
from supple.skins.pose_space.self_training import random_poses
from supple.skins.pose_space.training import predict_offsets

FPS = 20.0


@pytest.fixture(scope="module")
def tube():
    return make_tube(rings=21, sectors=10)


def bend(tube, angle, *, speed=2.0, axis=(0.0, 0.0, 1.0), phase=0.0, seconds=1.5):
    """The joint goes to an angle and back, as often as `speed` says."""
    name = tube.skeleton.names[1]

    def pose(time):
        return Pose.from_rotations(
            tube.skeleton, {name: quat_from_axis_angle(axis, angle * np.sin(speed * time + phase))}
        )

    return Motion.from_poses(tube.skeleton, pose, seconds=seconds, fps=FPS)


@pytest.fixture(scope="module")
def lessons(tube):
    motions = [bend(tube, 1.2), bend(tube, -1.0, speed=3.0), bend(tube, 0.8, axis=(1.0, 0.0, 0.0))]
    return SkinExamples.of(*(supple.bake(tube, motion, supple.DeltaMush(), fps=FPS) for motion in motions))


@pytest.fixture(scope="module")
def kept_out(tube):
    return SkinExamples.of(supple.bake(tube, bend(tube, 1.1, speed=1.3, phase=0.3), supple.DeltaMush(), fps=FPS))


@pytest.fixture(scope="module")
def model(tube, lessons, kept_out):
    return fit_pose_space(tube, lessons, test=kept_out)


def distance(one, other):
    return float(np.sqrt(np.square(one - other).sum(axis=-1).mean()))


def test_a_motion_that_was_never_shown_is_played_far_better_than_by_the_skin_below(model):
    (tested,) = model.errors.tested
    assert tested.rms < 0.25 * tested.below
    assert tested.worse_frames == 0
    assert len(model.errors.left_out) == 3  # every motion once by what the others teach


@pytest.mark.parametrize("kind", [supple.PoseSpace, supple.PoseSpaceDynamics])
def test_what_is_played_is_what_training_says(tube, model, kept_out, kind):
    motion = bend(tube, 1.1, speed=1.3, phase=0.3)
    played = supple.bake(tube, motion, kind(trained=model), fps=FPS).points
    if kind is supple.PoseSpaceDynamics:
        assert distance(played, kept_out.points) == pytest.approx(model.errors.tested[0].rms, rel=1e-3)
        mean = np.linalg.norm(played - kept_out.points, axis=2).mean()
        assert mean == pytest.approx(model.errors.tested[0].mean, rel=1e-3)
    else:  # which sees every pose as if it were held
        assert distance(played, kept_out.points) < 0.3 * model.errors.tested[0].below


def test_the_device_does_what_plain_arrays_do(tube, model, kept_out):
    """The arithmetic of the kernels against a few lines of NumPy, up to the rounding of the numbers that are summed."""
    offsets = predict_offsets(tube, model, kept_out)
    sizes = replace(
        model, coefficients=np.abs(model.coefficients), shapes=replace(model.shapes, levels=np.abs(model.shapes.levels))
    )
    summed = predict_offsets(tube, sizes, kept_out)  # of all terms without their signs: they cancel nearly
    rounding = 16.0 * np.finfo(np.float32).eps * (summed + np.abs(tube.points))
    skin = supple.PoseSpaceDynamics(trained=model)
    binding = skin.bind(tube, "cpu")
    state = skin.start(binding, kept_out.poses[0], None)
    for frame, pose in enumerate(kept_out.poses):
        if frame:
            skin.advance(binding, state, pose, kept_out.interval, incoming=None)
        displaced = state._arrays.rest.numpy() - tube.points
        assert (np.abs(displaced - offsets[frame]) <= rounding[frame]).all()


def test_far_from_everything_learnt_it_fades_into_the_skin_below(tube, model):
    folded = Pose.from_rotations(tube.skeleton, {tube.skeleton.names[1]: quat_from_axis_angle([0.0, 1.0, 0.0], 3.0)})
    below = HostSkin(supple.LinearBlend(), tube)(folded)
    bent = bend(tube, 1.2).sample(0.7)
    near = distance(
        supple.player(tube, supple.PoseSpace(trained=model)).advance(bent), HostSkin(supple.LinearBlend(), tube)(bent)
    )
    far = distance(supple.player(tube, supple.PoseSpace(trained=model)).advance(folded), below)
    assert far < near


def test_a_shape_drawn_for_one_pose_comes_with_that_pose_and_rest_stays_rest(tube):
    pose = bend(tube, 1.2).sample(0.7)
    drawn = (
        0.02 * np.exp(-np.square((tube.points - tube.skeleton.heads[1]) / 0.3).sum(axis=1))[:, None] * [0.0, 1.0, 0.0]
    )
    examples = SkinExamples.sculpted(tube, [pose], [drawn], below="linear")
    player = supple.player(tube, supple.PoseSpace(trained=fit_pose_space(tube, examples, tolerance=1e-5)))
    assert np.abs(player.advance(pose) - examples.points[0]).max() < 1e-3
    assert np.abs(player.advance(Pose.rest(tube.skeleton)) - tube.points).max() < 1e-4


def test_gravity_and_motion_are_seen_where_they_are_asked_for(tube, lessons):
    """A teacher that sags: the same pose upside down is another shape, and only those who look at gravity know."""
    turned = np.diag([1.0, -1.0, -1.0, 1.0])
    upside_down = [pose.moved(turned) for pose in lessons.poses]
    sag = np.array([0.0, -0.02, 0.0]) * np.square(tube.points[:, :1] / np.ptp(tube.points[:, 0]))
    below = HostSkin(supple.LinearBlend(), tube)
    points = np.stack([below(pose) + sag for pose in (*lessons.poses, *upside_down)])
    examples = SkinExamples((*lessons.poses, *upside_down), points, (*lessons.lengths, *lessons.lengths), 1.0 / FPS)
    errors = {kind: fit_pose_space(tube, examples, inputs=kind).errors for kind in ("pose", "gravity")}
    off = {kind: max(one.rms for one in each.learnt) for kind, each in errors.items()}
    assert off["gravity"] < 0.3 * off["pose"]


def test_inputs_are_those_of_the_textbook(tube):
    """A joint that turns evenly about one axis, on a body that speeds up along another."""
    rate, push, interval = 0.7, np.array([0.0, 0.0, 3.0]), 0.05
    name = tube.skeleton.names[1]
    poses = []
    for step in range(4):
        time = step * interval
        turned = Pose.from_rotations(tube.skeleton, {name: quat_from_axis_angle([1.0, 0.0, 0.0], rate * time)})
        move = np.eye(4)
        move[:3, 3] = 0.5 * push * time**2
        poses.append(turned.moved(move))
    examples = SkinExamples(tuple(poses), np.stack([tube.points] * 4), (4,), interval)
    frame = JointFrame(tube.skeleton.parents, np.tile([0.0, 0.0, 0.0, 1.0], (len(tube.skeleton), 1)))
    numbers = read_inputs(tube, frame, examples).reshape(4, -1, INPUTS)
    np.testing.assert_allclose(numbers[2, 1, :3], [2 * interval * rate, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(numbers[3, 0, 3:6], [0.0, -1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(numbers[0, :, 6:], 0.0)  # at rest in the first frame
    np.testing.assert_allclose(numbers[3, 1, 6:9], [rate, 0.0, 0.0], rtol=1e-2)
    np.testing.assert_allclose(numbers[3, 0, 9:], push, rtol=1e-2)


def test_parts_share_the_skin_and_joints_that_stand_still_have_none(tube):
    still = find_parts(tube, tube.skeleton.parents, np.zeros(len(tube.skeleton)))
    assert still.joints.tolist() == [0]
    moving = find_parts(tube, tube.skeleton.parents, np.full(len(tube.skeleton), 1.0))
    assert len(moving.joints) == len(tube.skeleton)
    np.testing.assert_allclose(moving.weights.sum(axis=1), 1.0)
    assert all(moving.neighbors)


def test_components_give_back_what_they_are_of_to_the_last_level():
    rng = np.random.default_rng(3)
    shapes, amounts = rng.normal(size=(4, 60)), rng.normal(size=(30, 4)) * [1.0, 0.5, 0.2, 0.1]
    offsets = (0.01 * amounts @ shapes).reshape(30, 20, 3).astype(np.float32)
    part = find_components(offsets, np.ones(20))
    again = np.einsum("fc,vxc->fvx", part.amounts[:, :4], part.shapes[:, :, :4])
    np.testing.assert_allclose(again, offsets, atol=1e-7)
    packed = pack_components([part], [4], 20, tolerance=1e-9)
    levels = packed.levels * packed.units[packed.blocks][:, None]
    kept = np.einsum("fc,vxc->fvx", part.amounts[:, :4], levels.reshape(20, 3, 4))
    assert np.abs(kept - offsets).max() < 0.01 * np.abs(offsets).max()


def test_leaving_out_is_training_without_those_frames():
    rng = np.random.default_rng(5)
    inputs, targets = rng.normal(size=(40, 3)).astype(np.float32), rng.normal(size=(40, 2))
    folds = np.repeat(np.arange(4), 10)
    _, factor = choose_centers(inputs, 25)
    (answers,) = leave_out(factor, targets, folds, range(4), [0.1])
    for fold in range(4):
        own = folds == fold
        rest = factor[~own]
        solved = np.linalg.solve(rest.T @ rest + 0.1 * np.eye(factor.shape[1]), rest.T @ targets[~own])
        np.testing.assert_allclose(answers[own], factor[own] @ solved, atol=1e-8)
    few = fit_part(inputs[:6], targets[:6], np.zeros(6, dtype=int), centers=6)
    apart = np.square(few.centers[None] - inputs[:6, None].astype(np.float16)).sum(axis=2)
    np.testing.assert_allclose(np.exp(-0.5 * apart) @ few.coefficients, targets[:6], atol=1e-3)


def test_a_model_survives_its_file_and_belongs_to_one_character(tmp_path, tube, model):
    path = tmp_path / "tube.posespace"
    save_pose_space(model, path)
    back = load_pose_space(path)
    assert (back.digest, back.errors) == (model.digest, model.errors)
    save_pose_space(back, tmp_path / "again.posespace")
    assert path.read_bytes() == (tmp_path / "again.posespace").read_bytes()
    for other in (make_tube(rings=20, sectors=10), tube.replace(points=tube.points * 1.001)):
        with pytest.raises(InputError, match="model"):
            supple.player(other, supple.PoseSpace(trained=model))
    whole = path.read_bytes()
    for cut in (0, 5, 20, 200, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError):
            load_pose_space(path)
    for place in range(8, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(FormatError):
            load_pose_space(path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"below": "delta-mush"}, "skin below"),
        ({"inputs": "weather"}, "inputs"),
        ({"centers": 0}, "centers"),
        ({"tolerance": 0.0}, "tolerance"),
    ],
)
def test_options_that_make_no_sense_are_refused(tube, lessons, options, words):
    with pytest.raises(InputError, match=words):
        fit_pose_space(tube, lessons, **options)


def test_examples_are_checked(tube, lessons):
    with pytest.raises(InputError, match="frames"):
        SkinExamples(lessons.poses, lessons.points, (3, 4))
    with pytest.raises(InputError, match="interval"):
        SkinExamples(lessons.poses, lessons.points, interval=-1.0)
    slow = supple.bake(tube, bend(tube, 1.0), supple.LinearBlend(), fps=10.0)
    quick = supple.bake(tube, bend(tube, 1.0), supple.LinearBlend(), fps=20.0)
    with pytest.raises(InputError, match="frames a second"):
        SkinExamples.of(slow, quick)


def test_without_a_model_it_teaches_itself(tube):
    poses = random_poses(tube, 5, seed=9)  # others than it learns from
    teach, below = HostSkin(supple.DeltaMush(), tube), HostSkin(supple.LinearBlend(), tube)
    player = supple.player(tube, supple.PoseSpace())
    off = np.mean([distance(player.advance(pose), teach(pose)) for pose in poses])
    assert off < 0.6 * np.mean([distance(below(pose), teach(pose)) for pose in poses])


@pytest.mark.parametrize("base", ["linear", "dual-quaternion"])
@pytest.mark.parametrize("kind", [supple.PoseSpace, supple.PoseSpaceDynamics])
def test_copies_of_a_crowd_are_to_the_bit_as_each_is_alone(tube, kind, base):
    """One model, one player, motions and phases of their own."""
    skin, motions = kind(base=base), [bend(tube, 1.0), bend(tube, -0.8, speed=5.0), bend(tube, 0.5)]
    crowd, delays = Crowd.of(tube, 3), [0.0, 0.2, 0.5]
    motion, cast = CrowdMotion(crowd, motions, delays), Cast(motions, delays)
    together, alone = supple.player(crowd, skin), [supple.player(tube, skin) for _ in range(3)]
    for frame in range(8):
        found = crowd.apart(together.play(motion, frame / 30.0))
        wanted = [player.play(cast.member(copy), frame / 30.0) for copy, player in enumerate(alone)]
        np.testing.assert_array_equal(found, wanted)
    assert len({points.tobytes() for points in found}) == 3


@pytest.mark.parametrize("kind", [supple.PoseSpace, supple.PoseSpaceDynamics])
def test_a_crowd_plays_the_model_of_its_member_and_no_other(tube, model, kind):
    """What was trained for one fits all copies of it, and is refused for those of another character."""
    crowd, skin, motions, delays = Crowd.of(tube, 2), kind(trained=model), [bend(tube, 1.0)] * 2, [0.0, 0.3]
    cast = Cast(motions, delays)
    found = crowd.apart(supple.player(crowd, skin).play(CrowdMotion(crowd, motions, delays), 0.4))
    for copy in range(2):
        np.testing.assert_array_equal(found[copy], supple.player(tube, skin).play(cast.member(copy), 0.4))
    assert not np.array_equal(*found)
    with pytest.raises(InputError, match="the model is for"):
        supple.player(Crowd.of(make_tube(rings=25, sectors=10), 2), skin)
