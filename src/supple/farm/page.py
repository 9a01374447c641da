"""The page at the end of a farm: what to look at first, then a picture and the measures of every shot.

One HTML file that asks nothing of the network; pictures are in it as long as there are not too many, then beside it.
"""

from __future__ import annotations

import base64
import hashlib
import math
from html import escape
from importlib import resources

from supple.farm.outcome import Outcome, ShotOutcome
from supple.farm.places import Place, place_at, write_record
from supple.report.page import stylesheet
from supple.report.quantities import sized, texts

NAME = "index.html"
_EMBEDDED = 400  # shots whose pictures are in the page: about 6 MB


def write_page(outcome: Outcome, place: Place) -> None:
    """Put the page, and the same as JSON (farm.json), into the farm's folder."""
    write_record(place, "farm.json", outcome.to_dict())
    with place.writing(NAME) as here:
        here.write_text(page(outcome, place), encoding="utf-8")


def page(outcome: Outcome, place: Place | None = None) -> str:
    """The whole page as text; `place` is where the pictures are, that of the outcome if not given."""
    where = place_at(outcome.folder) if place is None else place
    look = stylesheet() + resources.files("supple.farm").joinpath("page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(look.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; img-src data: 'self'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    bad, good = [s for s in outcome.shots if not s.good], [s for s in outcome.shots if s.good]
    embedded = len(outcome.shots) <= _EMBEDDED
    body = [_head(outcome, bad)]
    if bad:
        body.append("<h2>Look at these</h2><p>What failed, and what is outside its bounds.</p>")
        body.append(f'<div class="shots">{"".join(_card(shot, where, embedded=embedded) for shot in bad)}</div>')
    if good:
        body.append("<h2>All well</h2><p>There, and within the bounds that they have.</p>")
        body.append(f'<div class="shots">{"".join(_card(shot, where, embedded=embedded) for shot in good)}</div>')
    body += [_table(outcome), _facts(outcome)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(_title(outcome))}</title>\n<style>{look}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _title(outcome: Outcome) -> str:
    return f"{len(outcome.shots)} shot{'s' if len(outcome.shots) != 1 else ''}"


def _head(outcome: Outcome, bad: list[ShotOutcome]) -> str:
    failed, crossed = sum(bool(shot.errors) for shot in bad), sum(bool(shot.crossed) for shot in bad)
    frames = sum(shot.frames for shot in outcome.shots)
    counts = [
        ("", len(outcome.shots) - len(bad), "all well"),
        ("bad" if failed else "", failed, "failed"),
        ("bad" if crossed else "", crossed, "outside their bounds"),
        ("", frames, "frames"),
    ]
    shown = "".join(f'<p class="card {kind}"><b>{count:,}</b>{words}</p>' for kind, count, words in counts)
    tasks = f"{outcome.tasks:,} tasks, {outcome.found:,} of them found done"
    lead = f"{tasks}, in {outcome.seconds:.1f} s by {outcome.workers}."
    return (
        f'<header><p class="eyebrow">Farm</p><h1>{escape(_title(outcome))}</h1>'
        f'<p class="lead">{escape(lead)}</p><div class="count">{shown}</div></header>'
    )


def _card(shot: ShotOutcome, place: Place, *, embedded: bool) -> str:
    words = [f'<p class="bad">{escape(text)}</p>' for text in (*shot.errors.values(), *shot.crossed)]
    words += [f"<p>{escape(note)}</p>" for note in shot.notes]
    if shot.frames:
        words.append(f"<p>{shot.frames:,} frames, {shot.vertices:,} vertices{_fallen(shot)}</p>")
    picture = _picture(shot, place, embedded=embedded)
    return (
        f'<section class="shot card{"" if shot.good else " bad"}">{picture}<div><span class="state">'
        f"{escape(shot.state)}</span><h3>{escape(shot.shot.name)}</h3>{''.join(words)}</div></section>"
    )


def _fallen(shot: ShotOutcome) -> str:
    return f"; linear blend stands in {len(shot.fell_back)} of them" if shot.fell_back else ""


def _picture(shot: ShotOutcome, place: Place, *, embedded: bool) -> str:
    name = f"{shot.shot.name}/pictures.jpg"
    if name not in shot.files:
        return ""
    source = escape(name)
    if embedded:
        with place.reading(name) as here:
            source = f"data:image/jpeg;base64,{base64.b64encode(here.read_bytes()).decode()}"
    return f'<img src="{source}" alt="{escape(shot.shot.name)} from its first frame to its last" loading="lazy">'


def _table(outcome: Outcome) -> str:
    """Every measure of every shot, in columns; those outside their bounds are marked."""
    columns: dict[str, str] = {}
    for shot in outcome.shots:
        for row in shot.rows:
            columns.setdefault(row["name"], row["unit"])
    if not columns:
        return ""
    heads, cells = [], []
    for name, unit in columns.items():
        values = [shot.measured.get(name, math.nan) for shot in outcome.shots]
        factor, said = sized(unit, values)
        shown = texts([value * factor for value in values])
        heads.append(f'<th scope="col">{escape(name)}<small>{escape(said)}</small></th>')
        cells.append([_cell(shot, name, text) for shot, text in zip(outcome.shots, shown, strict=True)])
    rows = "".join(
        f'<tr><th scope="row">{escape(shot.shot.name)}</th>{"".join(column[number] for column in cells)}</tr>'
        for number, shot in enumerate(outcome.shots)
    )
    return (
        "<h2>The measures</h2><p>Of every shot as a whole. A mark stands where a bound is crossed.</p>"
        f'<div class="card scroll many"><table><thead><tr><th scope="col">Shot</th>{"".join(heads)}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(shot: ShotOutcome, name: str, text: str) -> str:
    crossed = any(bound.measure == name and bound.crossed_by(shot.measured) for bound in shot.shot.bounds)
    kind = ' class="bad"' if crossed and shot.rows else ' class="none"' if text == "–" else ""
    return f"<td{kind}>{text}</td>"


def _facts(outcome: Outcome) -> str:
    from supple import __version__

    kinds = "".join(f"<dd>{escape(kind)}</dd>" for kind in outcome.kinds)
    more = (
        "<p>Points of shots that were made on different kinds may differ by rounding.</p>"
        if len(outcome.kinds) > 1
        else ""
    )
    return (
        '<h2>How it was made</h2><div class="facts"><section class="card"><h3>Machines</h3><dl><dt>Kind</dt>'
        f"{kinds}<dt>Begun again</dt><dd>{outcome.begun_again}</dd></dl>{more}</section></div>"
        f"<footer>Made with Supple {escape(__version__)}. This page asks nothing of the network.</footer>"
    )
