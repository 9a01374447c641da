"""Settings of flesh: how they are grouped, and the names that some of them had."""

import json
import math

import pytest

import supple
from supple import PositionBased
from supple.errors import InputError
from supple.settings import flattened, settings_of
from supple.skins.position_based.settings import Swing

DEFAULTS = {
    "step": 1.0 / 60.0, "tetrahedra": 5000, "iterations": 8, "warm_up": 10, "jiggle": 1.0, "regions": {},
    "solve.volume": 0.9, "solve.stretch": 0.4, "solve.bone_stiffness": 0.5,
    "solve.one_sided": True, "solve.correction_time": 1.0, "swing.frequency": 3.5,
    "swing.damping": 0.2, "swing.max_offset": 0.5, "swing.dynamic_iterations": 3, "swing.dynamic_stretch": 0.03,
    "swing.gravity": 9.81, "swing.rest_includes_gravity": True, "swing.drag": 0.0, "collision.contact": "on-demand",
    "collision.contact_angle": 2.0 * math.pi / 3.0, "collision.contact_stiffness": 1.0, "skinning.base": "linear",
    "skinning.weights": "carried", "skinning.smooth": True, "skinning.limb_volume": 0.4,
    "skinning.keep_volume": True,
}  # fmt: skip
OLD = {
    "lively_rounds": 2, "lively_stretch": 0.1, "reach": 0.7, "sculpted": False, "bond": 0.6, "slack": False,
    "memory": 2.0,
}  # fmt: skip
NEW = {
    "swing": {"dynamic_iterations": 2, "dynamic_stretch": 0.1, "max_offset": 0.7, "rest_includes_gravity": False},
    "solve": {"bone_stiffness": 0.6, "one_sided": False, "correction_time": 2.0},
}


def test_defaults_are_those_that_were_measured():
    assert flattened(PositionBased()) == DEFAULTS


def test_no_level_has_more_than_nine_settings():
    levels = [info.name.rpartition(".")[0] for info in settings_of(PositionBased)]
    assert max(levels.count(level) for level in levels) <= 9


def test_a_setting_needs_no_group():
    assert PositionBased(frequency=2.0) == PositionBased(swing=Swing(frequency=2.0))
    leaves = [info.name.rpartition(".")[2] for info in settings_of(PositionBased)]
    assert len(set(leaves)) == len(leaves)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_names_give_the_same_skin():
    assert set(OLD) == set(PositionBased.renamed)
    assert PositionBased(**OLD) == PositionBased(**NEW) != PositionBased()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_graph_with_old_names_is_the_same_graph():
    graph = supple.Graph.chain(PositionBased(**NEW, regions={"belly": 0.2}, contact="full", gravity=0.0))
    data = json.loads(json.dumps(graph.to_dict()))
    stage = data["stages"][-1]
    flat = {"regions": "belly=0.2", "contact": "full", "gravity": 0.0, "tetrahedra": 5000, **OLD}
    stage["settings"] = flat
    data["version"] = 1
    assert supple.Graph.from_dict(data) == graph


def test_a_stiffness_without_a_region_is_refused():
    with pytest.raises(InputError, match=r"regions has 0\.5 without a name"):
        PositionBased(regions=0.5)
