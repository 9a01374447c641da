"""Classes of settings: frozen dataclasses, whose settings may be nested in groups and tables by idea.

    @dataclass(frozen=True, kw_only=True)
    class Swing(Settings):
        frequency: float = setting(3.5, "Pace of the swing", unit="Hz", low=0.5, high=30.0)

    class Flesh(Settings):
        iterations: int = setting(8, "Rounds in a step", low=0, high=1000)
        swing: Swing = group(Swing, "How loose flesh swings")

`Flesh(swing=Swing(frequency=2.0))`, `Flesh(swing={"frequency": 2.0})` and, because no other setting is called so,
`Flesh(frequency=2.0)` are the same. A setting that has been renamed is also found by its old name (`renamed`).
"""

from __future__ import annotations

import dataclasses
import warnings
from abc import ABCMeta
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from supple.errors import InputError
from supple.settings.by_name import DEFAULT, ByName
from supple.settings.info import SettingInfo
from supple.settings.values import Item, Number, UnfitError

S = TypeVar("S", bound="Settings")
_known: dict[type[Any], tuple[SettingInfo, ...]] = {}


class _Nested(ABCMeta):
    """Lets settings be given without the group that they are in, and by names that they had."""

    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **given: Any) -> Any:
            known = {field.name for field in dataclasses.fields(cls)}
            apart = {name: given.pop(name) for name in list(given) if name not in known}
            for name, value in apart.items():
                path = path_of(cls, name)
                if path is None:
                    raise _no_setting(cls, name)
                head, _, rest = path.partition(".")
                field = cls.__dataclass_fields__[head]
                whole = given.get(head, field.default)
                given[head] = _within(field, whole, rest, value, cls.__name__) if rest else value
            return super().__call__(*args, **given)


class Settings(metaclass=_Nested):
    """Base of frozen dataclasses made of `setting` fields; every value is checked when the object is made."""

    renamed: ClassVar[Mapping[str, str]] = {}
    """Old names of settings, and where they are now; they are understood for one release."""

    def __post_init__(self) -> None:
        where = type(self).__name__
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if "supple" in field.metadata:
                checked = _info(field).check(value, where)
            elif "group" in field.metadata:
                checked = _grouped(field, value, where)
            elif "table" in field.metadata:
                checked = _tabled(field, value, where)
            else:
                continue
            object.__setattr__(self, field.name, checked)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            path = None if name.startswith("_") else path_of(type(self), name)
            if path is None or path == name:
                raise AttributeError(f"{type(self).__name__} has no {name!r}")
            return value_of(self, path)


def group(kind: type[S], label: str) -> S:
    """Declare a group of settings that belong to one idea."""
    value: S = dataclasses.field(default=kind(), metadata={"group": (kind, label)})
    return value


def table_of(kind: type[S], default: Mapping[str, S], label: str, *, names: str) -> Mapping[str, S]:
    """Declare rows of settings by name, `{"muscle": Layer(stiffness=0.9), ...}`, and one for all, "default".

    What a row leaves open (None) is that of the default row of its name, else that of the row for all. Rows that have
    the first setting of their class say which rows there are; where none is given, those of the default are.
    """
    rows = ByName(default)
    meta = {"table": (kind, rows, label, names)}
    value: Mapping[str, S] = dataclasses.field(default=rows, metadata=meta)
    return value


def settings_of(cls: type[Any]) -> tuple[SettingInfo, ...]:
    """The knobs of a settings class in the order in which they were declared; those of groups with their group."""
    if cls not in _known:
        _known[cls] = tuple(info for field in dataclasses.fields(cls) for info in _infos(field))
    return _known[cls]


def _infos(field: dataclasses.Field[Any]) -> Sequence[SettingInfo]:
    if "supple" in field.metadata:
        return [_info(field)]
    if "group" in field.metadata:
        kind, label = field.metadata["group"]
        return [dataclasses.replace(info, name=f"{field.name}.{info.name}", group=label) for info in settings_of(kind)]
    return _columns(field) if "table" in field.metadata else []


def path_of(cls: type[Any], name: str) -> str | None:
    """Where a setting is, "swing.frequency", by its path, its own name if that is the only one, or its old name."""
    infos = [info.name for info in settings_of(cls)]
    if name in infos or name in {field.name for field in dataclasses.fields(cls)}:
        return name
    leaves = [path for path in infos if path.rpartition(".")[2] == name]
    if name in cls.renamed:
        now = cls.renamed[name]
        warnings.warn(f"{cls.__name__}: the setting {name!r} is now {now!r}", DeprecationWarning, stacklevel=3)
        return str(now)
    return leaves[0] if len(leaves) == 1 else None


def is_setting(cls: type[Any], name: str) -> bool:
    """Whether a field is a setting, or a group or a table of settings, rather than something held beside them."""
    meta = cls.__dataclass_fields__[name].metadata
    return any(key in meta for key in ("supple", "group", "table"))


def value_of(settings: Any, path: str) -> Any:
    """The value of a setting by its path; a column of a table is values by name."""
    head, _, rest = path.partition(".")
    value = getattr(settings, head)
    if not rest:
        return value
    if isinstance(value, ByName):
        column = {name: getattr(row, rest) for name, row in value.items()}
        return ByName({name: one for name, one in column.items() if one is not None})
    return value_of(value, rest)


def flattened(settings: Any) -> dict[str, Any]:
    """All settings by their paths."""
    return {info.name: value_of(settings, info.name) for info in settings_of(type(settings))}


