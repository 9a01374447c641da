"""Many machines: what a farm costs beside its work, and what it would be like on hundreds of workers."""
