"""What an artist directs over time, as cues: muscles that go limp and come back, hits and pushes.

Cues are written one after the other, parted by ";" or on lines of their own; times [s] count from the first frame:

    1.2 limp                        all muscles go limp, the root too
    1.2 limp LeftArm                those of a joint and all that hangs on it
    1.5..2.0 strength 0.3 Spine     go over to a strength, from one time to the other
    1.5..2.0 root 0.5               the same of what leads the root
    2.5..3.0 back                   go over to what the settings say; of one joint, with its name
    0.8 hit Spine1 0 0 -30          an impulse [N s] at once, on a joint,
    0.8 hit #1204 0 0 -30           on a vertex,
    0.8 hit @0.1,1.2,0.15 0 0 -30   or on the skin next to a place [m] of the character at rest
    0.8..1.3 push Spine1 0 0 -200   a force [N] from one time to the other
    struck 400 limp 1.5             who is hit by an obstacle with more than 400 N goes limp for 1.5 s, as often as that
    struck 400 limp 1.5 LeftArm     happens; of a joint only what hits it and all that hangs on it counts, and goes limp

Names with spaces stand in quotes.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from supple.errors import InputError
from supple.skins.contact.model.flesh import WHERE

MOST_STRUCK = 8
MOST_CUES = 1000
_LATEST = 1e6  # [s]
_HARDEST = 1e6  # [N, N s]
_SPAN = re.compile(r"(?P<at>[^.]+(?:\.\d*)?)\.\.(?P<until>.+)")
_APART = re.compile(r"""(?:'[^'\n]*'|"[^"\n]*"|[^;\n])+""")
_WORDS = "limp, back, strength, root, hit, push or struck"


@dataclass(frozen=True)
class Strengthen:
    """Muscles go over to another strength from `at` to `until` [s]; `value` None is what the settings say.

    `joint` and all that hangs on it, or all joints where it is empty; `root` says whether what leads the root does too.
    """

    at: float
    value: float | None
    joint: str = ""
    until: float | None = None
    root: bool = False

    def __str__(self) -> str:
        span, name = _span(self.at, self.until), f" {_quote(self.joint)}" if self.joint else ""
        if self.value is None:
            return f"{span} back{name}"
        if self.value == 0.0 and (self.root or self.joint):
            return f"{span} limp{name}"
        return f"{span} strength {self.value:g}{name}"


@dataclass(frozen=True)
class LeadRoot:
    """What leads the root goes over to another strength from `at` to `until` [s]."""

    at: float
    value: float
    until: float | None = None

    def __str__(self) -> str:
        return f"{_span(self.at, self.until)} root {self.value:g}"


@dataclass(frozen=True)
class Hit:
    """An impulse (3,) [N s] on a place of the skin at a time [s]: the name of a joint, "#VERTEX" or "@X,Y,Z"."""

    at: float
    place: str
    impulse: tuple[float, float, float]

    def __str__(self) -> str:
        return f"{self.at:g} hit {_quote(self.place)} {_row(self.impulse)}"


@dataclass(frozen=True)
class Push:
    """A force (3,) [N] on a place of the skin, as of `Hit`, from `at` to `until` [s]."""

    at: float
    until: float
    place: str
    force: tuple[float, float, float]

    def __str__(self) -> str:
        return f"{_span(self.at, self.until)} push {_quote(self.place)} {_row(self.force)}"


@dataclass(frozen=True)
class GoLimpWhenStruck:
    """Muscles go limp for `seconds` when an obstacle hits with more than a `force` [N]."""

    force: float
    seconds: float
    joint: str = ""

    def __str__(self) -> str:
        name = f" {_quote(self.joint)}" if self.joint else ""
        return f"struck {self.force:g} limp {self.seconds:g}{name}"


Cue = Strengthen | LeadRoot | Hit | Push | GoLimpWhenStruck


def write_cues(cues: Iterable[Cue]) -> str:
    """Cues as they are written down, which is what the setting `cues` takes."""
    return "; ".join(str(cue) for cue in cues)


def read_cues(text: str) -> tuple[Cue, ...]:
    """Cues that somebody wrote; one that makes no sense is refused by name."""
    given = [part.strip() for part in _APART.findall(text) if part.strip()]
    if len(given) > MOST_CUES:
        raise InputError(WHERE, f"there are {len(given)} cues", f"at most {MOST_CUES} are possible", "use fewer")
    found = tuple(_read_cue(one) for one in given)
    struck = sum(isinstance(cue, GoLimpWhenStruck) for cue in found)
    if struck > MOST_STRUCK:
        raise InputError(WHERE, f"{struck} cues are for who is struck", f"{MOST_STRUCK} can be", "use fewer")
    return found


def _read_cue(text: str) -> Cue:
    try:
        words = shlex.split(text)
    except ValueError:
        raise _fault(text, "every quote needs another one") from None
    if words[0] == "struck":
        return _read_struck(text, words[1:])
    at, until = _read_span(text, words[0])
    verb, rest = words[1] if len(words) > 1 else "", words[2:]
    if verb in ("limp", "back") and len(rest) <= 1:
        joint = rest[0] if rest else ""
        return Strengthen(at, 0.0 if verb == "limp" else None, joint, until, root=not joint)
    if verb == "strength" and 1 <= len(rest) <= 2:
        return Strengthen(at, _number(text, rest[0], 0.0, 1.0), rest[1] if len(rest) > 1 else "", until)
    if verb == "root" and len(rest) == 1:
        return LeadRoot(at, _number(text, rest[0], 0.0, 1.0), until)
    if verb in ("hit", "push"):
        if len(rest) != 4:
            raise _fault(text, f"{verb} needs a place and three numbers")
        x, y, z = (_number(text, word, -_HARDEST, _HARDEST) for word in rest[1:])
        if verb == "hit" and until is None:
            return Hit(at, rest[0], (x, y, z))
        if verb == "push" and until is not None:
            return Push(at, until, rest[0], (x, y, z))
        raise _fault(text, "a hit has one time, and a push has two: 0.8..1.3")
    raise _fault(text, f"a time and then {_WORDS} is needed")


def _read_struck(text: str, words: list[str]) -> GoLimpWhenStruck:
    if len(words) not in (3, 4) or words[1] != "limp":
        raise _fault(text, "struck needs a force, limp and seconds: struck 400 limp 1.5")
    force, seconds = _number(text, words[0], 0.0, _HARDEST), _number(text, words[2], 0.0, _LATEST)
    return GoLimpWhenStruck(force, seconds, words[3] if len(words) > 3 else "")


def _read_span(text: str, word: str) -> tuple[float, float | None]:
    span = _SPAN.fullmatch(word)
    if span is None:
        return _number(text, word, 0.0, _LATEST), None
    at, until = (_number(text, span[end], 0.0, _LATEST) for end in ("at", "until"))
    if until <= at:
        raise _fault(text, "the second time comes after the first")
    return at, until


def _number(text: str, word: str, low: float, high: float) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise _fault(text, f"{word!r} should be a number from {low:g} to {high:g}")
    return value


def _fault(text: str, needed: str) -> InputError:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return InputError(WHERE, f"a cue is {shown!r}", needed, "see the page on contact")


def _quote(name: str) -> str:
    return shlex.quote(name) if re.search(r"[\s;'\"\\]", name) else name


def _span(at: float, until: float | None) -> str:
    return f"{at:g}" if until is None else f"{at:g}..{until:g}"


def _row(numbers: tuple[float, float, float]) -> str:
    return " ".join(f"{number:g}" for number in numbers)
