"""What a bake is made of: the plan of its frames, and frames that are made apart and joined."""
