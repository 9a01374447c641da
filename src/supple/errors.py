"""What Supple says when something is wrong: where, what was given, what was needed, what to do."""

from __future__ import annotations


class SuppleError(Exception):
    """An error with four parts, so that a person can act on it and a program can read it.

    `exit_code` is what the command line ends with.
    """

    exit_code = 3

    def __init__(self, where: str, given: str, needed: str, advice: str) -> None:
        self.where, self.given, self.needed, self.advice = where, given, needed, advice
        super().__init__(f"{where}: {given}, but {needed}; {advice}.")

    def __reduce__(self) -> tuple[type[SuppleError], tuple[str, str, str, str]]:
        """Can be handed to another process."""
        return type(self), (self.where, self.given, self.needed, self.advice)


class InputError(SuppleError, ValueError):
    """Something brought to the door does not fit: a character, a motion, a setting, a file."""

    exit_code = 2


class FormatError(InputError):
    """A file is not what its suffix says, or is damaged; `where` names the file and the place in it."""


class BusyError(InputError):
    """Somebody else is at work at this place; it may be free later."""


class StaleError(InputError):
    """What lies at this place was made from something else."""


class DeviceError(SuppleError, RuntimeError):
    """The device asked for is not there."""

    exit_code = 2


class UnfinishedError(SuppleError, RuntimeError):
    """The input was fine, and the work could still not be finished."""

    exit_code = 3


class SuppleWarning(UserWarning):
    """Something was repaired or left out, and the result is still good to use."""
