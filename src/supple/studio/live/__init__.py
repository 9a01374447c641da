"""Motion that comes from a performer while it is played, what is recorded of it, and what is sent on."""
