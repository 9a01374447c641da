"""Compressed glTF: meshopt, unpacked here, and Draco, unpacked by a library in a process of its own."""
