"""Options for the settings of a skin, built from the skin itself.

`--skin` is read first; then that skin's settings become options of their own, with unit, range and default in the
help: `supple bake hero --skin delta-mush --iterations 12`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from supple.cli.options.parser import Parser
from supple.document.skin_files import with_files
from supple.settings import SettingInfo, settings_of
from supple.skins.base import AnySkin
from supple.skins.registry import SKINS, skin_named

_PLACE = "setting_"  # keeps settings apart from the command's own options in the parsed arguments


def add_skin_options(parser: argparse.ArgumentParser, words: Sequence[str], *, default: str) -> None:
    """Add `--skin NAME` and one option for every setting of the skin that `words` name."""
    first = Parser(prog=parser.prog, add_help=False, allow_abbrev=False, usage=f"{parser.prog} --skin NAME")
    first.add_argument("--skin", default=default)
    chosen = first.parse_known_args(list(words))[0].skin
    kind = type(skin_named(chosen))
    parser.add_argument(
        "--skin", default=default, metavar="NAME", help=f"{', '.join(SKINS)} (default: {default}); each has settings"
    )
    own = parser.add_argument_group(f"settings of {chosen}")
    if kind.presets:
        own.add_argument(
            "--preset", dest=f"{_PLACE}preset", metavar="|".join(kind.presets), help="settings that go well together"
        )
    groups = {"": own}
    options = _options(kind)
    for info in settings_of(kind):
        if info.group not in groups:
            groups[info.group] = parser.add_argument_group(f"settings of {chosen}: {info.group}")
        _add_setting(groups[info.group], info, options[info.name])
    for old, now in kind.renamed.items():
        if now in options and f"--{_dashed(old)}" not in {one for every in options.values() for one in every}:
            info = next(info for info in settings_of(kind) if info.name == now)
            _add_setting(own, info, [f"--{_dashed(old)}"], hidden=True)


def _options(kind: type[AnySkin]) -> dict[str, list[str]]:
    """The options of every setting: its own name where no other is called so, and its name with that of its group."""
    names = [info.name for info in settings_of(kind)]
    leaves = [name.rpartition(".")[2] for name in names]
    return {
        name: list(dict.fromkeys([f"--{_dashed(leaf)}"] * (leaves.count(leaf) == 1) + [f"--{_dashed(name)}"]))
        for name, leaf in zip(names, leaves, strict=True)
    }


def _dashed(name: str) -> str:
    return name.replace("_", "-").replace(".", "-")


def skin_from(arguments: argparse.Namespace) -> AnySkin:
    """The skin with the settings that were given; those that were not keep their defaults."""
    given = {
        position.removeprefix(_PLACE): value
        for position, value in vars(arguments).items()
        if position.startswith(_PLACE) and value is not None
    }
    return with_files(skin_named(arguments.skin, given))


def _add_setting(
    group: argparse._ArgumentGroup, info: SettingInfo, options: list[str], *, hidden: bool = False
) -> None:
    place, told = _PLACE + info.name, argparse.SUPPRESS if hidden else _describe(info)
    if info.kind is bool:
        group.add_argument(*options, dest=place, action=argparse.BooleanOptionalAction, help=told)
        return
    kind = str if info.values is not None else _number_or_word
    group.add_argument(*options, dest=place, type=kind, metavar=_metavar(info), help=told)


def _number_or_word(text: str) -> int | float | str:
    """What was typed, as a number where it is one; whether it fits is for the setting to say."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _metavar(info: SettingInfo) -> str:
    if info.values is not None:
        return f"VALUE,{info.names.upper()}=VALUE"
    return "|".join(info.choices) if info.choices else {int: "N", float: "X"}.get(info.kind, "WORD")


def _describe(info: SettingInfo) -> str:
    unit = f" [{info.unit}]" if info.unit else ""
    if isinstance(info.default, bool):
        default = "on" if info.default else "off"
    else:
        default = f"{info.default:.4g}" if isinstance(info.default, float) else str(info.default)
    return f"{info.label}{unit}{_span(info)} (default: {default})".replace("%", "%%")  # argparse reads % as a format


def _span(info: SettingInfo) -> str:
    if info.low is not None and info.high is not None:
        return f", {info.low:g} to {info.high:g}"
    if info.low is not None:
        return f", {info.low:g} or more"
    return f", {info.high:g} or less" if info.high is not None else ""
