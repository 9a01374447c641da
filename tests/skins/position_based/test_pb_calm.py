"""Flesh does not snap: it takes time to come to where it settles, and is led out of other flesh gently."""

import numpy as np
import pytest
import warp as wp

import supple
from supple import Pose, PositionBased
from supple import device as devices
from supple.skins.position_based.contact.contact_arrays import HeldContacts
from supple.skins.position_based.contact.detection_kernels import lowest_height

FloatArray = wp.array(dtype=wp.float32)
ROOM = 0.1  # m


@pytest.fixture(scope="module")
def arm():
    return supple.character("arm", vertices=900)


def _corrections(arm, step, steps):
    """How far flesh settles, and how far it is (F, P, 3), after a bend that takes no time."""
    skin = PositionBased(tetrahedra=1000, jiggle=0.0, contact="off", step=step)
    player = supple.player(arm, skin, fps=1.0 / step)
    bent = supple.motion("bend", arm, angle=np.radians(80.0), hold=True).sample(10.0)
    player.advance(Pose.rest(arm.skeleton))
    found, gone = [], []
    for _ in range(steps):
        player.advance(bent)
        memory = player._nodes[-1].state.memory
        found.append(memory.corrections.numpy().copy())
        gone.append(memory.yielded.numpy().copy())
    return np.array(found, dtype=float), np.array(gone, dtype=float)


@pytest.mark.parametrize("rate", [60, 240])
def test_flesh_takes_time_to_come_to_where_it_settles(arm, rate):
    found, gone = _corrections(arm, 1.0 / rate, rate)
    whole = np.linalg.norm(gone[-1])
    assert whole > 0.02
    assert np.linalg.norm(gone[0]) < 0.4 * whole
    assert np.linalg.norm(gone[-1] - found[-1]) < 1e-3 * whole
    before = np.concatenate([np.zeros((1, *found.shape[1:])), gone[:-1]])
    share = 1.0 - np.exp(-1.0 / rate / 0.02)  # of what is left, the same in a second whatever the step
    np.testing.assert_allclose(gone - before, share * (found - before), atol=1e-6)


@wp.kernel(enable_backward=False)
def _lowest(held: HeldContacts, firmness: FloatArray, lowest: FloatArray):
    i = wp.tid()
    lowest[i] = lowest_height(held, firmness[i])


def test_what_is_deep_is_led_out_more_and_more_slowly():
    firmness = np.linspace(0.0, 1.0, 101)
    heights = wp.zeros(len(firmness), dtype=wp.float32, device="cpu")
    held = devices.fill_struct(HeldContacts(), room=ROOM)
    put = devices.to_device(firmness.astype(np.float32), wp.float32, "cpu")
    wp.launch(_lowest, dim=len(firmness), inputs=[held, put, heights], device="cpu")
    lowest = heights.numpy()
    assert lowest[0] == pytest.approx(-ROOM)
    assert lowest[-1] == 0.0
    pace = np.diff(lowest)
    assert (pace > 0.0).all()
    assert (np.diff(pace) < 0.0).all()
    assert pace[-1] < 0.02 * pace[0]
