"""BVH in and out: layouts, units, broken files, round trips, and Blender as a second opinion."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from supple.errors import FormatError, InputError, SuppleWarning
from supple.geometry import quaternions
from supple.io import load_motion
from supple.io.bvh import frames, read_motion, reader, write_motion
from supple.io.bvh.reader import UNITS
from supple.motion.motion import Motion

QUIET = pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")

BODY = """HIERARCHY
ROOT Hips
{
\tOFFSET 1 2 3
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Spine
\t{
\t\tOFFSET 0 10 0
\t\tCHANNELS 3 Xrotation Yrotation Zrotation
\t\tJOINT Head
\t\t{
\t\t\tOFFSET 0 5 0
\t\t\tCHANNELS 4 Yrotation Yposition Xposition Zrotation
\t\t\tEnd Site
\t\t\t{
\t\t\t\tOFFSET 0 2 1
\t\t\t}
\t\t}
\t}
\tJOINT Leg
\t{
\t\tOFFSET 2 0 0
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -8 0
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.0333333
"""
ROWS = np.array(
    [
        [4.0, 5.0, 6.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 5.5, 0.25, 80.0],
        [4.5, 5.5, 6.5, -10.0, 120.0, 300.0, 4.0, -50.0, 6.0, 7.0, 6.5, -0.25, 8e1],
    ]
)
TEXT = BODY + "\n".join(" ".join(repr(float(v)) for v in row) for row in ROWS) + "\n"


def saved(tmp_path, text):
    path = tmp_path / "clip.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(tmp_path, text, **options):
    return read_motion(saved(tmp_path, text), **({"metres_per_unit": 1.0} | options))


def worlds(motion):
    return np.stack([motion.sample(time).world_from_joint for time in motion.times])


@pytest.fixture(scope="module")
def walk():
    return supple.motion("walk", supple.character("hero"))


# What the numbers mean


def test_channels_mean_what_scipy_says_in_every_order_and_place(tmp_path):
    motion = read(tmp_path, TEXT)
    assert motion.skeleton.names == ("Hips", "Spine", "Head", "Leg")
    assert motion.fps == 30.0
    assert motion.name == "clip"
    np.testing.assert_allclose(motion.skeleton.heads, [[1, 2, 3], [1, 12, 3], [1, 17, 3], [3, 2, 3]])
    np.testing.assert_allclose(motion.skeleton.tails[2:], [[1, 19, 4], [3, -6, 3]])
    for row, world in zip(ROWS, worlds(motion), strict=True):
        hips = Rotation.from_euler("ZXY", row[3:6], degrees=True)
        spine = hips * Rotation.from_euler("XYZ", row[6:9], degrees=True)
        head = spine * Rotation.from_euler("YZ", row[[9, 12]], degrees=True)
        position = row[:3] + hips.apply([0, 10, 0])
        np.testing.assert_allclose(world[0, :3, 3], row[:3])
        np.testing.assert_allclose(world[1, :3, 3], position, atol=1e-12)
        # Position channels replace the offset on their axes, on any joint; the third axis keeps it.
        np.testing.assert_allclose(world[2, :3, 3], position + spine.apply([row[11], row[10], 0]), atol=1e-12)
        np.testing.assert_allclose(world[2, :3, :3], head.as_matrix(), atol=1e-12)
        np.testing.assert_allclose(world[3, :3, 3], row[:3] + hips.apply([2, 0, 0]), atol=1e-12)
        np.testing.assert_allclose(world[3, :3, :3], hips.as_matrix(), atol=1e-12)


def unlike(text, rows=ROWS):
    """The same file as other tools would have written it."""
    body, header = BODY.split("MOTION")
    numbers = " ".join(f"{v:.17e}" for v in rows.ravel()).split()
    wrapped = "\n".join(" ".join(numbers[i : i + 5]) for i in range(0, len(numbers), 5))
    return {
        "crlf": text.replace("\n", "\r\n"),
        "old mac": text.replace("\n", "\r"),
        "spaces": text.replace("\t", "    "),
        "tabs between numbers": BODY + TEXT[len(BODY) :].replace(" ", "\t"),
        "lower case": text.lower()
        .replace("hips", "Hips")
        .replace("spine", "Spine")
        .replace("head", "Head")
        .replace("leg", "Leg"),
        "wrapped and scientific": f"{body}MOTION{header}{wrapped}",
        "comments and blank lines": "# made by hand\n" + text.replace("ROOT", "\n// the body\nROOT"),
        "braces on the same line": text.replace("Hips\n{", "Hips{").replace("Spine\n\t{", "Spine {"),
        "byte order mark": "\ufeff" + text,
        "motion on the line of the last brace": text.replace("}\nMOTION\nFrames", "} MOTION Frames"),
        "no last newline": text.rstrip("\n"),
        "trailing blanks": text.replace("\n", "  \n") + "\n\n  \n",
    }


@pytest.mark.parametrize("layout", unlike(TEXT))
def test_layout_changes_nothing(tmp_path, layout):
    plain, other = read(tmp_path, TEXT), read(tmp_path, unlike(TEXT)[layout])
    assert other.skeleton.names == plain.skeleton.names
    np.testing.assert_allclose(worlds(other), worlds(plain), atol=1e-12)


def test_several_roots_zero_offsets_names_with_spaces_and_no_channels(tmp_path):
    text = (
        "HIERARCHY\nROOT a b\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT c\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
        "End Site\n{\nOFFSET 0 0 0\n}\n}\n}\nROOT d\n{\nOFFSET 1 0 0\nCHANNELS 1 Yposition\nEnd Site\n{\n"
        "OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 1\n90 2\n"
    )
    motion = read(tmp_path, text)
    assert motion.skeleton.names == ("a b", "c", "d")
    assert motion.skeleton.parents.tolist() == [-1, 0, -1]
    np.testing.assert_allclose(motion.translations[:, 2], [[1, 1, 0], [1, 2, 0]])
    np.testing.assert_allclose(motion.rotations[1, 1], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_a_skeleton_without_any_channel_is_one_frame_of_rest(tmp_path):
    text = "HIERARCHY ROOT a { OFFSET 1 2 3 End Site { OFFSET 0 1 0 } }\nMOTION\nFrames: 99999\nFrame Time: 0.1\n"
    motion = read(tmp_path, text)
    np.testing.assert_allclose(worlds(motion), motion.skeleton.world_from_joint[None])
    with pytest.raises(InputError, match="no joint has a channel"):
        read(tmp_path, text + "1 2 3")


@pytest.mark.parametrize(("step", "fps"), [("0.033333", 30.0), (".0083333", 120.0), ("0.0333667", 29.97), ("2", 0.5)])
def test_frame_rates_are_whole_where_the_digits_mean_it(tmp_path, step, fps):
    assert read(tmp_path, TEXT.replace("0.0333333", step)).fps == pytest.approx(fps, rel=1e-6)
    assert (read(tmp_path, TEXT.replace("0.0333333", step)).fps == fps) == (fps != 29.97)


# Units and the way up


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("height", [1.4, 1.75, 2.2])
def test_a_person_is_found_in_every_unit(tmp_path, unit, height):
    text = (
        f"HIERARCHY ROOT a {{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition End Site {{ OFFSET 0 "
        f"{height / unit!r} 0 }} }}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2 3"
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        motion = read_motion(saved(tmp_path, text))
    assert motion.skeleton.tails[0, 1] == pytest.approx(height)
    np.testing.assert_allclose(motion.translations[0, 0], np.array([1, 2, 3]) * unit)
    if unit == 1.0:
        assert not said
    else:
        assert [issubclass(w.category, SuppleWarning) for w in said] == [True]
        assert f"{unit:.6g}" in str(said[0].message)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_unit_must_be_a_length(tmp_path, factor):
    with pytest.raises(InputError, match="metres_per_unit"):
        read(tmp_path, TEXT, metres_per_unit=factor)


def z_up(motion):
    """The file's view of a motion when z is up: (x, y, z) becomes (x, -z, y)."""
    rotation = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    old = motion.skeleton
    skeleton = supple.Skeleton.from_heads(old.names, old.parents, old.heads @ rotation.T, tails=old.tails @ rotation.T)
    rotations = motion.rotations.copy()
    rotations[..., :3] = rotations[..., :3] @ rotation.T
    return motion.replace(skeleton=skeleton, translations=motion.translations @ rotation.T, rotations=rotations)


def test_a_body_along_z_is_stood_up_and_that_is_said(tmp_path, walk):
    write_motion(z_up(walk), tmp_path / "z.bvh")
    with pytest.warns(SuppleWarning, match="z was taken as up"):
        read_back = read_motion(tmp_path / "z.bvh", metres_per_unit=0.01)
    order = [read_back.skeleton.index(name) for name in walk.skeleton.names]
    np.testing.assert_allclose(worlds(read_back)[:, order], worlds(walk), atol=1e-6)


# Broken files


def broken(old, new):
    assert TEXT.count(old) >= 1
    return TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "HIERARCHY"),
        ("hello", 1, "begins with"),
        ("HIERARCHY\n", 1, "ROOT"),
        (BODY.split("MOTION")[0], 29, "without MOTION"),
        (BODY.split("\tJOINT Leg")[0], 20, "still open"),
        (broken("OFFSET 0 10 0", "OFFSET 0 1O 0"), 8, "'1O'"),
        (broken("OFFSET 0 10 0", "OFFSET 0 nan 0"), 8, "'nan'"),
        (broken("OFFSET 0 10 0", "OFFSET 0 10"), 9, "'CHANNELS'"),
        (broken("OFFSET 0 10 0", "OFFSET 0 1e300 0"), 8, "1e300"),
        (broken("\t\tOFFSET 0 10 0\n", ""), 6, "no OFFSET"),
        (broken("CHANNELS 6", "CHANNELS 7"), 5, "0 to 6"),
        (broken("CHANNELS 6", "CHANNELS -1"), 5, "0 to 6"),
        (broken("CHANNELS 6", "CHANNELS 5"), 5, "'Yrotation'"),
        (broken("CHANNELS 3", "CHANNELS 4"), 10, "'JOINT'"),
        (broken("Yposition", "Xposition"), 5, "twice"),
        (broken("Zrotation", "Xscale"), 5, "Xscale"),
        (broken("ROOT Hips", "ROOT"), 2, "no name"),
        (broken("JOINT Spine\n\t{", "JOINT Spine\n"), None, "{"),
        (broken("\tJOINT Leg\n\t{\n", "\tJOINT Leg\n\t{\n}\n"), None, "OFFSET"),
        (broken("Frames: 2", "Frames: two"), 30, "'two'"),
        (broken("Frames: 2", "Frames: -2"), 30, "'-2'"),
        (broken("Frames: 2\n", ""), 29, "header"),
        (broken("0.0333333", "0"), 31, "'0'"),
        (broken("0.0333333", "fast"), 31, "'fast'"),
        (broken("0.0333333", "-0.1"), 31, "'-0.1'"),
        (broken("5.5", "NaN"), 32, "'NaN'"),
        (broken("80.0\n", "8O.0\n"), 32, "'8O.0'"),
        (broken("60.0 70.0", "60.0.70.0"), 32, "'60.0.70.0'"),
        (broken("60.0 70.0", "inf 70.0"), 32, "'inf'"),
        (broken(" 80.0\n", "\n"), 31, "13 channels"),
        (broken(" 80.0\n", " 80.0 1 2 3\n"), 31, "13 channels"),
        (BODY, 31, "13 channels"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path, text, line, words):
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)
    assert "clip.bvh" in caught.value.where
    if line is not None:
        assert caught.value.where.endswith(f"line {line}")
    assert words in str(caught.value)


