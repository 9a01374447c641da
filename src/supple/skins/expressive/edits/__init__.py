"""Edits: shapes drawn on the skin by hand, and changes of pose, that live on in every pose and play over time."""

from supple.skins.expressive.edits.editing import RegionEditing
from supple.skins.expressive.edits.edits import EditedSource, Edits
from supple.skins.expressive.edits.encoding import encoded
from supple.skins.expressive.edits.file import load_edits, save_edits
from supple.skins.expressive.edits.history import History
from supple.skins.expressive.edits.layers import Key, Layer
from supple.skins.expressive.edits.pose_edit import PoseEdit
from supple.skins.expressive.edits.radial import EASINGS, PROFILES, radial
from supple.skins.expressive.edits.region import Region, region_round
from supple.skins.expressive.edits.silhouette import outline, redrawn_silhouette, silhouette_edges
from supple.skins.expressive.edits.surface_edit import SurfaceEdit, mixed
from supple.skins.expressive.edits.waves import with_wave

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
    "encoded",
    "load_edits",
    "mixed",
    "outline",
    "radial",
    "redrawn_silhouette",
    "region_round",
    "save_edits",
    "silhouette_edges",
    "with_wave",
]
