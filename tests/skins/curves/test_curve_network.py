"""From a mesh to curves and back: limbs, rays, edge loops, cells, and what a transfer keeps."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple import Character, Pose, Skeleton, Weights
from supple.character.anatomy.limbs import find_limbs
from supple.errors import InputError, SuppleWarning
from supple.geometry.quaternions import matrix_from_quat, quat_from_axis_angle
from supple.geometry.topology import triangulate
from supple.skins.curves.network.cells import invert_bilinear, locate
from supple.skins.curves.network.centerline import parallel_transport
from supple.skins.curves.network.curve_network import curve_network
from supple.skins.curves.network.edge_loops import LoopPlan, QuadMesh, find_quads, sample_loops, trace_limb_loops
from supple.skins.curves.network.ray_curves import RayCaster
from supple.skins.curves.network.surface_points import SurfacePoints
from supple.skins.curves.network.transfer import Transfer, part_weights
from supple.skins.examples import blend_rotations

# Limbs


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


@pytest.fixture(scope="module")
def network(hero):
    return curve_network(hero)


@pytest.fixture(scope="module")
def transfer(network):
    return Transfer.from_network(network)


def test_a_person_has_a_torso_a_head_two_arms_and_two_legs(hero):
    limbs = {limb.name: limb for limb in find_limbs(hero)}
    assert set(limbs) == {"torso", "head", "left arm", "right arm", "left leg", "right leg"}
    arm = [hero.skeleton.names[joint] for joint in limbs["left arm"].path_joints]
    assert arm[:3] == ["LeftArm", "LeftForeArm", "LeftHand"]  # the elbow is inside, the collar bone is not
    assert hero.skeleton.index("LeftShoulder") in limbs["torso"].joints
    assert limbs["left arm"].free_end
    assert not limbs["left arm"].free_start


def test_every_joint_is_in_one_limb_and_every_vertex_is_moved_by_limbs_alone(hero):
    limbs = find_limbs(hero)
    np.testing.assert_array_equal(
        np.sort(np.concatenate([limb.joints for limb in limbs])), np.arange(len(hero.skeleton))
    )
    np.testing.assert_allclose(sum(limb.weights for limb in limbs), 1.0, atol=1e-12)


def test_an_animal_has_a_tail_and_four_legs():
    names = [limb.name for limb in find_limbs(supple.character("quadruped", vertices=3000))]
    assert sum("Leg" in name for name in names) == 4
    assert sum("Tail" in name for name in names) == 1


@pytest.mark.parametrize("name", ["Fox.glb", "human-bunny.glb", "human_cmu_8clips.glb", "CesiumMan.glb"])
def test_real_characters_get_curves_that_meet_their_skin(name, data_file):
    character = supple.load(data_file(f"gltf/{name}"))
    made = curve_network(character, nodes_per_vertex=0.1)
    rest = made.nodes(character.points)
    assert np.isfinite(rest).all()
    assert np.mean(np.concatenate([part.found.ravel() for part in made.parts])) > 0.75
    weights = part_weights(made)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(
        Transfer.from_network(made).carry(rest), character.points, atol=1e-9 * character.height + 1e-12
    )


# Casting


def test_nodes_of_a_tube_lie_at_equal_angles_on_it(tube):
    limb = find_limbs(tube)[0]
    laid = RayCaster(limb, tube.points, tube.triangles).cast(16, 21)
    grid = laid.surface_points.at(tube.points).reshape(16, 21, 3)
    side = np.linalg.norm(grid[..., [0, 2]], axis=2)
    straight = (grid[..., 1] > 0.3) & (grid[..., 1] < 1.7)
    assert straight.sum() > 100
    # A tube of sixteen flat sides: its skin lies between the circles inside and round its section.
    assert side[straight].min() > 0.25 * np.cos(np.pi / 16) - 1e-9
    assert side[straight].max() < 0.25 + 1e-9
    angle = np.unwrap(np.arctan2(grid[:, 10, 0], grid[:, 10, 2]))
    np.testing.assert_allclose(np.abs(np.diff(angle)), 2 * np.pi / 16, atol=1e-3)
    height = grid[0, straight[0], 1]
    np.testing.assert_allclose(np.diff(height), np.diff(height)[0], atol=1e-6)
    assert laid.found.all()


def test_curves_close_over_the_ends_of_a_tube_without_going_back(tube):
    limb = find_limbs(tube)[0]
    grid = RayCaster(limb, tube.points, tube.triangles).cast(12, 30).surface_points.at(tube.points).reshape(12, 30, 3)
    assert (np.diff(grid[..., 1], axis=1) > -1e-9).all()
    assert grid[:, -1, 1].min() > 2.0 - 1e-9  # the last ring lies on the cap
    assert np.linalg.norm(grid[:, -1, [0, 2]], axis=1).max() < 0.15


def bent_arm(angle: float) -> Character:
    """A tube whose upper half is bent about the joint in its middle, as an arm that rests bent."""
    tube = make_tube(rings=49, bones=2)
    pose = Pose.from_rotations(tube.skeleton, {"bone1": quat_from_axis_angle([0.0, 0.0, 1.0], angle)})
    points = supple.linear_blend(tube.points, tube.weights, pose.skinning(tube.skeleton)).astype(float)
    heads = pose.world_from_joint[:, :3, 3]
    tip = (pose.world_from_joint[1] @ np.array([0.0, 1.0, 0.0, 1.0]))[:3]
    skeleton = Skeleton.from_heads(tube.skeleton.names, [-1, 0], heads, tails=[heads[1], tip])
    return Character(points, tube.triangles, skeleton, tube.weights, name="bent")


@pytest.mark.parametrize("angle", [0.5, 1.0, 1.5])
def test_rings_do_not_cross_where_a_limb_bends(angle):
    bent = bent_arm(angle)
    limb = find_limbs(bent)[0]
    laid = RayCaster(limb, bent.points, bent.triangles).cast(16, 30)
    grid = laid.surface_points.at(bent.points).reshape(16, 30, 3)
    along = np.gradient(grid.mean(axis=0), axis=0)[4:-4]  # without the rings that close the ends
    step = np.einsum("cni,ni->cn", np.diff(grid[:, 4:-4], axis=1), along[1:] + along[:-1])
    assert (step > 0.0).all()
    assert laid.found.mean() > 0.97


def test_frames_are_carried_without_a_twist():
    angle = np.linspace(0.0, 2.0, 50)
    along = np.stack([np.cos(angle), np.sin(angle), np.zeros(50)], axis=1)
    across = parallel_transport(along)
    np.testing.assert_allclose(np.einsum("ni,ni->n", along, across), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(across, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(across[:, 2], across[0, 2], atol=1e-12)  # on a flat path the height stays


def test_a_hole_in_the_skin_is_filled_from_its_border(tube):
    keep = ~(
        (np.abs(tube.points[tube.triangles].mean(axis=1)[:, 1] - 1.0) < 0.12)
        & (tube.points[tube.triangles].mean(axis=1)[:, 0] > 0.1)
    )
    open_tube = tube.replace(triangles=tube.triangles[keep])
    laid = RayCaster(find_limbs(open_tube)[0], open_tube.points, open_tube.triangles).cast(16, 33)
    assert 0 < (~laid.found).sum() < 0.2 * laid.found.size
    grid = laid.surface_points.at(tube.points).reshape(16, 33, 3)
    gap = ~laid.found
    low, high = grid[laid.found].min(axis=0), grid[laid.found].max(axis=0)
    assert (grid[gap] >= low - 1e-9).all()
    assert (grid[gap] <= high + 1e-9).all()
    np.testing.assert_allclose(laid.surface_points.at(np.ones(len(tube.points))), 1.0, atol=1e-12)


def test_places_go_along_with_every_affine_motion(network, hero):
    matrix = np.array([[1.1, 0.3, 0.0], [-0.2, 0.9, 0.1], [0.05, 0.0, 1.2]])
    rest = network.nodes(hero.points)
    np.testing.assert_allclose(network.nodes(hero.points @ matrix.T + 2.0), rest @ matrix.T + 2.0, atol=1e-9)


def test_sizes_spacing_and_left_out_limbs_are_obeyed(hero):
    made = curve_network(hero, sizes={"left arm": (22, 34), "left leg": (36, 31)}, leave_out=["head"])
    assert (made.part("left arm").curves, made.part("left arm").nodes) == (22, 34)
    assert (made.part("left leg").curves, made.part("left leg").nodes) == (36, 31)
    assert "head" not in [part.name for part in made.parts]
    assert Transfer.from_network(made).matrix.shape == (len(hero.points), len(made))
    coarse, fine = (curve_network(hero, spacing=spacing) for spacing in (0.08, 0.03))
    assert len(coarse) < len(fine)
    steps = np.linalg.norm(np.diff(fine.part("left leg").grid(hero.points), axis=1), axis=2)
    assert np.median(steps) == pytest.approx(0.03, rel=0.25)
    assert len(curve_network(hero, nodes_per_vertex=0.1)) < len(curve_network(hero, nodes_per_vertex=0.5))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": {"wing": (8, 8)}}, "wing"),
        ({"leave_out": ["wing"]}, "wing"),
        ({"loops": {"wing": LoopPlan()}}, "wing"),
        ({"loops": "some"}, "loops is 'some'"),
        ({"spacing": 0.0}, "spacing"),
        ({"nodes_per_vertex": 0.0}, "nodes_per_vertex"),
        ({"sizes": {"left arm": (2, 8)}}, "three curves"),
        ({"leave_out": ["torso", "head", "left arm", "right arm", "left leg", "right leg"]}, "left out"),
    ],
)
def test_wrong_wishes_are_refused(hero, options, words):
    with pytest.raises(InputError, match=words):
        curve_network(hero, **options)


def test_a_character_without_weights_is_refused(hero):
    with pytest.raises(InputError, match="no skin weights"):
        curve_network(hero.replace(weights=None))


def test_bones_outside_of_the_skin_are_refused(tube):
    away = Skeleton.from_heads(["a"], [-1], [[9.0, 0.0, 0.0]], tails=[[9.0, 1.0, 0.0]])
    weights = Weights(np.zeros((len(tube.points), 1), dtype=int), np.ones((len(tube.points), 1)))
    with pytest.raises(InputError, match="inside the limb"):
        curve_network(Character(tube.points, tube.triangles, away, weights))


def test_a_limb_that_cannot_be_reached_is_left_out_with_a_warning(hero):
    heads = hero.skeleton.heads.copy()
    tails = hero.skeleton.tails.copy()
    below = hero.skeleton.descendants(hero.skeleton.index("LeftArm"))
    heads[below] += [0.0, 3.0, 0.0]
    tails[below] += [0.0, 3.0, 0.0]
    away = Skeleton.from_heads(hero.skeleton.names, hero.skeleton.parents, heads, tails=tails)
    odd = hero.replace(skeleton=away, motions={})
    with pytest.warns(SuppleWarning, match="left arm"):
        made = curve_network(odd, nodes_per_vertex=0.1)
    assert "left arm" not in [part.name for part in made.parts]
    np.testing.assert_allclose(Transfer.from_network(made).carry(made.nodes(odd.points)), odd.points, atol=1e-9)


# Edge loops


def quad_tube(rings: int = 9, sectors: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Points and quads of an open tube along y; vertex r * sectors + s."""
    points = make_tube(rings=rings, sectors=sectors, closed=False).points
    ring, sector = (index.ravel() for index in np.meshgrid(np.arange(rings - 1), np.arange(sectors), indexing="ij"))
    beside = (sector + 1) % sectors
    quads = [
        ring * sectors + sector,
        ring * sectors + beside,
        (ring + 1) * sectors + beside,
        (ring + 1) * sectors + sector,
    ]
    return points, np.stack(quads, axis=1).astype(np.int32)


