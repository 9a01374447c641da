"""The page that is committed is the one its sources make, and it speaks to no other machine."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
PAGE = ROOT / "src" / "supple" / "studio" / "page"
FILES = ("index.html", "studio.css", "studio.js", "three.js", "LICENSES.txt", "sources.json")


def sources_hash(web: Path) -> str:
    """Over names and bytes of all in web/src and of the lock file, in the order of their names; as in build.mjs."""
    paths = [path for path in (web / "src").rglob("*") if path.is_file()] + [web / "package-lock.json"]
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(web).as_posix(), path) for path in paths):
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_the_page_is_there(name: str) -> None:
    assert (PAGE / name).stat().st_size > 0


def test_the_page_is_made_from_the_sources_beside_it() -> None:
    made_from = json.loads((PAGE / "sources.json").read_text())["sha256"]
    assert made_from == sources_hash(WEB), "web/src changed after the page was built: run `make web`"


def test_one_byte_of_a_source_changes_the_hash(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "package-lock.json").write_text("{}")
    (tmp_path / "src" / "main.ts").write_text("a")
    before = sources_hash(tmp_path)
    (tmp_path / "src" / "main.ts").write_text("b")
    assert sources_hash(tmp_path) != before


class _Inline(HTMLParser):
    """Collects what the security policy of the page would forbid."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._within = tag
        self.found += [f"<{tag} {name}>" for name, _ in attributes if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and dict(attributes).get("type") == "importmap"):
            self.found.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "script" and data.strip():
            self.found.append(f"<script>{data.strip()[:40]}")


def test_the_page_has_no_script_or_style_within() -> None:
    inline = _Inline()
    inline.feed((PAGE / "index.html").read_text())
    assert inline.found == []


@pytest.mark.parametrize("text", ["<p style='x'>", "<style>p{}</style>", "<script>go()</script>", "<p onclick='x'>"])
def test_script_or_style_within_would_be_found(text: str) -> None:
    inline = _Inline()
    inline.feed(text)
    assert inline.found


@pytest.mark.parametrize("name", [name for name in FILES if name != "LICENSES.txt"])
def test_no_file_of_the_page_names_another_host(name: str) -> None:
    addresses = re.findall(r"(?:https?|wss?)://[\w.-]+", (PAGE / name).read_text())
    assert [address for address in addresses if not address.endswith("//www.w3.org")] == []
