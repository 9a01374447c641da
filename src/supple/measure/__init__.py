"""What a skin did to a character: every measure is a plain function, and `measure` takes them all."""

from supple.character.limbs.volumes import LimbVolumes
from supple.measure.errors import Distance, SequenceError, distance, sequence_error
from supple.measure.flesh.limb_volume import limb_volume_ratio, limbs_of
from supple.measure.inversion import Tetrahedra, inverted
from supple.measure.jitter import Vibration, vibration
from supple.measure.measuring import measure
from supple.measure.penetration import Penetration, penetration
from supple.measure.report import Report, Row
from supple.measure.sections import SectionRadius, section_radius
from supple.measure.settling import Settling, settling
from supple.measure.speed import vertex_speed
from supple.measure.stretch import Stretch, area_stretch, edge_stretch
from supple.measure.volume import VolumeMeter, part_volume_ratio, volume_ratio

__all__ = [
    "Distance",
    "LimbVolumes",
    "Penetration",
    "Report",
    "Row",
    "SectionRadius",
    "SequenceError",
    "Settling",
    "Stretch",
    "Tetrahedra",
    "Vibration",
    "VolumeMeter",
    "area_stretch",
    "distance",
    "edge_stretch",
    "inverted",
    "limb_volume_ratio",
    "limbs_of",
    "measure",
    "part_volume_ratio",
    "penetration",
    "section_radius",
    "sequence_error",
    "settling",
    "vertex_speed",
    "vibration",
    "volume_ratio",
]
