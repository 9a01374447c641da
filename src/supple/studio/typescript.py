"""The messages as TypeScript, so that page and engine cannot mean different things: `make web` writes the file."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, get_args

from msgspec import inspect as types

from supple.studio import messages

_HEAD = """// All that page and engine say to each other. Made from src/supple/studio/messages.py: change it there.
"""


def typescript() -> str:
    """The source of `messages.ts`."""
    commands, events, answers = (get_args(kind) for kind in (messages.AnyCommand, messages.Event, messages.Answer))
    parts = [
        _HEAD,
        f'export const PROTOCOL = "{messages.PROTOCOL}";\n',
        "export type Point = [number, number, number];\nexport type Value = number | boolean | string;\n",
        "/** What the page asks for; the socket numbers it. */\nexport type Command =",
        "\n".join(f"  | {_command(kind)}" for kind in commands) + ";\n",
        *(_interface(kind) for kind in (*_parts((*commands, *events, *answers)), *events, messages.Files)),
        f"export type Event = {' | '.join(kind.__name__ for kind in events)};\n",
    ]
    return "\n".join(parts)


def _parts(kinds: Iterable[type[Any]]) -> list[type[Any]]:
    """The structs that others have as fields, each once and before those that have it."""
    found: dict[type[Any], None] = {}

    def visit(kind: types.Type) -> None:
        if isinstance(kind, types.StructType) and kind.cls not in found:
            for field in kind.fields:
                visit(field.type)
            found[kind.cls] = None
        elif isinstance(kind, types.ListType):
            visit(kind.item_type)
        elif isinstance(kind, types.UnionType):
            for one in kind.types:
                visit(one)

    for kind in kinds:
        for field in _info(kind).fields:
            visit(field.type)
    return list(found)


def _command(kind: type[Any]) -> str:
    """One command as an object, without its number."""
    info = _info(kind)
    fields = [f'do: "{info.tag}"', *(_field(field) for field in info.fields if field.name != "seq")]
    return f"{{ {'; '.join(fields)} }}"


def _interface(kind: type[Any]) -> str:
    info = _info(kind)
    tag = [f'  event: "{info.tag}";'] if info.tag is not None else []
    lines = [*tag, *(f"  {field.name}: {_type(field.type)};" for field in info.fields)]
    about = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")
    return f"/** {about} */\nexport interface {kind.__name__} {{\n" + "\n".join(lines) + "\n}\n"


def _info(kind: type[Any]) -> types.StructType:
    found = types.type_info(kind)
    assert isinstance(found, types.StructType)
    return found


def _field(field: types.Field) -> str:
    return f"{field.name}{'' if field.required else '?'}: {_type(field.type)}"


def _type(kind: types.Type) -> str:
    """A type of msgspec's as TypeScript has it."""
    if isinstance(kind, types.FloatType | types.IntType):
        return "number"
    if isinstance(kind, types.StrType):
        return "string"
    if isinstance(kind, types.BoolType):
        return "boolean"
    if isinstance(kind, types.NoneType):
        return "null"
    if isinstance(kind, types.StructType):
        return kind.cls.__name__
    if isinstance(kind, types.ListType):
        return f"{_type(kind.item_type)}[]"
    if isinstance(kind, types.TupleType):
        return "Point" if len(kind.item_types) == 3 else f"[{', '.join(map(_type, kind.item_types))}]"
    if isinstance(kind, types.UnionType):
        names = sorted({_type(one) for one in kind.types}, key=lambda name: (name == "null", _ORDER.find(name), name))
        return "Value" if set(names) == {"number", "boolean", "string"} else " | ".join(names)
    raise TypeError(f"{kind} has no type in TypeScript yet")


_ORDER = "number boolean string"
