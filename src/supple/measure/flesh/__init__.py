"""What flesh keeps of its volume: limb by limb, and before its skin is helped."""
