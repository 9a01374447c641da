"""What a worker does: takes an order as text, does its task, and answers as text, whatever happens."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import supple
from supple import machine
from supple.errors import BusyError, InputError, StaleError, SuppleError, SuppleWarning
from supple.farm.opening import opened
from supple.farm.pictures import draw_film, draw_sheet, draw_strip
from supple.farm.places import Place, place_at, read_record, write_record
from supple.farm.shot import Shot
from supple.farm.task import Answer, Order, Task
from supple.graph import container
from supple.graph.bake import bake_plan, existing
from supple.graph.baking.plan import Plan
from supple.graph.baking.ranges import join_ranges, ranges_of
from supple.graph.cache import Cache, differences
from supple.measure.measuring import measure
from supple.report.bakes import compare_bakes

T = TypeVar("T")
PATIENCE = 600.0  # [s] for which a bake that somebody else writes is waited for: a worker that seemed lost may be alive
_PAUSE = 0.25  # [s]


def do(text: str, tell: Callable[[Any], None] | None = None) -> str:
    """Do what an order says; the answer says what came of it, also where that is an error.

    Text in and out: a worker of another version understands at least that it is not meant.
    """
    began = time.perf_counter()
    wanted = json.loads(text).get("version")
    if wanted != supple.__version__:
        words = (
            f"{socket.gethostname()} has Supple {supple.__version__} and the farm is run by {wanted}; "
            "install the same version there"
        )
        return Answer(state="refused", words=words, worker=_worker()).to_json()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", category=SuppleWarning)
        try:
            answer = _done(Order.from_json(text))
        except Exception as error:
            answer = Answer(state="failed", words=_words(error))
    notes = tuple(dict.fromkeys(str(one.message) for one in heard if issubclass(one.category, SuppleWarning)))
    whole = {**json.loads(answer.to_json()), "notes": notes, "seconds": time.perf_counter() - began}
    return Answer.from_json(json.dumps({**whole, "made_on": machine.kind(), "worker": _worker()})).to_json()


def _worker() -> str:
    """The name of this worker: its address in a cluster of Dask's, else that of the machine."""
    dask = sys.modules.get("distributed")
    try:
        return str(dask.get_worker().address) if dask is not None else socket.gethostname()
    except ValueError:  # loaded, and no worker
        return socket.gethostname()


def _words(error: Exception) -> str:
    """What went wrong, for the table; of what should not happen, also where."""
    if isinstance(error, SuppleError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'file system'}: {error.strerror}."
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"something unexpected happened ({type(error).__name__}: {error}, in {last.name}); please report it."


def bake_name(shot: Shot) -> str:
    """The name of its bake in the farm's folder."""
    return f"{shot.name}/{shot.name}.supple"


def record_name(shot: Shot, kind: str, what: str = "") -> str:
    """The name of the record that a task leaves beside what it made."""
    return f"{shot.name}/records/{kind}{what}.json"


def _done(order: Order) -> Answer:
    task, place = order.task, place_at(order.folder)
    if task.kind in ("bake", "range", "join"):
        return _bake(order, place)
    return _follow(order, place)


# Bakes


def _bake(order: Order, place: Place) -> Answer:
    shot = order.task.shot
    character, motion, graph = opened(shot)
    plan = Plan.of(character, motion, graph, device=order.device, fps=shot.fps, start=shot.start, end=shot.end)
    record = read_record(place, record_name(shot, "bake"))
    same = record.get("info") is not None and not differences(plan.info, record["info"])
    if same and place.size(bake_name(shot)) == record.get("bytes"):
        _remove_ranges(order, place, plan)
        return Answer(state="found", files=(bake_name(shot),), facts=record)
    if same or not record or order.overwrite:
        return _bake_now(order, place, plan)
    given = f"it was baked from something else ({', '.join(differences(plan.info, record['info']))} differs)"
    needed = "a shot is only baked again when that is wanted"
    raise StaleError(bake_name(shot), given, needed, "use --overwrite, rename the shot, or choose another folder")


