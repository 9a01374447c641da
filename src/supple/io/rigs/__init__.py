"""From the nodes and skins of a file, whatever its format, to one skeleton."""
