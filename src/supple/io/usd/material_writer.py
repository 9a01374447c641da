"""Materials as UsdPreviewSurface, bound to the faces that wear them; pictures lie in a folder beside the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import IntArray
from supple.character.materials import SLOTS, Material, Texture
from supple.io.pictures import PictureFolder
from supple.io.usd.library import name_for, numbers, usd
from supple.names import UNDERLINED, unique

BOTH_SIDES = "supple:doubleSided"  # USD says it of a mesh; this keeps it of each material
NONE = "supple:none"  # says of a material that it stands for none
_CHANNELS = {
    "color": {"diffuseColor": "rgb"},
    "metal_rough": {"roughness": "g", "metallic": "b"},
    "normal": {"normal": "rgb"},
    "occlusion": {"occlusion": "r"},
    "emission": {"emissiveColor": "rgb"},
}
WRAPS = {33071: "clamp", 33648: "mirror", 10497: "repeat"}  # by glTF's numbers
_COLORS = ("color", "emission")  # pictures of these are seen, so their numbers are not linear


class Wardrobe:
    """The materials of the file `path`; the pictures of hero.usdc are written to the folder hero_textures beside it."""

    def __init__(self, stage: Any, root: str, path: Path) -> None:
        self._stage, self._root, self._pictures = stage, root, PictureFolder(path)

    def dress(self, mesh: Any, materials: tuple[Material, ...], material_indices: IntArray | None) -> None:
        """Write the materials and bind them: to the mesh where all faces wear one, else to subsets of its faces.

        Faces that wear none while others wear some get a grey one that stands for none, because programs that know
        none show the first there is.
        """
        if material_indices is None:
            return
        UsdGeom, UsdShade = usd("UsdGeom", self._root), usd("UsdShade", self._root)
        mesh.GetDoubleSidedAttr().Set(any(material.double_sided for material in materials))
        UsdGeom.Scope.Define(self._stage, f"{self._root}/Materials")
        bare = [Material("none")] if (material_indices < 0).any() else []
        looks = [*enumerate(materials), *((-1, grey) for grey in bare)]
        names = unique((name_for(material.name) for _, material in looks), form=UNDERLINED)
        for name, (number, material) in zip(names, looks, strict=True):
            made = self._write(material, f"{self._root}/Materials/{name}")
            if number < 0:
                made.GetPrim().SetCustomDataByKey(NONE, True)  # noqa: FBT003 - USD's own way
            faces = np.flatnonzero(material_indices == number)
            if len(faces) == len(material_indices):
                UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(made)
            elif len(faces):
                api = UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim())
                subset = api.CreateMaterialBindSubset(name, numbers(faces), UsdGeom.Tokens.face)
                UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(made)

    def _write(self, material: Material, path: str) -> Any:
        UsdShade, Sdf, Gf = (usd(name, path) for name in ("UsdShade", "Sdf", "Gf"))
        kinds = Sdf.ValueTypeNames
        made = UsdShade.Material.Define(self._stage, path)
        made.GetPrim().SetDisplayName(material.name)
        made.GetPrim().SetCustomDataByKey(BOTH_SIDES, material.double_sided)
        surface = UsdShade.Shader.Define(self._stage, f"{path}/Surface")
        surface.CreateIdAttr("UsdPreviewSurface")
        made.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
        surface.CreateInput("diffuseColor", kinds.Color3f).Set(Gf.Vec3f(*material.color[:3]))
        surface.CreateInput("emissiveColor", kinds.Color3f).Set(Gf.Vec3f(*material.emission))
        surface.CreateInput("metallic", kinds.Float).Set(material.metallic)
        surface.CreateInput("roughness", kinds.Float).Set(material.roughness)
        if material.alpha != "opaque":
            surface.CreateInput("opacity", kinds.Float).Set(material.color[3])
        if not isinstance(material.alpha, str):
            surface.CreateInput("opacityThreshold", kinds.Float).Set(material.alpha)
        if not material.textures:
            return made
        uv_reader = UsdShade.Shader.Define(self._stage, f"{path}/Places")
        uv_reader.CreateIdAttr("UsdPrimvarReader_float2")
        uv_reader.CreateInput("varname", kinds.String).Set("st")
        uv_reader.CreateOutput("result", kinds.Float2)
        for slot in (slot for slot in SLOTS if slot in material.textures):
            picture = material.textures[slot]
            shader = self._texture(f"{path}/{slot}", slot, picture, _scale(material, slot))
            shader.CreateInput("st", kinds.Float2).ConnectToSource(uv_reader.ConnectableAPI(), "result")
            channels = dict(_CHANNELS[slot])
            if slot == "color" and material.alpha != "opaque":
                channels["opacity"] = "a"
            for name, channel in channels.items():
                kind = kinds.Float if len(channel) == 1 else kinds.Normal3f if name == "normal" else kinds.Color3f
                shader.CreateOutput(channel, kinds.Float if len(channel) == 1 else kinds.Float3)
                surface.CreateInput(name, kind).ConnectToSource(shader.ConnectableAPI(), channel)
        return made

    def _texture(self, path: str, slot: str, picture: Texture, scale: tuple[float, ...]) -> Any:
        UsdShade, Sdf, Gf = (usd(name, path) for name in ("UsdShade", "Sdf", "Gf"))
        kinds = Sdf.ValueTypeNames
        shader = UsdShade.Shader.Define(self._stage, path)
        shader.CreateIdAttr("UsdUVTexture")
        shader.CreateInput("file", kinds.Asset).Set(Sdf.AssetPath(f"./{self._pictures.file_of(picture)}"))
        shader.CreateInput("sourceColorSpace", kinds.Token).Set("sRGB" if slot in _COLORS else "raw")
        wraps = dict(picture.sampler)
        for side in ("wrapS", "wrapT"):
            shader.CreateInput(side, kinds.Token).Set(WRAPS.get(wraps.get(side, 10497), "repeat"))
        shader.CreateInput("scale", kinds.Float4).Set(Gf.Vec4f(*scale))
        if slot == "normal":
            shader.CreateInput("bias", kinds.Float4).Set(Gf.Vec4f(-1.0, -1.0, -1.0, 0.0))
        return shader


def _scale(material: Material, slot: str) -> tuple[float, ...]:
    """What the numbers of the picture are multiplied by."""
    return {
        "color": material.color,
        "metal_rough": (1.0, material.roughness, material.metallic, 1.0),
        "normal": (2.0, 2.0, 2.0, 1.0),
        "emission": (*material.emission, 1.0),
    }.get(slot, (1.0, 1.0, 1.0, 1.0))
