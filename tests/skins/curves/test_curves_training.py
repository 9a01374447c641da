"""Training of curves: what is learnt, how far off it is told to be, and the file of a model."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import CurveNetwork, Pose
from supple.edits import SurfaceEdit
from supple.errors import FormatError, InputError
from supple.geometry.quaternions import quat_from_axis_angle
from supple.skins.array_file import _sum
from supple.skins.curves import SkinExamples, fit_curves, load_curves, save_curves
from supple.skins.curves.learn.model import CurveModel, FitErrors
from supple.skins.curves.learn.sample_selection import SampleSelection, principal_axes


@pytest.fixture(scope="module")
def limb():
    return make_tube(rings=41, sectors=16, bones=2)


def bent(character, bend: float, twist: float = 0.0) -> Pose:
    rotation = supple.geometry.quaternions.quat_multiply(
        quat_from_axis_angle([0, 0, 1], bend), quat_from_axis_angle([0, 1, 0], twist)
    )
    return Pose.from_rotations(character.skeleton, {"bone1": rotation})


def taught_by(character, skin, rotations) -> SkinExamples:
    player, poses = supple.player(character, skin), [bent(character, *rotation) for rotation in rotations]
    return SkinExamples(tuple(poses), np.stack([player.advance(pose) for pose in poses]))


@pytest.fixture(scope="module")
def bake(limb):
    motion = supple.motion("bend", limb, joint="bone1", angle=1.6, seconds=1.0)
    return supple.bake(limb, motion, supple.DeltaMush(), fps=30.0)


@pytest.fixture(scope="module")
def model(limb, bake):
    return fit_curves(limb, bake, nodes_per_vertex=1.0)


def off(character, model, examples) -> np.ndarray:
    """Distances (F, V) of the played skin from what was taught."""
    player = supple.player(character, CurveNetwork(trained=model))
    played = np.stack([player.advance(pose) for pose in examples.poses])
    return np.linalg.norm(played - examples.points, axis=2)


def test_two_shapes_are_enough_to_learn_a_bend(limb):
    dataset = taught_by(limb, supple.DeltaMush(), [(1.2,)])
    model = fit_curves(limb, dataset, nodes_per_vertex=1.0)
    assert all(len(part.frames) == 2 for part in model.parts)
    assert off(limb, model, dataset).max() <= model.errors.mesh_worst + 1e-6 < 0.2 * model.errors.base_worst
    half = taught_by(limb, supple.DeltaMush(), [(0.6,)])
    assert off(limb, model, half).max() < model.errors.base_worst


def test_every_one_of_several_shapes_is_met(limb):
    rotations = [(1.2, 0.0), (0.6, 0.5), (-0.9, 0.2), (0.1, 1.1), (0.8, -0.8)]
    dataset = taught_by(limb, supple.DeltaMush(), rotations)
    model = fit_curves(limb, dataset)
    assert all(sorted(part.frames) == [-1, 0, 1, 2, 3, 4] for part in model.parts)
    assert model.errors.between_rms < 1e-9
    assert model.errors.kept_worst <= model.errors.mesh_worst + 1e-9
    assert np.abs(np.sqrt((off(limb, model, dataset) ** 2).mean(axis=1)) - model.errors.by_frame).max() < 1e-6


def test_exact_frames_are_met_to_the_transfer(limb, bake):
    model = fit_curves(limb, bake, exact=True)
    dataset = SkinExamples.of(bake)
    learnt = model.parts[0].frames[1:]
    assert len(learnt) >= 3
    assert off(limb, model, dataset)[learnt].max() <= model.errors.mesh_worst + 1e-6


def test_all_frames_together_are_nearer_than_with_exact_ones(limb, bake):
    noisy = SkinExamples.of(bake)
    swing = 0.01 * np.where(np.arange(len(noisy)) < len(noisy) / 2, 1.0, -1.0)[:, None, None]
    shape = np.exp(-(((limb.points[:, 1:2] - 1.0) / 0.4) ** 2)) * np.array([1.0, 0.0, 0.0])
    swinging = SkinExamples(noisy.poses, noisy.points + swing * shape)  # one way there, another way back
    whole, exact = (fit_curves(limb, swinging, exact=exact).errors for exact in (False, True))
    assert whole.rms < 0.9 * exact.rms


def test_the_errors_told_are_those_that_are_played(limb, bake, model):
    found, errors = off(limb, model, SkinExamples.of(bake)), model.errors
    assert np.sqrt((found**2).mean()) == pytest.approx(errors.rms, abs=1e-6)
    assert found.max() == pytest.approx(errors.worst, abs=1e-6)
    learnt = model.parts[0].frames[1:]  # one part, so that its frames are those of all vertices
    assert found[learnt].max() == pytest.approx(errors.kept_worst, abs=1e-6)
    below = supple.player(limb, supple.DualQuaternion())
    left = np.stack([below.advance(bake.pose(f)) for f in range(len(bake))]) - bake.points
    assert np.sqrt((left**2).sum(axis=2).mean()) == pytest.approx(errors.base_rms, abs=1e-6)
    assert errors.height == limb.height
    assert errors.rms < 0.25 * errors.base_rms
    assert errors.mesh_rms <= errors.rms + 1e-9


def test_finer_curves_leave_less_of_the_mesh_open(limb, bake):
    coarse, fine = (fit_curves(limb, bake, nodes_per_vertex=detail).errors.mesh_rms for detail in (0.1, 2.0))
    assert fine < 0.5 * coarse


def test_whole_motions_that_are_kept_out_are_tested(limb, bake):
    motion = supple.motion("bend", limb, joint="bone1", angle=0.9, seconds=0.4)
    other = supple.bake(limb, motion, supple.DeltaMush(), fps=30.0)
    tested = fit_curves(limb, bake, nodes_per_vertex=1.0, test=other)
    (errors,) = tested.errors.tested
    assert tested.digest == fit_curves(limb, bake, nodes_per_vertex=1.0).digest  # nothing was learnt from it
    found = off(limb, tested, SkinExamples.of(other))
    assert np.sqrt((found**2).mean()) == pytest.approx(errors.rms, abs=1e-6)
    assert errors.rms < 0.3 * errors.below


def test_training_twice_gives_the_same_model(limb, bake, model):
    assert fit_curves(limb, bake, nodes_per_vertex=1.0).digest == model.digest
    assert fit_curves(limb, bake, nodes_per_vertex=1.0, most_frames=3).digest != model.digest


def test_several_bakes_are_learnt_together(limb, bake):
    motion = supple.motion("twist", limb, joint="bone1", angle=1.2, seconds=0.6)
    twist = supple.bake(limb, motion, supple.DeltaMush(), fps=30.0)
    both = fit_curves(limb, SkinExamples.of(bake, twist), nodes_per_vertex=1.0)
    frames = {int(frame) for part in both.parts for frame in part.frames}
    assert min(frames - {-1}) < len(bake) <= max(frames)
    assert both.errors.rms < 0.25 * both.errors.base_rms


def test_a_drawn_shape_turns_with_the_bones(limb):
    edit = SurfaceEdit.of(
        0.05 * np.exp(-(((limb.points - [0.25, 1.4, 0.0]) / 0.3) ** 2).sum(axis=1))[:, None] * np.array([1.0, 0.0, 0.0])
    )
    model = fit_curves(limb, SkinExamples.sculpted(limb, [bent(limb, 1.5)], [edit.dense(len(limb.points))]))
    player, below = (supple.player(limb, s) for s in (CurveNetwork(trained=model), supple.DualQuaternion()))
    top = int(np.argmax(np.linalg.norm(edit.dense(len(limb.points)), axis=1)))
    for fraction in (0.5, 1.0):
        pose = bent(limb, 1.5 * fraction)
        moved = (player.advance(pose) - below.advance(pose))[top]
        direction = pose.skinning(limb.skeleton)[1][:3, 0]  # where the drawn direction x has gone
        assert np.linalg.norm(moved) == pytest.approx(fraction * 0.05, rel=0.1)
        assert moved @ direction > 0.99 * np.linalg.norm(moved)


def test_watching_is_told_of_every_frame(limb, bake):
    seen = []
    fit_curves(limb, bake, watch=seen.append)
    assert [p.done for p in seen if p.what == "frames"] == list(range(1, len(bake) + 1))
    assert {p.total for p in seen if p.what == "parts"} == {len([p for p in seen if p.what == "parts"])}


# Choosing


def test_a_joint_that_stands_still_has_one_place_and_nothing_is_learnt():
    axes = principal_axes(np.zeros((9, 3)), 12)
    assert axes.shape == (3, 1)
    assert not axes.any()
    choice = SampleSelection(np.zeros((9, 1)), np.ones((9, 6)), "smooth", "ease", exact=False)
    assert len(choice.select(5)) == 0


def test_narrow_directions_are_left_out():
    rotations = np.random.default_rng(1).standard_normal((50, 3)) * [1.0, 0.3, 0.001]
    assert principal_axes(rotations, 12).shape == (3, 2)
    assert principal_axes(rotations, 2).shape == (3, 1)


def test_frames_are_chosen_far_apart_and_where_it_is_worst():
    positions = np.linspace(0.1, 1.0, 40)[:, None]
    nodes = np.where(np.abs(positions - 0.62) < 0.05, 5.0, 0.0) + positions  # something happens in the middle
    frames = SampleSelection(positions, nodes, "straight", "hold", exact=True).select(8)
    assert frames[0] == 39
    assert any(abs(positions[frame, 0] - 0.62) < 0.06 for frame in frames)
    apart = np.abs(positions[frames] - positions[frames].T) + np.eye(len(frames))
    assert apart.min() > 0.05


# What is refused


def test_examples_that_do_not_fit_are_refused(limb, bake):
    pose = Pose.rest(limb.skeleton)
    for poses, points, said in (
        ([pose], np.zeros((2, 5, 3)), "1 poses and points"),
        ([], np.zeros((0, 5, 3)), "0 poses"),
        ([pose], np.full((1, 5, 3), np.nan), "not finite"),
    ):
        with pytest.raises(InputError, match=said):
            SkinExamples(tuple(poses), points)
    with pytest.raises(InputError, match="no bake"):
        SkinExamples.of()
    other = make_tube(rings=9, sectors=8)
    stranger = supple.bake(other, supple.motion("bend", other, joint="bone1", seconds=0.1), supple.LinearBlend())
    with pytest.raises(InputError, match="all are of one character"):
        SkinExamples.of(bake, stranger)
    with pytest.raises(InputError, match="own topology"):
        fit_curves(limb, stranger)
    with pytest.raises(InputError, match="number of joints"):
        fit_curves(limb, SkinExamples((Pose(np.eye(4)[None]),), limb.points[None]))
    with pytest.raises(InputError, match="offsets has shape"):
        SkinExamples.sculpted(limb, [pose], np.zeros((1, 4, 3)))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"most_frames": 0}, "most_frames is 0"),
        ({"below": "delta-mush"}, "skin below is"),
        ({"between": "no"}, "blend is"),
        ({"past": "no"}, "beyond is"),
        ({"nodes_per_vertex": 9.0}, "nodes_per_vertex is 9"),
    ],
)
def test_strange_options_are_refused(limb, bake, settings, said):
    with pytest.raises(InputError, match=said):
        fit_curves(limb, bake, **settings)


# The file


def test_a_model_comes_back_from_its_file_as_it_was(limb, bake, model, tmp_path):
    save_curves(model, tmp_path / "a.curves")
    again = load_curves(tmp_path / "a.curves")
    assert again.digest == model.digest
    assert again.errors == model.errors
    pose = bake.pose(12)
    one, two = (supple.player(limb, CurveNetwork(trained=m)).advance(pose) for m in (model, again))
    assert np.array_equal(one, two)
    save_curves(again, tmp_path / "b.curves")
    assert (tmp_path / "a.curves").read_bytes() == (tmp_path / "b.curves").read_bytes()


def test_every_byte_of_the_file_is_checked(model, tmp_path):
    path = tmp_path / "a.curves"
    save_curves(model, path)
    whole = path.read_bytes()
    for position in [*range(0, 60, 7), len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x20]) + whole[position + 1 :])
        with pytest.raises(FormatError, match=r"a\.curves"):
            load_curves(path)
    for length in (0, 5, 8, 20, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            load_curves(path)
    path.write_bytes(b"SPLCURV" + b"\x02" + whole[8:])
    with pytest.raises(FormatError, match="another version"):
        load_curves(path)
    with pytest.raises(InputError, match="check the path"):
        load_curves(tmp_path / "nowhere.curves")


def test_a_file_that_is_whole_and_makes_no_sense_is_refused(model, tmp_path):
    def written(header: bytes, numbers: bytes) -> None:
        size = len(header).to_bytes(8, "little")
        (tmp_path / "a.curves").write_bytes(b"SPLCURV\x01" + size + header + _sum(header, numbers) + numbers)

    for header in (
        b"no",
        b"{}",
        b"[]",
        b'{"arrays":[["x","<f8",[-1]]]}',
        b'{"arrays":[["x","<c8",[1]]]}',
        b'{"arrays":[]}',
        b'{"arrays":[["x","<f8",[3]]]}',
    ):
        written(header, b"12345678")
        with pytest.raises(FormatError, match="makes no sense"):
            load_curves(tmp_path / "a.curves")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"base": "rigid"}, "skin below is"),
        ({"parts": ()}, "no parts"),
        ({"blend": "no"}, "blend is"),
        ({"columns": [10**6]}, "do not fit"),
        ({"rows": [1, 2]}, "do not fit"),
    ],
)
def test_models_that_make_no_sense_are_refused(model, change, said):
    from dataclasses import replace

    if "columns" in change:
        change = {"columns": np.full_like(model.columns, change["columns"][0])}
    with pytest.raises(InputError, match=said):
        replace(model, **change)
    assert isinstance(replace(model), CurveModel)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"frames": [0]}, "first example is not the rest"),
        ({"positions": 1.0}, "first example is not the rest"),
        ({"offsets": 1.0}, "first example is not the rest"),
        ({"joints": [7]}, "not in its list"),
    ],
)
def test_parts_that_make_no_sense_are_refused(model, change, said):
    from dataclasses import replace

    part = model.parts[0]
    for name, value in change.items():
        array = getattr(part, name).copy()
        array[...] = array + value if name in ("positions", "offsets") else value[0]
        with pytest.raises(InputError, match=said):
            replace(model, parts=(replace(part, **{name: array}),))


def test_errors_are_told_in_words(model):
    said = str(model.errors)
    assert "of the height" in said
    assert "in the frames that it keeps" in said
    assert FitErrors.from_json(model.errors.to_json()) == model.errors
