"""Where limbs branch off: skin hangs on all bones that its weights name, and folds no more than by linear blending."""

from pathlib import Path

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import IncrementalRotation, Pose, SpringRig
from supple.geometry import quaternions
from supple.geometry.topology import kept_edges
from supple.skins.springs.attachment.attachment import attach, is_blended
from supple.skins.springs.attachment.packed import AttachmentOptions, pack_attachment
from supple.skins.springs.attachment.weights import Surface, with_reaches
from supple.skins.springs.settings import Stiffness

HORSE = Path(__file__).parents[4] / "shared" / "data" / "gltf" / "horse-animations.glb"
FLAT, FOLDED = 0.3, -0.3  # cosines between the normals of neighbouring triangles, at rest and in a sharp new fold


@pytest.fixture(scope="module")
def quadruped():
    return supple.character("quadruped", vertices=1500)


@pytest.fixture(scope="module")
def horse():
    if not HORSE.exists():
        pytest.skip("the horse is not here")
    return supple.load(HORSE)


class Folds:
    """Counts the edges across which skin that was flat at rest is folded back on itself."""

    def __init__(self, points, triangles):
        count = len(triangles)
        sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        order = np.lexsort((np.repeat(np.arange(count), 3), sides[:, 1], sides[:, 0]))
        same = (sides[order][1:] == sides[order][:-1]).all(axis=1)
        faces = np.repeat(np.arange(count), 3)[order]
        self.triangles, self.pairs = triangles, np.stack([faces[:-1][same], faces[1:][same]], axis=1)
        self.flat = self.cosines(points) > FLAT

    def cosines(self, points):
        a, b, c = np.moveaxis(points[self.triangles], 1, 0)
        normals = quaternions.normalize(np.cross(b - a, c - a))
        return np.einsum("ni,ni->n", normals[self.pairs[:, 0]], normals[self.pairs[:, 1]])

    def __call__(self, points):
        return int(((self.cosines(points) < FOLDED) & self.flat).sum())


def folds_in(character, skin, poses):
    folds, player = Folds(character.points, character.triangles), supple.player(character, skin)
    return sum(folds(player.advance(pose)) for pose in poses)


def test_the_counter_of_folds_sees_a_fold_and_no_bend():
    strip = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]], dtype=float)
    triangles = np.array([[0, 2, 1], [2, 3, 1]])
    folds = Folds(strip, triangles)
    assert len(folds.pairs) == len(kept_edges(triangles)) - 4 == 1
    bent, folded = strip.copy(), strip.copy()
    bent[3] = [0.5, 0.5, 0.7]
    folded[3] = [0.1, 0.1, 0.1]
    assert folds(strip) == folds(bent) == 0
    assert folds(folded) == 1


@pytest.mark.parametrize("clip", ["Eating", "Run", "lay_to_idle"])
def test_a_horse_folds_no_more_than_by_linear_blending(horse, clip):
    """Nine frames of each; one bone a vertex, which `binding="weights"` still is, folded six times as much."""
    motion = horse.motions[clip]
    poses = [motion.sample(float(time)) for time in np.linspace(0.0, motion.duration, 9)]
    linear = folds_in(horse, supple.LinearBlend(), poses)
    assert linear > 100
    assert folds_in(horse, IncrementalRotation(), poses) <= linear
    assert folds_in(horse, SpringRig(), poses) <= linear
    assert folds_in(horse, IncrementalRotation(binding="weights"), poses) > linear


def test_a_built_in_quadruped_folds_no_more_than_by_linear_blending(quadruped):
    motion = supple.motion("walk", quadruped)
    turned = [motion.sample(time) for time in (0.1, 0.4, 0.7)]
    rotations = {
        name: quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 1.1)
        for name in quadruped.skeleton.names
        if "Neck" in name or name == "Head"
    }
    poses = [*turned, Pose.from_rotations(quadruped.skeleton, rotations)]
    linear = folds_in(quadruped, supple.LinearBlend(), poses)
    assert folds_in(quadruped, IncrementalRotation(), poses) <= linear
    assert folds_in(quadruped, SpringRig(), poses) <= linear


def test_who_hangs_on_several_bones(quadruped):
    chain = make_tube(bones=4)
    assert is_blended(quadruped, "automatic")
    assert not is_blended(chain, "automatic")
    assert is_blended(chain, "blended")
    assert not is_blended(quadruped.replace(weights=None), "automatic")
    assert not is_blended(attach(quadruped).kept_in(quadruped), "automatic")
    assert not is_blended(quadruped, "direct")


