"""What NumPy would have to do without on an older processor; run as a program, it prints that for NumPy to read."""

from __future__ import annotations

NEWER = ("X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR")


def to_do_without() -> str:
    """Of what NumPy chooses by the processor, what it has found here: it refuses to do without what is not there."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return " ".join(name for name in NEWER if name in __cpu_dispatch__ and __cpu_features__.get(name))


if __name__ == "__main__":
    print(to_do_without())  # noqa: T201
