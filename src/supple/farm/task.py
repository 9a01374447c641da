"""A task: one thing that one worker does for a shot, and what it says when it is done. Both travel as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from supple.farm.shot import Shot
from supple.farm.shot_file import ShotList
from supple.render.film import KINDS as FILMS

Kind = Literal["bake", "range", "join", "measure", "pictures", "export", "film", "sheet", "compare"]


@dataclass(frozen=True)
class Task:
    """What is to be done for `shots`, one of them but for a comparison, when all in `after` is done.

    `what` is the suffix of an output; `frames` are the first and the one after the last of a range, or all ranges.
    """

    name: str
    kind: Kind
    shots: tuple[Shot, ...]
    after: tuple[str, ...] = ()
    what: str = ""
    frames: tuple[tuple[int, int], ...] = ()

    @property
    def shot(self) -> Shot:
        """The first of its shots."""
        return self.shots[0]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a task.

    `state` is "done", "found" (it was there already), "split" (into the ranges of `frames`), "failed", or "refused"
    (by a worker that is not of this version). `made_on` is the kind of the worker's machine.
    """

    state: Literal["done", "found", "split", "failed", "refused"]
    files: tuple[str, ...] = ()
    frames: tuple[tuple[int, int], ...] = ()
    seconds: float = 0.0
    made_on: str = ""
    worker: str = ""
    words: str = ""
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """As it goes back."""
        return json.dumps(dataclasses.asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """What `to_json` said."""
        known = {entry.name for entry in dataclasses.fields(cls)}
        data = {key: value for key, value in json.loads(text).items() if key in known}  # another version may say more
        pairs = tuple((first, last) for first, last in data.get("frames", ()))
        texts = {key: tuple(data.get(key, ())) for key in ("files", "notes")}
        return cls(**{**data, **texts, "frames": pairs})


@dataclass(frozen=True, kw_only=True)
class Order:
    """A task with all that a worker must know to do it, as it goes to one."""

    task: Task
    version: str
    folder: str
    frames_per_task: int
    pictures: int
    device: str = "cpu"
    overwrite: bool = False

    @classmethod
    def of(cls, task: Task, shots: ShotList, *, version: str, device: str, overwrite: bool) -> Order:
        """The order for a task of a list."""
        return cls(
            task=task,
            version=version,
            folder=shots.folder,
            frames_per_task=shots.frames_per_task,
            pictures=shots.pictures,
            device=device,
            overwrite=overwrite,
        )

    def to_json(self) -> str:
        """As it goes out; the version comes first, for workers of any other to find."""
        task = {entry.name: getattr(self.task, entry.name) for entry in dataclasses.fields(self.task)}
        rest = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self) if entry.name != "task"}
        shots = [shot.to_dict() for shot in self.task.shots]
        return json.dumps({"version": self.version, **rest, "task": {**task, "shots": shots}}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Order:
        """What `to_json` said."""
        data = json.loads(text)
        task = data["task"]
        shots = tuple(Shot.from_dict(shot) for shot in task["shots"])
        frames = tuple((first, last) for first, last in task["frames"])
        return cls(
            **{**data, "task": Task(**{**task, "shots": shots, "after": tuple(task["after"]), "frames": frames})}
        )


def tasks_of(shots: ShotList) -> list[Task]:
    """All tasks of a list but the ranges, which are known once a worker has seen how long a shot is."""
    tasks: list[Task] = []
    for shot in shots.shots:
        baked = f"bake {shot.name}"
        tasks.append(Task(baked, "bake", (shot,)))
        tasks.append(Task(f"measure {shot.name}", "measure", (shot,), (baked,)))
        if shots.pictures:
            tasks.append(Task(f"pictures {shot.name}", "pictures", (shot,), (baked,)))
        for suffix in shot.outputs:
            kind: Kind = "film" if suffix in FILMS else "sheet" if suffix in (".png", ".jpg") else "export"
            tasks.append(Task(f"{kind} {shot.name}{suffix}", kind, (shot,), (baked,), suffix))
    return tasks + _comparisons(shots)


def _comparisons(shots: ShotList) -> list[Task]:
    """Pages of the shots of a scene that differ by their skins alone."""
    groups: dict[tuple[Any, ...], list[Shot]] = {}
    for shot in shots.shots:
        if shot.compare:
            groups.setdefault(shot.compared_with, []).append(shot)
    return [
        Task(f"compare {group[0].name}", "compare", tuple(group), tuple(f"bake {shot.name}" for shot in group))
        for group in groups.values()
        if len(group) > 1
    ]


def split(task: Task, frames: tuple[tuple[int, int], ...]) -> list[Task]:
    """A bake as tasks for ranges of frames, and one of its own name that joins them."""
    ranges = [Task(f"range {task.shot.name} {first}", "range", task.shots, (), "", ((first, last),))
              for first, last in frames]  # fmt: skip
    return [*ranges, Task(task.name, "join", task.shots, tuple(each.name for each in ranges), "", frames)]
