"""What a glTF brings along that no skin moves: who made it, nodes that are no joints, cameras, lights, and VRM."""
