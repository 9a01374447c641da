"""The page of a comparison: one HTML file that asks nothing of the network, and is forbidden to."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from typing import Any

from supple.arrays import FloatArray
from supple.graph.mask import Mask
from supple.measure.report import Better
from supple.report import chart
from supple.report.chart import Chart
from supple.report.findings import Take, bundles_of, lines_of
from supple.report.palette import color_number, dashes, style
from supple.report.quantities import texts
from supple.settings import flattened, settings_of

_MANY = 5  # skins, beyond which the table is set closer
_DIRECTION: dict[Better, str] = {
    "lower": "lower is better",
    "higher": "higher is better",
    "near 1": "nearer 1 is better",
}


@dataclass(frozen=True)
class Embedded:
    """A film as bytes: `kind` is video/mp4 or image/webp."""

    kind: str
    content: bytes


@dataclass(frozen=True, eq=False, kw_only=True)
class Document:
    """All that a page says. Texts are plain; the page escapes them."""

    title: str
    lead: str
    times: FloatArray
    takes: tuple[Take, ...]
    film: Embedded | None = None
    no_film: str = ""
    facts: dict[str, dict[str, str]] = field(default_factory=dict)
    made_by: str = ""
    anatomy: Embedded | None = None


def page(document: Document) -> str:
    """The whole page as text."""
    labels = [take.label for take in document.takes]
    charts = [
        Chart(bundle, times=document.times, labels=labels) for bundle in bundles_of(document.takes, len(document.times))
    ]
    look, script = stylesheet(), _part("page.js")
    body = "\n".join(
        [
            _head(document),
            _film(document),
            _table(document.takes),
            _anatomy(document),
            _charts(charts, document),
            _skins(document.takes),
            _papers(document.takes),
            _facts(document),
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(look, script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(document.title)}</title>\n<style>{look}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n"
        f'<script type="application/json" id="curves">{_json(charts, document.times)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def stylesheet() -> str:
    """How pages look, in light and dark."""
    return style() + _part("page.css")


def _policy(look: str, script: str) -> str:
    """Nothing may be fetched, and only the page's own style and script, known by their digest, are obeyed."""
    return (
        f"default-src 'none'; img-src data:; media-src data:; style-src '{_digest(look)}'; "
        f"script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _part(name: str) -> str:
    return resources.files("supple.report").joinpath(name).read_text(encoding="utf-8")


def _json(charts: Sequence[Chart], times: FloatArray) -> str:
    plot = {
        "left": chart.LEFT,
        "top": chart.TOP,
        "wide": chart.WIDE - chart.LEFT - chart.RIGHT,
        "high": chart.HIGH - chart.TOP - chart.BOTTOM,
    }
    data: dict[str, Any] = {"times": times.tolist(), "plot": plot, "charts": [each.data() for each in charts]}
    # "<" would let a text end the element it stands in.
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _head(document: Document) -> str:
    return (
        f'<header><p class="eyebrow">Skin comparison</p><h1>{escape(document.title)}</h1>'
        f'<p class="lead">{escape(document.lead)}</p></header>'
    )


def _anatomy(document: Document) -> str:
    """What flesh takes the character to be made of, in colours; nothing where no skin asks."""
    if document.anatomy is None:
        return ""
    source = f"data:{document.anatomy.kind};base64,{base64.b64encode(document.anatomy.content).decode()}"
    says = "What the character is made of, as its flesh sees it: pale is none, dark all of it"
    return f'<figure class="film card"><img src="{source}" alt="{says}"><figcaption>{says}.</figcaption></figure>'


def _film(document: Document) -> str:
    film = document.film
    if film is None:
        return f'<div class="film card"><p>There is no film: {escape(document.no_film)}</p></div>'
    source = f"data:{film.kind};base64,{base64.b64encode(film.content).decode()}"
    says = escape("All skins side by side: " + ", ".join(take.label for take in document.takes))
    if film.kind.startswith("video/"):
        return (
            f'<div class="film card"><video src="{source}" aria-label="{says}" loop controls muted playsinline>'
            "</video></div>"
        )
    return f'<div class="film card"><img src="{source}" alt="{says}"></div>'


def _key(number: int) -> str:
    ring = " ring" if dashes(number) else ""
    return f'<span class="key{ring} skin-{color_number(number)}"></span>'


def _table(takes: Sequence[Take]) -> str:
    lines, won = [], [0] * len(takes)
    for line in lines_of(takes):
        best, cells = line.winners, []
        for number, text in enumerate(texts(line.values)):
            won[number] += number in best
            kind = ' class="winner"' if number in best else ' class="none"' if math.isnan(line.values[number]) else ""
            cells.append(f"<td{kind}>{text}</td>")
        notes = ", ".join(note for note in (line.unit, _DIRECTION[line.better]) if note)
        name = f"{escape(_capital(line.name))}<small>{escape(notes)}</small>"
        lines.append(f'<tr><th scope="row">{name}</th>{"".join(cells)}</tr>')
    heads = "".join(
        f'<th scope="col">{_key(number)}{escape(take.label)}<small>best in {won[number]} of {len(lines)}</small></th>'
        for number, take in enumerate(takes)
    )
    many = " many" if len(takes) > _MANY else ""
    return (
        "<h2>The measures</h2><p>Of the whole motion. A star marks the best of a row; values that read the same share "
        "it, and a row in which all read the same has none.</p>"
        f'<div class="card scroll{many}"><table><thead><tr><th scope="col">Measure</th>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _charts(charts: Sequence[Chart], document: Document) -> str:
    if not charts:
        return ""
    figures = []
    for each in charts:
        legend = "".join(
            f"<li>{_key(number)}{escape(label)}<output></output></li>" for number, label in enumerate(each.labels)
        )
        unit = f'<span class="unit">{escape(each.unit)}</span>' if each.unit else ""
        figures.append(
            f'<figure class="measure card"><figcaption><h3>{escape(_capital(each.name))}</h3>{unit}</figcaption>'
            f'<ul class="legend">{legend}</ul>{each.svg()}</figure>'
        )
    follows_root = document.film is not None and document.film.kind.startswith("video/")
    film = " The line follows the film; a click on a curve takes the film there." if follows_root else ""
    return (
        f"<h2>Over time</h2><p>Every measure in every frame. Point at a curve to read its values.{film}</p>"
        f'<div class="charts">{"".join(figures)}</div>'
    )


def _skins(takes: Sequence[Take]) -> str:
    cards = []
    for number, take in enumerate(takes):
        fell = ""
        if take.fell_back:
            listed = ", ".join(str(frame) for frame in take.fell_back[:20]) + (" …" if len(take.fell_back) > 20 else "")
            fell = (
                f'<p class="warning">Linear blend took its place in {len(take.fell_back)} frames, where it failed: '
                f"{listed}.</p>"
            )
        times = [(f"Median time of {stage}", f"{1e3 * taken:.2f} ms") for stage, taken in take.stage_seconds.items()]
        known = [*_settings(take), *times]
        knobs = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in known)
        settings = f"<dl>{knobs}</dl>" if knobs else "<p>It has no settings.</p>"
        cards.append(
            f'<section class="skin card"><h3>{_key(number)}{escape(take.label)}</h3>{fell}{settings}'
            f"<pre>{escape(str(take.graph))}</pre></section>"
        )
    return (
        "<h2>The skins and their settings</h2><p>What each frame runs, stage after stage.</p>"
        f'<div class="skins">{"".join(cards)}</div>'
    )


def _settings(take: Take) -> list[tuple[str, str]]:
    """All settings of all stages, labelled for people."""
    found = []
    for stage in take.graph.stages:
        if isinstance(stage.work, Mask):
            continue  # the graph's text says it in words
        values = flattened(stage.work)
        for info in settings_of(type(stage.work)):
            value = values[info.name]
            text = (
                ("on" if value else "off")
                if isinstance(value, bool)
                else f"{value:g}"
                if isinstance(value, float)
                else str(value)
            )
            where = "" if stage is take.graph.stages[-1] else f"{stage.name}: "
            found.append((f"{where}{info.label}", f"{text} {info.unit}".rstrip()))
    return found


def _papers(takes: Sequence[Take]) -> str:
    users: dict[str, list[str]] = {}
    for take in takes:
        for stage in take.graph.stages:
            for paper in () if isinstance(stage.work, Mask) else stage.work.papers:
                if take.label not in users.setdefault(paper, []):
                    users[paper].append(take.label)
    if not users:
        return ""
    entries = "".join(
        f"<li>{escape(paper)}. <small>{escape(', '.join(labels))}</small></li>" for paper, labels in users.items()
    )
    return f'<h2>Papers to cite</h2><p>Where these skins were published.</p><ul class="papers card">{entries}</ul>'


def _facts(document: Document) -> str:
    from supple import __version__

    groups = []
    for name, facts in document.facts.items():
        entries = "".join(f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in facts.items())
        groups.append(f'<section class="card"><h3>{escape(name)}</h3><dl>{entries}</dl></section>')
    if document.made_by:
        groups.append(f'<section class="card wide"><h3>Made by</h3><pre>{escape(document.made_by)}</pre></section>')
    return (
        f'<h2>How it was made</h2><p>What went in, and where it ran.</p><div class="facts">{"".join(groups)}'
        f"</div><footer>Made with Supple {escape(__version__)}. This page holds all it shows and asks nothing of the "
        "network.</footer>"
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
