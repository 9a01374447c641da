"""A small photo studio: one character, three lights, a soft shadow, no screen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray, frozen
from supple.character.shading import Shading
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry.normals import creases
from supple.motion.pose import Pose
from supple.obstacles.things import Thing
from supple.render.backdrop import Backdrop
from supple.render.bones import bone_mesh
from supple.render.camera import Camera
from supple.render.colors import map_colors
from supple.render.extra import load_library
from supple.render.occlusion import ambient_visibility
from supple.render.quality import PICTURE, Quality
from supple.render.shading import Light, shade
from supple.render.shadow import ground_shadow, samples
from supple.render.sheet import Picture, save_picture

Bytes = NDArray[np.uint8]
CLAY = "#dcb8a2"
_BONE, _THING = "#3f6592", "#8797a8"
_ROUGHNESS = 0.52
_FINE = 40.0  # pixels of the picture for every triangle of the skin, below which light is worked out at vertices
_DARKEST = 0.22  # share of its colour that a place keeps which sees nothing but skin
_GLASS = 0.22  # how much of what is behind it a thing hides that is seen through
_PART = 4  # a thing has this part of the places that the skin has which throw shadows
_FINER = 2  # rendered this many times larger and averaged down, which smooths every edge
_LIGHTS: tuple[tuple[tuple[float, float, float], float, str], ...] = (
    ((-0.75, 1.1, 0.75), 3.1, "#fff1e0"),  # key
    ((1.0, 0.25, 0.7), 0.55, "#d8e6ff"),  # fill
    ((0.7, 0.8, -1.0), 2.2, "#ffffff"),  # rim
    ((0.0, -1.0, 0.35), 0.35, "#f6e3d4"),  # what the ground throws back
)
"""Directions from the character towards the lights as seen from the camera (right, up, back), strength, colour."""
_TOWARD_SHADOW_LIGHT = np.array([-0.16, 1.5, 0.34])  # steeper than the key: shadows stay by the feet


class Renderer:
    """Draws one mesh again and again as it moves; making it is slow, drawing a frame is not.

    `rest_points` (V, 3) decide where the surface has creases: edges sharper than `crease` [rad] there stay sharp; a
    `shading` of the same triangles (`supple.character.shading`) says instead with which normals they are drawn.
    `ground` is its height [m]; without being told, it is where the lowest of these points is. `size` is width and
    height in pixels; `quality` may be lowered for films. Use it in a `with` block, or call `close()`.
    """

    def __init__(
        self,
        rest_points: ArrayLike,
        triangles: ArrayLike,
        *,
        size: tuple[int, int] = (720, 900),
        color: str = CLAY,
        crease: float = math.pi / 3.0,
        ground: float | bool | None = True,
        quality: Quality = PICTURE,
        shading: Shading | None = None,
    ) -> None:
        where = "Renderer"
        self._rest = frozen(rest_points, np.float64, (-1, 3), where, "rest_points")
        self._triangles = frozen(triangles, np.int32, (-1, 3), where, "triangles")
        named = self._triangles if self._triangles.size else np.array([-1])
        if named.min() < 0 or named.max() >= len(self._rest):
            raise InputError(
                where,
                f"there are {len(self._triangles)} triangles over {len(self._rest)} points",
                "at least one is needed, and all must name points that exist",
                "pass points and triangles of one mesh",
            )
        if not (len(size) == 2 and all(8 <= side <= 8192 for side in size)):
            raise InputError(where, f"size is {size}", "width and height are 8 to 8192 pixels", "try (720, 900)")
        self.size = (int(size[0]), int(size[1]))
        self._shading = creases(self._rest, self._triangles, angle=crease) if shading is None else shading
        self._quality = quality
        self._samples = samples(self._rest, self._triangles, count=quality.samples)
        self._height = max(float(np.ptp(self._rest, axis=0).max()), 1e-6)
        self._ground = _height(ground, self._rest)
        self._color = color
        fine = self.size[0] * self.size[1] <= _FINE * len(self._triangles)
        self._lit_at_vertices = quality.vertex_light and fine
        self._pyvista = load_library("pyvista")
        with _quiet(self._pyvista):
            self._open()

    def _open(self) -> None:
        pv = self._pyvista
        try:
            wanted = pv.Color(self._color)
        except ValueError:
            given = f"color is {self._color!r}"
            raise InputError("Renderer", given, "a name or '#rrggbb' is needed", f"try {CLAY!r}") from None
        window = (self.size[0] * _FINER, self.size[1] * _FINER)
        self._plotter = pv.Plotter(off_screen=True, window_size=window, lighting="none")
        self._plotter.render_window.SetMultiSamples(self._quality.multisamples)
        self._plotter.render_window.AlphaBitPlanesOn()
        self._plotter.set_background("black")  # and nothing of it: what is drawn is put in front of the paper
        self._plotter.renderer.SetBackgroundAlpha(0.0)
        self._backdrop = Backdrop(self.size)
        faces = np.concatenate([np.full((len(self._triangles), 1), 3), self._shading.normal_of_corner], axis=1)
        self._mesh = pv.PolyData(self._rest[self._shading.vertex_of_normal].astype(np.float32), faces=faces)
        self._mesh.point_data["Normals"] = np.zeros((len(self._shading), 3), dtype=np.float32)
        self._plain = np.array(wanted.int_rgb, dtype=np.uint8)
        self._mesh.point_data["paint"] = np.tile(self._plain, (len(self._shading), 1))
        self._mesh.point_data.active_normals_name = "Normals"
        if self._lit_at_vertices:
            self._skin = self._plotter.add_mesh(self._mesh, scalars="paint", rgb=True, lighting=False)
        else:
            self._skin = self._plotter.add_mesh(
                self._mesh, scalars="paint", rgb=True, pbr=True, roughness=_ROUGHNESS, metallic=0.0
            )
        self._lights = [
            pv.Light(color=tint, intensity=strength, light_type="scene light") for _, strength, tint in _LIGHTS
        ]
        self._tints = [strength * np.array(pv.Color(tint).float_rgb) for _, strength, tint in _LIGHTS]
        for light in self._lights:
            light.positional = False
            self._plotter.add_light(light)
        self._bones: Any = None
        self._things: dict[Thing, Any] = {}
        self._thing_samples: dict[Thing, FloatArray] = {}

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the memory of the renderer back; it draws no more."""
        with _quiet(self._pyvista):
            self._plotter.close()

    def draw(
        self,
        points: ArrayLike,
        *,
        camera: Camera | None = None,
        values: ArrayLike | None = None,
        limits: tuple[float, float] | None = None,
        ramp: str = "heat",
        skeleton: tuple[Skeleton, Pose] | None = None,
        things: Sequence[tuple[Thing, FloatArray]] = (),
        normals: ArrayLike | None = None,
        ground: float | None = None,
        see_through: bool = False,
    ) -> Picture:
        """The skin at `points` (V, 3) as a picture (height, width, 3), bytes.

        Without a `camera`, one is chosen that frames these points. `values` (V,) are painted on the skin with the
        colours of `ramp` between `limits`. A `skeleton` in a pose shows through the skin. `things` stand beside it,
        each with its transform (4, 4). `normals` (N, 3) of the shading are found from the points where not given.
        `ground` [m] is where the ground is in this picture, if there is one. With `see_through` things hide nothing.
        """
        where = frozen(points, np.float64, self._rest.shape, "picture", "points")
        eye = Camera.framing(where, size=self.size) if camera is None else camera
        count = len(self._rest)
        plain = np.broadcast_to(self._plain, (count, 3))
        paint = plain if values is None else map_colors(values, count=count, ramp=ramp, limits=limits)
        solid = () if see_through else things
        blockers = np.concatenate([self._samples.at(where, self._triangles), *self._near(where, solid)])
        self._place_camera(eye)
        facing = self._shading.normals(where) if normals is None else np.asarray(normals, dtype=np.float64)
        self._show_skin(where, facing, paint, blockers, eye)
        with _quiet(self._pyvista):
            self._show_bones(skeleton)
            self._show_things(things, opacity=_GLASS if see_through else 1.0)
            self._plotter.render_window.Render()
            drawn = self._taken()
        level = self._ground if ground is None or self._ground is None else ground
        return self._backdrop.behind(drawn, self._shadow(blockers, level), eye=eye, ground=level or 0.0)

    def _taken(self) -> Picture:
        """What was drawn (height, width, 4): colours times how much of each pixel they cover, and that."""
        wide, high = self.size[0] * _FINER, self.size[1] * _FINER
        window, pixels = self._plotter.render_window, load_library("vtkmodules.vtkCommonCore").vtkUnsignedCharArray()
        window.GetRGBACharPixelData(0, 0, wide - 1, high - 1, 0, pixels)
        upside_down = load_library("vtkmodules.util.numpy_support").vtk_to_numpy(pixels)
        image = load_library("PIL.Image").frombuffer("RGBX", (wide, high), upside_down, "raw", "RGBX", 0, 1)
        return np.asarray(image.reduce(_FINER), dtype=np.uint8)[::-1]

    def _show_skin(
        self, points: FloatArray, facing: FloatArray, paint: Bytes, blockers: FloatArray, eye: Camera
    ) -> None:
        """Move the skin, and darken its colours where it sees little of the surroundings."""
        shown = points[self._shading.vertex_of_normal]
        corners = self._shading.normal_of_corner
        visibility = ambient_visibility(
            shown,
            facing,
            corners,
            blockers=blockers,
            height=self._height,
            directions=self._quality.directions,
            cells=self._quality.cells,
        )
        dimmed = paint[self._shading.vertex_of_normal] * (_DARKEST + (1.0 - _DARKEST) * visibility)[:, None]
        self._mesh.points = shown.astype(np.float32)
        if self._lit_at_vertices:
            lights = [
                Light(self._toward @ (np.array(direction) / np.linalg.norm(direction)), tint)
                for (direction, _, _), tint in zip(_LIGHTS, self._tints, strict=True)
            ]
            self._mesh.point_data["paint"] = shade(
                shown, facing, dimmed / 255.0, eye=eye.position, lights=lights, roughness=_ROUGHNESS
            )
        else:
            self._mesh.point_data["Normals"] = facing.astype(np.float32)
            self._mesh.point_data["paint"] = np.round(dimmed).astype(np.uint8)

    def _place_camera(self, eye: Camera) -> None:
        """The lights go where the camera goes, so that every picture is lit alike."""
        camera = self._plotter.camera  # VTK's own calls: PyVista's look at all that is drawn after each
        camera.SetPosition(eye.position)
        camera.SetFocalPoint(eye.target)
        camera.SetViewUp(0.0, 1.0, 0.0)
        camera.SetViewAngle(math.degrees(eye.view_angle))
        reach = eye.distance + 20.0 * self._height
        camera.SetClippingRange(0.01 * eye.distance, reach)
        self._toward = _level(eye)
        for light, (direction, _, _) in zip(self._lights, _LIGHTS, strict=True):
            light.focal_point = eye.target
            light.position = tuple(np.add(eye.target, reach * (self._toward @ direction)))

    def _shadow(self, blockers: FloatArray, ground: float | None) -> tuple[FloatArray, FloatArray, float] | None:
        """How dark the ground is, as `ground_shadow` says; None where there is none."""
        if ground is None or not len(blockers):
            return None
        return ground_shadow(
            blockers[:: self._quality.shadow_every],
            ground=ground,
            toward_light=self._toward @ _TOWARD_SHADOW_LIGHT,
            height=self._height,
            cells=self._quality.shadow_cells,
        )

    def _near(self, points: FloatArray, things: Sequence[tuple[Thing, FloatArray]]) -> Iterator[FloatArray]:
        """The places (N, 3) of things so near to the skin that they shade it, and are shaded with it."""
        low, high = points.min(axis=0) - self._height / 3.0, points.max(axis=0) + self._height / 3.0
        for thing, matrix in things:
            if thing not in self._thing_samples:
                spread = samples(thing.points, thing.triangles, count=self._quality.samples // _PART)
                self._thing_samples[thing] = spread.at(thing.points, thing.triangles)
            placed = self._thing_samples[thing] @ matrix[:3, :3].T + matrix[:3, 3]
            if (placed.max(axis=0) > low).all() and (placed.min(axis=0) < high).all():
                yield placed

    def _show_things(self, things: Sequence[tuple[Thing, FloatArray]], *, opacity: float) -> None:
        for actor in self._things.values():
            actor.VisibilityOff()
        for thing, matrix in things:
            if thing not in self._things:
                faces = np.concatenate([np.full((len(thing.triangles), 1), 3), thing.triangles], axis=1)
                mesh = self._pyvista.PolyData(thing.points.astype(np.float32), faces=faces)
                self._things[thing] = self._plotter.add_mesh(
                    mesh,
                    color=_THING,
                    pbr=True,
                    roughness=0.45,
                    smooth_shading=True,
                    split_sharp_edges=True,
                    reset_camera=False,
                    render=False,
                )
            self._things[thing].VisibilityOn()
            self._things[thing].prop.opacity = opacity
            self._things[thing].user_matrix = matrix

    def _show_bones(self, skeleton: tuple[Skeleton, Pose] | None) -> None:
        if self._bones is not None:
            self._plotter.remove_actor(self._bones, render=False)
            self._bones = None
        self._skin.prop.opacity = 1.0 if skeleton is None else 0.35
        if skeleton is None:
            return
        points, triangles = bone_mesh(*skeleton)
        faces = np.concatenate([np.full((len(triangles), 1), 3), triangles], axis=1)
        self._bones = self._plotter.add_mesh(
            self._pyvista.PolyData(points.astype(np.float32), faces=faces),
            color=_BONE,
            pbr=True,
            roughness=0.4,
            reset_camera=False,
            render=False,
        )


def picture(
    points: ArrayLike,
    triangles: ArrayLike,
    *,
    path: str | Path | None = None,
    size: tuple[int, int] = (720, 900),
    color: str = CLAY,
    values: ArrayLike | None = None,
    skeleton: tuple[Skeleton, Pose] | None = None,
    camera: Camera | None = None,
    ground: bool = True,
    crease: float = math.pi / 3.0,
) -> Picture:
    """One picture (height, width, 3), bytes, of a mesh; written to `path` too if one is given.

    For many frames of the same mesh, a `Renderer` is faster. See `Renderer` and `Renderer.draw` for the options.
    """
    with Renderer(points, triangles, size=size, color=color, crease=crease, ground=ground) as renderer:
        image = renderer.draw(points, camera=camera, values=values, skeleton=skeleton)
    if path is not None:
        save_picture(image, path)
    return image


def _height(ground: float | bool | None, rest: FloatArray) -> float | None:
    """The height of the ground [m]; None where there is none."""
    if ground is True:
        return float(rest[:, 1].min())
    return None if ground is False or ground is None else float(ground)


def _level(eye: Camera) -> FloatArray:
    """The camera's axes as columns, turned upright, so that light comes from above however the camera is tilted."""
    right, _, _ = eye.axes
    up = np.array([0.0, 1.0, 0.0])
    return np.stack([right, up, np.cross(right, up)], axis=1)


def _quiet(pyvista: Any) -> Any:
    """While this lasts, VTK writes no warnings to the screen (it looks for a display before it does without)."""
    return pyvista.vtk_verbosity("off")
