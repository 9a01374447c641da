"""What the docs site needs beyond docs/: the front page and its neighbours, the examples, and links that find them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "LICENSE": "license.md",
    "CITATION.cff": "CITATION.cff",
}
"""Files of the top folder, and what they are called on the site."""
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


def on_config(config: Any) -> Any:
    """The examples are a chapter of their own."""
    pages = [{_title(path): f"examples/{path.stem}.md"} for path in EXAMPLES]
    config.nav.insert(-1, {"Examples": pages})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Bring in what lies outside docs/."""
    for name, page in BESIDE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_on_the_site(f"# {text}" if name == "LICENSE" else text, "")))
    for path in EXAMPLES:
        text = f"# {_title(path)}\n\n```python\n{path.read_text(encoding='utf-8')}```\n"
        files.append(File.generated(config, f"examples/{path.stem}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links from docs/ to the folder above it."""
    return _on_the_site(markdown, "../")


def _on_the_site(text: str, above: str) -> str:
    """The text with links to what lies in the top folder, seen from `above`, led to where that is on the site."""
    text = re.sub(rf"\]\({above}examples/(\w+)\.py\)", r"](examples/\1.md)", text)
    text = re.sub(rf"\[([^]]*)\]\({above}src/[^)]*\)", r"\1", text)  # the source is not on the site
    for name, page in BESIDE.items():
        text = text.replace(f"]({above}{name}", f"]({page}")
    return text if above else text.replace("](docs/", "](")


def _title(path: Path) -> str:
    """What an example shows: the first part of its docstring."""
    words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
    return f"{path.name[:2]} {re.split(r'[:.;,]', words)[0]}"
