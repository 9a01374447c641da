"""Fixed scenes at known sizes, timed beside the programs people use today."""
