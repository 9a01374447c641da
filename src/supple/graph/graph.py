"""A recipe of skins: chains, branches that are blended, saved as a file that people can read."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.character.character import Character
from supple.errors import InputError
from supple.files import atomic
from supple.graph.mask import Mask
from supple.names import DASHED, unique
from supple.obstacles.shapes import RigidBody
from supple.records import RecordReader
from supple.settings import flattened, to_data
from supple.skins.base import AnySkin, SoftSkin
from supple.skins.registry import skin_named

_FORMAT = "supple-graph"
_VERSION = 2  # settings are nested by idea; in version 1 they lay side by side, some by other names
_READABLE = (1, _VERSION)
_LARGEST = 16 << 20  # bytes


@dataclass(frozen=True)
class Stage:
    """One step of a frame: a skin, which may stand on the stage in `inputs`, or a blend of two stages by a mask."""

    name: str
    work: AnySkin | Mask
    inputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        if isinstance(self.work, Mask):
            return f"{self.inputs[0]} goes over to {self.inputs[1]} {self.work}"
        chosen = ", ".join(f"{name}={value!r}" for name, value in flattened(self.work).items())
        after = f" after {self.inputs[0]}" if self.inputs else ""
        return f"{type(self.work).__name__}({chosen}){after}"


@dataclass(frozen=True)
class Graph:
    """Stages in the order in which a frame runs them; the last one is the result.

    Those that are `muted` stay where they are and are not played: `played` is the graph without them.
    """

    stages: tuple[Stage, ...]
    muted: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.stages:
            raise InputError("Graph", "there are no stages", "at least one skin is needed", "use Graph.of(skin)")
        seen: set[str] = set()
        for stage in self.stages:
            self._check_stage(stage, seen)
            seen.add(stage.name)
        steps = {stage.work.step for stage in self.stages if isinstance(stage.work, SoftSkin)}
        if len(steps) > 1:
            listed = " and ".join(f"{step:g} s" for step in sorted(steps))
            raise InputError("Graph", f"its soft skins have steps of {listed}", "they must share one", "set them alike")
        for name in self.muted:
            self.named(name)

    @staticmethod
    def _check_stage(stage: Stage, seen: set[str]) -> None:
        where = f"Graph stage {stage.name!r}"
        if stage.name in seen:
            raise InputError(where, "the name stands twice", "names must differ", "rename one stage")
        unknown = [name for name in stage.inputs if name not in seen]
        if unknown:
            raise InputError(
                where, f"it stands on {unknown[0]!r}", "that stage does not come before it", "reorder the stages"
            )
        if isinstance(stage.work, Mask):
            if len(stage.inputs) != 2:
                raise InputError(where, f"it has {len(stage.inputs)} inputs", "a blend has two", "name two stages")
            return
        most, least = int(stage.work.takes_incoming()), int(stage.work.needs_incoming())
        if not least <= len(stage.inputs) <= most:
            takes = f"{type(stage.work).__name__} takes {most}"
            raise InputError(where, f"it has {len(stage.inputs)} inputs", takes, "use Graph.of or Graph.then")

    @classmethod
    def of(cls, skin: AnySkin | Graph) -> Graph:
        """The graph of one skin, with the skin it stands on, if any, before it."""
        if isinstance(skin, Graph):
            return skin
        base = skin.base_skin()
        if base is None:
            return cls((Stage(skin.command_name, skin),))
        return cls.of(base).then(skin)

    @classmethod
    def chain(cls, *skins: AnySkin) -> Graph:
        """Each skin on the one before it."""
        if not skins:
            return cls(())
        graph = cls.of(skins[0])
        for skin in skins[1:]:
            graph = graph.then(skin)
        return graph

    @classmethod
    def blend(cls, one: AnySkin | Graph, other: AnySkin | Graph, mask: Mask) -> Graph:
        """`one` where the mask is 0, `other` where it is 1, in between in between. What both share runs once."""
        first, second = cls.of(one), cls.of(other)
        stages = list(first.stages)
        renamed: dict[str, str] = {}
        for stage in second.stages:
            inputs = tuple(renamed[name] for name in stage.inputs)
            twin = next((s for s in stages if s.work == stage.work and s.inputs == inputs), None)
            if twin is None:
                twin = Stage(_fresh(stage.name, stages), stage.work, inputs)
                stages.append(twin)
            renamed[stage.name] = twin.name
        ends = (first.stages[-1].name, renamed[second.stages[-1].name])
        muted = first.muted | {renamed[name] for name in second.muted}
        return cls((*stages, Stage(_fresh("blend", stages), mask, ends)), muted)

    def then(self, skin: AnySkin) -> Graph:
        """This graph with another skin standing on its result."""
        if not skin.takes_incoming():
            raise InputError(
                "Graph",
                f"{type(skin).__name__} was put on {self.stages[-1].name!r}",
                "it makes the skin from the pose alone and takes no incoming shape",
                "start a graph with it, or blend the two",
            )
        added = Stage(_fresh(skin.command_name, self.stages), skin, (self.stages[-1].name,))
        return dataclasses.replace(self, stages=(*self.stages, added))

    def named(self, name: str) -> Stage:
        """The stage of that name."""
        found = next((stage for stage in self.stages if stage.name == name), None)
        if found is None:
            there = f"there are {', '.join(stage.name for stage in self.stages)}"
            raise InputError("Graph", f"stage {name!r} was named", there, "name one of those")
        return found

    def with_work(self, name: str, work: AnySkin | Mask) -> Graph:
        """This graph with another skin or mask in the place of that of a stage."""
        other = dataclasses.replace(self.named(name), work=work)
        return dataclasses.replace(self, stages=tuple(other if one.name == name else one for one in self.stages))

    def without(self, name: str) -> Graph:
        """This graph without a stage: what stood on it stands on what it stood on, or on nothing.

        Of a blend the first of its two stays; a blend that loses one of its two is the other. What nothing needs any
        more goes as well.
        """
        gone = self.named(name)
        instead: dict[str, str | None] = {name: gone.inputs[0] if gone.inputs else None}
        stages: list[Stage] = []
        for stage in self.stages:
            inputs = tuple(other for other in (instead.get(one, one) for one in stage.inputs) if other is not None)
            if stage.name in instead:
                continue
            if isinstance(stage.work, Mask) and len(inputs) < 2:
                instead[stage.name] = inputs[0] if inputs else None
            else:
                stages.append(dataclasses.replace(stage, inputs=inputs))
        end = instead.get(self.stages[-1].name, self.stages[-1].name)
        needed = {end}
        for stage in reversed(stages):
            needed |= set(stage.inputs) if stage.name in needed else set()
        left = tuple(stage for stage in stages if stage.name in needed)
        return Graph(left, self.muted & {stage.name for stage in left})

    @property
    def played(self) -> Graph:
        """The graph without its muted stages, each skin as it is on top of the first one below it."""
        graph = self
        for name in self.muted:
            if name in graph.muted:
                graph = graph.without(name)
        for stage in graph.stages:
            first = graph.first_below(stage)
            if first is None or isinstance(stage.work, Mask):
                continue
            work = stage.work.on_top_of(first)
            if work is not stage.work:
                graph = graph.with_work(stage.name, work)
        return graph

    def first_below(self, stage: Stage) -> AnySkin | None:
        """The skin that the shape which a stage is given began with; None where there is none, or several."""
        firsts = {self._first(name) for name in stage.inputs}
        return firsts.pop() if len(firsts) == 1 else None

    def _first(self, name: str) -> AnySkin | None:
        stage = self.named(name)
        if stage.inputs:
            return self.first_below(stage)
        return None if isinstance(stage.work, Mask) else stage.work

    def check_for(self, character: Character) -> None:
        """Refuse what this character cannot have."""
        for stage in self.stages:
            if not isinstance(stage.work, Mask):
                stage.work.check_for(character)

    @property
    def step(self) -> float | None:
        """The simulation step of its soft skins [s]; None when it can be scrubbed."""
        return next((stage.work.step for stage in self.stages if isinstance(stage.work, SoftSkin)), None)

    @property
    def simulates_skeleton(self) -> bool:
        """Whether its bones go elsewhere than the motion has them."""
        return any(isinstance(stage.work, SoftSkin) and stage.work.simulates_skeleton for stage in self.stages)

    @property
    def records_contacts(self) -> bool:
        """Whether it says what its skin touches, and how hard."""
        return self.touching is not None

    @property
    def touching(self) -> SoftSkin[Any, Any] | None:
        """The last of its skins that says what it touches."""
        for stage in reversed(self.played.stages):
            if isinstance(stage.work, SoftSkin) and stage.work.records_contacts:
                return stage.work
        return None

    def met_bodies(self, character: Character) -> tuple[RigidBody, ...]:
        """What the last of its skins meets that meets anything."""
        for stage in reversed(self.played.stages):
            met = stage.work.met_bodies(character) if isinstance(stage.work, SoftSkin) else ()
            if met:
                return met
        return ()

    def __str__(self) -> str:
        wide = max(len(stage.name) for stage in self.stages)
        lines = [
            f"  {number} {stage.name:<{wide}}  {stage}{' (muted)' if stage.name in self.muted else ''}"
            for number, stage in enumerate(self.stages, start=1)
        ]
        return "\n".join([f"Graph of {len(self.stages)} stage{'s' if len(self.stages) > 1 else ''}", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Plain data that says all of it."""
        muted = {"muted": sorted(self.muted)} if self.muted else {}
        stages = [_stage_to_dict(stage) for stage in self.stages]
        return {"format": _FORMAT, "version": _VERSION, "stages": stages, **muted}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Graph:
        """The graph that `to_dict` described; anything missing or strange is named."""
        if data.get("format") != _FORMAT or data.get("version") not in _READABLE:
            given = f"format is {data.get('format')!r}, version {data.get('version')!r}"
            raise InputError("Graph", given, f"{_FORMAT} {_VERSION} is needed", "save it again with this Supple")
        stages = data.get("stages")
        if not isinstance(stages, list):
            raise InputError("Graph", "stages are missing", "a list of stages is needed", "save it again")
        muted = data.get("muted", [])
        if not (isinstance(muted, list) and all(isinstance(name, str) for name in muted)):
            raise InputError("Graph", "muted is strange", "a list of names is needed", "correct it")
        return cls(tuple(_stage_from_dict(stage) for stage in stages), frozenset(muted))

    @staticmethod
    def upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
        """What `to_dict` would say today of a graph that an older version described."""
        return {**data, "version": _VERSION, "stages": [_upgraded(stage) for stage in data["stages"]]}

    def save(self, path: str | Path) -> None:
        """Write a readable file (JSON)."""
        with atomic(path) as waiting:
            waiting.write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Graph:
        """Read what `save` wrote."""
        reader = RecordReader(path, what="a graph file", largest=_LARGEST, advice="save it again")
        data = reader.loaded()
        if not isinstance(data, dict):
            raise reader.fault("", "it holds no object", "a graph file is needed")
        return reader.made("graph", lambda: cls.from_dict(data))


