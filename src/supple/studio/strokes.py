"""Strokes in the hand: lines that are being drawn, and those whose knots are being pulled."""

from __future__ import annotations

from functools import lru_cache

from supple.character.character import Character
from supple.edits.edits import Edits
from supple.edits.strokes.skin_line import SkinLine
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.surface_edit import SurfaceEdit
from supple.edits.surface_editing import SurfaceEditing
from supple.errors import InputError
from supple.studio.seen import Seen

MOST_LINES = 8  # that are drawn at once, one by each finger
MOST_SAMPLES = 10_000  # of one line


class DrawnLine:
    """A line on the skin and the frame that its last stretch was drawn on."""

    def __init__(self, character: Character) -> None:
        self.character, self.on_skin = character, SkinLine(character.triangles)
        self.last: Seen | None = None
        self._samples = 0

    def count(self, samples: int) -> None:
        """Refuse samples beyond what one line may have."""
        self._samples += samples
        if self._samples > MOST_SAMPLES:
            given = f"a line has {self._samples} samples"
            raise InputError("studio", given, f"at most {MOST_SAMPLES} are taken", "lift the pen sooner")


class LinesInHand:
    """The lines that are being drawn, by the names that pages gave them."""

    def __init__(self) -> None:
        self._lines: dict[str, DrawnLine] = {}

    def open(self, name: str, character: Character) -> DrawnLine:
        """The line of a name, or a new one; the oldest gives way where there are too many."""
        line = self._lines.get(name)
        if line is None or line.character is not character:
            line = self._lines[name] = DrawnLine(character)
        while len(self._lines) > MOST_LINES:
            self._lines.pop(next(iter(self._lines)))
        return line

    def take(self, name: str) -> DrawnLine:
        """The line of a name, which is then no longer drawn."""
        line = self._lines.pop(name, None)
        if line is None:
            raise InputError("studio", f"line {name!r} was to be used", "nobody drew it", "draw it on the skin")
        return line

    def drop(self, name: str) -> None:
        """Forget a line, if there is one."""
        self._lines.pop(name, None)


def patch_name(stroke: str) -> str:
    """What the patches of skin are called by which forces drive a wave along a stroke, with a number behind it."""
    return f"{stroke} patch"


def listed_shapes(edits: Edits) -> list[str]:
    """The shapes that a person has made: patches of driven waves are many, and not made one by one."""
    patches = tuple(f"{patch_name(stroke)} " for stroke in edits.surface_strokes)
    return [name for name in edits.shapes if not name.startswith(patches)]


@lru_cache(maxsize=32)
def editing_of(character: Character, stroke: SurfaceStroke, shape: SurfaceEdit) -> SurfaceEditing:
    """A stroke with its shape in the hand; what it needs to be pulled is made once."""
    return SurfaceEditing(character, stroke, shape)
