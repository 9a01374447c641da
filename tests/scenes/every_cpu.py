"""What this machine makes of every skin, written to a file; run as a program under one personality of the processor.

    python every_cpu.py OUT.npz [--unlike]

With --unlike, NumPy is made to answer as another processor might: ties of sorts that are not stable come out the other
way round, and elementary functions and solutions are off by a unit in the last place.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

LAST_PLACE = 2.0**-52


def answer_as_another() -> None:
    """Replace what NumPy promises only up to ties or rounding."""
    argsort, argpartition = np.argsort, np.argpartition

    def other_ties(array, axis=-1, kind=None, **rest):
        if kind in ("stable", "mergesort") or rest.get("stable"):
            return argsort(array, axis=axis, kind=kind, **rest)
        turned = np.flip(np.asarray(array), axis=axis)
        return np.asarray(array).shape[axis] - 1 - argsort(turned, axis=axis, kind="stable")

    def other_part(array, kth, axis=-1, **rest):
        return other_ties(array, axis=axis) if rest is not None else argpartition(array, kth, axis=axis)

    np.argsort, np.argpartition = other_ties, other_part
    for name in ("exp", "log", "sin", "cos", "tan", "arctan2", "arccos", "arcsin", "cbrt", "power"):
        setattr(np, name, off_by_one(getattr(np, name)))
    for name in ("solve", "inv", "eigh", "svd", "lstsq", "norm", "det"):
        setattr(np.linalg, name, off_by_one(getattr(np.linalg, name)))


def off_by_one(function):
    """The same function with results a unit in the last place off, every other one up and every other one down."""

    def nudged(*args, **kwargs):
        found = function(*args, **kwargs)
        if isinstance(found, tuple):
            parts = [nudge(part) for part in found]
            return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
        return nudge(found)

    return nudged


def nudge(value):
    if not isinstance(value, (np.ndarray, np.floating)) or np.asarray(value).dtype != np.float64:
        return value
    signs = 1.0 - 2.0 * (np.arange(np.size(value)) % 2).reshape(np.shape(value))
    return value * (1.0 + LAST_PLACE * signs)


def everything() -> dict[str, np.ndarray]:
    """Frames of every skin, and the preparation of those that have one worth looking at."""
    import supple
    from supple import machine
    from supple.geometry.tetrahedra import fill

    made: dict[str, np.ndarray] = {"kind": np.array(machine.kind())}
    skins = {name: kind() for name, kind in supple.SKINS.items() if not name.startswith("curve")}
    for name, clip in (("hero", "walk"), ("arm", "bend")):
        character = supple.character(name, vertices=1500)
        motion = supple.motion(clip, character)
        made[f"{name} topology triangles"] = character.triangles
        made[f"{name} topology influences"] = character.weights.joints
        made[f"{name} topology elements"] = fill(character.points, character.triangles, count=2000).corners
        for kind, skin in skins.items():
            player = supple.player(character, skin)
            made[f"{name} {kind}"] = np.array([player.play(motion, frame / 30.0) for frame in range(16)])
    return made


if __name__ == "__main__":
    if "--unlike" in sys.argv:
        answer_as_another()
    np.savez(Path(sys.argv[1]), **everything())
