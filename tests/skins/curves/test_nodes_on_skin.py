"""Nodes of curves lie on skin: limbs that rays cannot reach get no curves."""

from dataclasses import replace

import numpy as np
import pytest

import supple
from supple.character.anatomy.limbs import find_limbs
from supple.errors import SuppleWarning
from supple.skins.curves.network.curve_network import curve_network


def test_a_limb_whose_bones_lie_outside_it_gets_no_curves():
    """An arm whose bones are taken to lie half a metre away: rays from there meet next to nothing of it."""
    hero = supple.character("hero", vertices=3000)
    limbs = find_limbs(hero)
    arm = next(limb for limb in limbs if "arm" in limb.name)
    aside = replace(arm, path=arm.path + np.array([0.0, 0.0, 0.5]))
    with pytest.warns(SuppleWarning, match="left out"):
        made = curve_network(hero, limbs=[aside if limb is arm else limb for limb in limbs])
    assert arm.name not in [part.name for part in made.parts]
    assert min(part.found.mean() for part in made.parts) >= 0.5


@pytest.mark.parametrize("name", ["spider-animations.glb", "bird-animations.glb", "fox-animations.glb"])
@pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")
def test_nodes_that_lie_on_no_skin_are_few(name, data_file):
    character = supple.load(data_file(f"gltf/{name}"))
    made = curve_network(character, nodes_per_vertex=0.5)
    assert len(made) <= 0.5 * len(character.points)
    assert np.concatenate([part.found.ravel() for part in made.parts]).mean() > 0.9