def changed(settings: S, values: Mapping[str, Any]) -> S:
    """The same settings with some changed, by path or by name."""
    result = settings
    for name, value in values.items():
        path = path_of(type(settings), name)
        if path is None:
            raise _no_setting(type(settings), name)
        head, _, rest = path.partition(".")
        field = type(settings).__dataclass_fields__[head]  # type: ignore[attr-defined]
        whole = getattr(result, head)
        new = _within(field, whole, rest, value, type(settings).__name__) if rest else value
        result = dataclasses.replace(result, **{head: new})  # type: ignore[type-var]
    return result


def to_data(settings: Any) -> dict[str, Any]:
    """All settings as plain data, nested as they are; `type(settings)(**data)` makes them again."""
    data: dict[str, Any] = {}
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if "supple" in field.metadata:
            data[field.name] = _info(field).to_data(value)
        elif "group" in field.metadata:
            data[field.name] = to_data(value)
        elif "table" in field.metadata:
            data[field.name] = [  # a list: the order of rows counts, and programs that write objects may sort them
                {"name": name, **{key: one for key, one in to_data(row).items() if one is not None}}
                for name, row in value.items()
            ]
    return data


def _no_setting(cls: type[Any], name: str) -> InputError:
    known = [info.name for info in settings_of(cls)]
    has = f"it has {', '.join(known)}" if known else "it has none"
    return InputError(cls.__name__, f"there is no setting {name!r}", has, "leave it out or correct it")


def _info(field: dataclasses.Field[Any]) -> SettingInfo:
    return SettingInfo(name=field.name, default=field.default, **field.metadata["supple"])


def _columns(field: dataclasses.Field[Any]) -> list[SettingInfo]:
    """The settings of a table: each is values by the names of rows."""
    kind, rows, label, names = field.metadata["table"]
    found = []
    for info in settings_of(kind):
        values = Number(-1e300 if info.low is None else info.low, 1e300 if info.high is None else info.high)
        column = {name: getattr(row, info.name) for name, row in rows.items()}
        default = ByName({name: one for name, one in column.items() if one is not None})
        about = {"name": f"{field.name}.{info.name}", "group": label, "names": names, "values": values}
        found.append(SettingInfo(kind=ByName, default=default, label=info.label, unit=info.unit, **about))
    return found


def _column(field: dataclasses.Field[Any], name: str) -> SettingInfo:
    return next(info for info in _columns(field) if info.name == f"{field.name}.{name}")


def _within(field: dataclasses.Field[Any], whole: Any, rest: str, value: Any, where: str) -> Any:
    """A group or a table with one of its settings changed."""
    if "group" in field.metadata:
        return changed(_grouped(field, whole, where), {rest: value})
    return _with_column(field, _tabled(field, whole, where), rest, value, where)


def _with_column(field: dataclasses.Field[Any], rows: ByName[Any], name: str, value: Any, where: str) -> ByName[Any]:
    """A table with one of its columns given anew: rows that it does not name take its value for all, if it has one."""
    kind = field.metadata["table"][0]
    given = _column(field, name).check(value, where)
    others = [row for row in rows if row not in given]
    if given.default is not None:
        given = ByName({**given, **dict.fromkeys(others, given.default)})
    elif name == _first(kind):
        given = ByName({**given, **{row: 0.0 for row in others if getattr(rows[row], name) is not None}})
    told = {row: dataclasses.replace(rows.get(row, kind()), **{name: one}) for row, one in given.items()}
    order = [*told, *rows] if name == _first(kind) else [*rows, *told]  # which rows there are also says their order
    return ByName({row: told[row] if row in told else rows[row] for row in dict.fromkeys(order)})


def _first(kind: type[Any]) -> str:
    """The setting of a row that says whether there is such a row."""
    return dataclasses.fields(kind)[0].name


def _grouped(field: dataclasses.Field[Any], value: Any, where: str) -> Any:
    kind, _ = field.metadata["group"]
    if isinstance(value, kind):
        return value
    if isinstance(value, Mapping):
        return kind(**value)
    needed = f"a {kind.__name__} or a mapping of its settings is needed"
    raise InputError(where, f"{field.name} is {value!r}", needed, f"write {field.name}={kind.__name__}(...)")


def _tabled(field: dataclasses.Field[Any], value: Any, where: str) -> ByName[Any]:
    """The rows of a table, each complete where the default has a row of its name."""
    kind, usual, _, names = field.metadata["table"]
    if isinstance(value, str):
        given = next(info for info in _columns(field) if info.name == f"{field.name}.{_first(kind)}").check(
            value, where
        )
        value = {name: {_first(kind): one} for name, one in given.items()}
    if isinstance(value, list) and all(isinstance(row, Mapping) and "name" in row for row in value):
        value = {row["name"]: {key: one for key, one in row.items() if key != "name"} for row in value}
    if not isinstance(value, Mapping):
        needed = f"a mapping from {names} to {kind.__name__} is needed"
        raise InputError(
            where, f"{field.name} is {value!r}", needed, f"write {{{names.upper()}: {kind.__name__}(...)}}"
        )
    try:
        rows = {str(name): Item(kind).check(row) for name, row in value.items()}
    except UnfitError as unfit:
        raise InputError(where, f"{field.name} is {value!r}", str(unfit), "give one for each name") from None
    listed = any(getattr(row, _first(kind)) is not None for name, row in rows.items() if name != DEFAULT)
    found: dict[str, Any] = {}
    for name in dict.fromkeys([*rows, *usual] if listed else [*usual, *rows]):
        row, other = rows.get(name, kind()), usual.get(name, kind())
        values = {one.name: getattr(row, one.name) for one in dataclasses.fields(kind)}
        values = {key: getattr(other, key) if one is None else one for key, one in values.items()}
        if listed and getattr(row, _first(kind)) is None and getattr(other, _first(kind)) is not None:
            values[_first(kind)] = 0.0
        found[name] = kind(**values)
    return ByName(found)
