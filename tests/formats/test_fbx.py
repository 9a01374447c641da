"""FBX in: a file written by hand against sums done by hand, and files that are damaged in every way."""

from __future__ import annotations

import importlib.util
import struct
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import fbx_files
import numpy as np
import pytest

import supple
from supple.character.character import Character
from supple.errors import FormatError, InputError, SuppleWarning, UnfinishedError
from supple.io import sandbox
from supple.io.fbx import isolated_reader
from supple.motion.pose import Pose

pytest.importorskip("ufbx")

STRIP = np.array([[0, 0, 0], [0.1, 0, 0], [0, 1, 0], [0.1, 1, 0], [0, 2, 0], [0.1, 2, 0]], dtype=np.float64)
HAT = np.array([[0, 2, 0], [0.1, 2, 0], [0, 2.1, 0]])


def saved(folder: Path, data: bytes, name: str = "strip.fbx") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def bent(degrees: float) -> np.ndarray:
    """Where strip and hat are with the knee turned: each point above it half or wholly about (0, 1, 0), z to x."""
    angle = np.radians(degrees)
    rotation = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    points = np.concatenate([STRIP, HAT])
    turned = (points - [0, 1, 0]) @ rotation.T + [0, 1, 0]
    share = np.array([0, 0, 0.5, 0.5, 1, 1, 1, 1, 1])[:, None]
    return (1 - share) * points + share * turned


def blended(character: Character, pose: Pose) -> np.ndarray:
    """Linear blend, vertex by vertex."""
    weights = character.require_weights("test")
    carried = pose.skinning(character.skeleton)
    result = np.zeros_like(character.points)
    for vertex, point in enumerate(character.points):
        for joint, value in zip(weights.joints[vertex], weights.values[vertex], strict=True):
            result[vertex] += value * (carried[joint] @ [*point, 1.0])[:3]
    return result


@pytest.fixture(scope="module")
def strip(tmp_path_factory: pytest.TempPathFactory) -> Character:
    return supple.load(saved(tmp_path_factory.mktemp("fbx"), fbx_files.text()))


def test_meshes_stand_in_metres_with_y_up(strip: Character) -> None:
    np.testing.assert_allclose(strip.points, np.concatenate([STRIP, HAT]), atol=1e-12)
    assert strip.name == "strip"
    np.testing.assert_array_equal(strip.vertices_of("strip"), [0, 1, 2, 3, 4, 5])
    np.testing.assert_array_equal(strip.vertices_of("hat"), [6, 7, 8])


def test_the_unit_of_the_file_counts(tmp_path: Path) -> None:
    inches = supple.load(saved(tmp_path, fbx_files.text(unit=2.54)))
    np.testing.assert_allclose(inches.points, 2.54 * np.concatenate([STRIP, HAT]), atol=1e-12)
    moved = blended(inches, inches.motions["bend"].sample(1.0))
    np.testing.assert_allclose(moved, 2.54 * bent(90.0), atol=1e-6)


def test_bones_and_the_nodes_of_loose_meshes_are_joints_of_size_one(strip: Character) -> None:
    skeleton = strip.skeleton
    assert skeleton.names == ("hip", "knee", "hat")
    np.testing.assert_array_equal(skeleton.parents, [-1, 0, 1])
    np.testing.assert_allclose(skeleton.heads, [[0, 0, 0], [0, 1, 0], [0, 2, 0]], atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(skeleton.world_from_joint[:, :3, :3]), 1.0, atol=1e-12)


def test_weights(strip: Character) -> None:
    dense = strip.require_weights("test").dense(3)
    expected = [[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 1, 0], *[[0, 0, 1]] * 3]
    np.testing.assert_allclose(dense, expected, atol=1e-12)


def test_quads_seams_and_shapes_are_kept(strip: Character) -> None:
    np.testing.assert_array_equal(strip.polygons, [[0, 1, 3, 2], [2, 3, 5, 4], [6, 7, 8, -1]])
    display = strip.display
    assert display is not None
    assert display.uvs is not None
    np.testing.assert_array_equal(np.bincount(display.control_points), [1, 1, 2, 2, 1, 1, 1, 1, 1])
    seam = {tuple(uv) for uv in display.uvs[display.control_points == 3]}
    assert seam == {(1.0, 1.0), (1.0, 0.0)}  # the third corner of one quad, the second of the next
    wide = np.zeros((9, 3))
    wide[5] = [0.2, 0.3, 0.0]
    np.testing.assert_allclose(strip.shapes["wide"], wide, atol=1e-12)


@pytest.mark.parametrize("time", [0.0, 0.5, 0.9, 1.0])
def test_the_clip_bends_the_strip_as_by_hand(strip: Character, time: float) -> None:
    motion = strip.motions["bend"]
    assert (motion.fps, motion.frames, motion.scales) == (30.0, 31, None)
    np.testing.assert_allclose(blended(strip, motion.sample(time)), bent(90.0 * time), atol=1e-6)


