"""What kind of machine this is, as far as rounding goes.

Kernels are compiled for one target on all processors that have it, so that a machine with wider registers computes the
same. What is prepared by NumPy and SciPy may still differ in the last bit of double precision between kinds.
"""

from __future__ import annotations

import os
import platform
from functools import cache

COMMON = "x86-64-v3"  # AVX2 and fused multiply-add: what every x86 processor of the last decade has
_TARGETS = (COMMON, "native", "generic")


@cache
def cpu_target() -> str:
    """What kernels are compiled for: "x86-64-v3" where the processor has it, else "native".

    The environment variable SUPPLE_CPU_TARGET may say "native" (all that this processor can do), or "generic" (nothing
    that not every processor of its family can).
    """
    asked = os.environ.get("SUPPLE_CPU_TARGET", "")
    if asked in _TARGETS:
        return asked
    return COMMON if {"AVX2", "FMA3"} <= {name for name, there in _features().items() if there} else "native"


def compiler_flags(own: str | None) -> str | None:
    """Warp's `own` flags for kernels on the processor, turned to `cpu_target`."""
    target = cpu_target()
    if target == "native" or own is None:
        return own
    rest = [flag for flag in own.split() if not flag.startswith("-march")]
    return " ".join([*(["-target-cpu", target] if target == COMMON else []), *rest])


@cache
def kind() -> str:
    """What may change the last bits of a result: processor, target of the kernels, and libraries, in one line."""
    import numpy
    import scipy
    from warp import __version__ as warp_version

    libraries = f"NumPy {numpy.__version__}, SciPy {scipy.__version__}, Warp {warp_version}"
    return f"{platform.machine()} {registers()}, kernels for {cpu_target()}, {libraries}"


def registers() -> str:
    """The widest registers that NumPy found, by name."""
    return next((name for name, there in reversed(_features().items()) if there), "unknown")


def _features() -> dict[str, bool]:
    """What NumPy found that the processor can do, in the order of its own list, ending with the widest."""
    try:
        from numpy._core._multiarray_umath import __cpu_features__  # type: ignore[import-not-found]
    except ImportError:  # another NumPy: nothing is known
        return {}
    return dict(__cpu_features__)
