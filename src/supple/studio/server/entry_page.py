"""The small page on which the code of the terminal is typed."""

from __future__ import annotations

import base64
import hashlib
from html import escape

_STYLE = """
:root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: light-dark(#f4f5f7, #1a1d22); color: light-dark(#22262d, #e4e7ec); }
main { width: min(22rem, calc(100vw - 2rem)); }
h1 { font-size: 1.3rem; margin: 0 0 .4rem; }
p { margin: 0 0 1rem; }
[role=alert] { color: light-dark(#9a3412, #ffb38a); }
form { display: flex; gap: .6rem; }
input, button { font: inherit; height: 3rem; border-radius: .5rem; border: 1px solid light-dark(#8b939f, #6d7683); }
input { flex: 1; min-width: 0; padding: 0 .8rem; font-size: 1.5rem; letter-spacing: .2em;
  background: light-dark(#ffffff, #15181c); color: inherit; }
button { padding: 0 1.2rem; cursor: pointer; background: light-dark(#a4501c, #f0a36b);
  color: light-dark(#ffffff, #1a1d22); border-color: transparent; }
:focus-visible { outline: 3px solid light-dark(#a4501c, #f0a36b); outline-offset: 2px; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Supple studio</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main>
<h1>Supple studio</h1>
<p>Type the six digits that the terminal shows.</p>
{fault}<form method="post" action="/code">
<input name="code" aria-label="Code" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required autofocus>
<button>Come in</button>
</form>
</main>
</body>
</html>
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
ENTRY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""What this page may do: send its form here, and wear its own style."""


def entry_page(fault: str = "") -> bytes:
    """The page, with a sentence on what was wrong."""
    said = f'<p role="alert">{escape(fault)}</p>\n' if fault else ""
    return _PAGE.format(style=_STYLE, fault=said).encode()