def smiling(*, bends: bool = True, full: float = 100.0) -> bytes:
    """The strip with its shape blended in over the second, from 25 to 75 of a hundred."""
    curve = f"""
    AnimationCurveNode: 72, "AnimCurveNode::DeformPercent", "" {{
        Properties70:  {{
            P: "d|DeformPercent", "Number", "", "A",0
        }}
    }}
    AnimationCurve: 73, "AnimCurve::", "" {{
        KeyVer: 4008
        KeyTime: *2 {{
            a: 0,{fbx_files.SECOND}
        }}
        KeyValueFloat: *2 {{
            a: 25,75
        }}
        KeyAttrFlags: *1 {{
            a: 4
        }}
        KeyAttrDataFloat: *4 {{
            a: 0,0,0,0
        }}
        KeyAttrRefCount: *1 {{
            a: 2
        }}
    }}
}}
Connections:  {{
    C: "OO",72,61
    C: "OP",72,54, "DeformPercent"
    C: "OP",73,72, "d|DeformPercent"
""".encode()
    text = fbx_files.text().replace(b"}\nConnections:  {\n", curve, 1)
    text = text.replace(b"FullWeights: *1 {\n a: 100", f"FullWeights: *1 {{\n a: {full:g}".encode())
    return text if bends else text.replace(b'C: "OP",63,62, "d|Y"', b"")


@pytest.mark.parametrize("bends", [True, False])
@pytest.mark.parametrize("full", [100.0, 50.0])
def test_shapes_move_over_time(tmp_path: Path, strip: Character, bends: bool, full: float) -> None:
    moved = supple.load(saved(tmp_path, smiling(bends=bends, full=full)))
    motion = moved.motions["bend"]
    np.testing.assert_allclose(motion.shapes["wide"], np.linspace(0.25, 0.75, 31) * 100.0 / full, atol=1e-6)
    np.testing.assert_allclose(moved.shapes["wide"], strip.shapes["wide"], atol=1e-12)
    pose = motion.sample(1.0)
    np.testing.assert_allclose(blended(moved, pose), bent(90.0 if bends else 0.0), atol=1e-6)
    assert not strip.motions["bend"].shapes


def test_rest_is_where_the_skin_was_bound_not_where_the_file_opens(tmp_path: Path) -> None:
    opened = supple.load(saved(tmp_path, fbx_files.text(knee_opens_at=40.0, clip=False)))
    np.testing.assert_allclose(opened.points[:6], STRIP, atol=1e-12)
    (motion,) = opened.motions.values()
    assert motion.name == "default pose"
    np.testing.assert_allclose(blended(opened, motion.sample(0.0)), bent(40.0), atol=1e-6)


def test_skins_that_bind_a_bone_in_two_places_share_its_motion(tmp_path: Path) -> None:
    both = supple.load(saved(tmp_path, fbx_files.text(skinned_hat=True)))
    assert both.skeleton.names == ("hip", "knee", "knee.001")
    np.testing.assert_array_equal(both.skeleton.parents, [-1, 0, 1])
    np.testing.assert_allclose(both.points, np.concatenate([STRIP, HAT]), atol=1e-12)
    moved = blended(both, both.motions["bend"].sample(1.0))
    np.testing.assert_allclose(moved[:6], bent(90.0)[:6], atol=1e-6)
    # From the knee, corners two and three are at (30, 0, 100) and (20, 0, 110) cm; the turn takes z to x and x to -z.
    np.testing.assert_allclose(moved[6:], [[0, 2, 0], [1.0, 0.7, 0], [1.1, 0.8, 0]], atol=1e-6)


def test_a_clip_of_bones_alone_is_a_motion(tmp_path: Path, strip: Character) -> None:
    path = saved(tmp_path, fbx_files.text(mesh=False))
    motion = supple.load_motion(path)
    assert motion.name == "bend"
    assert motion.skeleton.names == ("hip", "knee")
    whole = strip.motions["bend"].sample(0.7).world_from_joint[:2]
    np.testing.assert_allclose(motion.sample(0.7).world_from_joint, whole, atol=1e-9)
    with pytest.raises(InputError, match=r"no mesh that is shown.*load_motion"):
        supple.load(path)


def test_a_file_that_does_not_move_is_no_motion(tmp_path: Path) -> None:
    path = saved(tmp_path, fbx_files.text(clip=False))
    assert not supple.load(path).motions
    with pytest.raises(InputError, match="holds no clip"):
        supple.load_motion(path)


