"""Edits: shapes drawn on the skin by hand, and changes of pose, that live on in every pose and play over time."""

from supple.edits.bulge import bulge
from supple.edits.copying import copy_edit
from supple.edits.easing import EASINGS, bezier
from supple.edits.edits import EditedSource, Edits
from supple.edits.encoding import encoded, encoded_moves, rest_from_posed
from supple.edits.file import load_edits, save_edits
from supple.edits.history import History
from supple.edits.layers import Key, Layer
from supple.edits.pose_edit import PoseEdit
from supple.edits.radial import PROFILES, radial
from supple.edits.region import Region, region_round
from supple.edits.region_editing import RegionEditing
from supple.edits.silhouette import crease_edges, outline, redrawn_outline, redrawn_silhouette, silhouette_edges
from supple.edits.spring_edit import spring_edit
from supple.edits.surface_edit import SurfaceEdit, mix
from supple.edits.surface_editing import SurfaceEditing
from supple.edits.waves import drive_wave, with_wave

__all__ = [
    "EASINGS",
    "PROFILES",
    "EditedSource",
    "Edits",
    "History",
    "Key",
    "Layer",
    "PoseEdit",
    "Region",
    "RegionEditing",
    "SurfaceEdit",
    "SurfaceEditing",
    "bezier",
    "bulge",
    "copy_edit",
    "crease_edges",
    "drive_wave",
    "encoded",
    "encoded_moves",
    "load_edits",
    "mix",
    "outline",
    "radial",
    "redrawn_outline",
    "redrawn_silhouette",
    "region_round",
    "rest_from_posed",
    "save_edits",
    "silhouette_edges",
    "spring_edit",
    "with_wave",
]
