"""Layers: keys over time that say how much there is of which drawn shape or pose."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.edits.easing import apply_easing, easing_named
from supple.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Key:
    """At `time` [s] there is `amount` of the shape or pose called `use`, or nothing where `use` is empty.

    On the way to the next key it goes over as `ease` says: one of `EASINGS`, or a curve of `bezier`.
    """

    time: float
    use: str = ""
    amount: float = 1.0
    ease: str = "smooth"

    def __post_init__(self) -> None:
        if not np.isfinite([self.time, self.amount]).all():
            raise InputError(
                "Key",
                f"time is {self.time} and amount {self.amount}",
                "finite numbers are needed",
                "use seconds, and 1 for all of it",
            )
        easing_named(self.ease, "Key")


@dataclass(frozen=True, kw_only=True)
class Layer:
    """Named `keys` in order of time, counted `amount` times; after the last key it starts over if it is to `repeat`.

    Between two keys the one goes over to the other, so keys of different shapes morph; outside the first and last key
    holds. `firmness` is how many times as hard springs pull towards this layer's shapes where it moves the skin. On
    `mute` a layer counts for nothing, and where one is `solo`, only such ones count.
    """

    name: str
    keys: tuple[Key, ...]
    amount: float = 1.0
    repeat: bool = False
    firmness: float = 1.0
    mute: bool = False
    solo: bool = False

    def __post_init__(self) -> None:
        where = f"Layer {self.name!r}"
        object.__setattr__(self, "keys", tuple(self.keys))
        times = [key.time for key in self.keys]
        if not times or any(b <= a for a, b in itertools.pairwise(times)):
            raise InputError(
                where,
                f"its keys are at {times}",
                "at least one is needed, later ones later",
                "sort them and move those that stand at one time",
            )
        if not np.isfinite(self.amount):
            raise InputError(where, f"amount is {self.amount}", "a finite number is needed", "use 1 for all of it")
        if not 0.0 <= self.firmness <= 1e6:
            raise InputError(where, f"firmness is {self.firmness}", "the range is 0 to 1e6", "use 1")

    @classmethod
    def still(cls, name: str, use: str, *, amount: float = 1.0) -> Layer:
        """A layer that is there all the time."""
        return cls(name=name, keys=(Key(time=0.0, use=use),), amount=amount)

    @classmethod
    def breathing(cls, name: str, use: str, *, seconds: float, amount: float = 1.0) -> Layer:
        """Out and in again every `seconds`, for ever."""
        keys = (Key(time=0.0), Key(time=0.45 * seconds, use=use), Key(time=seconds))
        return cls(name=name, keys=keys, amount=amount, repeat=True)

    def key_at(self, time: float) -> Key:
        """Its key at a time [s]."""
        for key in self.keys:
            if key.time == time:
                return key
        times = ", ".join(f"{key.time:g}" for key in self.keys)
        raise InputError(
            f"Layer {self.name!r}", f"a key at {time:g} s was asked for", f"keys are at {times}", "use one"
        )

    def with_key(self, key: Key) -> Layer:
        """With a key, new or in place of the one that stood at its time."""
        others = [one for one in self.keys if one.time != key.time]
        return replace(self, keys=tuple(sorted([*others, key], key=lambda one: one.time)))

    def key_for(self, time: float) -> Key:
        """A key at a time [s] that says what there is of the shape or pose that counts most then."""
        amounts = self.amounts(time)
        use = max(amounts, key=lambda name: abs(amounts[name]), default="")
        eased = [key for key in self.keys if key.time <= time]
        ease = (eased[-1] if eased else self.keys[0]).ease
        return Key(time=time, use=use, amount=amounts.get(use, 0.0) / (self.amount or 1.0), ease=ease)

    def delete_key(self, time: float) -> Layer:
        """Without the key at a time [s]; a layer keeps at least one."""
        gone = self.key_at(time)
        return replace(self, keys=tuple(key for key in self.keys if key is not gone))

    def copy_key(self, time: float, to: float) -> Layer:
        """With the key at a time [s] once more at another; one that stood there goes."""
        return self.with_key(replace(self.key_at(time), time=to))

    def move_key(self, time: float, to: float) -> Layer:
        """With the key at a time [s] moved to another, past others too; one that stood there goes."""
        moved = replace(self.key_at(time), time=to)
        others = [key for key in self.keys if key.time not in (time, to)]
        return replace(self, keys=tuple(sorted([*others, moved], key=lambda one: one.time)))

    def ease_key(self, time: float, ease: str) -> Layer:
        """With another way from the key at a time [s] to the next."""
        return self.with_key(replace(self.key_at(time), ease=ease))

    @property
    def uses(self) -> tuple[str, ...]:
        """The shapes and poses it names, each once, in order."""
        return tuple(dict.fromkeys(key.use for key in self.keys if key.use))

    def amounts(self, time: float) -> dict[str, float]:
        """How much there is of each shape and pose at a time [s]."""
        first, last = self.keys[0], self.keys[-1]
        if self.repeat and last.time > first.time:
            time = first.time + (time - first.time) % (last.time - first.time)
        after = next((index for index, key in enumerate(self.keys) if key.time > time), len(self.keys))
        before = self.keys[max(after - 1, 0)]
        total = dict.fromkeys(self.uses, 0.0)
        following = self.keys[min(after, len(self.keys) - 1)]
        alpha = 0.0
        if following.time > before.time:
            alpha = apply_easing(
                before.ease, (time - before.time) / (following.time - before.time), f"Layer {self.name!r}"
            )
        for key, part in ((before, 1.0 - alpha), (following, alpha)):
            if key.use:
                total[key.use] += self.amount * part * key.amount
        return total


def total_amounts(layers: Sequence[Layer], time: float, *, period: float | None = None) -> dict[str, float]:
    """How much there is of each shape and pose of all layers together at a time [s].

    With the `period` [s] of a motion that loops, layers start over with it, but for those that repeat by themselves or
    outlast it.
    """
    heard = audible(layers)
    total: dict[str, float] = {}
    for layer in layers:
        own_time = time
        if period is not None and not layer.repeat and layer.keys[-1].time <= period:
            own_time = time_in_loop(time, period)
        for use, amount in layer.amounts(own_time).items():
            total[use] = total.get(use, 0.0) + (amount if layer in heard else 0.0)
    return total


def time_in_loop(time: float, period: float) -> float:
    """Where a motion of `period` [s] that loops is at a time [s]; at the end of its first round it is at its end."""
    return time if 0.0 <= time <= period else time % period


def audible(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """The layers that count: none on mute, and only solo ones where there are any."""
    solo = any(layer.solo for layer in layers)
    return tuple(layer for layer in layers if not layer.mute and (layer.solo or not solo))
