"""Pictures side by side with labels, and pictures as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import InputError
from supple.files import atomic
from supple.render.extra import load_library

Picture = NDArray[np.uint8]
_INK, _PALE_INK = (52, 58, 66), (120, 128, 138)


def save_picture(image: Picture, path: str | Path) -> None:
    """Write a picture; the suffix says the format (.png, .jpg, .webp). The file appears whole or not at all."""
    pillow = load_library("PIL.Image")
    kind = pillow.registered_extensions().get(Path(path).suffix.lower())
    if kind not in ("PNG", "JPEG", "WEBP"):
        raise InputError(
            str(path), f"its suffix is {Path(path).suffix!r}", "pictures are .png, .jpg or .webp", "rename it"
        )
    with atomic(path) as waiting:
        pillow.fromarray(image).save(waiting, format=kind)


def contact_sheet(
    rows: Sequence[Sequence[Picture]],
    *,
    labels: Sequence[str] = (),
    captions: Sequence[str] = (),
    title: str = "",
    path: str | Path | None = None,
) -> Picture:
    """Put pictures of one size into rows, with a label over every row and a caption under every column."""
    _check(rows, labels, captions)
    high, wide = rows[0][0].shape[:2]
    across = max(len(row) for row in rows)
    small, large = max(high // 24, 11), max(high // 16, 14)
    pad, band = small, (2 * large if labels else 0)
    head, foot = (3 * large if title else 0), (2 * small + small // 2 if captions else 0)
    # The brightest of the pictures' upper corners: a close-up may fill the others with skin.
    paper = max((row[0][0, side] for row in rows for side in (0, -1)), key=_brightness)
    sheet = np.empty((head + len(rows) * (band + high) + foot, across * wide, 3), dtype=np.uint8)
    sheet[:] = paper
    for r, row in enumerate(rows):
        top = head + r * (band + high) + band
        sheet[top - band : top] = paper
        for c, image in enumerate(row):
            sheet[top : top + high, c * wide : (c + 1) * wide] = image
    if foot:
        sheet[-foot:] = max((image[-1, side] for image in rows[-1] for side in (0, -1)), key=_brightness)
    image = load_library("PIL.Image").fromarray(sheet)
    pen = load_library("PIL.ImageDraw").Draw(image)
    if title:
        pen.text((2 * pad, head // 2), title, fill=_INK, font=_font(large + large // 3), anchor="lm")
    for r, label in enumerate(labels):
        pen.text((2 * pad, head + r * (band + high) + large // 2), label, fill=_INK, font=_font(large))
    for c, caption in enumerate(captions):
        middle = ((c + 0.5) * wide, sheet.shape[0] - foot // 2)
        pen.text(middle, caption, fill=_PALE_INK, font=_font(small), anchor="mm")
    result = np.asarray(image, dtype=np.uint8)
    if path is not None:
        save_picture(result, path)
    return result


def _brightness(pixel: Picture) -> int:
    return int(pixel.sum())


def _font(size: int) -> Any:
    return load_library("PIL.ImageFont").load_default(size)


def _check(rows: Sequence[Sequence[Picture]], labels: Sequence[str], captions: Sequence[str]) -> None:
    where = "contact_sheet"
    if not rows or not all(rows):
        raise InputError(where, "there are no pictures, or a row has none", "every row needs one", "pass pictures")
    shapes = {image.shape for row in rows for image in row}
    if len(shapes) > 1:
        raise InputError(where, f"pictures have shapes {sorted(shapes)}", "all must be alike", "render them alike")
    if labels and len(labels) != len(rows):
        raise InputError(where, f"there are {len(labels)} labels", f"there are {len(rows)} rows", "label every row")
    across = max(len(row) for row in rows)
    if captions and len(captions) != across:
        raise InputError(where, f"there are {len(captions)} captions", f"there are {across} columns", "one for each")