def test_sums_of_weights_are_divided_out_as_the_format_has_it(tmp_path: Path, strip: Character) -> None:
    doubled = supple.load(saved(tmp_path, fbx_files.text(hip=(2, 2, 3, 3), knee=(3, 3, 0.1, 7))))
    np.testing.assert_allclose(doubled.weights.dense(3), strip.weights.dense(3), atol=1e-12)


def test_vertices_without_weights_ride_on_the_node_of_their_mesh(tmp_path: Path) -> None:
    path = saved(tmp_path, fbx_files.text(knee=(0.5, 0.5), knee_vertices=(2, 3)))
    with pytest.warns(SuppleWarning, match="2 vertices without weights ride on its node"):
        loose = supple.load(path)
    np.testing.assert_allclose(loose.points[:6], STRIP, atol=1e-12)
    moved = blended(loose, loose.motions["bend"].sample(1.0))
    np.testing.assert_allclose(moved[4:6], STRIP[4:6], atol=1e-9)
    np.testing.assert_allclose(moved[:4], bent(90.0)[:4], atol=1e-6)


def test_hidden_meshes_are_left_out_and_said(tmp_path: Path) -> None:
    path = saved(tmp_path, fbx_files.text(hidden_hat=True))
    with pytest.warns(SuppleWarning, match="'hat'.*hidden"):
        assert list(supple.load(path).parts) == ["strip"]


def test_points_split_by_seams_are_one_again(tmp_path: Path) -> None:
    points = fbx_files.POINTS + ", 0,0,50, 10,0,50"
    split = fbx_files.text(
        points=points, faces="0,1,3,-3, 6,7,5,-5", hip=(1, 1, 1, 1), knee=(1, 1), knee_vertices=(4, 5)
    )
    path = saved(tmp_path, split)
    with pytest.warns(SuppleWarning, match="2 vertices without weights"):
        apart_still = supple.load(path)  # the copies have other weights, so they are other points
    assert len(apart_still.vertices_of("strip")) == 8
    alike = fbx_files.text(
        points=points, faces="0,1,3,-3, 6,7,5,-5", hip=(1, 1, 0, 0), knee=(1,) * 6, knee_vertices=(2, 3, 4, 5, 6, 7)
    )
    welded = supple.load(saved(tmp_path, alike))
    np.testing.assert_allclose(welded.points[:6], STRIP, atol=1e-12)
    np.testing.assert_array_equal(welded.polygons[:2], [[0, 1, 3, 2], [2, 3, 5, 4]])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"knee": (-0.5, 0.5, 1.0, 1.0)}, "weights are negative"),
        ({"knee_vertices": (2, 3, 4, 99)}, "of no bone or vertex"),
        ({"knee_bind": "1,0,0,0, 0,1,0,0, 0,0,0,0, 0,0,-50,1"}, "cannot be inverted"),
    ],
)
def test_faults_are_refused_or_mended_and_said(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = saved(tmp_path, fbx_files.text(**changes))
    with pytest.raises(FormatError, match=rf"{said}.*repair=True"):
        supple.load(path)
    with pytest.warns(SuppleWarning, match=said):
        mended = supple.load(path, repair=True)
    assert np.isfinite(blended(mended, mended.motions["bend"].sample(0.5))).all()


def test_a_texture_coordinate_that_is_not_there_is_said(tmp_path: Path, strip: Character) -> None:
    path = saved(tmp_path, fbx_files.text(uv_rows="0,1,2,3,0,1,2,44"))
    with pytest.warns(SuppleWarning, match="ndex"):
        np.testing.assert_array_equal(supple.load(path).points, strip.points)


def test_a_face_of_points_that_are_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the reader says"):
        supple.load(saved(tmp_path, fbx_files.text(faces="0,1,3,-3, 2,3,77,-5")))


def test_points_that_are_not_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="strip"):
        supple.load(saved(tmp_path, fbx_files.text(points=fbx_files.POINTS.replace("150", "1e999"))))


# Whatever happens in the other process is one sentence here.


def test_without_the_library_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "ufbx" else real(name, *a))
    with pytest.raises(UnfinishedError, match=r"pip install 'supple\[fbx\]'.*Blender"):
        supple.load(saved(tmp_path, fbx_files.text()))


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import os; os.abort()", "the reader broke down"),
        ("raise SystemExit(0)", "the reader broke down"),
        ("import sys; open(sys.argv[2], 'wb').write(b'PK half')", "half an answer"),
        ("raise OSError('no room left')", "the reader broke down.*no room left"),
        ("while True: pass", "still busy with it when its time was up"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "its time was up"),
    ],
)
def test_a_reader_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str) -> None:
    begun = "import sys, pathlib; from supple.io.subprocess_reader import begin; begin(pathlib.Path(sys.argv[2]))\n"
    monkeypatch.setattr(isolated_reader, "PROGRAM", ("-c", begun + program))
    if "busy" in said:
        monkeypatch.setattr(sandbox, "wall_seconds_for", lambda size: 0.2)
    with pytest.raises(FormatError, match=said):
        supple.load(saved(tmp_path, fbx_files.text()))


