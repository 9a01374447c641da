"""The built-in characters, made by code: a person, limbs, a tube, a snake, a four-legged animal, an octopus."""

from supple.character.builtin.catalogue import CHARACTERS, character

__all__ = ["CHARACTERS", "character"]
