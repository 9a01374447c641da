"""Pictures: the camera by geometry, the renderer by laws, the shadow by its limits."""

from __future__ import annotations

import importlib
import itertools
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple import Pose, Skeleton
from supple.errors import InputError, UnfinishedError
from supple.geometry.normals import creases, normals
from supple.geometry.topology import signed_volume
from supple.obstacles import Box, Capsule, MovingMesh, Plane, Sphere
from supple.obstacles.things import thing_of
from supple.render import Camera, Renderer, contact_sheet, picture, save_picture
from supple.render.colors import RAMPS, map_colors
from supple.render.occlusion import ambient_visibility
from supple.render.quality import FILM, PICTURE
from supple.render.shading import Light, shade
from supple.render.shadow import ground_shadow, samples

SIZE = (96, 120)
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (0.0, 1.0) for z in (-0.5, 0.5)])
CUBE_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


@pytest.fixture(scope="module")
def renderer():
    with Renderer(CUBE, CUBE_FACES, size=SIZE) as made:
        yield made


def subject(image: np.ndarray) -> np.ndarray:
    """Pixels that are warm, as the clay is; paper and shadow are grey or blue."""
    return image[..., 0].astype(int) - image[..., 2] > 12


# Camera


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    wide=st.integers(50, 400),
    tall=st.integers(50, 400),
    margin=st.sampled_from([1.0, 1.08, 1.5]),
)
def test_framing_sees_every_point_and_no_more_than_needed(seed, wide, tall, margin):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(3, 20, 3)) * rng.uniform(0.1, 3.0, 3) + rng.normal(size=3) * 10.0
    direction = tuple(rng.normal(size=3) + np.array([0.0, 0.0, 2.0]))
    camera = Camera.framing(points, size=(wide, tall), direction=direction, margin=margin)
    pixels = camera.project(points, size=(wide, tall)).reshape(-1, 2)
    from_middle = np.abs(pixels / [wide, tall] - 0.5).max(axis=0) * 2.0
    assert from_middle.max() == pytest.approx(1.0 / margin, rel=1e-6)  # touches the margin in one direction


