"""Which particles lie inside which elements of a moving tetrahedral mesh, found through hashed cells of space."""

from supple.geometry.collision.spatial_hash.spatial_hash import Boxes, HashedMesh, Pairs, SpatialHash, spatial_hash

__all__ = ["Boxes", "HashedMesh", "Pairs", "SpatialHash", "spatial_hash"]
