"""Views: where places are seen, and where what is seen is."""

import numpy as np
import pytest

from conftest import make_tube
from supple.edits import outline
from supple.edits.strokes import SurfaceStroke, View, depth_buffer, id_buffer, pick
from supple.errors import InputError

TUBE = make_tube(rings=21, sectors=14)
SIZE = (200, 160)


def look_at(position, target, up):
    """The rigid matrix from the world to an eye that looks along its own -z."""
    back = np.subtract(position, target) / np.linalg.norm(np.subtract(position, target))
    right = np.cross(up, back) / np.linalg.norm(np.cross(up, back))
    matrix = np.eye(4)
    matrix[:3, :3] = right, np.cross(back, right), back
    matrix[:3, 3] = -matrix[:3, :3] @ position
    return matrix


def frustum(left, right, bottom, top, *, near=0.1, far=100.0):
    """A perspective projection as OpenGL has it."""
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[0, 2] = 2 * near / (right - left), (right + left) / (right - left)
    matrix[1, 1], matrix[1, 2] = 2 * near / (top - bottom), (top + bottom) / (top - bottom)
    matrix[2, 2:] = -(far + near) / (far - near), -2 * far * near / (far - near)
    matrix[3, 2] = -1.0
    return matrix


def parallel(half_width, half_height, *, shift=0.0):
    """A projection with parallel rays as OpenGL has it."""
    matrix = np.diag([1 / half_width, 1 / half_height, -0.01, 1.0])
    matrix[0, 3] = shift
    return matrix


EYE = look_at((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), (0.2, 1.0, 0.1))
VIEWS = {
    "perspective": View((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), 0.5, SIZE),
    "rolled": View((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), 0.5, SIZE, up=(1.0, 0.3, 0.0)),
    "straight down": View((0.0, 6.0, 0.0), (0.0, 0.0, 0.0), 0.5, SIZE),
    "straight up": View((0.0, -6.0, 0.0), (0.0, 0.0, 0.0), 0.5, SIZE),
    "orthographic": View.orthographic((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), height=3.0, size=SIZE),
    "from above": View.orthographic((0.0, 5.0, 0.0), (0.0, 1.0, 0.0), height=3.0, size=SIZE),
    "matrices": View.from_matrices(EYE, frustum(-0.03, 0.03, -0.024, 0.024), SIZE),
    "headset": View.from_matrices(EYE, frustum(-0.02, 0.05, -0.03, 0.018), SIZE),
    "parallel matrices": View.from_matrices(EYE, parallel(2.0, 1.6, shift=0.3), SIZE),
}


@pytest.fixture(params=VIEWS.values(), ids=VIEWS)
def view(request):
    return request.param


def test_what_is_projected_comes_back(view):
    pixels, depths = view.project(TUBE.points)
    assert np.ptp(pixels, axis=0).min() > 10.0
    np.testing.assert_allclose(view.unproject(pixels, depths), TUBE.points, atol=1e-12)
    back, again = view.project(view.unproject(pixels, depths))
    np.testing.assert_allclose(back, pixels, atol=1e-9)
    np.testing.assert_allclose(again, depths, atol=1e-12)


def test_rays_go_through_what_is_seen(view):
    pixels, _ = view.project(TUBE.points)
    away = TUBE.points - view.origins(pixels)
    rays = view.rays(pixels)
    along = np.einsum("ni,ni->n", away, rays)
    assert (along > 0.0).all()
    np.testing.assert_allclose(along[:, None] * rays, away, atol=1e-11)
    towards = view.towards_eye(TUBE.points)
    np.testing.assert_allclose(np.cross(towards, rays), 0.0, atol=1e-10)
    assert (np.einsum("ni,ni->n", towards, rays) < 0.0).all()


def test_axes_are_right_handed_and_look_ahead(view):
    right, up, back = view.axes
    np.testing.assert_allclose(np.stack([right, up, back]) @ np.stack([right, up, back]).T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.cross(right, up), back, atol=1e-12)
    ahead = np.subtract(view.target, view.position) / np.linalg.norm(np.subtract(view.target, view.position))
    np.testing.assert_allclose(ahead, -back, atol=1e-12)


def test_the_plane_facing_the_viewer_is_met(view):
    pixels = [[90.0, 70.0], [110.0, 90.0]]
    places = view.on_plane(pixels, [0.0, 1.0, 0.0])
    np.testing.assert_allclose(view.project(places)[0], pixels, atol=1e-8)
    np.testing.assert_allclose((places - [0.0, 1.0, 0.0]) @ view.axes[2], 0.0, atol=1e-12)


