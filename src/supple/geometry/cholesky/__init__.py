"""Sparse symmetric systems: factored once, solved many times on a device."""

from supple.geometry.cholesky.cholesky import Cholesky, Factor
from supple.geometry.cholesky.split import SplitCholesky, SplitFactor

__all__ = ["Cholesky", "Factor", "SplitCholesky", "SplitFactor"]
