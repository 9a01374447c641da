"""What a skin met stays with its bake: obstacles and free bodies, in the cache, in a GLB and in USD."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import supple
from conftest import make_tube
from oracles.glb import ReadGlb
from supple import Pose
from supple.graph.cache import Cache
from supple.obstacles import BakedSkin, Box, Free, Plane, Sphere, Straight

FPS, FRAMES = 50.0, 6
TUBE = make_tube(rings=9, sectors=8, bones=3, closed=True)
REST = supple.Motion.from_poses(
    TUBE.skeleton, lambda at: Pose.rest(TUBE.skeleton), seconds=(FRAMES - 1) / FPS, fps=FPS, name="rest"
)
SWEEP = Straight(np.eye(4), (0.5, 0.0, 0.0), (0.0, 3.0, 0.0))
MET = (
    Plane(at=(0.0, -1.0, 0.0)),
    Sphere(name="ball", radius=0.2, at=(0.0, 5.0, 0.0), free=Free(mass=2.0, velocity=(1.0, 0.0, 0.0), spin=(0, 4, 0))),
    Box(name="ball", sides=(0.3, 0.2, 0.1), at=SWEEP),
)


@pytest.fixture(scope="module")
def contact(tmp_path_factory) -> Cache:
    """A tube that meets nothing, among a floor, a falling ball and a box on a straight path."""
    path = tmp_path_factory.mktemp("bodies") / "met.supple"
    skin = supple.ArticulatedContact(elements=150, self_contact=False, obstacles=MET)
    return supple.bake(TUBE, REST, skin, path=path)


def test_a_bake_keeps_what_was_met_and_where_it_went(contact):
    floor, ball, box = Cache(contact.path).bodies
    assert [floor.name, ball.name, box.name] == ["plane", "ball", "ball.001"]
    assert not floor.moves
    assert np.ptp(floor.points, axis=0)[0] > 2.0 * np.ptp(TUBE.points, axis=0).max()
    up = np.cross(*(floor.points[floor.triangles[0, k]] - floor.points[floor.triangles[0, 0]] for k in (1, 2)))
    assert up[1] > 0.0
    times = np.arange(FRAMES) / FPS
    assert_allclose(ball.world_from_body[:, 0, 3], times, atol=1e-9)
    fall = -0.5 * 9.81 * times**2
    assert_allclose(ball.world_from_body[:, 1, 3] - 5.0, fall, atol=9.81 * times[-1] / 120.0)  # a step's worth
    assert_allclose(np.arctan2(ball.world_from_body[:, 0, 2], ball.world_from_body[:, 0, 0]), 4.0 * times, atol=1e-6)
    assert_allclose(box.world_from_body, [SWEEP(at) for at in times], atol=1e-6)
    assert_allclose(np.ptp(box.points, axis=0), [0.3, 0.2, 0.1])
    assert len(box.points) == 24


@pytest.mark.filterwarnings("ignore:.*opens with shapes")
def test_a_glb_has_them_on_nodes_that_move(contact, tmp_path):
    contact.save(tmp_path / "met.glb")
    glb = ReadGlb(tmp_path / "met.glb")
    nodes = glb.scene["nodes"]
    for body in contact.bodies:
        (number,) = (k for k, node in enumerate(nodes) if node.get("name") == body.name and "mesh" in node)
        for frame in (0, FRAMES - 1):
            assert_allclose(glb.joints_at(frame)[number], body.world_from_body[frame], atol=1e-6)
        (primitive,) = glb.scene["meshes"][nodes[number]["mesh"]]["primitives"]
        drawn = glb.array(primitive["attributes"]["POSITION"])
        corners = drawn[glb.array(primitive["indices"])].reshape(-1, 3, 3)
        assert_allclose(corners, body.points[body.triangles], atol=1e-6)
    again = supple.load(tmp_path / "met.glb")
    assert {"plane", "ball", "ball.001"} <= set(again.skeleton.names)


@pytest.mark.filterwarnings("ignore:.*rides on")
def test_usd_has_them_as_prims_that_move(contact, tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    contact.save(tmp_path / "met.usda")
    stage = Usd.Stage.Open(str(tmp_path / "met.usda"))
    prims = stage.GetPrimAtPath(f"/{stage.GetDefaultPrim().GetName()}/Bodies").GetChildren()
    assert [prim.GetDisplayName() for prim in prims] == ["plane", "ball", "ball.001"]
    for prim, body in zip(prims, contact.bodies, strict=True):
        for frame in range(FRAMES):
            found = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(frame)
            assert_allclose(np.array(found).T, body.world_from_body[frame], atol=1e-12)
        mesh = UsdGeom.Mesh(prim.GetChildren()[0])
        assert_allclose(np.array(mesh.GetPointsAttr().Get()), body.points, atol=1e-6)
    assert len(supple.load(tmp_path / "met.usda").points) > len(TUBE.points)


@pytest.mark.filterwarnings("ignore:.*no closer count")
def test_flesh_keeps_what_it_met_too(tmp_path):
    other = BakedSkin(frames=TUBE.points[None] + [9.0, 0.0, 0.0], triangles=TUBE.triangles, fps=FPS)
    skin = supple.PositionBased(bodies=(other, MET[2]), tetrahedra=60)
    cache = supple.bake(TUBE, REST, skin, path=tmp_path / "flesh.supple")
    (box,) = cache.bodies  # another character has a bake of its own
    assert_allclose(box.world_from_body, [SWEEP(at) for at in np.arange(FRAMES) / FPS], atol=1e-6)


def test_a_bake_without_any_has_none(tmp_path):
    cache = supple.bake(TUBE, REST, supple.LinearBlend(), path=tmp_path / "plain.supple")
    assert cache.bodies == ()
    assert "bodies" not in cache.info


def test_a_bake_that_was_stopped_goes_on_with_its_bodies(tmp_path, contact):
    """Cut off after its third frame and taken up again, it has the same bytes."""
    path = tmp_path / "again.supple"
    skin = supple.ArticulatedContact(elements=150, self_contact=False, obstacles=MET)

    def stop(progress):
        if progress.frame == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supple.bake(TUBE, REST, skin, path=path, watch=stop)
    supple.bake(TUBE, REST, skin, path=path)
    assert_array_equal(np.frombuffer(path.read_bytes(), np.uint8), np.frombuffer(contact.path.read_bytes(), np.uint8))