def quad_torus(across: int = 12, around: int = 7) -> tuple[np.ndarray, np.ndarray]:
    u, v = np.meshgrid(np.arange(across), np.arange(around), indexing="ij")
    big, small = 2 * np.pi * u.ravel() / across, 2 * np.pi * v.ravel() / around
    reach = 1.0 + 0.3 * np.cos(small)
    points = np.stack([reach * np.cos(big), 0.3 * np.sin(small), reach * np.sin(big)], axis=1)
    number = u * around + v
    quads = [
        number,
        np.roll(number, -1, axis=1),
        np.roll(np.roll(number, -1, axis=1), -1, axis=0),
        np.roll(number, -1, axis=0),
    ]
    return points, np.stack([corner.ravel() for corner in quads], axis=1).astype(np.int32)


def test_a_loop_on_a_torus_closes_after_all_its_vertices():
    points, quads = quad_torus(12, 7)
    mesh = QuadMesh(quads, points)
    long, short = mesh.loop(0, 7), mesh.loop(0, 1)
    assert long.closed
    assert long.vertices == tuple(7 * k for k in range(12))
    assert short.closed
    assert short.vertices == tuple(range(7))
    ring, closed = mesh.ring(0, 7)
    assert closed
    assert [edge[0] for edge in ring] in ([0, *range(6, 0, -1)], list(range(7)))
    assert not any(mesh.is_pole(vertex) for vertex in range(len(points)))