@pytest.mark.parametrize("count", ["3", "600", "99999999999", "9" * 5000, "1", "0"])
def test_the_frames_that_are_there_count_and_not_the_header(tmp_path, count):
    with pytest.warns(SuppleWarning, match="2 are there"):
        motion = read(tmp_path, TEXT.replace("Frames: 2", f"Frames: {count}"))
    np.testing.assert_array_equal(worlds(motion), worlds(read(tmp_path, TEXT)))


def test_a_cut_off_last_row_is_left_out(tmp_path):
    with pytest.warns(SuppleWarning, match="1 and a cut-off row"):
        motion = read(tmp_path, TEXT.rsplit(" ", 3)[0])
    assert motion.frames == 1


def test_names_that_stand_twice_are_told_apart(tmp_path):
    text = TEXT.replace("JOINT Head", "JOINT Spine").replace("JOINT Leg", "JOINT Spine")
    with pytest.warns(SuppleWarning, match="Spine_2, Spine_3"):
        assert read(tmp_path, text).skeleton.names == ("Hips", "Spine", "Spine_2", "Spine_3")


def test_a_joint_without_end_site_carries_on(tmp_path):
    text = TEXT.replace("\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -8 0\n\t\t}\n", "")
    with pytest.warns(SuppleWarning, match="Leg ends without an End Site"):
        np.testing.assert_allclose(read(tmp_path, text).skeleton.tails[3], [4, 2, 3])


