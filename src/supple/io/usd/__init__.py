"""Characters, motions and bakes as USD, through usd-core, which is an extra."""
