"""FBX in: characters with their clips, read with ufbx in a process of its own."""