def _fresh(name: str, stages: tuple[Stage, ...] | list[Stage]) -> str:
    return unique([name], taken=(stage.name for stage in stages), form=DASHED)[0]


def _stage_to_dict(stage: Stage) -> dict[str, Any]:
    inputs = list(stage.inputs)
    if isinstance(stage.work, Mask):
        return {"name": stage.name, "blend": dataclasses.asdict(stage.work), "inputs": inputs}
    also = stage.work.extra_identity()
    held = {"beside": dict(also)} if also else {}
    return {
        "name": stage.name,
        "skin": stage.work.command_name,
        "settings": to_data(stage.work),
        **held,
        "inputs": inputs,
    }


def _upgraded(stage: Mapping[str, Any]) -> dict[str, Any]:
    if "skin" not in stage:
        return dict(stage)
    return {**stage, "settings": to_data(skin_named(stage["skin"], stage["settings"]))}


def _stage_from_dict(data: Any) -> Stage:
    where = "Graph stage"
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        raise InputError(where, f"{data!r} was found", "an object with a name is needed", "save the graph again")
    inputs = data.get("inputs", [])
    if not (isinstance(inputs, list) and all(isinstance(name, str) for name in inputs)):
        raise InputError(f"{where} {data['name']!r}", "inputs are strange", "a list of names is needed", "correct it")
    if "blend" in data:
        return Stage(data["name"], _mask_from_dict(data["blend"], f"{where} {data['name']!r}"), tuple(inputs))
    if data.get("beside"):
        raise InputError(
            f"{where} {data['name']!r}",
            f"it was saved with {', '.join(map(str, data['beside'])) if isinstance(data['beside'], dict) else 'more'}",
            "a graph file keeps settings only",
            "make the skin in Python and give them again",
        )
    settings = data.get("settings", {})
    if not isinstance(settings, dict) or not isinstance(data.get("skin"), str):
        raise InputError(
            f"{where} {data['name']!r}", "skin or settings are strange", "a name and an object are needed", "correct it"
        )
    return Stage(data["name"], skin_named(data["skin"], settings), tuple(inputs))


def _mask_from_dict(given: Any, where: str) -> Mask:
    """A mask, all of whose values are of the kind that its defaults are."""
    kinds = {field.name: type(field.default) for field in dataclasses.fields(Mask)}
    strange = [key for key in given if key not in kinds] if isinstance(given, dict) else ["blend"]
    if strange:
        raise InputError(where, f"there is {strange[0]!r}", f"a blend has {', '.join(kinds)}", "leave it out")
    for name, value in given.items():
        fits = isinstance(value, kinds[name]) or (kinds[name] is float and isinstance(value, int))
        if isinstance(value, bool) or not fits or (isinstance(value, int) and abs(value) > 2**53):
            kind = "words" if kinds[name] is str else "a number"
            raise InputError(where, f"{name} is {str(value)[:60]}", f"{kind} is needed", "correct it")
    return Mask(**given)
