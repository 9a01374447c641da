"""Tables of publications, row by row, measured here."""
