"""What a skin keeps of its volume by itself, before the last of the error is closed along its normals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.enclosure import enclosing_triangles
from supple.character.character import Character
from supple.graph.cache import Cache
from supple.graph.graph import Graph, Stage
from supple.graph.player import Player
from supple.measure.flesh.limb_volume import limb_volume_ratio
from supple.measure.volume import volume_ratio
from supple.settings import changed, flattened
from supple.skins.base import AnySkin

KEEPER = "keep_volume"


@dataclass(frozen=True, eq=False)
class VolumeByItself:
    """Volumes in every frame (F,) of the same skin with `keep_volume` off, of the whole and by limb, of rest."""

    whole: FloatArray
    limbs: dict[str, FloatArray]


def without_keeper(graph: Graph) -> Graph | None:
    """The same graph with every `keep_volume` off; none if there is none that is on."""
    stages = tuple(_unkept(stage) for stage in graph.stages)
    return None if stages == graph.stages else replace(graph, stages=stages)


def volume_by_itself(character: Character, cache: Cache) -> VolumeByItself | None:
    """Play a bake once more without its keeper; none where it has none, or holds what settings do not tell.

    Only the poses of its frames are known: where flesh takes several steps in a frame, joints turn evenly in between.
    """
    graph = without_keeper(cache.graph)
    held = any("beside" in stage for stage in cache.info["graph"]["stages"])
    if graph is None or held or not len(cache):
        return None
    player = Player(character, graph, fps=cache.fps)
    points = np.array([player.advance(cache.pose(frame)) for frame in range(len(cache.points))])
    enclosed, _ = enclosing_triangles(character.points, character.triangles)
    whole = volume_ratio(points, character.points, enclosed if len(enclosed) else character.triangles)
    return VolumeByItself(whole, limb_volume_ratio(points, character))


def _unkept(stage: Stage) -> Stage:
    if not isinstance(stage.work, AnySkin):
        return stage
    kept = {name: False for name, value in flattened(stage.work).items() if name.endswith(KEEPER) and value is True}
    return replace(stage, work=changed(stage.work, kept)) if kept else stage
