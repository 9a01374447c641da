"""Characters, motions and bakes as GLB."""
