"""Writes references.md from references.bib, so that both say the same: python docs/make_references.py"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIBLIOGRAPHY, PAGE = HERE / "references.bib", HERE / "references.md"
KEY = re.compile(r"\b[A-Z][a-z]+[A-Za-z]*(?:19|20)\d{2}[a-z]?\b")
"""A citation as the source and the pages write it, in square brackets: a name or several, and a year."""

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}", flags=re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", flags=re.MULTILINE)
_HEAD = """# References

The works that the source and these pages cite, by the key that stands there in square brackets: `[Kavan2008]`, or with
a place in the work, `[Galoppo2007, Eq. 9]`. As BibTeX, from which this page is made:
[references.bib](references.bib).
"""


def read(text: str) -> dict[str, dict[str, str]]:
    """The fields of every work by its key; one field stands on one line."""
    return {key: {"kind": kind, **dict(_FIELD.findall(body))} for kind, key, body in _ENTRY.findall(text)}


def authors(names: str) -> str:
    """Family names last, as people say them: 'A. Family, B. Family and C. Family'."""
    turned = [" ".join(reversed(name.split(", "))) for name in names.split(" and ")]
    return " and ".join([", ".join(turned[:-1]), turned[-1]]) if len(turned) > 1 else turned[0]


def where(work: dict[str, str]) -> str:
    """In what it was published, with the volume and the pages that are known."""
    volume = f" {work['volume']}({work['number']})" if "volume" in work else ""
    kind = "PhD thesis, " if work["kind"] == "phdthesis" else "In " if "booktitle" in work else ""
    parts = [kind + work[name] + volume for name in ("journal", "booktitle", "school") if name in work]
    parts += [work["publisher"]] if "publisher" in work else []
    if "pages" in work:
        pages = work["pages"].replace("--", " to ")
        parts.append(("pages " if "to" in pages else "article ") + pages)
    return ", ".join([*parts, work["year"], *([work["note"]] if "note" in work else [])])


def page(works: dict[str, dict[str, str]]) -> str:
    """The whole page."""
    entries = []
    for key, work in sorted(works.items()):
        link = f" [doi:{work['doi']}](https://doi.org/{work['doi']})" if "doi" in work else ""
        entries.append(f"\n### {key}\n\n{authors(work['author'])}. *{work['title']}*. {where(work)}.{link}\n")
    return _HEAD + "".join(entries)


if __name__ == "__main__":
    PAGE.write_text(page(read(BIBLIOGRAPHY.read_text(encoding="utf-8"))), encoding="utf-8")
