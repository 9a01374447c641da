"""Measures painted on the skin, against cases with a known answer."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import LinearBlend, Motion, Pose
from supple.errors import InputError
from supple.measure.vertex_measures import VERTEX_MEASURES, measure_vertices


def still(character, poses):
    """A bake of one frame per pose, under linear blend."""
    motion = Motion.from_poses(character.skeleton, lambda t: poses[round(t)], seconds=len(poses) - 1.0, fps=1.0)
    return supple.bake(character, motion, LinearBlend())


@pytest.fixture(scope="module")
def tube():
    return make_tube(rings=33, sectors=16)


def grown(character, factor):
    return Pose.rest(character.skeleton).moved(np.diag([factor, factor, factor, 1.0]))


def test_a_scaled_body_is_stretched_alike_everywhere(tube):
    values = measure_vertices(still(tube, [Pose.rest(tube.skeleton), grown(tube, 1.5)]), "stretch")
    assert values.shape == (2, len(tube.points))
    assert np.abs(values[0]).max() < 1e-5
    assert np.allclose(values[1], 1.5**2 - 1.0, atol=1e-4)


def test_linear_blend_has_not_moved_from_itself_and_another_skin_has(tube):
    twist = supple.motion("twist", tube, angle=2.0, seconds=1.0, fps=4.0, hold=True)
    assert np.abs(measure_vertices(supple.bake(tube, twist, LinearBlend()), "moved")).max() == 0.0
    cache = supple.bake(tube, twist, supple.DualQuaternion())
    expected = np.linalg.norm(cache.points - supple.bake(tube, twist, LinearBlend()).points, axis=2)
    assert np.allclose(measure_vertices(cache, "moved"), expected, atol=1e-7)
    assert expected.max() > 0.05


def test_depth_is_zero_outside_and_positive_where_a_limb_folds_into_itself(tube):
    bend = supple.motion("bend", tube, angle=2.8, seconds=1.0, fps=1.0, hold=True)
    values = measure_vertices(supple.bake(tube, bend, LinearBlend()), "depth")
    assert values[0].max() == 0.0
    assert 0.0 < values[1].max() < 0.5


def test_only_what_is_known_can_be_painted(tube):
    with pytest.raises(InputError, match="there are stretch, moved, depth, pressure"):
        measure_vertices(still(tube, [Pose.rest(tube.skeleton), grown(tube, 1.0)]), "love")
    assert set(VERTEX_MEASURES) == {"stretch", "moved", "depth", "pressure"}
