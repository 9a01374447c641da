"""The libraries that pictures need, loaded when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

from supple.errors import UnfinishedError


def load_library(module: str) -> Any:
    """A module of the `render` extra, or a sentence that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = (error.name or module).partition(".")[0]
        raise UnfinishedError(
            "render",
            f"{package} could not be loaded",
            "pictures need the render extra",
            "install it with: pip install 'supple[render]'",
        ) from None
