"""Names that came from a file: made to differ, made fit to be written, and shown without harm to a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

DOTTED = "{name}.{number:03d}"  # hand.001 and so on
UNDERLINED, DASHED, SPACED = "{name}_{number}", "{name}-{number}", "{name} {number}"  # hand_2 and so on
_HARMFUL = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of a pair of signs, and ends of lines
_TURNING = (
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"  # these turn the text that follows round
)


def unique(names: Iterable[str], *, taken: Iterable[str] = (), form: str = DOTTED) -> tuple[str, ...]:
    """Names made to differ from each other and from those `taken`: hand, hand.001, hand.002; or hand, hand_2, hand_3.

    `form` is DOTTED, UNDERLINED, DASHED or SPACED. A name that stands later is not taken away from its owner.
    """
    given = list(names)
    reserved, used = set(given), set(taken)
    last: dict[str, int] = {}
    result = []
    for name in given:
        new = name
        while new in used or (new != name and new in reserved):
            last[name] = last.get(name, 0 if form == DOTTED else 1) + 1
            new = form.format(name=name, number=last[name])
        used.add(new)
        result.append(new)
    return tuple(result)


def is_writable(name: str) -> bool:
    """Whether a name can stand in any file and on any line: no control characters, no half of a pair of signs."""
    return name.isprintable() or not any(unicodedata.category(sign) in _HARMFUL for sign in name)


def writable(name: str) -> str:
    """The name with every sign that cannot be written replaced by an underscore."""
    return "".join("_" if unicodedata.category(sign) in _HARMFUL else sign for sign in name)


def shown(text: str) -> str:
    """A text as a terminal may have it: lines stay lines, all other signs that would do something are spelt out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelt(sign) for sign in text)


def _spelt(sign: str) -> str:
    harmful = unicodedata.category(sign) in _HARMFUL or sign in _TURNING
    if not harmful or sign in "\n\t":
        return sign
    return f"\\x{ord(sign):02x}" if ord(sign) < 0x100 else f"\\u{ord(sign):04x}"
