"""The studio: a page in a browser in which a character plays, is taken hold of and changed."""
