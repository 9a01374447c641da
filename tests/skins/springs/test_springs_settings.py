"""Settings of skins that hang on bones: how they are grouped, and the names that some of them had."""

import json

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import IncrementalRotation, SpringDynamics, SpringRig
from supple.geometry import quaternions
from supple.geometry.topology import kept_edges
from supple.settings import settings_of
from supple.skins.springs.settings import LooseStiffness, Stiffness

DEFAULTS = {"edges": 1.0, "relative_radius": 0.8, "bend": 1.0, "radius": 2.0, "bones": 0.1, "twist": 2.0}
OLD = {"lengths": 0.7, "turns": 0.9, "girth": 3.0, "hold": 0.4, "edges": 1.3, "bones": 0.2}
NEW = {"relative_radius": 0.7, "bend": 0.9, "radius": 3.0, "twist": 0.4, "edges": 1.3, "bones": 0.2}


def test_defaults_are_those_that_were_measured():
    rig = SpringRig()
    assert rig.stiffness == Stiffness(**DEFAULTS)
    assert SpringDynamics().stiffness == LooseStiffness(
        **{**DEFAULTS, "relative_radius": 0.5, "radius": 2.0, "twist": 2.0}
    )
    assert rig.solver == "factored"
    assert (rig.iterations, rig.step_scale, rig.momentum, rig.until, rig.threshold) == (50, 1e3, 0.9, "sweeps", 1e-4)


@pytest.mark.parametrize("skin", [IncrementalRotation, SpringRig, SpringDynamics])
def test_no_level_has_more_than_nine_settings(skin):
    levels = [info.name.rpartition(".")[0] for info in settings_of(skin)]
    assert max(levels.count(level) for level in levels) <= 9


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_names_give_the_same_skins():
    assert SpringRig(**OLD, pace=0.5, swing=0.2) == SpringRig(stiffness=NEW, step_scale=0.5, momentum=0.2)
    assert SpringDynamics(**OLD) == SpringDynamics(stiffness=NEW)
    assert set(SpringRig.renamed) == {"lengths", "turns", "girth", "hold", "pace", "swing"}
    assert set(SpringDynamics.renamed) == {"lengths", "turns", "girth", "hold"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("skin", "old"),
    [(SpringRig(stiffness=NEW, momentum=0.2), {**OLD, "swing": 0.2}), (SpringDynamics(stiffness=NEW), OLD)],
)
def test_a_graph_with_old_names_is_the_same_graph(skin, old):
    graph = supple.Graph.chain(skin)
    data = json.loads(json.dumps(graph.to_dict()))
    stage = data["stages"][-1]
    assert stage["settings"].pop("stiffness") == NEW
    stage["settings"].pop("momentum", None)
    stage["settings"].update(old)
    data["version"] = 1
    assert supple.Graph.from_dict(data) == graph


def test_maps_painted_for_a_spring_count_by_its_old_name_too():
    tube = make_tube(rings=9, sectors=8, bones=2)
    upper = np.where(tube.points[:, 1] > 0.5, 0.1, 1.0)
    bound = [
        SpringRig().bind(tube.replace(maps=maps), "cpu").tune(Stiffness()).bone
        for maps in ({}, {"stiffness_girth": upper}, {"stiffness_radius": upper})
    ]
    assert np.array_equal(bound[1], bound[2])
    assert not np.array_equal(bound[0], bound[1])


def test_stiffness_is_seen():
    """A thigh raised by 100 degrees: firm springs to the bone leave incremental rotation as it is, taut skin is drawn
    centimetres off it, and edges are drawn out less.
    """
    hero = supple.character("hero", vertices=3000)
    turn = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], -np.radians(100.0))
    pose = supple.Pose.from_rotations(hero.skeleton, {"LeftUpLeg": turn})
    first = supple.player(hero, supple.IncrementalRotation()).advance(pose)
    one, other = kept_edges(hero.triangles).T
    rest = np.linalg.norm(hero.points[one] - hero.points[other], axis=1)
    skins = {
        "firm": SpringRig(stiffness={"radius": 20.0, "twist": 20.0}),
        "usual": SpringRig(),
        "taut": SpringRig.preset("taut"),
    }
    away, longest = {}, {}
    for name, skin in skins.items():
        points = supple.player(hero, skin).advance(pose)
        away[name] = np.quantile(np.linalg.norm(points - first, axis=1), 0.95)
        longest[name] = np.quantile(np.linalg.norm(points[one] - points[other], axis=1) / rest, 0.999)
    assert away["firm"] < 0.001
    assert away["taut"] > 0.01
    assert away["firm"] < away["usual"] < 0.3 * away["taut"]
    assert longest["taut"] < 0.85 * longest["usual"]
