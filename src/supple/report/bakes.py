"""The page of a comparison for bakes that are there already: nothing is baked, all is measured and filmed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from supple.errors import InputError
from supple.files import atomic
from supple.graph.cache import Cache
from supple.measure.measuring import measure
from supple.report.comparison import Comparison, Look, film_of
from supple.report.crew import crew
from supple.report.facts import facts, lead
from supple.report.findings import Take
from supple.report.page import Document, page


def compare_bakes(bakes: Mapping[str, Cache], path: str | Path, *, made_by: str = "") -> Comparison:
    """Write the page that `compare` writes, for finished bakes of one character in one motion, by their labels.

    How long frames took is not known any more, and not on the page.
    """
    if not bakes:
        raise InputError("compare", "there are no bakes", "at least one is needed", "bake some")
    caches = list(bakes.values())
    first = caches[0]
    for label, cache in bakes.items():
        same = np.array_equal(cache.triangles, first.triangles) and np.array_equal(cache.times, first.times)
        if not same:
            needed = "all must be of one mesh and the same frames"
            raise InputError("compare", f"{label!r} has another mesh or other frames", needed, "bake them alike")
    reports = {label: measure(cache.character, cache) for label, cache in bakes.items()}
    takes = tuple(
        Take(label, cache.graph, tuple(reports[label].rows()), reports[label].curves(), cache.fell_back, {})
        for label, cache in bakes.items()
    )
    with crew(1) as hands:
        film, why_not = film_of(caches, list(bakes), Look(), None, hands, lambda step: None)
    document = Document(
        title=f"{first.info['character_name']}, {first.info['motion_name']}",
        lead=lead(list(bakes), first),
        times=first.times,
        takes=takes,
        film=film,
        no_film=why_not,
        facts=facts(first.character, first.motion, first),
        made_by=made_by,
    )
    target = Path(path)
    with atomic(target) as waiting:
        waiting.write_text(page(document), encoding="utf-8")
    return Comparison(target, reports, None, why_not)
