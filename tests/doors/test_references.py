"""Every work that is cited is in the bibliography, every work in it is cited, and its page says the same."""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from pathlib import Path

import pytest

from supple.skins.registry import SKINS

ROOT = Path(__file__).resolve().parents[2]

_spec = importlib.util.spec_from_file_location("make_references", ROOT / "docs" / "make_references.py")
making = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(making)

TEXT = making.BIBLIOGRAPHY.read_text(encoding="utf-8")
WORKS = making.read(TEXT)
UNKEYED = re.compile(r"[\[(](?:after )?[A-Z][\w-]+(?:(?:, | and )[A-Z][\w-]+)* (?:19|20)\d{2}\b")


def citing_files() -> list[Path]:
    """All that may cite: the source, the pages except that of the references, the examples and the oracles."""
    folders = (("src", "*.py"), ("docs", "*.md"), ("examples", "*.py"), ("tests/oracles", "*.py"))
    found = [path for folder, kind in folders for path in sorted((ROOT / folder).rglob(kind))]
    return [path for path in [*found, *sorted(ROOT.glob("*.md"))] if path not in (making.PAGE, making.BIBLIOGRAPHY)]


def keys_in(text: str) -> set[str]:
    return set(making.KEY.findall(text))


def unknown_keys(text: str, works: dict[str, dict[str, str]]) -> list[str]:
    """Citations that no work answers to."""
    return sorted(keys_in(text) - set(works))


def plain(text: str) -> str:
    """Letters alone: no case, no accents, no punctuation."""
    text = text.replace("ü", "ue").replace("ö", "oe")
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower())


def work_of(paper: str, works: dict[str, dict[str, str]]) -> str | None:
    """The key of a paper as a skin names it: 'Family and Family YEAR, Title'."""
    told = re.fullmatch(r"(?P<names>.+) (?P<year>\d{4}), (?P<title>.+)", paper)
    for key, work in works.items():
        first = work["author"].split(",")[0]
        same = plain(told["title"]) == plain(work["title"]) and told["year"] == work["year"]
        if same and plain(told["names"]).startswith(plain(first)):
            return key
    return None


def test_every_citation_is_in_the_bibliography():
    unknown = {
        str(path.relative_to(ROOT)): unknown_keys(path.read_text(encoding="utf-8"), WORKS) for path in citing_files()
    }
    assert "src/supple/errors.py" in unknown  # the files were read
    assert {name: keys for name, keys in unknown.items() if keys} == {}


def test_citations_have_keys():
    unkeyed = {
        str(path.relative_to(ROOT)): UNKEYED.findall(path.read_text(encoding="utf-8")) for path in citing_files()
    }
    assert {name: found for name, found in unkeyed.items() if found} == {}


@pytest.mark.parametrize("skin", SKINS.values(), ids=SKINS)
def test_the_papers_of_a_skin_are_in_the_bibliography(skin):
    assert skin.papers
    assert [paper for paper in skin.papers if work_of(paper, WORKS) is None] == []


def test_every_work_is_cited():
    cited = {key for path in citing_files() for key in keys_in(path.read_text(encoding="utf-8"))}
    cited |= {work_of(paper, WORKS) for skin in SKINS.values() for paper in skin.papers}
    assert sorted(set(WORKS) - cited) == []


def test_the_page_is_made_from_the_bibliography():
    assert making.PAGE.read_text(encoding="utf-8") == making.page(WORKS), "run python docs/make_references.py"


def test_every_work_was_read_and_is_whole():
    assert len(WORKS) == TEXT.count("\n@")
    for key, work in WORKS.items():
        assert {"author", "title", "year"} <= set(work), key
        assert key.endswith(work["year"]), key
        first = plain(work["author"].split(",")[0])
        assert plain(key).startswith(first), key
        assert any(name in work for name in ("journal", "booktitle", "school", "publisher")) or work["kind"] == "misc"


# The checkers find what they are for


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ('"""Turns a point [Kavan2008, Alg. 1]."""', []),
        ('"""Turns a point [Nobody2031].\n"""', ["Nobody2031"]),
        ("# [Iwamoto2015, after Dionne2012]", ["Dionne2012"]),
        ("a1 q'''' = F   [Sorkine2004; Toothman2022, Eq. 3]", ["Toothman2022"]),
        ("see [AbuRumman2016a](references.md)", ["AbuRumman2016a"]),
        ("X86_V3, NumPy2, in the year 2016, CF2016", []),
    ],
)
def test_the_checker_finds_unknown_keys(text, unknown):
    assert unknown_keys(text, WORKS) == unknown


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("as published [Le and Deng 2012, section 4.3]", 1),
        ("as published (Kavan, Collins and Zara 2008)", 1),
        ("as published [LeDeng2012, Sec. 4.3]", 0),
        ("| published (2007) |", 0),
    ],
)
def test_the_checker_finds_citations_without_a_key(text, count):
    assert len(UNKEYED.findall(text)) == count


def test_a_paper_is_found_by_first_name_year_and_title():
    assert (
        work_of("Mueller, Bender, Chentanez and Macklin 2016, " + WORKS["Mueller2016"]["title"], WORKS) == "Mueller2016"
    )
    assert work_of("Mueller 2015, " + WORKS["Mueller2016"]["title"], WORKS) is None
    assert work_of("Bender 2016, " + WORKS["Mueller2016"]["title"], WORKS) is None