def test_pictures_show_what_rays_meet(view):
    ids, depths = (draw(TUBE.points, TUBE.triangles, view) for draw in (id_buffer, depth_buffer))
    rows, columns = np.mgrid[0 : SIZE[1] : 7, 0 : SIZE[0] : 7]
    middles = np.stack([columns.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
    met = pick(TUBE.points, TUBE.triangles, view, pixels=middles)
    assert met.hit.sum() > 5
    assert (met.triangles == ids[rows.ravel(), columns.ravel()]).mean() > 0.99
    corners = TUBE.points[TUBE.triangles[met.triangles[met.hit]]]
    places = np.einsum("nc,nci->ni", met.barycentric[met.hit], corners)
    seen = depths[rows.ravel(), columns.ravel()][met.hit]
    np.testing.assert_allclose(view.project(places)[1][np.isfinite(seen)], seen[np.isfinite(seen)], atol=1e-6)


def test_matrices_say_what_a_view_says():
    plain = View((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), 0.5, SIZE)
    top = 0.1 * np.tan(0.25)
    eye = look_at(plain.position, plain.target, (0.0, 1.0, 0.0))
    other = View.from_matrices(eye, frustum(-1.25 * top, 1.25 * top, -top, top), SIZE)
    for one, two in zip(plain.project(TUBE.points), other.project(TUBE.points), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-9)
    assert other.view_angle == pytest.approx(0.5)
    np.testing.assert_allclose(other.position, plain.position, atol=1e-12)
    # And what a graphics program says: clip coordinates over w, -1 to 1.
    lopsided = frustum(-0.02, 0.05, -0.03, 0.018)
    clip = np.c_[TUBE.points, np.ones(len(TUBE.points))] @ (lopsided @ eye).T
    device = clip[:, :2] / clip[:, 3:]
    pixels = np.stack([(1 + device[:, 0]) * SIZE[0] / 2, (1 - device[:, 1]) * SIZE[1] / 2], axis=1)
    np.testing.assert_allclose(View.from_matrices(eye, lopsided, SIZE).project(TUBE.points)[0], pixels, atol=1e-9)


def test_straight_down_has_the_front_below():
    down = VIEWS["straight down"]
    assert down.project([0.0, 0.0, 1.0])[0][1] > down.project([0.0, 0.0, 0.0])[0][1]
    assert down.project([1.0, 0.0, 0.0])[0][0] > down.project([0.0, 0.0, 0.0])[0][0]
    up = VIEWS["straight up"]
    assert up.project([0.0, 0.0, 1.0])[0][1] < up.project([0.0, 0.0, 0.0])[0][1]


def test_parallel_rays_see_the_silhouette_and_take_strokes():
    view = View.orthographic((0.0, 1.0, 5.0), (0.0, 1.0, 0.0), height=3.0, size=SIZE)
    edges = outline(TUBE.points, TUBE.triangles, view)
    sides = np.abs(TUBE.points[edges].mean(axis=1)[:, 0])
    assert np.median(sides) == pytest.approx(np.abs(TUBE.points[:, 0]).max(), rel=0.05)
    stroke = SurfaceStroke.drawn(TUBE.points, TUBE.triangles, view, pixels=[[100.0, 60.0], [100.0, 100.0]])
    assert (stroke.positions(TUBE.points, TUBE.triangles)[:, 2] > 0.0).all()


def skewed(matrix, row, column, value):
    changed = matrix.copy()
    changed[row, column] = value
    return changed


@pytest.mark.parametrize(
    ("eye", "projection", "message"),
    [
        (2.0 * EYE, parallel(1.0, 1.0), "rigid"),
        (np.diag([-1.0, 1.0, 1.0, 1.0]), parallel(1.0, 1.0), "rigid"),
        (EYE, skewed(frustum(-1, 1, -1, 1), 3, 2, 1.0), "last row"),
        (EYE, skewed(frustum(-1, 1, -1, 1), 3, 0, 0.5), "last row"),
        (EYE, frustum(-1, 1, -1, 1).T, "last row"),
        (EYE, skewed(parallel(1.0, 1.0), 0, 0, 0.0), "flat"),
        (EYE, np.full((4, 4), np.nan), "finite"),
        (np.eye(3), parallel(1.0, 1.0), "shape"),
    ],
)
def test_strange_matrices_are_refused(eye, projection, message):
    with pytest.raises(InputError, match=message):
        View.from_matrices(eye, projection, SIZE)


def test_strange_heights_and_directions_are_refused():
    with pytest.raises(InputError, match="height"):
        View.orthographic((0, 0, 5), (0, 0, 0), height=0.0, size=SIZE)
    with pytest.raises(InputError, match="up"):
        View((0, 0, 5), (0, 0, 0), 0.5, SIZE, up=(0, 0, 0))
