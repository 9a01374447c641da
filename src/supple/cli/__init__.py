"""The `supple` command: one file per command, no mathematics."""
