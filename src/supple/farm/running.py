"""A list of shots from beginning to end: tasks go out as what they wait for is done, and nothing stops the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, Queue

import supple
from supple.errors import InputError, SuppleError, UnfinishedError
from supple.farm.hands import PATIENCE, Hands, LostError, hands_of
from supple.farm.outcome import Outcome, ShotOutcome
from supple.farm.page import write_page
from supple.farm.places import place_at
from supple.farm.shot_file import ShotList, load_shots
from supple.farm.task import Answer, Order, Task, split, tasks_of

LOOK_EVERY = 2.0  # [s] without news, after which the hands are looked at
MOST_TRIES = 5  # of a task whose worker is lost: what kills five workers kills the next one too


@dataclass(frozen=True)
class News:
    """Told to whoever watches: what came of a task, or a note; `done` of `total` tasks are behind it."""

    task: str
    state: str
    words: str
    done: int
    total: int


Watch = Callable[[News], None]


def farm(
    shots: ShotList | str | Path,
    *,
    cluster: str | None = None,
    workers: int | None = None,
    device: str = "cpu",
    overwrite: bool = False,
    watch: Watch | None = None,
    hands: Hands | None = None,
    patience: float = PATIENCE,
) -> Outcome:
    """Bake all shots of a list, and make all that follows: exports, films, measures, comparisons, and one page.

    Without a `cluster`, `workers` processes of this machine do it, as many as it has cores if not given; "local" is a
    cluster of Dask's on this machine, an address such as tcp://host:8786 that of a scheduler. What is there already is
    found and not made again, so the same call goes on after whatever stopped it. A shot that fails is in the outcome
    with its error, and the others go on. With `overwrite`, bakes of what the list said before are replaced. Where the
    scheduler of a cluster goes away, or its last worker, they are waited for `patience` seconds; then it is an error.
    """
    if not patience > 0.0:
        raise InputError("--patience", f"it is {patience:g} s", "more than 0 is needed", "leave it out for two minutes")
    listed = shots if isinstance(shots, ShotList) else load_shots(shots)
    began = time.perf_counter()
    if hands is not None:
        run = _Run(listed, hands, device=device, overwrite=overwrite, watch=watch)
    else:
        with hands_of(cluster, workers=workers, patience=patience) as own:
            run = _Run(listed, own, device=device, overwrite=overwrite, watch=watch)
            run.to_the_end()
            return _ended(listed, run, own, time.perf_counter() - began)
    run.to_the_end()
    return _ended(listed, run, hands, time.perf_counter() - began)


def _ended(shots: ShotList, run: _Run, hands: Hands, seconds: float) -> Outcome:
    outcome = Outcome(
        shots=tuple(run.outcomes()),
        folder=shots.folder,
        page="index.html",
        tasks=run.done,
        found=run.found,
        begun_again=run.begun_again,
        seconds=seconds,
        workers=hands.words,
    )
    write_page(outcome, place_at(shots.folder))
    return outcome


class _Run:
    """One farm under way. Only the thread that made it touches it; answers arrive in a queue."""

    def __init__(self, shots: ShotList, hands: Hands, *, device: str, overwrite: bool, watch: Watch | None) -> None:
        self._shots, self._hands, self._watch = shots, hands, watch
        self._device, self._overwrite = device, overwrite
        self._tasks = {task.name: task for task in tasks_of(shots)}
        self._waiting = {name: set(task.after) for name, task in self._tasks.items()}
        self._followers: dict[str, list[str]] = {}
        for task in self._tasks.values():
            for before in task.after:
                self._followers.setdefault(before, []).append(task.name)
        self._answers: dict[str, Answer] = {}
        self._tries: dict[str, int] = {}
        self._news: Queue[tuple[str, Future[str]]] = Queue()
        self.found = self.begun_again = 0

    @property
    def done(self) -> int:
        """How many tasks have come to an end."""
        return len(self._answers)

    def to_the_end(self) -> None:
        """Do everything that can be done."""
        if self._hands.link:
            self._tell("", "begun", f"watch it at {self._hands.link}")
        for words in self._hands.refusals:
            self._tell("", "refused", words)
        for name in [name for name, before in self._waiting.items() if not before]:
            self._begin(name)
        while len(self._answers) < len(self._tasks):
            try:
                name, future = self._news.get(timeout=LOOK_EVERY)
            except Empty:
                words = self._hands.look()
                if words:
                    self._tell("", "waiting", words)
                continue
            self._hear(name, future)

    def _begin(self, name: str) -> None:
        self._waiting.pop(name, None)
        order = Order.of(
            self._tasks[name], self._shots, version=supple.__version__, device=self._device, overwrite=self._overwrite
        )
        self._hands.begin(name, order.to_json(), lambda future: self._news.put((name, future)))

    def _hear(self, name: str, future: Future[str]) -> None:
        """What came of a task: an answer, a worker that was lost, or something that should not happen."""
        try:
            answer = Answer.from_json(future.result())
        except LostError as lost:
            self._tries[name] = self._tries.get(name, 0) + 1
            if self._tries[name] < MOST_TRIES:
                self.begun_again += 1
                self._tell(name, "begun again", str(lost))
                self._begin(name)
                return
            words = f"{name}: {MOST_TRIES} workers were lost over it ({lost}); look at their memory and logs."
            answer = Answer(state="failed", words=words)
        except UnfinishedError:  # there is nobody to do it, nor anything else
            raise
        except SuppleError as error:
            answer = Answer(state="failed", words=str(error))
        except Exception as error:  # of a worker that could not even read the order
            answer = Answer(state="failed", words=f"the worker could not do it ({type(error).__name__}: {error}).")
        if answer.state == "refused":
            self._tell(name, "refused", answer.words)
            self._hands.refuse(answer.worker)
            self._begin(name)
        elif answer.state == "split":
            self._split(self._tasks[name], answer)
        else:
            self._end(name, answer)

    def _split(self, task: Task, answer: Answer) -> None:
        """Ranges of frames go out, and what waits for the bake waits for them to be joined."""
        parts = split(task, answer.frames)
        for each in parts:
            self._tasks[each.name] = each
            for before in each.after:
                self._followers.setdefault(before, []).append(each.name)
        self._waiting[task.name] = set(parts[-1].after)
        for each in parts[:-1]:
            self._begin(each.name)

    def _end(self, name: str, answer: Answer) -> None:
        """Note an answer, and let go out what waited for it; what waits for a failure cannot be done."""
        self._answers[name] = answer
        self.found += answer.state == "found"
        self._tell(name, answer.state, answer.words)
        for follower in self._followers.get(name, ()):
            before = self._waiting.get(follower)
            if before is None:
                continue
            if answer.state == "failed":
                del self._waiting[follower]
                self._end(follower, replace(answer, words="" if name.startswith("bake") else answer.words))
                continue
            before.discard(name)
            if not before:
                self._begin(follower)

    def _tell(self, name: str, state: str, words: str) -> None:
        if self._watch is not None:
            self._watch(News(name, state, words, len(self._answers), len(self._tasks)))

    def outcomes(self) -> Iterable[ShotOutcome]:
        """What came of every shot."""
        tasks: dict[str, list[Task]] = {}
        for task in self._tasks.values():
            for shot in task.shots:
                tasks.setdefault(shot.name, []).append(task)
        for shot in self._shots.shots:
            answers = {task.name: self._answers[task.name] for task in tasks[shot.name]}
            baked = self._answers[f"bake {shot.name}"]
            rows = self._answers[f"measure {shot.name}"].facts.get("rows", ())
            yield ShotOutcome(
                shot,
                frames=baked.facts.get("frames", 0),
                vertices=baked.facts.get("vertices", 0),
                fell_back=tuple(baked.facts.get("fell_back", ())),
                made_on=baked.facts.get("made_on", ""),
                seconds=sum(answer.seconds for answer in answers.values()),
                made_now=any(answer.state == "done" for answer in answers.values()),
                files=tuple(file for answer in answers.values() for file in answer.files),
                rows=tuple(rows),
                notes=tuple(dict.fromkeys(note for answer in answers.values() for note in answer.notes)),
                errors={name: a.words for name, a in answers.items() if a.state == "failed" and a.words},
            )
