"""A baked sequence taken apart into bones, weights and rigid motion, the way a simulation reaches a game engine."""

from supple.decompose.decomposing import Progress, decompose
from supple.decompose.decomposition import Decomposition, DecompositionError
from supple.decompose.files import read_sequence
from supple.decompose.sequence import PointSequence

# `supple.decompose` is the function, which hides this package; who reads a sequence for it finds that there too.
decompose.read_sequence = read_sequence  # type: ignore[attr-defined]

__all__ = ["Decomposition", "DecompositionError", "PointSequence", "Progress", "decompose", "read_sequence"]
