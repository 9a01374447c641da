"""Files that settings of a skin name: a trained model, a scene of obstacles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from supple.errors import InputError
from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.io.gltf.obstacles import load_obstacles
from supple.obstacles import Scene, load_scene
from supple.skins.base import AnySkin
from supple.skins.contact.scenes import SCENES
from supple.skins.contact.skin import ArticulatedContact
from supple.skins.curves.dynamic_skin import CurveDynamics
from supple.skins.curves.learn.model_file import load_curves
from supple.skins.curves.skin import CurveNetwork
from supple.skins.pose_space.dynamic_skin import PoseSpaceDynamics
from supple.skins.pose_space.model_file import load_pose_space
from supple.skins.pose_space.skin import PoseSpace


def graph_with_files(graph: Graph) -> Graph:
    """A graph whose skins have all that their settings name files of."""
    stages = (
        stage if isinstance(stage.work, Mask) else replace(stage, work=with_files(stage.work)) for stage in graph.stages
    )
    return Graph(tuple(stages), graph.muted)


def files_named(skin: AnySkin) -> list[str]:
    """The files that its settings name and that were not read yet."""
    found: list[str] = []

    def note(path: str) -> str:
        found.append(path)
        return path

    with_paths(skin, note)
    return found


def graph_with_paths(graph: Graph, change: Callable[[str], str]) -> Graph:
    """A graph whose skins name other files: `change` is given each path and says what stands in its place."""
    stages = (
        stage if isinstance(stage.work, Mask) else replace(stage, work=with_paths(stage.work, change))
        for stage in graph.stages
    )
    return Graph(tuple(stages), graph.muted)


def with_paths(skin: AnySkin, change: Callable[[str], str]) -> AnySkin:
    """A skin whose settings name other files, where they name any that were not read yet."""
    if isinstance(skin, CurveNetwork | CurveDynamics | PoseSpace | PoseSpaceDynamics):
        return replace(skin, model=change(skin.model)) if skin.model and skin.trained is None else skin
    if isinstance(skin, ArticulatedContact) and skin.scene and not skin.obstacles and skin.scene not in SCENES:
        file, colon, names = _scene_file(skin.scene)
        return replace(skin, scene=f"{change(file)}{colon}{names}")
    return skin


def _scene_file(scene: str) -> tuple[str, str, str]:
    """A scene's file, and the nodes of it that are named behind a colon."""
    return scene.partition(":") if not Path(scene).exists() else (scene, "", "")


def with_files(skin: AnySkin) -> AnySkin:
    """A skin with all that its settings name files of: a trained model, a scene of obstacles."""
    return with_scene(with_model(skin))


def with_model(skin: AnySkin) -> AnySkin:
    """A skin that learns, with its model read from the file that its setting `model` names; others as they are."""
    if isinstance(skin, CurveNetwork | CurveDynamics) and skin.model:
        return replace(skin, trained=load_curves(skin.model))
    if isinstance(skin, PoseSpace | PoseSpaceDynamics) and skin.model:
        return replace(skin, trained=load_pose_space(skin.model))
    return skin


def with_scene(skin: AnySkin) -> AnySkin:
    """A skin of contact with the obstacles of the file that its setting `scene` names; other skins as they are.

    FILE.json is a scene file; FILE.glb:Ball,Wall are nodes of a glTF file, as they move in its first clip.
    """
    if not isinstance(skin, ArticulatedContact) or not skin.scene or skin.obstacles or skin.scene in SCENES:
        return skin
    file, _, names = _scene_file(skin.scene)
    if Path(file).suffix.lower() in (".glb", ".gltf"):
        chosen = [name.strip() for name in names.split(",") if name.strip()]
        if not chosen:
            raise InputError(
                "--scene",
                f"{skin.scene!r} names no nodes",
                "nodes of a glTF file become obstacles",
                f"write {file}:Ball,Wall",
            )
        return replace(skin, obstacles=load_obstacles(file, chosen))
    if Path(file).suffix.lower() != ".json":
        known = ", ".join(SCENES)
        raise InputError(
            "--scene",
            f"{skin.scene!r} was given",
            f"the built-in scenes are {known}",
            "use one of those, a scene file (.json), or nodes of a glTF file (room.glb:Ball)",
        )
    scene = load_scene(skin.scene)
    return replace(skin, obstacles=scene.obstacles, gravity=_gravity(scene, skin))


def _gravity(scene: Scene, skin: ArticulatedContact) -> float:
    """The gravity [m/s²] that a scene file or the skin says; where both do, they have to agree."""
    x, down, z = scene.gravity.tolist()
    if x or z or down > 0.0:
        given = f"its gravity is {[x, down, z]}"
        raise InputError(skin.scene, given, "a character falls along y alone, downwards", "write [0, -9.81, 0]")
    usual = type(skin)().gravity
    if -down == usual:
        return skin.gravity
    if skin.gravity not in (usual, -down):
        given = f"its gravity is {-down:g} m/s², and that of the skin {skin.gravity:g}"
        raise InputError(skin.scene, given, "they have to agree", "leave out one of them")
    return float(-down)
