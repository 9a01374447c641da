"""The plain skins that every user knows: they need only the pose, carry no history and never fail."""
