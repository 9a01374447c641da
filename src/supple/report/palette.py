"""The colours of the skins: told apart by people who see red and green alike, and alike in film, curves and table."""

from __future__ import annotations

LIGHT = ("#0072b2", "#d55e00", "#008f68", "#b5568f", "#b98500")
DARK = ("#56b4e9", "#ff8f52", "#2fc79a", "#e79bc8", "#f0bd4b")
"""Color universal design [OkabeIto2008], darkened or lightened for white and black paper."""
_DASHES = ("", "7 4", "2 4", "10 3 2 3")


def color_number(number: int) -> int:
    """Which colour the skin with this number has."""
    return number % len(LIGHT)


def dashes(number: int) -> str:
    """How its line is broken (SVG stroke-dasharray): not at all until the colours are used up."""
    return _DASHES[number // len(LIGHT) % len(_DASHES)]


def rgb(number: int) -> tuple[int, int, int]:
    """The colour on light paper, as bytes."""
    text = LIGHT[color_number(number)]
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def style() -> str:
    """The colours as CSS variables for light and dark pages, and the classes that use them."""
    light, dark = (
        "".join(f"--skin-{number}:{color};" for number, color in enumerate(colors)) for colors in (LIGHT, DARK)
    )
    classes = "".join(f".skin-{number}{{--ink:var(--skin-{number})}}" for number in range(len(LIGHT)))
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}{classes}"
