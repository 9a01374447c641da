"""Sparse symmetric systems: factored once, solved many times on a device."""

from supple.geometry.cholesky.cholesky import Cholesky, Factor

__all__ = ["Cholesky", "Factor"]
