"""What jobs there are, as the words of the command line that do them."""

from __future__ import annotations

from dataclasses import dataclass

from supple.errors import InputError
from supple.io.formats import CACHE_WRITERS
from supple.render.film import KINDS as FILMS


@dataclass(frozen=True)
class JobKind:
    """A command that makes a file of a document; `suffixes` are those it may have, `one_skin` if it is of one skin."""

    command: str
    label: str
    suffixes: tuple[str, ...]
    one_skin: bool = True

    def words(self, document: str, number: int, output: str) -> list[str]:
        """The words of the command line."""
        which = ["--number", str(number)] if self.one_skin else []
        return [self.command, "--document", document, *which, "-o", output]


KINDS: dict[str, JobKind] = {
    "bake": JobKind("bake", "Bake", (".glb", ".usdc", ".usda", ".usd", ".abc", ".pc2", ".mdd", ".npz", ".supple")),
    "film": JobKind("render", "Film", FILMS),
    "compare": JobKind("compare", "Comparison", (".html",), one_skin=False),
    "pose space": JobKind("fit-pose-space", "Learnt skin", (".posespace",)),
    "curves": JobKind("fit-curves", "Curves", (".curves",)),
}
"""By the name that the page knows. Formats of many files, such as .obj, are left to the command line."""

assert set(KINDS["bake"].suffixes) - {".supple"} <= set(CACHE_WRITERS)


def checked(kind: str, suffix: str) -> JobKind:
    """The kind of that name, which can make such a file."""
    if kind not in KINDS:
        raise InputError("studio", f"a job {kind!r} was asked for", f"there are {', '.join(KINDS)}", "choose one")
    found = KINDS[kind]
    if suffix not in found.suffixes:
        there = f"it makes {', '.join(found.suffixes)}"
        raise InputError("studio", f"{found.label} to {suffix!r} was asked for", there, "choose one of those")
    return found
