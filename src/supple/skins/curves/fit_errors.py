"""How far a trained network of curves is from what it was taught: over all, by part, by frame, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class FitErrors:
    """Distances of the played skin from the taught one, over all vertices and frames [m].

    `base_rms` is what the kinematic skin below leaves open, and so what there was to learn. `mesh_rms` is what the
    curves cannot show, whatever their shape: they have fewer nodes than the mesh has vertices. `between_rms` is what
    comes from frames that were not learnt: the played curves against the curves of those frames. `at_examples` is the
    largest distance of a node from its place in an example, as the beam equation gives it. Frames that were kept out
    of training altogether are `unseen`; `unseen_rms` is nan where there are none.
    """

    height: float
    rms: float
    worst: float
    base_rms: float
    base_worst: float
    mesh_rms: float
    mesh_worst: float
    between_rms: float
    at_examples: float
    unseen_rms: float
    by_part: Mapping[str, float] = field(default_factory=dict)
    by_frame: tuple[float, ...] = ()
    unseen: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain data; numbers that are not there are null."""
        plain = asdict(self)
        return {key: None if value != value else value for key, value in plain.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FitErrors:
        """What `to_json` wrote."""
        known: dict[str, Any] = {key: float("nan") if value is None else value for key, value in data.items()}
        return cls(**{**known, "by_frame": tuple(data["by_frame"]), "unseen": tuple(data["unseen"])})

    def __str__(self) -> str:
        share = 100.0 / self.height
        lines = [
            f"off by {1000 * self.rms:.3g} mm RMS ({self.rms * share:.3g} % of the height), "
            f"{1000 * self.worst:.3g} mm at worst; the skin below is off by {1000 * self.base_rms:.3g} mm RMS",
            f"of which the mesh between the curves {1000 * self.mesh_rms:.3g} mm RMS, "
            f"frames between the examples {1000 * self.between_rms:.3g} mm RMS",
            f"at the examples the curves are off by {self.at_examples / self.height:.1e} of the height",
        ]
        if self.unseen:
            lines.append(f"in {len(self.unseen)} frames that were kept from it {1000 * self.unseen_rms:.3g} mm RMS")
        return "\n".join(lines)