def _bake_now(order: Order, place: Place, plan: Plan) -> Answer:
    task, shot, name = order.task, order.task.shot, bake_name(order.task.shot)
    if task.kind == "range":
        ((first, last),) = task.frames
        with place.growing(_range_name(shot, first)) as path:
            _made_of(order, lambda overwrite: bake_plan(plan.frames(first, last), path, overwrite=overwrite))
        return Answer(state="done")
    if task.kind == "join":
        with contextlib.ExitStack() as stack:
            path = stack.enter_context(place.growing(name))
            apart = {ends: stack.enter_context(place.reading(_range_name(shot, ends[0]))) for ends in task.frames}
            facts = _facts(_made_of(order, lambda overwrite: join_ranges(plan, path, apart, overwrite=overwrite)))
    else:
        ranges, here = tuple(ranges_of(len(plan.times), order.frames_per_task)), place.direct(name)
        if plan.graph.step is None and len(ranges) > 1:
            there = here and _made_of(order, lambda overwrite: existing(here, plan, overwrite=overwrite))
            if there is None:
                return Answer(state="split", frames=ranges)
        with place.growing(name) as path:
            facts = _facts(_made_of(order, lambda overwrite: bake_plan(plan, path, overwrite=overwrite)))
    write_record(place, record_name(shot, "bake"), facts)
    _remove_ranges(order, place, plan)
    return Answer(state="done", files=(name,), facts=facts)


def _remove_ranges(order: Order, place: Place, plan: Plan) -> None:
    """Take away the ranges of a bake that is whole; who joined them may have been stopped before he did."""
    if plan.graph.step is None:
        for first, _ in ranges_of(len(plan.times), order.frames_per_task):
            place.remove(_range_name(order.task.shot, first))


def _range_name(shot: Shot, first: int) -> str:
    return f"{shot.name}/{shot.name}.from-{first}.supple"


def _facts(cache: Cache) -> dict[str, Any]:
    """What is kept beside a bake: what it was made from and where, and what tells it from any other."""
    return {
        "info": cache.info,
        "bytes": cache.path.stat().st_size,
        "identity": container.identity(cache.path),
        "frames": len(cache),
        "vertices": len(cache.rest),
        "fell_back": list(cache.fell_back),
        "made_on": cache.made_on,
        "made_elsewhere": list(cache.made_elsewhere),
    }


def _made_of(order: Order, make: Callable[[bool], T]) -> T:
    """What is made, once nobody else is at it; what lies in its place gives way where the order says so."""
    until = time.monotonic() + PATIENCE
    overwrite = False
    while True:
        try:
            return make(overwrite)
        except StaleError:
            if overwrite or not order.overwrite:
                raise
            overwrite = True
        except BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE)


# What follows a bake


def _follow(order: Order, place: Place) -> Answer:
    """Make what follows a bake, unless it is there and was made of this very bake in this very way."""
    task = order.task
    of = [read_record(place, record_name(shot, "bake")).get("identity") for shot in task.shots]
    if None in of:
        raise InputError(task.name, "a bake is missing", "it comes first", "run the farm again")
    made_of = {"of": of, "pictures": order.pictures, "version": order.version}
    named = record_name(task.shot, task.kind, task.what)
    record = read_record(place, named)
    there = {name: place.size(name) for name in record.get("files", {})}
    if record.get("made_of") == made_of and there == record["files"]:
        return Answer(state="found", files=tuple(there), facts=record.get("facts", {}))
    with contextlib.ExitStack() as stack:
        caches = [Cache(stack.enter_context(place.reading(bake_name(shot))), verify=False) for shot in task.shots]
        name, facts = _made(task, order, place, caches)
    files = {name: place.size(name)}
    write_record(place, named, {"made_of": made_of, "files": files, "facts": facts, "made_on": machine.kind()})
    return Answer(state="done", files=(name,), facts=facts)


def _made(task: Task, order: Order, place: Place, caches: list[Cache]) -> tuple[str, dict[str, Any]]:
    """Make one file of a bake; its name, and what is to be known of it."""
    shot, cache = task.shot, caches[0]
    if task.kind == "measure":
        report = measure(cache.character, cache)
        name = f"{shot.name}/measures.json"
        with place.writing(name) as here:
            here.write_text(report.to_json() + "\n", encoding="utf-8")
        rows = [dataclasses.asdict(row) for row in report.rows()]
        rows = [{**row, "value": row["value"] if math.isfinite(row["value"]) else None} for row in rows]
        return name, {"rows": rows}
    if task.kind == "compare":
        name = f"{shot.name}/compare.html"
        with place.writing(name) as here:
            compare_bakes(dict(zip([each.name for each in task.shots], caches, strict=True)), here)
        return name, {}
    name = f"{shot.name}/pictures.jpg" if task.kind == "pictures" else f"{shot.name}/{shot.name}{task.what}"
    with place.writing(name) as here:
        if task.kind == "export":
            cache.save(here)
        elif task.kind == "film":
            draw_film(cache, here)
        elif task.kind == "sheet":
            draw_sheet(cache, here)
        else:
            draw_strip(cache, here, order.pictures)
    return name, {}
