"""What goes on while it plays: a performer who is followed and recorded, things in the way, a brush at its stroke."""
