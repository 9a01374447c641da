"""Pictures of what a skin met: obstacles, the floor as the ground, bones as simulated, pressure painted."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import supple
from conftest import make_tube
from supple import Pose
from supple.cli.main import main
from supple.errors import InputError
from supple.graph.cache import Cache
from supple.obstacles import Box, Plane, Straight
from supple.render.bakes import BakeRenderer, View, root_path
from supple.render.camera import Camera
from supple.render.painted import PaintedSkins
from supple.render.renderer import Renderer
from supple.render.surroundings import Surroundings

FPS, FRAMES, FLOOR = 30.0, 13, -0.2
TUBE = make_tube(rings=9, sectors=8, bones=3, closed=True)
REST = supple.Motion.from_poses(
    TUBE.skeleton, lambda at: Pose.rest(TUBE.skeleton), seconds=(FRAMES - 1) / FPS, fps=FPS, name="rest"
)
WALL = np.array([[0.0, 1.0, 0.0, -1.5], [-1.0, 0.0, 0.0, 0.7], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
MET = (
    Plane(name="floor", at=(0.0, FLOOR, 0.0)),
    Plane(name="pit", at=(0.0, -9.0, 0.0)),
    Plane(name="wall", at=WALL),  # seen from where x is larger
    Box(name="box", sides=(0.2, 0.2, 0.2), at=Straight(np.eye(4), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))),
)


@pytest.fixture(scope="module")
def fallen(tmp_path_factory) -> Cache:
    """A limp tube that falls on a floor."""
    skin = supple.ArticulatedContact(
        elements=200, strength=0.0, root_strength=0.0, self_contact=False, obstacles=MET[:3]
    )
    return supple.bake(TUBE, REST, skin, path=tmp_path_factory.mktemp("fallen") / "fallen.supple")


@pytest.fixture
def drawn(monkeypatch):
    """What a renderer is asked to draw."""
    asked = []

    def draw(self, points, **options):
        asked.append((self._ground, options))
        return np.zeros((*reversed(self.size), 3), dtype=np.uint8)

    monkeypatch.setattr(Renderer, "draw", draw)
    return asked


def test_the_highest_floor_is_the_ground_and_not_drawn(fallen):
    around = Surroundings(fallen)
    assert around.ground == FLOOR
    seen = around.at(0, Camera(position=(5.0, 1.0, 0.0), target=(0.0, 1.0, 0.0)))
    assert [thing.name for thing, _ in seen] == ["wall"]


def test_walls_are_seen_from_the_side_that_can_be_met(fallen):
    around = Surroundings(fallen)
    (found,) = around.at(0, Camera(position=(5.0, 1.0, 0.0), target=(0.0, 1.0, 0.0)))
    assert_allclose(found[1][:3, 1], [1.0, 0.0, 0.0], atol=1e-12)
    assert found[1][0, 3] == pytest.approx(-1.5)  # on the wall, next to the tube
    assert np.ptp(found[0].points, axis=0).max() < 4.0  # and not for ever
    assert around.at(0, Camera(position=(-5.0, 1.0, 0.0), target=(0.0, 1.0, 0.0))) == []


def test_things_are_where_they_were(tmp_path):
    skin = supple.ArticulatedContact(elements=150, self_contact=False, root_strength=1.0, obstacles=(MET[3],))
    cache = supple.bake(TUBE, REST, skin, end=4 / FPS)
    around, eye = Surroundings(cache), Camera(position=(5.0, 1.0, 0.0), target=(0.0, 1.0, 0.0))
    for frame in (0, 4):
        ((thing, matrix),) = around.at(frame, eye)
        assert_array_equal(matrix, cache.bodies[0].world_from_body[frame])
        assert_array_equal(thing.points, cache.bodies[0].points)


def test_without_a_floor_nobody_sinks_through_the_ground():
    skin = supple.ArticulatedContact(elements=150, self_contact=False, root_strength=0.0, strength=0.0)
    cache = supple.bake(TUBE, REST, skin)
    assert cache.points[-1][:, 1].min() < -0.2  # it fell
    assert Surroundings(cache).ground == cache.points[:, :, 1].min()
    still = supple.bake(TUBE, REST, supple.LinearBlend())
    assert Surroundings(still).ground == TUBE.points[:, 1].min()


def test_bones_things_and_ground_are_those_of_the_simulation(fallen, drawn):
    with BakeRenderer(fallen, View(size=(64, 72), skeleton=True)) as renderer:
        renderer.draw(FRAMES - 1)
    ground, options = drawn[0]
    assert ground == FLOOR
    assert_array_equal(options["skeleton"][1].world_from_joint, fallen.bones[-1])
    assert np.abs(fallen.bones[-1] - fallen.poses[-1]).max() > 0.1
    assert root_path(fallen).shape == (FRAMES, 3)
    with BakeRenderer(fallen, View(size=(64, 72), bodies=False, ground=False)) as renderer:
        renderer.draw(0)
    assert drawn[1][0] is None
    assert list(drawn[1][1]["things"]) == []


def test_pressure_is_painted_between_the_same_limits_on_all(fallen, tmp_path):
    plain = supple.bake(TUBE, REST, supple.LinearBlend(), path=tmp_path / "plain.supple")
    paint = PaintedSkins([plain, fallen], "pressure")
    assert paint.limits[0] == 0.0
    assert 0.0 < paint.limits[1] <= fallen.pressure.max()
    assert not paint.at(0, FRAMES - 1).any()
    assert_array_equal(paint.at(1, FRAMES - 1), fallen.pressure[-1])
    assert PaintedSkins([plain, fallen], "clay").at(0, 0) is None
    with pytest.raises(InputError, match="feels none"):
        PaintedSkins([plain], "pressure")


@pytest.mark.parametrize("words", [["--color", "pressure"], ["--no-obstacles", "--skeleton"]])
def test_the_command_draws_them(fallen, words, tmp_path, capsys):
    assert main(["render", str(fallen.path), "-o", str(tmp_path / "a.png"), "--size", "64x72", *words]) == 0
    assert (tmp_path / "a.png").stat().st_size > 200


def test_a_comparison_shows_bodies_bones_and_colours(tmp_path, drawn):
    skin = supple.ArticulatedContact(elements=150, strength=0.0, root_strength=0.0, obstacles=MET[2:3])
    skins = {"plain": supple.LinearBlend(), "contact": skin}
    options = {"path": tmp_path / "a.html", "seconds": 0.1, "fps": 20.0}
    supple.compare(TUBE, REST, skins, skeleton=True, color="pressure", **options)
    plain, contact = drawn[-2][1], drawn[-1][1]
    assert plain["limits"] == contact["limits"]
    assert list(plain["things"]) == []
    assert plain["see_through"]  # what presses hides nothing
    assert np.abs(plain["skeleton"][1].world_from_joint - contact["skeleton"][1].world_from_joint).max() > 1e-3
    with pytest.raises(InputError, match="pressure"):
        supple.compare(TUBE, REST, skins, color="presure", **options)
