"""Pictures of materials as files, for formats that cannot hold them: in a folder beside the file that names them."""

from __future__ import annotations

from pathlib import Path

from supple.character.materials import Texture
from supple.files import atomic
from supple.names import UNDERLINED, unique


class PictureFolder:
    """The folder hero_textures beside hero.usdc; it appears with the first picture."""

    def __init__(self, path: Path) -> None:
        self._beside, self._folder = path.parent, f"{path.stem}_textures"
        self._files: dict[Texture, str] = {}
        self._taken: set[str] = set()

    def file_of(self, picture: Texture) -> str:
        """Write a picture, once, and return its place relative to the file, such as hero_textures/face.png."""
        if picture not in self._files:
            plain = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in picture.name)[:60] or "picture"
            (lower,) = unique([plain.lower()], taken=self._taken, form=UNDERLINED)  # some systems take A and a for one
            self._taken.add(lower)
            name = f"{plain}{lower[len(plain.lower()) :]}{picture.suffix}"
            with atomic(self._beside / self._folder / name) as waiting:
                waiting.write_bytes(picture.data)
            self._files[picture] = f"{self._folder}/{name}"
        return self._files[picture]
