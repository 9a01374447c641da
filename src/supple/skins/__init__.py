"""Every way to move a skin; one room per system, all with the same doors."""
