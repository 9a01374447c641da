"""What a soft character is made of: flesh, links, joints, and the order in which they are solved."""
