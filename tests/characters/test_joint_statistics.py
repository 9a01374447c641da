"""Joint statistics: the table's fractions, placing along an axis, files of one's own, and rigs held against them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import make_tube
from supple import Character, Skeleton
from supple.character.proportions import HANDS, Proportions, check_joints, limb_axis, place_joints
from supple.errors import FormatError, InputError, SuppleWarning
from supple.measure.proportions import finger_report

INDEX = [
    ("339.96", "188.83", "169.67"),
    ("342.47", "195.24", "186.70"),
    ("359.67", "206.58", "173.53"),
    ("417.16", "225.70", "183.67"),
    ("375.25", "214.96", "203.47"),
]


def test_statistics_are_the_exact_fractions_of_the_measurements():
    rows = [[Fraction(cell) for cell in row] for row in INDEX]
    shares = [[cell / sum(row) for cell in row] for row in rows]
    for segment, statistics in enumerate(HANDS.statistics("index")):
        column = [row[segment] for row in shares]
        assert statistics.mean == pytest.approx(float(sum(column) / len(column)), abs=1e-15)
        assert statistics.least == pytest.approx(float(min(column)), abs=1e-15)
        assert statistics.most == pytest.approx(float(max(column)), abs=1e-15)


@pytest.mark.parametrize(("finger", "mean"), [("index", 0.4846), ("middle", 0.4717), ("thumb", 0.5314)])
def test_means_are_recomputed_and_not_the_printed_ones(finger, mean):
    assert round(HANDS.statistics(finger)[0].mean, 4) == mean


@pytest.mark.parametrize("finger", HANDS.limbs)
def test_shares_of_a_finger_make_it_whole(finger):
    statistics = HANDS.statistics(finger)
    assert sum(segment.mean for segment in statistics) == pytest.approx(1.0)
    assert len(statistics) == (2 if finger == "thumb" else 3)
    assert HANDS.people[finger] == 5
    for segment in statistics:
        assert segment.least < segment.mean < segment.most
        assert segment.holds(segment.mean)
        assert not segment.holds(segment.most + 0.01)
        assert not segment.holds(segment.least - 0.01)


@given(
    st.lists(st.floats(0.1, 10.0), min_size=3, max_size=3),
    st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).filter(lambda way: np.linalg.norm(way) > 0.1),
)
def test_one_person_is_placed_as_measured(lengths, way):
    mine = Proportions({"limb": [lengths]})
    way = np.array(way)
    joints = place_joints("limb", [np.zeros(3), way], measured=mine)
    steps = np.linalg.norm(np.diff([*joints, way], axis=0), axis=1)
    np.testing.assert_allclose(steps / steps.sum(), np.array(lengths) / np.sum(lengths), atol=1e-12)


def test_joints_follow_a_bent_axis():
    axis = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    mine = Proportions({"limb": [[1.0, 2.0, 1.0]]})
    np.testing.assert_allclose(
        place_joints("limb", axis, measured=mine), [[0, 0, 0], [0.5, 0, 0], [1.0, 0.5, 0]], atol=1e-12
    )


def test_least_and_most_move_the_first_joint_to_the_ends_of_the_range():
    axis = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    first = HANDS.statistics("ring")[0]
    for at, fraction in (("least", first.least), ("mean", first.mean), ("most", first.most)):
        joints = place_joints("ring", axis, at=at)
        assert joints[1, 2] == pytest.approx(fraction)
        assert joints[1, 2] < joints[2, 2] < 1.0


def test_the_axis_of_a_tube_is_its_middle_line(tube):
    axis = limb_axis(tube.points, tube.triangles, root=[0.0, -1.0, 0.0])
    np.testing.assert_allclose(axis[:, [0, 2]], 0.0, atol=1e-6)
    assert axis[0, 1] == pytest.approx(0.0, abs=1e-6)
    assert axis[-1, 1] == pytest.approx(2.0, abs=1e-6)
    assert (np.diff(axis[:, 1]) > 0.0).all()
    turned = limb_axis(tube.points, tube.triangles, root=[0.0, 3.0, 0.0])
    np.testing.assert_allclose(turned, axis[::-1], atol=0.02)


def test_the_axis_of_a_bent_tube_stays_in_its_middle():
    tube = make_tube(rings=65)
    angle = tube.points[:, 1] * 0.5  # the middle line becomes an arc of radius 2
    bent = np.stack(
        [(2.0 + tube.points[:, 0]) * np.cos(angle) - 2.0, (2.0 + tube.points[:, 0]) * np.sin(angle), tube.points[:, 2]],
        axis=1,
    )
    axis = limb_axis(bent, tube.triangles, root=[0.0, -0.5, 0.0])
    off = np.abs(np.linalg.norm(axis[:, :2] + [2.0, 0.0], axis=1) - 2.0)
    # There is more skin outside of a bend: its middle lies r^2 / 2R = 0.016 farther out than that of the section.
    assert off[2:-2].max() < 0.02
    assert off.max() < 0.06  # within a radius of the ends, slices are not whole
    assert np.abs(axis[:, 2]).max() < 1e-3  # the diagonals of the quads are not mirrored
    assert np.linalg.norm(np.diff(axis, axis=0), axis=1).sum() == pytest.approx(2.0, rel=0.06)


def test_rows_are_added_and_leave_the_table_as_it_was():
    mine = HANDS.with_rows("index", [[1.0, 1.0, 1.0]]).with_rows("toe", [[2.0, 1.0]])
    assert mine.people["index"] == 6
    assert HANDS.people["index"] == 5
    assert "toe" in mine.limbs
    assert "toe" not in HANDS.limbs
    assert mine.statistics("index")[0].least == pytest.approx(1.0 / 3.0)


def test_a_file_is_read_with_and_without_a_heading(tmp_path):
    path = tmp_path / "arms.csv"
    path.write_text("arm,3,2,1\n\nfinger,2,1,,\narm,2,2,2\n")
    mine = Proportions.read(path)
    np.testing.assert_allclose(mine.lengths["arm"], [[3, 2, 1], [2, 2, 2]])
    np.testing.assert_allclose(mine.lengths["finger"], [[2, 1]])
    path.write_text("limb,upper,lower\narm,3,2\n")
    assert Proportions.read(path).people["arm"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "no measurements"), ("arm,1,2\narm,one,2\n", "line 2"), ("arm,1,2\narm,1,2,3\n", "different numbers")],
)
def test_bad_files_are_refused(tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=words):
        Proportions.read(path)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: Proportions({"arm": [[1.0]]}), "two segments"),
        (lambda: Proportions({"arm": [[1.0, -1.0]]}), "more than 0"),
        (lambda: HANDS.statistics("toe"), "toe"),
        (lambda: HANDS.with_rows("index", [[1.0, 2.0]]), "3 here"),
        (lambda: place_joints("index", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), "no length"),
        (lambda: place_joints("index", [[0.0, 0.0, 0.0]]), "no length"),
        (lambda: limb_axis(np.zeros((3, 3)), [[0, 1, 2]], root=[0, 0, 0]), "no skin"),
    ],
)
def test_bad_measurements_are_refused(action, words):
    with pytest.raises(InputError, match=words):
        action()


def finger(shares, names=("a", "b", "c"), *, leaf: bool = True) -> Character:
    """A tube of length 2 along y as a finger whose joints lie after these shares of it."""
    tube = make_tube()
    heads = np.zeros((len(names) + leaf, 3))
    heads[:, 1] = 2.0 * np.concatenate([[0.0], np.cumsum(shares)])[: len(heads)]
    skeleton = Skeleton.from_heads([*names, *(["end"] if leaf else [])], np.arange(len(heads)) - 1, heads)
    return Character(tube.points, tube.triangles, skeleton)


MEANS = [segment.mean for segment in HANDS.statistics("index")]


@pytest.mark.parametrize("leaf", [True, False])
def test_a_finger_at_the_means_passes_and_one_that_is_not_fails(leaf):
    chain = ["a", "b", "c", "end"] if leaf else ["a", "b", "c"]
    good = check_joints(finger(MEANS, leaf=leaf), {"index": chain})
    np.testing.assert_allclose([segment.fraction for segment in good.segments], MEANS, atol=1e-6)
    assert good.outside == ()
    bad = check_joints(finger([0.4, 0.3, 0.3], leaf=leaf), {"index": chain})
    assert len(bad.outside) == 3
    with pytest.warns(SuppleWarning, match="3 of 3 segments"):
        bad.warn()


def test_a_good_finger_gives_no_warning(recwarn):
    check_joints(finger(MEANS), {"index": ["a", "b", "c", "end"]}).warn()
    assert [warning for warning in recwarn if issubclass(warning.category, SuppleWarning)] == []


def test_chains_that_do_not_fit_are_refused():
    rig = finger(MEANS)
    with pytest.raises(InputError, match="3 segments"):
        check_joints(rig, {"index": ["a", "b"]})
    with pytest.raises(InputError, match="one place"):
        check_joints(finger([0.5, 0.0, 0.5]), {"index": ["a", "b", "c", "end"]})
    beyond = finger([0.6, 0.6, 0.2], leaf=False)  # the last joint lies past the skin
    with pytest.raises(InputError, match="no skin"):
        check_joints(beyond, {"index": ["a", "b", "c"]})
    assert len(check_joints(rig, {"mine": ["a", "b", "c"]}, limbs={"mine": "index"}).segments) == 3


def test_fingers_of_real_rigs_are_found_by_name(data_file):
    import supple

    report = finger_report(supple.load(data_file("gltf/human-m2m-12clips.glb")))
    assert len(report.segments) == 28  # two hands of four fingers with three segments and a thumb with two
    assert {segment.limb for segment in report.segments} >= {"left thumb", "right little"}
    for segment in report.segments:
        assert segment.inside == segment.measured.holds(segment.fraction)
