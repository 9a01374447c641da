"""Arrays at the door: converted once, checked, and frozen."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import InputError

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
IntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]

_FREE = -1  # in a shape: any length
T = TypeVar("T")
_remembered: dict[tuple[int, str], tuple[weakref.ref[NDArray[Any]], Any]] = {}


def frozen(value: ArrayLike, dtype: Any, shape: tuple[int, ...], where: str, what: str) -> NDArray[Any]:
    """Return `value` as a contiguous read-only array of `dtype`; -1 in `shape` stands for any length.

    An array that is already read-only and of the right kind is passed through, so deriving one noun from another
    copies nothing; anything else is copied, so the caller's array stays writable and ours stays as it is.
    """
    try:
        given = np.asarray(value)
    except ValueError as error:  # ragged nested lists
        raise InputError(where, f"{what} is ragged ({error})", _needs(shape), "make every row equally long") from None
    fits = given.ndim == len(shape) and all(
        want in (_FREE, have) for want, have in zip(shape, given.shape, strict=True)
    )
    if not fits:
        raise InputError(where, f"{what} has shape {given.shape}", _needs(shape), "reshape it")
    if given.dtype.kind not in "biuf":
        raise InputError(where, f"{what} holds {given.dtype}", "numbers are needed", "convert it to numbers")
    if np.issubdtype(dtype, np.integer):
        given = _whole(given, dtype, where, what)
    elif given.size and not np.isfinite(given).all():
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(given))[0])
        bad = int(given.size - np.isfinite(given).sum())
        raise InputError(
            where,
            f"{what} has {bad} values that are not finite (the first at {first})",
            "every value must be a finite number",
            "remove or repair those entries",
        )
    if given.dtype == dtype and not given.flags.writeable and given.flags.c_contiguous:
        return given
    with np.errstate(over="ignore"):
        copy = np.array(given, dtype=dtype, order="C", copy=True)
    copy.setflags(write=False)
    return copy


def remembered(array: NDArray[Any], what: str, make: Callable[[], T]) -> T:
    """What `make` finds about a read-only array, found once and kept for as long as the array itself is.

    What is found must not hold the array, or neither would ever go. An array that may change is looked at every time.
    """
    if array.flags.writeable:
        return make()
    place = (id(array), what)
    kept = _remembered.get(place)
    if kept is not None and kept[0]() is array:
        found: T = kept[1]
        return found
    made = make()
    _remembered[place] = (weakref.ref(array, lambda _: _remembered.pop(place, None)), made)
    return made


def by_fields(made: Any) -> tuple[Any, tuple[type, dict[str, Any]]]:
    """What `__reduce__` of a frozen dataclass may return: it is made again from its fields, checked and frozen anew."""
    from dataclasses import fields

    given = {each.name: getattr(made, each.name) for each in fields(made) if each.init}
    return _made_again, (
        type(made),
        {name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in given.items()},
    )


def _made_again(kind: type, given: dict[str, Any]) -> Any:
    return kind(**given)


def digest_of(named: Iterable[tuple[str, NDArray[Any]]]) -> bytes:
    """Fingerprint (BLAKE2b, 16 bytes) of arrays with their names, kinds and shapes, in the order in which they come."""
    import hashlib

    total = hashlib.blake2b(digest_size=16)
    for name, array in named:
        total.update(f"{name} {array.dtype.str} {array.shape};".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.digest()


def _whole(given: NDArray[Any], dtype: Any, where: str, what: str) -> NDArray[Any]:
    """Refuse fractions and numbers that the integer type cannot hold; a blind cast would wrap around."""
    if given.size == 0:
        return given.astype(dtype)
    if given.dtype.kind == "f" and not np.array_equal(given, np.round(given)):
        raise InputError(where, f"{what} holds fractions", "whole numbers are needed", "pass an integer array")
    limits = np.iinfo(dtype)
    if given.min() < limits.min or given.max() > limits.max:
        raise InputError(where, f"{what} goes up to {given.max()}", f"at most {limits.max} fits", "use fewer items")
    return given


def _needs(shape: tuple[int, ...]) -> str:
    sides = ", ".join("N" if side == _FREE else str(side) for side in shape)
    return f"({sides}{',' if len(shape) == 1 else ''}) is needed"
