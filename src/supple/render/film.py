"""Films: pictures one after another in a file."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from supple.errors import InputError, UnfinishedError
from supple.files import atomic
from supple.render.extra import load_library

Picture = NDArray[np.uint8]
KINDS = (".mp4", ".gif", ".webp")


def playable_suffix() -> str:
    """The best kind of film that can be written here: .mp4 with the `film` extra, .webp without."""
    return ".mp4" if importlib.util.find_spec("imageio_ffmpeg") else ".webp"


class Film:
    """A film being written, `fps` pictures a second; the suffix says the kind: .mp4, .gif or .webp.

    Use it in a `with` block and `add` pictures of one size. The file appears when the block ends well, and not at
    all when it does not.
    """

    def __init__(self, path: str | Path, *, fps: float) -> None:
        self._path = check_film_path(path)
        kind = self._path.suffix.lower()
        if not (np.isfinite(fps) and fps > 0.0):
            raise InputError("film", f"fps is {fps}", "a rate above zero is needed", "use 24 or 30")
        self._fps = float(fps)
        self._encoder = _Mp4() if kind == ".mp4" else _Animation(kind[1:].upper())
        self._size: tuple[int, ...] | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._waiting = self._stack.enter_context(atomic(self._path))
        return self

    def add(self, image: Picture) -> None:
        """Append a picture (height, width, 3), bytes."""
        if self._size is None:
            self._encoder.open(self._waiting, image.shape, self._fps)
            self._size = image.shape
        if image.shape != self._size:
            given = f"a picture has shape {image.shape}"
            raise InputError("film", given, f"the first had {self._size}", "draw them all alike")
        self._encoder.add(np.ascontiguousarray(image))

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            if self._size is not None:
                self._encoder.close()
            if kind is not None:
                self._stack.__exit__(kind, problem, trace)
            elif self._size is None:
                raise InputError("film", "no picture was added", "a film needs one", "add pictures")


def check_film_path(path: str | Path) -> Path:
    """The path, if its suffix is that of a film; better asked before the work than after it."""
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise InputError(str(path), f"its suffix is {kind!r}", f"films are {', '.join(KINDS)}", "rename it")
    return Path(path)


class _Mp4:
    """H.264 through ffmpeg, which runs as a program of its own; every browser plays it."""

    def open(self, path: Path, shape: tuple[int, ...], fps: float) -> None:
        try:
            ffmpeg = importlib.import_module("imageio_ffmpeg")
        except ImportError:
            raise UnfinishedError(
                "film",
                "ffmpeg could not be loaded",
                "MP4 needs the film extra",
                "install it with: pip install 'supple[film]', or write a .gif",
            ) from None
        high, wide = shape[:2]
        even = (wide + wide % 2, high + high % 2)  # H.264 wants even sides
        self._pad = ((0, even[1] - high), (0, even[0] - wide), (0, 0))
        self._writer: Generator[None, Any, None] = ffmpeg.write_frames(
            str(path),
            even,
            fps=fps,
            codec="libx264",
            pix_fmt_in="rgb24",
            pix_fmt_out="yuv420p",
            quality=None,
            macro_block_size=1,
            ffmpeg_log_level="error",
            output_params=["-crf", "20", "-preset", "veryfast", "-movflags", "+faststart", "-f", "mp4"],
        )
        self._writer.send(None)

    def add(self, image: Picture) -> None:
        self._writer.send(np.pad(image, self._pad, mode="edge"))

    def close(self) -> None:
        self._writer.close()


class _Animation:
    """GIF or WebP through Pillow, kept in memory until the end."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def open(self, path: Path, shape: tuple[int, ...], fps: float) -> None:
        self._path, self._fps = path, fps
        self._pictures: list[Picture] = []

    def add(self, image: Picture) -> None:
        self._pictures.append(image)

    def close(self) -> None:
        pillow = load_library("PIL.Image")
        images = [pillow.fromarray(picture) for picture in self._pictures]
        options: dict[str, Any] = {"quality": 80}
        if self._kind == "GIF":
            # One palette for all, from pictures all along the film: colours that change with the frame would flicker.
            some = self._pictures[:: max(len(images) // 8, 1)]
            palette = pillow.fromarray(np.concatenate(some)).quantize(240)
            images = [image.quantize(palette=palette, dither=0) for image in images]
            options = {"optimize": False, "disposal": 1}
        images[0].save(
            self._path,
            format=self._kind,
            save_all=True,
            append_images=images[1:],
            duration=max(round(1000.0 / self._fps), 20),
            loop=0,
            **options,
        )
