"""What springs to the bone draw towards: the first stage, where it hangs on bones as they do."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import Graph, IncrementalRotation, LinearBlend, SpringDynamics, SpringRig
from supple.errors import InputError
from supple.graph.mask import Mask
from supple.motion.pose import Pose


def grown(tube, by=0.6):
    """The second joint moved out along the first bone."""
    world = tube.skeleton.world_from_joint.copy()
    world[1:, 1, 3] += by
    return Pose(world)


def girth(tube, points):
    """The mean distance [m] from the axis of the middle of the first bone."""
    middle = (tube.points[:, 1] > 0.3) & (tube.points[:, 1] < 0.7)
    return float(np.linalg.norm(points[middle][:, [0, 2]], axis=1).mean())


@pytest.fixture(scope="module")
def tube():
    return make_tube(bones=2, rings=65)


@pytest.mark.parametrize("springs", [SpringRig(), SpringDynamics()], ids=["rig", "dynamics"])
def test_squash_of_the_first_stage_stays(springs, tube):
    """A limb that the first stage thins keeps that girth, to a hundredth of what squash did."""
    pose, squash = grown(tube), IncrementalRotation(squash=1.0)
    plain = girth(tube, supple.player(tube, IncrementalRotation()).advance(pose))
    thin = girth(tube, supple.player(tube, squash).advance(pose))
    assert thin < 0.85 * plain
    found = girth(tube, supple.player(tube, Graph.chain(squash, springs)).advance(pose))
    assert abs(found - thin) < 0.01 * (plain - thin)
    without = girth(tube, supple.player(tube, Graph.chain(IncrementalRotation(), springs)).advance(pose))
    assert abs(without - plain) < 0.01 * (plain - thin)


def test_squash_that_comes_and_goes_leaves_no_trace(tube):
    player = supple.player(tube, Graph.chain(IncrementalRotation(squash=1.0), SpringRig()))
    before = player.advance(Pose.rest(tube.skeleton))
    player.advance(grown(tube))
    assert player.advance(Pose.rest(tube.skeleton)).tobytes() == before.tobytes()


def test_a_usual_first_stage_is_what_springs_pose_for_themselves(tube):
    bent = Pose.from_rotations(tube.skeleton, {"bone1": [0.0, 0.0, np.sin(0.5), np.cos(0.5)]})
    chained = supple.player(tube, Graph.chain(IncrementalRotation(), SpringRig())).advance(bent)
    assert chained.tobytes() == supple.player(tube, SpringRig()).advance(bent).tobytes()


def played(*skins):
    return Graph.chain(*skins).played.stages[-1].work


def test_a_first_stage_without_bones_to_hang_on_is_only_a_start():
    """Where linear blend collapses and a rigid skin tears, springs are there to mend it."""
    assert played(LinearBlend(), SpringRig()).aim == "automatic"
    assert played(IncrementalRotation.preset("rigid"), SpringRig()).aim == "automatic"
    assert played(IncrementalRotation(), SpringRig()).aim == "first-stage"
    assert played(IncrementalRotation(), supple.DeltaMush(), SpringRig()).aim == "first-stage"
    assert played(IncrementalRotation(), SpringRig(aim="incremental")).aim == "incremental"
    assert played(LinearBlend(), SpringRig(aim="first-stage")).aims_at_incoming
    with pytest.raises(InputError, match="aim is 'linear'"):
        SpringRig(aim="linear")


def test_a_blend_of_two_first_stages_is_only_a_start():
    mixed = Graph.blend(IncrementalRotation(), LinearBlend(), Mask(amount=0.5)).then(SpringRig())
    assert mixed.played.stages[-1].work.aim == "automatic"
    same = Graph.blend(IncrementalRotation(), Graph.chain(IncrementalRotation(), supple.DeltaMush()), Mask(amount=0.5))
    assert same.then(SpringRig()).played.stages[-1].work.aim == "first-stage"


def test_aiming_at_linear_blend_keeps_its_collapse(tube):
    """Told to, springs draw towards any first stage."""
    half = np.sin(1.1), np.cos(1.1)
    twist = Pose.from_rotations(tube.skeleton, {"bone1": [0.0, half[0], 0.0, half[1]]})
    least = {}
    for aim in ("automatic", "first-stage"):
        found = supple.player(tube, Graph.chain(LinearBlend(), SpringRig(aim=aim))).advance(twist)
        side = np.linalg.norm(tube.points[:, [0, 2]], axis=1) > 0.2
        least[aim] = np.linalg.norm(found[side][:, [0, 2]], axis=1).min()
    assert least["first-stage"] < 0.8 * least["automatic"]
