"""A small character with everything that exports must keep, and its clip."""

import numpy as np
from small_pictures import picture

from conftest import make_tube
from supple import Character, Motion, Pose
from supple.character import Display
from supple.character.materials import Material, Texture
from supple.geometry.topology import triangulate

FPS = 24.0


def textured_tube(bones: int = 6) -> Character:
    """An open tube of quads with a texture seam along its side, a map and a part."""
    rings, sectors = 9, 8
    plain = make_tube(rings=rings, sectors=sectors, bones=bones, closed=False)
    ring, sector = (index.ravel() for index in np.meshgrid(np.arange(rings - 1), np.arange(sectors), indexing="ij"))
    wide = sectors + 1  # the display vertices of a ring: the first stands twice

    def faces(stride: int, wrap: int) -> np.ndarray:
        across = (sector + 1) % wrap
        low, high = ring * stride, (ring + 1) * stride
        return np.stack([low + sector, low + across, high + across, high + sector], axis=1)

    polygons = faces(sectors, sectors).astype(np.int32)
    around, up = np.meshgrid(np.arange(wide), np.arange(rings))
    control = (up * sectors + around % sectors).ravel()
    uvs = np.stack([around.ravel() / sectors, up.ravel() / (rings - 1)], axis=1)
    display = Display(control, triangulate(faces(wide, wide + 1)), uvs)
    assert np.array_equal(triangulate(polygons), plain.triangles)
    return plain.replace(
        polygons=polygons,
        display=display,
        maps={"flesh": np.linspace(0.0, 1.0, len(plain.points))},
        parts={"the rim": np.arange(sectors)},
        name="tube",
    )


def dressed_tube() -> Character:
    """The tube in two materials, the lower quads in cloth, the upper in glass, and the uppermost in none."""
    tube = textured_tube()
    light, dark = Texture("light", picture(200)), Texture("dark", picture(40))
    cloth = Material(
        "red cloth", (0.8, 0.1, 0.1, 1.0), roughness=0.9, double_sided=True, textures={"color": light, "normal": dark}
    )
    glass = Material("glass", (0.2, 0.4, 0.9, 0.5), 0.1, 0.2, (0.0, 0.3, 0.0), alpha="blend", textures={"color": light})
    height = tube.points[tube.polygons].mean(axis=1)[:, 1]
    worn = np.where(height < 1.0, 0, np.where(height < 1.6, 1, -1))
    return tube.replace(materials=[cloth, glass], material_of_triangle=np.repeat(worn, 2))


def swing(character: Character, *, scaled: bool = False) -> Motion:
    """Thirteen frames in which joints turn and the root walks, and its scale grows where that is asked for."""

    def pose(at: float) -> Pose:
        half = 0.5 * np.sin(5.0 * at)
        rotations = {"bone1": (0.0, 0.0, np.sin(half), np.cos(half)), "bone3": (np.sin(half), 0.0, 0.0, np.cos(half))}
        grow = np.diag([1.0 + 0.25 * at] * 3 + [1.0]) if scaled else np.eye(4)
        return Pose.from_rotations(character.skeleton, rotations, move=(at, 0.1, -at)).moved(grow)

    return Motion.from_poses(character.skeleton, pose, seconds=0.5, fps=FPS, name="swing it")
