"""What is wrong with a file but can be mended: refused, or repaired when asked; always told."""

from __future__ import annotations

import warnings

from supple.errors import FormatError, SuppleWarning

_SHOWN = 20  # more lines than this would hide what matters


class Faults:
    """The repairs of one file, in words."""

    def __init__(self, file: str, *, repair: bool) -> None:
        self._file, self._repair = file, repair
        self._told: list[str] = []

    def mend(self, where: str, given: str, needed: str, done: str) -> None:
        """Refuse a fault that changes how the character looks, unless repairs were asked for."""
        if not self._repair:
            raise FormatError(
                f"{self._file}: {where}", given, needed, f"re-export it, or load with repair=True ({done})"
            )
        self._told.append(f"{where}: {given}; {done}")

    def note(self, where: str, said: str) -> None:
        """Tell something that was left out or mended without harm."""
        self._told.append(f"{where}: {said}")

    def tell(self) -> None:
        """One warning with everything in it, once the file is read."""
        if not self._told:
            return
        shown = self._told[:_SHOWN]
        if len(self._told) > _SHOWN:
            shown.append(f"and {len(self._told) - _SHOWN} more like these")
        warnings.warn(f"{self._file}: " + "; ".join(shown) + ".", SuppleWarning, stacklevel=2)
