"""The document: what the studio makes and commands play, and the words that name characters and motions."""

from supple.document.document import Camera, Document
from supple.document.file import load_document, save_document
from supple.document.sources import CharacterSource

__all__ = ["Camera", "CharacterSource", "Document", "load_document", "save_document"]
