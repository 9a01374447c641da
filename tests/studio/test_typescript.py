"""The messages in TypeScript are those of the engine."""

from pathlib import Path

import pytest
from msgspec import inspect as types

from supple.studio.typescript import _type, typescript

WRITTEN = Path(__file__).resolve().parents[2] / "web" / "src" / "messages.ts"


def test_what_is_written_is_what_is_meant():
    assert WRITTEN.read_text(encoding="utf-8") == typescript(), "run make web"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (float, "number"),
        (int | None, "number | null"),
        (list[str], "string[]"),
        (tuple[float, float], "[number, number]"),
        (tuple[float, float, float], "Point"),
        (bool | float | str, "Value"),
    ],
)
def test_types_have_their_names(kind, said):
    assert _type(types.type_info(kind)) == said


def test_what_has_no_name_is_said():
    with pytest.raises(TypeError, match="no type in TypeScript"):
        _type(types.type_info(bytes))