def test_an_answer_out_of_proportion_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, fbx_files.text())
    monkeypatch.setattr(isolated_reader, "MEMORY", -sandbox.GROWTH * path.stat().st_size)
    with pytest.raises(FormatError, match="unfolds it to"):
        supple.load(path)


def record(name: bytes, *fields: bytes, inside: Sequence[Callable[[int], bytes]] = ()) -> Callable[[int], bytes]:
    """A record of a binary file, once it is known at which byte it starts."""

    def at(start: int) -> bytes:
        listed = b"".join(fields)
        content = name + listed
        for inner in inside:
            content += inner(start + 25 + len(content))
        content += bytes(25) if inside else b""
        return struct.pack("<QQQB", start + 25 + len(content), len(fields), len(listed), len(name)) + content

    return at


def packed(size: int) -> bytes:
    """A binary file with one triangle, after whose points come `size` bytes of zeros when they are unpacked."""

    def word(text: bytes) -> bytes:
        return b"S" + struct.pack("<I", len(text)) + text

    def number(value: int) -> bytes:
        return b"L" + struct.pack("<q", value)

    content = zlib.compress(struct.pack("<9d", 0, 0, 0, 1, 0, 0, 0, 1, 0) + bytes(size))
    points = b"d" + struct.pack("<III", 9 + size // 8, 1, len(content)) + content
    corners = b"i" + struct.pack("<IIIiii", 3, 0, 12, 0, 1, -3)
    mesh = [record(b"Vertices", points), record(b"PolygonVertexIndex", corners)]
    objects = [
        record(b"Geometry", number(10), word(b"g\0\1Geometry"), word(b"Mesh"), inside=mesh),
        record(b"Model", number(20), word(b"m\0\1Model"), word(b"Mesh")),
    ]
    links = [record(b"C", word(b"OO"), number(a), number(b)) for a, b in ((20, 0), (10, 20))]
    data = b"Kaydara FBX Binary  \x00\x1a\x00" + struct.pack("<I", 7500)
    for part in (record(b"Objects", inside=objects), record(b"Connections", inside=links)):
        data += part(len(data))
    return data + bytes(25)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
@pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")
def test_points_that_unpack_to_a_thousand_times_the_file_are_refused(tmp_path: Path) -> None:
    assert len(supple.load(saved(tmp_path, packed(240))).triangles) == 1
    with pytest.raises(FormatError, match=r"[mM]emory"):
        supple.load(saved(tmp_path, packed(400 << 20)))


def test_a_clip_without_end_is_sampled_coarsely(tmp_path: Path) -> None:
    endless = fbx_files.text().replace(f'"",{fbx_files.SECOND}'.encode(), f'"",{fbx_files.SECOND * 10**6}'.encode())
    with pytest.warns(SuppleWarning, match="is long, and sampled"):
        motion = supple.load(saved(tmp_path, endless)).motions["bend"]
    assert motion.duration == pytest.approx(1e6)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no FBX at all " * 50,
        b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",  # OBJ, which the library reads too
        b"Kaydara FBX Binary  \x00\x1a\x00\xe8\x1c\x00\x00" + bytes(range(256)) * 8,
        fbx_files.text()[:900],
    ],
    ids=["empty", "prose", "obj", "binary head", "cut"],
)
def test_files_that_are_no_fbx(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError, match=r"strip\.fbx"):
        supple.load(saved(tmp_path, data))


@pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")
@pytest.mark.parametrize("seed", range(16))
def test_mutated_files_load_or_are_refused(tmp_path: Path, seed: int) -> None:
    """Numbers, names and whole lines changed at random: a character or one sentence, never anything else."""
    random = np.random.default_rng(seed)
    lines = fbx_files.text().decode().splitlines()
    for _ in range(4):
        line = int(random.integers(6, len(lines)))
        kind = random.integers(4)
        if kind == 0:
            del lines[line]
        elif kind == 1:
            lines.insert(line, lines[int(random.integers(len(lines)))])
        else:
            digits = [position for position, letter in enumerate(lines[line]) if letter.isdigit()] or [0]
            position = int(random.choice(digits))
            value = str(random.choice(["-1", "1e30", "99999999", "0", "nan", "7", '"']))
            lines[line] = lines[line][:position] + value + lines[line][position + 1 :]
    told = None
    try:
        supple.load(saved(tmp_path, "\n".join(lines).encode()), repair=bool(seed % 2))
    except InputError as error:
        told = str(error)
    assert told is None or "strip.fbx" in told