def test_sizes_are_checked_before_anything_is_made(tmp_path):
    many = "".join(f"ROOT j{i} {{ OFFSET 0 0 0 }}\n" for i in range(5000))
    with pytest.raises(FormatError, match="4096 joints"):
        read(tmp_path, f"HIERARCHY\n{many}MOTION\nFrames: 1\nFrame Time: 0.1\n")
    still = "".join(f"ROOT j{i} {{ OFFSET 0 0 0 }}\n" for i in range(4000))
    one = "ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation }\n"
    with pytest.raises(FormatError, match="never move"):
        read(tmp_path, f"HIERARCHY\n{one}{still}MOTION\nFrames: 40000\nFrame Time: 0.1\n{'0 ' * 40000}")


def test_depth_does_not_recurse(tmp_path):
    opened = "".join(f"{'JOINT' if i else 'ROOT'} j{i} {{ OFFSET 0 1 0 CHANNELS 1 Xrotation\n" for i in range(3000))
    text = (
        f"HIERARCHY\n{opened}End Site {{ OFFSET 0 1 0 }}{'}' * 3000}\nMOTION\nFrames: 1\nFrame Time: 1\n{'0 ' * 3000}"
    )
    assert len(read(tmp_path, text).skeleton) == 3000


@QUIET
@pytest.mark.parametrize("kept", [0, 10**6])
@pytest.mark.parametrize("block", [30, 64, 1000])
def test_frames_are_the_same_however_small_the_blocks_they_are_read_in(tmp_path, monkeypatch, block, kept):
    """In rows, wrapped, on one line, with comments across blocks, cut off; and what is refused is refused alike."""
    numbers = " ".join(f"{value:g}" for value in ROWS.ravel())
    texts = [
        TEXT, BODY + numbers, BODY + numbers.replace(" ", "\n"), BODY + numbers.replace(" ", " \t "),
        TEXT.replace("\n4.5", " # " + "a comment " * 20 + "\n// and one more\n4.5"),
        BODY + numbers + " # " + "7 " * 99, TEXT.rsplit(" ", 3)[0], TEXT.rsplit(" ", 3)[0] + " x",
        TEXT.replace("Frames: 2", "Frames: 9"), BODY + numbers + " 1", BODY + "\n" * 99, TEXT.replace("0.25", "1e99"),
    ]  # fmt: skip

    def outcome(text):
        try:
            motion = read(tmp_path, text)
        except FormatError as error:
            return str(error)
        return motion.frames, motion.translations.tobytes(), motion.rotations.tobytes()

    whole = [outcome(text) for text in texts]
    assert sum(isinstance(made, tuple) for made in whole) == 8
    monkeypatch.setattr(frames, "_BLOCK", block)
    monkeypatch.setattr(frames, "_MOST_HELD", kept)
    assert [outcome(text) for text in texts] == whole