def test_a_loop_along_a_tube_ends_at_its_border_and_one_round_it_closes():
    points, quads = quad_tube(9, 8)
    mesh = QuadMesh(quads, points)
    assert mesh.loop(4 * 8 + 3, 5 * 8 + 3).vertices == tuple(8 * r + 3 for r in range(4, 9))
    assert mesh.loop(4 * 8 + 3, 3 * 8 + 3).vertices == tuple(8 * r + 3 for r in range(4, -1, -1))
    assert mesh.loop(4 * 8, 4 * 8 + 1).closed
    border = mesh.loop(0, 1)
    assert border.closed
    assert set(border.vertices) == set(range(8))


def with_pole() -> tuple[np.ndarray, np.ndarray, int]:
    """A flat sheet of 6 x 6 quads from which one quad at a corner of its middle is folded to a pole of five edges."""
    points = np.array([[x, 0.0, z] for x in range(7) for z in range(7)], dtype=float)
    quads = [[7 * x + z, 7 * x + z + 1, 7 * (x + 1) + z + 1, 7 * (x + 1) + z] for x in range(6) for z in range(6)]
    pole = 7 * 3 + 3
    # The quad past the pole is cut into three quads round a new vertex: the pole has one edge more.
    a, b, c, d = pole, pole + 1, pole + 8, pole + 7
    quads.remove([a, b, c, d])
    middle, side, end = len(points), len(points) + 1, len(points) + 2
    extra = [[3.5, 0.0, 3.5], [4.0, 0.0, 3.5], [3.5, 0.0, 4.0]]
    quads += [[a, b, end, middle], [middle, end, c, side], [middle, side, d, a]]
    return np.concatenate([points, extra]), np.array(quads, dtype=np.int32), pole


