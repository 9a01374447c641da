"""Settings of contact that do nothing, or cannot be meant, are honoured or said."""

import json
import warnings

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import ArticulatedContact, Pose
from supple.cli.main import main
from supple.document.skin_files import with_files
from supple.errors import InputError, SuppleWarning
from supple.obstacles import Free, Plane, Sphere
from supple.skins.registry import skin_named

pytestmark = pytest.mark.filterwarnings("ignore:.*no closer count")

TUBE = make_tube(rings=13, sectors=8, bones=2, closed=True)
REST = Pose.rest(TUBE.skeleton)
FRAME = 1.0 / 60.0


def told(skin, character=TUBE):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        skin.check_for(character)
    return [str(one.message) for one in heard if issubclass(one.category, SuppleWarning)]


def test_a_tissue_that_no_flesh_has_is_said(capsys, tmp_path):
    with pytest.raises(InputError, match=r"own.youngs_modulus is 5000.*say flesh own"):
        skin_named("contact", {"own.youngs_modulus": 5000.0})
    with pytest.raises(InputError, match="flesh own"):
        skin_named("contact", {"young": 5000.0, "preset": "fat"})
    assert skin_named("contact", {"own.youngs_modulus": 5000.0, "flesh": "own"}).own.youngs_modulus == 5000.0
    skin_named("contact", {"own.youngs_modulus": 5000.0, "flesh": "muscle, belly=own"})
    assert "no flesh is own" in told(ArticulatedContact(own={"density": 900.0}))[0]
    assert told(ArticulatedContact(own={"density": 900.0}, flesh="own")) == []
    words = [
        "bake",
        "tube",
        "--vertices",
        "500",
        "--motion",
        "bend",
        "--end",
        "0",
        "--skin",
        "contact",
        "--young",
        "5000",
    ]
    assert main([*words, "-o", str(tmp_path / "a.supple")]) == 2
    assert "say flesh own" in capsys.readouterr().err


def test_restitution_that_only_skin_would_feel_is_said():
    floor, ball = Plane(restitution=0.5), Sphere(name="ball", radius=0.1, at=(0, 9, 0), free=Free(mass=1.0))
    assert "a plane, 0.5" in told(ArticulatedContact(obstacles=(floor,)))[0]
    assert told(ArticulatedContact(obstacles=(floor, ball))) == []  # the ball bounces off the floor
    lively = Sphere(name="lively", radius=0.1, at=(0, 9, 0), free=Free(mass=1.0), restitution=0.9)
    assert "'lively', 0.9" in told(ArticulatedContact(obstacles=(floor, lively)))[0]
    assert told(ArticulatedContact(scene="thrown-ball")) == []


def test_a_character_in_other_units_is_said_with_its_weight():
    hero = supple.character("hero", vertices=600)
    assert told(ArticulatedContact(), hero) == []
    from supple.character.units import in_metres

    giant = in_metres(hero, "m").replace(
        points=100.0 * hero.points, skeleton=_scaled(hero.skeleton, 100.0), motions={}, shapes={}
    )
    (note,) = told(ArticulatedContact(), giant)
    assert "modelled in cm" in note
    assert f"{0.001 * 1060.0 * 1e6 * _volume(hero):.3g} t" in note


def _scaled(skeleton, factor):
    from dataclasses import replace

    world = np.array(skeleton.world_from_joint)
    world[:, :3, 3] *= factor
    return replace(skeleton, world_from_joint=world, tails=None)


def _volume(character):
    corners = character.points[character.triangles]
    return abs(np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


def scene_file(tmp_path, gravity):
    path = tmp_path / "room.json"
    data = {"format": "supple-scene", "version": 1, "gravity": gravity, "obstacles": [{"shape": "plane"}]}
    path.write_text(json.dumps(data))
    return str(path)


@pytest.mark.parametrize(
    ("down", "asked", "found"),
    [(-1.62, {}, 1.62), (-1.62, {"gravity": 1.62}, 1.62), (-9.81, {"gravity": 3.0}, 3.0), (0, {}, 0.0)],
)
def test_the_gravity_of_a_scene_is_that_of_the_character(down, asked, found, tmp_path):
    skin = with_files(ArticulatedContact(scene=scene_file(tmp_path, [0, down, 0]), **asked))
    assert skin.gravity == found
    assert len(skin.obstacles) == 1


@pytest.mark.parametrize(
    ("gravity", "asked", "part"),
    [
        ([0, -1.62, 0], {"gravity": 3.0}, "have to agree"),
        ([1, -9.81, 0], {}, "along y alone"),
        ([0, 9.81, 0], {}, "down"),
    ],
)
def test_gravity_that_cannot_be_is_refused(gravity, asked, part, tmp_path):
    with pytest.raises(InputError, match=part):
        with_files(ArticulatedContact(scene=scene_file(tmp_path, gravity), **asked))


def test_joints_spring_back_as_stiff_as_they_are_set():
    """A limp upper half on a led root swings about its joint with the frequency that the stiffness says."""
    stiffness = 90.0
    loose = {"strength": 0.0, "root_strength": 1.0, "gravity": 0.0, "joint_damping": 0.0, "self_contact": False}
    skin = ArticulatedContact(elements=400, flesh="rubber", joint_stiffness=stiffness, **loose)
    player = supple.player(TUBE, skin)
    bent = Pose.from_rotations(TUBE.skeleton, {TUBE.skeleton.names[1]: (0.0, 0.0, np.sin(0.05), np.cos(0.05))})
    tip, places = int(TUBE.points[:, 1].argmax()), []
    for _ in range(90):
        places.append(player.advance(bent, FRAME)[tip, 0])
    off = np.array(places) - TUBE.points[tip, 0]
    crossed = np.flatnonzero(np.diff(np.sign(off)) != 0)
    assert len(crossed) >= 3
    omega = np.pi / (np.diff(crossed).mean() * FRAME)
    # The inertia that a stiffness is measured by is the mean over all axes: two thirds of that of a slender rod.
    assert omega == pytest.approx(np.sqrt(2.0 / 3.0 * stiffness), rel=0.12)
    player.change(joint_stiffness=0.0)
    drift = np.diff([player.advance(bent, FRAME)[tip, 0] for _ in range(8)])
    assert np.ptp(drift) < 0.1 * np.abs(drift).mean()  # nothing draws it back
    with pytest.raises(InputError, match="Nobody"):
        ArticulatedContact(joint_stiffness="5, Nobody=3").check_for(TUBE)
