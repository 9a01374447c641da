"""The stroke of a brush that is being made over a map or a shape, and maps as panels show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread

from supple.document.document import Document
from supple.edits.painting import ACTIONS, REGION_ACTIONS, RETOUCHING, Canvas, EditStroke, MapStroke, RegionStroke
from supple.graph.mask import Mask
from supple.skins.registry import SKINS
from supple.studio import messages as say
from supple.studio.view import View

BrushStroke = MapStroke | EditStroke | RegionStroke
_FRAMES_BEFORE = 30
_PAINTED_SKINS = [name for name, kind in SKINS.items() if kind.maps]


@dataclass(eq=False)
class Painting:
    """The skin that is painted on, and the stroke that is not done yet: what was asked of it, and what it makes."""

    canvas: Canvas
    stroke: BrushStroke | None = None
    asked: tuple[object, ...] = ()
    _made: Callable[[], Document] | None = None
    mirrors: bool = False  # whether the body has two sides alike, as far as that is known
    _asked_for_news: int = 0
    _looking: Thread | None = None

    def news(self) -> bool:
        """Whether the sides of the body have just been found alike, which is looked for beside what plays.

        Not before there is something to see: it takes as long as the first picture.
        """
        self._asked_for_news += 1
        if self._asked_for_news == _FRAMES_BEFORE:
            self._looking = Thread(target=lambda: self.canvas.mirror_plane, name="supple mirror", daemon=True)
            self._looking.start()
        if self._looking is None or self._looking.is_alive():
            return False
        self._looking = None
        self.mirrors = self.canvas.mirror_plane is not None
        return self.mirrors

    def begin(self, stroke: BrushStroke, asked: tuple[object, ...], made: Callable[[], Document]) -> None:
        """Begin a stroke; `made` gives the document with what it has done so far."""
        self.stroke, self.asked, self._made = stroke, asked, made

    def document(self) -> Document:
        """With what the stroke has done so far."""
        assert self._made is not None
        return self._made()

    def end(self) -> bool:
        """No stroke is being made any more; whether there was one that has touched anything."""
        stroke, self.stroke = self.stroke, None
        return stroke is not None and bool(stroke.coverage.any())


def paint_info(painting: Painting) -> say.PaintInfo:
    """What brushes can do."""
    return say.PaintInfo(list(ACTIONS), [*RETOUCHING, *REGION_ACTIONS], painting.mirrors, _PAINTED_SKINS)


def map_rows(view: View, document: Document) -> list[say.MapRow]:
    """A row for every map that brushes can paint on a view."""
    works = [stage.work for stage in view.graph.stages if not isinstance(stage.work, Mask)]
    worn = view.player.character
    maps = {name: info for work in works for name, info in work.maps_on(worn).items() if info.smooth}
    return [
        say.MapRow(name, info.label, info.low, info.high, info.default, info.unit, name in document.maps)
        for name, info in maps.items()
    ]