def test_a_loop_stops_at_a_pole_or_turns_as_told():
    points, quads, pole = with_pole()
    mesh = QuadMesh(quads, points)
    assert mesh.is_pole(pole)
    start, toward = pole - 14, pole - 7
    assert mesh.loop(start, toward).vertices == (start, toward, pole)
    straight = mesh.loop(start, toward, LoopPlan(straight_at_poles=True)).vertices
    assert straight[:4] == (start, toward, pole, pole + 7)  # straight on along x
    told = mesh.loop(start, toward, LoopPlan(next_vertex={pole: pole - 1}, straight_at_poles=False)).vertices
    assert told[:5] == (start, toward, pole, pole - 1, pole - 2)
    stopped = mesh.loop(start, toward, LoopPlan(stops=[toward])).vertices
    assert stopped == (start, toward)
    with pytest.raises(InputError, match="no edge joins"):
        mesh.loop(start, toward, LoopPlan(next_vertex={pole: 0}))
    with pytest.raises(InputError, match="no face has it"):
        mesh.loop(0, 40)


def quad_character(rings: int = 21, sectors: int = 10) -> Character:
    points, quads = quad_tube(rings, sectors)
    heads = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    skeleton = Skeleton.from_heads(["a", "b"], [-1, 0], heads, tails=[[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
    upper = np.clip(points[:, 1] - 0.5, 0.0, 1.0)
    weights = Weights.from_dense(np.stack([1.0 - upper, upper], axis=1))
    return Character(points, triangulate(quads), skeleton, weights, polygons=quads)


def test_loops_of_a_quad_tube_are_its_columns_and_nodes_are_its_vertices():
    character = quad_character(21, 10)
    made = curve_network(character, sizes={"a": (8, 21)})
    part = made.parts[0]
    assert (part.curves, part.nodes) == (10, 21)
    grid = part.grid(character.points)
    np.testing.assert_allclose(grid[..., 1], np.broadcast_to(np.linspace(0.0, 2.0, 21), (10, 21)), atol=1e-9)
    distance = np.linalg.norm(character.points[:, None] - grid.reshape(1, -1, 3), axis=2).min(axis=1)
    np.testing.assert_allclose(distance, 0.0, atol=1e-9)
    # Every vertex is a node, so a mesh in any shape at all comes back as it was.
    noisy = character.points + np.random.default_rng(0).normal(0.0, 0.1, character.points.shape)
    moved = Transfer.from_network(made)
    np.testing.assert_allclose(moved.apply_to_base(character.points, made.nodes(noisy)), noisy, atol=1e-9)
    np.testing.assert_allclose(moved.carry(made.nodes(noisy)), noisy, atol=1e-9)


def test_loops_can_be_refused_and_their_start_and_ends_chosen():
    character = quad_character(21, 10)
    assert curve_network(character, loops="none", sizes={"a": (7, 9)}).parts[0].curves == 7
    limb = find_limbs(character)[0]
    mesh = QuadMesh(character.polygons, character.points)
    chosen = trace_limb_loops(mesh, limb, LoopPlan(start=(103, 113), stops=set(range(150, 160))))
    assert len(chosen) == 10
    assert all(loop[0] < 10 and 150 <= loop[-1] < 160 for loop in chosen)
    with pytest.raises(InputError, match="does not close"):
        trace_limb_loops(mesh, limb, LoopPlan(start=(100, 101)))


def test_halved_quads_are_put_together_again(tube):
    character = quad_character()
    plain = character.replace(polygons=None)
    np.testing.assert_array_equal(find_quads(plain), character.polygons)
    np.testing.assert_array_equal(find_quads(character), character.polygons)
    shuffled = np.random.default_rng(1).permutation(len(plain.triangles))
    assert find_quads(plain.replace(triangles=plain.triangles[shuffled])) is None
    assert find_quads(tube.replace(triangles=tube.triangles[:-1])) is None


def test_nodes_on_a_loop_stand_at_equal_steps():
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
    positions = sample_loops([(0, 1, 2)], points, nodes=5)
    np.testing.assert_allclose(positions.at(points)[:, 0], [0.0, 1.0, 2.0, 3.0, 4.0])


def test_a_real_quad_body_has_loops_along_its_legs(data_file):
    character = supple.load(data_file("gltf/human_cmu_8clips.glb"))
    mesh = QuadMesh(find_quads(character), character.points)
    leg = next(limb for limb in find_limbs(character) if limb.name == "left leg")
    loops = trace_limb_loops(mesh, leg)
    assert loops is not None
    assert len(loops) == len({loop[len(loop) // 2] for loop in loops})  # no loop stands twice
    for loop in loops:
        assert all(other in mesh._around[vertex] for vertex, other in pairwise(loop))


# Cells


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_place_in_a_cell_is_found_again(u, w):
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.3], [1.2, 1.5, 0.2], [-0.1, 1.0, 0.0]])
    position = (1 - u) * (1 - w) * corners[0] + u * (1 - w) * corners[1] + u * w * corners[2] + (1 - u) * w * corners[3]
    found = invert_bilinear(corners[None], position[None])
    np.testing.assert_allclose([found[0][0], found[1][0]], [u, w], atol=1e-6)


@pytest.mark.parametrize("smooth", [True, False])
def test_shares_of_cells_sum_to_one_and_nodes_hold_themselves(smooth):
    angle = np.arange(9) * 2 * np.pi / 9
    grid = np.stack([np.tile(np.cos(angle)[:, None], 6), np.tile(np.linspace(0, 3, 6), (9, 1)),
                     np.tile(np.sin(angle)[:, None], 6)], axis=2)  # fmt: skip
    cells = locate(grid, grid.reshape(-1, 3), smooth=smooth)
    np.testing.assert_allclose(cells.weights.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(cells.around.sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(cells.along.sum(axis=1), 0.0, atol=1e-12)
    spots = np.concatenate([grid.reshape(-1, 3), grid[:, 0].mean(axis=0)[None], grid[:, -1].mean(axis=0)[None]])
    np.testing.assert_allclose(
        np.einsum("mk,mki->mi", cells.weights, spots[cells.corners]), grid.reshape(-1, 3), atol=1e-9
    )
    np.testing.assert_allclose(cells.distance, 0.0, atol=1e-9)


# Transfer


def test_every_vertex_is_carried_and_its_shares_sum_to_one(transfer, hero):
    np.testing.assert_allclose(np.bincount(transfer.vertices, transfer.weights), 1.0, atol=1e-12)
    assert set(transfer.vertices.tolist()) == set(range(len(hero.points)))
    np.testing.assert_allclose(transfer.matrix.sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("smooth", [True, False])
def test_rest_nodes_give_the_rest_mesh(network, hero, smooth):
    moved = Transfer.from_network(network, smooth=smooth)
    rest = network.nodes(hero.points)
    np.testing.assert_allclose(moved.carry(rest), hero.points, atol=1e-10)
    np.testing.assert_allclose(moved.apply_to_base(hero.points, rest), hero.points, atol=1e-10)


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_a_rigid_motion_of_the_nodes_is_one_of_the_mesh(transfer, network, hero, first, second):
    rotation = matrix_from_quat(quat_from_axis_angle([1.0, 0.3, 0.2], first)) @ matrix_from_quat(
        quat_from_axis_angle([0.0, 1.0, -0.4], second)
    )
    rest = network.nodes(hero.points)
    np.testing.assert_allclose(
        transfer.carry(rest @ rotation.T + [1.0, -2.0, 3.0]), hero.points @ rotation.T + [1.0, -2.0, 3.0], atol=1e-9
    )


def test_an_affine_motion_carries_vertices_that_lie_in_their_cells():
    """On a tube with as many flat sides as curves, all vertices lie in cells: stretch and shear come back exactly."""
    character = quad_character(41, 10)
    made = curve_network(character, sizes={"a": (10, 9)})
    matrix = np.array([[1.3, 0.4, 0.0], [0.2, 0.8, -0.3], [0.1, 0.0, 1.1]])
    moved = Transfer.from_network(made).carry(made.nodes(character.points) @ matrix.T + 1.0)
    np.testing.assert_allclose(moved, character.points @ matrix.T + 1.0, atol=1e-6)


def test_a_vertex_on_a_curve_keeps_its_ratio_between_two_nodes():
    character = quad_character(41, 10)
    made = curve_network(character, sizes={"a": (10, 9)})  # four more vertices between two nodes
    rng = np.random.default_rng(3)
    nodes = made.nodes(character.points) + rng.normal(0.0, 0.05, (len(made), 3))
    moved = Transfer.from_network(made, smooth=False).carry(nodes)
    grid = nodes.reshape(10, 9, 3)
    rest = made.parts[0].grid(character.points)
    for curve in range(10):
        vertex = int(np.argmin(np.linalg.norm(character.points - rest[curve, 3] - [0.0, 0.1, 0.0], axis=1)))
        ratio = (character.points[vertex] - rest[curve, 3])[1] / (rest[curve, 4] - rest[curve, 3])[1]
        assert 0.1 < ratio < 0.9
        np.testing.assert_allclose(moved[vertex], (1 - ratio) * grid[curve, 3] + ratio * grid[curve, 4], atol=1e-9)


def test_one_offset_for_all_nodes_moves_the_whole_mesh_by_it(transfer, network, hero):
    np.testing.assert_allclose(
        transfer.offsets(np.tile([0.1, -0.2, 0.3], (len(network), 1))), np.tile([0.1, -0.2, 0.3], (len(hero.points), 1))
    )


def posed(hero) -> tuple[Pose, np.ndarray, np.ndarray]:
    """A bent hero by linear blending, and with swollen limbs and a belly on top of it."""
    pose = Pose.from_rotations(
        hero.skeleton,
        {
            "LeftForeArm": quat_from_axis_angle([0.0, 1.0, 0.0], -1.0),
            "RightLeg": quat_from_axis_angle([1.0, 0.0, 0.0], 1.0),
            "LeftUpLeg": quat_from_axis_angle([1.0, 0.0, 0.0], -0.7),
        },
        move=[0.2, 0.1, 0.0],
    )
    base = supple.linear_blend(hero.points, hero.weights, pose.skinning(hero.skeleton)).astype(float)
    wave = 0.02 * np.sin(6.0 * hero.points[:, 1:2]) * np.array([1.0, 0.0, 0.5])
    rotations = blend_rotations(pose.skinning(hero.skeleton), hero.weights)
    return pose, base, base + np.einsum("vij,vj->vi", rotations, wave)


def test_a_posed_mesh_comes_back_from_its_nodes(transfer, network, hero):
    pose, base, target = posed(hero)
    wanted = target - base
    size = np.sqrt((wanted**2).sum(axis=1).mean())

    def error(points):
        return np.sqrt(((points - target) ** 2).sum(axis=1).mean()) / size

    sampled = error(transfer.apply_to_base(base, network.nodes(target)))
    gap = network.nodes(target) - network.nodes(base)  # turned back to rest at the nodes, and with the bones again
    at_rest = transfer.offsets(np.einsum("nji,nj->ni", network.rotations(pose), gap))
    rotations = blend_rotations(pose.skinning(hero.skeleton), hero.weights)
    local = error(base + np.einsum("vij,vj->vi", rotations, at_rest))
    fit = error(base + transfer.offsets(transfer.fit(wanted)))
    assert sampled < 0.05
    assert local < 0.05
    assert fit < sampled  # least squares cannot be farther away than where it starts


def test_smooth_cells_are_nearer_than_straight_ones(network, hero):
    _, base, target = posed(hero)
    errors = [
        np.linalg.norm(
            Transfer.from_network(network, smooth=smooth).apply_to_base(base, network.nodes(target)) - target
        )
        for smooth in (True, False)
    ]
    assert errors[0] < errors[1]


def test_more_nodes_come_nearer(hero):
    _, base, target = posed(hero)
    errors = []
    for detail in (0.08, 0.2, 0.5):
        made = curve_network(hero, nodes_per_vertex=detail)
        errors.append(np.linalg.norm(Transfer.from_network(made).apply_to_base(base, made.nodes(target)) - target))
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("nodes_per_vertex", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("name", ["hero", "quadruped", "octopus"])
def test_there_are_never_more_nodes_than_were_asked_for(name, nodes_per_vertex):
    character = supple.character(name, vertices=800)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        assert len(curve_network(character, nodes_per_vertex=nodes_per_vertex)) <= nodes_per_vertex * len(
            character.points
        )


def test_limbs_can_be_given(hero):
    limbs = [limb for limb in find_limbs(hero) if "arm" in limb.name.lower()]
    assert limbs
    made = curve_network(hero, limbs=limbs)
    assert {part.name for part in made.parts} == {limb.name for limb in limbs}


def test_offsets_of_one_node_stay_near_it(transfer, network, hero):
    number = int(network.starts[3]) + 40
    offsets = np.zeros((len(network), 3))
    offsets[number, 0] = 0.01
    moved = np.linalg.norm(transfer.offsets(offsets), axis=1) > 0.0
    distance = np.linalg.norm(hero.points - network.nodes(hero.points)[number], axis=1)
    assert moved.any()
    assert distance[moved].max() < 0.35


def test_wrong_shapes_are_refused(transfer, network):
    with pytest.raises(InputError, match="nodes have shape"):
        transfer.carry(np.zeros((3, 3)))
    with pytest.raises(InputError, match="points have shape"):
        network.nodes(np.zeros((3, 3)))
    with pytest.raises(InputError, match="part 'wing'"):
        network.part("wing")


# Turns and places


def test_nodes_turn_with_the_bones(network, hero):
    rotation = quat_from_axis_angle([0.0, 0.0, 1.0], 0.9)
    whole = Pose.from_rotations(hero.skeleton, {"Hips": rotation})
    np.testing.assert_allclose(
        network.rotations(whole), np.broadcast_to(matrix_from_quat(rotation), (len(network), 3, 3)), atol=1e-9
    )
    np.testing.assert_allclose(
        network.rotations(Pose.rest(hero.skeleton)), np.broadcast_to(np.eye(3), (len(network), 3, 3)), atol=1e-9
    )


def test_weights_of_nodes_are_means_of_those_of_vertices(network, hero):
    dense = np.zeros((len(hero.points), len(hero.skeleton)))
    np.add.at(dense, (np.arange(len(dense))[:, None], hero.weights.joints), hero.weights.values)
    pose, base, _ = posed(hero)
    blended = supple.linear_blend(network.nodes(hero.points), network.weights, pose.skinning(hero.skeleton))
    sound = np.concatenate([part.found.ravel() for part in network.parts])
    gap = np.linalg.norm(blended - network.nodes(base), axis=1)
    assert np.median(gap[sound]) < 1e-3  # weights change little within a triangle
    np.testing.assert_allclose(network.weights.values.sum(axis=1), 1.0)


def test_places_join_and_fill():
    points = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    both = SurfacePoints.concatenate(
        (SurfacePoints.on_vertices([2, 0], 3), SurfacePoints.on_triangles([[0, 1, 2]], [[0.5, 0.25, 0.25]], 3))
    )
    np.testing.assert_allclose(both.at(points), [[0, 2, 0], [0, 0, 0], [0.5, 0.5, 0]])
    fill = both.fill(np.array([[0.25, 0.75]]), np.array([True, False, True]))
    np.testing.assert_allclose(fill.at(points), [[0, 2, 0], [0.375, 0.875, 0], [0.5, 0.5, 0]])
    np.testing.assert_allclose(fill.at(points[:, 0]), [0.0, 0.375, 0.5])


def test_the_network_is_drawn(network, tmp_path):
    pytest.importorskip("pyvista")
    from curves_diagram import curves_picture

    plain = curves_picture(network, size=(120, 160), path=tmp_path / "curves.png")
    assert plain.shape == (160, 120, 3)
    assert (tmp_path / "curves.png").exists()
    blue = plain.reshape(-1, 3).astype(int)
    assert (blue[:, 2] - blue[:, 0] > 60).any()  # lines of a part on skin that has no blue