def test_a_word_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "_BLOCK", 64)
    with pytest.raises(FormatError, match=r"line 32.*longer than 64"):
        read(tmp_path, BODY + "0" * 99)


def test_a_hierarchy_without_end_is_refused(tmp_path, monkeypatch):
    assert read(tmp_path, TEXT).frames == 2
    start = BODY.index("Frame Time")
    for length in (start - 40, start, len(BODY) - 3):
        monkeypatch.setattr(reader, "_LONGEST_HEAD", length)
        with pytest.raises(FormatError):
            read(tmp_path, TEXT)


MANY = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "HIERARCHY" + "{" * MANY,
        "HIERARCHY ROOT a {" + "\n" * MANY,
        BODY.split("MOTION")[0] + "MOTION" + " " * MANY,
        BODY.split("MOTION")[0] + "MOTION Frames" + " " * MANY,
        TEXT + " " * MANY + "x",
        "ROOT " * MANY,
        "HIERARCHY ROOT " + "a" * MANY,
        TEXT + "#" * MANY + "\nx",
        "HIERARCHY " + "ROOT a { OFFSET 0 0 0 }" * 100_000,
    ],
    ids=range(9),
)
def test_long_nonsense_is_refused_at_once(tmp_path, text):
    with pytest.raises(FormatError):
        read(tmp_path, text)


# Fuzzing: whatever comes, only an InputError may leave


def survives(tmp_path, content):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", SuppleWarning)
        try:
            motion = read_motion(saved(tmp_path, content))
        except FormatError:
            return
        assert np.isfinite(worlds(motion)).all()


