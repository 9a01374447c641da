"""The document: what the studio makes and commands play, and the words that name characters and motions."""

from supple.document.document import Document
from supple.document.sources import CharacterSource

__all__ = ["CharacterSource", "Document"]
