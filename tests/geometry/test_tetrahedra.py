"""Any character can be filled with tetrahedra that are worth simulating."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple.errors import InputError
from supple.geometry import topology
from supple.geometry.tetrahedra import (
    Tetrahedra,
    boundary_faces,
    carving,
    dihedral_angles,
    edges_of,
    fill,
    fill_with_tetwild,
    volumes,
)
from supple.geometry.tetrahedra.lattice import DIRECTIONS, ELEMENTS, STEPS
from supple.geometry.tetrahedra.solid import Solid
from supple.geometry.tetrahedra.thin import ThinParts, nearest_nodes

LEAST_ANGLE = 9.3  # degrees: what the stencils promise


def ball(radius=1.0, middle=(0.0, 0.0, 0.0), rings=24):
    """A sphere of quads cut into triangles, closed by fans at the poles."""
    polar = np.linspace(0.0, np.pi, rings + 1)[1:-1]
    around = np.arange(2 * rings) * np.pi / rings
    ring = np.stack(
        [
            np.outer(np.sin(polar), np.cos(around)),
            np.outer(np.sin(polar), np.sin(around)),
            np.outer(np.cos(polar), np.ones(2 * rings)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    points = np.concatenate([ring, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    wide, last = 2 * rings, len(ring)
    faces = []
    for k in range(wide):
        after = (k + 1) % wide
        faces += [(last, k, after), (last + 1, last - wide + after, last - wide + k)]
        for r in range(rings - 2):
            a, b, c, d = r * wide + k, (r + 1) * wide + k, (r + 1) * wide + after, r * wide + after
            faces += [(a, b, c), (a, c, d)]
    return radius * points + np.asarray(middle), np.array(faces, dtype=np.int32)


def box(low, high):
    """A box of twelve triangles."""
    corner = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.asarray(low) + corner * (np.asarray(high) - np.asarray(low)), topology.triangulate(np.array(quads))


def together(*meshes):
    points, faces, start = [], [], 0
    for some, triangles in meshes:
        points.append(some)
        faces.append(triangles + start)
        start += len(some)
    return np.concatenate(points), np.concatenate(faces)


def pieces(body):
    """How many pieces hang together by edges."""
    return len(np.unique(topology.shells(edges_as_faces(body), len(body.points))))


def edges_as_faces(body):
    edges = edges_of(body)
    return np.concatenate([edges, edges[:, :1]], axis=1)


def check_laws(body, count=None):
    assert volumes(body).min() > 0.0
    assert np.degrees(dihedral_angles(body).min()) >= LEAST_ANGLE
    assert len(np.unique(body.corners)) == len(body.points)  # every point is used
    skin = boundary_faces(body)
    census = topology.census(skin)
    assert census.border_edges == 0
    assert topology.signed_volume(body.points, skin) == pytest.approx(volumes(body).sum(), rel=1e-9)
    if count is not None:
        assert abs(len(body.corners) - count) <= 0.05 * count


# ---- what a body of tetrahedra is


def unit_element():
    return Tetrahedra(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 1, 2, 3]]))


def test_measures_of_one_element():
    one = unit_element()
    assert volumes(one) == pytest.approx([1.0 / 6.0])
    right, slanted = np.pi / 2, np.arccos(1.0 / np.sqrt(3.0))
    assert dihedral_angles(one)[0] == pytest.approx([right] * 3 + [slanted] * 3)
    assert len(edges_of(one)) == 6
    skin = boundary_faces(one)
    outward = topology.area_vectors(one.points, skin)
    away = one.points[skin].mean(axis=1) - one.points.mean(axis=0)
    assert len(skin) == 4
    assert (np.einsum("ij,ij->i", outward, away) > 0.0).all()
    assert volumes(one, one.points * [1.0, 1.0, -2.0]) == pytest.approx([-1.0 / 3.0])


def test_two_elements_share_a_face():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    pair = Tetrahedra(points, np.array([[0, 1, 2, 3], [4, 2, 1, 3]]))
    assert len(boundary_faces(pair)) == 6
    assert len(edges_of(pair)) == 9


@pytest.mark.parametrize(
    ("corners", "said"),
    [([[0, 1, 3, 2]], "inside out"), ([[0, 1, 2, 2]], "flat"), ([[0, 1, 2, 4]], "points"), ([[-1, 1, 2, 3]], "points")],
)
def test_elements_that_are_none_are_refused(corners, said):
    with pytest.raises(InputError, match=said):
        Tetrahedra(unit_element().points, np.array(corners))


# ---- the lattice and its stencils


def test_lattice_elements_are_all_alike():
    corners = ELEMENTS.reshape(-1, 3).astype(float)
    all_of_them = Tetrahedra(corners, np.arange(48).reshape(12, 4))
    assert volumes(all_of_them) == pytest.approx(np.full(12, 8.0 / 12.0))
    assert np.degrees(dihedral_angles(all_of_them)) == pytest.approx(np.tile([90.0, 60, 60, 60, 60, 90], (12, 1)))
    for kind in range(12):
        for a in range(4):
            for b in range(4):
                if a != b:
                    assert (ELEMENTS[kind, a] + STEPS[DIRECTIONS[kind, a, b]] == ELEMENTS[kind, b]).all()


def test_nearest_node_is_the_nearest():
    rng = np.random.default_rng(3)
    positions = rng.uniform(-2.0, 2.0, (300, 3))
    steps = np.arange(-4, 5)
    every = np.array([(x, y, z) for x in steps for y in steps for z in steps if x % 2 == y % 2 == z % 2])
    distance = np.linalg.norm(positions[:, None] - every, axis=2)
    assert np.linalg.norm(positions - nearest_nodes(positions), axis=1) == pytest.approx(distance.min(axis=1))


class AnyBody:
    """No body at all: what is inside, and where edges are cut, is thrown with dice, often at the limits."""

    def __init__(self, seed, blocked):
        self.dice = np.random.default_rng(seed)
        self.points = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
        self.share = self.dice.uniform(0.1, 0.9)
        self.blocked = blocked

    def distance(self, positions):
        return np.zeros(len(positions))

    def clear(self, positions):
        return np.zeros(len(positions), dtype=bool), np.zeros(len(positions), dtype=bool)

    def inside(self, positions):
        return self.dice.uniform(size=len(positions)) < self.share

    def _cuts(self, count):
        limits = np.array([0.25, 0.412])
        extreme = np.concatenate([limits - 2e-5, limits + 2e-5, 1 - limits - 2e-5, 1 - limits + 2e-5, [1e-9, 1 - 1e-9]])
        anywhere = self.dice.uniform(size=count)
        return np.where(self.dice.uniform(size=count) < 0.7, self.dice.choice(extreme, size=count), anywhere)

    def first_exits(self, starts, directions):
        return np.where(self.dice.uniform(size=len(starts)) < self.blocked, self._cuts(len(starts)), np.inf)

    def exits_through_holes(self, starts, directions):
        return self._cuts(len(starts))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.5]))
def test_no_skin_can_make_a_thin_element(seed, blocked):
    points, corners = carving.carve(AnyBody(seed, blocked), 0.4)
    if len(corners):
        check_laws(carving_as_body(points, corners))


def carving_as_body(points, corners):
    used, compact = np.unique(corners, return_inverse=True)
    return Tetrahedra(points[used], compact.reshape(-1, 4))


# ---- characters


@pytest.mark.parametrize(
    ("name", "count"), [("hero", 2000), ("hero", 5000), ("octopus", 8000), ("quadruped", 5000), ("tube", 1000)]
)
def test_built_in_characters(name, count):
    character = supple.character(name)
    body = fill(character.points, character.triangles, count=count)
    check_laws(body, count)
    assert pieces(body) == 1  # no limb has come off


@pytest.mark.parametrize(
    "name",
    [
        "human_cmu_8clips",
        "human-m2m-12clips",
        "human-bunny",
        "horse-animations",
        "snake-animations",
        "CesiumMan",
        "Fox",
    ],
)
def test_real_characters(name, data_file):
    character = supple.load(data_file(f"gltf/{name}.glb"))
    check_laws(fill(character.points, character.triangles, count=5000), 5000)


def test_volume_of_a_fine_filling_is_that_of_the_surface():
    hero = supple.character("hero")
    volume = topology.signed_volume(hero.points, hero.triangles)
    body = fill(hero.points, hero.triangles, count=60_000)
    check_laws(body, 60_000)
    assert volumes(body).sum() == pytest.approx(volume, rel=0.02)
    points, triangles = ball()
    body = fill(points, triangles, count=20_000)
    assert volumes(body).sum() == pytest.approx(topology.signed_volume(points, triangles), rel=0.02)


def test_boundary_points_lie_on_the_skin():
    points, triangles = ball(rings=40)
    body = fill(points, triangles, count=6000)
    at_skin = np.linalg.norm(body.points[np.unique(boundary_faces(body))], axis=1)
    assert np.abs(at_skin - 1.0).max() < 0.01


def test_the_same_surface_gives_the_same_body():
    tube = supple.character("tube")
    one = fill(tube.points, tube.triangles, count=3000)
    two = fill(tube.points, tube.triangles, count=3000)
    assert np.array_equal(one.points, two.points)
    assert np.array_equal(one.corners, two.corners)


def test_neighbours_have_near_numbers():
    hero = supple.character("hero")
    body = fill(hero.points, hero.triangles, count=5000)
    apart = np.abs(np.diff(edges_of(body).astype(int), axis=1))
    assert apart.max() < 0.15 * len(body.points)
    assert (np.diff(body.corners[:, 0]) >= 0).all()
    assert (body.corners[:, 0] == body.corners.min(axis=1)).all()


# ---- parts that are near each other


@pytest.mark.parametrize("gap", [0.2, 0.03, 0.004])
def test_air_between_two_parts_is_no_tissue(gap):
    points, triangles = together(box((0, 0, 0), (1, 1, 1)), box((1 + gap, 0, 0), (2 + gap, 1, 1)))
    body = fill(points, triangles, count=3000)
    check_laws(body, 3000)
    assert pieces(body) == 2
    middles = body.points[body.corners].mean(axis=1)
    left = middles[:, 0] < 1 + 0.5 * gap
    sides = body.points[body.corners][:, :, 0]
    assert sides[left].max() <= 1.0 + 1e-6
    assert sides[~left].min() >= 1.0 + gap - 1e-6
    assert volumes(body)[left].sum() == pytest.approx(1.0, rel=0.06)


def test_legs_are_joined_at_the_hips_only():
    """A body with a slit: the legs stay apart up to where the slit ends."""
    gap = 0.01
    outline = np.array(
        [
            (0, 0),
            (0.5 - gap, 0),
            (0.5 - gap, 1),
            (0.5 + gap, 1),
            (0.5 + gap, 0),
            (1, 0),
            (1, 1),
            (1, 2),
            (0, 2),
            (0, 1),
        ],
        dtype=float,
    )
    cut = [(0, 1, 2), (0, 2, 9), (4, 5, 6), (4, 6, 3), (9, 2, 8), (2, 3, 7), (2, 7, 8), (3, 6, 7)]
    back, front = np.c_[outline, np.zeros(10)], np.c_[outline, np.full(10, 0.6)]
    sides = [((k + 1) % 10, k, k + 10) for k in range(10)] + [
        ((k + 1) % 10, k + 10, (k + 1) % 10 + 10) for k in range(10)
    ]
    faces = [(a, c, b) for a, b, c in cut] + [(a + 10, b + 10, c + 10) for a, b, c in cut]
    faces += [(b, a, c) for a, b, c in sides]
    points, triangles = np.concatenate([back, front]), np.array(faces)
    assert topology.census(triangles).is_closed
    body = fill(points, triangles, count=4000)
    check_laws(body, 4000)
    ends = body.points[edges_of(body)]
    low = (ends[:, :, 1] < 0.9).all(axis=1)
    across = (ends[:, :, 0].min(axis=1) < 0.5) & (ends[:, :, 0].max(axis=1) > 0.5)
    assert not (low & across).any()
    assert pieces(body) == 1


def test_a_thin_limb_is_kept_or_left_out_as_asked():
    """A rod between the nodes of the lattice, thinner than an element, that leaves a ball."""
    body = Solid(*together(ball(0.5), box((0.4, 0.01, -0.04), (1.6, 0.09, 0.04))), "here")
    kept = carving_as_body(*carving.carve(body, 0.2, thin=ThinParts.from_body(body)))
    gone = carving_as_body(*carving.carve(body, 0.2))
    check_laws(kept)
    check_laws(gone)
    assert kept.points[:, 0].max() > 1.5
    assert gone.points[:, 0].max() < 0.7


def test_thickness_of_a_plate():
    thin = ThinParts.from_body(Solid(*box((0, 0, 0), (1, 1, 0.1)), "here"))
    across = thin.thickness < 0.5  # the rest looks in at the rim
    assert 20_000 <= len(across) < 21_000
    assert across.mean() == pytest.approx(2.0 / 2.4, rel=0.01)  # as many for equal areas
    assert thin.thickness[across] == pytest.approx(np.full(across.sum(), 0.1), rel=0.01)
    assert thin.middles[across, 2] == pytest.approx(np.full(across.sum(), 0.05), rel=0.01)


# ---- surfaces in a bad state


def dirty(kind):
    points, triangles = ball(rings=16)
    rng = np.random.default_rng(5)
    if kind == "holes":
        return points, triangles[np.linalg.norm(points[triangles].mean(axis=1) - [0, 0, 1.0], axis=1) > 0.4]
    if kind == "sieve":
        return points, triangles[rng.uniform(size=len(triangles)) > 0.1]
    if kind == "inside out":
        return points, triangles[:, ::-1]
    if kind == "some turned over":
        over = rng.uniform(size=len(triangles)) < 0.3
        return points, np.where(over[:, None], triangles[:, ::-1], triangles)
    if kind == "unwelded":
        return points[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    if kind == "twice":
        return together((points, triangles), (points, triangles))
    if kind == "crumbs":
        far = len(points)
        crumbs = np.array([[0, 0, 1], [5, 5, 5], [far, far, far], [0, 1, 0]])
        return np.concatenate([points, [[50.0, 0, 0]]]), np.concatenate([triangles, crumbs])
    if kind == "soup":
        shells = [ball(0.15, middle, 6) for middle in rng.normal(size=(60, 3)) * 0.5]
        return together((points, triangles), *shells)
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["holes", "sieve", "inside out", "some turned over", "unwelded", "twice", "crumbs"])
def test_a_bad_surface_is_filled_like_a_good_one(kind):
    body = fill(*dirty(kind), count=3000)
    check_laws(body, 3000)
    share = {"holes": 0.12, "sieve": 0.12}.get(kind, 0.05)
    assert volumes(body).sum() == pytest.approx(4.0 / 3.0 * np.pi, rel=share)
    assert np.linalg.norm(body.points, axis=1).max() < 1.1


def test_many_shells_that_cross_are_one_body():
    points, triangles = dirty("soup")
    body = fill(points, triangles, count=6000)
    check_laws(body, 6000)
    assert volumes(body).sum() > 0.93 * 4.0 / 3.0 * np.pi


def test_two_bodies_stay_two():
    body = fill(*together(ball(1.0), ball(0.5, (3.0, 0, 0))), count=4000)
    check_laws(body, 4000)
    assert pieces(body) == 2


@pytest.mark.parametrize("size", [1e-4, 1e4])
def test_size_and_place_do_not_matter(size):
    points, triangles = ball(rings=12)
    plain = fill(points, triangles, count=2000)
    other = fill(points * size + 100.0 * size, triangles, count=2000)
    assert len(other.corners) == len(plain.corners)
    assert volumes(other).sum() == pytest.approx(volumes(plain).sum() * size**3, rel=1e-6)


@pytest.mark.parametrize(
    ("points", "triangles", "said"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3), dtype=int), "0 points"),
        (np.zeros((3, 3)), np.array([[0, 1, 2]]), "lost its area"),
        (np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]), "encloses nothing"),
        (np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, np.nan]]), np.array([[0, 1, 2]]), "finite"),
        (np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 3]]), "points 0 to 2"),
        (np.zeros((3, 2)), np.array([[0, 1, 2]]), "shape"),
    ],
)
def test_what_cannot_be_filled_is_said(points, triangles, said):
    with pytest.raises(InputError, match=said):
        fill(points, triangles, count=500)


def test_a_flat_sheet_is_refused():
    side = np.linspace(0.0, 1.0, 12)
    points = np.array([(x, y, 0.0) for x in side for y in side])
    faces = [(12 * i + j, 12 * i + j + 12, 12 * i + j + 13) for i in range(11) for j in range(11)]
    faces += [(12 * i + j, 12 * i + j + 13, 12 * i + j + 1) for i in range(11) for j in range(11)]
    with pytest.raises(InputError, match="encloses nothing"):
        fill(points, np.array(faces), count=1000)


@pytest.mark.parametrize("count", [0, 49, 10**9])
def test_counts_out_of_reach_are_refused(count):
    with pytest.raises(InputError, match="count"):
        fill(*ball(rings=6), count=count)


# ---- the optional mesher


def test_tetwild_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytetwild", None)
    with pytest.raises(InputError, match="pip install pytetwild"):
        fill_with_tetwild(*ball(rings=6))


class OtherMesher:
    """Stands in for pytetwild: a cube in six elements, one of them inside out, and a flat one."""

    @staticmethod
    def tetrahedralize(points, faces, edge_length_fac):
        corner = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
        paths = [(0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 4, 5, 7), (0, 1, 4, 5)]
        return corner, np.array(paths)


def test_tetwild_elements_are_turned_and_cleaned(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytetwild", OtherMesher)
    body = fill_with_tetwild(*ball(rings=6))
    assert len(body.corners) == 6
    assert volumes(body).sum() == pytest.approx(1.0)
    with pytest.raises(InputError, match="edge_fraction"):
        fill_with_tetwild(*ball(rings=6), edge_fraction=2.0)