def test_framing_a_single_point_still_looks_at_it():
    camera = Camera.framing([[1.0, 2.0, 3.0]], size=SIZE)
    np.testing.assert_allclose(camera.target, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(camera.project([1.0, 2.0, 3.0], size=SIZE), [48.0, 60.0])


def test_the_axes_of_a_camera_are_right_handed_and_upright():
    right, up, back = Camera((3.0, 2.0, 5.0), (0.0, 1.0, 0.0)).axes
    np.testing.assert_allclose(np.stack([right, up, back]) @ np.stack([right, up, back]).T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.cross(right, up), back, atol=1e-12)
    assert right[1] == 0.0
    assert up[1] > 0.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: Camera((0.0, 5.0, 0.0), (0.0, 0.0, 0.0)),
        lambda: Camera((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
        lambda: Camera((0.0, 0.0, 5.0), (0.0, 0.0, 0.0), 0.0),
        lambda: Camera((0.0, np.nan, 5.0), (0.0, 0.0, 0.0)),
        lambda: Camera.framing(np.zeros((0, 3)), size=SIZE),
        lambda: Camera.framing([[0.0, np.inf, 0.0]], size=SIZE),
        lambda: Camera.framing(CUBE, size=SIZE, margin=0.0),
    ],
)
def test_cameras_that_see_nothing_are_refused(make):
    with pytest.raises(InputError):
        make()


# Renderer


def test_a_picture_shows_the_subject_where_the_camera_says(renderer):
    small = 0.2 * CUBE
    camera = Camera((0.3, 0.9, 6.0), (0.1, 0.5, 0.0))
    for offset in ([-0.5, 0.3, 0.0], [0.6, 0.9, 0.4]):
        image = renderer.draw(small + offset, camera=camera)
        assert image.shape == (SIZE[1], SIZE[0], 3)
        assert image.dtype == np.uint8
        seen = np.argwhere(subject(image))[:, ::-1] + 0.5
        corners = camera.project(small + offset, size=SIZE)
        np.testing.assert_allclose(seen.min(axis=0), corners.min(axis=0), atol=1.5)
        np.testing.assert_allclose(seen.max(axis=0), corners.max(axis=0), atol=1.5)


def test_without_a_camera_the_subject_is_framed(renderer):
    for points in (CUBE, 7.0 * CUBE + [100.0, 0.0, 30.0]):
        seen = np.argwhere(subject(renderer.draw(points)))
        middle = (seen.min(axis=0) + seen.max(axis=0)) / 2.0
        np.testing.assert_allclose(middle, [SIZE[1] / 2.0, SIZE[0] / 2.0], atol=3.0)
        assert np.ptp(seen[:, 1]) > 0.8 * SIZE[0]


def test_walking_along_with_the_camera_gives_the_same_picture(renderer):
    camera = Camera.framing(CUBE, size=SIZE, margin=1.6)
    offset = np.array([2.0, 0.0, 5.0])
    still = renderer.draw(CUBE, camera=camera).astype(int)
    moved = renderer.draw(CUBE + offset, camera=camera.moved(offset)).astype(int)
    assert np.abs(still - moved).max() <= 6  # places far from the origin round otherwise in single precision


def test_a_renderer_remembers_nothing(renderer):
    skeleton = Skeleton.from_heads(["root", "tip"], [-1, 0], [[0.0, 0.1, 0.0], [0.0, 0.9, 0.0]])
    plain = renderer.draw(CUBE)
    measure_vertices = renderer.draw(CUBE, values=CUBE[:, 1])
    boned = renderer.draw(CUBE, skeleton=(skeleton, Pose.rest(skeleton)))
    renderer.draw(3.0 * CUBE)
    assert np.abs(measure_vertices.astype(int) - plain).max() > 40
    assert np.abs(boned.astype(int) - plain).max() > 40
    np.testing.assert_array_equal(renderer.draw(CUBE), plain)


def test_creases_keep_a_cube_sharp():
    camera = Camera((0.0, 0.5, 4.0), (0.0, 0.5, 0.0))

    def spread(crease: float) -> float:
        """How uneven the front face is lit, away from its edges."""
        image = picture(CUBE, CUBE_FACES, size=SIZE, camera=camera, crease=crease, ground=False)
        return float(image[52:68, 40:56, 0].std())

    assert spread(math.pi / 3.0) < 2.0 < spread(math.pi)


def test_the_ground_is_drawn_only_when_asked_for():
    camera = Camera.framing(CUBE, size=SIZE, margin=2.0)
    grounded = picture(CUBE, CUBE_FACES, size=SIZE, camera=camera)
    floating = picture(CUBE, CUBE_FACES, size=SIZE, camera=camera, ground=False)
    darker = floating.astype(int).sum(axis=2) - grounded.astype(int).sum(axis=2)
    assert darker.max() > 60
    assert np.argwhere(darker > 30)[:, 0].mean() > SIZE[1] / 2.0  # below, where the cube stands


@pytest.mark.parametrize(
    "bad",
    [
        {"size": (0, 10)},
        {"color": "no such colour"},
        {"values": np.zeros(3)},
        {"points": np.full((8, 3), np.nan)},
        {"triangles": np.zeros((2, 4), dtype=int)},
        {"triangles": np.array([[0, 1, 8]])},
        {"triangles": np.array([[0, 1, -1]])},
        {"triangles": np.zeros((0, 3), dtype=int)},
        {"path": "picture.txt"},
    ],
)
def test_pictures_that_cannot_be_made_are_refused(bad, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = {"points": CUBE, "triangles": CUBE_FACES, "size": SIZE} | bad
    with pytest.raises(InputError):
        picture(arguments.pop("points"), arguments.pop("triangles"), **arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_mesh_without_area_is_a_picture_of_nothing():
    flat = np.linspace(0.0, 1.0, 3)[:, None] * np.ones(3)
    assert not subject(picture(flat, np.array([[0, 1, 2]]), size=SIZE)).any()


def test_other_points_than_the_mesh_has_are_refused(renderer):
    with pytest.raises(InputError, match="points has shape"):
        renderer.draw(CUBE[:5])


def test_making_a_picture_says_nothing_and_needs_no_display(tmp_path):
    code = (
        "import numpy as np, supple.render as r\n"
        "r.picture(np.eye(3), np.array([[0, 1, 2]]), size=(32, 32), path='one.png')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["one.png"]


def test_without_the_extra_a_sentence_says_how_to_get_it(monkeypatch):
    def absent(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(UnfinishedError, match=r"pyvista could not be loaded.*pip install 'supple\[render\]'"):
        picture(CUBE, CUBE_FACES)


# Colours


def test_ramps_run_from_their_first_colour_to_their_last():
    for name, stops in RAMPS.items():
        ends = map_colors([2.0, 5.0], count=2, ramp=name)
        assert [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in ends] == [stops[0], stops[-1]]
    inside = map_colors([-9.0, 0.0, 9.0], count=3, ramp="difference", limits=(-1.0, 1.0))
    assert [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in inside] == [RAMPS["difference"][i] for i in (0, 2, 4)]
    assert len(np.unique(map_colors(np.full(4, 3.0), count=4), axis=0)) == 1  # a constant has one colour


def test_colours_are_refused_for_other_counts_names_and_limits():
    for bad in ({"count": 2}, {"ramp": "rainbow"}, {"limits": (1.0, 0.0)}, {"limits": (0.0, math.nan)}):
        with pytest.raises(InputError):
            map_colors([0.0, 1.0, 2.0], **({"count": 3} | bad))


# Shadow


def shadow_of(points: np.ndarray, triangles: np.ndarray = CUBE_FACES) -> tuple[np.ndarray, np.ndarray, float]:
    where = samples(points, triangles)
    positions = where.at(points, triangles)
    return ground_shadow(positions, ground=0.0, toward_light=np.array([0.0, 1.0, 0.0]), height=1.0)


def test_the_shadow_is_darkest_under_the_subject_and_ends():
    dark, middle, side = shadow_of(CUBE + np.array([3.0, 0.0, -2.0]))
    assert dark.min() == pytest.approx(0.0, abs=1e-3)
    assert 0.0 <= dark.min() <= dark.max() < 1.0
    row, column = np.unravel_index(np.argmax(dark), dark.shape)
    position = middle + (np.array([column, row]) + 0.5 - len(dark) / 2.0) * side / len(dark)
    assert (np.abs(position - [3.0, -2.0]) < 0.5).all()
    np.testing.assert_allclose(np.r_[dark[0], dark[-1], dark[:, 0], dark[:, -1]], 0.0, atol=2e-3)


def test_the_shadow_fades_as_the_subject_rises():
    darkest = [float(shadow_of(0.2 * CUBE + [0.0, height, 0.0])[0].max()) for height in (0.0, 0.2, 0.6, 1.5)]
    assert all(low > high for low, high in itertools.pairwise(darkest))


def test_shadow_samples_lie_evenly_on_the_surface():
    where = samples(CUBE, CUBE_FACES)
    np.testing.assert_allclose(where.barycentric.sum(axis=1), 1.0)
    assert where.barycentric.min() >= 0.0
    counts = np.bincount(where.triangles, minlength=len(CUBE_FACES))
    assert np.ptp(counts) <= 2  # twelve triangles of one area
    for share in where.barycentric[where.triangles == 5].mean(axis=0):
        assert share == pytest.approx(1.0 / 3.0, abs=0.01)


# Occlusion


def seen_visibility(points: np.ndarray, triangles: np.ndarray, quality=PICTURE) -> np.ndarray:
    shared = creases(points, triangles)
    positions, facing = points[shared.vertex_of_normal], normals(points, shared)
    blockers = samples(points, triangles, count=quality.samples).at(points, triangles)
    return ambient_visibility(
        positions,
        facing,
        shared.normal_of_corner,
        blockers=blockers,
        height=1.0,
        directions=quality.directions,
        cells=quality.cells,
    )


@pytest.mark.parametrize("quality", [PICTURE, FILM])
def test_a_convex_body_is_open_everywhere(quality):
    np.testing.assert_allclose(seen_visibility(CUBE, CUBE_FACES, quality), 1.0, atol=0.02)


def test_a_film_looks_like_its_pictures():
    """The same light and shadow to within what an eye sees; the outline alone, one pixel wide, may differ more."""
    camera = Camera.framing(CUBE, size=SIZE, margin=1.6)
    seen = []
    for quality in (PICTURE, FILM):
        with Renderer(CUBE, CUBE_FACES, size=SIZE, quality=quality) as made:
            seen.append(made.draw(CUBE, camera=camera).astype(int))
    apart = np.abs(seen[0] - seen[1]).max(axis=2)
    assert apart.max() > 0
    assert np.percentile(apart, 97.0) <= 12


@pytest.mark.parametrize("seen_from", [(0.3, 0.2, 1.0), (-1.0, 0.5, -0.4)])
def test_light_at_vertices_looks_like_light_in_every_pixel(seen_from):
    """A fine ball, half of it turned away from each light: the same colours to within two of 255 almost everywhere."""
    ball = thing_of(Sphere(radius=0.5))
    camera = Camera.framing(ball.points, size=SIZE, direction=seen_from, margin=1.3)
    seen = []
    for quality in (replace(FILM, vertex_light=False), FILM):
        with Renderer(ball.points, ball.triangles, size=SIZE, quality=quality) as made:
            seen.append(made.draw(ball.points, camera=camera).astype(int))
    assert subject(seen[0]).sum() > 2000
    apart = np.abs(seen[0] - seen[1]).max(axis=2)
    assert apart.max() > 0  # it was worked out in another way
    assert np.percentile(apart[subject(seen[0])], 95.0) <= 2
    assert np.ptp(seen[1][subject(seen[1])].sum(axis=1)) > 150  # there is light and shade to agree on


def test_light_from_behind_leaves_black_and_more_light_is_brighter():
    points, normals_, white = np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]), np.ones((1, 3))

    def seen(toward: tuple[float, float, float], strength: float) -> int:
        light = Light(np.array(toward), np.full(3, strength))
        return int(shade(points, normals_, white, eye=(0.0, 0.0, 5.0), lights=[light], roughness=0.5)[0, 0])

    assert seen((0.0, 0.0, -1.0), 1.0) <= 2
    assert seen((0.0, 0.0, 1.0), 0.5) < seen((0.0, 0.0, 1.0), 1.0) < 255
    # Of a white matt wall lit straight on by a lamp of strength pi, 1 - 0.04 comes back, and some gloss.
    assert seen((0.0, 0.0, 1.0), math.pi) == 255


def test_a_wall_closes_as_much_as_the_integral_says():
    """A cube beside a large wall. With the wall at distance g, a direction at angle t to the normal meets it after
    g / cos t, so the share it closes is the integral of 2 c max(1 - 3 g / c, 0) over c = cos t from 0 to 1."""
    gap = 0.25
    wall = np.array([[0.5 + gap, y, z] for y in (-1.0, 2.0) for z in (-1.5, 1.5)])
    points = np.concatenate([CUBE, wall])
    triangles = np.concatenate([CUBE_FACES, 8 + np.array([[0, 1, 3], [0, 3, 2]])])
    shared = creases(points, triangles)
    share, side = seen_visibility(points, triangles), normals(points, shared)[:, 0]
    of_cube = shared.vertex_of_normal < 8
    # Places are looked at from a little above the surface: somewhere between 0 and 0.06 here.
    least, most = ((1.0 - (1.0 - 3.0 * g) ** 2) for g in (gap - 0.06, gap))
    assert least - 0.04 < share[of_cube & (side > 0.9)].min()
    assert share[of_cube & (side > 0.9)].max() < most + 0.04
    np.testing.assert_allclose(share[of_cube & (side < -0.9)], 1.0, atol=0.02)


# Things beside it


@pytest.mark.parametrize(
    ("body", "volume"),
    [
        (Sphere(radius=0.4), 4.0 / 3.0 * math.pi * 0.4**3),
        (Capsule(radius=0.2, length=1.0), 4.0 / 3.0 * math.pi * 0.2**3 + math.pi * 0.2**2),
        (Box(sides=(0.2, 0.5, 1.0)), 0.1),
        (MovingMesh(points=CUBE, triangles=CUBE_FACES), 1.0),
    ],
)
def test_meshes_of_bodies_are_as_large_as_they_are(body, volume):
    thing = thing_of(body)
    assert signed_volume(thing.points, thing.triangles) == pytest.approx(volume, rel=0.02)
    low, high = body.extent
    np.testing.assert_allclose([thing.points.min(axis=0), thing.points.max(axis=0)], [low, high], atol=2e-3)


def test_a_floor_is_no_thing():
    assert thing_of(Plane()) is None


def test_a_thing_is_drawn_where_it_stands_throws_a_shadow_and_goes_again(renderer):
    camera = Camera.framing(CUBE, size=SIZE, margin=3.0)
    matrix = np.eye(4)
    matrix[:3, 3] = 1.1, 0.4, 0.0
    ball = thing_of(Sphere(radius=0.3))
    alone, beside = (renderer.draw(CUBE, camera=camera, things=things) for things in ((), [(ball, matrix)]))
    across, down = camera.project(matrix[:3, 3], size=SIZE).astype(int)
    changed = np.abs(alone.astype(int) - beside).max(axis=2) > 8
    assert changed[down, across]
    below = camera.project([1.1, 0.0, 0.0], size=SIZE).astype(int)
    assert beside[below[1] + 1, below[0]].sum() < alone[below[1] + 1, below[0]].sum() - 20
    np.testing.assert_array_equal(renderer.draw(CUBE, camera=camera), alone)


# Sheets and files


def test_a_contact_sheet_holds_its_pictures_as_they_are():
    pictures = [
        [np.full((40, 30, 3), 10 * (3 * row + column), dtype=np.uint8) for column in range(3)] for row in (0, 1)
    ]
    sheet = contact_sheet(pictures)
    assert sheet.shape == (80, 90, 3)
    np.testing.assert_array_equal(sheet, np.concatenate([np.concatenate(row, axis=1) for row in pictures]))
    full = contact_sheet(pictures, labels=["one", "two"], captions=["a", "b", "c"], title="both")
    assert full.shape[0] > 80
    assert full.shape[1] == 90


def test_labels_are_written():
    blank = [[np.full((60, 80, 3), 255, dtype=np.uint8)]]
    labelled = contact_sheet(blank, labels=["linear blend"])
    assert contact_sheet(blank).min() == 255
    assert labelled[: len(labelled) - 60].min() < 120
    assert labelled[-60:].min() == 255


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ([], {}),
        ([[]], {}),
        ([[np.zeros((4, 4, 3), np.uint8), np.zeros((5, 4, 3), np.uint8)]], {}),
        ([[np.zeros((4, 4, 3), np.uint8)]], {"labels": ["a", "b"]}),
        ([[np.zeros((4, 4, 3), np.uint8)]], {"captions": ["a", "b"]}),
    ],
)
def test_sheets_that_do_not_fit_are_refused(rows, options):
    with pytest.raises(InputError):
        contact_sheet(rows, **options)


def test_a_saved_picture_is_the_picture(tmp_path):
    from PIL import Image

    image = np.random.default_rng(1).integers(0, 255, (20, 30, 3), dtype=np.uint8)
    save_picture(image, tmp_path / "new" / "a.png")
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "new" / "a.png")), image)


def test_a_picture_that_fails_to_save_leaves_the_old_one(tmp_path, monkeypatch):
    from PIL import Image

    target = tmp_path / "a.png"
    save_picture(np.zeros((4, 4, 3), dtype=np.uint8), target)
    before = target.read_bytes()

    def breaks(self: object, path: object, **options: object) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", breaks)
    with pytest.raises(OSError, match="No space left"):
        save_picture(np.ones((4, 4, 3), dtype=np.uint8), target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    assert target.read_bytes() == before