FUZZ = settings(
    max_examples=2500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


@FUZZ
@given(st.binary(max_size=400), st.integers(0, len(TEXT)), st.integers(0, 60))
def test_no_bytes_do_harm(tmp_path, inserted, position, removed):
    survives(tmp_path, inserted)
    survives(tmp_path, TEXT[:position].encode() + inserted + TEXT[position + removed :].encode())


@FUZZ
@given(st.data())
def test_no_mixing_of_words_does_harm(tmp_path, data):
    words = [w for line in TEXT.replace("{", " { ").split("\n") for w in [*line.split(), "\n"]]
    odd = st.sampled_from(["{", "}", "JOINT", "ROOT", "End", "OFFSET", "CHANNELS", "6", "0", "-1", "1e308", "MOTION",
                           "nan", "1e400", "Frames:", "Frame", "Time:", "\n", "\x00", "#", "é", "1_0"])  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        at, to = data.draw(st.integers(0, len(words) - 1)), data.draw(st.integers(0, len(words) - 1))
        kind = data.draw(st.sampled_from(["delete", "double", "swap", "replace", "cut"]))
        if kind == "delete" and len(words) > 1:
            del words[at]
        elif kind == "double":
            words.insert(to, words[at])
        elif kind == "swap":
            words[at], words[to] = words[to], words[at]
        elif kind == "replace":
            words[at] = data.draw(odd)
        else:
            words = words[: at + 1]
    survives(tmp_path, " ".join(words))


# Out and back


def wild(seed, *, joints=7, frames=9, move=True):
    """A motion with random rest frames, random turns, and joints that shift on their parents."""
    random = np.random.default_rng(seed)
    parents = np.array([-1, *(random.integers(0, j) for j in range(1, joints))])
    order = random.permutation(joints)  # joints may come in any order
    position = np.argsort(order)
    parents = np.where(parents[order] < 0, -1, position[parents[order]])
    world = quaternions.compose(random.normal(size=(joints, 3)), quaternions.normalize(random.normal(size=(joints, 4))))
    skeleton = supple.Skeleton(tuple(f"j{i}" for i in range(joints)), parents, world)
    rest, _, _ = quaternions.decompose(skeleton.parent_from_joint)
    moves = np.tile(rest, (frames, 1, 1))
    moving = parents < 0
    if move:
        moving = moving | (np.arange(joints) == 2)
    moves[:, moving] += random.normal(size=(frames, int(moving.sum()), 3))
    rotations = quaternions.normalize(random.normal(size=(frames, joints, 4)))
    return Motion(skeleton, 24.0, moves, rotations)


@pytest.mark.parametrize("unit", ["cm", "m"])
@pytest.mark.parametrize("seed", range(6))
def test_every_joint_is_where_it_was_after_a_round_trip(tmp_path, seed, unit):
    motion = wild(seed, move=seed % 2 == 0)
    path = tmp_path / "wild.bvh"
    write_motion(motion, path, unit=unit)
    back = read_motion(path, metres_per_unit={"cm": 0.01, "m": 1.0}[unit])
    order = [back.skeleton.index(name) for name in motion.skeleton.names]
    np.testing.assert_allclose(back.skeleton.heads[order], motion.skeleton.heads, atol=1e-6)
    np.testing.assert_allclose(worlds(back)[:, order][..., :3, 3], worlds(motion)[:, :, :3, 3], atol=1e-6)
    # Axes lie along the world's at rest, so what comes back is the turn away from rest.
    away = worlds(motion)[..., :3, :3] @ motion.skeleton.joint_from_world[:, :3, :3]
    np.testing.assert_allclose(worlds(back)[:, order][..., :3, :3], away, atol=1e-6)
    assert back.fps == 24.0
    with_places = path.read_text().count("CHANNELS 6")
    assert with_places == (2 if seed % 2 == 0 and motion.skeleton.parents[2] >= 0 else 1)


def test_right_angles_come_back_and_angles_run_on(tmp_path):
    skeleton = supple.Skeleton.from_heads(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    angles = np.radians(np.arange(0.0, 1000.0, 15.0))
    for axis in np.eye(3):
        rotations = np.zeros((len(angles), 2, 4))
        about = quaternions.quat_from_axis_angle(np.tile(axis, (len(angles), 1)), angles)
        rotations[:, 0] = quaternions.quat_multiply(quaternions.quat_from_axis_angle([0, 0, 1], 0.3), about)
        rotations[:, 1, 3] = 1.0
        moves = np.zeros((len(angles), 2, 3))
        moves[:, 1, 1] = 1.0
        motion = Motion(skeleton, 30.0, moves, rotations)
        write_motion(motion, tmp_path / "turns.bvh")
        back = read_motion(tmp_path / "turns.bvh", metres_per_unit=0.01)
        np.testing.assert_allclose(worlds(back), worlds(motion), atol=1e-6)
    numbers = np.loadtxt((tmp_path / "turns.bvh").read_text().split("Frame Time")[1].splitlines()[1:])
    assert np.abs(np.diff(numbers[:, 3])).max() < 16.0  # degrees; about z there is no jump of a full turn


def test_end_sites_carry_the_tails_of_last_joints(tmp_path, walk):
    write_motion(walk, tmp_path / "walk.bvh")
    back = read_motion(tmp_path / "walk.bvh", metres_per_unit=0.01)
    for name in ("Head", "LeftToeBase", "RightHandMiddle1"):
        there = back.skeleton.tails[back.skeleton.index(name)]
        np.testing.assert_allclose(there, walk.skeleton.tails[walk.skeleton.index(name)], atol=1e-6)


def test_what_bvh_cannot_hold_is_said(tmp_path):
    motion = wild(1, move=False)
    scales = np.full((motion.frames, len(motion.skeleton), 3), 1.5)
    with pytest.warns(SuppleWarning, match="no scale"):
        write_motion(motion.replace(scales=scales), tmp_path / "scaled.bvh")
    back = read_motion(tmp_path / "scaled.bvh", metres_per_unit=0.01)
    order = [back.skeleton.index(name) for name in motion.skeleton.names]
    np.testing.assert_allclose(
        worlds(back)[:, order][..., :3, 3], worlds(motion.replace(scales=scales))[:, :, :3, 3], atol=1e-5
    )
    skeleton = supple.Skeleton.from_heads(["a b", "a{b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    still = Motion(skeleton, 30.0, np.zeros((1, 2, 3)), np.tile([0.0, 0, 0, 1], (1, 2, 1)))
    with pytest.warns(SuppleWarning, match="'a b' as 'a_b'"):
        write_motion(still, tmp_path / "names.bvh")
    assert len(set(read_motion(tmp_path / "names.bvh", metres_per_unit=1.0).skeleton.names)) == 2


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "walk.bvh"
    path.write_text("before")
    with pytest.raises(InputError, match="'cm' or 'm'"):
        write_motion(wild(0), path, unit="inch")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_the_door_knows_the_suffix(tmp_path, walk):
    path = tmp_path / "walk.BVH"
    write_motion(walk, path)
    with pytest.warns(SuppleWarning, match="centimetres"):
        assert load_motion(path).name == "walk"


# Real files


@QUIET
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("00_good_6frames", None),
        ("02_frames_count_too_big", "600 frames"),
        ("04_missing_motion", "MOTION"),
        ("06_channel_count_mismatch", "channel"),
        ("08_nan_value", "'nan'"),
        ("10_non_numeric", "number"),
        ("12_zero_frame_time", "Frame Time"),
        ("14_empty", "HIERARCHY"),
        ("16_duplicate_joint_names", "twice"),
        ("18_no_end_site", "End Site"),
        ("20_row_wrapped_lines", None),
        ("22_huge_frames_header", "99999999999"),
    ],
)
def test_every_bent_file_gets_its_verdict(data_file, name, verdict):
    path = data_file(f"broken/bvh/{name}.bvh")
    if name[:2] in ("04", "06", "08", "10", "12", "14"):
        with pytest.raises(FormatError, match=verdict):
            read_motion(path, metres_per_unit=0.0564)
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert read_motion(path, metres_per_unit=0.0564).frames == 6
    assert [verdict in str(w.message) for w in said] == ([] if verdict is None else [True])


CLIPS = ["bvh_test1", "cmu_02_01", "cmu_02_04", "cmu_10_01", "cmu_16_01", "rotation_first_root"]


@QUIET
@pytest.mark.parametrize("name", CLIPS)
def test_real_clips_survive_a_round_trip(tmp_path, data_file, name):
    motion = read_motion(data_file(f"bvh/{name}.bvh"))
    write_motion(motion, tmp_path / "back.bvh")
    back = read_motion(tmp_path / "back.bvh", metres_per_unit=0.01)
    assert back.skeleton.names == motion.skeleton.names
    np.testing.assert_allclose(back.skeleton.tails[-1], motion.skeleton.tails[-1], atol=1e-6)
    np.testing.assert_allclose(worlds(back)[..., :3, 3], worlds(motion)[..., :3, 3], atol=1e-6)
