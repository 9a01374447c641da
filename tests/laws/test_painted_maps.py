"""Every map that a skin reads is declared, with values that it takes where none is painted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

import supple
from supple.character.character import Character
from supple.errors import InputError
from supple.skins.curves.skin import CurveSettings
from supple.skins.pose_space.skin import PoseSpaceSettings
from supple.skins.registry import SKINS

FEW = {
    "lattice": {"voxels.resolution": 16},
    "position-based": {"tetrahedra": 300},
    "contact": {"elements": 300},
    "springs": {"iterations": 2},
    "spring-dynamics": {"iterations": 2},
}
# Those that learn want a model.
READY = [name for name, kind in SKINS.items() if not issubclass(kind, CurveSettings | PoseSpaceSettings)]


class Watched(Mapping[str, np.ndarray]):
    """Maps that note by which names they were asked; going through all of them is no question."""

    def __init__(self, maps: Mapping[str, np.ndarray], asked: set[str]) -> None:
        self._maps, self._asked = maps, asked

    def __getitem__(self, name: str) -> np.ndarray:
        self._asked.add(name)
        return self._maps[name]

    def __contains__(self, name: object) -> bool:
        self._asked.add(str(name))
        return name in self._maps

    def get(self, name, default=None):
        self._asked.add(name)
        return self._maps.get(name, default)

    def items(self):
        return self._maps.items()

    def __iter__(self) -> Iterator[str]:
        return iter(self._maps)

    def __len__(self) -> int:
        return len(self._maps)


@pytest.fixture
def asked(monkeypatch):
    """The names of maps that anybody asks characters for from now on."""
    names: set[str] = set()
    freeze = Character._freeze_maps

    def watch(self: Character) -> None:
        freeze(self)
        object.__setattr__(self, "maps", Watched(self.maps, names))

    monkeypatch.setattr(Character, "_freeze_maps", watch)
    return names


def skin_of(name: str):
    return SKINS[name](**FEW.get(name, {}))


@pytest.mark.parametrize("name", READY)
def test_maps_that_are_read_are_declared(name, asked):
    tube = supple.character("tube", vertices=600)
    bare = tube.replace(maps={"decoy": np.zeros(len(tube.points))})
    asked.clear()
    player = supple.player(bare, skin_of(name))
    for time in (0.0, 0.05):
        player.play(supple.motion("bend", bare), time)
    maps = SKINS[name].maps
    known = {*maps, *(info.formerly for info in maps.values())}
    assert asked <= known
    assert {name for name, info in maps.items() if info.smooth} <= asked


@pytest.mark.parametrize("name", READY)
def test_what_is_usual_may_be_painted(name):
    """A map painted as it usually is changes little, and its values are in the range that is declared."""
    tube = supple.character("tube", vertices=600)
    bare = tube.replace(maps={})
    skin = skin_of(name)
    player = supple.player(bare, skin)
    assert player.maps().keys() == skin.maps.keys()
    for label, info in skin.maps.items():
        assert info.label
        assert info.low < info.high
        values = player.map_values(label)
        assert values.shape == (len(bare.points),)
        assert np.isfinite(values).all()
        assert info.low <= values.min()
        assert values.max() <= info.high
        if info.default is not None:
            assert (values == info.default).all()
        player.paint(label, values)
        assert np.array_equal(player.map_values(label), values)


def test_a_map_that_nobody_reads_is_refused_by_name():
    tube = supple.character("tube", vertices=600)
    player = supple.player(tube, supple.LinearBlend())
    with pytest.raises(InputError, match="it reads none"):
        player.map_values("jiggle")
    springs = supple.player(tube, supple.SpringRig(iterations=2))
    with pytest.raises(InputError, match="it reads stiffness"):
        springs.map_values("colour")


def test_regions_that_settings_name_are_maps_too():
    tube = supple.character("tube", vertices=600)
    soft = tube.replace(maps={"belly": np.zeros(len(tube.points))})
    skin = supple.PositionBased(tetrahedra=300, regions="belly=0.2")
    assert "belly" in skin.maps_on(soft)
    assert "belly" not in skin.maps_on(tube)


@pytest.mark.parametrize("make", [lambda: supple.LayeredLattice(resolution=24), lambda: supple.PositionBased()])
def test_no_jiggle_painted_holds_the_flesh_to_the_bones(make):
    hero = supple.character("hero", vertices=1500)
    walk = supple.motion("walk", hero)
    times = np.arange(0.0, 0.6, 1.0 / 60.0)

    def swing(character):
        skins = [supple.player(character, one) for one in (make(), supple.LinearBlend())]
        far = 0.0
        for time in times:
            soft, stiff = (player.play(walk, time).copy() for player in skins)
            far = max(far, float(np.linalg.norm(soft - stiff, axis=1).mean()))
        return far

    firm, loose = (swing(hero.replace(maps={**hero.maps, "jiggle": np.full(len(hero.points), v)})) for v in (0.0, 1.0))
    assert firm < 0.6 * loose
