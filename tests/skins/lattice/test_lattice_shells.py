"""Shells on a lattice hang on what they lie on, and hard ones stay whole, on a rig whose names say nothing."""

import numpy as np
from tests.characters.test_anatomy import body_with_belt_and_sword

import supple


def played(character, motion, skin, frames=20):
    player = supple.player(character, skin, fps=30.0)
    return np.array([np.array(player.advance(motion.sample(k / 30.0)), dtype=float) for k in range(frames)])


def test_a_belt_hangs_on_the_body_and_hard_things_stay_whole():
    character, sizes = body_with_belt_and_sword()
    bend = supple.motion("bend", character, angle=np.radians(40.0))
    linear, flesh = (
        played(character, bend, skin) for skin in (supple.LinearBlend(), supple.LayeredLattice(resolution=40))
    )
    moved, shells = flesh - linear, character.anatomy.shells
    assert np.abs(moved[:, : sizes[0]]).max() > 0.002
    cloth = np.arange(sizes[0], sizes[1])
    on_body = np.einsum("vk,fvki->fvi", shells.host_weights[cloth], moved[:, shells.hosts[cloth]])
    assert np.abs(moved[:, cloth] - on_body).max() < 1e-5
    for first, last in ((sizes[1], sizes[2]), (sizes[2], sizes[3])):
        bones, now = (np.linalg.norm(x[:, first:last] - x[:, first : first + 1], axis=2) for x in (linear, flesh))
        assert np.abs(now - bones).max() < 1e-5
