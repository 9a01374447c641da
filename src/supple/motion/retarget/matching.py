"""Which joint of the source each joint of the target follows: by a table, by parts of the body, or by equal names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from supple.character.anatomy.humanoid import Anatomy
from supple.character.anatomy.names import plain_key
from supple.character.skeleton import Skeleton
from supple.errors import InputError

_WHERE = "retarget"


@dataclass(frozen=True)
class Follow:
    """A target joint turns like `source`, or, in a chain of another length, `share` of the way on to `beyond`."""

    source: int
    beyond: int
    fraction: float
    part: str


def follows(source: Anatomy, target: Anatomy, table: Mapping[str, str] | None) -> dict[int, Follow]:
    """Target joint to what it follows; joints that follow nothing are left out."""
    if table is not None:
        return _by_table(source, target.skeleton, table)
    found: dict[int, Follow] = {}
    if source.complete and target.complete:
        found = _by_parts(source, target)
    used = {follow.source for follow in found.values()} | {follow.beyond for follow in found.values()}
    parts = source.part_of() if found else {}
    free = {
        plain_key(name): joint
        for joint, name in enumerate(source.skeleton.names)
        if joint not in used and joint not in parts
    }
    for joint, name in enumerate(target.skeleton.names):
        match = free.get(plain_key(name))
        if joint not in found and match is not None:
            found[joint] = Follow(match, match, 0.0, "")
    if not found:
        raise InputError(
            _WHERE,
            f"nothing in {_some(target.skeleton)} is like anything in {_some(source.skeleton)}",
            "two bodies with legs, or joints with the same names, are needed",
            "pass table={target joint: source joint}",
        )
    return found


def _by_parts(source: Anatomy, target: Anatomy) -> dict[int, Follow]:
    found = {}
    for part, joint in target.parts.items():
        if part in source.parts and part != "head":
            found[joint] = Follow(source.parts[part], source.parts[part], 0.0, part)
    found |= _along([source.parts["hips"], *source.spine], target.spine, "spine")
    if "head" in source.parts and "head" in target.parts:
        chest = source.spine[-1] if source.spine else source.parts["hips"]
        head = target.parts["head"]
        above = _along([chest, *source.neck, source.parts["head"]], [*target.neck, head], "neck")
        last = above.pop(head)
        found |= above
        found[head] = Follow(last.source, last.beyond, last.fraction, "head")
    return found


def _along(source: list[int], target: list[int], part: str) -> dict[int, Follow]:
    """Spread a chain over one of another length; `source` begins with the joint that both chains stand on."""
    found = {}
    for index, joint in enumerate(target, start=1):
        at = index * (len(source) - 1) / len(target)
        before = min(int(at), len(source) - 1)
        after = min(before + 1, len(source) - 1)
        fraction = at - before
        if fraction < 1e-9:
            after, fraction = before, 0.0
        found[joint] = Follow(source[before], source[after], fraction, part)
    return found


def _by_table(source: Anatomy, target: Skeleton, table: Mapping[str, str]) -> dict[int, Follow]:
    if not isinstance(table, Mapping) or not table:
        raise InputError(
            _WHERE,
            "the table is empty or no mapping",
            "at least one {target joint: source joint}",
            "leave it out to match by names",
        )
    parts = source.part_of()
    found = {}
    for to, of in table.items():
        for name, skeleton, whose in ((to, target, "target"), (of, source.skeleton, "source")):
            if name not in skeleton.names:
                raise InputError(
                    f"{_WHERE}, table",
                    f"{name!r} stands for a joint of the {whose}",
                    f"that has {_some(skeleton)}",
                    "the table is {target joint: source joint}",
                )
        joint = source.skeleton.index(of)
        found[target.index(to)] = Follow(joint, joint, 0.0, parts.get(joint, ""))
    return found


def _some(skeleton: Skeleton) -> str:
    return ", ".join(skeleton.names[:6]) + (", ..." if len(skeleton) > 6 else "")