def test_skin_that_follows_one_joint_moves_with_it_as_one_piece(quadruped):
    """As linear blending moves it, to single precision, whatever other bones lie near."""
    rotations = {name: quaternions.quat_from_axis_angle([0.4, 0.8, -0.3], 0.9) for name in quadruped.skeleton.names[1:]}
    pose = Pose.from_rotations(quadruped.skeleton, rotations)
    found = supple.player(quadruped, IncrementalRotation(soften=0.0)).advance(pose)
    expected = supple.player(quadruped, supple.LinearBlend()).advance(pose)
    alone = quadruped.weights.values[:, 0] > 1.0 - 1e-6
    assert alone.sum() > 10
    assert np.abs(found - expected)[alone].max() < 1e-5


def test_attachments_are_the_places_on_the_bones_that_weights_name(quadruped):
    """Against a loop over vertices, by double precision and plain words."""
    attachment = attach(quadruped)
    options = AttachmentOptions(soften=0.0, blended=True)
    packed = pack_attachment(quadruped, attachment, Surface.from_character(quadruped), options, device="cpu")
    segments, weights = attachment.segments, quadruped.weights
    for vertex in range(0, len(quadruped.points), 97):
        point, expected = quadruped.points[vertex], np.zeros(3)
        for joint, weight in zip(weights.joints[vertex], weights.values[vertex], strict=True):
            places = []
            for start, end in zip(
                segments.starts[segments.joints == joint], segments.ends[segments.joints == joint], strict=True
            ):
                along = (point - start) @ (end - start) / max((end - start) @ (end - start), 1e-300)
                places.append(start + np.clip(along, 0.0, 1.0) * (end - start))
            if weight > 0.0:
                expected += weight * min(places, key=lambda place: np.linalg.norm(point - place))
        assert np.allclose(packed.rest_attached[vertex], expected, atol=1e-9)


def test_reach_says_how_far_other_bones_turn_skin(quadruped):
    """From its own bone alone, over what weights say, to more of the others; maps say it by vertex."""
    rotations = {name: quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.5) for name in quadruped.skeleton.names[3:]}
    pose = Pose.from_rotations(quadruped.skeleton, rotations)
    usual, none, more = (
        supple.player(quadruped, IncrementalRotation(reach=reach, correction=0.0)).advance(pose)
        for reach in (0.5, 0.0, 1.0)
    )
    assert np.abs(usual - none).max() > 1e-3 < np.abs(usual - more).max()
    painted = with_reaches(quadruped, {}, default=0.0)
    as_painted = supple.player(painted, IncrementalRotation(correction=0.0)).advance(pose)
    assert np.allclose(as_painted, none, atol=1e-6)


def test_the_stiffness_of_springs_is_seen(quadruped):
    """Skin that is held less by its bones goes elsewhere, by far more than a sweep's rounding."""
    motion = supple.motion("walk", quadruped)
    pose = motion.sample(0.4)
    incremental = supple.player(quadruped, IncrementalRotation()).advance(pose)
    soft = Stiffness(edges=10.0, bend=10.0, radius=0.2, twist=0.1)
    size = np.ptp(quadruped.points, axis=0).max()
    firmest, firm, loose = (
        np.linalg.norm(supple.player(quadruped, SpringRig(stiffness=stiffness)).advance(pose) - incremental, axis=1)
        for stiffness in (Stiffness(radius=20.0, twist=20.0), Stiffness(), soft)
    )
    assert 3.0 * np.median(firmest) < np.median(firm) < 0.3 * np.median(loose)
    assert np.percentile(loose, 95) > 3.0 * np.percentile(firm, 95)
    assert np.percentile(loose, 95) > 1e-3 * size


@pytest.mark.parametrize(("joint", "degrees"), [("RightUpLeg", 70.0), ("RightUpLeg", 100.0), ("LeftUpLeg", 70.0)])
def test_skin_beside_each_other_on_two_bones_stays_smooth(joint, degrees):
    """Under a raised thigh half of the skin has the hips for its own bone; correction drew that to another place."""
    hero = supple.character("hero", vertices=4000)
    turn = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], np.radians(-degrees))
    pose = Pose.from_rotations(hero.skeleton, {joint: turn})
    around = Surface.from_character(hero).around
    rings = np.diff(around.starts)
    own = np.repeat(np.arange(len(hero.points)), rings)

    def roughness(points):
        """How far each vertex is from the middle of its ring, beyond what it is at rest."""
        off = [
            [np.bincount(own, shape[around.indices, axis], len(rings)) / rings - shape[:, axis] for axis in range(3)]
            for shape in (points, hero.points)
        ]
        posed, rest = np.linalg.norm(off, axis=1)
        return (posed - rest).max()

    kinematic, corrected = (
        roughness(supple.player(hero, skin).advance(pose)) for skin in (supple.DualQuaternion(), IncrementalRotation())
    )
    assert corrected < 0.8 * kinematic
