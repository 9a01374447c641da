"""Characters modelled in other units than metres: they are noticed, read in metres, and then play as they should."""

import numpy as np
import pytest

import supple
from supple.character.units import UNITS, in_metres, likely_units
from supple.cli.main import main as run
from supple.errors import InputError
from supple.skins.registry import SKINS


@pytest.fixture(scope="module")
def person():
    """A person in metres with a clip and a shape."""
    made = supple.character("hero", vertices=1500)
    smile = np.zeros_like(made.points)
    smile[100:140, 1] = 0.02
    return made.replace(motions={"walk": supple.motion("walk", made)}, shapes={"smile": smile})


def modelled_in(character, metres):
    """The same with all lengths in units of so many metres, as an artist would have it."""
    skeleton = character.skeleton
    world = np.array(skeleton.world_from_joint)
    world[:, :3, 3] /= metres
    tails = None if skeleton.tails is None else skeleton.tails / metres
    joints = supple.Skeleton(skeleton.names, skeleton.parents, world, tails=tails)
    motions = {
        name: clip.replace(skeleton=joints, translations=clip.translations / metres, stride=clip.stride / metres)
        for name, clip in character.motions.items()
    }
    shapes = {name: offsets / metres for name, offsets in character.shapes.items()}
    return character.replace(points=character.points / metres, skeleton=joints, motions=motions, shapes=shapes)


@pytest.mark.parametrize("units", UNITS)
def test_all_lengths_are_brought_to_metres(person, units):
    found = in_metres(modelled_in(person, UNITS[units]), units)
    np.testing.assert_allclose(found.points, person.points, atol=1e-12)
    np.testing.assert_allclose(found.shapes["smile"], person.shapes["smile"], atol=1e-12)
    np.testing.assert_allclose(found.skeleton.world_from_joint, person.skeleton.world_from_joint, atol=1e-12)
    np.testing.assert_allclose(found.skeleton.heads, person.skeleton.heads, atol=1e-12)
    for time in (0.0, 0.4, 3.3):
        now, then = (who.motions["walk"].sample(time).world_from_joint for who in (found, person))
        np.testing.assert_allclose(now, then, atol=1e-10)


def played(character, skin):
    """The first frames (F, V, 3) [m] of its walk."""
    player, walk = supple.player(character, SKINS[skin](), fps=60), character.motions["walk"]
    return np.array([np.array(player.advance(walk.sample(frame / 60))) for frame in range(12)])


@pytest.mark.parametrize("skin", ["dual-quaternion", "spring-dynamics", "position-based", "lattice"])
def test_in_metres_it_weighs_falls_and_swings_as_it_should(person, skin):
    right = played(in_metres(modelled_in(person, 0.01), "cm"), skin)
    np.testing.assert_allclose(right, played(person, skin), atol=1e-5)


def test_a_file_in_centimetres_plays_as_one_in_metres(person, tmp_path):
    frames = []
    for metres, units in ((1.0, "m"), (0.01, "cm")):
        path = tmp_path / f"{units}.glb"
        supple.save(modelled_in(person, metres), path)
        frames.append(played(supple.load(path, units=units), "spring-dynamics"))
    np.testing.assert_allclose(frames[0], frames[1], atol=1e-5)
    giant = played(supple.load(tmp_path / "cm.glb"), "spring-dynamics")
    assert np.abs(0.01 * giant - frames[0]).max() > 1e-5  # read as it says, gravity is a hundredth of what it is


def test_giants_are_noticed_and_told(person, tmp_path, capsys):
    assert likely_units(person) is None
    assert likely_units(modelled_in(person, 0.01)) == "cm"
    assert likely_units(modelled_in(person, 0.001)) == "mm"
    crane = modelled_in(person, 0.01).replace(
        skeleton=supple.Skeleton(["part"], [-1], np.eye(4)[None]), weights=None, motions={}
    )
    assert likely_units(crane) is None
    path = tmp_path / "giant.glb"
    supple.save(modelled_in(person, 0.01), path)
    assert run(["info", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"supple info {path} --units cm" in said
    assert run(["info", str(path), "--units", "cm"]) == 0
    said = capsys.readouterr().out
    assert "--units" not in said
    assert "1.7" in said


def test_the_fox_is_a_fox(data_file):
    fox = supple.load(data_file("gltf/Fox.glb"))
    assert likely_units(fox) == "cm"
    right = supple.load(data_file("gltf/Fox.glb"), units="cm")
    assert right.size.max() == pytest.approx(1.55, abs=0.01)
    assert likely_units(right) is None
    for name, clip in right.motions.items():
        far = fox.motions[name].sample(0.3).world_from_joint[:, :3, 3]
        np.testing.assert_allclose(clip.sample(0.3).world_from_joint[:, :3, 3], 0.01 * far, atol=1e-9)


def test_strange_units_are_refused(person, tmp_path):
    with pytest.raises(InputError, match="ell"):
        in_metres(person, "ell")
    assert run(["info", "hero", "--vertices", "1500", "--units", "cm"]) != 0
